"""Convolutions and pools over any number of axes, and resizing."""

from __future__ import annotations

from relax_lang import te
from relax_lang.syntax import dtypes
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import INT64, as_dtype, stored, wide, wide_dtype
from relax_lang.topi.moving import pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.syntax import tree
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Reduction
    from relax_lang.topi.core import Dims


def conv(
    x: Tensor,
    w: Tensor,
    strides: Sequence[int],
    padding: tuple[Sequence[int], Sequence[int]],
    dilation: Sequence[int],
    groups: int = 1,
    out_dtype: str | None = None,
) -> Tensor:
    """Convolve: `x` is (n, c, …), `w` (o, c / groups, …); `padding` is before and after, for each axis."""
    n = len(strides)
    dtype = out_dtype or x.dtype
    computed = wide_dtype(dtype)
    before, after = padding
    padded = as_dtype(x, computed)
    if any(before) or any(after):
        padded = pad(padded, [0, 0, *before], [0, 0, *after], te.const(0, computed))
    kernel = as_dtype(w, computed)
    sizes: list[Expr] = []
    for at in range(n):
        reach = (w.shape[2 + at] - 1) * dilation[at] + 1
        sizes.append((padded.shape[2 + at] - reach) // strides[at] + 1)
    channels = te.reduce_axis(w.shape[1], "c")
    taps = [te.reduce_axis(w.shape[2 + at], f"k{at}") for at in range(n)]
    per_group = w.shape[0] // groups

    def body(*index: Expr) -> Reduction:
        batch, out, *places = index
        if groups == 1:
            channel: Expr = channels
        else:
            channel = out // per_group * w.shape[1] + channels
        at = [place * strides[axis] + taps[axis] * dilation[axis] for axis, place in enumerate(places)]
        return te.sum(padded[(batch, channel, *at)] * kernel[(out, channels, *taps)], axis=(channels, *taps))

    product = compute((x.shape[0], w.shape[0], *sizes), body, "conv")
    return stored(product, dtype)


def conv_transpose(
    x: Tensor,
    w: Tensor,
    shape: Dims,
    strides: Sequence[int],
    before: Sequence[int],
    dilation: Sequence[int],
    groups: int = 1,
    out_dtype: str | None = None,
) -> Tensor:
    """Convolve the other way round: `x` is (n, c, …), `w` (c, o / groups, …), the result has a given shape."""
    n = len(strides)
    dtype = out_dtype or x.dtype
    computed = wide_dtype(dtype)
    data, kernel = as_dtype(x, computed), as_dtype(w, computed)
    per_group = x.shape[1] // groups
    channels = te.reduce_axis(per_group, "c")
    taps = [te.reduce_axis(w.shape[2 + at], f"k{at}") for at in range(n)]

    def body(*index: Expr) -> Reduction:
        batch, out, *places = index
        group = out // w.shape[1]
        channel: Expr = channels if groups == 1 else group * per_group + channels
        condition: Expr | None = None
        at: list[Expr] = []
        for axis, place in enumerate(places):
            from_start = place + before[axis] - taps[axis] * dilation[axis]
            source = from_start // strides[axis]
            fits = (from_start >= 0) & (from_start % strides[axis] == 0) & (source < x.shape[2 + axis])
            condition = fits if condition is None else condition & fits
            at.append(source)
        value = data[(batch, channel, *at)] * kernel[(channel, out % w.shape[1], *taps)]
        assert condition is not None
        return te.sum(te.if_then_else(condition, value, te.const(0, computed)), axis=(channels, *taps))

    return stored(compute(shape, body, "conv_transpose"), dtype)


def pool(
    x: Tensor,
    shape: Dims,
    window: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]],
    kind: str,
    *,
    count_include_pad: bool = False,
) -> Tensor:
    """Pool the last axes of `x`: `window` has extents, strides, dilation and what is padded before.

    `kind` is max or avg; what lies outside never counts, but with `count_include_pad` in the number of elements of an
    average, up to the padding.
    """
    size, strides, dilation, before = window
    n = len(size)
    taps = [te.reduce_axis(extent, f"k{at}") for at, extent in enumerate(size)]
    values = x if kind == "max" else wide(x)
    is_float = dtypes.is_float(x.dtype)

    def source(places: Sequence[Expr], offsets: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        found: list[Expr] = []
        condition: Expr | None = None
        for axis, (place, tap) in enumerate(zip(places, offsets, strict=True)):
            at = place * strides[axis] + tap * dilation[axis] - before[axis]
            inside = (at >= 0) & (at < x.shape[x.ndim - n + axis])
            condition = inside if condition is None else condition & inside
            found.append(at)
        assert condition is not None
        return found, condition

    def body(*index: Expr) -> Reduction:
        lead, places = index[: x.ndim - n], index[x.ndim - n :]
        at, inside = source(places, taps)
        if kind == "max":
            outside = te.const(float("-inf"), x.dtype) if is_float else te.min_value(x.dtype)
            return te.max(te.if_then_else(inside, values[(*lead, *at)], outside), axis=tuple(taps))
        zero = te.const(0, values.dtype)
        return te.sum(te.if_then_else(inside, values[(*lead, *at)], zero), axis=tuple(taps))

    total = compute(shape, body, f"{kind}_pool")
    if kind == "max":
        return total
    counted = [te.reduce_axis(extent, f"c{at}") for at, extent in enumerate(size)]
    if count_include_pad:
        whole = 1
        for extent in size:
            whole *= extent
        return compute(
            shape, lambda *at: te.cast(total[at] / te.const(whole, total.dtype), x.dtype), "average"
        )
    places_shape = shape[x.ndim - n :]

    def count(*places: Expr) -> Reduction:
        _, inside = source(places, counted)
        return te.sum(te.select(inside, te.const(1, INT64), te.const(0, INT64)), axis=tuple(counted))

    counts = compute(places_shape, count, "counts")

    def average(*at: Expr) -> Expr:
        count = te.maximum(counts[at[x.ndim - n :]], te.const(1, INT64))
        return te.cast(total[at] / te.cast(count, total.dtype), x.dtype)

    return compute(shape, average, "average")


def adaptive_average(x: Tensor, shape: Dims, axes: Sequence[int]) -> Tensor:
    """Average the elements of about equal parts of some axes, as many as the result has."""
    values = wide(x)
    st = te.statements

    def body(out: Tensor) -> list[tree.Stmt]:
        def each(*at: Expr) -> list[tree.Stmt]:
            total, allocated = st.local((), values.dtype, "total")
            first = {axis: at[axis] * x.shape[axis] // shape[axis] for axis in axes}
            last = {axis: ((at[axis] + 1) * x.shape[axis] + shape[axis] - 1) // shape[axis] for axis in axes}
            count = te.const(1, INT64)
            for axis in axes:
                count = count * (last[axis] - first[axis])

            def add(*steps: Expr) -> list[tree.Stmt]:
                place = list(at)
                for axis, step in zip(axes, steps, strict=True):
                    place[axis] = first[axis] + step
                return [st.store(total, (), total[()] + values[tuple(place)])]

            loops = st.grid([last[axis] - first[axis] for axis in axes], add)
            mean = te.cast(total[()] / te.cast(count, values.dtype), x.dtype)
            return [
                allocated,
                st.store(total, (), te.const(0, values.dtype)),
                *loops,
                st.store(out, at, mean),
            ]

        return st.grid(shape, each)

    return te.extern([(shape, x.dtype)], [x], body, "adaptive_average")[0]
