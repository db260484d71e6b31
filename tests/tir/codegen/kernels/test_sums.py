"""How far a sum of floats may be from the exact one, whatever order its terms are added in. [TIR.21]"""

from __future__ import annotations

from math import fsum

import ml_dtypes
import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import checked

PARAMS = "X: Buffer[(n, m), {0}], Z: Buffer[(m,), {0}], V: Buffer[(n,), {0}]"
ROUNDING = {"float32": 2.0**-24, "float64": 2.0**-53, "float16": 2.0**-24, "bfloat16": 2.0**-24}
"""The unit roundoff of what sums are added up in."""
STORED = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
SUMS = {
    "V[i] += X[i, j];": lambda x, z: x,
    "V[i] += X[i, j] * Z[j];": lambda x, z: x * z,
    "V[i] += X[i, j] * X[i, j];": lambda x, z: x * x,
    "V[i] += X[i, j] * Z[j] * X[i, j];": lambda x, z: x * z * x,
    "V[i] -= X[i, j] * Z[j];": lambda x, z: -(x * z),
    "V[i] += X[i, j] / 3.0;": lambda x, z: x / x.dtype.type(3),
    "V[i] += X[i, j] * 0.375;": lambda x, z: x * x.dtype.type(0.375),
    "V[i] += X[i, j] / cast(m, {0});": lambda x, z: x / x.dtype.type(len(z)),
    "if X[i, j] > Z[j] {{ V[i] += X[i, j]; }}": lambda x, z: np.where(x > z, x, 0),
    "if j > 2 {{ V[i] += X[i, j]; }}": lambda x, z: np.where(np.arange(len(z)) > 2, x, 0),
}


def _numbers(seed: int, dtype: str, *shape: int) -> np.ndarray:
    """Return numbers of very different sizes, many of which nearly cancel each other."""
    numbers = np.random.default_rng(seed)
    values = numbers.standard_normal(shape) * 10.0 ** numbers.integers(
        0, 1 if dtype == "float16" else 3, shape
    )
    half = shape[-1] // 2
    values[..., half : 2 * half] = -values[..., :half] * (1 + 1e-5 * numbers.standard_normal(half))
    return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


@pytest.mark.parametrize("m", [1, 2, 7, 64, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("statement", SUMS)
@pytest.mark.parametrize("loops", ["i, j in grid(n, m)", "j, i in grid(m, n)"])
def test_TIR_21_sums_are_as_near_as_the_language_says(loops: str, statement: str, dtype: str, m: int) -> None:
    """Terms are computed as the program says, then added exactly; what comes out is compared with that."""
    text = f"for i in 0..n {{ V[i] = 0.0; }} for {loops} {{ {statement.format(dtype)} }}"
    func = checked(f"prim_func @f({PARAMS.format(dtype)}) {{ {text} }}")
    x, z = _numbers(m, dtype, 5, m), _numbers(m + 1, dtype, m)
    v = np.ones(5, x.dtype)
    compiled = compile_prim_func(func)
    assert compiled.vectorized
    compiled.run(x, z, v)
    operations = statement.count("*") + statement.count("/")
    wide = np.float32 if dtype in STORED else x.dtype
    terms = SUMS[statement](x.astype(wide), z.astype(wide))
    for row, found in zip(terms.astype(np.float64), v, strict=True):
        exact, size = fsum(row), fsum(np.abs(row))
        allowed = (m + 1 + 2 * operations) * ROUNDING[dtype] * size
        allowed += STORED.get(dtype, 0.0) * (abs(exact) + allowed)
        assert abs(float(found) - exact) <= allowed, compiled.source


COLUMNS = {
    "(X[i, j] - V[i]) * (X[i, j] - V[i])": lambda x, v: (x - v) * (x - v),
    "(X[i, j] - V[i]) * X[i, j]": lambda x, v: (x - v) * x,
    "max(X[i, j], V[i])": np.maximum,
    "(X[i, j] - V[i]) / cast(n, {0})": lambda x, v: (x - v) / x.dtype.type(len(v)),
}


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (1, 1), (9, 4), (300, 70)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("term", COLUMNS)
def test_TIR_21_sums_of_columns_are_taken_in_the_order_of_memory(
    term: str, dtype: str, n: int, m: int
) -> None:
    text = f"for j, i in grid(m, n) {{ Z[j] += {term.format(dtype)}; }}"
    func = checked(f"prim_func @f({PARAMS.format(dtype)}) {{ {text} }}")
    compiled = compile_prim_func(func)
    assert "X.T" not in compiled.source
    x, v = (np.random.default_rng(n).standard_normal(size).astype(dtype) for size in ((n, m), (n,)))
    terms = COLUMNS[term](x, v[:, None]).astype(np.float64)
    for begin in (0.0, 2.5):
        z = np.full(m, begin, dtype)
        compiled.run(x, z, v)
        for column, found in zip(terms.T, z, strict=True):
            size = fsum(np.abs(column)) + begin
            assert abs(float(found) - begin - fsum(column)) <= (n + 4) * ROUNDING[dtype] * size
