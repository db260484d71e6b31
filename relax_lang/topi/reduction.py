"""Reductions over axes, normalization, products of matrices."""

from __future__ import annotations

from relax_lang import te
from relax_lang.base.relax_error import refused
from relax_lang.syntax import dtypes
from relax_lang.te.diagnostics import bad_argument
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import (
    INT64,
    as_dtype,
    broadcast_index,
    broadcast_shape,
    inline,
    is_same,
    many_axes,
    one_axis,
    size_of,
    stored,
    wide,
    wide_dtype,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Reduction
    from relax_lang.topi.core import Axes, Dims

    Reduce = Callable[..., Reduction]


def reduced(
    reduce: Reduce,
    x: Tensor,
    axis: Axes = None,
    keepdims: bool = False,
    name: str = "reduced",
    value: Callable[..., Any] | None = None,
) -> Any:
    """Reduce over axes. `value(index, element)` gives what is combined, where that is not the element itself."""
    axes = many_axes(axis, x.ndim)
    if not axes:
        return compute(x.shape, lambda *at: x[at] if value is None else value(at, x[at]), name)
    kept = [each for each in range(x.ndim) if each not in axes]
    shape = tuple(
        [te.const(1, INT64) if at in axes else x.shape[at] for at in range(x.ndim)]
        if keepdims
        else [x.shape[at] for at in kept]
    )
    over = {at: te.reduce_axis(x.shape[at], f"k{number}") for number, at in enumerate(axes)}

    def body(*at: Expr) -> Reduction:
        places: list[Any] = [None] * x.ndim
        for number, axis_ in enumerate(kept):
            places[axis_] = at[axis_] if keepdims else at[number]
        for axis_, each in over.items():
            places[axis_] = each
        element = x[tuple(places)]
        return reduce(element if value is None else value(places, element), axis=tuple(over.values()))

    return compute(shape, body, name)


def kept_index(at: Sequence[Expr], axes: Sequence[int]) -> tuple[Expr, ...]:
    """Return an index with 0 on some axes: of what was reduced with `keepdims`."""
    return tuple([te.const(0, INT64) if axis in axes else place for axis, place in enumerate(at)])


def sum(x: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:  # noqa: A001 - the usual name
    """Add over axes; halves are accumulated in float32, of bool it is the logical or."""
    return stored(reduced(te.sum, wide(x), axis, keepdims, "sum"), x.dtype)


def prod(x: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Multiply over axes; of bool it is the logical and."""
    return stored(reduced(te.prod, wide(x), axis, keepdims, "prod"), x.dtype)


def max(x: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:  # noqa: A001 - the usual name
    """Take the greatest over axes."""
    return stored(reduced(te.max, x, axis, keepdims, "max"))


def min(x: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:  # noqa: A001 - the usual name
    """Take the smallest over axes."""
    return stored(reduced(te.min, x, axis, keepdims, "min"))


def count_of(x: Tensor, axis: Axes) -> Expr:
    """Return how many elements are reduced to one."""
    return size_of([x.shape[at] for at in many_axes(axis, x.ndim)])


def mean(x: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Take the average of floats over axes."""
    total = reduced(te.sum, wide(x), axis, keepdims, "total")
    count = count_of(x, axis)
    return compute(total.shape, lambda *at: te.cast(total[at] / te.cast(count, total.dtype), x.dtype), "mean")


def integer_mean(x: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Take the exact average of integers, rounded toward zero; no sum overflows."""
    dtype = "uint64" if x.dtype.startswith("uint") else INT64
    values, count = as_dtype(x, dtype), te.cast(count_of(x, axis), dtype)
    quotients = reduced(te.sum, inline(x.shape, lambda *at: values[at] // count), axis, keepdims, "quotients")
    rests = reduced(te.sum, inline(x.shape, lambda *at: values[at] % count), axis, keepdims, "rests")

    def each(*at: Expr) -> Expr:
        whole = quotients[at] + rests[at] // count
        if dtype == INT64:
            more = te.select((whole < 0) & (rests[at] % count != 0), te.const(1, INT64), te.const(0, INT64))
            whole = whole + more
        return te.cast(whole, x.dtype)

    return compute(quotients.shape, each, "mean")


def variance(x: Tensor, axis: Axes = None, keepdims: bool = False, *, root: bool = False) -> Tensor:
    """Take the mean square distance from the mean over axes; with `root` its square root."""
    axes = many_axes(axis, x.ndim)
    dtype = wide_dtype(x.dtype) if dtypes.is_float(x.dtype) else "float64"
    values = as_dtype(x, dtype)
    count = te.cast(count_of(x, axis), dtype)
    total = reduced(te.sum, values, axis, True, "total")
    distance = inline(x.shape, lambda *at: values[at] - total[kept_index(at, axes)] / count)
    squares = inline(x.shape, lambda *at: distance[at] * distance[at])
    found = reduced(te.sum, squares, axis, keepdims, "squares")

    def each(*at: Expr) -> Expr:
        value = found[at] / count
        return te.cast(te.sqrt(value) if root else value, x.dtype)

    return compute(found.shape, each, "std" if root else "variance")


def argmax(x: Tensor, axis: int | None = None, keepdims: bool = False, *, least: bool = False) -> Tensor:
    """Return the place of the greatest element, with `least` of the smallest; the first of equal ones, or of nan."""
    is_float, is_bool = dtypes.is_float(x.dtype), x.dtype == "bool"
    values = as_dtype(x, "int8") if is_bool else wide(x)

    def combine(a: tuple[Expr, Expr], b: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
        better = b[1] < a[1] if least else b[1] > a[1]
        if is_float:
            better = better | (te.isnan(b[1]) & ~te.isnan(a[1]))
            better = better & ~te.isnan(a[1])
        takes = better | (a[0] < 0)
        return te.select(takes, b[0], a[0]), te.select(takes, b[1], a[1])

    def identity(_place: str, value: str) -> tuple[Expr, Expr]:
        return te.const(-1, INT64), te.const(0, value)

    pair = te.reduce(combine, identity, "argmin" if least else "argmax")
    from relax_lang.topi.core import flat_index

    def value(at: Sequence[Expr], element: Expr) -> tuple[Expr, Expr]:
        place = flat_index(at, x.shape) if axis is None else at[one_axis(axis, x.ndim)]
        return place, element

    if x.ndim == 0:
        return compute((), lambda: te.const(0, INT64), "places")
    return reduced(pair, values, axis, keepdims, "argmin" if least else "argmax", value)[0]


def softmax(x: Tensor, axis: int = -1, *, log: bool = False) -> Tensor:
    """Turn the elements along an axis into positive ones whose sum is 1; with `log` their logarithms."""
    at_axis = (one_axis(axis, x.ndim),)
    values = wide(x)
    most = reduced(te.max, values, axis, True, "most")
    shifted = inline(x.shape, lambda *at: values[at] - most[kept_index(at, at_axis)])
    if log:
        powers: Tensor = inline(x.shape, lambda *at: te.exp(shifted[at]))
    else:
        powers = compute(x.shape, lambda *at: te.exp(shifted[at]), "powers")
    total = reduced(te.sum, powers, axis, True, "total")

    def each(*at: Expr) -> Expr:
        whole = total[kept_index(at, at_axis)]
        return te.cast(shifted[at] - te.log(whole) if log else powers[at] / whole, x.dtype)

    return compute(x.shape, each, "log_softmax" if log else "softmax")


def matmul(a: Tensor, b: Tensor, out_dtype: str | None = None, *, transposed: bool = False) -> Tensor:
    """Multiply matrices; leading axes are broadcast, a tensor of rank 1 is a row or a column.

    With `transposed` the last two axes of `b` are transposed.
    """
    if a.ndim == 0 or b.ndim == 0:
        raise refused(bad_argument, "a matrix product needs rank 1 or more")
    dtype = out_dtype or a.dtype
    computed = wide_dtype(dtype)
    left, right = as_dtype(a, computed), as_dtype(b, computed)
    row, column = a.ndim == 1, b.ndim == 1
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    inner = a.shape[-1]
    other = b.shape[-1] if column or transposed else b.shape[-2]
    if is_same(inner, other) is False:
        raise refused(bad_argument, f"a product over {inner!r} and {other!r} elements")
    rows: Dims = () if row else (a.shape[-2],)
    columns: Dims = () if column else (b.shape[-2] if transposed else b.shape[-1],)
    shape = (*batch, *rows, *columns)
    k = te.reduce_axis(inner, "k")

    def body(*at: Expr) -> Reduction:
        lead, rest = at[: len(batch)], at[len(batch) :]
        i = rest[:1] if rows else ()
        j = rest[len(rows) :]
        first = (*_leading(a, batch, lead), *i, k)
        second = (k,) if column else (*j, k) if transposed else (k, *j)
        return te.sum(left[first] * right[(*_leading(b, batch, lead), *second)], axis=k)

    product = compute(shape, body, "matmul")
    return stored(product, dtype)


def _leading(x: Tensor, batch: Dims, at: Sequence[Expr]) -> Dims:
    lead = Tensor(x.shape[:-2], x.dtype, "lead")
    return broadcast_index(lead, batch, at)


def layer_norm(
    x: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    axes: Sequence[int],
    epsilon: float = 1e-5,
    parameter: Callable[[Sequence[Expr]], tuple[Expr, ...]] | None = None,
) -> Tensor:
    """Normalize over axes: `(x - mean) / sqrt(variance + epsilon) * gamma + beta`.

    `parameter` gives the index of `gamma` and `beta` at a place; without it they lie along `axes`.
    """
    places = many_axes(axes, x.ndim)
    values = wide(x)
    count = te.cast(count_of(x, axes), values.dtype)
    total = reduced(te.sum, values, axes, True, "total")
    distance = inline(x.shape, lambda *at: values[at] - total[kept_index(at, places)] / count)
    squares = reduced(te.sum, inline(x.shape, lambda *at: distance[at] * distance[at]), axes, True, "squares")

    def each(*at: Expr) -> Expr:
        index = tuple([at[axis] for axis in places]) if parameter is None else parameter(at)
        found = distance[at] / te.sqrt(squares[kept_index(at, places)] / count + epsilon)
        if gamma is not None:
            found = found * te.cast(gamma[index], found.dtype or values.dtype)
        if beta is not None:
            found = found + te.cast(beta[index], found.dtype or values.dtype)
        return te.cast(found, x.dtype)

    return compute(x.shape, each, "layer_norm")


def rms_norm(x: Tensor, weight: Tensor, axes: Axes = -1, epsilon: float = 1e-5) -> Tensor:
    """Divide by the root of the mean square over axes: `x / sqrt(mean(x²) + epsilon) * weight`."""
    places = many_axes(axes, x.ndim)
    values = wide(x)
    count = te.cast(count_of(x, axes), values.dtype)
    squares = reduced(te.sum, inline(x.shape, lambda *at: values[at] * values[at]), axes, True, "squares")

    def each(*at: Expr) -> Expr:
        root = te.sqrt(squares[kept_index(at, places)] / count + epsilon)
        factor = te.cast(weight[tuple([at[axis] for axis in places])], values.dtype)
        return te.cast(values[at] / root * factor, x.dtype)

    return compute(x.shape, each, "rms_norm")
