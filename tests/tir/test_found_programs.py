"""Programs on which compiled form, interpreter and reference once differed, as small as they get. [TIR.21]"""

from __future__ import annotations

import math

import numpy as np
import pytest

from relax_lang.tir.runtime_library import guards
from tests.tir.random_programs.test_random_programs import difference
from tests.tir.reference.interpreter import Array

PARAMS = "A: Buffer[(n,), int64], B: Buffer[(n,), int64], X: Buffer[(m, n), int64], k: int64"
SIZES = ((3, 2), (1, 1), (0, 2), (4, 0), (5, 3))

FOUND = {
    "literals are cast to a float": "for i in 0..n { B[i] = cast(cast(7 / 2, float64) * 10.0, int64); }",
    "literals are cast to an integer": "for i in 0..n { B[i] = cast(7 / 2, int64) + cast(cast(300, uint8), int64); }",
    "steps of a short loop in a short loop": "for a in 0..2 { for b in 0..m { for c in 0..b + 1 {"
    " if c > a && m > 0 { B[c // 2 % n] -= 2; } } } }",
    "stores in a short loop in a short loop": "for a in 0..2 { for b in 0..m { for c in 0..b + 1 {"
    " if c > a && n > 0 { B[c // 2 % n] = a * 10 + c; } } } }",
    "a product as divisor": "if n > 0 { B[n % (n * 3) - n + n // 2] += 6; }",
    "a product as divisor of a product": "for i in 0..n { B[i] = n * 7 // (n * 2) + n * 7 % (m * 2 + 1); }",
    "a product of sizes wraps": "for i in 0..n { if n * 9223372036854775807 + 5 < 0 { B[i] = 7; } }",
    "a sum of sizes wraps": "if n > 1 { B[(n * 6364136223846793005 + 1442695040888963407) % 7 % n] = 1; }",
    "a size that wraps is stored": "if n > 0 { B[0] = n * 9223372036854775807; }",
    "a scalar that wraps is stored": "if n > 0 { B[0] = k * 9223372036854775807 * k * k * k * k * 12345678912345; }",
    "a condition of nothing": "if A[n] > 0 { }",
    "the `where` of nothing": "block b (v = spatial(0)) where A[n - 1] > 0 { }",
    "a condition of nothing under one that fails": "for i in 0..n { if A[n // i] > 0 { if A[i] > 0 { } } }",
    "a condition of nothing in a block whose `where` fails": "for i in 0..n { block b (v = opaque(i))"
    " where A[(n + v) // v % n] > 0 { if B[v % n] > 0 { let w = n; } } }",
    "an assertion under a condition that fails": 'for i in 0..n { if A[n // i] > 0 { assert n > 0, "none"; } }',
    "an axis that is not used": "for i in 0..n { block b (v = spatial(n // i)) { B[i] = 1; } }",
    "an axis that reads and is not used": "for i in 0..n { block b (v = spatial(A[i + 1])) { B[i] = 1; } }",
    "an always-false `&&`": "for i in 0..n { if A[i + 1] > 0 && false { B[i] = 1; } }",
    "an always-false part before": "for i in 0..n { if false && A[i + 1] > 0 { B[i] = 1; } }",
    "a `select` with a constant condition": "for i in 0..n { B[i] = select(true, A[i], A[i + 1]); }",
    "a `select` of a false comparison": "for i in 0..n { B[i] = select(1 < 0, A[i + 1], n // i); }",
    "bounds that read, with an axis that is not used": "for i in A[0]..n { block b (v = scan(0), w = scan(i)) {"
    " if B[0] - B[0] < 1 { X[0, 0] -= 0 % i; B[0] = 0; } } }",
    "bounds that read": "for i in 0..A[n - 1] { }",
    "bounds that divide": "for i in 0..n { for j in 0..n // i { } }",
    "`init` in a triangle with `where`": "for i in 0..n { for j in 0..i + 1 { block b (v = spatial(i), r = reduce(j))"
    " where r > 0 { init { B[v] = 3; } B[v] += A[r]; } } }",
    "`init` with `where` on a quotient": "for w, q in grid(n, 4) { block b (v = spatial(w), r = reduce(q))"
    " where r < 3 // (v + 1) { init { B[v] = 3; } B[v] += r; } }",
    "equal branches in place": "for i in 0..n { B[i] += ~if_then_else(A[i] > 1, B[i], B[i]); }",
    "equal inner branches": "for i in 0..n { B[i] -= ~if_then_else(A[i] > 1, B[i], select(A[i] < 0, B[i], B[i])); }",
    "equal branches after a condition that fails": "alloc T: Buffer[(n,), int32]; for i in 0..n {"
    " T[i] = if_then_else(B[i] < 9, select(A[i + 1] > 2, cast(i, int32), cast(i, int32)), 3); }",
    "equal branches after a condition that fails everywhere": "alloc T: Buffer[(n,), int32]; for i in 0..n {"
    " T[i] = select(A[max(i - 1, 0) + 1] > 2, cast(i, int32), cast(i, int32)); }",
    "a condition on sizes after one that fails": "for i in 0..n { if A[i + 1] > 0 && k == 1 { B[0] -= 1; } }",
    "`false` after a condition that fails": "for i in 0..n { if A[A[i]] > 0 && m == 1 && false { B[i % 2] -= m; } }",
    "`where` with a condition on sizes after one that fails": "for i in 0..n { block b (v = scan(i))"
    " where X[m, v] > 0 && k == 1 { B[0] += 1; } }",
    "a rounded bound": "let c = cast(ceil(cast(n, float64) / 2.0), int64); for i in 0..c { if i < n { B[i] = i; } }",
    "half of a rounded bound": "let c = cast(ceil(cast(n, float64)), int64); for i in 0..c // 2 { B[i] = c % 3; }",
    "a rounded bound under a condition": "for i in 0..m { let c = cast(ceil(cast(n, float64) / cast(i + 1, float64)),"
    " int64); for j in 0..c { if j < n && i > 0 { B[j] += c; } } }",
    "a `let` after one that fails in a branch": "if n > 2 { let a = A[n]; } let b = A[n] + 1;",
    "a `let` after one that fails in a loop": "for i in 1..n { let a = A[n] // 3; } let b = A[n] // 3;",
    "a `let` of a choice, then of its branch": "let a = if_then_else(n > 2, 5, A[n]); let b = A[n] + a;",
    "a `select` of numbers": "alloc S: Buffer[(), int32]; S[()] = cast(k + 3, int32);"
    " S[()] = select(k < 3, 1, 5 // S[()]); if n > 0 { B[0] = cast(S[()], int64); }",
    "a `select` of numbers in an intrinsic": "alloc S: Buffer[(), int32]; S[()] = cast(k + 3, int32);"
    " S[()] *= abs(select(true, 1, 5 % S[()])); if n > 0 { B[0] = cast(S[()], int64); }",
    "a `while` without loops around it": "alloc W: Buffer[(), int64]; W[()] = 0; while W[()] < 2 { for i in 1..n {"
    " block b (r = reduce(if_then_else(k > 0, B[max(min(i, n - 1), 0)], B[max(min(i, n - 1), 0)])))"
    " { init { B[0] = n; } B[0] += r + 2; } } W[()] += 1; }",
    "a `while` of one lane that stores to one element": "alloc W: Buffer[(n, 1), int64]; for i, j in grid(n, 1) {"
    " W[i, j] = 0; while W[i, j] < 3 { W[i, j] += 1; B[0] += W[i, j]; } B[0] = B[0] * 2; }",
    "a `let` after one in a `while`": "while B[0] > 99 { let a = A[n]; B[0] = 0; } let b = A[n];",
}


def arguments(n: int, m: int) -> dict:
    """Return arguments for the parameters of these programs."""
    values = [1, 2, -1, 0, 3, 1, 4, 2, 0, 1, 5, 3, 2, 1, 0]
    return {
        "A": Array((n,), "int64", values[:n]),
        "B": Array((n,), "int64", values[5 : 5 + n]),
        "X": Array((m, n), "int64", values[: m * n]),
        "k": -3,
    }


@pytest.mark.parametrize("statements", FOUND.values(), ids=FOUND)
def test_TIR_21_found_programs_mean_one_thing(statements):
    for sizes in SIZES:
        assert not difference(f"prim_func @f({PARAMS}) {{ {statements} }}", arguments(*sizes))


BUFFERS = (
    "A: Buffer[(n,), int32], X: Buffer[(n, m), int32], "
    "Y: Buffer[(n * 2, n, 2), int32], W: Buffer[(n + 1, n, 2), int32]"
)
WHOLE = {
    "a choice in a loop that never runs": "for i, j in grid(min(n, 0), n) { if if_then_else(n > i, true, 5 > Y[i // 2,"
    " j, max(i - 1, 0)]) { Y[min(j, n * 2 - 1), n - 1 - j, max(j - 1, 0)] -= A[i // 2]; } }",
    "an iteration that makes an index too long": "for i in grid(3) { for j in 0..0 { for p in 0..3 { for q in 0..j {"
    " W[1 % 3, q // 2, 0] = 1; } } } } for i, j in grid(n, min(n, n - 1)) { if n <= j * 9223372036854775807 {"
    " for p in -1..n { A[4611686018427387904] = max(popcount(W[p // 2, 1442695040888963407, 0]), 1); } } }",
    "a proof by cases whose terms get too many": "alloc K: Buffer[(), int64]; alloc Z: Buffer[(), int32]; Z[()] = 3;"
    " while K[()] < 2 { W[4611686018427387904 % n, (min(2, m) - ~2147483648) % n, m << 2 >> 0] = 1; }"
    " for i in 0..m { for j in grid(n + 1) { Z[()] *= W[min(i, n + 1 - 1), min(j, n - 1), n] / 4; } }",
}


@pytest.mark.parametrize("statements", WHOLE.values(), ids=WHOLE)
def test_TIR_21_found_programs_with_buffers_of_their_own(statements):
    for n, m in ((0, 0), (0, 2), (1, 0)):
        shapes = {"A": (n,), "X": (n, m), "Y": (n * 2, n, 2), "W": (n + 1, n, 2)}
        values = {name: Array(shape, "int32", [1] * math.prod(shape)) for name, shape in shapes.items()}
        assert not difference(f"prim_func @f({BUFFERS}) {{ {statements} }}", values)


def test_a_divisor_may_be_a_number() -> None:
    assert guards.nonzero(3) == 3
    for zero in (0, np.int64(0), np.array([1, 0])):
        with pytest.raises(guards.NotVectorized):
            guards.nonzero(zero)
