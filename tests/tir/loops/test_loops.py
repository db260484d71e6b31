"""PrimFuncs as loops over scalars, in Python and by numba: the interpreter's values and failures. [TIR.21]"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from relax_lang import api
from relax_lang.tir.check.driver import analyse, check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.loops.spelling import Unspelled
from tests.tir.random_programs.programs import Program
from tests.tir.random_programs.test_random_programs import native as arguments_of
from tests.tir.random_programs.test_random_programs import outcome as random_outcome
from tests.tir.support import outcome, prim_func

NIGHTLY = bool(os.environ.get("RELAX_NIGHTLY"))
needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="needs numba (the extra relax-lang[numba])"
)
PYTHON = {"native": False}
HELD = {"native": False, "held": True}
NUMBA = {"native": True}
FORMS = [
    pytest.param(PYTHON, id="python"),
    pytest.param(HELD, id="held"),
    pytest.param(NUMBA, id="numba", marks=needs_numba),
]


def differs(seed: int, kind: dict[str, bool]) -> str | None:
    """Return in what a random program differs from the interpreter; None if it has no such form."""
    program = Program(seed)
    func = prim_func(program.text)
    if any(found.severity == "error" for found in check_prim_func(func)):
        return None
    values = arguments_of(program.arguments())
    wanted = random_outcome(lambda args: interpreter.run(func, args), values)
    try:
        form = LoopsFunction(analyse(func), **kind)
        form([value.copy() if isinstance(value, np.ndarray) else value for value in values], new_array)
    except Unspelled:
        return None
    except Exception:
        pass  # compared below
    found = random_outcome(lambda args: form(args, new_array), values)
    # Text, as nan is not equal to itself.
    return (
        ""
        if repr(found) == repr(wanted)
        else f"seed {seed}: {found}, wanted {wanted}\n{program.text}\n{form.text}"
    )


@pytest.mark.parametrize("kind", [pytest.param(PYTHON, id="python"), pytest.param(HELD, id="held")])
@pytest.mark.parametrize("first", range(0, 20_000 if NIGHTLY else 300, 50))
def test_TIR_21_random_programs_as_python(first, kind):
    results = [differs(seed, kind) for seed in range(first, first + 50)]
    assert not [one for one in results if one]
    assert len([one for one in results if one is not None]) > 20


def test_TIR_21_indices_that_are_too_long_to_be_proved_are_tested():
    assert differs(10653, PYTHON) == ""


@needs_numba
@pytest.mark.parametrize("first", range(0, 400 if NIGHTLY else 8, 4))
def test_TIR_21_random_programs_by_numba(first):
    assert not [one for one in [differs(seed, NUMBA) for seed in range(first, first + 4)] if one]


ARITHMETIC = """
prim_func @f(A: Buffer[(n,), DTYPE], B: Buffer[(n,), DTYPE], Y: Buffer[(9, n), DTYPE], k: DTYPE) {
  for i in 0..n {
    Y[0, i] = A[i] + B[i];
    Y[1, i] = A[i] - B[i] * k;
    Y[2, i] = -A[i];
    Y[3, i] = min(A[i], B[i]);
    Y[4, i] = max(A[i], k);
    Y[5, i] = A[i] // B[i];
    Y[6, i] = A[i] % B[i];
    Y[7, i] = A[i] / B[i];
    Y[8, i] = abs(A[i]);
    Y[8, i] *= B[i];
  }
}
"""
BITS = """
prim_func @f(A: Buffer[(n,), DTYPE], B: Buffer[(n,), DTYPE], Y: Buffer[(8, n), DTYPE]) {
  for i in 0..n {
    Y[0, i] = A[i] & B[i];
    Y[1, i] = A[i] | ~B[i];
    Y[2, i] = A[i] ^ B[i];
    Y[3, i] = A[i] << (B[i] % 70);
    Y[4, i] = A[i] >> (B[i] % 70);
    Y[5, i] = popcount(A[i]);
    Y[6, i] = clz(A[i]);
    Y[7, i] = cast(cast(A[i], float32) * 3.5, DTYPE);
  }
}
"""
FLOATS = """
prim_func @f(A: Buffer[(n,), DTYPE], Y: Buffer[(9, n), DTYPE], Z: Buffer[(3, n), int32], W: Buffer[(n,), bool]) {
  for i in 0..n {
    Y[0, i] = sqrt(A[i]);
    Y[1, i] = floor(A[i]);
    Y[2, i] = ceil(A[i]) + trunc(A[i]);
    Y[3, i] = round(A[i]);
    Y[4, i] = rsqrt(A[i]);
    Y[5, i] = copysign(A[i], -1.0);
    Y[6, i] = fmod(A[i], 0.3);
    Y[7, i] = nextafter(A[i], 0.0);
    Y[8, i] = ldexp(A[i], 3);
    Z[0, i] = cast(A[i], int32);
    Z[1, i] = cast(A[i] > 0.5 && !isnan(A[i]), int32);
    Z[2, i] = cast(cast(A[i], uint8), int32);
    W[i] = cast(A[i], bool) || isinf(A[i]);
  }
}
"""
FUNCTIONS = [
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf",
]  # fmt: skip


def same(text: str, args: list, kind: dict[str, bool], ulps: float = 0) -> None:
    """Compare a form with the interpreter."""
    func = prim_func(text)
    assert not check_prim_func(func)
    form = LoopsFunction(analyse(func), **kind)
    wanted = outcome(lambda *values: interpreter.run(func, values), args)
    found = outcome(lambda *values: form(values, new_array), args)
    assert found[0] == wanted[0]
    for have, want in zip(found[1], wanted[1], strict=True):
        if ulps and have.dtype.kind == "f":
            np.testing.assert_allclose(have, want, rtol=ulps * float(np.finfo(have.dtype).eps), atol=1e-44)
        else:
            np.testing.assert_array_equal(have, want)
            if have.dtype.kind == "f":
                np.testing.assert_array_equal(
                    np.signbit(have), np.signbit(want) | (np.isnan(want) & np.signbit(have))
                )


def extremes(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of numbers that are easy to get wrong, the second never 0."""
    if dtype.startswith("float"):
        firsts = [0.0, -0.0, 1.0, -1.5, 7.25, -7.25, 1e30, -3e38, np.inf, -np.inf, np.nan, 1e-40, 0.1]
        seconds = [*firsts]
    else:
        info = np.iinfo(dtype)
        firsts = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7, 100]
        seconds = [*[one for one in firsts if one], *([-1, -2, -7] if info.min else [])]
    pairs = [(a, b) for a in firsts for b in seconds]
    return tuple(np.array(side, dtype) for side in zip(*pairs, strict=True))


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"]
)
def test_TIR_14_arithmetic_of_extreme_numbers(dtype, kind):
    a, b = extremes(dtype)
    with np.errstate(all="ignore"):
        same(ARITHMETIC.replace("DTYPE", dtype), [a, b, np.zeros((9, len(a)), dtype), a.dtype.type(3)], kind)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_TIR_14_bits_of_extreme_numbers(dtype, kind):
    a, b = extremes(dtype)
    same(BITS.replace("DTYPE", dtype), [a, b, np.zeros((8, len(a)), dtype)], kind)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_TIR_7_exact_functions_of_extreme_numbers(dtype, kind):
    a, _ = extremes(dtype)
    n = len(a)
    args = [a, np.zeros((9, n), dtype), np.zeros((3, n), np.int32), np.zeros(n, bool)]
    same(FLOATS.replace("DTYPE", dtype), args, kind)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_TIR_7_functions_to_the_last_bits(dtype, kind):
    stores = "\n".join([f"    Y[{at}, i] = {name}(A[i]);" for at, name in enumerate(FUNCTIONS)])
    rows = len(FUNCTIONS)
    text = (
        f"prim_func @f(A: Buffer[(n,), {dtype}], Y: Buffer[({rows} + 3, n), {dtype}]) {{\n"
        f"  for i in 0..n {{\n{stores}\n"
        f"    Y[{rows}, i] = pow(A[i], 1.5);\n    Y[{rows} + 1, i] = atan2(A[i], 0.5);\n"
        f"    Y[{rows} + 2, i] = hypot(A[i], 2.0);\n  }}\n}}\n"
    )
    a = np.array([0.25, 0.5, 0.9, 0.125], dtype)
    same(text, [a, np.zeros((rows + 3, 4), dtype)], kind, ulps=16)


FAILING = {
    "bounds": ("for i in 0..n { Y[i] = 1.0; Y[i + 2] = 2.0; }", "tir-runtime-bounds"),
    "division": ("for i in 0..n { Y[i] = cast(6 // (i - 2), float32); }", "tir-division-by-zero"),
    "assertion": ('for i in 0..n { Y[i] = 3.0; assert i < 2, "too far"; }', "assertion-failed: too far"),
    "lists": ("for i in 0..n { Y[i] += 1.0; Y[i + 2] = Y[i]; }", "tir-runtime-bounds"),
    "variables": ("for i in 0..n { S[1, 0] += 2.0; Y[i + 2] = S[1, 0]; }", "tir-runtime-bounds"),
    "both": ("S[0, 1] = 4.0; for i in 0..n { Y[i] += S[0, 1]; S[0, 1] = Y[i + 1]; }", "tir-runtime-bounds"),
    "later": (
        "for i in 0..n { Y[i] = 5.0; for k in 0..i { Y[i] += cast(6 // (k - 2), float32); } Y[i] += 1.0; }",
        "tir-division-by-zero",
    ),
}


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", FAILING)
def test_TIR_8_failures_are_those_of_the_interpreter_and_leave_what_was_stored(name, kind):
    body, slug = FAILING[name]
    func = prim_func(f"prim_func @f(Y: Buffer[(n,), float32], S: Buffer[(2, 2), float32]) {{ {body} }}")
    try:
        form = LoopsFunction(analyse(func), **kind)
    except Unspelled:
        assert name in ("bounds", "division", "assertion")  # which read nothing
        return
    args = [np.zeros(5, np.float32), np.zeros((2, 2), np.float32)]
    wanted = outcome(lambda *values: interpreter.run(func, values), args)
    found = outcome(lambda *values: form(values, new_array), args)
    assert found[0] == wanted[0]
    assert found[0].startswith(slug)
    for have, want in zip(found[1], wanted[1], strict=True):
        np.testing.assert_array_equal(have, want)


EDIT_DISTANCE = """
prim_func @distance(A: Buffer[(n,), int32], B: Buffer[(m,), int32], D: Buffer[(n + 1, m + 1), int32]) -> int32 {
  for i in 0..n + 1 { D[i, 0] = cast(i, int32); }
  for j in 0..m + 1 { D[0, j] = cast(j, int32); }
  for i in 0..n {
    for j in 0..m {
      if A[i] == B[j] { D[i + 1, j + 1] = D[i, j]; }
      else { D[i + 1, j + 1] = min(D[i, j], min(D[i, j + 1], D[i + 1, j])) + 1; }
      if D[i + 1, j + 1] > 1000 { break; }
    }
  }
  D[n, m]
}
"""


@pytest.mark.parametrize("kind", FORMS)
def test_TIR_15_jumps_and_results(kind):
    func = prim_func(EDIT_DISTANCE)
    form = LoopsFunction(analyse(func), **kind)
    generator = np.random.default_rng(0)
    a, b = generator.integers(0, 4, 12).astype(np.int32), generator.integers(0, 4, 9).astype(np.int32)
    d, e = np.zeros((13, 10), np.int32), np.zeros((13, 10), np.int32)
    assert form([a, b, d], new_array) == interpreter.run(func, [a, b, e])
    np.testing.assert_array_equal(d, e)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("depth", [0, 3])
def test_TIR_10_init_runs_where_a_sum_is_empty(kind, depth):
    text = (
        "prim_func @f(A: Buffer[(n, k), float64], Y: Buffer[(n,), float64]) { for i in 0..n { for r in 0..k { "
        "block b (v = spatial(i), u = reduce(r)) { init { Y[v] = 5.0; } Y[v] += A[v, u]; } } } }"
    )
    same(text, [np.ones((4, depth)), np.zeros(4)], kind)


@pytest.mark.parametrize("kind", [one for one in FORMS if one.id != "held"])
def test_TIR_21_views_and_one_array_twice(kind):
    text = (
        "prim_func @f(A: Buffer[(n,), float64], Y: Buffer[(n,), float64]) { "
        "for i in 1..n { Y[i] = Y[i - 1] + A[i]; } }"
    )
    func = prim_func(text)
    form = LoopsFunction(analyse(func), **kind)
    for pick in (lambda x: (x[::2], x[::2]), lambda x: (x[::-1], x[::-1]), lambda x: (x[:-1], x[1:])):
        one, two = np.arange(12.0), np.arange(12.0)
        form(pick(one), new_array)
        interpreter.run(func, pick(two))
        np.testing.assert_array_equal(one, two)


@needs_numba
def test_TIR_21_numba_refuses_narrow_floats_and_packed_functions():
    for text in (
        "prim_func @f(Y: Buffer[(n,), float16]) { for i in 1..n { Y[i] = Y[i - 1]; } }",
        'prim_func @f(Y: Buffer[(n,), float32]) { call_extern("g", Y); }',
    ):
        with pytest.raises(Unspelled):
            LoopsFunction(analyse(prim_func(text)), native=True)


@pytest.mark.parametrize(
    ("body", "tests"),
    [
        ("for i in 1..n { X[i] = X[i - 1]; }", 0),
        ("for i in 0..n { if i > 0 { X[i] = X[i - 1]; } }", 0),
        ("for i in 0..n { X[i] = if_then_else(i + k < n, X[i + k], 0); }", 1),  # i + k may wrap around
        ("for i in 0..n { X[i] = X[i * i]; }", 1),
        ("for i in 0..n { X[i] = X[(i + 1) % n]; }", 0),
        ("for i in 0..n { if X[i] > 0 && X[i] < n { X[X[i]] = 1; } }", 1),
    ],
)
def test_indices_that_are_proved_are_not_tested(body, tests):
    text = f"prim_func @f(X: Buffer[(n,), int64], k: int64) {{ {body} }}"
    form = LoopsFunction(analyse(prim_func(text)), native=False)
    assert form.text.count("fault[0] =") == tests
    for k in (0, 1, -1, (1 << 63) - 1, -(1 << 63)):
        for n in (0, 1, 5):
            same(text, [np.arange(n), k], PYTHON)


PROGRAM = (
    EDIT_DISTANCE.replace("private ", "")
    + """
impure def @main(a: Tensor[(n,), int32], b: Tensor[(m,), int32], d: Tensor[(n + 1, m + 1), int32]) {
  @distance(a, b, d)
}
"""
)


@pytest.mark.parametrize("sequential", ["auto", "numpy", pytest.param("numba", marks=needs_numba)])
def test_sequential_is_an_option_of_running(sequential):
    rows = [[1, 2, 3, 4], [1, 3, 3], np.zeros((5, 4), np.int32)]
    assert int(np.asarray(api.run(PROGRAM, *rows, sequential=sequential))) == 2


def test_sequential_has_three_values():
    with pytest.raises(ValueError, match="sequential is one of auto, numpy, numba"):
        api.start("def @main() { 1 }", sequential="fast")


def test_numba_that_is_not_installed_is_an_import_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError):
        api.start("def @main() { 1 }", sequential="numba")


@needs_numba
def test_auto_takes_numba_for_many_steps(monkeypatch):
    from relax_lang.tir.loops import choice

    func = prim_func(
        "prim_func @f(Y: Buffer[(n,), int64], X: Buffer[(n,), int64]) { "
        "for i in 1..n { Y[i] = (Y[i - 1] * 7 + X[i]) % 1000; } }"
    )
    compiled = compile_prim_func(func)
    assert compiled.stays_sequential
    monkeypatch.setattr(choice, "_NUMBA_FROM", 5)
    monkeypatch.setattr(choice, "_NUMBA_AGAIN", 5)
    one, two = np.arange(100), np.arange(100)
    compiled.run(one, one.copy())
    interpreter.run(func, [two, two.copy()])
    np.testing.assert_array_equal(one, two)
    assert compiled._loops is not None
    assert compiled._loops._forms["native"] is not None


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize(
    "index",
    [
        "i + max_value(int64)",
        "(i + 2) * (i + 4611686018427387904)",
        "max(i * max_value(int64), 0)",
        "S[()] * S[()] - 3",
    ],
)
def test_TIR_6_sums_and_products_wrap(index: str, kind: dict[str, bool]) -> None:
    """What is made of a number that wrapped is as right: a compiler may take that not to happen."""
    head = "A: Buffer[(n,), int64], S: Buffer[(), int64], B: Buffer[(k,), int64]"
    func = prim_func(f"prim_func @f({head}) {{ for i in 0..k {{ B[i] = A[({index}) % n]; }} }}")

    def values() -> list[object]:
        return [np.arange(3), np.array(2**62 + 12345), np.zeros(5, np.int64)]

    found, wanted = values(), values()
    LoopsFunction(analyse(func), **kind)(found, new_array)
    interpreter.run(func, wanted)
    assert repr(found) == repr(wanted)
