"""What NumPy 2.4 stores wrong where results do not lie next to each other is computed in another way. [TIR.21]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

COLUMNS = (2, 3, 4, 8)
ROWS = (1, 2, 5, 17, 40)


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint32", "float16", "float32", "float64"]
)
def test_negated_columns(dtype: str) -> None:
    matrix = f"Buffer[(n, m), {dtype}]"
    func = prim_func(f"""prim_func @f(X: {matrix}, Y: {matrix}, Z: {matrix}) {{
  for i in 0..n {{
    Y[i, 0] = -X[i, m - 1];
    Y[i, 1] = -Y[i, 1];
    Z[i, 1] = -(X[i, 0] + X[i, 1]);
  }}
}}""")
    for columns in COLUMNS:
        for rows in ROWS:
            assert_same_outcome(func, arrays(dtype, 3, rows, columns))


@pytest.mark.parametrize("test", ["isnan", "isinf", "isfinite"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_columns_of_tests(test: str, dtype: str) -> None:
    func = prim_func(f"""prim_func @f(X: Buffer[(n, m), {dtype}], Y: Buffer[(n, m), bool]) {{
  for i in 0..n {{ Y[i, 1] = {test}(X[i, 0]); Y[i, 0] = !{test}(X[i, m - 1]); }}
}}""")
    for columns in COLUMNS:
        for rows in ROWS:
            (values,) = arrays(dtype, 1, rows, columns)
            values.reshape(-1)[::3] = np.inf
            values.reshape(-1)[1::5] = np.nan
            assert_same_outcome(func, [values, np.zeros((rows, columns), np.bool_)])


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_arguments_whose_elements_are_apart(dtype: str) -> None:
    func = prim_func(f"""prim_func @f(X: Buffer[(n,), {dtype}], Y: Buffer[(n,), {dtype}]) {{
  for i in 0..n {{ Y[i] = -X[i]; }}
}}""")
    for columns in COLUMNS:
        x, y = arrays(dtype, 2, 40, columns)
        compile_prim_func(func).run(x[:, 0], y[:, 1])
        assert (y[:, 1] == -x[:, 0]).all()


def arrays(dtype: str, count: int, rows: int, columns: int) -> list[Any]:
    rng = np.random.default_rng(rows * columns)
    return [rng.integers(0, 90, (rows, columns)).astype(dtype) for _ in range(count)]
