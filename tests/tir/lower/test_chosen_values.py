"""Branches that store different values to one element are one store, where neither value may fail. [TIR.15]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

HEAD = """
prim_func @choose(C: Buffer[(n,), int64], X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
"""
MERGED = {
    "apart": "if C[i] > 2 { Y[i] = X[i] * 2.0; } else { Y[i] = -X[i]; }",
    "own element": "if C[i] > 2 { Y[i] = Y[i] + X[i]; } else { Y[i] = Y[i] * 0.5; }",
    "its own condition": "if Y[i] > 1.0 { Y[i] = X[i]; } else { Y[i] = Y[i] + 1.0; }",
    "a condition that may fail": "if X[C[i]] > 0.5 { Y[i] = X[i]; } else { Y[i] = 0.0; }",
    "a division that may fail": "if C[i] / C[n - 1 - i] > 0 { Y[i] = X[i]; } else { Y[i] = 0.0; }",
    "an index that data choose": "if C[i] < n && C[i] >= 0 { Y[i] = X[C[i]]; } else { Y[i] = 0.0; }",
    "an index that fails": "if C[i] >= 0 { Y[i] = X[C[i]] * Y[i]; } else { Y[i] = X[C[i] + 2]; }",
    "an index that the condition reads": "if X[C[i]] > 0.5 { Y[i] = X[C[i]] * 2.0; } else { Y[i] = -X[C[i]]; }",
    "an index of one": "if X[C[C[i]]] > 0.5 { Y[i] = X[C[C[i]]]; } else { Y[i] = cast(C[C[i]], float32); }",
    "an index of one alone": "if X[C[C[i]]] > 0.5 { Y[i] = X[C[i]]; } else { Y[i] = 0.0; }",
    "an index that is computed": "let k = C[i] * 2 - C[n - 1 - i];"
    " if k >= 0 && k + 1 < n { Y[i] = X[k] + X[k + 1]; } else { Y[i] = cast(k, float32); }",
    "an index that is a fraction": "let k: int64 = cast(X[i] * 3.0, int64);"
    " if k >= 0 && k < n { Y[i] = X[k] - cast(k, float32); } else { Y[i] = -1.0; }",
    "an index that is computed and fails": "let k = C[i] + C[n - 1 - i] / 2;"
    " if k < n { Y[i] = X[k] * 0.5; } else { Y[i] = cast(k / 3, float32); }",
    "one place": "if C[i] > 2 { Y[n - 1 - i] = X[i]; } else { Y[n - 1 - i] = 1.0; }",
}
APART = {
    "an index that a condition may read": "if C[i] > 2 && X[C[i]] > 0.5 { Y[i] = X[C[i]]; } else { Y[i] = 0.0; }",
    "an index of an index": "if C[i] < n && C[i] >= 0 { Y[i] = X[C[C[i]]]; } else { Y[i] = 0.0; }",
    "an index of a quotient": "if C[i] != 0 && 4 / C[i] < n { Y[i] = X[4 / C[i]]; } else { Y[i] = 0.0; }",
    "an index beyond the end": "if C[i] > 2 { Y[i] = X[i + 1]; } else { Y[i] = 0.0; }",
    "a divisor that may be 0": "if C[i] != 0 { Y[i] = cast(9 / C[i], float32); } else { Y[i] = 0.0; }",
    "a sum": "if C[i] > 2 { Y[i] += X[i]; } else { Y[i] = 0.0; }",
    "two places": "if C[i] > 2 { Y[i] = X[i]; } else { Y[n - 1 - i] = 0.0; }",
    "more than a store": "if C[i] > 2 { Y[i] = X[i]; Y[i] += 1.0; } else { Y[i] = 0.0; }",
    "no other branch": "if C[i] > 2 { Y[i] = X[i]; }",
}


def function(body: str):
    """Return a prim_func with an `if` in its loop."""
    return checked(f"{HEAD}{body}\n  }}\n}}")


def argument_lists():
    """Return arguments: good ones, bad indices, divisors that are 0, nan."""
    rng = np.random.default_rng(18)
    for n in (0, 1, 2, 7):
        for low, high in ((0, max(n, 1)), (-2, n + 3), (1, 9)):
            x = rng.normal(size=n).astype(np.float32)
            x[rng.random(n) < 0.2] = np.nan
            yield [rng.integers(low, high, n), x, rng.normal(size=n).astype(np.float32)]


@pytest.mark.parametrize("name", [*MERGED, *APART])
def test_TIR_15_branches_that_store_to_one_element(name):
    func = function({**MERGED, **APART}[name])
    for args in argument_lists():
        assert_same_outcome(func, args)
    code = compile_prim_func(func).code
    if name in MERGED:
        assert code is not None
        assert len([remark for remark in compile_prim_func(func).remarks if remark.strategy]) == 1


def test_TIR_15_a_recurrence_through_both_branches():
    text = """
    prim_func @common(A: Buffer[(n,), int32], B: Buffer[(m,), int32], L: Buffer[(n + 1, m + 1), int32]) {
      for i, j in grid(n, m) {
        if A[i] == B[j] {
          L[i + 1, j + 1] = L[i, j] + 1;
        } else {
          L[i + 1, j + 1] = max(L[i, j + 1], L[i + 1, j]);
        }
      }
    }
    """
    func = checked(text)
    rng = np.random.default_rng(4)
    for n, m in ((0, 3), (1, 1), (6, 4), (5, 9)):
        table = rng.integers(0, 3, (n + 1, m + 1)).astype(np.int32)
        a, b = rng.integers(0, 3, n).astype(np.int32), rng.integers(0, 3, m).astype(np.int32)
        assert_same_outcome(func, [a, b, table])
    assert "store_where" not in compile_prim_func(func).source


SUMS = {
    "padded": ("if C[i, k] >= 0 { Y[i] += V[i, k] * X[C[i, k]]; }", True),
    "subtracted": ("if C[i, k] >= 0 && C[i, k] < m { Y[i] -= X[C[i, k]]; }", True),
    "the greatest": ("if V[i, k] > 0.0 { Y[i] = max(Y[i], X[C[i, k]]); }", True),
    "under two conditions": ("if C[i, k] >= 0 { if V[i, k] < 1.0 { Y[i] += X[C[i, k]]; } }", True),
    "divided": ("if C[i, k] != 0 { Y[i] += cast(7 / C[i, k], float64); }", False),
    "beyond the end": ("if C[i, k] >= 0 { Y[i] += V[i, k + 1]; }", False),
    "through another index": ("if C[i, k] >= 0 { Y[i] += X[C[C[i, k], 0]]; }", False),
}


@pytest.mark.parametrize("name", SUMS)
def test_TIR_21_terms_under_conditions_are_computed_where_these_do_not_hold(name):
    body, everywhere = SUMS[name]
    params = "C: Buffer[(n, w), int64], V: Buffer[(n, w), float64], X: Buffer[(m,), float64], Y: Buffer[(n,), float64]"
    func = checked(f"prim_func @sums({params}) {{ for i, k in grid(n, w) {{ {body} }} }}")
    rng = np.random.default_rng(7)
    for n, w, m in ((0, 2, 3), (2, 0, 3), (3, 2, 0), (1, 1, 1), (4, 3, 5)):
        for low, high in ((0, max(m, 1)), (-2, max(m, 1)), (-9, 0), (-2, m + 2)):
            v, x = rng.normal(size=(n, w)), rng.normal(size=m)
            x[: m // 3] = np.inf
            args = [rng.integers(low, high, (n, w)), v, x, rng.normal(size=n)]
            assert_same_outcome(func, args, ulps=4)
    assert ("np.nonzero(" in compile_prim_func(func).source) != everywhere


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("an index that the condition reads", False),
        ("an index of one", False),
        ("an index of one alone", False),
        ("an index that data choose", True),
    ],
)
def test_indices_at_which_the_condition_reads_are_not_chosen(name: str, chosen: bool) -> None:
    """An index that is outside is so in the condition, too, unless that is evaluated in parts."""
    source = compile_prim_func(function(MERGED[name])).source
    assert ("np.int64(0)" in source.split("@np.errstate")[-1]) is chosen


@pytest.mark.parametrize(
    "body",
    [
        "if X[C[i, j]] > 1 { Y[i] += Z[C[i, j]]; }",
        "if C[i, j] >= 0 { if X[C[i, j]] > 1 { Y[i] += Z[C[i, j]]; } }",
        "if C[i, j] >= 0 && X[C[i, j]] > 1 { Y[i] += Z[C[i, j]]; }",
    ],
)
def test_TIR_15_sums_of_what_the_condition_reads(body: str) -> None:
    params = (
        "C: Buffer[(n, m), int64], X: Buffer[(k,), int64], Z: Buffer[(k,), int64], Y: Buffer[(n,), int64]"
    )
    func = checked(f"prim_func @add({params}) {{ for i in 0..n {{ for j in 0..m {{ {body} }} }} }}")
    rng = np.random.default_rng(4)
    for low, high in ((0, 5), (0, 6), (-2, 5)):
        x, z = rng.integers(0, 4, (2, 5))
        assert_same_outcome(func, [rng.integers(low, high, (4, 9)), x, z, np.zeros(4, np.int64)])
