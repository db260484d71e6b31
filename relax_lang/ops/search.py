"""Operators that search: places of extremes, buckets, distinct elements, non-zero elements."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_half, numpy_dtype, widen
from relax_lang.ops.index import in_range
from relax_lang.ops.reduce import refuse_empty
from relax_lang.ops.refusal import bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import search as rules
from relax_lang.ops.rules.reduce import of_elements
from relax_lang.ops.shapes import one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("search", "Searching and sets", since="later")

_AXIS = "axis: int|none = none, keepdims: bool = false"
_EXAMPLE = "(const([[1.0, 3.0], [5.0, 2.0]]), axis=1)"


@family.operator(
    "argmax",
    "x: tensor",
    _AXIS,
    infer=of_elements("the argmax of no element", "int64"),
    example="argmax" + _EXAMPLE,
)
def argmax(x: Any, axis: int | None, keepdims: bool) -> Any:
    """Find the place of the largest element along an axis, the first one of equal ones; nan counts as
    largest.

    The result is int64; the axis is left out of the shape, or is 1 with `keepdims`. Without `axis` it is the
    place among all elements, the last axis running fastest. Over no element there is none: the program ends.
    """
    return _place("argmax", x, axis, keepdims)


@family.operator(
    "argmin",
    "x: tensor",
    _AXIS,
    infer=of_elements("the argmin of no element", "int64"),
    example="argmin" + _EXAMPLE,
)
def argmin(x: Any, axis: int | None, keepdims: bool) -> Any:
    """Find the place of the smallest element along an axis, the first one of equal ones; nan counts as
    smallest.

    The result is int64; the axis is left out of the shape, or is 1 with `keepdims`. Without `axis` it is the
    place among all elements, the last axis running fastest. Over no element there is none: the program ends.
    """
    return _place("argmin", x, axis, keepdims)


def _place(name: str, x: Any, axis: int | None, keepdims: bool) -> Any:
    at = None if axis is None else one_axis(axis, x.ndim)
    axes = tuple(range(x.ndim)) if at is None else (at,)
    refuse_empty(x, axes, f"the {name} of no element")
    if x.size == 0:  # the result is empty as well
        shape = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
        places = np.zeros(shape, np.int64)
        return places if keepdims else np.squeeze(places, axes)
    places = np.asarray(getattr(widen(x), name)(at, keepdims=keepdims))
    return places.astype(np.int64, copy=False)


@family.operator(
    "bucketize",
    "input_tensor: tensor(number), boundaries: tensor(1-d number)",
    "out_int32: bool = false, right: bool = false",
    infer=rules.bucketize,
    tier=2,
    example="bucketize(const([0.5, 1.0, 2.5]), const([1.0, 2.0]))",
)
def bucketize(input_tensor: Any, boundaries: Any, out_int32: bool, right: bool) -> Any:
    """Say for every element how many boundaries lie below it; with `right` also those equal to it are
    counted.

    `boundaries` must ascend. The result has the shape of `input_tensor` and is int64, or int32 with
    `out_int32`.
    """
    bounds = widen(boundaries)
    if (bounds[1:] < bounds[:-1]).any():
        raise bad_value("`boundaries` must ascend")
    found = np.searchsorted(bounds, widen(input_tensor), side="right" if right else "left")
    return np.asarray(found).astype(np.int32 if out_int32 else np.int64, copy=False)


@family.operator(
    "unique",
    "x: tensor, sorted: prim?, return_index: prim?, return_inverse: prim?, return_counts: prim?, "
    "axis: prim(int)?",
    infer=rules.unique,
    since="spec",
    example="unique(const([3, 1, 3, 2]))",
)
def unique(x: Any, *scalars: Any) -> Any:
    """Find the distinct elements, or with `axis` the distinct slices along it; all nan are one element.

    They come sorted, or with `sorted=false` in the order of their first occurrence. The flags ask for more:
    the int64 place of every first occurrence, for every element the place of its value among the results, and
    how often each occurs; then the result is a tuple, in this order. How many there are is known only when
    the program runs: the result has rank 1, or with `axis` the rank of `x`.
    """
    in_order, *flags = [
        default if flag is None else bool(flag) for flag, default in zip(scalars, _FLAGS, strict=False)
    ]
    axis = scalars[4]
    at = None if axis is None else one_axis(axis, x.ndim)
    if in_order and not any(flags):  # the rest would cost several times as much
        return np.unique(widen(x), axis=at).astype(x.dtype, copy=False)
    found = np.unique(widen(x), return_index=True, return_inverse=True, return_counts=True, axis=at)
    values, index, inverse, counts = found
    inverse = inverse.reshape(-1)
    if not in_order:
        order = np.argsort(index, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        values, index, counts = np.take(values, order, axis=at or 0), index[order], counts[order]
        inverse = rank[inverse]
    values = values.astype(x.dtype, copy=False)
    more = [
        part.astype(np.int64, copy=False)
        for part, asked in zip((index, inverse, counts), flags, strict=True)
        if asked
    ]
    return (values, *more) if more else values


_FLAGS = (True, False, False, False)


@family.operator(
    "nonzero", "x: tensor", infer=rules.nonzero, tier=2, example="nonzero(const([[0, 1], [2, 0]]))"
)
def nonzero(x: Any) -> Any:
    """Find the coordinates of all elements that are not 0: int64 of shape (rank, count), one column per
    element.

    They come in the order of the elements, the last axis running fastest. A tensor of rank 0 counts as (1,).
    """
    return np.stack(np.nonzero(np.atleast_1d(x))).astype(np.int64, copy=False)


@family.operator(
    "multinomial_from_uniform",
    "prob: tensor(2-d float), uniform_sample: tensor(2-d float), sample_indices: tensor(2-d integer)",
    "dtype: dtype(integer) = int64",
    infer=rules.multinomial_from_uniform,
    tier=2,
    example="multinomial_from_uniform(const([[0.2, 0.8]]), const([[0.5]]), const([[0]]))",
)
def multinomial_from_uniform(prob: Any, uniform_sample: Any, sample_indices: Any, dtype: str) -> Any:
    """Draw a category for every sample, given a uniform random number each.

    `prob` (B, V) holds the probabilities in its rows; for sample i of `uniform_sample` (n, 1) the row is
    `sample_indices` (n, 1) at i. The result (n, 1) is the number of sums of the leading probabilities that do
    not exceed the random number, at most V - 1.
    """
    for name, x in (("uniform_sample", uniform_sample), ("sample_indices", sample_indices)):
        if x.shape != (uniform_sample.shape[0], 1):
            raise bad_shape(uniform_sample.shape, x.shape, f"`{name}` must have the shape (n, 1)")
    if prob.shape[1] == 0:
        raise bad_value("there is no category: axis 1 of `prob` has extent 0", axis=1)
    rows = in_range(sample_indices[:, 0], prob.shape[0], 0, "sample_indices", negative=False)
    sums = np.cumsum(prob.astype(np.float32) if is_half(prob.dtype) else prob, axis=1)[rows]
    below = (sums <= uniform_sample.astype(sums.dtype)).sum(axis=1, keepdims=True)
    return np.minimum(below, prob.shape[1] - 1).astype(numpy_dtype(dtype))
