"""Loops, choices, buffers and axes as other notations write them: one message and a fix each. [Y.7]"""

from __future__ import annotations

from itertools import product

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE
from relax_lang.syntax.builders.foreign_prim_funcs.loop_ranges import counted_in_steps, difference
from tests.edits import edited

HEAD = (
    "prim_func @k(A: Buffer[(n, m), float32], B: Buffer[(m,), float32], "
    "C: Buffer[(n, m), float32], S: Buffer[(), float32]) { "
)


def mended(statements: str) -> tuple[str, bool]:
    """Apply the first fix of every error; return the statements, and whether all fixes are safe."""
    text = HEAD + statements + " }"
    found = [one for one in api.check(text).diagnostics if one.severity == ERROR]
    assert all(one.fixes for one in found), [one.message for one in found]
    edits = [edit for one in found for edit in one.fixes[0].edits]
    text = edited(text, edits)
    assert [one.message for one in api.check(text).diagnostics if one.severity == ERROR] == []
    is_safe = all(one.fixes[0].applicability == SAFE for one in found)
    return text.removeprefix(HEAD).removesuffix(" }"), is_safe


BODY = " { C[i, 0] = 1.0; }"
SUM = "{ init { C[v, 0] = 0.0; } C[v, 0] += A[v, w]; }"
BOTH = " { C[i, j] = 1.0; }"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (f"for (i, j) in grid(n, m){BOTH}", f"for i, j in grid(n, m){BOTH}"),
        (f"for i in 0..n, j in 0..m{BOTH}", f"for i, j in grid(n, m){BOTH}"),
        (f"for (int i = 0; i < n; i++){BODY}", f"for i in 0..n{BODY}"),
        (f"for (i = 0; i <= n - 1; ++i){BODY}", f"for i in 0..n{BODY}"),
        (f"for (int64_t i = 1; i < n - 1; i += 1){BODY}", f"for i in 1..n - 1{BODY}"),
        (
            f"for i in 0..n step 2{BODY}",
            "for i_step in 0..(n + 1) // 2 { let i = i_step * 2; C[i, 0] = 1.0; }",
        ),
        (
            f"for i in reversed(0..n){BODY}",
            "for i_step in 0..n { let i = n - 1 - i_step; C[i, 0] = 1.0; }",
        ),
        (
            f"for i in reversed(range(1, n)){BODY}",
            "for i_step in 0..n - 1 { let i = n - 1 - i_step; C[i, 0] = 1.0; }",
        ),
        (
            f"for i in range(1, n, 3){BODY}",
            "for i_step in 0..(n + 1) // 3 { let i = 1 + i_step * 3; C[i, 0] = 1.0; }",
        ),
        (
            f"for i in range(n - 1, -1, -1){BODY}",
            "for i_step in 0..n { let i = n - 1 - i_step; C[i, 0] = 1.0; }",
        ),
        ("S[] = max(S[], 1.0);", "S[()] = max(S[()], 1.0);"),
        ("C[0, 0]++;", "C[0, 0] += 1;"),
        ("C[0, 0]--;", "C[0, 0] -= 1;"),
        ("C[0, 0]--; S[()] = 1.0;", "C[0, 0] -= 1; S[()] = 1.0;"),
        ("C[0, 0]++; S[()] = 1.0;", "C[0, 0] += 1; S[()] = 1.0;"),
        ("const x = 1.0; S[()] = x;", "let x = 1.0; S[()] = x;"),
        ("alloc s: float32; s[()] = 1.0; S[()] = s[()];", "alloc s: Buffer[(), float32]; s[()] = 1.0; S[()] = s[()];"),
        ("alloc s: float32 = 1.0; S[()] = s[()];", "alloc s: Buffer[(), float32]; s[()] = 1.0; S[()] = s[()];"),
        (
            "alloc s: Buffer[(), float32] = 1.0; S[()] = s[()];",
            "alloc s: Buffer[(), float32]; s[()] = 1.0; S[()] = s[()];",
        ),
        ("block { S[()] = 1.0; }", "block b { S[()] = 1.0; }"),
        ("block (v = spatial(n - 1)) { C[v, 0] = 1.0; }", "block b (v = spatial(n - 1)) { C[v, 0] = 1.0; }"),
        (
            f'for i, j in grid(n, m) {{ block b (v, w = T.axis.remap("SR", [i, j])) {SUM} }}',
            f"for i, j in grid(n, m) {{ block b (v = spatial(i), w = reduce(j)) {SUM} }}",
        ),
        ("S[()] = A[0, 0] > 0 ? 1.0 : -1.0;", "S[()] = if_then_else(A[0, 0] > 0, 1.0, -1.0);"),
        ("S[] = S[] > 0.0 ? S[] : -1.0;", "S[()] = if_then_else(S[()] > 0.0, S[()], -1.0);"),
        ("S[()] = 2.0 * (n > 3 ? 1.0 : -1.0);", "S[()] = 2.0 * (if_then_else(n > 3, 1.0, -1.0));"),
        (
            "S[()] = n > 3 ? 1.0 : m > 3 ? 2.0 : 3.0;",
            "S[()] = if_then_else(n > 3, 1.0, if_then_else(m > 3, 2.0, 3.0));",
        ),
        ("S[()] = max(A[0, 0] if n > 3 else B[0], 0.0);", "S[()] = max(if_then_else(n > 3, A[0, 0], B[0]), 0.0);"),
        ("S[()] = A[0, 0] ** 2.0;", "S[()] = pow(A[0, 0], 2.0);"),
        ("S[()] = max(A[0, 0], B[0], 0.0);", "S[()] = max(max(A[0, 0], B[0]), 0.0);"),
    ],
)  # fmt: skip
def test_Y_7_other_notations_are_rewritten(written: str, meant: str) -> None:
    assert mended(written) == (meant, True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (f"for i = 0 to n{BODY}", f"for i in 0..n{BODY}"),  # where the end is reached, this is another loop
        (
            f"for i in range(0, n, m){BODY}",  # where `m` is negative, this is another loop
            "for i_step in 0..(n + m - 1) // m { let i = i_step * m; C[i, 0] = 1.0; }",
        ),
        (
            "for i in 0..n { block b (v = spatial(n, i)) { C[v, 0] = 1.0; } }",
            "for i in 0..n { block b (v = spatial(i, 0..n)) { C[v, 0] = 1.0; } }",
        ),
        (
            "for i in 0..n { block b (v = S(i)) { C[v, 0] = 1.0; } }",
            "for i in 0..n { block b (v = spatial(i)) { C[v, 0] = 1.0; } }",
        ),
        ("for i in 0..len(A) { C[i, 0] = 1.0; }", "for i in 0..n { C[i, 0] = 1.0; }"),
        ("S[0] = 1.0;", "S[()] = 1.0;"),
        (
            "let V: Buffer[(m,), float16] = A[0, 0..m]; S[()] = V[0];",
            "let V: Buffer[(m,), float32] = A[0, 0..m]; S[()] = V[0];",
        ),
    ],
)
def test_Y_7_what_may_mean_something_else_is_not_rewritten_unasked(written: str, meant: str) -> None:
    assert mended(written) == (meant, False)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (f"for i in 0..n, j in 1..m{BOTH}", "several variables run over a `grid`, which begins at 0"),
        (f"for (int i = 0; i < n; i += 2){BODY}", "a loop is written `for i in 0..n { … }`"),
        (f"for i in reversed(range()){BODY}", "a loop runs over `low..high` or `grid(n, m)`"),
        (f"for i in reversed(){BODY}", "a loop runs over `low..high` or `grid(n, m)`"),
        (f"for i in range(){BODY}", "a loop runs over `low..high` or `grid(n, m)`"),
        (f"for i in foo(n){BODY}", "a loop runs over `low..high` or `grid(n, m)`"),
        (
            "alloc T: Buffer[(n,), float32] = 0.0; S[()] = 1.0;",
            "an `alloc` has no value: its elements are stored to after it",
        ),
        ("let V = A[0, 0..m]; S[()] = V[0];", "a view has dimensions and a dtype"),
        ("let V: Buffer[(4,), float32] = A[0, :4]; S[()] = V[0];", "a range is written `low..high`"),
        ("S[()] = n > 3 ? 1.0;", "`?` does not belong to the language"),
    ],
)
def test_Y_7_without_a_form_that_is_surely_meant_there_is_one_message(written: str, message: str) -> None:
    found = [one for one in api.check(HEAD + written + " }").diagnostics if one.severity == ERROR]
    assert [one.message for one in found] == [message]
    assert found[0].fixes == []


@pytest.mark.parametrize("step", ["1", "2", "3", "-1", "-2", "", "m"])
def test_Y_7_loops_in_steps_have_the_same_values(step: str) -> None:
    bounds = product(
        ["0", "1", "n", "n - 1", "n + 2", "3"], ["n", "n - 1", "m", "-1", "0", "n // 2", "m - n"]
    )
    for (low, stop), n, m in product(bounds, range(6), range(1, 4)):
        variable, extent, value = counted_in_steps("", "i", low, stop, step)
        sizes = {"n": n, "m": m}
        first, last = eval(low, sizes), eval(stop, sizes)
        want = list(range(first, last, eval(step, sizes))) if step else list(range(first, last))[::-1]
        assert [eval(value, sizes | {variable: k}) for k in range(eval(extent, sizes))] == want, (low, stop)


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("n", "0", "n"),
        ("n - 1", "-1", "n"),
        ("n * -3", "1", "n * -3 - 1"),
        ("n << 2 - 1", "-1", "(n << 2 - 1) + 1"),
        ("n", "m + 1", "n - (m + 1)"),
        ("7", "2", "5"),
    ],
)
def test_Y_7_differences_of_bounds(left: str, right: str, text: str) -> None:
    assert difference(left, right) == text
