"""Steps that read a row and a column which they leave as they are: one operation where they do. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked, prim_func

DTYPES = ("int64", "int32", "int8", "uint8", "float64", "float32", "bool")
PATHS = "prim_func @f(A: Buffer[(n, n), DTYPE]) {{ for k, i, j in grid(n, n, n) {{ A[i, j] = {value}; }} }}"


class Steps:
    """A random nest that combines each element with two that lie in one row and one column."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"unchanged {seed}")
        self.dtype = self.pick(*DTYPES)
        place = self.pick("k", "k", "k", "k", "k + 1", "0", "n - 1 - k")
        other = place if self.random.random() < 0.8 else self.pick("k", "k + 1")
        reads = [f"A[i, {place}]", f"A[{other}, j]"]
        if self.random.random() < 0.3:
            reads.reverse()
        if self.random.random() < 0.1:
            reads[1] = self.pick("A[k, k]", "A[j, i]", "A[i, j]", "A[i, j - 1]")
        parts = ["A[i, j]", self.combined(self.inner(), reads)]
        if self.random.random() < 0.3:
            parts.reverse()
        store = f"A[i, j] = {self.combined(self.outer(), parts)};"
        rows, columns = (
            self.pick("0..n", "0..n", "0..m", "1..n"),
            self.pick("0..n", "0..n", "1..m", "2..n - 1"),
        )
        loops = [f"for i in {rows} {{", f"for j in {columns} {{"]
        if self.random.random() < 0.2:
            loops.reverse()
        self.text = (
            f"prim_func @f(A: Buffer[(n, {self.pick('n', 'n', 'n', 'm')}), {self.dtype}], x: Buffer[(m,), int64])"
            f" {{ for k in 0..{self.pick('n', 'n - 1', 'm')} {{ {' '.join(loops)} {store} }} }} }} }}"
        )

    def pick(self, *options):
        return self.random.choice(options)

    def outer(self) -> str:
        return (
            self.pick("||", "&&") if self.dtype == "bool" else self.pick("min", "min", "max", "max", "|", "&")
        )

    def inner(self) -> str:
        if self.dtype == "bool":
            return self.pick("||", "&&")
        bits = () if self.dtype.startswith("float") else ("|", "&")
        return self.pick("+", "+", "+", "min", "max", "-", "*", *bits)

    @staticmethod
    def combined(op: str, parts: list[str]) -> str:
        return f"{op}({', '.join(parts)})" if op.isalpha() else f"({parts[0]} {op} {parts[1]})"

    def arguments(self, n: int, m: int) -> list[object]:
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        columns = m if "(n, m)" in self.text else n
        if self.dtype == "bool":
            return [rng.random((n, columns)) < 0.5, np.zeros(m, np.int64)]
        signed = not self.dtype.startswith("u")
        values = rng.integers(-3 if signed and rng.random() < 0.5 else 0, 20, (n, columns)).astype(self.dtype)
        if self.dtype.startswith("float"):
            special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e30]
        else:
            limits = np.iinfo(self.dtype)
            special = [limits.max, limits.max - 5, limits.min, limits.min + 3, 0, 1]
        some = rng.random((n, columns)) < self.pick(0.0, 0.02, 0.3)
        values[some] = rng.choice(
            np.array(self.pick(special, special[:1], special[2:3]), self.dtype), int(some.sum())
        )
        return [values, np.zeros(m, np.int64)]


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_TIR_21_random_steps_leave_what_the_interpreter_leaves(start: int) -> None:
    for seed in range(start, start + 50):
        steps = Steps(seed)
        func = prim_func(steps.text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            for n, m in ((0, 2), (1, 1), (3, 3), (5, 6), (7, 6), (6, 7)):
                assert_same_outcome(func, steps.arguments(n, m))


def test_random_steps_are_worth_running() -> None:
    """Some run at once always, some where an element says so, and others are cut."""
    funcs = [prim_func(Steps(seed).text) for seed in range(120)]
    right = [func for func in funcs if not any(one.severity == "error" for one in check_prim_func(func))]
    sources = [compile_prim_func(func).source for func in right]
    assert sum("stays" in source for source in sources) > 5
    assert sum("stays" not in source and "scratch = np.empty((n, " in source for source in sources) > 5


@pytest.mark.parametrize(
    ("dtype", "value", "tested"),
    [
        ("int32", "min(A[i, j], A[i, k] + A[k, j])", True),
        ("int64", "max(A[k, j] + A[i, k], A[i, j])", True),
        ("float64", "min(A[i, j], A[i, k] + A[k, j])", True),
        ("float32", "max(A[i, j], min(A[i, k], A[k, j]))", True),
        ("int64", "max(A[i, j], min(A[i, k], A[k, j]))", False),
        ("uint8", "A[i, j] | (A[i, k] & A[k, j])", False),
        ("bool", "A[i, j] || (A[i, k] && A[k, j])", False),
    ],
)
def test_TIR_21_a_step_is_one_operation(dtype: str, value: str, tested: bool) -> None:
    source = compile_prim_func(checked(PATHS.format(value=value).replace("DTYPE", dtype))).source
    assert ("stays" in source) == tested
    assert "for k" in source
    assert source.count("[:, k][:, None]") == 1


@pytest.mark.parametrize(
    "value",
    [
        "min(A[i, j], A[i, k] * A[k, j])",
        "min(A[i, j], A[i, k] - A[k, j])",
        "A[i, j] + (A[i, k] & A[k, j])",
        "max(A[i, j], max(A[i, k], A[k, j]))",
    ],
)
def test_TIR_21_other_steps_are_cut(value: str) -> None:
    func = checked(PATHS.format(value=value).replace("DTYPE", "int64"))
    assert "stays" not in compile_prim_func(func).source
    assert_same_outcome(func, [np.random.default_rng(3).integers(-4, 9, (6, 6))])


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8", "uint8"])
def test_TIR_21_sums_that_wrap_around_are_cut(dtype: str) -> None:
    """What is not negative makes no path shorter, unless a sum wraps around."""
    func = checked(PATHS.format(value="min(A[i, j], A[i, k] + A[k, j])").replace("DTYPE", dtype))
    limits = np.iinfo(dtype)
    for diagonal in (0, 1, 5, limits.max, limits.min):
        for top in (7, limits.max, limits.max - 4):
            values = np.arange(36).reshape(6, 6).astype(dtype)
            values[1, 3] = values[4, 0] = top
            np.fill_diagonal(values, np.array(diagonal, dtype))
            assert_same_outcome(func, [values])


@pytest.mark.parametrize("value", ["min(A[i, j], A[i, k] + A[k, j])", "min(A[i, k] + A[k, j], A[i, j])"])
@pytest.mark.parametrize("diagonal", [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
def test_TIR_21_special_floats_on_the_diagonal(value: str, diagonal: float) -> None:
    func = checked(PATHS.format(value=value).replace("DTYPE", "float64"))
    values = np.random.default_rng(5).integers(-2, 5, (6, 6)).astype(float)
    values[0, 2], values[3, 1], values[2, 2] = -np.inf, np.inf, np.nan
    np.fill_diagonal(values, diagonal)
    assert_same_outcome(func, [values])
