"""PrimFuncs of every class: the interpreter against NumPy, the compiled code against the interpreter. [TIR.21]

Each program of `programs/*.rlx` has a row: what it computes, written independently with NumPy, and the strategies
that the compiler must choose, so that a lost vectorization is seen.
"""

from __future__ import annotations

import math
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from relax_lang.arith.evaluate import evaluate
from relax_lang.syntax import tree
from relax_lang.tir import interpreter, signature
from relax_lang.tir.check import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_close, copied, prim_funcs

TEXTS = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "programs").glob("*.rlx"))}
FUNCS = {name: func for text in TEXTS.values() for name, func in prim_funcs(text).items()}

SIZES = (
    {"n": 4, "m": 6, "k": 5, "b": 3, "h": 6, "w": 5},
    {"n": 1, "m": 2, "k": 1, "b": 1, "h": 3, "w": 2},
    {"n": 7, "m": 1, "k": 9, "b": 2, "h": 4, "w": 9},
    {"n": 2, "m": 3, "k": 0, "b": 2, "h": 4, "w": 3},
)
EMPTY = {"n": 0, "m": 3, "k": 2, "b": 0, "h": 3, "w": 2}

E, R, C, S = "elementwise", "reduction", "contraction", "interpreter"


class Case:
    """A program: `reference(inputs…)` gives the new contents of the trailing buffers."""

    def __init__(
        self, reference, *strategies: str, inputs=None, ulps: float = 8, outputs: int = 1, scalars=()
    ):
        self.reference = reference
        self.strategies = list(strategies)
        self.inputs = inputs or {}
        self.ulps = ulps
        self.outputs = outputs
        self.scalars = scalars


def f32(x):
    return np.asarray(x).astype(np.float32)


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True, initial=-np.inf))
    return f32(e / e.sum(-1, keepdims=True))


def layer_norm(x, g, b):
    wide = x.astype(np.float64)
    mean, variance = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
    return f32((wide - mean) / np.sqrt(variance + 1e-5) * g + b)


def divisions(x):
    return np.stack([np.trunc(x / 3).astype(np.int32), x // -3, x % 3], axis=1)


def clz(x):
    return np.array([32 - (int(v) & 0xFFFF_FFFF).bit_length() for v in x], np.int32)


def popcount(x):
    return np.array([(int(v) & 0xFFFF_FFFF).bit_count() for v in x], np.int32)


def math_table(x):
    a, t = np.abs(x), np.tanh(x)
    rows = [
        np.exp(x) + 2.0**x, np.log(1 + a) + np.log(a + 1) / np.log(2) + np.log(a + 1) / np.log(10),
        np.sqrt(a / (a + 1)), np.sin(x) + np.cos(x) * np.tan(x), np.arcsin(t) + np.arccos(t) + np.arctan(x),
        -np.exp(-x) + np.arcsinh(x), np.arctan(x / 2) + np.sqrt(x * x + 9),
        np.floor(x) + 10 * np.ceil(x) + 100 * np.fix(x), np.round(x) + 10 * np.round(2 * x),
        a**1.5 + np.sign(x) * (a - 0.7 * np.floor(a / 0.7)), np.where(np.signbit(x), -3.0, 3.0) + 8 * x,
        np.arccosh(a + 1) + np.arctanh(x * 0.1) + 10 ** (x * 0.1) + np.exp(x) - 1,
    ]  # fmt: skip
    return np.stack(rows, axis=1)


def fibonacci(y):
    values = [1, 1]
    while len(values) < len(y):
        values.append(values[-1] + values[-2])
    return np.array(values[: len(y)], np.int32)


def only_even(x):
    return np.where(np.arange(len(x)) % 2 == 0, x, np.float32(7))


def count_down(x):
    return np.array([int(v).bit_length() if v > 0 else 0 for v in x], np.int64)


def conv2d(x, weights):
    _, _, h, w = x.shape
    return sum(
        np.einsum("bchw,oc->bohw", x[:, :, s : s + h - 2, t : t + w - 1], weights[:, :, s, t])
        for s in range(3)
        for t in range(2)
    )


def depthwise(x, weights):
    _, h, w = x.shape
    return sum(
        x[:, s : s + h - 2, t : t + w - 1] * weights[:, s, t, None, None] for s in range(3) for t in range(2)
    )


def pooled(x):
    n, m = x.shape[0] // 2, x.shape[1] // 2
    return x.reshape(n, 2, m, 2).max((1, 3), initial=-np.inf)


def wrapped(x, dtype):
    return x.astype(np.int64).astype(dtype)


def even_columns(x):
    return x[:, : x.shape[1] // 2 * 2].sum(1)


def shifted(y):
    return np.append(y[1:], y[-1:])


CASES: dict[str, Case] = {
    "relu": Case(lambda x: np.where(x > 0, x, np.float32(0)), E, ulps=0),
    "add": Case(lambda a, b: a + b, E, ulps=0),
    "bias_add": Case(lambda x, b: x + b, E, ulps=0),
    "scale": Case(lambda x: x * 2.5, E, ulps=0, scalars=(2.5,)),
    "leaky_relu": Case(lambda x: np.where(x > 0, x, x * np.float32(0.1)), E, ulps=0),
    "gelu_erf": Case(lambda x: f32(x / 2 * (1 + erf(x * 0.5**0.5))), E),
    "gelu_tanh": Case(lambda x: f32(x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))), E, E),
    "silu": Case(lambda x: f32(x / (1 + np.exp(-x.astype(np.float64)))), E),
    "clip": Case(lambda x: np.clip(x, -2, 3), E, scalars=(-2, 3)),
    "to_int": Case(lambda x: wrapped(np.trunc(x * np.float32(50)), np.int8), E),
    "to_float": Case(lambda x: f32(x) / np.float32(3), E, ulps=0),
    "wrapping": Case(lambda x: wrapped(x.astype(int) ** 2 + 100 - np.abs(x.astype(int)), np.int8), E),
    "divisions": Case(divisions, E, E, E),
    "bits": Case(lambda x: ((x & 15) | ((255 - x) * 16)) ^ (x // 8), E),
    "counted_bits": Case(lambda x: (popcount(x), clz(x)), E, E, outputs=2),
    "half_product": Case(lambda a, b: (f32(a) * f32(b) + f32(a)).astype(np.float16), E, ulps=0),
    "bfloat_sum": Case(lambda a, b: (f32(a) + f32(b) / 2).astype(ml_dtypes.bfloat16), E, ulps=0),
    "less": Case(lambda a, b: (a < b) | ((a == 0) & (b < 1)), E),
    "where": Case(np.where, E, ulps=0),
    "not_a_number": Case(
        lambda x: np.where(np.isfinite(x), x, 0),
        E,
        ulps=0,
        inputs={"X": np.array([np.nan, 1, np.inf, -np.inf])},
    ),
    "iota": Case(lambda y: np.arange(y.size).reshape(y.shape), E),
    "eye": Case(lambda y: np.eye(*y.shape, dtype=np.float32), E),
    "tril": Case(np.tril, E, ulps=0),
    "masked_fill": Case(lambda x: np.where(x < 0, np.float32(-1), x + 1), E, E, E, ulps=0),
    "only_even": Case(only_even, E, E, ulps=0),
    "swap": Case(lambda a, b: (b, a), E, E, E, outputs=2),
    "math": Case(math_table, *[E] * 12, ulps=16),
    "limits": Case(lambda x: wrapped(np.maximum(x, 32766).astype(int) + 32768, np.int16), E),
    "transpose": Case(lambda x: x.T, E),
    "permute": Case(lambda x: x.transpose(2, 0, 1), E),
    "tail": Case(lambda x: x[2:], E),
    "flip": Case(lambda x: x[:, ::-1], E),
    "every_second": Case(lambda x: x[1::2], E),
    "flatten": Case(np.ravel, E),
    "concat": Case(lambda a, b: np.concatenate([a, b]), E, E),
    "pad": Case(lambda x: np.pad(x, 1), E),
    "diagonal": Case(np.diagonal, E),
    "set_diagonal": Case(lambda y: np.eye(len(y), dtype=np.float32), E, E),
    "outer": Case(np.outer, E),
    "shift_left": Case(shifted, E),
    "fibonacci": Case(fibonacci, S),
    "halves": Case(lambda x: x[: len(x) // 2] + x[::-1][: len(x) // 2], E),
    "take": Case(lambda x, i: x[i], S, inputs={"I": "index"}),
    "scalar_buffer": Case(lambda x: x * 2 + 1, E),
    "row_sum": Case(lambda x: x.sum(1), E, R),
    "column_sum": Case(lambda x: x.sum(0, dtype=np.int32), E, R),
    "total": Case(lambda x: x.sum(), E, R),
    "row_max": Case(lambda x: x.max(1, initial=-np.inf), E, R, ulps=0),
    "row_min": Case(lambda x: x.min(1, initial=32767), E, R),
    "product": Case(lambda x: x.prod(1, dtype=np.int8), E, R),
    "any": Case(lambda x: x.any(1), E, R),
    "all": Case(lambda x: x.all(0), E, R),
    "accumulate": Case(lambda x, y: y + 2 * x.sum(1), R, ulps=16),
    "subtract_all": Case(lambda x, y: y - x.sum(1), R),
    "mean": Case(lambda x: x.mean(1), E, R, E),
    "variance": Case(lambda x: x.var(1), E, R, E, R, ulps=16),
    "softmax": Case(softmax, E, R, E, E, R, E, ulps=16),
    "fused_softmax": Case(softmax, E, R, E, E, R, E, ulps=16),
    "layer_norm": Case(layer_norm, E, E, R, E, R, E, ulps=64),
    "rms_norm": Case(
        lambda x: f32(x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-3)), E, R, E
    ),
    "max_pool": Case(pooled, E, R, ulps=0),
    "masked_sum": Case(lambda x: np.where(x > 0, x, 0).sum(1), E, R),
    "half_sum": Case(lambda x: f32(x).sum(1).astype(np.float16), E, R),
    "split_reduce": Case(even_columns, E, R),
    "cumsum": Case(lambda x: np.cumsum(x, 1), S),
    "argmax": Case(lambda x: x.argmax(1), S),
    "count_down": Case(count_down, S),
    "matmul": Case(lambda a, b: a @ b, E, C),
    "matmul_loops": Case(lambda a, b: a @ b, E, C),
    "matmul_reduce_first": Case(lambda a, b: a @ b, E, C),
    "matmul_nt": Case(lambda a, b: a @ b.T, E, C),
    "matmul_bias": Case(lambda a, b, c: a @ b + c, E, C),
    "batched": Case(lambda a, b: np.einsum("bik,bkj->bij", a, b), E, C),
    "matvec": Case(lambda a, x: a @ x, E, C),
    "dot": Case(lambda a, b: a @ b, E, R),
    "quantized": Case(lambda a, b: a.astype(np.int32) @ b.astype(np.int32), E, C),
    "half_matmul": Case(lambda a, b: (f32(a) @ f32(b)).astype(np.float16), E, C, E),
    "scores": Case(lambda q, k: np.einsum("bik,bjk->bij", q, k) / 8, E, C),
    "einsum": Case(lambda a, b: np.einsum("nkb,mbk->mn", a, b), E, C, ulps=16),
    "three_factors": Case(lambda a, b, s: (a * s) @ b, E, C),
    "conv1d": Case(lambda x, w: sum(x[r : len(x) - 2 + r] @ w[r] for r in range(3)), E, C, ulps=16),
    "conv2d": Case(conv2d, E, C, ulps=16),
    "depthwise": Case(depthwise, E, C),
    "pre_summed": Case(lambda a, b: a.sum(2) @ b, E, C, ulps=16),
}

IN_PLACE = {"swap", "iota", "eye", "set_diagonal", "shift_left", "fibonacci", "accumulate", "subtract_all"}
"""Programs whose outputs are inputs too, or whose reference only looks at the shape of the output."""
NEED_ELEMENTS = {
    "fibonacci",
    "take",
    "mean",
    "variance",
    "softmax",
    "fused_softmax",
    "layer_norm",
    "rms_norm",
    "argmax",
}
"""Programs that have no meaning where something to divide by, or to choose from, is empty."""


def test_every_program_has_a_row() -> None:
    assert sorted(FUNCS) == sorted(CASES)


def arguments(name: str, sizes: dict[str, int]) -> list[object]:
    """Make arrays for all buffers, then the scalars, in parameter order."""
    case, func = CASES[name], FUNCS[name]
    numbers = np.random.default_rng(sum(map(ord, name)))
    arrays: list[object] = []
    for buffer in signature.buffers(func):
        shape = tuple([int(evaluate(dim, sizes)) for dim in buffer.shape])
        arrays.append(_array(case.inputs.get(buffer.name), buffer, shape, numbers, sizes))
    return signature.in_parameter_order(func, arrays, case.scalars)


def _array(given: object, buffer: tree.Buffer, shape, numbers, sizes) -> np.ndarray:
    dtype = buffer.dtype.name
    if isinstance(given, np.ndarray):
        return np.resize(given, shape).astype(dtype)
    if given == "index":
        return numbers.integers(0, max(sizes["n"], 1), shape)
    if dtype == "bool":
        return numbers.random(shape) < 0.5
    if "int" in dtype:
        low = 0 if dtype.startswith("u") else -100
        return numbers.integers(low, 101, shape).astype(dtype)
    values = numbers.standard_normal(shape)
    return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def expected(name: str, args: list[object]) -> list[np.ndarray]:
    """Return what the last buffers must hold afterwards."""
    case = CASES[name]
    arrays = [value for value in args if isinstance(value, np.ndarray)]
    inputs = arrays if name in IN_PLACE else arrays[: -case.outputs]
    result = case.reference(*inputs)
    results = result if isinstance(result, tuple) else (result,)
    outputs = arrays[-case.outputs :]
    assert len(results) == case.outputs
    pairs = zip(results, outputs, strict=True)
    return [np.broadcast_to(np.asarray(value, output.dtype), output.shape) for value, output in pairs]


def usable(name: str, sizes: dict[str, int]) -> bool:
    """Tell whether a program has a meaning at these sizes."""
    return name not in NEED_ELEMENTS or (sizes["n"] > 1 and sizes["m"] > 0)


@pytest.mark.parametrize("name", CASES)
def test_no_mistakes(name: str) -> None:
    assert check_prim_func(FUNCS[name]) == []


@pytest.mark.parametrize("name", CASES)
def test_interpreter_agrees_with_numpy(name: str) -> None:
    for sizes in (*SIZES, EMPTY):
        if not usable(name, sizes):
            continue
        args = arguments(name, sizes)
        with np.errstate(all="ignore"):
            wanted = [value.copy() for value in expected(name, args)]
        values = copied(args)
        interpreter.run(FUNCS[name], values)
        found = [value for value in values if isinstance(value, np.ndarray)][-CASES[name].outputs :]
        for have, want in zip(found, wanted, strict=True):
            assert_close(have, want, CASES[name].ulps, f"{name} at {sizes}")


@pytest.mark.parametrize("name", CASES)
def test_TIR_21_compiled_agrees_with_interpreter(name: str) -> None:
    compiled = compile_prim_func(FUNCS[name])
    for sizes in (*SIZES, EMPTY):
        args = arguments(name, sizes)
        reference, values = copied(args), copied(args)
        if name in ("fibonacci", "take") and not usable(name, sizes):
            continue
        interpreter.run(FUNCS[name], reference)
        compiled.run(*values)
        for have, want in zip(values, reference, strict=True):
            if isinstance(have, np.ndarray) and isinstance(want, np.ndarray):
                assert_close(have, want, CASES[name].ulps, f"{name} at {sizes}\n{compiled.source}")


@pytest.mark.parametrize("name", CASES)
def test_strategies(name: str) -> None:
    compiled = compile_prim_func(FUNCS[name])
    assert [choice.strategy for choice in compiled.choices] == CASES[name].strategies, compiled.choices
    assert compiled.vectorized == (S not in CASES[name].strategies)


VECTOR_ONLY = sorted(set(CASES) - {"fibonacci", "take", "cumsum", "argmax", "count_down", "pad"})


@pytest.mark.parametrize("name", VECTOR_ONLY)
def test_numpy_code_really_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of ordinary size never needs the interpreter."""
    monkeypatch.setattr(interpreter, "run", lambda *args: pytest.fail("the interpreter ran"))
    compile_prim_func(FUNCS[name]).run(*arguments(name, SIZES[0]))


def test_float_programs_without_reassociation_are_bit_equal() -> None:
    """What neither sums nor calls a transcendental function gives the same bits either way. [TIR.21]"""
    for name in (
        "relu",
        "add",
        "bias_add",
        "scale",
        "leaky_relu",
        "to_float",
        "half_product",
        "outer",
        "row_max",
    ):
        args = arguments(name, SIZES[0])
        one, other = copied(args), copied(args)
        interpreter.run(FUNCS[name], one)
        compile_prim_func(FUNCS[name]).run(*other)
        for a, b in zip(one, other, strict=True):
            if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
                assert a.tobytes() == b.tobytes(), name
