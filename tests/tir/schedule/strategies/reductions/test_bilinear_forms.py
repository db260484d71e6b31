"""A sum of products of three matrices multiplies two of them first. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

FORM = """
prim_func @form(A: Buffer[(p, n), DTYPE], B: Buffer[(n, m), DTYPE], C: Buffer[(p, m), DTYPE], R: Buffer[SHAPE, DTYPE]) {
  for LOOPS {
    R[INDEX] += A[i, a] * B[a, b] * C[i, b];
  }
}
"""
KEPT = [
    ("(p,)", "i", "i, a, b in grid(p, n, m)"),
    ("()", "()", "i, a, b in grid(p, n, m)"),
    ("(m,)", "b", "b, i, a in grid(m, p, n)"),
    ("(m,)", "b", "i, b, a in grid(p, m, n)"),
    ("(n,)", "a", "i, b, a in grid(p, m, n)"),
    ("(p, m)", "i, b", "i, b, a in grid(p, m, n)"),
]


@pytest.mark.parametrize(("shape", "index", "loops"), KEPT, ids=[f"{one[1]}-{one[2]}" for one in KEPT])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "float16"])
def test_TIR_21_three_factors_mean_what_is_written(shape: str, index: str, loops: str, dtype: str) -> None:
    text = (
        FORM.replace("DTYPE", dtype).replace("SHAPE", shape).replace("INDEX", index).replace("LOOPS", loops)
    )
    func = checked(text)
    rng = np.random.default_rng(9)
    for p, n, m in ((0, 2, 2), (2, 0, 2), (2, 2, 0), (1, 1, 1), (5, 4, 3), (3, 6, 6)):
        a, b, c = [rng.integers(-3, 4, size).astype(dtype) for size in ((p, n), (n, m), (p, m))]
        r = rng.integers(-3, 4, eval(shape, {"p": p, "n": n, "m": m})).astype(dtype)
        assert_same_outcome(func, [a, b, c, r])
        if p == m == n:
            assert_same_outcome(func, [a, a, a, r])


def test_TIR_21_a_sum_that_a_factor_of_0_leaves_out_may_be_too_large() -> None:
    shape, index, loops = KEPT[0]
    text = (
        FORM.replace("DTYPE", "float64")
        .replace("SHAPE", shape)
        .replace("INDEX", index)
        .replace("LOOPS", loops)
    )
    func = checked(text)
    assert "matmul" in compile_prim_func(func).source.split("@np.errstate")[-1]
    a, b = np.full((2, 4), 1e200), np.full((4, 3), 1e108)
    c = np.array([[0.0, 0.0, 0.0], [1e-100, 0.0, 1.0]])
    assert_same_outcome(func, [a, b, c, np.zeros(2)], ulps=4)
    assert_same_outcome(func, [a * 0, b, c, np.zeros(2)], ulps=4)
    b[0, 0] = np.inf
    assert_same_outcome(func, [a, b, c, np.zeros(2)], ulps=4)
    c[0, 0] = np.nan
    assert_same_outcome(func, [a, b, c, np.zeros(2)], ulps=4)


@pytest.mark.parametrize("term", ["A[i, a] * (B[a, b] * C[i, b])", "(C[i, b] * B[a, b]) * A[i, a]"])
def test_TIR_21_terms_that_are_not_finite_are_multiplied_as_they_are_written(term: str) -> None:
    shape, index, loops = KEPT[0]
    text = FORM.replace("A[i, a] * B[a, b] * C[i, b]", term).replace("DTYPE", "float64")
    func = checked(text.replace("SHAPE", shape).replace("INDEX", index).replace("LOOPS", loops))
    a, b, c = np.full((2, 4), 1e200), np.full((4, 3), 1e200), np.full((2, 3), 1e-200)
    assert_same_outcome(func, [a, b, c, np.zeros(2)], ulps=4)
    assert_same_outcome(func, [a, b, a[:, :3], np.zeros(2)], ulps=4)


def test_TIR_21_blocks_of_rows_are_as_large_as_the_product_of_two_factors_needs() -> None:
    shape, index, loops = KEPT[0]
    text = FORM.replace("DTYPE", "float64").replace("SHAPE", shape)
    func = checked(text.replace("INDEX", index).replace("LOOPS", loops))
    code = compile_prim_func(func).source.split("@np.errstate")[-1]
    assert "min(p, max(128, 262144 // max(1, m)))" in code
    rng = np.random.default_rng(4)
    a, b, c = rng.random((300, 2)), rng.random((2, 2000)), rng.random((300, 2000))
    found, wanted = np.zeros(300), np.einsum("ia,ab,ib->i", a, b, c)
    compile_prim_func(func).run(a, b, c, found, sequential="numpy")
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    a[250], c[250, 7] = 1e200, 1e200
    compile_prim_func(func).run(a, b, c, found := np.zeros(300), sequential="numpy")
    assert found[250] == np.inf
    np.testing.assert_allclose(np.delete(found, 250), np.delete(wanted, 250), rtol=1e-12)
