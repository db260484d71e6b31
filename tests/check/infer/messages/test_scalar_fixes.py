"""Scalars of another dtype than is needed, and arithmetic on them: fixes after which the program checks. [X15.1]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, Diagnostic
from tests.edits import applied


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def program(body: str) -> str:
    return (
        "def @f(i: Prim[int32], j: Prim[int64], a: Prim[float32], c: Tensor[(), bool]) -> Object {\n"
        f"  {body}\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        ("prim_value(const(8, int32))", "prim_value(8, dtype=int32)"),
        ("prim_value(const(2, float16))", "prim_value(2.0, dtype=float16)"),
        ("prim_value(const(-2.5, float64))", "prim_value(-2.5, dtype=float64)"),
        ("arange(const(0, int32), const(5, int32))", "arange(0, 5, dtype=int32)"),
    ],
)
def test_X15_1_a_dtype_of_a_scalar_operand_is_not_dropped(body: str, mended: str) -> None:
    text = program(body)
    (found,) = errors(text)
    assert found.slug == "op-argument"
    assert "a number without a dtype, which would be lost" in found.message
    (fix,) = found.fixes
    assert applied(text, fix) == program(mended)
    assert errors(program(mended)) == []


def test_X15_1_scalar_takes_no_dtype() -> None:
    (found,) = errors(program("scalar(const(1, int8))"))
    assert found.help == "it is a tensor of rank 0 as it is, without `scalar`"


@pytest.mark.parametrize(
    "body",
    [
        "clip(1.0, const(0, float16), const(6, int32))",
        "arange(const(0, int64), 3)",
        "arange(0, const(2, int32) * 3)",
    ],
)
def test_X15_1_a_dtype_that_changes_nothing_is_fine(body: str) -> None:
    text = program(body)
    assert errors(text) == []
    assert errors(api.print_tree(api.normalize(text))) == []


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        ("let b: Prim[int32] = prim_value(5); b", "let b: Prim[int32] = prim_value(5, dtype=int32); b"),
        (
            "let b: Prim[float64] = prim_value(2.5); b",
            "let b: Prim[float64] = prim_value(2.5, dtype=float64); b",
        ),
        ("@f(prim_value(5), j, a, c)", "@f(prim_value(5, dtype=int32), j, a, c)"),
        ("let b: Prim[int64] = 0; b", "let b: Prim[int64] = prim_value(0); b"),
        ("let b: Prim[int32] = 0; b", "let b: Prim[int32] = prim_value(0, dtype=int32); b"),
        ("@f(i, const(5, int32), a, c)", "@f(i, prim_value(5), a, c)"),
        ("@f(i, const(5, int64), a, c)", "@f(i, prim_value(5), a, c)"),
        ("@f(i, j, 2, c)", "@f(i, j, prim_value(2.0), c)"),
        ("@f(0, j, a, c)", "@f(prim_value(0, dtype=int32), j, a, c)"),
        (
            "let b: Prim[int64] = i; b",
            "let checked = match_cast(astype(i, dtype=int64), Prim[int64]);\n  let b: Prim[int64] = checked; b",
        ),
        (
            "@f(i, i, a, c)",
            "let checked = match_cast(astype(i, dtype=int64), Prim[int64]);\n  @f(i, checked, a, c)",
        ),
    ],
)
def test_C_5_1_a_scalar_of_another_dtype(body: str, mended: str) -> None:
    text = program(body)
    (found,) = errors(text)
    assert applied(text, found.fixes[0]) == program(mended)
    assert errors(program(mended)) == []


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        (
            "@f(i, prim_value(j - 1), a, c)",
            "let next = match_cast(j - const(1, int64), Prim[int64]); @f(i, next, a, c)",
        ),
        (
            "let next = j; @f(prim_value(min(i, 3) * 2), next, a, c)",
            "let next = j; let next_1 = match_cast(minimum(i, 3) * 2, Prim[int32]); @f(next_1, next, a, c)",
        ),
        ("prim_value(a / 2.0)", "let next = match_cast(a / 2.0, Prim[float32]); next"),
        ("let b = prim_value(i); b", "let b = i; b"),
        (
            "if c { prim_value(j * j) } else { j }",
            "if c { let next = match_cast(j * j, Prim[int64]); next } else { j }",
        ),
    ],
)
def test_X15_1_operators_compute_with_scalars(body: str, mended: str) -> None:
    text = program(body)
    (found,) = errors(text)
    assert found.slug == "value-in-dim"
    assert applied(text, found.fixes[0]) == program(mended)
    assert errors(program(mended)) == []


@pytest.mark.parametrize("body", ["prim_value(c)", "prim_value(i + j)", "shape(j, 2)", "prim_value(i + k)"])
def test_X15_1_other_values_in_dimensions_have_no_such_fix(body: str) -> None:
    assert [fix for found in errors(program(body)) for fix in found.fixes] == []


def test_Z_6_messages_call_a_scalar_a_scalar() -> None:
    (found,) = errors(program("i + a"))
    assert [label.message for label in found.labels] == ["`i` is `Prim[int32]`", "`a` is `Prim[float32]`"]
