"""Block axes used as if they were of another kind, and domains that loops do not reach. [TIR.9] [TIR.10]"""

from __future__ import annotations

import pytest

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.tir.check.driver import Report
from tests.tir.support import prim_func

HEAD = "X: Buffer[(n, m), float32], I: Buffer[(n,), int64], Y: Buffer[(n,), float32]"


def found(statements: str) -> list[Diagnostic]:
    told = Report(prim_func(f"prim_func @f({HEAD}) {{ {statements} }}")).diagnostics
    return [one for one in told if one.slug in ("tir-axis-use", "tir-axis-not-covered")]


def block(axes: str, body: str, loops: str = "i, j in grid(n, m)") -> str:
    return f"for {loops} {{ block b ({axes}) {{ {body} }} }}"


SUM = "init { Y[a] = 0.0; } Y[a] += X[a, b];"


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            block("a = spatial(i), b = spatial(j)", SUM),
            "axis `b` is spatial, but its steps share elements of `Y`: `init` starts over at each",
        ),
        (
            block("a = spatial(i), b = spatial(j)", "init { Y[a] = 0.0; } Y[a] = max(Y[a], X[a, b]);"),
            "axis `b` is spatial, but its steps share elements of `Y`: `init` starts over at each",
        ),
        (
            block("a = spatial(i), b = spatial(j)", "Y[a] += X[a, b];"),
            "axis `b` is spatial, but its steps share elements of `Y`",
        ),
        (
            block("a = spatial(i), b = spatial(j)", "Y[a] = max(Y[a], X[a, b]);"),
            "axis `b` is spatial, but its steps share elements of `Y`",
        ),
        (block("a = reduce(i), b = reduce(j)", SUM), "axis `a` is reduce, but `Y` is stored through it"),
        (block("a = reduce(i), b = spatial(j)", "Y[a] = X[a, b];"), "axis `a` is reduce, but `Y` is stored through it"),
    ],
)  # fmt: skip
def test_TIR_9_axes_of_the_wrong_kind(statements: str, message: str) -> None:
    assert [one.message for one in found(statements)] == [message]


@pytest.mark.parametrize(
    "statements",
    [
        block("a = spatial(i), b = reduce(j)", SUM),
        block("a = spatial(i), b = spatial(j)", SUM, "i, j in grid(n, 1)"),
        block("a = spatial(i), b = spatial(j)", "Y[a] = X[a, b];"),
        block("a = spatial(i), b = spatial(j)", "init { Y[a] = 0.0; } Y[a] = X[a, b];"),
        block("a = spatial(i), b = scan(j)", SUM),
        block("a = spatial(i), b = spatial(j)", "if b == 1 { Y[a] += X[a, b]; }"),
        block("a = spatial(i), b = spatial(j)", "Y[b] += X[a, b];", "i, j in grid(1, m)"),
        block("a = spatial(i)", "for k in 0..n { Y[k] += X[a, 0]; }", "i in 0..n"),
        block("a = spatial(i)", "let c = a; Y[c] += X[a, 0];", "i in 0..n"),
        block(
            "a = spatial(i)",
            "alloc T: Buffer[(), float32]; T[()] = 0.0; T[()] += X[a, 0]; Y[a] = T[()];",
            "i in 0..n",
        ),
        block("a = reduce(i), b = reduce(j)", "Y[I[a]] += X[a, b];"),
        block("a = reduce(i), b = reduce(j)", "Y[a // 2] += X[a, b];"),
        block("a = reduce(i)", "alloc T: Buffer[(n,), float32]; T[a] = X[a, 0]; Y[0] = T[a];", "i in 0..n"),
        block("a = spatial(i), b = spatial(j)", "init { let c = b; Y[c] = 0.0; } Y[b] += X[a, b];"),
    ],
)
def test_TIR_9_axes_of_the_right_kind(statements: str) -> None:
    assert found(statements) == []


def test_TIR_9_the_other_kind_is_written() -> None:
    text = f"prim_func @f({HEAD}) {{ {block('a = spatial(i), b = spatial(j)', SUM)} }}"
    (diagnostic,) = found(block("a = spatial(i), b = spatial(j)", SUM))
    (edit,) = diagnostic.fixes[0].edits
    assert "b = reduce(j)" in text[: edit.pos] + edit.text + text[edit.end :]


@pytest.mark.parametrize(
    ("loop", "domain", "is_part"),
    [
        ("0..4", "0..8", True), ("4..8", "0..8", True), ("0..8", "0..8", False), ("0..n", "0..n", False),
        ("1..n", "0..n", True), ("0..n", "0..n + 1", True), ("0..n", "0..m", False), ("0..n - 1", "0..n", True),
        ("0..9", "0..8", False), ("2..2", "0..8", False),
    ],
)  # fmt: skip
def test_TIR_9_domains_that_are_not_covered(loop: str, domain: str, is_part: bool) -> None:
    told = found(f"for i in {loop} {{ block b (a = spatial(i, {domain})) {{ Y[0] = 0.0; }} }}")
    assert [one.message for one in told if one.slug == "tir-axis-not-covered"] == (
        [f"axis `a` runs over {loop} only, its domain is {domain}"] if is_part else []
    )
