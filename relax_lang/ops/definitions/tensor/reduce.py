"""Reductions over axes, and running sums and products.

Sums of float16 and bfloat16 are accumulated in float32. The result keeps the argument's dtype.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_float, name_of, numpy_dtype, widen
from relax_lang.ops.core.errors import bad_attribute, bad_value
from relax_lang.ops.core.inference import Known
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import constant, wide_dtype, widened
from relax_lang.ops.numpy_kernels.shape_checks import along, elements, many_axes, one_axis
from relax_lang.ops.shape_rules.shared import axes as rule_axes
from relax_lang.ops.shape_rules.shared.dims import product
from relax_lang.ops.shape_rules.tensor.reduce import (
    of_elements,
    of_integers,
    reduced,
    reduction,
    refuse_nothing,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.specialization import Run1, TensorSpec
    from relax_lang.syntax import tree

    Shape = tuple[int, ...]
    Axes = int | Sequence[int] | None

family = Family(__name__, "Reductions and running totals", rows="reduction")

_ATTRS = "axis: int|list[int]|none = none, keepdims: bool = false"
_EXAMPLE = "(const([[1.0, 2.0], [3.0, 5.0]]), axis=1)"

_NO_VARIANCE = "the variance of no integer"


@family.planned(
    "sum", "x: tensor", _ATTRS, infer=reduction, also=("onnx.ReduceSum",), example="sum" + _EXAMPLE
)
def sum_(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Add the elements along the axes; over no element the sum is 0.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers wrap; of bool it is the logical or.
    """
    return _total("logical_or" if x.dtype.kind == "b" else "add", x, many_axes(axis, x.ndim), keepdims)


@family.planned(
    "prod", "x: tensor", _ATTRS, infer=reduction, also=("onnx.ReduceProd",), example="prod" + _EXAMPLE
)
def prod(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Multiply the elements along the axes; over no element the product is 1.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers wrap; of bool it is the logical and.
    """
    return _total("logical_and" if x.dtype.kind == "b" else "multiply", x, many_axes(axis, x.ndim), keepdims)


def _total(ufunc: str, x: TensorSpec, axes: tuple[int, ...], keepdims: bool) -> Run1:
    reduce, dtype, wide = getattr(np, ufunc).reduce, x.dtype, wide_dtype(x.dtype)
    if wide is dtype:
        return lambda x: reduce(x, axes, dtype, None, keepdims)
    return lambda x: reduce(x, axes, wide, None, keepdims).astype(dtype)


@family.planned(
    "max",
    "x: tensor",
    _ATTRS,
    infer=of_elements("the maximum of no element"),
    also=("np.amax", "torch.amax", "onnx.ReduceMax"),
    example="max" + _EXAMPLE,
)
def max_(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Take the largest element along the axes; nan if there is one. Over no element there is none: the
    program ends.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none.
    """
    return _extreme("maximum", x, many_axes(axis, x.ndim), keepdims)


@family.planned(
    "min",
    "x: tensor",
    _ATTRS,
    infer=of_elements("the minimum of no element"),
    also=("np.amin", "torch.amin", "onnx.ReduceMin"),
    example="min" + _EXAMPLE,
)
def min_(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Take the smallest element along the axes; nan if there is one. Over no element there is none: the
    program ends.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none.
    """
    return _extreme("minimum", x, many_axes(axis, x.ndim), keepdims)


def _extreme(ufunc: str, x: TensorSpec, axes: tuple[int, ...], keepdims: bool) -> Run1:
    refuse_empty(x.shape, axes, f"the {ufunc} of no element")
    if x.size == 0:  # so is the result; NumPy refuses that if a reduced axis is empty as well
        return _total("add", x, axes, keepdims)
    reduce, dtype, wide = getattr(np, ufunc).reduce, x.dtype, wide_dtype(x.dtype)
    if wide is dtype:
        return lambda x: reduce(x, axes, None, None, keepdims)
    return lambda x: reduce(x.astype(wide), axes, None, None, keepdims).astype(dtype)


def refuse_empty(shape: Shape, axes: Sequence[int], what: str) -> None:
    """Refuse to reduce an axis of extent 0, unless the result is empty as well. [OP.9]"""
    empty = [axis for axis in axes if shape[axis] == 0]
    if empty and elements(tuple([extent for axis, extent in enumerate(shape) if axis not in axes])):
        raise bad_value(f"{what} is undefined: axis {empty[0]} has extent 0", axis=empty[0])


@family.planned(
    "mean",
    "x: tensor(number)",
    _ATTRS,
    infer=of_integers("the mean of no integer"),
    also=("np.average", "onnx.ReduceMean"),
    example="mean" + _EXAMPLE,
)
def mean(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Take the average along the axes; that of no element is nan.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. The average of integers is an integer, rounded toward zero; of no integer there is none,
    and the program ends.
    """
    axes = many_axes(axis, x.ndim)
    if is_float(x.dtype):
        return widened(x.dtype, average(x.shape, axes, wide_dtype(x.dtype), keepdims))
    refuse_empty(x.shape, axes, "the mean of no integer")
    return _integer_mean(x, axes, keepdims)


def average(shape: Shape, axes: tuple[int, ...], dtype: Any, keepdims: bool) -> Run1:
    """Plan the mean of arrays of a shape, and of dtype float32 or float64; that of no element is nan."""
    add, divide = np.add.reduce, np.divide
    count = constant(elements(tuple([shape[axis] for axis in axes])), dtype)
    if not shape or (
        len(axes) == len(shape) and not keepdims
    ):  # of rank 0 NumPy makes scalars, not to be written to
        return lambda x: divide(add(x, axes, None, None, keepdims), count)

    def run(x: Any) -> Any:
        total = add(x, axes, None, None, keepdims)
        return divide(total, count, total)

    return run


def _integer_mean(x: TensorSpec, axes: tuple[int, ...], keepdims: bool) -> Run1:
    """Plan the exact average rounded toward zero; the sum itself might not fit 64 bits."""
    dtype, wide = x.dtype, np.dtype(np.uint64 if x.dtype.kind == "u" else np.int64)
    count = constant(max(1, elements(tuple([x.shape[axis] for axis in axes]))), wide)
    divmod_, add = np.divmod, np.add.reduce

    def run(x: Any) -> Any:
        quotients, rests = divmod_(x.astype(wide, copy=False), count)
        more, rest = divmod_(add(rests, axes, None, None, keepdims), count)
        whole = add(quotients, axes, None, None, keepdims) + more
        return (whole + ((whole < 0) & (rest != 0))).astype(dtype)

    return run


@family.planned(
    "variance",
    "x: tensor(number)",
    _ATTRS,
    infer=of_integers(_NO_VARIANCE),
    also=("np.var", "torch.var"),
    example="variance" + _EXAMPLE,
)
def variance(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Take the mean square distance from the mean along the axes (divided by n, not n - 1).

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers are computed in float64 and rounded toward zero; over no integer the program ends.
    """
    return _spread(x, many_axes(axis, x.ndim), keepdims, root=False)


@family.planned("std", "x: tensor(number)", _ATTRS, infer=of_integers(_NO_VARIANCE), example="std" + _EXAMPLE)
def std(x: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Take the standard deviation along the axes, which is the square root of `variance`.

    The axes are left out of the shape, or are 1 with `keepdims`; without `axis` all of them are reduced, with
    an empty list none. Integers are computed in float64 and rounded toward zero; over no integer the program ends.
    """
    return _spread(x, many_axes(axis, x.ndim), keepdims, root=True)


def _spread(x: TensorSpec, axes: tuple[int, ...], keepdims: bool, *, root: bool) -> Run1:
    """Plan the variance, or its square root."""
    dtype, shape, whole = x.dtype, x.shape, not is_float(x.dtype)
    if whole:
        refuse_empty(shape, axes, _NO_VARIANCE)
    wide = np.dtype(np.float64) if whole else wide_dtype(dtype)
    center, average_of = average(shape, axes, wide, keepdims=True), average(shape, axes, wide, keepdims)
    empty, subtract, multiply, sqrt = np.empty, np.subtract, np.multiply, np.sqrt

    def run(x: Any) -> Any:
        distance = subtract(x, center(x), empty(shape, wide))
        found = average_of(multiply(distance, distance, distance))
        return sqrt(found) if root else found

    return (lambda x: run(x.astype(wide)).astype(dtype)) if whole else widened(dtype, run)


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


@family.planned(
    "median",
    "data: tensor(number)",
    _ATTRS,
    tvm="x axis keepdims",
    infer=infer_median,
    since="later",
    example="median" + _EXAMPLE,
)
def median(data: TensorSpec, axis: Axes, keepdims: bool) -> Run1:
    """Take the middle element along an axis, the lower one of two; nan counts as largest.

    With one axis the result is a pair: the values, and their int64 places on that axis (of equal elements the
    place in a stable sorting). Without `axis` it is the median of all elements alone, of shape (). The axis
    is left out of the shape, or is 1 with `keepdims`. Several axes are refused. Over no element there is none:
    the program ends.
    """
    if axis is not None and not isinstance(axis, int):
        if len(axis) != 1:
            raise bad_attribute("axis", _ONE_MEDIAN)
        axis = axis[0]
    shape = (data.size,) if axis is None else data.shape
    at = one_axis(0 if axis is None else axis, len(shape))
    refuse_empty(shape, (at,), "the median of no element")
    kept = tuple([1 if each == at else extent for each, extent in enumerate(shape)])
    left = kept if keepdims else (*shape[:at], *shape[at + 1 :])
    middle = along(at, slice((shape[at] - 1) // 2, (shape[at] - 1) // 2 + 1))
    whole = (1,) * data.ndim if keepdims else ()

    def run(data: Any) -> Any:
        flat = data.reshape(shape)
        places = widen(flat).argsort(at, kind="stable")[middle].reshape(kept).copy()  # only these are used
        values = np.take_along_axis(flat, places, at)
        return values.reshape(whole) if axis is None else (values.reshape(left), places.reshape(left))

    return run


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


@family.planned(
    "cumsum",
    "data: tensor",
    _SCAN,
    infer=infer_scan,
    rows="along axis",
    since="later",
    also=("np.cumulative_sum",),
    example="cumsum(const([[1, 2], [3, 4]]), axis=1)",
)
def cumsum(data: TensorSpec, axis: int | None, dtype: str | None, exclusive: bool) -> Run1:
    """Add up the elements along an axis, each with those before it; `exclusive` leaves the element itself
    out.

    The result has the shape of `data`; without `axis`, `data` is taken as one row of all its elements.
    `dtype` is that of the result and of the sums, and a number; bool needs one. Integers wrap.
    """
    return _scan("add", data, axis, dtype, 0 if exclusive else None)


@family.planned(
    "cumprod",
    "data: tensor",
    _SCAN,
    infer=infer_scan,
    rows="along axis",
    since="later",
    also=("np.cumulative_prod",),
    example="cumprod(const([[1, 2], [3, 4]]), axis=1)",
)
def cumprod(data: TensorSpec, axis: int | None, dtype: str | None, exclusive: bool) -> Run1:
    """Multiply the elements along an axis, each with those before it; `exclusive` leaves the element
    itself out.

    The result has the shape of `data`; without `axis`, `data` is taken as one row of all its elements.
    `dtype` is that of the result and of the products, and a number; bool needs one. Integers wrap.
    """
    return _scan("multiply", data, axis, dtype, 1 if exclusive else None)


def _scan(ufunc: str, data: TensorSpec, axis: int | None, dtype: str | None, first: int | None) -> Run1:
    """Plan running totals, or with `first`, which begins each, those without the element itself."""
    wanted = data.dtype if dtype is None else numpy_dtype(dtype)
    if wanted.kind == "b":
        raise bad_attribute("dtype", _NO_TOTALS.format(name_of(wanted)))
    at, wide = 0 if axis is None else one_axis(axis, data.ndim), wide_dtype(wanted)
    shape = (data.size,) if axis is None else data.shape
    accumulate, exactly = getattr(np, ufunc).accumulate, data.dtype == wanted == wide
    if exactly and first is None:
        return lambda data: (
            accumulate(data.reshape(shape), at, wide) if axis is None else accumulate(data, at, wide)
        )
    before, behind, start = along(at, slice(0, -1)), along(at, slice(1, None)), along(at, slice(0, 1))

    def run(data: Any) -> Any:
        x = data.reshape(shape).astype(wanted, copy=False)
        if first is None:
            return accumulate(x, at, wide).astype(wanted, copy=False)
        total = np.empty(shape, wide)
        total[start] = first
        accumulate(x[before], at, wide, total[behind])
        return total.astype(wanted, copy=False)

    return run
