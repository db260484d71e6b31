"""Python loops whose elements are held in lists and variables: the interpreter's values and bits. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse, check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops import choice
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.loops.spelling import Unspelled
from tests.tir.loops.test_loops import HELD, PYTHON, same
from tests.tir.random_programs.recurrences.recurrences import Recurrence
from tests.tir.support import outcome, prim_func

RUNNING = """
prim_func @f(A: Buffer[(n,), DTYPE], B: Buffer[(n, 2), DTYPE], S: Buffer[(), DTYPE], Y: Buffer[(n,), DTYPE]) {
  alloc R: Buffer[(n, 2), DTYPE];
  alloc T: Buffer[(2,), DTYPE];
  T[0] = A[0];
  T[1] = A[0];
  for i in 0..n { R[i, 0] = B[i, 1]; R[i, 1] = A[i]; }
  for i in 1..n {
    T[i % 2] = max(T[0], T[1]) + A[i];
    S[()] = min(S[()], Y[i - 1]);
    Y[i] = (if_then_else(Y[i - 1] > S[()], R[i - 1, 1], R[i, 0]) + T[0]) - T[1];
    B[i, 0] += Y[i];
  }
}
"""


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64", "float32", "float64"])
def test_TIR_21_elements_in_lists_and_variables(dtype):
    generator = np.random.default_rng(7)
    for n in (1, 2, 30):
        args = [generator.integers(0, 100, shape).astype(dtype) for shape in ((n,), (n, 2), (), (n,))]
        same(RUNNING.replace("DTYPE", dtype), args, HELD)


def overlapping(x: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return pairs of arrays that share memory."""
    alike = np.lib.stride_tricks.as_strided(x[3:], (5,), (0,), writeable=True)
    return [(x[::2], x[::2]), (x[::-1], x[::-1]), (x[:-1], x[1:]), (np.ones(5), alike)]


@pytest.mark.parametrize("pair", range(4))
def test_TIR_21_arrays_that_overlap_stay_in_memory(pair, monkeypatch):
    monkeypatch.setattr(choice, "_PYTHON_AFTER", 0)
    func = prim_func(
        "prim_func @f(A: Buffer[(n,), float64], Y: Buffer[(n,), float64]) { "
        "for i in 2..n { Y[i] = Y[i - 1] * A[i - 2] + max(A[i], Y[i - 2]); } }"
    )
    with pytest.raises(Unspelled, match="overlap"):
        LoopsFunction(analyse(func), **HELD)(overlapping(np.arange(12.0))[pair], new_array)
    one, two = np.arange(12.0), np.arange(12.0)
    compiled = compile_prim_func(func)
    assert compiled.by_elements
    compiled.run(*overlapping(one)[pair], sequential="numpy")
    interpreter.run(func, overlapping(two)[pair])
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_TIR_21_elements_that_nothing_stores_to_keep_their_bits(dtype, monkeypatch):
    monkeypatch.setattr(choice, "_PYTHON_AFTER", 0)
    value = "0.5" if dtype == "float32" else "true"
    func = prim_func(
        f"prim_func @f(Y: Buffer[(n,), {dtype}], S: Buffer[(2,), {dtype}]) {{ for i in 2..n {{ "
        f"if Y[i] == {value} {{ Y[i] = Y[i - 1]; S[0] = Y[i - 2]; }} }} }}"
    )
    bits = np.uint32(0x7F80_0001) if dtype == "float32" else np.uint8(2)
    y, s = np.full(8, bits), np.full(2, bits)
    y[:4] = np.array([0, 1, 1, 0], dtype).view(bits.dtype)
    wanted = y.copy(), s.copy()
    compiled = compile_prim_func(func)
    compiled.run(y.view(dtype), s.view(dtype), sequential="numpy")
    interpreter.run(func, [one.view(dtype) for one in wanted])
    np.testing.assert_array_equal(y, wanted[0])
    np.testing.assert_array_equal(s, wanted[1])


def test_TIR_21_arguments_that_cannot_be_written_are_only_read():
    func = prim_func(
        "prim_func @f(X: Buffer[(n,), float64], K: Buffer[(n,), int64], Y: Buffer[(n,), float64]) { "
        "for i in 1..n { Y[i] = Y[i - 1] + X[K[i]]; } }"
    )
    x, k, y = np.arange(5.0), np.arange(5)[::-1].copy(), np.zeros(5)
    for one in (x, k):
        one.flags.writeable = False
    LoopsFunction(analyse(func), **HELD)([x, k, y], new_array)
    np.testing.assert_array_equal(y, [0, 3, 5, 6, 6])


def test_large_arrays_of_short_loops_are_not_listed():
    func = prim_func(
        "prim_func @f(X: Buffer[(n,), float64], T: Buffer[(m,), float64]) { "
        "for i in 1..n { X[i] = X[i - 1] + T[i % m]; } }"
    )
    form = LoopsFunction(analyse(func), **HELD)
    arrays = [np.zeros(100), np.ones(1000)]
    assert [type(one[0]) for one in form._given(arrays, 2, 100)] == [list, memoryview]
    assert [type(one[0]) for one in form._given(arrays, 2, None)] == [list, list]


def test_what_no_store_changes_is_computed_once():
    func = prim_func(
        "prim_func @f(X: Buffer[(n,), float64], K: Buffer[(n,), int64], C: Buffer[(2,), float64]) { "
        "for i in 1..n { X[K[i - 1]] = X[i - 1] * C[0]; X[K[i - 1]] += C[1]; } }"
    )
    held, plain = [LoopsFunction(analyse(func), **kind).text for kind in (HELD, PYTHON)]
    assert held.count("fault[0] =") == 1
    assert plain.count("fault[0] =") == 2  # X and K may be one array
    assert [text.count("- 1)") for text in (held, plain)] == [1, 1]


def held(text: str) -> LoopsFunction:
    """Return the form of a PrimFunc whose elements are in lists and variables."""
    return LoopsFunction(analyse(prim_func(text)), **HELD)


HEAD = "X: Buffer[(n,), DTYPE], Z: Buffer[(n, 2), DTYPE], B: Buffer[(3,), DTYPE], k: DTYPE, Y: Buffer[(n,), DTYPE]"
BEFOREHAND = {
    "filter": (
        "for i in 2..n { Y[i] = B[0] * X[i] + B[1] * X[i - 1] + B[2] * X[i - 2] - B[1] * Y[i - 1]; }",
        1,
    ),
    "columns": ("for i in 0..n - 1 { Y[i + 1] = Y[i] * Z[i, 1] + (Z[i + 1, 0] - k); }", 2),
    "lets": (
        "for i in 0..n - 1 { let a: DTYPE = X[i + 1] + X[i]; let b: DTYPE = a * a; Y[i + 1] = Y[i] - b * k; }",
        3,
    ),
    "blocks": (
        "for i in 0..n - 1 { block b (v = spatial(i + 1)) { Y[v] = Y[v - 1] + -X[v] * Z[v, 0]; } }",
        1,
    ),
    "condition": ("for i in 1..n { if X[i] * k > X[i - 1] { Y[i] = Y[i - 1] + X[i]; } }", 1),
    "nested": ("for i in 1..n { for j in 0..i { Y[i] += Y[j] * X[i]; } Y[i] -= X[i - 1]; }", 1),
    "stored": ("for i in 1..n { Y[i] = Y[i - 1] + X[i]; X[i] = Z[i, 0] - k; }", 1),
    "leaves": ("for i in 1..n { Y[i] = Y[i - 1] + X[i]; if Y[i] > k { break; } Y[i] += X[i] * k; }", 1),
    "asserts": ('for i in 0..n { Y[i] += X[i]; assert i < n - 2, "far"; Y[i] += X[i + 2]; }', 1),
    "sides": ("for i in 0..n { Y[i] = if_then_else(i > 0, Y[i - 1] + X[i - 1], X[i]); }", 0),
}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize("name", BEFOREHAND)
def test_TIR_21_what_waits_for_nothing_is_computed_beforehand(name, dtype):
    body, streams = BEFOREHAND[name]
    text = f"prim_func @f({HEAD}) {{ {body} }}".replace("DTYPE", dtype)
    assert held(text).text.count(".tolist()") == streams
    generator = np.random.default_rng(3)
    for n in (0, 1, 2, 3, 20):
        shapes = [(n,), (n, 2), (3,), (), (n,)]
        if dtype.startswith("float"):
            special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 0.1, 3e38, 1e-40, -1.7], dtype)
            args = [np.where(generator.random(s) < 0.2, generator.choice(special, s), 1.1) for s in shapes]
        else:
            args = [generator.integers(-(1 << 63), (1 << 63) - 1, s) for s in shapes]
        same(text, [one.astype(dtype) if one.shape else one.astype(dtype)[()] for one in args], HELD)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_TIR_21_operations_on_integers_beforehand(dtype):
    operations = [
        "X[i] // 7", "X[i] % 5", "min(X[i], k)", "max(Z[i, 0], X[i])", "(X[i] & Z[i, 0]) | k", "X[i] ^ k", "X[i] << 3",
        "X[i] >> 2", "-X[i]", "cast(cast(X[i], int16) + 1, DTYPE)", "cast(cast(X[i], uint64) * 3, DTYPE)",
    ]  # fmt: skip
    stores = " ".join([f"Y[i] = Y[i] * 3 + ({one});" for one in operations])
    text = f"prim_func @f({HEAD}) {{ for i in 0..n {{ {stores} }} }}".replace("DTYPE", dtype)
    assert held(text).text.count(".tolist()") == len(operations)
    limits = np.iinfo(dtype)
    values = np.array([limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2, 77], dtype)
    x, z = np.meshgrid(values, values)
    y, b = np.zeros(64, dtype), np.zeros(3, dtype)
    for k in values:
        same(text, [x.ravel(), np.stack([z.ravel()] * 2, 1), b, k, y], HELD)


def test_TIR_21_divisions_of_floats_beforehand():
    text = f"prim_func @f({HEAD}) {{ for i in 0..n {{ Y[i] = Y[i] + X[i] / Z[i, 0]; Y[i] = Y[i] - X[i] / k; }} }}"
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 0.1, 1e308, 5e-324])
    x, z = np.meshgrid(special, special)
    for k in special:
        args = [x.ravel(), np.stack([z.ravel()] * 2, 1), np.zeros(3), k, np.zeros(64)]
        same(text.replace("DTYPE", "float64"), args, HELD)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_TIR_21_random_recurrences_in_lists(first):
    compared = 0
    for seed in range(first, first + 100):
        recurrence = Recurrence(seed)
        func = prim_func(recurrence.text)
        if any(found.severity == "error" for found in check_prim_func(func)):
            continue
        form = LoopsFunction(analyse(func), **HELD)
        for _ in range(3):
            args = recurrence.arguments()
            wanted = outcome(lambda *values, func=func: interpreter.run(func, values), args)
            try:
                found = outcome(lambda *values, form=form: form(values, new_array), args)
            except Unspelled:
                continue  # arrays overlap
            assert repr(found) == repr(wanted), f"seed {seed}: {recurrence.text}\n{form.text}"
            compared += 1
    assert compared > 100
