"""Lints of constants and results that run-time checks depend on."""

from __future__ import annotations

import pytest

from tests.check.lints.findings import f, fixed, found


@pytest.mark.parametrize(("rows", "columns", "large"), [(1, 999, False), (1, 1000, True), (20, 50, True)])
def test_CF_1_large_constants(rows: int, columns: int, large: bool) -> None:
    row = f"[{', '.join(['0'] * columns)}]"
    text = f(f"const([{', '.join([row] * rows)}])")
    assert [slug for slug, _ in found(text, "large-constant")] == ["large-constant"] * large


@pytest.mark.parametrize(
    ("expression", "reported"),
    [
        ('extern "g"(x) -> Tensor[(4,), float32]', True),
        ('extern "g"(x) -> Object', False),
        ('extern "g"(x)', False),
        ('match_cast(extern "g"(x), Tensor)', False),
        ("packed(x) -> Tensor", True),
        ("other(x)", False),
        ('call_dps_packed(extern "g", (x,)) -> Tensor[(4,), float32]', False),
        ('add(extern "g"(x) -> Tensor, x)', True),
    ],
)
def test_ERR_13_unchecked_results(expression: str, reported: bool) -> None:
    text = f(
        f"let y = {expression};", "y", params="x: Tensor, packed: PackedFunc, other: fn (Tensor) -> Tensor"
    )
    assert bool(found(text, "unchecked-extern-result")) == reported


def test_ERR_13_a_variable_that_holds_a_packed_function() -> None:
    text = f('let g = extern "g";', "let y = g(x) -> Tensor[(4,), float32];", "y")
    assert found(text, "unchecked-extern-result") == [
        ("unchecked-extern-result", "g(x) -> Tensor[(4,), float32]")
    ]
    assert "let y = match_cast(g(x), Tensor[(4,), float32]);" in fixed(
        text, "unchecked-extern-result", unsafe=True
    )
    assert fixed(text, "unchecked-extern-result") == text
