"""Operators of one tensor, against the mathematical functions of Python and against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, f32, fails, i32, random, run

FUNCTIONS = {
    "acos": math.acos,
    "acosh": lambda x: math.acosh(x + 2),
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "atanh": math.atanh,
    "cos": math.cos,
    "cosh": math.cosh,
    "erf": math.erf,
    "exp": math.exp,
    "log": lambda x: math.log(x + 2),
    "rsqrt": lambda x: 1 / math.sqrt(x + 2),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "sin": math.sin,
    "sinh": math.sinh,
    "sqrt": lambda x: math.sqrt(x + 2),
    "tan": math.tan,
    "tanh": math.tanh,
}
SHIFTED = ("acosh", "log", "rsqrt", "sqrt")
STEP = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 5e-7, "float64": 2e-15}


@pytest.mark.parametrize("dtype", STEP)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_float_functions(name: str, dtype: str) -> None:
    x = np.linspace(-0.875, 0.875, 29).astype(numpy_dtype(dtype))
    given = x + x.dtype.type(2) if name in SHIFTED else x
    shift = 2.0 if name in SHIFTED else 0.0
    expected = [FUNCTIONS[name](float(value) - shift) for value in given]
    actual = run(name, given)
    assert actual.dtype == given.dtype
    np.testing.assert_allclose(actual.astype(np.float64), expected, STEP[dtype], STEP[dtype] / 4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_OP_7_float_functions_take_floats_only(name: str) -> None:
    for x in (i32(1), np.array([True])):
        found = fails("op-dtype-mismatch", name, x)
        assert f"does not take {x.dtype.name}" in found.message


@pytest.mark.parametrize("name", ["abs", "negative", "sign"])
def test_OP_7_bool_is_no_number(name: str) -> None:
    fails("op-dtype-mismatch", name, np.array([True]))


@pytest.mark.parametrize("name", [*FUNCTIONS, "abs", "ceil", "sign", "square", "round", "isnan", "nn.relu"])
@pytest.mark.parametrize("extents", [(), (0,), (1,), (2, 0, 3), (2, 3)])
def test_shapes_stay(name: str, extents: tuple[int, ...]) -> None:
    x = np.full(extents, 0.5, np.float32)
    result = run(name, x)
    assert result.shape == extents
    assert isinstance(result, np.ndarray)
    assert not np.may_share_memory(result, x)


def test_erf_is_accurate_to_the_dtype() -> None:
    x = np.concatenate([random(20000, dtype="float64") * 2, np.linspace(-7, 7, 9001)])
    exact = np.array([math.erf(value) for value in x])
    np.testing.assert_array_less(np.abs(run("erf", x) - exact), 2 * np.spacing(np.abs(exact)) + 1e-320)
    narrow = x.astype(np.float32)
    exact = np.array([math.erf(value) for value in narrow.astype(np.float64)])
    steps = np.abs(run("erf", narrow).astype(np.float64) - exact) / np.spacing(
        np.abs(exact).astype(np.float32)
    )
    assert steps.max() < 0.6


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erf_at_the_edges(dtype: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 10.0, -10.0, 1e-30], dtype)
    result = run("erf", x)
    np.testing.assert_array_equal(result[:7], np.array([np.nan, 1, -1, 0.0, -0.0, 1, -1], dtype))
    assert np.signbit(result[4])
    assert result[7] == np.array(1e-30 * 2 / math.sqrt(math.pi), dtype)


def test_sigmoid_never_overflows() -> None:
    x = f32(-np.inf, -100, -88, 0, 88, 100, np.inf, np.nan)
    result = run("sigmoid", x)
    assert result[0] == 0
    assert result[6] == 1
    assert np.isnan(result[7])
    np.testing.assert_allclose(result[1:6], [np.exp(-100.0), np.exp(-88.0), 0.5, 1, 1], rtol=0.04)


def test_out_of_domain_is_nan_or_inf() -> None:
    check(run("sqrt", f32(-1.0, 0.0)), f32(np.nan, 0))
    check(run("log", f32(-1.0, 0.0)), f32(np.nan, -np.inf))
    check(run("rsqrt", f32(-1.0, 0.0)), f32(np.nan, np.inf))
    check(run("acos", f32(2.0)), f32(np.nan))


def test_rounding() -> None:
    x = f32(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1.2, np.nan, np.inf)
    check(run("round", x), f32(-2, -2, -0.0, 0, 2, 2, 1, np.nan, np.inf))
    check(run("ceil", x), f32(-2, -1, -0.0, 1, 2, 3, 2, np.nan, np.inf))
    check(run("floor", x), f32(-3, -2, -1, 0, 1, 2, 1, np.nan, np.inf))
    check(run("trunc", x), f32(-2, -1, -0.0, 0, 1, 2, 1, np.nan, np.inf))


@pytest.mark.parametrize("name", ["ceil", "floor", "round", "trunc"])
@pytest.mark.parametrize("dtype", ["int8", "uint64", "bool"])
def test_rounding_leaves_integers_alone(name: str, dtype: str) -> None:
    x = np.array([0, 1, 100]).astype(dtype)
    check(run(name, x), x)


def test_integers_wrap() -> None:
    x = np.array([-128, 127, 100], np.int8)
    check(run("abs", x), np.array([-128, 127, 100], np.int8))
    check(run("negative", x), np.array([-128, -127, -100], np.int8))
    check(run("square", x), np.array([0, 1, 16], np.int8))
    check(run("negative", np.array([1], np.uint8)), np.array([255], np.uint8))
    check(run("sign", np.array([0, 7], np.uint8)), np.array([0, 1], np.uint8))


def test_sign_keeps_nan() -> None:
    check(run("sign", f32(-3, 0, 2, np.nan)), f32(-1, 0, 1, np.nan))


def test_predicates() -> None:
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        x = np.array([1, np.inf, -np.inf, np.nan]).astype(numpy_dtype(dtype))
        check(run("isfinite", x), [True, False, False, False])
        check(run("isinf", x), [False, True, True, False])
        check(run("isnan", x), [False, False, False, True])
    check(run("isfinite", i32(1, 2)), [True, True])
    check(run("isnan", np.array([True])), [False])


def test_logical_and_bitwise_not() -> None:
    check(run("logical_not", np.array([True, False])), [False, True])
    check(run("bitwise_not", i32(0, 5)), i32(-1, -6))
    check(run("bitwise_not", np.array([True])), [False])
    fails("op-dtype-mismatch", "logical_not", i32(1))
    fails("op-dtype-mismatch", "bitwise_not", f32(1))


def test_clip() -> None:
    check(run("clip", f32(-2, 0.5, 3, np.nan), 0, 1.0), f32(0, 0.5, 1, np.nan))
    check(run("clip", i32(-2, 1, 3), 0.5, 1.5), i32(0, 1, 1))
    check(run("clip", f32(-2, 0.5, 3), 2, 1), f32(2, 2, 2))
    check(run("clip", np.array([-100, 100], np.int8), -1000, float("inf")), np.array([-100, 100], np.int8))
    check(run("clip", np.array([5, 100], np.uint8), -1, 50), np.array([5, 50], np.uint8))
    check(run("clip", np.array(5.0), 0, 1), np.array(1.0))
    check(run("clip", np.array([5.0], np.float16), 0, 1), np.array([1.0], np.float16))
    check(run("clip", np.array([5.0], np.float16), 10**20, 10**20), np.array([np.inf], np.float16))
    fails("op-runtime-value", "clip", i32(1), float("nan"), 1)
    fails("op-dtype-mismatch", "clip", np.array([True]), 0, 1)


def test_halves_are_rounded_once() -> None:
    x = random(1000, dtype="float16")
    exact = np.tanh(x.astype(np.float64)).astype(np.float16)
    assert (run("tanh", x) == exact).mean() > 0.99
    for dtype in ("float16", "bfloat16"):
        value: Any = np.array([1.5]).astype(numpy_dtype(dtype))
        assert run("square", value)[0] == 2.25


@pytest.mark.parametrize("count", [40, 40_000])
@pytest.mark.parametrize("name", ["sigmoid", "nn.silu"])
def test_logistic_functions_of_the_smallest_numbers_and_of_parts_of_arrays(name: str, count: int) -> None:
    whole = np.linspace(-3, 3, count * 2, dtype=np.float32).reshape(-1, 4)
    whole[1:3, 1::2] = [[-95, np.nan], [-np.inf, np.inf]]
    part = whole[:, 1::2]
    wide = part.astype(np.float64)
    with np.errstate(all="ignore"):
        expected = 1 / (1 + np.exp(-wide))
        expected = expected if name == "sigmoid" else expected * wide
    text = f"def @main(x: Tensor[(n, 2), float32]) {{ {name}(x) }}"
    for array in (part, part.T.copy().T, np.ascontiguousarray(part)):
        found = np.asarray(api.run(text, array))
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-42)
        assert found[1, 0] != 0, "what is small is not lost"
