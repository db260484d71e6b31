"""Planned calls on small arrays: the functions of NumPy that begin soonest, and the same values. [TIR.21] [O.4]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.codegen.calls.forms import Form
from relax_lang.tir.codegen.calls.planned_calls import PlannedCall
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.calls.test_planned import plan_of
from tests.tir.support import prim_func

PRODUCT = """prim_func @product(A: Buffer[({a}), {dtype}], B: Buffer[({b}), {dtype}], C: Buffer[({c}), {dtype}]) {{
  for i, j, k in grid({n}, {m}, {d}) {{
    block product (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {{
      init {{ C[vi, vj] = 0; }}
      C[vi, vj] += A[vi, vk] * B[vk, vj];
    }}
  }}
}}"""
SUMS = """prim_func @sums(X: Buffer[({rows}, m), {dtype}], Y: Buffer[({rows}, m), {dtype}]) {{
  alloc T: Buffer[({rows}, 1), {dtype}];
  for i, k in grid({rows}, m) {{
    block total (vi = spatial(i), vk = reduce(k)) {{
      init {{ T[vi, 0] = 0; }}
      T[vi, 0] += X[vi, vk];
    }}
  }}
  for i, j in grid({rows}, m) {{ Y[i, j] = X[i, j] * T[i, 0]; }}
}}"""


def text_of(text: str, *arrays: np.ndarray, certain: bool = False) -> str:
    """Return the function that runs planned calls, of which the last array is the result."""
    code = compile_prim_func(prim_func(text)).code
    assert code is not None
    return PlannedCall(code, 1, [one.shape for one in arrays], certain).module(Form()).own[0]


def agrees(text: str, *arrays: np.ndarray) -> None:
    """Hold a planned call of which the last array is the result against the interpreter."""
    func = prim_func(text)
    *inputs, result = arrays
    expected = result.copy()
    interpreter.run(func, (*inputs, expected))
    for certain in (False, True):
        plan = plan_of(func, arrays, 1, certain)
        assert plan is not None
        with np.errstate(all="ignore"):
            found = plan.run(*inputs)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def product(n: str, d: str, m: str, dtype: str) -> str:
    return PRODUCT.format(a=f"{n}, {d}", b=f"{d}, {m}", c=f"{n}, {m}", n=n, m=m, d=d, dtype=dtype)


def factors(n: int, d: int, m: int, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(n + d + m)
    a, b = [np.asarray(numbers.integers(-9, 9, shape), dtype) for shape in ((n, d), (d, m))]
    return a, b, np.zeros((n, m), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n", "d", "m"), [("1", "4", "5"), ("n", "4", "5"), ("n", "3", "2"), ("2", "1", "3")]
)
def test_TIR_21_a_product_of_two_matrices_is_a_dot_product(n: str, d: str, m: str, dtype: str) -> None:
    text = product(n, d, m, dtype)
    for size in (3, 1, 0) if n == "n" else (int(n),):
        arrays = factors(size, int(d), int(m), dtype)
        assert "A.dot(B)" in text_of(text, *arrays)
        agrees(text, *arrays)


@pytest.mark.parametrize(
    ("n", "d", "m", "dtype"),
    [
        ("1", "1", "3", "float32"),
        ("3", "1", "1", "float64"),
        ("n", "d", "4", "float32"),
        ("2", "3", "4", "float16"),
    ],
)
def test_TIR_21_a_matrix_of_one_element_is_multiplied_as_others_are(
    n: str, d: str, m: str, dtype: str
) -> None:
    text = product(n, d, m, dtype)
    size, depth = (1 if n == "n" else int(n)), (1 if d == "d" else int(d))
    a, b, c = factors(size, depth, int(m), dtype)
    assert ".dot(" not in text_of(text, a, b, c)
    a[0, 0] = np.inf
    b[0, 0] = 0
    agrees(text, a, b, c)


def test_TIR_21_shapes_that_are_certain_decide_about_products() -> None:
    arrays = factors(2, 3, 4, "float32")
    text = product("n", "d", "m", "float32")
    assert "A.dot(B)" in text_of(text, *arrays, certain=True)
    assert "np.matmul(A, B)" in text_of(text, *arrays)
    agrees(text, *arrays)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [0, 1, 7])
def test_TIR_21_sums_of_few_rows_are_taken_by_a_ufunc(dtype: str, columns: int) -> None:
    for rows, is_ufunc in ((4, True), (16, True), (17, False)):
        text = SUMS.format(rows=rows, dtype=dtype)
        x = np.random.default_rng(rows).integers(-9, 9, (rows, columns)).astype(dtype)
        made = text_of(text, x, np.zeros_like(x))
        assert ("np.add.reduce(" in made) == is_ufunc
        assert ("np.einsum(" in made) != is_ufunc
        assert "np.empty(" not in made  # operations make all arrays
        agrees(text, x, np.zeros_like(x))


def test_TIR_21_sums_of_long_rows_are_contractions() -> None:
    x = np.ones((4, 512), np.float32)
    assert "np.einsum(" in text_of(SUMS.format(rows=4, dtype="float32"), x, x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16"])
def test_TIR_21_a_number_in_an_array_stays_in_it(dtype: str) -> None:
    text = f"""prim_func @scaled(X: Buffer[(n,), {dtype}], F: Buffer[(), {dtype}], Y: Buffer[(n,), {dtype}]) {{
      for i in 0..n {{ Y[i] = X[i] * F[()]; }}
    }}"""
    x, factor = np.arange(5).astype(dtype), np.array(100, dtype)
    if dtype != "float16":
        assert "Y = X * F\n" in text_of(text, x, factor, x)
    agrees(text, x, factor, np.zeros_like(x))
