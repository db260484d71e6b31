"""Pooling: the largest or the average element of windows, looping over the places of the window."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_float, widen
from relax_lang.ops.refusal import bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.windows import SPATIAL, from_canonical, offsets, paddings, per_axis, shifted, to_layout

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
        family.declare(name, dtypes, attrs, kernel=kernel, doc=doc, example=example, tier=tier, since=since)
    name = f"nn.adaptive_avg_pool{n}d"
    layouts = f'layout: str = "NC{letters}", out_layout: str|none = none'
    attrs = f"output_size: int>0|list[int>0]|none = none, {layouts}"
    example = f"{name}({data}, output_size={size})"
    since = "spec" if n == 2 else "later"
    family.declare(
        name,
        "data: tensor(number)",
        attrs,
        kernel=adaptive,
        doc=cells,
        example=example,
        tier=tier,
        since=since,
    )


for _n in (1, 2, 3):
    _declare(_n)


def _pool(data: Any, n: int, options: dict[str, Any], average: bool) -> Any:
    x = to_layout(data, options["layout"], "NC" + SPATIAL[n], "layout", "data")
    sizes = per_axis(options["pool_size"], n, "pool_size")
    strides = per_axis(options["strides"], n, "strides")
    dilation = per_axis(options["dilation"], n, "dilation")
    pads = paddings(options["padding"], n)
    axes = zip(x.shape[2:], sizes, strides, pads, dilation, range(2, n + 2), strict=True)
    out = [_windows(*axis, ceil_mode=options["ceil_mode"]) for axis in axes]
    # What the last window of an axis needs beyond the padding, with ceil_mode.
    reach = [(o - 1) * s + d * (k - 1) + 1 for o, s, d, k in zip(out, strides, dilation, sizes, strict=True)]
    extents = zip(x.shape[2:], pads, reach, strict=True)
    whole = [(before, max(after, need - i - before)) for i, (before, after), need in extents]
    windows = [shifted(place, out, strides, dilation) for place in offsets(sizes)]
    if average:
        result = _average(
            x, whole, windows, _cells(x.shape[2:], pads, whole, windows, options["count_include_pad"])
        )
    else:
        result = _largest(x, whole, windows)
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


def _padded(x: Any, pads: Sequence[tuple[int, int]], value: Any) -> Any:
    if not any(before or after for before, after in pads):
        return x
    return np.pad(x, [(0, 0), (0, 0), *pads], constant_values=value)


def _largest(x: Any, pads: Sequence[tuple[int, int]], windows: list[Any]) -> Any:
    wide = widen(x)
    if is_float(x.dtype):
        least: Any = -np.inf
    else:
        least = False if x.dtype.kind == "b" else np.iinfo(x.dtype).min
    padded = _padded(wide, pads, least)
    result = np.ascontiguousarray(padded[windows[0]])
    if result is padded or np.may_share_memory(result, padded):
        result = result.copy()
    for index in windows[1:]:
        np.maximum(result, padded[index], out=result)
    return result.astype(x.dtype, copy=False)


def _average(x: Any, pads: Sequence[tuple[int, int]], windows: list[Any], cells: Any) -> Any:
    wide = widen(x) if is_float(x.dtype) else x.astype(np.uint64 if x.dtype.kind == "u" else np.int64)
    padded = _padded(wide, pads, 0)
    total = padded[windows[0]].copy()
    for index in windows[1:]:
        total += padded[index]
    return _divided(total, cells, x.dtype)


def _divided(total: Any, count: Any, dtype: Any) -> Any:
    """Return sums divided by numbers of cells; integers are rounded toward zero."""
    if is_float(dtype):
        return (total / count.astype(total.dtype)).astype(dtype, copy=False)
    count = count.astype(total.dtype)
    return (np.sign(total) * (np.abs(total) // count) if dtype.kind == "i" else total // count).astype(dtype)


def _cells(
    spatial: Sequence[int],
    pads: Sequence[tuple[int, int]],
    whole: Sequence[tuple[int, int]],
    windows: list[Any],
    include_pad: bool,
) -> Any:
    """Return the number of cells that count in every window: those inside, and those of the padding if
    asked for.
    """
    inside = np.zeros(
        [i + before + after for i, (before, after) in zip(spatial, whole, strict=True)], np.int64
    )
    if include_pad:
        spans = [slice(0, i + before + after) for i, (before, after) in zip(spatial, pads, strict=True)]
    else:
        spans = [slice(before, before + i) for i, (before, _) in zip(spatial, pads, strict=True)]
    inside[tuple(spans)] = 1
    count = inside[windows[0][2:]].copy()
    for index in windows[1:]:
        count += inside[index[2:]]
    return np.maximum(count, 1)


def _adaptive(data: Any, n: int, options: dict[str, Any]) -> Any:
    x = to_layout(data, options["layout"], "NC" + SPATIAL[n], "layout", "data")
    wanted = options["output_size"]
    sizes = x.shape[2:] if wanted is None else per_axis(wanted, n, "output_size")
    total = widen(x) if is_float(x.dtype) else x.astype(np.uint64 if x.dtype.kind == "u" else np.int64)
    count = np.ones((), np.int64)
    for at, size in enumerate(sizes):
        axis, extent = at + 2, x.shape[at + 2]
        if extent == 0 and size:
            raise bad_value(f"axis {axis} has extent 0; there is nothing to average", axis=axis, extent=0)
        bounds = [(j * extent // size, -(-(j + 1) * extent // size)) for j in range(size)]
        total = _sum_spans(total, axis, bounds)
        lengths = np.array([high - low for low, high in bounds], np.int64)
        count = count[..., None] * lengths
    result = _divided(total, count, x.dtype)
    return from_canonical(result, "NC" + SPATIAL[n], options["out_layout"], options["layout"])


def _sum_spans(x: Any, axis: int, bounds: list[tuple[int, int]]) -> Any:
    if all(high - low == 1 for low, high in bounds):
        return x[(slice(None),) * axis + ([low for low, _ in bounds],)]
    result = np.empty((*x.shape[:axis], len(bounds), *x.shape[axis + 1 :]), x.dtype)
    before = (slice(None),) * axis
    for place, (low, high) in enumerate(bounds):
        np.add.reduce(x[(*before, slice(low, high))], axis=axis, out=result[(*before, place)])
    return result
