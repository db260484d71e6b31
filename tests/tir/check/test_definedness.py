"""What is read before it is written, never read, or never used. [TIR.10] [TIR.18] [TIR.20]"""

from __future__ import annotations

import pytest

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.tir.check.driver import Report
from tests.tir.support import prim_func

HEAD = "X: Buffer[(n,), float32], C: Buffer[(), bool], I: Buffer[(n,), int64], Y: Buffer[(n,), float32]"
USE = "if C[()] { Y[0] = X[I[0]]; }"
"""What makes all parameters used, and shows nothing."""


def found(statements: str) -> list[Diagnostic]:
    return Report(prim_func(f"prim_func @f({HEAD}) {{ {USE} {statements} }}")).diagnostics


def slugs(statements: str) -> list[str]:
    return [one.slug for one in found(statements)]


ALLOC = "alloc T: Buffer[(n,), float32];"


@pytest.mark.parametrize(
    "statements",
    [
        f"{ALLOC} for i in 0..n {{ Y[i] = T[i]; T[i] = X[i]; }}",
        f"{ALLOC} for i in 0..n {{ T[i] += X[i]; Y[i] = T[i]; }}",
        f"{ALLOC} for i in 0..n {{ T[i] = T[i] + X[i]; }}",
        f"{ALLOC} if T[0] > 0.0 {{ T[0] = 1.0; }}",
        f"for j in 0..n {{ {ALLOC} for i in 0..n {{ Y[i] = T[i]; }} T[j] = 0.0; }}",
        f'{ALLOC} assert n > 2, ""; Y[0] = T[0]; T[0] = 0.0;',
        f"if C[()] {{ {ALLOC} Y[0] = T[0]; T[0] = 1.0; }}",
        f"{ALLOC} while T[0] > 0.0 {{ T[0] = 0.0; }}",
        f"{ALLOC} for i in 0..n {{ block b (v = spatial(i)) {{ Y[v] = T[v]; }} }}",
        f"{ALLOC} if C[()] {{ Y[0] = T[1]; }} Y[0] = T[0]; T[0] = 0.0;",
    ],
)
def test_TIR_18_read_before_any_store(statements: str) -> None:
    assert slugs(statements) == ["tir-uninitialized-read"]


@pytest.mark.parametrize(
    "statements",
    [
        f"{ALLOC} for i in 0..n {{ T[i] = X[i]; Y[i] = T[i]; }}",
        f"{ALLOC} for i in 0..n {{ if i > 0 {{ Y[i] = T[i - 1]; }} T[i] = X[i]; }}",
        f"{ALLOC} for i in 0..n {{ Y[i] = if_then_else(i > 0, T[i - 1], 0.0); T[i] = X[i]; }}",
        f"{ALLOC} for i in 0..n {{ for j in 0..i {{ Y[i] = T[j]; }} T[i] = X[i]; }}",
        f"{ALLOC} for i in 0..n {{ for j in 0..I[i] {{ Y[i] = T[i]; }} T[i] = X[i]; }}",
        f"{ALLOC} for i in 0..n {{ for j in 3..3 {{ Y[i] = T[i]; }} T[i] = X[i]; }}",
        f'{ALLOC} call_extern("fill", T); Y[0] = T[0];',
        f"{ALLOC} for i in 0..n {{ block b (v = spatial(i)) where v > 0 {{ Y[v] = T[v]; }} T[i] = 0.0; }}",
        f"{ALLOC} if C[()] {{ T[0] = 1.0; }} Y[0] = T[0];",
        f"{ALLOC} for i in 0..n {{ block b (r = reduce(i)) {{ init {{ T[0] = 0.0; }} T[0] += X[r]; }} }} Y[0] = T[0];",
    ],
)  # fmt: skip
def test_TIR_18_may_have_been_written(statements: str) -> None:
    assert slugs(statements) == []


def reduction(statement: str, init: str = "", before: str = "") -> str:
    return f"{before} for i in 0..n {{ block sum (v = spatial(0), r = reduce(i)) {{ {init} {statement} }} }}"


@pytest.mark.parametrize(
    ("statement", "start"),
    [
        ("Y[v] += X[r];", "Y[v] = 0.0"),
        ("Y[v] -= X[r];", "Y[v] = 0.0"),
        ("Y[v] *= X[r];", "Y[v] = 1.0"),
        ("Y[v] = Y[v] + X[r];", "Y[v] = 0.0"),
        ("Y[v] = max(Y[v], X[r]);", "Y[v] = min_value(float32)"),
        ("Y[v] = min(X[r], Y[v]);", "Y[v] = max_value(float32)"),
        ("Y[v] = select(Y[v] > X[r], Y[v], X[r]);", None),
        ("let w = v; Y[w] += X[r];", None),
    ],
)
def test_TIR_10_a_reduction_starts_somewhere(statement: str, start: str | None) -> None:
    text = f"prim_func @f({HEAD}) {{ if C[()] {{ X[I[0]] = 0.0; }} {reduction(statement)} }}"
    (diagnostic,) = Report(prim_func(text)).diagnostics
    assert diagnostic.slug == "tir-reduce-without-init"
    if start is None:
        assert not diagnostic.fixes
        return
    (edit,) = diagnostic.fixes[0].edits
    assert edit.text == f"init {{ {start}; }} "
    assert Report(prim_func(text[: edit.pos] + edit.text + text[edit.end :])).diagnostics == []


@pytest.mark.parametrize(
    "statements",
    [
        reduction("Y[v] += X[r];", "init { Y[v] = 0.0; }"),
        reduction("Y[v] += X[r];", before="Y[0] = 0.0;"),
        reduction("Y[v] += X[r];", before="for i in 0..n { Y[i] = 0.0; }"),
        reduction("if r == 0 { Y[v] = 0.0; } Y[v] += X[r];"),
        reduction("Y[v] = X[r];"),
        reduction("Y[v] += X[r];", before='call_extern("fill", Y);'),
        "for i in 0..n { Y[i] += X[i]; }",
    ],
)
def test_TIR_10_reductions_with_a_start(statements: str) -> None:
    assert "tir-reduce-without-init" not in slugs(statements)


def test_TIR_10_a_reduction_into_an_alloc_is_told_as_such() -> None:
    assert slugs(f"{ALLOC} {reduction('T[v] += X[r];')} Y[0] = T[0];") == ["tir-reduce-without-init"]


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (ALLOC, "`T` is never used"),
        (f"{ALLOC} for i in 0..n {{ T[i] = X[i]; }}", "`T` is never read"),
        (f"{ALLOC} T[0] = 0.0; for i in 0..n {{ T[i] += X[i]; }}", "`T` is never read"),
    ],
)
def test_TIR_18_dead_allocations(statements: str, message: str) -> None:
    (diagnostic,) = found(statements)
    assert (diagnostic.slug, diagnostic.severity, diagnostic.message) == ("tir-dead-alloc", "hint", message)


def test_TIR_18_an_allocation_that_nothing_uses_is_taken_out() -> None:
    text = f"prim_func @f({HEAD}) {{ {USE} {ALLOC} }}"
    (diagnostic,) = Report(prim_func(text)).diagnostics
    (edit,) = diagnostic.fixes[0].edits
    assert text[edit.pos : edit.end] == ALLOC


def unused(params: str, body: str) -> list[str]:
    told = Report(prim_func(f"prim_func @f({params}) {{ {body} }}")).diagnostics
    assert {one.slug for one in told} <= {"tir-unused-buffer"}
    return [one.message for one in told]


F = "Buffer[(n,), float32]"


def test_TIR_20_unused_buffers() -> None:
    assert unused(f"X: {F}, W: {F}, Y: {F}", "for i in 0..n { Y[i] = X[i]; }") == ["buffer `W` is never used"]
    assert unused(f"X: {F}, Y: {F}", 'call_extern("f", X, Y);') == []
    assert unused(f"X: {F}, Y: {F}", "for i in 0..n { Y[i] += 1.0; }") == ["buffer `X` is never used"]
    assert unused(f"X: {F}, Y: {F}", "") == []


def test_TIR_1_a_buffer_that_gives_a_size_is_used() -> None:
    assert unused(f"X: {F}, Y: Buffer[(n * 2,), float32]", "Y[0] = 0.0;") == []
    assert unused(f"X: {F}, Y: Buffer[(), int64]", "Y[()] = n;") == []
    assert unused("X: Buffer[(n, m), float32], Y: Buffer[(n,), int64]", "for i in 0..n { Y[i] = m; }") == []
    assert unused(f"X: {F}, Y: {F}", "for i in 0..n { Y[i] = 0.0; }") == ["buffer `X` is never used"]


def test_Z_5_nothing_is_suspicious_beside_mistakes() -> None:
    assert slugs(f"{ALLOC} Y[0] = T[k];") == ["tir-undefined-variable"]


def test_TIR_20_a_question_whose_terms_get_too_many_is_left_open() -> None:
    func = prim_func(
        "prim_func @f(Z: Buffer[(n, 3), float32], Y: Buffer[(m, n), float32]) {"
        " for i in n - 9223372036854775807..m + 1 { Z[max(i - 1, 0), max(i - 1, 0)] ="
        " Z[max(i - 1, 0), 1] - Z[max(i - 1, 0), i // 2]; } }"
    )
    assert Report(func).unwritten_element(func.params[0]) is None


def test_TIR_15_a_race_whose_terms_get_too_many_is_left_open() -> None:
    func = prim_func(
        "prim_func @f(A: Buffer[(n, m), int32], Y: Buffer[(m, m + 1), int32], Z: Buffer[(n,), int32]) {"
        " for i in grid(m) { for parallel j in 9223372036854775807..i {"
        " Y[j // 2, i // 2] = A[min(j, n - 1), j // 2]; Z[min(j, n - 1)] = 1; } } }"
    )
    assert "race" not in " ".join([one.slug for one in Report(func).diagnostics])
