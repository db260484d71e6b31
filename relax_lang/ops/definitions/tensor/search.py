"""Operators that search: places of extremes, buckets, distinct elements, non-zero elements."""

from __future__ import annotations

from operator import methodcaller

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_half, numpy_dtype, widen
from relax_lang.ops.core.errors import bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.definitions.tensor.reduce import refuse_empty
from relax_lang.ops.numpy_kernels.indexing import in_range
from relax_lang.ops.numpy_kernels.shape_checks import one_axis
from relax_lang.ops.shape_rules.tensor import search as rules
from relax_lang.ops.shape_rules.tensor.reduce import of_elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, Run2, Run3, TensorSpec

family = Family(__name__, "Searching and sets", since="later")

_AXIS = "axis: int|none = none, keepdims: bool = false"
_EXAMPLE = "(const([[1.0, 3.0], [5.0, 2.0]]), axis=1)"


@family.planned(
    "argmax",
    "x: tensor",
    _AXIS,
    infer=of_elements("the argmax of no element", "int64"),
    rows="reduction",
    example="argmax" + _EXAMPLE,
)
def argmax(x: TensorSpec, axis: int | None, keepdims: bool) -> Run1:
    """Find the index of the largest element along an axis, the first one of equal ones; nan counts as
    largest.

    The result is int64; the axis is left out of the shape, or is 1 with `keepdims`. Without `axis` it is the
    index among all elements, the last axis running fastest. Without any element the program ends.
    """
    return _place("argmax", x, axis, keepdims)


@family.planned(
    "argmin",
    "x: tensor",
    _AXIS,
    infer=of_elements("the argmin of no element", "int64"),
    rows="reduction",
    example="argmin" + _EXAMPLE,
)
def argmin(x: TensorSpec, axis: int | None, keepdims: bool) -> Run1:
    """Find the index of the smallest element along an axis, the first one of equal ones; nan counts as
    smallest.

    The result is int64; the axis is left out of the shape, or is 1 with `keepdims`. Without `axis` it is the
    index among all elements, the last axis running fastest. Without any element the program ends.
    """
    return _place("argmin", x, axis, keepdims)


def _place(name: str, x: TensorSpec, axis: int | None, keepdims: bool) -> Run1:
    at = None if axis is None else one_axis(axis, x.ndim)
    axes = tuple(range(x.ndim)) if at is None else (at,)
    refuse_empty(x.shape, axes, f"the {name} of no element")
    if x.size == 0:  # the result is empty as well
        extents = [1 if each in axes else extent for each, extent in enumerate(x.shape)]
        shape = extents if keepdims else [extent for each, extent in enumerate(x.shape) if each not in axes]
        return lambda x: np.zeros(shape, np.int64)
    find = _finding(name, at, keepdims)
    if is_half(x.dtype):
        return lambda x: find(x.astype(np.float32))
    if at is None or at == x.ndim - 1 or x.size < _MANY or x.dtype.kind == "b":
        return find
    return _place_across("maximum" if name == "argmax" else "minimum", find, at, keepdims)


def _finding(name: str, at: int | None, keepdims: bool) -> Run1:
    if keepdims:
        return methodcaller(name, at, keepdims=True)
    return (lambda x: x.argmax(at)) if name == "argmax" else (lambda x: x.argmin(at))


_MANY = 1 << 14


def _place_across(ufunc: str, find: Run1, at: int, keepdims: bool) -> Run1:
    """Find the extremes first: NumPy turns what is searched across rows round, which is less work for bools."""
    extreme, equal, isnan = getattr(np, ufunc).reduce, np.equal, np.isnan

    def run(x: Any) -> Any:
        extremes = extreme(x, at, None, None, True)
        if x.dtype.kind == "f" and isnan(extremes).any():
            return find(x)
        return equal(x, extremes).argmax(at, keepdims=keepdims)

    return run


@family.planned(
    "bucketize",
    "input_tensor: tensor(number), boundaries: tensor(1-d number)",
    "out_int32: bool = false, right: bool = false",
    infer=rules.bucketize,
    rows="per place",
    also=("np.digitize", "np.searchsorted", "torch.searchsorted"),
    example="bucketize(const([0.5, 1.0, 2.5]), const([1.0, 2.0]))",
)
def bucketize(input_tensor: TensorSpec, boundaries: TensorSpec, out_int32: bool, right: bool) -> Run2:
    """Count for every element how many boundaries lie below it; with `right` also those equal to it are
    counted.

    `boundaries` must ascend. The result has the shape of `input_tensor` and is int64, or int32 with
    `out_int32`.
    """
    side, wanted = "right" if right else "left", np.dtype(np.int32 if out_int32 else np.int64)
    count_nonzero, less = np.count_nonzero, np.less

    def run(input_tensor: Any, boundaries: Any) -> Any:
        bounds = widen(boundaries)
        if count_nonzero(less(bounds[1:], bounds[:-1])):
            raise bad_value("`boundaries` must ascend")
        return bounds.searchsorted(widen(input_tensor), side).astype(wanted, copy=False)

    return run


@family.planned(
    "unique",
    "x: tensor, sorted: prim?, return_index: prim?, return_inverse: prim?, return_counts: prim?, "
    "axis: prim(int)?",
    infer=rules.unique,
    since="spec",
    example="unique(const([3, 1, 3, 2]))",
)
def unique(x: TensorSpec, *scalars: Any) -> Run1:
    """Find the distinct elements, or with `axis` the distinct slices along it; all nan are one element.

    They come sorted, or with `sorted=false` in the order of their first occurrence. The flags ask for more:
    the int64 place of every first occurrence, for every element the place of its value among the results, and
    how often each occurs; then the result is a tuple, in this order. How many there are is known only when
    the program runs: the result has rank 1, or with `axis` the rank of `x`.
    """
    in_order, *flags = [
        default if flag is None else bool(flag) for flag, default in zip(scalars, _FLAGS, strict=False)
    ]
    axis, dtype = scalars[4], x.dtype
    at = None if axis is None else one_axis(axis, x.ndim)
    if in_order and not any(flags):  # the rest would cost several times as much
        if at is None and dtype.kind in "iub" and x.size < _MANY:
            return _distinct_integers(x)
        return lambda x: np.unique(widen(x), axis=at).astype(dtype, copy=False)

    def run(x: Any) -> Any:
        found = np.unique(widen(x), return_index=True, return_inverse=True, return_counts=True, axis=at)
        values, index, inverse, counts = found
        inverse = inverse.reshape(-1)
        if not in_order:
            order = np.argsort(index, kind="stable")
            rank = np.empty_like(order)
            rank[order] = np.arange(order.size)
            values, index, counts = np.take(values, order, axis=at or 0), index[order], counts[order]
            inverse = rank[inverse]
        values = values.astype(dtype, copy=False)
        more = [
            part.astype(np.int64, copy=False)
            for part, asked in zip((index, inverse, counts), flags, strict=True)
            if asked
        ]
        return (values, *more) if more else values

    return run


def _distinct_integers(x: TensorSpec) -> Run1:
    """Sort, then keep what differs from the one before: sooner done for few than a table of hashes."""
    count, empty, not_equal = x.size, np.empty, np.not_equal

    def run(x: Any) -> Any:
        values, is_new = x.reshape(count).copy(), empty(count, bool)
        values.sort()
        is_new[:1] = True
        not_equal(values[1:], values[:-1], is_new[1:])
        return values[is_new]

    return run


_FLAGS = (True, False, False, False)


@family.planned("nonzero", "x: tensor", infer=rules.nonzero, example="nonzero(const([[0, 1], [2, 0]]))")
def nonzero(x: TensorSpec) -> Run1:
    """Find the coordinates of all elements that are not 0: int64 of shape (rank, count), one column per
    element.

    They come in the order of the elements, the last axis running fastest. A tensor of rank 0 counts as (1,).
    """
    shape = x.shape or (1,)
    array = np.array
    return lambda x: array(x.reshape(shape).nonzero())


@family.planned(
    "multinomial_from_uniform",
    "prob: tensor(2-d float), uniform_sample: tensor(2-d float), sample_indices: tensor(2-d integer)",
    "dtype: dtype(integer) = int64",
    infer=rules.multinomial_from_uniform,
    rows="from uniform",
    example="multinomial_from_uniform(const([[0.2, 0.8]]), const([[0.5]]), const([[0]]))",
)
def multinomial_from_uniform(
    prob: TensorSpec, uniform_sample: TensorSpec, sample_indices: TensorSpec, dtype: str
) -> Run3:
    """Draw a category for every sample, given a uniform random number each.

    `prob` (B, V) holds the probabilities in its rows; for sample i of `uniform_sample` (n, 1) the row is
    `sample_indices` (n, 1) at i. The result (n, 1) is the number of sums of the leading probabilities that do
    not exceed the random number, at most V - 1.
    """
    for name, x in (("uniform_sample", uniform_sample), ("sample_indices", sample_indices)):
        if x.shape != (uniform_sample.shape[0], 1):
            raise bad_shape(uniform_sample.shape, x.shape, f"`{name}` must have the shape (n, 1)")
    rows, categories = prob.shape
    if categories == 0:
        raise bad_value("there is no category: axis 1 of `prob` has extent 0", axis=1)
    wanted = numpy_dtype(dtype)

    def run(prob: Any, uniform_sample: Any, sample_indices: Any) -> Any:
        chosen = in_range(sample_indices[:, 0], rows, 0, "sample_indices", negative=False)
        sums = np.add.accumulate(widen(prob), 1)[chosen]
        below = (sums <= uniform_sample.astype(sums.dtype)).sum(axis=1, keepdims=True)
        return np.minimum(below, categories - 1).astype(wanted)

    return run
