"""Rows of large arrays on several threads: the same values, failures and arrays afterwards. [TIR.15] [TIR.21]"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest

from relax_lang.tir.calls import row_threads
from relax_lang.tir.codegen.passes.effects import PRODUCTS
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.options import threads
from relax_lang.tir.options.threads import Threads
from relax_lang.tir.runtime_library import FUNCTIONS, products
from relax_lang.values import RunFailure
from tests.tir.support import prim_func

SEEDS = 10_000 if os.environ.get("RELAX_NIGHTLY") else 120
ROWS, COLUMNS, TABLE = 7, 4, 5


@pytest.fixture(autouse=True)
def divided(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Divide calls of any size; return how many parts those had that were divided."""
    counts: list[int] = []
    at_once = row_threads.at_once

    def counted(parts: Any) -> list[BaseException]:
        counts.append(len(parts))
        return at_once(parts)

    monkeypatch.setattr(threads, "_WORTH", 0)
    monkeypatch.setattr(row_threads, "at_once", counted)
    return counts


def random_prim_func(seed: int) -> str:
    """Return a PrimFunc that computes rows from rows; some mix them, and some may fail."""
    draw = random.Random(seed)
    row = "i" if draw.random() < 0.93 else "(i + 1) % n"
    loads = [
        f"X[{row}, j]", f"X[{row}, (j + 1) % m]", "Z[i, j]", "B[j]", "B[max(j - 1, 0)]", "T[I[i]]", "2.0",
        "Z[i, m - 1 - j]", "cast(12 // I[i], float32)",
    ]  # fmt: skip

    def value() -> str:
        text = draw.choice(loads)
        for _ in range(draw.randint(0, 2)):
            other = draw.choice(loads)
            text = draw.choice([f"({text} + {other})", f"({text} * {other})", f"max({text}, {other})"])
        return text

    statements: list[str] = []
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(["for parallel i in 0..n { for j in 0..m {", "for i, j in grid(n, m) {"])
        ends = "} }" if "parallel" in kind else "}"
        match draw.randint(0, 4):
            case 0 | 1:
                statements.append(f"{kind} Y[i, j] = {value()}; {ends}")
            case 2:
                statements.append(f"{kind} Z[i, j] {draw.choice(['=', '+='])} {value()}; {ends}")
            case 3:
                statements.append(f"for i in 0..n {{ S[i] = 0.0; for j in 0..m {{ S[i] += {value()}; }} }}")
            case _:
                statements.append(f"{kind} if Z[i, j] > 0.0 {{ Y[i, j] = {value()}; }} {ends}")
    body = "\n  ".join(statements)
    return f"""prim_func @rows(
  X: Buffer[(n, m), float32], B: Buffer[(m,), float32], T: Buffer[(t,), float32], I: Buffer[(n,), int64],
  Z: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], S: Buffer[(n,), float32],
) {{
  {body}
}}"""


def random_arrays(seed: int, rows: int = ROWS) -> list[np.ndarray]:
    """Return arguments; at times two are one, overlap, or make a row fail."""
    draw = np.random.default_rng(seed)
    x, z, y = [draw.integers(-3, 4, (rows, COLUMNS)).astype(np.float32) for _ in range(3)]
    index = draw.integers(1, TABLE, rows)
    if rows and seed % 5 == 0:
        index[draw.integers(rows)] = draw.choice([TABLE, 0, -1])
    if seed % 7 == 0:
        z = x
    elif seed % 7 == 1:
        whole = draw.integers(-3, 4, (rows + 1, COLUMNS)).astype(np.float32)
        x, y = whole[1:], whole[:-1]
    elif seed % 7 == 2:
        y = np.asfortranarray(y)
    return [
        x,
        np.ones(COLUMNS, np.float32),
        np.arange(TABLE, dtype=np.float32),
        index,
        z,
        y,
        np.zeros(rows, np.float32),
    ]


def outcome(run: Any, arrays: list[np.ndarray]) -> str:
    """Return what a run leaves in arrays, and how it fails."""
    try:
        with np.errstate(all="ignore"):
            run(*arrays)
        said = ""
    except RunFailure as failure:
        said = str(failure)
    return f"{said} {[(array + 0).tolist() for array in arrays]}"  # of zeros the sign is open


@pytest.mark.parametrize("first", range(0, SEEDS, 20))
def test_TIR_21_random_rows(divided: list[int], first: int) -> None:
    for seed in range(first, first + 20):
        func = prim_func(random_prim_func(seed))
        compiled = compile_prim_func(func)
        rows = (ROWS, 0, 1, 2)[seed % 4 if seed % 3 == 0 else 0]

        def interpreted(*arrays: np.ndarray, func: Any = func) -> None:
            interpreter.run(func, arrays)

        def on_threads(*arrays: np.ndarray, compiled: Any = compiled) -> None:
            compiled.run(*arrays, threads=Threads(3))

        def prepared(*arrays: np.ndarray, compiled: Any = compiled) -> None:
            compiled.prepared(threads=Threads(3))(*arrays)

        wanted = outcome(interpreted, random_arrays(seed, rows))
        assert outcome(on_threads, random_arrays(seed, rows)) == wanted, f"seed {seed}"
        assert outcome(prepared, random_arrays(seed, rows)) == wanted, f"seed {seed}"
    assert len(divided) > 4


ADDED = """prim_func @added(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for parallel i in 0..n { for j in 0..m { Y[i, j] += X[i, j]; } }
}"""


def test_rows_are_divided_evenly(divided: list[int]) -> None:
    compiled = compile_prim_func(prim_func(ADDED))
    x, y = np.ones((10, 3), np.float32), np.zeros((10, 3), np.float32)
    compiled.run(x, y, threads=Threads(4))
    assert divided == [4]
    assert y.tolist() == x.tolist()
    compiled.run(x[:2], y[:2], threads=Threads(4))
    assert divided == [4, 2]
    compiled.run(x[:1], y[:1], threads=Threads(4))
    compiled.run(x, y, threads=Threads(1))
    assert divided == [4, 2]


def test_small_calls_are_not_divided(divided: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    compiled = compile_prim_func(prim_func(ADDED))
    x = np.ones((10, 3), np.float32)
    compiled.run(x, np.zeros_like(x), threads=Threads())
    assert not divided
    x = np.ones((1 << 10, 1 << 10), np.float32)
    compiled.run(x, np.zeros_like(x), threads=Threads())
    assert divided == [2]


def test_what_other_parts_stored_is_put_back(divided: list[int]) -> None:
    text = """prim_func @picked(T: Buffer[(t,), float32], I: Buffer[(n,), int64], Y: Buffer[(n,), float32]) {
      for parallel i in 0..n { Y[i] += T[I[i]]; }
    }"""
    compiled = compile_prim_func(prim_func(text))
    table, y = np.arange(3, dtype=np.float32), np.zeros(6, np.float32)
    index = np.array([1, 1, 1, 1, 9, 1])
    with pytest.raises(RunFailure):
        compiled.run(table, index, y, threads=Threads(3))
    assert divided == [3]
    assert y.tolist() == [1, 1, 1, 1, 0, 0]  # as the interpreter leaves it: nothing after the row that failed


MIXED = {
    "rows of others": "for i in 0..n { Y[i] = X[(i + 1) % n]; }",
    "a sum of all rows": "for i in 0..n { Y[0] += X[i]; }",
    "what a row stored": "for i in 0..n - 1 { Y[i + 1] = Y[i] + X[i]; }",
}


@pytest.mark.parametrize("body", MIXED.values(), ids=MIXED.keys())
def test_rows_that_are_not_apart_are_not_divided(divided: list[int], body: str) -> None:
    func = prim_func(f"prim_func @mixed(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{ {body} }}")
    x, y, other = np.arange(6, dtype=np.float32), np.zeros(6, np.float32), np.zeros(6, np.float32)
    compile_prim_func(func).run(x, y, threads=Threads(3))
    interpreter.run(func, (x, other))
    assert y.tolist() == other.tolist()
    assert not divided


def test_products_of_matrices_are_not_divided(divided: list[int]) -> None:
    text = """prim_func @product(A: Buffer[(n, k), float32], B: Buffer[(k, m), float32], C: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) { C[i, j] = 0.0; for l in 0..k { C[i, j] += A[i, l] * B[l, j]; } }
    }"""
    a, c = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    compile_prim_func(prim_func(text)).run(a, a, c, threads=Threads(2))
    assert c.tolist() == (a @ a).tolist()
    assert not divided


def test_products_are_functions_of_the_library() -> None:
    assert {name for name in FUNCTIONS if name in vars(products)} >= PRODUCTS


def test_where_no_thread_starts_parts_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(row_threads.Thread, "start", refused)
    x, y = np.ones((10, 3), np.float32), np.zeros((10, 3), np.float32)
    compile_prim_func(prim_func(ADDED)).run(x, y, threads=Threads(4))
    assert y.tolist() == x.tolist()


def test_no_call_has_any_number_of_threads() -> None:
    assert Threads(1 << 40).count == 256
