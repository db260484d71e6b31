"""Statements of one loop that add to one array at places that data choose run one after the other. [TIR.21]"""

from __future__ import annotations

import copy
import os
import random

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.values import RunFailure
from tests.tir.fields.kernels import KERNELS
from tests.tir.support import prim_func

PLACES = ("I[i]", "J[i]", "i", "n - 1 - i", "0", "I[J[i]]", "(i + 1) % n")
OPERATIONS = (("+=", "-="), ("*=",), ("+=", "-=", "*="), ("+=", "="))


def program(seed: int) -> tuple[str, str]:
    """Return a loop with two or three updates of one array, and its dtype."""
    pick = random.Random(seed)
    dtype = pick.choice(["int64", "int32", "uint8", "float64"])
    operations = pick.choice(OPERATIONS)
    statements: list[str] = []
    for _ in range(pick.choice([2, 2, 3])):
        value = pick.choice(["X[i]", f"cast(1, {dtype})", "X[I[i]]", "X[i]", "Y[i]"])
        statement = f"Y[{pick.choice(PLACES)}] {pick.choice(operations)} {value};"
        statements.append(f"if I[i] > 2 {{ {statement} }}" if pick.random() < 0.25 else statement)
    if pick.random() < 0.3:
        statements.append("Z[i] = Y[J[i]];")
    params = ", ".join([
        "I: Buffer[(n,), int64]", "J: Buffer[(n,), int64]", *[f"{name}: Buffer[(n,), {dtype}]" for name in "XYZ"],
    ])  # fmt: skip
    return f"prim_func @f({params}) {{ for i in 0..n {{ {' '.join(statements)} }} }}", dtype


def outcome(run, args: list[np.ndarray]) -> tuple[str, list[list[float]]]:
    """Return the failure of a call, and what its arrays hold then."""
    given = copy.deepcopy(args)
    try:
        run(given)
        failure = ""
    except RunFailure as error:
        failure = f"{error.slug}: {error.message}"
    return failure, [one.tolist() for one in given]


@pytest.mark.parametrize("first", range(0, 5000 if os.environ.get("RELAX_NIGHTLY") else 80, 20))
def test_TIR_21_random_updates_of_one_array(first):
    for seed in range(first, first + 20):
        text, dtype = program(seed)
        func = prim_func(text)
        compiled = compile_prim_func(func)
        for size in (0, 1, 2, 7):
            numbers = np.random.default_rng(seed * 10 + size)
            places = [numbers.integers(0, max(size, 1), size) for _ in "IJ"]
            args = [
                *places,
                *[numbers.integers(1, 4, size).astype(dtype) for _ in "XY"],
                np.zeros(size, dtype),
            ]
            wanted = outcome(lambda given, func=func: interpreter.run(func, given), args)
            found = outcome(lambda given, run=compiled.run: run(*given, sequential="numpy"), args)
            assert found == wanted, text


def strategies(text: str) -> list[str]:
    """Return how the statements of a program run."""
    return [remark.strategy for remark in compile_prim_func(prim_func(text)).remarks]


def test_counts_of_both_ends_of_edges_are_two_scatters():
    assert [remark.strategy for remark in compile_prim_func(KERNELS["degrees"]).remarks] == [
        "scatter",
        "scatter",
    ]


UPDATES = "prim_func @f(I: Buffer[(n, 2), int64], Y: Buffer[(m,), DTYPE]) { for i in 0..n { FIRST SECOND } }"


@pytest.mark.parametrize(
    ("dtype", "first", "second"),
    [
        ("float32", "Y[I[i, 0]] += 1.0;", "Y[I[i, 1]] *= 2.0;"),  # the order of a sum and a product matters
        ("float32", "Y[I[i, 0]] += 1.0;", "Y[I[i, 1]] = 2.0;"),
        ("float32", "Y[I[i, 0]] += 1.0;", "Y[I[i, 1]] += Y[0];"),  # it reads what others store
        ("float16", "Y[I[i, 0]] += 1.0;", "Y[I[i, 1]] += 2.0;"),  # it is rounded at each store
    ],
)
def test_updates_whose_order_matters_stay_in_a_loop(dtype, first, second):
    text = UPDATES.replace("DTYPE", dtype).replace("FIRST", first).replace("SECOND", second)
    assert "loop" in strategies(text)
