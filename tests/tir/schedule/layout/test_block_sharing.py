"""Arrays of a block of rows: which are one, that others are not, and that nothing is lost. [TIR.21]"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.schedule.layout import block_sharing, tiling
from tests.tir.support import assert_same_outcome, cut_into_blocks, prim_func

CHAIN = """prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  alloc A: Buffer[(n, m), float32];
  alloc B: Buffer[(n, m), float32];
  for i, j in grid(n, m) { A[i, j] = exp(X[i, m - 1 - j]) * 2.0; }
  for i, j in grid(n, m) { B[i, j] = FIRST; }
  for i, j in grid(n, m) { Y[i, j] = exp(B[i, m - 1 - j]) * 0.5 + SECOND; }
}"""


def arrays(text: str) -> int:
    """Return how many arrays the compiled form of a PrimFunc makes."""
    return compile_prim_func(prim_func(text)).source.split("def f(")[1].count(" = empty(")


@pytest.mark.parametrize(
    ("first", "second", "made"),
    [
        ("exp(A[i, j]) - A[i, j]", "1.0", 1),  # the element in whose place it is stored
        ("exp(A[i, m - 1 - j])", "1.0", 2),  # another element, which may be overwritten by then
        ("exp(A[i, j]) + A[i, 0]", "1.0", 2),
        ("exp(A[i, j])", "A[i, j]", 2),  # it is read later
    ],
)
def test_TIR_21_an_array_takes_the_place_of_one_that_is_read_last_where_it_is_stored(
    first: str, second: str, made: int
) -> None:
    text = CHAIN.replace("FIRST", first).replace("SECOND", second)
    assert arrays(text) == made
    x = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    assert_same_outcome(prim_func(text), [x, np.zeros((5, 4), np.float32)], ulps=4)


def test_TIR_21_arrays_of_other_sizes_or_dtypes_keep_their_place() -> None:
    text = CHAIN.replace("FIRST", "exp(A[i, j])").replace("SECOND", "1.0")
    assert arrays(text) == 1
    assert arrays(text.replace("alloc B: Buffer[(n, m)", "alloc B: Buffer[(n, m + 1)")) == 2
    assert arrays(text.replace("alloc B: Buffer[(n, m), float32]", "alloc B: Buffer[(n, m), float64]")) == 2


def random_chain(seed: int) -> str:
    """Return a PrimFunc that computes through arrays of its own, row by row."""
    draw = random.Random(seed)
    names = [f"T{at}" for at in range(draw.randrange(2, 7))]
    wide = {name: draw.random() < 0.75 for name in names} | {"X": True, "Y": True}
    lines = [f"  alloc {name}: Buffer[(n, {'m' if wide[name] else '1'}), float32];" for name in names]
    ready = ["X"]
    for name in (*names, *draw.sample(names, draw.randrange(2)), "Y"):
        loads: list[str] = []
        for source in draw.choices(ready[-3:], k=draw.randrange(1, 3)):
            index = draw.choice(("j", "j", "j", "m - 1 - j", "0")) if wide[source] else "0"
            loads.append(f"{source}[i, {index if wide[name] or index == '0' else '0'}]")
        value = draw.choice(("{0}", "{0} * {0} - 1.0", "select({0} > 0.0, {0}, {1} * 0.5)", "{0} - {1}"))
        value = value.format(loads[0], loads[-1])
        if wide[name]:
            lines.append(f"  for i, j in grid(n, m) {{ {name}[i, j] = {value}; }}")
        else:
            lines.append(f"  for i in 0..n {{ {name}[i, 0] = 0.0; }}")
            inner = loads[0].replace(", 0]", ", k]") if wide[loads[0].split("[")[0]] else loads[0]
            lines.append(f"  for i, k in grid(n, m) {{ {name}[i, 0] += {inner} * 0.25; }}")
        ready.append(name)
    head = "prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {"
    return "\n".join([head, *lines, "}"])


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_TIR_21_random_chains_compute_the_same_in_shared_arrays(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared: list[int] = []

    def counting(*arguments: Any) -> Any:
        found = block_sharing.places(*arguments)
        shared.append(len(found))
        return found

    cut_into_blocks(monkeypatch, 4)
    monkeypatch.setattr(tiling, "places", counting)
    for seed in range(start, start + 40):
        func = prim_func(random_chain(seed))
        if any(found.severity == "error" for found in check_prim_func(func)):
            continue
        x = np.random.default_rng(seed).integers(-4, 5, (5, 3)).astype(np.float32)
        assert_same_outcome(func, [x, np.zeros((5, 3), np.float32)])
    assert sum(shared) > 10


def test_TIR_21_an_array_that_a_transposed_scan_copies_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_into_blocks(monkeypatch, 4)
    func = prim_func("""prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
      alloc A: Buffer[(n, m), float32];
      alloc B: Buffer[(n,), float32];
      for i, j in grid(n, m) { A[i, j] = select(X[i, j] > 0.0, X[i, j], X[i, j] * 0.5); }
      for i in 0..n { B[i] = 0.0; }
      for i, k in grid(n, m) { B[i] += A[i, k] * 0.25; }
      for i, j in grid(n, m) { A[i, j] = A[i, m - 1 - j] * 0.5; }
      for i, j in grid(n, m) { Y[i, j] = B[i] * B[i] - A[i, j]; }
    }""")
    x = np.random.default_rng(0).integers(-4, 5, (5, 3)).astype(np.float32)
    assert_same_outcome(func, [x, np.zeros((5, 3), np.float32)])
