"""Tables of summed areas are running sums down the columns and along the rows. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.schedule import plan
from tests.tir.support import assert_same_outcome, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree

AREAS = {
    "plain": "for i, j in grid(n, m) { S[0, i + 1, j + 1] = X[i, j] + S[0, i, j + 1] + S[0, i + 1, j] - S[0, i, j]; }",
    "in another order": "for j, i in grid(m, n) {"
    " S[1, i + 1, j + 1] = S[1, i + 1, j] - S[1, i, j] + (S[1, i, j + 1] + X[i, j] * 2); }",
    "inside": "for i, j in grid(n - 1, m - 1) {"
    " S[0, i + 2, j + 2] = S[0, i + 1, j + 2] + (S[0, i + 2, j + 1] - (S[0, i + 1, j + 1] - X[i, j])); }",
    "less than before": "for i, j in grid(n, m) {"
    " S[0, i + 1, j + 1] = S[0, i, j + 1] + S[0, i + 1, j] - X[i, j] + X[n - 1 - i, j] - S[0, i, j]; }",
    "backwards": "for i, j in grid(n, m) { S[0, n - 1 - i, j + 1] ="
    " X[i, j] + S[0, n - i, j + 1] + S[0, n - 1 - i, j] - S[0, n - i, j]; }",
    "along one dimension": "for i, j in grid(n, m) {"
    " S[0, i + 1, j + 1] = X[i, 0] + S[0, i, j + 1] + S[0, i + 1, j] - S[0, i, j]; }",
    "by a number": "for i, j in grid(n, m) { S[0, i + 1, j + 1] = S[0, i, j + 1] + 1 + S[0, i + 1, j] - S[0, i, j]; }",
    "of several": "for b, i, j in grid(2, n, m) {"
    " S[b, i + 1, j + 1] = X[i, j] + S[b, i, j + 1] + S[b, i + 1, j] - S[b, i, j]; }",
    "of planes": "for i, j in grid(1, m) { for b in 0..n {"
    " S[i + 1, b, j + 1] = X[b, j] + S[i, b, j + 1] + S[i + 1, b, j] - S[i, b, j]; } }",
}
OTHERS = {
    "added": "for i, j in grid(n, m) { S[0, i + 1, j + 1] = X[i, j] + S[0, i, j + 1] + S[0, i + 1, j] + S[0, i, j]; }",
    "two of one": "for i, j in grid(n, m) {"
    " S[0, i + 1, j + 1] = X[i, j] + S[0, i, j + 1] + S[0, i, j + 1] - S[0, i, j]; }",
    "one further": "for i, j in grid(n - 1, m) {"
    " S[0, i + 2, j + 1] = X[i, j] + S[0, i, j + 1] + S[0, i + 2, j] - S[0, i, j]; }",
    "of itself": "for i, j in grid(n, m) { S[0, i + 1, j + 1] ="
    " X[i, j] * S[0, i, j] + S[0, i, j + 1] + S[0, i + 1, j] - S[0, i, j]; }",
    "under a condition": "for i, j in grid(n, m) { if X[i, j] > 3 {"
    " S[0, i + 1, j + 1] = X[i, j] + S[0, i, j + 1] + S[0, i + 1, j] - S[0, i, j]; } }",
}


def program(body: str, dtype: str) -> tree.PrimFunc:
    buffers = f"X: Buffer[(n, m), {dtype}], S: Buffer[(2, n + 1, m + 1), {dtype}]"
    return checked(f"prim_func @f({buffers}) {{ {body} }}")


def arguments(dtype: str, n: int, m: int, edges: float = 9) -> list[np.ndarray]:
    random = np.random.default_rng(n + m)
    low = 0 if dtype.startswith("u") else -9
    table = random.integers(low, 9, (2, n + 1, m + 1)) * edges
    return [random.integers(low, 9, (n, m)).astype(dtype), table.astype(dtype)]


def strategies(func: tree.PrimFunc) -> set[str]:
    return {remark.strategy for remark in compile_prim_func(func).remarks}


@pytest.mark.parametrize("name", AREAS)
def test_areas_are_summed_up(name: str) -> None:
    func = program(AREAS[name], "int64")
    assert strategies(func) == {plan.SUMMED_AREA}
    for n, m in ((4, 6), (1, 1), (6, 1), (1, 6), (0, 4), (4, 0), (3, 520)):
        assert_same_outcome(func, [*arguments("int64", n, m)])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float32", "float64"])
def test_integers_wrap_around_and_floats_are_summed_up(dtype: str) -> None:
    func = program(AREAS["plain"].replace("X[i, j]", "X[i, j] * X[i, j]"), dtype)
    for n, m in ((5, 7), (9, 3), (2, 515)):
        assert_same_outcome(func, [*arguments(dtype, n, m)], ulps=16)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, -0.0])
@pytest.mark.parametrize("at", [(0, 0), (0, 3), (3, 0), (0, 6), (5, 0), (2, 2), (5, 6)])
def test_what_is_not_finite_is_subtracted(value: float, at: tuple[int, int]) -> None:
    func = program(AREAS["plain"], "float32")
    x, table = arguments("float32", 5, 6)
    table[0][at] = value
    assert_same_outcome(func, [x, table], ulps=16)
    if all(at):
        x, table = arguments("float32", 5, 6)
        x[at[0] - 1, at[1] - 1] = value
        assert_same_outcome(func, [x, table], ulps=16)


@pytest.mark.parametrize("name", OTHERS)
def test_other_sums_are_none(name: str) -> None:
    func = program(OTHERS[name], "int64")
    assert plan.SUMMED_AREA not in strategies(func)
    assert_same_outcome(func, [*arguments("int64", 4, 5)])


def test_arrays_that_share_memory_are_read_as_they_are_stored() -> None:
    memory = np.arange(60).reshape(2, 5, 6)
    assert_same_outcome(program(AREAS["plain"], "int64"), [memory[0, 1:, 1:], memory])
