"""Operators of two and three tensors: broadcasting, dtypes, corner values."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.values import RunFailure
from tests.ops.harness import check, f32, fails, i32, integers, random, run

ARITHMETIC = ["add", "subtract", "multiply", "divide", "floor_divide", "mod", "floor_mod", "power"]
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
SCALAR: dict[str, Any] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": lambda a, b: int(a / b),
    "floor_divide": operator.floordiv,
    "mod": math.fmod,
    "floor_mod": operator.mod,
    "maximum": max,
    "minimum": min,
}

extents = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@given(extents, extents)
def test_OP_6_OP_9_broadcasting_is_that_of_numpy(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    x1, x2 = np.ones(left, np.float32), np.full(right, 2, np.float32)
    try:
        expected = np.broadcast_shapes(left, right)
    except ValueError:
        with pytest.raises(RunFailure, match="op-runtime-shape"):
            run("add", x1, x2)
    else:
        for name in ("add", "less", "maximum"):
            assert run(name, x1, x2).shape == expected
        condition = np.ones(right, bool)
        assert run("where", condition, x1, x1).shape == expected


def test_OP_9_message_names_axis_and_extents() -> None:
    found = fails("op-runtime-shape", "add", np.ones((2, 3)), np.ones((2, 4)))
    assert found.message == "add: shapes (2, 3) and (2, 4) do not fit: axis 1 is 3 in `x1` and 4 in `x2`"
    assert (found.facts["left"], found.facts["right"]) == ((2, 3), (2, 4))
    found = fails("op-runtime-shape", "less", np.ones((2, 3)), np.ones(4))
    assert found.message == "less: shapes (2, 3) and (4,) do not fit: axis -1 is 3 in `x1` and 4 in `x2`"


@pytest.mark.parametrize("name", [*ARITHMETIC, "maximum", "minimum"])
def test_OP_7_dtypes_must_be_the_same(name: str) -> None:
    found = fails("op-dtype-mismatch", name, f32(1), i32(1))
    assert found.message == f"{name}: `x1` is float32, `x2` is int32; one dtype is needed"
    fails("op-dtype-mismatch", name, f32(1), np.array([True]))
    fails("op-dtype-mismatch", name, np.array([1.0]), f32(1))


@pytest.mark.parametrize("name", SCALAR)
def test_integers_against_python(name: str) -> None:
    x1, x2 = integers(200, seed=1), integers(200, seed=2)
    x2[x2 == 0] = 7
    check(run(name, x1, x2), i32(*[int(SCALAR[name](int(a), int(b))) for a, b in zip(x1, x2, strict=True)]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", [*ARITHMETIC, "maximum", "minimum", "atan2", "log_add_exp"])
def test_floats_against_python(name: str, dtype: str) -> None:
    kind = numpy_dtype(dtype)
    x1, x2 = np.abs(random(50, seed=1)).astype(kind), np.abs(random(50, seed=2)).astype(kind)
    compute: Any = {
        **SCALAR,
        "divide": operator.truediv,
        "power": operator.pow,
        "atan2": math.atan2,
        "log_add_exp": lambda a, b: math.log(math.exp(a) + math.exp(b)),
    }[name]
    expected = [compute(float(a), float(b)) for a, b in zip(x1, x2, strict=True)]
    result = run(name, x1, x2)
    assert result.dtype == kind
    step = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 3e-7, "float64": 1e-15}[dtype]
    np.testing.assert_allclose(result.astype(np.float64), expected, step, step / 10)


def test_integer_division() -> None:
    x1, x2 = i32(7, -7, 7, -7, 6), i32(2, 2, -2, -2, -2)
    check(run("divide", x1, x2), i32(3, -3, -3, 3, -3))
    check(run("floor_divide", x1, x2), i32(3, -4, -4, 3, -3))
    check(run("mod", x1, x2), i32(1, -1, 1, -1, 0))
    check(run("floor_mod", x1, x2), i32(1, 1, -1, -1, 0))
    least = np.array([-128], np.int8)
    check(run("divide", least, np.array([-1], np.int8)), least)
    check(run("divide", np.array([200], np.uint8), np.array([7], np.uint8)), np.array([28], np.uint8))


@pytest.mark.parametrize("name", ["divide", "floor_divide", "mod", "floor_mod"])
def test_OP_9_integer_division_by_zero(name: str) -> None:
    found = fails("op-runtime-value", name, i32(1, 2), i32(1, 0))
    assert found.message == f"{name}: integer division by zero in `x2`"
    check(run(name, np.zeros((0,), np.int32), i32(0)), np.zeros((0,), np.int32))
    check(run(name, np.zeros((0, 1), np.int32), i32(0, 0)), np.zeros((0, 2), np.int32))


def test_float_division_by_zero_is_ieee() -> None:
    check(run("divide", f32(1, -1, 0), f32(0, 0, 0)), f32(np.inf, -np.inf, np.nan))
    check(run("floor_mod", f32(-7.5, 7.5), f32(2, -2)), f32(0.5, -0.5))
    check(run("mod", f32(-7.5, 7.5), f32(2, -2)), f32(-1.5, 1.5))
    check(run("floor_mod", f32(1), f32(np.inf)), f32(1))


def test_integers_wrap() -> None:
    check(run("add", np.array([127], np.int8), np.array([1], np.int8)), np.array([-128], np.int8))
    check(run("multiply", np.array([16], np.uint8), np.array([16], np.uint8)), np.array([0], np.uint8))


def test_power() -> None:
    check(run("power", i32(2, -3, 0), i32(3, 2, 0)), i32(8, 9, 1))
    check(run("power", f32(0, np.nan, 1, -8), f32(0, 0, np.nan, 0.5)), f32(1, 1, 1, np.nan))
    found = fails("op-runtime-value", "power", i32(2), i32(-1))
    assert "negative power" in found.message


def test_bool_is_no_integer() -> None:
    yes, no = np.array([True, True, False]), np.array([True, False, False])
    check(run("add", yes, no), [True, True, False])
    check(run("multiply", yes, no), [True, False, False])
    check(run("maximum", yes, no), [True, True, False])
    for name in ("subtract", "divide", "floor_divide", "mod", "floor_mod", "power"):
        fails("op-dtype-mismatch", name, yes, no)


def test_nan_in_maximum_and_minimum() -> None:
    check(run("maximum", f32(1, np.nan), f32(np.nan, 1)), f32(np.nan, np.nan))
    check(run("minimum", f32(1, np.nan), f32(np.nan, 1)), f32(np.nan, np.nan))


def test_log_add_exp_does_not_overflow() -> None:
    check(run("log_add_exp", f32(1000, -np.inf), f32(1000, -np.inf)), f32(1000 + math.log(2), -np.inf))


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name: str) -> None:
    values = (-1.5, 0.0, 2.0, float("nan"))
    x1 = f32(*[a for a in values for _ in values])
    x2 = f32(*[b for _ in values for b in values])
    expected = [COMPARISONS[name](float(a), float(b)) for a, b in zip(x1, x2, strict=True)]
    check(run(name, x1, x2), expected)
    check(run(name, x1.astype(numpy_dtype("bfloat16")), x2), expected)
    check(run(name, x1.astype(np.float16), x2.astype(numpy_dtype("bfloat16"))), expected)


def test_comparisons_of_different_dtypes_are_exact() -> None:
    check(run("equal", np.array([2**53 + 1]), np.array([2**53], np.uint64)), [False])
    check(run("less", i32(-1), np.array([0], np.uint64)), [True])
    check(run("equal", np.array([True, False]), np.array([True, True])), [True, False])


@pytest.mark.parametrize(
    ("name", "table"),
    [("and", [1, 0, 0, 0]), ("or", [1, 1, 1, 0]), ("xor", [0, 1, 1, 0])],
)
def test_logical_and_bitwise(name: str, table: list[int]) -> None:
    x1, x2 = np.array([True, True, False, False]), np.array([True, False, True, False])
    check(run(f"logical_{name}", x1, x2), np.array(table, bool))
    check(run(f"bitwise_{name}", x1, x2), np.array(table, bool))
    check(run(f"bitwise_{name}", x1.astype(np.int8), x2.astype(np.int8)), np.array(table, np.int8))
    fails("op-dtype-mismatch", f"logical_{name}", i32(1), i32(1))
    fails("op-dtype-mismatch", f"bitwise_{name}", f32(1), f32(1))


def test_shifts() -> None:
    check(run("left_shift", i32(1, 3), i32(4, 31)), i32(16, -(2**31)))
    check(run("right_shift", i32(-8, 8), i32(1, 1)), i32(-4, 4))
    check(run("right_shift", np.array([200], np.uint8), np.array([1], np.uint8)), np.array([100], np.uint8))
    fails("op-runtime-value", "left_shift", i32(1), i32(32))
    fails("op-runtime-value", "right_shift", i32(1), i32(-1))
    fails("op-dtype-mismatch", "left_shift", f32(1), f32(1))


def test_where() -> None:
    condition = np.array([[True], [False]])
    check(run("where", condition, f32(1, 2), f32(3, 4)), f32([1, 2], [3, 4]))
    fails("op-dtype-mismatch", "where", i32(1), f32(1), f32(1))
    fails("op-dtype-mismatch", "where", condition, f32(1), i32(1))
    found = fails("op-runtime-shape", "where", np.ones(3, bool), f32(1, 2), f32(1, 2))
    assert "axis 0 is 2 in `x1` and 3 in `condition`" in found.message
    half = np.array([1.0], numpy_dtype("bfloat16"))
    assert run("where", np.array([True]), half, half).dtype == half.dtype


def test_ewise_fma() -> None:
    check(run("ewise_fma", i32(1, 2), i32(3, 4), i32(5, 6)), i32(8, 14))
    fails("op-runtime-shape", "ewise_fma", f32(1, 2), f32(1), f32(1, 2))
    fails("op-dtype-mismatch", "ewise_fma", f32(1), f32(1), i32(1))


def test_masked_fill() -> None:
    check(run("masked_fill", f32(1, 2), np.array([True, False]), np.array(7, np.int32)), f32(7, 2))
    fails("op-argument", "masked_fill", f32(1, 2), np.array([True, False]), f32(7))
