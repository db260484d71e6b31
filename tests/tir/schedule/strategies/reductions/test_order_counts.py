"""Counts of pairs that a comparison holds for: by sorting, with the counts of the interpreter. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked, prim_func

COUNTS = """
prim_func @counts(X: Buffer[(n,), DTYPE], Z: Buffer[(m,), DTYPE], R: Buffer[(n,), COUNT], Q: Buffer[(m,), COUNT]) {
  for i in 0..n {
    for j in 0..SIZE {
      STEP
    }
  }
}
"""


class Condition:
    """A random condition on values and places of two loops, the values of one array or of two."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"order {seed}")
        self.dtype = self.pick("float64", "float32", "int64", "uint8", "int8")
        self.array, size = self.pick(("X", "n"), ("X", "n"), ("Z", "m"))
        condition = self.condition(2)
        steps = [
            f"if {condition} {{ R[i] += 1; }}", f"if {condition} {{ R[i] -= 3; }}",
            f"R[i] += cast({condition}, COUNT);", f"R[i] = R[i] + select({condition}, 1, 0);",
        ]  # fmt: skip
        text = COUNTS.replace("STEP", self.pick(*steps)).replace("SIZE", size).replace("DTYPE", self.dtype)
        self.text = text.replace("COUNT", self.pick("int64", "int32", "int8"))

    def pick(self, *options):
        return self.random.choice(options)

    def condition(self, depth: int) -> str:
        kind = self.random.random()
        if depth and kind < 0.5:
            return f"({self.condition(depth - 1)} {self.pick('&&', '||')} {self.condition(depth - 1)})"
        if depth and kind < 0.55:
            return f"!({self.condition(depth - 1)})"
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        pairs = [(f"{self.array}[j]", "X[i]")] * 3 + [("j", "i"), ("X[i]", f"{self.array}[j]"), ("i", "j")]
        left, right = (
            self.pick(*pairs, ("X[i]", "X[i]")) if self.random.random() < 0.05 else self.pick(*pairs)
        )
        return f"{left} {op} {right}"

    def arguments(self, n: int, m: int) -> list[object]:
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        x, z = (rng.integers(0, self.pick(2, 5, 100), size).astype(self.dtype) for size in (n, m))
        if self.dtype.startswith("float"):
            for one in (x, z):
                some = rng.integers(0, 8, one.size)
                one[some == 0], one[some == 1], one[some == 2] = np.nan, -0.0, self.pick(np.inf, -np.inf, 0.0)
        count = (
            "int64" if "int64]," in self.text.split("R:")[1] else "int32" if "int32]" in self.text else "int8"
        )
        return [x, z, rng.integers(-3, 3, n).astype(count), np.zeros(m, count)]


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_TIR_21_random_conditions_are_counted(start: int) -> None:
    for seed in range(start, start + 50):
        condition = Condition(seed)
        func = prim_func(condition.text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            for n, m in ((0, 3), (3, 0), (1, 1), (9, 6), (40, 30)):
                assert_same_outcome(func, condition.arguments(n, m))


def test_random_conditions_are_worth_running() -> None:
    """Many are counted by sorting."""
    texts = [Condition(seed).text for seed in range(100)]
    assert sum("counts_by_order(" in compile_prim_func(prim_func(text)).source for text in texts) > 30


def test_TIR_21_ranks_are_one_sort() -> None:
    text = COUNTS.replace("DTYPE", "float64").replace("COUNT", "int64").replace("SIZE", "n")
    step = "if X[j] < X[i] || (X[j] == X[i] && j < i) { R[i] += 1; }"
    source = compile_prim_func(checked(text.replace("STEP", step))).source
    assert "counts_by_order(X, X, 0, 1, 0, 0, 0)" in source


def test_TIR_21_conditions_that_no_order_decides_are_compared() -> None:
    text = COUNTS.replace("DTYPE", "float64").replace("COUNT", "int64").replace("SIZE", "n")
    for condition in (
        "X[j] != X[i]",
        "!(X[j] < X[i])",
        "X[j] < X[i] && j < i",
        "X[j] < X[i] + 1.0 || X[j] == X[i]",
    ):
        func = checked(text.replace("STEP", f"if {condition} {{ R[i] += 1; }}"))
        assert "counts_by_order" not in compile_prim_func(func).source
        x = np.array([1.0, np.nan, 1.0, -0.0, 0.0, 3.0])
        assert_same_outcome(func, [x, x[:2].copy(), np.zeros(6, np.int64), np.zeros(2, np.int64)])


def test_TIR_21_counts_of_an_array_that_they_change_are_made_step_by_step() -> None:
    text = COUNTS.replace("DTYPE", "int64").replace("COUNT", "int64").replace("SIZE", "n")
    func = checked(text.replace("STEP", "if X[j] < X[i] { R[i] += 1; }"))
    x = np.array([3, 1, 2, 1, 0])
    assert_same_outcome(func, [x, x[:2].copy(), x, np.zeros(2, np.int64)])
    assert_same_outcome(func, [x[::-1], x[:2].copy(), x, np.zeros(2, np.int64)])
