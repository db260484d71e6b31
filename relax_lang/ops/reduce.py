"""Reductions over axes, and running sums and products.

Sums of float16 and bfloat16 are accumulated in float32. The result keeps the argument's dtype.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_float, is_half, name_of, numpy_dtype, widen
from relax_lang.ops.inference import Known
from relax_lang.ops.refusal import bad_attribute, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import axes as rule_axes
from relax_lang.ops.rules.dims import product
from relax_lang.ops.rules.reduce import of_elements, of_integers, reduced, reduction, refuse_nothing
from relax_lang.ops.shapes import elements, many_axes, one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.inference import Inference
    from relax_lang.syntax import tree

    Axes = int | Sequence[int] | None

family = Family("reduce", "Reductions and running totals")

_ATTRS = "axis: int|list[int]|none = none, keepdims: bool = false"
_EXAMPLE = "(const([[1.0, 2.0], [3.0, 5.0]]), axis=1)"

_NO_VARIANCE = "the variance of no integer"


@family.operator("sum", "x: tensor", _ATTRS, infer=reduction, example="sum" + _EXAMPLE)
def sum_(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Add the elements along the axes; over no element the sum is 0.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers wrap; of bool it is the logical or.
    """
    axes = many_axes(axis, x.ndim)
    if x.dtype.kind == "b":
        return np.any(x, axis=axes, keepdims=keepdims)
    return _in_float32(np.add, x, axes, keepdims)


@family.operator("prod", "x: tensor", _ATTRS, infer=reduction, example="prod" + _EXAMPLE)
def prod(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Multiply the elements along the axes; over no element the product is 1.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers wrap; of bool it is the logical and.
    """
    axes = many_axes(axis, x.ndim)
    if x.dtype.kind == "b":
        return np.all(x, axis=axes, keepdims=keepdims)
    return _in_float32(np.multiply, x, axes, keepdims)


def _in_float32(ufunc: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if x.dtype.char in "fd":
        return ufunc.reduce(x, axes, None, None, keepdims)
    wide = widen(x)
    total = ufunc.reduce(wide, axes, wide.dtype, None, keepdims)
    return total if wide is x else total.astype(x.dtype)


@family.operator(
    "max", "x: tensor", _ATTRS, infer=of_elements("the maximum of no element"), example="max" + _EXAMPLE
)
def max_(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Take the largest element along the axes; nan if there is one. Over no element there is none: the
    program ends.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none.
    """
    return _extreme("maximum", x, many_axes(axis, x.ndim), keepdims)


@family.operator(
    "min", "x: tensor", _ATTRS, infer=of_elements("the minimum of no element"), example="min" + _EXAMPLE
)
def min_(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Take the smallest element along the axes; nan if there is one. Over no element there is none: the
    program ends.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none.
    """
    return _extreme("minimum", x, many_axes(axis, x.ndim), keepdims)


def _extreme(ufunc: str, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if x.size and not is_half(x.dtype):
        return getattr(np, ufunc).reduce(x, axes, None, None, keepdims)
    refuse_empty(x, axes, f"the {ufunc} of no element")
    if x.size == 0:  # so is the result; NumPy refuses that if a reduced axis is empty as well
        return np.add.reduce(x, axis=axes, keepdims=keepdims, dtype=x.dtype)
    return getattr(np, ufunc).reduce(x.astype(np.float32), axes, None, None, keepdims).astype(x.dtype)


def refuse_empty(x: Any, axes: Sequence[int], what: str) -> None:
    """Refuse to reduce an axis of extent 0, unless the result is empty as well. [OP.9]"""
    if x.size:
        return
    if elements(tuple([extent for axis, extent in enumerate(x.shape) if axis not in axes])):
        empty = [axis for axis in axes if x.shape[axis] == 0]
        raise bad_value(f"{what} is undefined: axis {empty[0]} has extent 0", axis=empty[0])


@family.operator(
    "mean",
    "x: tensor(number)",
    _ATTRS,
    infer=of_integers("the mean of no integer"),
    example="mean" + _EXAMPLE,
)
def mean(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Take the average along the axes; that of no element is nan.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. The average of integers is an integer, rounded toward zero.
    """
    axes = many_axes(axis, x.ndim)
    if is_float(x.dtype):
        return average(widen(x), axes, keepdims).astype(x.dtype, copy=False)
    refuse_empty(x, axes, "the mean of no integer")
    return _integer_mean(x, axes, keepdims)


def average(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Return the mean of a float32 or float64 array; that of no element is nan."""
    total = np.add.reduce(x, axes, None, None, keepdims)
    count = elements(tuple([x.shape[axis] for axis in axes]))
    if not total.ndim:
        return total / x.dtype.type(count)
    total /= count
    return total


def _integer_mean(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Return the exact average rounded toward zero; the sum itself might not fit 64 bits."""
    count = max(1, elements(tuple([x.shape[axis] for axis in axes])))
    wide = x.astype(np.uint64 if x.dtype.kind == "u" else np.int64)
    divisor = wide.dtype.type(count)
    whole = np.add.reduce(wide // divisor, axis=axes, keepdims=keepdims)
    rest = np.add.reduce(wide % divisor, axis=axes, keepdims=keepdims)
    whole = whole + rest // divisor
    return (whole + ((whole < 0) & (rest % divisor != 0))).astype(x.dtype)


@family.operator(
    "variance", "x: tensor(number)", _ATTRS, infer=of_integers(_NO_VARIANCE), example="variance" + _EXAMPLE
)
def variance(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Take the mean square distance from the mean along the axes (divided by n, not n - 1).

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers are computed in float64 and rounded toward zero.
    """
    axes = many_axes(axis, x.ndim)
    return _as_integers(x, axes, _variance(_wide(x), axes, keepdims))


@family.operator(
    "std", "x: tensor(number)", _ATTRS, infer=of_integers(_NO_VARIANCE), example="std" + _EXAMPLE
)
def std(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Take the standard deviation along the axes, which is the square root of `variance`.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers are computed in float64 and rounded toward zero.
    """
    axes = many_axes(axis, x.ndim)
    return _as_integers(x, axes, np.sqrt(_variance(_wide(x), axes, keepdims)))


def _wide(x: Any) -> Any:
    return widen(x) if is_float(x.dtype) else x.astype(np.float64)


def _as_integers(x: Any, axes: tuple[int, ...], result: Any) -> Any:
    if not is_float(x.dtype):
        refuse_empty(x, axes, _NO_VARIANCE)
    return result.astype(x.dtype)


def _variance(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    distance = np.asarray(x - average(x, axes, keepdims=True))
    return average(np.multiply(distance, distance, out=distance), axes, keepdims)


_ONE_MEDIAN = "the median is taken along one axis, or along all"


def infer_median(call: Inference) -> tree.StructInfo:
    """Along one axis there are a value and a place each; without one there is the median of all alone."""
    data, keepdims = call.tensor(0), call.attrs["keepdims"]
    axis: Axes = call.attrs["axis"]
    if axis is not None and not isinstance(axis, int) and len(axis) != 1:
        call.bad_attribute("axis", _ONE_MEDIAN)
        return call.of_rank(None, data.dtype)
    refuse_nothing(call, data, axis, "the median of no element")
    values = reduced(call, data, axis, keepdims, data.dtype)
    if axis is None:
        return values
    return call.tuple_of((values, call.like(Known(values, call.context), "int64")))


@family.operator(
    "median",
    "data: tensor(number)",
    _ATTRS,
    infer=infer_median,
    tier=2,
    since="later",
    example="median" + _EXAMPLE,
)
def median(data: Any, axis: Axes, keepdims: bool) -> Any:
    """Take the middle element along an axis, the lower one of two; nan counts as largest.

    With one axis the result is a pair: the values, and their int64 places on that axis (of equal elements the
    place in a stable sorting). Without `axis` it is the median of all elements alone, of shape (). The axis
    is left out of the shape, or is 1 with `keepdims`. Several axes are refused, as is an axis of extent 0.
    """
    if axis is not None and not isinstance(axis, int):
        if len(axis) != 1:
            raise bad_attribute("axis", _ONE_MEDIAN)
        axis = axis[0]
    flat = data.reshape(-1) if axis is None else data
    at = one_axis(0 if axis is None else axis, flat.ndim)
    refuse_empty(flat, (at,), "the median of no element")
    if flat.size == 0:
        middle = np.zeros((*flat.shape[:at], 1, *flat.shape[at + 1 :]), np.int64)
    else:
        order = np.argsort(widen(flat), axis=at, kind="stable")
        middle = np.take(order, [(flat.shape[at] - 1) // 2], axis=at)
    values = np.take_along_axis(flat, middle, at)
    if axis is None:
        return values.reshape((1,) * data.ndim if keepdims else ())
    return (values, middle) if keepdims else (np.squeeze(values, at), np.squeeze(middle, at))


_SCAN = "axis: int|none = none, dtype: dtype|none = none, exclusive: bool = false"


def infer_scan(call: Inference) -> tree.StructInfo:
    """Along an axis the shape stays; without one the result is one row of all elements."""
    data, axis = call.tensor(0), call.attrs["axis"]
    dtype = call.attrs["dtype"] or data.dtype
    if dtype == "bool":
        call.bad_attribute("dtype", _NO_TOTALS.format(dtype))
    if axis is None:
        if data.dims is None:
            return call.of_rank(1, dtype)
        return call.tensor_of((product(call, data.dims),), dtype)
    if data.rank is not None:
        rule_axes.one_axis(call, axis, data.rank)
    return call.like(data, dtype)


_NO_TOTALS = "{} holds no totals; name the dtype of the result"


@family.operator(
    "cumsum",
    "data: tensor",
    _SCAN,
    infer=infer_scan,
    since="later",
    example="cumsum(const([[1, 2], [3, 4]]), axis=1)",
)
def cumsum(data: Any, axis: int | None, dtype: str | None, exclusive: bool) -> Any:
    """Add up the elements along an axis, each with those before it; `exclusive` leaves the element itself
    out.

    The result has the shape of `data`; without `axis`, `data` is taken as one row of all its elements.
    `dtype` is that of the result and of the sums; bool needs one. Integers wrap.
    """
    return _scan("add", data, axis, dtype, exclusive)


@family.operator(
    "cumprod",
    "data: tensor",
    _SCAN,
    infer=infer_scan,
    tier=2,
    since="later",
    example="cumprod(const([[1, 2], [3, 4]]), axis=1)",
)
def cumprod(data: Any, axis: int | None, dtype: str | None, exclusive: bool) -> Any:
    """Multiply the elements along an axis, each with those before it; `exclusive` leaves the element
    itself out.

    The result has the shape of `data`; without `axis`, `data` is taken as one row of all its elements.
    `dtype` is that of the result and of the products; bool needs one. Integers wrap.
    """
    return _scan("multiply", data, axis, dtype, exclusive)


def _scan(ufunc: str, data: Any, axis: int | None, dtype: str | None, exclusive: bool) -> Any:
    wanted = data.dtype if dtype is None else numpy_dtype(dtype)
    if wanted.kind == "b":
        raise bad_attribute("dtype", _NO_TOTALS.format(name_of(wanted)))
    x = data.reshape(-1) if axis is None else data
    at = 0 if axis is None else one_axis(axis, data.ndim)
    wide = widen(x.astype(wanted, copy=False))
    total = getattr(np, ufunc).accumulate(wide, at, wide.dtype)
    if exclusive and total.shape[at]:
        total = np.roll(total, 1, axis=at)
        total[(slice(None),) * at + (0,)] = 0 if ufunc == "add" else 1
    return total.astype(wanted, copy=False)
