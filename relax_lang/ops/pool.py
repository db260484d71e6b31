"""Pooling: the largest or the average element of windows, looping over the places of the window, axis by axis."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_float, widen
from relax_lang.ops.refusal import bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import windows as rules
from relax_lang.ops.shapes import elements
from relax_lang.ops.windows import SPATIAL, from_canonical, padded, paddings, per_axis, to_layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

family = Family("pool", "Neural networks: pooling", since="later")

_EXTENT = """The extent of a spatial axis is floor((i + padding - dilation · (k - 1) - 1) / stride) + 1;
    with `ceil_mode` it is rounded up, but a window that would start in the padding after the input is left
    out. Pool size, strides, dilation and padding are one number or one per spatial axis; padding may also
    be two per axis, first all before, then all after. The dtype stays."""


def _attrs(n: int, count_include_pad: bool) -> str:
    letters = SPATIAL[n]
    ones, zeros = [1] * n, [0] * (n if n > 1 else 2)
    return (
        f"pool_size: int|list[int] = {ones}, strides: int|list[int] = {ones}, "
        f"padding: int|list[int] = {zeros}, dilation: int|list[int] = {ones}, ceil_mode: bool = false, "
        f"count_include_pad: bool = {'true' if count_include_pad else 'false'}, "
        f'layout: str = "NC{letters}", out_layout: str|none = none'
    )


def _declare(n: int) -> None:
    letters = SPATIAL[n]
    data = f"const({'[' * (n + 2)}1.0, 4.0, 2.0, 3.0{']' * (n + 2)})"
    size = [1] * (n - 1) + [2]

    def max_pool(data: Any, **options: Any) -> Any:
        return _pool(data, n, options, average=False)

    def avg_pool(data: Any, **options: Any) -> Any:
        return _pool(data, n, options, average=True)

    def adaptive(data: Any, **options: Any) -> Any:
        return _adaptive(data, n, options)

    largest = f"""The largest element of every window; nan if there is one. Cells outside of the input count
        as the least value. {_EXTENT}"""
    average = f"""The average of every window. Cells of the padding count as zeros with `count_include_pad`,
        and not at all without it. Integers are rounded toward zero. {_EXTENT}"""
    cells = """Average over as many windows as the result has places: place j of an axis takes the elements
        from floor(j · n / o) to ceil((j + 1) · n / o), for the extents n before and o after. `output_size`
        is one number or one per spatial axis; without it the size stays. Integers are rounded toward zero.
        The dtype stays."""
    tier = 1 if n == 2 else 2
    for name, kernel, doc, attrs, since in (
        (f"nn.max_pool{n}d", max_pool, largest, _attrs(n, False), "spec" if n == 2 else "later"),
        (f"nn.avg_pool{n}d", avg_pool, average, _attrs(n, n != 2), "later"),
    ):
        dtypes = "data: tensor" if kernel is max_pool else "data: tensor(number)"
        example = f"{name}({data}, pool_size={size})"
        family.declare(
            name,
            dtypes,
            attrs,
            infer=rules.pool(n),
            kernel=kernel,
            doc=doc,
            example=example,
            tier=tier,
            since=since,
        )
    name = f"nn.adaptive_avg_pool{n}d"
    layouts = f'layout: str = "NC{letters}", out_layout: str|none = none'
    attrs = f"output_size: int>0|list[int>0]|none = none, {layouts}"
    example = f"{name}({data}, output_size={size})"
    since = "spec" if n == 2 else "later"
    family.declare(
        name,
        "data: tensor(number)",
        attrs,
        infer=rules.adaptive(n),
        kernel=adaptive,
        doc=cells,
        example=example,
        tier=tier,
        since=since,
    )


for _n in (1, 2, 3):
    _declare(_n)


class _Plan:
    """Where the windows of a pooling lie, for inputs of some shape."""

    __slots__ = ("along", "cells", "padding")

    def __init__(self, spatial: tuple[int, ...], n: int, options: dict[str, Any], average: bool) -> None:
        sizes = per_axis(options["pool_size"], n, "pool_size")
        strides = per_axis(options["strides"], n, "strides")
        dilation = per_axis(options["dilation"], n, "dilation")
        pads = paddings(options["padding"], n)
        axes = zip(spatial, sizes, strides, pads, dilation, range(2, n + 2), strict=True)
        out = [_windows(*axis, ceil_mode=options["ceil_mode"]) for axis in axes]
        self.along: list[list[slice]] = []
        """Per spatial axis, where the elements lie that have the same place in their window."""
        self.padding: list[tuple[int, int]] = []
        for size, stride, d, o, (before, after), extent in zip(
            sizes, strides, dilation, out, pads, spatial, strict=True
        ):
            span = stride * (o - 1) + 1
            self.along.append([slice(at * d, at * d + span, stride) for at in range(size)])
            # What the last window needs beyond the padding, with ceil_mode.
            self.padding.append((before, max(after, span + d * (size - 1) - extent - before)))
        self.cells = self._cells(spatial, pads, options["count_include_pad"]) if average else None

    def _cells(self, spatial: tuple[int, ...], pads: Sequence[tuple[int, int]], include_pad: bool) -> Any:
        """Return the number of cells that count in every window: those inside, and those of the padding if asked
        for. One number is returned where all windows have as many.
        """
        count: Any = 1
        for extent, pad, whole, spans in zip(spatial, pads, self.padding, self.along, strict=True):
            inside = np.zeros(extent + whole[0] + whole[1], np.int64)
            low, high = (0, extent + pad[0] + pad[1]) if include_pad else (pad[0], pad[0] + extent)
            inside[low:high] = 1
            count = np.multiply.outer(count, sum([inside[span] for span in spans[1:]], inside[spans[0]]))
        count = np.maximum(count, 1)
        first = count.reshape(-1)[:1]
        return first.reshape(()) if first.size and (count == first).all() else count


_plans: dict[object, _Plan] = {}
_MOST_PLANS = 256


def _frozen(value: Any) -> object:
    return tuple(value) if type(value) is list else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _pool(data: Any, n: int, options: dict[str, Any], average: bool) -> Any:
    x = to_layout(data, options["layout"], "NC" + SPATIAL[n], "layout", "data")
    key = (x.shape[2:], average, *map(_frozen, options.values()))
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) == _MOST_PLANS:
            _plans.clear()
        plan = _plans[key] = _Plan(x.shape[2:], n, options, average)
    result = (_average if average else _largest)(x, plan)
    return from_canonical(result, "NC" + SPATIAL[n], options["out_layout"], options["layout"])


def _windows(
    extent: int, size: int, stride: int, pad: tuple[int, int], dilation: int, axis: int, *, ceil_mode: bool
) -> int:
    there, needed = extent + pad[0] + pad[1], dilation * (size - 1) + 1
    if needed > there:
        raise bad_value(
            f"a window of {needed} does not fit axis {axis}, whose padded extent is {there}", axis=axis
        )
    if not ceil_mode:
        return (there - needed) // stride + 1
    count = -((needed - there) // stride) + 1
    return count - ((count - 1) * stride >= extent + pad[0])


def _largest(x: Any, plan: _Plan) -> Any:
    wide = widen(x)
    if is_float(x.dtype):
        least: Any = -np.inf
    else:
        least = False if x.dtype.kind == "b" else np.iinfo(x.dtype).min
    return _combined(np.maximum, padded(wide, plan.padding, least), plan, x).astype(x.dtype, copy=False)


def _average(x: Any, plan: _Plan) -> Any:
    sums = [_combined(np.add, padded(part, plan.padding, 0), plan, x) for part in _parts(x)]
    return _divided(sums, plan.cells, x.dtype)


def _parts(x: Any) -> list[Any]:
    """Return what to sum: floats and small integers as such, wide ones as their upper and lower 32 bits, so that no
    sum leaves 64 bits.
    """
    if is_float(x.dtype):
        return [widen(x)]
    wide = x.astype(np.uint64 if x.dtype.kind == "u" else np.int64)
    return [wide] if x.dtype.itemsize < 8 else [wide >> 32, wide & 0xFFFFFFFF]


def _combined(ufunc: Any, x: Any, plan: _Plan, data: Any) -> Any:
    """Return what a function of two makes of all elements of each window: along one axis after the other."""
    result = x
    for axis, spans in reversed(list(enumerate(plan.along, 2))):
        parts = [result[(slice(None),) * axis + (span,)] for span in spans]
        result = parts[0]
        if len(parts) > 1:
            result = ufunc(parts[0], parts[1])
        for part in parts[2:]:
            ufunc(result, part, out=result)
    return result.copy() if np.may_share_memory(result, data) else result


def _divided(sums: list[Any], count: Any, dtype: Any) -> Any:
    """Return the sums of `_parts`, which it may write over, divided by numbers of cells; integers are rounded toward
    zero.
    """
    total = sums[0]
    count = count.astype(total.dtype)
    if is_float(dtype):
        total /= count
        return total.astype(dtype, copy=False)
    if len(sums) == 1:
        quotient, rest = total // count, total % count
    else:  # the remainder of the upper part is less than the number of cells
        rest = ((total % count) << 32) + sums[1]
        quotient, rest = ((total // count) << 32) + rest // count, rest % count
    return (quotient + ((quotient < 0) & (rest != 0))).astype(dtype)


def _adaptive(data: Any, n: int, options: dict[str, Any]) -> Any:
    x = to_layout(data, options["layout"], "NC" + SPATIAL[n], "layout", "data")
    wanted = options["output_size"]
    sizes = x.shape[2:] if wanted is None else per_axis(wanted, n, "output_size")
    sums = _parts(x)
    if max(sizes, default=1) == 1 and min(x.shape[2:], default=1) > 0:
        axes = tuple(range(2, x.ndim))
        whole = [np.add.reduce(part, axes, None, None, True) for part in sums]
        result = _divided(whole, np.asarray(elements(x.shape[2:])), x.dtype)
        return from_canonical(result, "NC" + SPATIAL[n], options["out_layout"], options["layout"])
    count = np.ones((), np.int64)
    for at, size in enumerate(sizes):
        axis, extent = at + 2, x.shape[at + 2]
        if extent == 0 and size:
            raise bad_value(f"axis {axis} has extent 0; there is nothing to average", axis=axis, extent=0)
        bounds = [(j * extent // size, -(-(j + 1) * extent // size)) for j in range(size)]
        sums = [_sum_spans(part, axis, bounds) for part in sums]
        lengths = np.array([high - low for low, high in bounds], np.int64)
        count = count[..., None] * lengths
    result = _divided(sums, count, x.dtype)
    return from_canonical(result, "NC" + SPATIAL[n], options["out_layout"], options["layout"])


def _sum_spans(x: Any, axis: int, bounds: list[tuple[int, int]]) -> Any:
    if all(high - low == 1 for low, high in bounds):
        return x[(slice(None),) * axis + ([low for low, _ in bounds],)]
    if len(bounds) == 1:
        return np.add.reduce(x, axis=axis, keepdims=True)
    result = np.empty((*x.shape[:axis], len(bounds), *x.shape[axis + 1 :]), x.dtype)
    before = (slice(None),) * axis
    for place, (low, high) in enumerate(bounds):
        np.add.reduce(x[(*before, slice(low, high))], axis=axis, out=result[(*before, place)])
    return result
