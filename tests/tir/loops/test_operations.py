"""How many operations over arrays a call takes, and what that decides: NumPy where each is large. [TIR.14]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.arith.evaluate import evaluate
from relax_lang.syntax import tree
from relax_lang.tir.compile import Compiled, compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.kept_code import KeptCode
from relax_lang.tir.loops import choice
from relax_lang.tir.loops.native import is_installed
from relax_lang.tir.loops.steps import estimated_operations
from tests.tir.support import prim_func

HEAD = "prim_func @f(A: Buffer[(n, n), float64], B: Buffer[(n, n), float64], S: Buffer[(n,), float64])"
WHOLE = (
    f"{HEAD} {{ for k in 1..n {{ S[k] = S[k - 1] * 0.5 + A[k, k]; "
    "for i, j in grid(n, n) { B[i, j] = B[i, j] * 0.5 + A[i, k] * S[k]; } } }"
)
ROWS = f"{HEAD} {{ for i in 0..n {{ for j in 0..i {{ S[i] -= A[i, j] * S[j]; }} S[i] = S[i] / (1.0 + B[i, i]); }} }}"
HALVES = (
    f"{HEAD} {{ for k in 0..n {{ for l in 0..k {{ S[l] = S[max(l - 1, 0)] * 0.5; "
    "for j in 0..n { B[l, j] = B[l, j] + S[l]; } } } }"
)
ANY = (
    "prim_func @f(S: Buffer[(n,), float64], k: Buffer[(), int64]) "
    "{ let m = k[()]; for i in 1..m { S[i] = S[i - 1] * S[i - 1]; } }"
)


@pytest.mark.parametrize(
    ("text", "sizes", "count"),
    [
        (WHOLE, {"n": 100}, 2 * 99),
        (WHOLE, {"n": 0}, 0),
        (ROWS, {"n": 10}, 20),
        (HALVES, {"n": 10}, 10 * (1 + 5)),  # the inner loop is counted for the middle of the outer one
    ],
)
def test_operations_are_counted(text: str, sizes: dict[str, int], count: int) -> None:
    operations = compile_prim_func(prim_func(text)).operations
    assert operations is not None
    assert estimated_operations(operations, sizes) == count


def test_what_data_decide_is_not_counted() -> None:
    operations = compile_prim_func(prim_func(ANY)).operations
    assert operations is None or estimated_operations(operations, {"n": 10}) is None


class Kept:
    """Keeps the code of one PrimFunc, as it was made."""

    def __init__(self, made: Compiled) -> None:
        self.entry = KeptCode.entry(
            made.code, made.stays_sequential, made.operations, made.by_elements, made.in_waves
        )

    def get(self, key: str) -> object:
        return None if key.startswith("numba") else self.entry

    def put(self, key: str, value: object) -> None:
        assert key.startswith("numba")


def arrays(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(count)
    return [random.uniform(0.1, 1.0, shape) for shape in ((count, count), (count, count), (count,))]


@pytest.mark.skipif(not is_installed(), reason="needs numba")
@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize(("text", "by_numba"), [(WHOLE, False), (ROWS, True)])
def test_auto_leaves_large_operations_to_numpy(
    text: str, by_numba: bool, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_NUMBA_FROM", 5)
    monkeypatch.setattr(choice, "_NUMBA_AGAIN", 5)
    monkeypatch.setattr(choice, "_NUMPY_FROM", 100)
    func = prim_func(text)
    if is_kept:
        made = compile_prim_func(func)
        compiled = compile_prim_func(func, Kept(made), text)
    else:
        compiled = compile_prim_func(func)
    found, wanted = arrays(30), arrays(30)
    compiled.run(*found)
    interpreter.run(func, wanted)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    forms = {} if compiled._loops is None else compiled._loops._forms
    assert (forms.get("native") is not None) is by_numba


@pytest.mark.skipif(not is_installed(), reason="needs numba")
def test_who_asks_for_numba_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_NUMPY_FROM", 0)
    compiled = compile_prim_func(prim_func(WHOLE.replace("0.5", "0.25")))
    compiled.run(*arrays(8), sequential="numba")
    assert compiled._loops is not None
    assert compiled._loops._forms["native"] is not None


ADLER = """
prim_func @adler(X: Buffer[(n,), uint8], S: Buffer[(2,), DTYPE]) {
  for i in 0..n {
    S[0] = (S[0] + cast(X[i], DTYPE)) % 113;
    S[1] = (S[1] * 113 * 101 + S[0]) % 127;
  }
}
"""
SIEVE = """
prim_func @sieve(Y: Buffer[(n,), bool]) {
  for i in 0..n { Y[i] = i >= 2; }
  for i in 2..n { if Y[i] { for j in 2..(n + i - 1) // i { Y[i * j] = false; } } }
}
"""


def loops_of(compiled: Compiled) -> bool:
    """Return whether a PrimFunc has been made Python of."""
    return compiled._loops is not None and compiled._loops._forms.get("held") is not None


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize(
    ("text", "by_python"),
    [
        (SIEVE, True),
        *[(ADLER.replace("DTYPE", dtype), True) for dtype in ("int64", "uint8", "uint32", "uint64", "int16")],
        (WHOLE, False),  # operations on whole rows
    ],
)
def test_operations_on_single_elements_run_as_python(text: str, by_python: bool, is_kept: bool) -> None:
    func = prim_func(text)
    compiled = compile_prim_func(func)
    if is_kept:
        compiled = compile_prim_func(func, Kept(compiled), f"{text} kept")
    assert compiled.by_elements is by_python
    random = np.random.default_rng(3)
    buffers = [param for param in func.params if isinstance(param, tree.Buffer)]
    shapes = {"n": 20 if text == WHOLE else choice._PYTHON_AFTER // 4}
    made: list[np.ndarray] = []
    for buffer in buffers:
        shape = [int(evaluate(dim, shapes)) for dim in buffer.shape]
        made.append(random.integers(0, 2, shape).astype(buffer.dtype.name))
    for _ in range(5):
        found, wanted = [one.copy() for one in made], [one.copy() for one in made]
        compiled.run(*found, sequential="numpy")
        interpreter.run(func, wanted)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9)
    assert loops_of(compiled) is by_python


SMOOTHED = """
prim_func @smoothed(A: Buffer[(n, m), DTYPE], steps: int64) {
  for t, i, j in grid(steps, n - 2, m - 2) {
    A[i + 1, j + 1] = (A[i, j + 1] + A[i + 1, j] + A[i + 1, j + 1] + A[i + 1, j + 2] + A[i + 2, j + 1]) / DIVISOR;
  }
}
"""
DISTANCE = """
prim_func @distance(A: Buffer[(n,), int64], B: Buffer[(m,), int64], D: Buffer[(n + 1, m + 1), int64]) {
  for i in 0..n + 1 { D[i, 0] = i; }
  for j in 0..m { D[0, j + 1] = j + 1; }
  for i, j in grid(n, m) {
    D[i + 1, j + 1] = min(min(D[i, j + 1], D[i + 1, j]) + 1, D[i, j] + cast(A[i] != B[j], int64));
  }
}
"""
WAVES = [
    SMOOTHED.replace("DTYPE", dtype).replace("DIVISOR", "5")
    for dtype in ("float32", "float64", "int32", "uint8")
]


def waves_of(func: tree.PrimFunc, n: int, m: int) -> list[object]:
    """Return arguments for a PrimFunc that runs in waves."""
    random = np.random.default_rng(n * m)
    sizes = {"n": n, "m": m}
    found: list[object] = []
    for param in func.params:
        if isinstance(param, tree.Buffer):
            shape = [int(evaluate(dim, sizes)) for dim in param.shape]
            found.append(random.integers(0, 100, shape).astype(param.dtype.name))
        else:
            found.append(3)
    return found


def test_operations_of_waves_are_counted_in_sizes() -> None:
    for text, count in ((WAVES[0], 3 * (8 + 8)), (DISTANCE, 10 + 10 + 2)):
        operations = compile_prim_func(prim_func(text)).operations
        assert operations is not None
        found = estimated_operations(operations, {"n": 10, "m": 10, "steps": 3})
        assert found is not None
        assert abs(found - count) <= 6  # a wave more or less each time


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize("text", [*WAVES, DISTANCE])
def test_short_waves_run_as_python_and_long_ones_in_numpy(
    text: str, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_PYTHON_AFTER", 500)
    func = prim_func(text)
    for n, m, by_python in ((12, 12, True), (12, 15, True), (90, 90, False), (2, 2, False), (1, 0, False)):
        compiled = compile_prim_func(func)
        assert compiled.in_waves
        if is_kept:
            compiled = compile_prim_func(func, Kept(compiled), f"{text} kept {n} {m}")
            assert compiled.in_waves
        compiled._loops = None
        for _ in range(8):
            found, wanted = waves_of(func, n, m), waves_of(func, n, m)
            compiled.run(*found, sequential="numpy")
            interpreter.run(func, wanted)
            for one, other in zip(found, wanted, strict=True):
                assert np.array_equal(np.asarray(one), np.asarray(other))
        assert loops_of(compiled) is by_python, (n, m)


def test_short_waves_over_arrays_that_share_memory_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_PYTHON_AFTER", 0)
    func = prim_func(DISTANCE)
    compiled = compile_prim_func(func)
    for _ in range(3):
        made: list[list[np.ndarray]] = []
        for run in (compiled.run, lambda *values: interpreter.run(func, values)):
            memory = np.arange(11 * 11, dtype=np.int64).reshape(11, 11) % 7
            values = [memory[5, :10], memory[3, 1:], memory]
            run(*values)
            made.append(memory)
        assert np.array_equal(*made)
