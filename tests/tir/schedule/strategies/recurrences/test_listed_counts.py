"""Statements around a count that grows by one number run over the list of the iterations in which it grows. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

PARAMS = (
    "X: Buffer[(n, m), float32], M: Buffer[(n,), bool], Q: Buffer[(n, m), bool], I: Buffer[(n,), int64], "
    "Y: Buffer[(k,), float32], Z: Buffer[(k, m), float32], P: Buffer[(k,), int64], C: Buffer[(2,), int64]"
)
ROWS = "for i in 0..n { if M[i] { Z[C[0], 0] = X[i, 0]; C[0] += 1; } }"


class Counts:
    """One random program with a count, in one loop or two, under conditions or none; `text()` and `arguments()`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"counts {seed}")
        self.numbers = np.random.default_rng(seed)
        self.loops = self.random.choice([["i"], ["i"], ["i", "j"]])
        self.inner = len(self.loops) == 1 and self.random.random() < 0.3
        self.count = self.random.choice(["C[0]", "C[0]", "C[1]"])

    def condition(self) -> str:
        one = [
            "M[i]",
            "!M[i]",
            "i % 2 == 1",
            "i > 0 && I[i] != I[i - 1]",
            "i == 0 || I[i] != I[max(i - 1, 0)]",
        ]
        two = ["Q[i, j]", "j > 0 && X[i, j] > 0.5", "X[i, j] > 0.3 && M[i]", "i == j || Q[i, j]", "P[j] > 1"]
        outside = ["X[i, I[i]] > 0.5", "I[i] >= 0 && M[I[i]]"]
        return self.random.choice(one + outside if len(self.loops) == 1 else one + two)

    def statement(self) -> str:
        at = self.random.choice(["C", "C", "C + 1", "C * 2", "k - 1 - C"]).replace("C", self.count)
        j = "j" if len(self.loops) == 2 or self.inner else "0"
        value = self.random.choice(
            [f"X[i, {j}]", "cast(i, float32)", f"X[i, {j}] * 2.0", f"cast({self.count}, float32)"]
        )
        stores = [f"Y[{at}] = {value};", f"Z[{at}, {j}] = {value};", f"Y[{at}] += {value};"]
        stores += [f"P[{at}] = i;", f"P[i % k] = {self.count};", f"P[{at}] = I[i];"]
        if self.inner:
            return f"for j in 0..m {{ {self.random.choice(stores[1:3])} }}"
        store = self.random.choice(stores)
        return f"if X[i, {j}] > 0.2 {{ {store} }}" if self.random.random() < 0.2 else store

    def text(self) -> str:
        step = self.random.choice(["+= 1", "+= 1", "+= 1", "+= 2", "-= 1", f"= {self.count} + 1"])
        body = [self.statement() for _ in range(self.random.choice([1, 1, 2]))]
        body.insert(self.random.randint(0, len(body)), f"{self.count} {step};")
        lines = " ".join(body)
        if self.random.random() < 0.85:
            lines = f"if {self.condition()} {{ {lines} }}"
        head = "for i in 0..n" if len(self.loops) == 1 else "for i, j in grid(n, m)"
        text = f"{head} {{ {lines} }}"
        if self.random.random() < 0.15:
            text = f"for t in 0..2 {{ {text} }}"
        return f"prim_func @f({PARAMS}) {{ {text} }}"

    def arguments(self) -> list[object]:
        n, m = self.random.choice([0, 1, 2, 5, 9]), self.random.choice([0, 1, 2, 4])
        k = self.random.choice([1, 3, n, 2 * n * max(m, 1) + 3, 60])
        draw = self.numbers
        start = self.random.choice([0, 0, 0, 1, k // 2, -1, k])
        return [
            draw.integers(0, 8, (n, m)).astype(np.float32) / 8,
            draw.random(n) < 0.6,
            draw.random((n, m)) < 0.5,
            draw.integers(0, 3, n),
            draw.integers(0, 8, k).astype(np.float32),
            draw.integers(0, 8, (k, m)).astype(np.float32),
            draw.integers(0, 3, k),
            np.array([start, self.random.choice([0, start])]),
        ]


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_TIR_21_random_counts_mean_what_is_written(first: int) -> None:
    for seed in range(first, first + 50):
        drawn = Counts(seed)
        func = checked(drawn.text())
        for _ in range(3):
            assert_same_outcome(func, drawn.arguments(), ulps=0)


@pytest.mark.parametrize(
    ("body", "slice_"),
    [
        ("for i in 0..n { if M[i] { Y[C[0]] = X[i, 0]; C[0] += 1; } }", "Y[at"),
        ("for i in 0..n { if M[i] { C[0] += 1; Y[C[0] - 1] = X[i, 0]; } }", "Y[at"),
        ("for i, j in grid(n, m) { if Q[i, j] { P[C[0]] = i; Y[C[0]] = X[i, j]; C[0] += 1; } }", "P[at"),
        ("for i in 0..n { if M[i] { for j in 0..m { Z[C[0], j] = X[i, j]; } C[0] += 1; } }", "Z[at"),
        ("for i in 0..n { Y[C[0]] = X[i, 0]; C[0] += 1; }", "Y[at"),
    ],
)
def test_TIR_21_stores_at_a_count_are_slices(body: str, slice_: str) -> None:
    func = checked(f"prim_func @f({PARAMS}) {{ {body} }}")
    compiled = compile_prim_func(func)
    code = compiled.source.split("@np.errstate")[-1]
    assert not compiled.stays_sequential
    assert slice_ in code
    assert not any(slower in code for slower in ("accumulate", "running", "scatter"))
    rng = np.random.default_rng(5)
    for n, m, k, start in (
        (0, 2, 3, 0),
        (4, 2, 20, 0),
        (4, 3, 20, 5),
        (5, 2, 2, 0),
        (3, 2, 9, -1),
        (3, 2, 0, 0),
    ):
        x, mask = rng.random((n, m), np.float32), rng.random(n) < 0.5
        y, z = rng.random(k, np.float32), rng.random((k, m), np.float32)
        args = [
            x,
            mask,
            rng.random((n, m)) < 0.5,
            np.arange(n),
            y,
            z,
            np.zeros(k, np.int64),
            np.array([start, 7]),
        ]
        assert_same_outcome(func, args, ulps=0)


def test_TIR_21_a_condition_that_reads_what_is_stored_is_not_listed_first() -> None:
    func = checked(
        "prim_func @f(Y: Buffer[(n,), int64], C: Buffer[(1,), int64]) "
        "{ for i in 0..n { if Y[i] > 0 { Y[C[0]] = 0; C[0] += 1; } } }"
    )
    for start in (0, 1, 2):
        assert_same_outcome(func, [np.array([1, 1, 1, 0, 1, 1]), np.array([start])])


@pytest.mark.parametrize(
    "value",
    [
        "i == 0 || X[i] != X[i - 1]",
        "i > 0 && X[i] != X[i - 1]",
        "X[i] > 1 || i >= n - 1",
        "X[i] > 1 && i != 2",
        "!(i == 0 || X[i] != X[max(i - 1, 0)])",
        "X[X[i]] > 1 && i > 1",
        "i > 1 && X[X[i]] > 1",
        "i == 1 || (i > 2 && X[i] > 0)",
        "if_then_else(2 <= i && X[i] > 1, X[i - 2] > 0, i == 3)",
        "!(i >= 2 && X[i] > 1) && X[i] != 5",
        "X[n - 1 - i] > 1 && !(i < 2 && X[i] > 0)",
    ],
)
def test_TIR_13_logical_operators_whose_one_side_is_about_loops_split_them(value: str) -> None:
    func = checked(
        f"prim_func @f(X: Buffer[(n,), int64], B: Buffer[(n,), bool]) {{ for i in 0..n {{ B[i] = {value}; }} }}"
    )
    rng = np.random.default_rng(6)
    if "X[X" not in value and not value.endswith("i == 3)"):
        assert "arange" not in compile_prim_func(func).source.split("@np.errstate")[-1]
    for n in (0, 1, 2, 3, 7):
        for high in (1, 3, 9):
            assert_same_outcome(func, [rng.integers(0, high, n), np.zeros(n, bool)])
