"""Reductions and running totals, against loops over all elements."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, f32, fails, i32, i64, integers, random, run

NAMES = ["sum", "prod", "max", "min", "mean", "variance", "std"]


def variance(values: list[Any]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


PYTHON: dict[str, Any] = {
    "sum": sum,
    "prod": math.prod,
    "max": max,
    "min": min,
    "mean": lambda values: sum(values) / len(values),
    "variance": variance,
    "std": lambda values: math.sqrt(variance(values)),
}


def reduced(x: Any, axes: tuple[int, ...], keepdims: bool, compute: Any) -> Any:
    """Reduce by looping over all places of the result."""
    kept = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
    result = np.empty(kept, object)
    for place in np.ndindex(*kept):
        index = [range(x.shape[a]) if a in axes else [place[a]] for a in range(x.ndim)]
        result[place] = compute([x[at].item() for at in itertools.product(*index)])
    return result if keepdims else result.reshape([e for a, e in enumerate(kept) if a not in axes])


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, [0, 2], [-2], [2, 1, 0]])
@pytest.mark.parametrize("name", NAMES)
def test_against_loops(name: str, axis: Any, keepdims: bool) -> None:
    x = random(2, 3, 4, dtype="float64")
    axes = (
        tuple(range(3)) if axis is None else tuple(a % 3 for a in ([axis] if isinstance(axis, int) else axis))
    )
    expected = reduced(x, axes, keepdims, PYTHON[name]).astype(np.float64)
    check(run(name, x, axis=axis, keepdims=keepdims), expected, 1e-12)
    narrow = run(name, x.astype(np.float32), axis=axis, keepdims=keepdims)
    check(narrow, expected.astype(np.float32), 1e-5)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "variance", "std"])
def test_integers_against_loops(name: str) -> None:
    x = integers(3, 4)
    expected = reduced(x, (1,), False, PYTHON[name])
    check(run(name, x, axis=1), np.array([math.trunc(value) for value in expected], np.int32))


extents = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)


@given(extents, st.data())
def test_shapes_with_empty_axes(shape: tuple[int, ...], data: st.DataObject) -> None:
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True))
    keepdims = data.draw(st.booleans())
    x = np.ones(shape, np.float32)
    kept = [1 if a in axes else e for a, e in enumerate(shape)]
    wanted = tuple(kept) if keepdims else tuple(e for a, e in enumerate(shape) if a not in axes)
    total = math.prod(shape[a] for a in axes)
    check(run("sum", x, axis=axes, keepdims=keepdims), np.full(wanted, total, np.float32))
    check(run("prod", x, axis=axes, keepdims=keepdims), np.ones(wanted, np.float32))
    mean = run("mean", x, axis=axes, keepdims=keepdims)
    check(mean, np.full(wanted, 1.0 if total else np.nan, np.float32))
    if total or math.prod(wanted) == 0:
        check(run("max", x, axis=axes, keepdims=keepdims), np.ones(wanted, np.float32))
    else:
        fails("op-runtime-value", "max", x, axis=axes, keepdims=keepdims)
        fails("op-runtime-value", "min", x, axis=axes, keepdims=keepdims)
        fails("op-runtime-value", "mean", x.astype(np.int32), axis=axes, keepdims=keepdims)


@pytest.mark.parametrize("name", NAMES)
def test_no_axis_reduces_nothing(name: str) -> None:
    x = random(2, 3)
    result = run(name, x, axis=[])
    expected = np.zeros_like(x) if name in ("variance", "std") else x
    check(result, expected)
    assert not np.may_share_memory(result, x)


@pytest.mark.parametrize("name", [*NAMES, "argmax"])
def test_OP_5_axes(name: str) -> None:
    assert fails("op-axis", name, f32([1, 2]), axis=2).message == f"{name}: axis 2 is outside [-2, 1]"
    fails("op-axis", name, f32([1, 2]), axis=-3)
    assert (
        fails("op-axis", name, np.array(1.0), axis=0).message
        == f"{name}: there is no axis 0 in a tensor of rank 0"
    )
    if name != "argmax":
        assert fails("op-axis", name, f32([1, 2]), axis=[1, -1]).message == f"{name}: axis -1 is given twice"


def test_OP_9_empty_maximum_says_where() -> None:
    found = fails("op-runtime-value", "max", np.zeros((2, 0), np.float32), axis=1)
    assert found.message == "max: the maximum of no element is undefined: axis 1 has extent 0"
    check(run("max", np.zeros((0, 3), np.float32), axis=1), np.zeros(0, np.float32))


def test_sums_wrap_and_keep_the_dtype() -> None:
    check(run("sum", np.array([100, 100], np.int8)), np.array(-56, np.int8))
    check(run("sum", np.array([200, 100], np.uint8)), np.array(44, np.uint8))
    check(run("prod", np.array([100, 100], np.int8)), np.array(16, np.int8))
    check(run("sum", np.array([True, True])), np.array(True))
    check(run("prod", np.array([True, False])), np.array(False))
    check(run("max", np.array([True, False])), np.array(True))


def test_halves_are_summed_in_float32() -> None:
    for dtype in ("float16", "bfloat16"):
        ones = np.ones(4096, numpy_dtype(dtype))
        assert float(run("sum", ones)) == 4096
        assert run("sum", ones).dtype == ones.dtype
        assert float(run("mean", ones)) == 1
        assert float(run("variance", ones)) == 0
        assert run("max", ones).dtype == ones.dtype


def test_nan_wins() -> None:
    x = f32(1, np.nan, 2)
    for name in ("max", "min", "sum", "mean"):
        assert np.isnan(run(name, x))


def test_integer_mean_is_exact_and_rounds_toward_zero() -> None:
    check(run("mean", i32(-3, -4)), np.array(-3, np.int32))
    check(run("mean", i32(3, 4)), np.array(3, np.int32))
    big = 2**62
    check(run("mean", i64(big + 1, big + 3, big + 2)), np.array(big + 2))
    check(run("mean", i64(-big - 1, -big - 4)), np.array(-big - 2))
    most = 2**64 - 1
    check(run("mean", np.array([most, most], np.uint64)), np.array(most, np.uint64))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6))
def test_integer_mean_against_fractions(values: list[int]) -> None:
    total, count = sum(values), len(values)
    expected = abs(total) // count * (1 if total >= 0 else -1)
    assert int(run("mean", np.array(values, np.int64))) == expected


def test_bool_has_no_mean() -> None:
    for name in ("mean", "variance", "std", "median"):
        fails("op-dtype-mismatch", name, np.array([True]))


def test_median() -> None:
    x = f32([3, 1, 2, 4], [7, np.nan, 5, 5])
    values, places = run("median", x, axis=1)
    check(values, f32(2, 5))
    check(places, i64(2, 3))
    values, places = run("median", x, axis=[-1], keepdims=True)
    check(values, f32([2], [5]))
    check(places, i64([2], [3]))
    check(run("median", x), np.array(4, np.float32))
    check(run("median", x, keepdims=True), f32([4]))
    fails("op-attribute", "median", x, axis=[0, 1])
    fails("op-runtime-value", "median", np.zeros((2, 0), np.float32), axis=1)
    values, places = run("median", np.zeros((2, 0), np.float32), axis=0)
    assert (values.shape, places.shape, places.dtype) == ((0,), (0,), np.int64)
    check(run("median", np.array(5, np.int32)), np.array(5, np.int32))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_totals_against_loops(name: str, exclusive: bool) -> None:
    x = integers(3, 4)
    compute = {"cumsum": sum, "cumprod": math.prod}[name]
    for axis in (0, 1, -1, None):
        moved = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
        rows = [[compute(row[: i + (not exclusive)].tolist()) for i in range(len(row))] for row in moved]
        expected = np.array(rows, np.int64).astype(np.int32)
        shaped = expected.reshape(-1) if axis is None else np.moveaxis(expected, -1, axis)
        check(run(name, x, axis=axis, exclusive=exclusive), shaped)


def test_running_totals_dtypes() -> None:
    check(run("cumsum", np.array([100, 100], np.int8)), np.array([100, -56], np.int8))
    check(run("cumsum", np.array([100, 100], np.int8), dtype="int32"), i32(100, 200))
    check(run("cumsum", np.array([True, True]), dtype="int64"), i64(1, 2))
    fails("op-attribute", "cumsum", np.array([True]))
    fails("op-attribute", "cumsum", i32(1), dtype="bool")
    halves = run("cumsum", np.ones(4096, np.float16))
    assert (halves.dtype, float(halves[-1])) == (np.float16, 4096)
    check(run("cumsum", np.array(3.0)), np.array([3.0]))
    check(run("cumsum", np.zeros((2, 0), np.float32), axis=1, exclusive=True), np.zeros((2, 0), np.float32))
    fails("op-axis", "cumsum", f32(1), axis=1)
