"""Convolutions and their transposes in one, two and three dimensions.

A convolution gathers what lies under the kernel for some rows of the result at a time, and multiplies matrices: BLAS
does the work, and no large temporary array is made.
"""

from __future__ import annotations

from itertools import product

from relax_lang.base.wording import counted
from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_float, is_half, numpy_dtype
from relax_lang.ops.linear import exact_in_float64
from relax_lang.ops.refusal import bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import windows as rules
from relax_lang.ops.shapes import elements, same_dtype
from relax_lang.ops.windows import (
    SPATIAL,
    check_output_padding,
    from_canonical,
    offsets,
    padded,
    paddings,
    per_axis,
    shifted,
    to_layout,
    window_extent,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("conv", "Neural networks: convolution", since="later")

_SAME = """Strides, dilation and padding are one number or one per spatial axis; padding may also be two
    per axis, first all before, then all after. `out_layout` is `data_layout` unless named. Both tensors
    have one dtype, which is the result's, unless `out_dtype` names another: then both are converted to it
    first."""

_GATHERED = 1 << 17
"""Elements of gathered windows that are multiplied at once."""


def _attrs(n: int, transposed: bool) -> str:
    letters = SPATIAL[n]
    one, zero = (str([number] * n) if n > 1 else str(number) for number in (1, 0))
    more = f"output_padding: int|list[int] = {zero}, " if transposed else ""
    kernel = ("IO" if transposed else "OI") + letters
    return (
        f"strides: int|list[int] = {one}, padding: int|list[int] = {zero}, {more}"
        f"dilation: int|list[int] = {one}, "
        f'groups: int>0 = 1, data_layout: str = "NC{letters}", kernel_layout: str = "{kernel}", '
        "out_layout: str|none = none, out_dtype: dtype(number)|none = none"
    )


def _declare(n: int, transposed: bool) -> None:
    letters = SPATIAL[n]
    if transposed:
        doc = f"""The transpose of a convolution: every element of `data` adds a copy of the kernel, times
            the element, to the result. `weight` is (I, O / groups, {", ".join(letters)}) for the layout
            IO{letters}; the extent of a spatial axis of the result is (i - 1) · stride - padding + dilation
            · (k - 1) + output_padding + 1. {_SAME}"""
    else:
        doc = f"""Slide a kernel over the spatial axes and sum the products with what lies under it (the
            kernel is not flipped). `data` has C channels, `weight` is (O, C / groups, {", ".join(letters)})
            for the layout OI{letters}; the result has O channels, and the extent of a spatial axis is
            floor((i + padding - dilation · (k - 1) - 1) / stride) + 1. With groups, channels meet only
            within a group. {_SAME}"""

    def kernel(data: Any, weight: Any, **options: Any) -> Any:
        return (_conv_transpose if transposed else _conv)(data, weight, n, options)

    brackets = "[" * (n + 2), "]" * (n + 2)
    data = f"const({brackets[0]}1.0, 2.0, 3.0{brackets[1]})"
    weight = f"const({brackets[0]}1.0, -1.0{brackets[1]})"
    name = f"nn.conv{n}d_transpose" if transposed else f"nn.conv{n}d"
    tier = 2 if transposed or n == 3 else 1
    since = "spec" if name == "nn.conv2d" else "later"
    params = "data: tensor(number), weight: tensor(number)"
    example = f"{name}({data}, {weight})"
    family.declare(
        name,
        params,
        _attrs(n, transposed),
        infer=rules.conv_transpose(n) if transposed else rules.conv(n),
        kernel=kernel,
        doc=doc,
        example=example,
        tier=tier,
        since=since,
    )


for _n in (1, 2, 3):
    _declare(_n, transposed=False)
    _declare(_n, transposed=True)


def _operands(data: Any, weight: Any, n: int, options: dict[str, Any], kernel: str) -> tuple[Any, Any, Any]:
    """Return data and weight with channels first, in the dtype to compute in, and the result's dtype."""
    data = to_layout(data, options["data_layout"], "NC" + SPATIAL[n], "data_layout", "data")
    weight = to_layout(weight, options["kernel_layout"], kernel + SPATIAL[n], "kernel_layout", "weight")
    if options["out_dtype"] is None:
        same_dtype(data, weight, ("data", "weight"))
        dtype = data.dtype
    else:
        dtype = numpy_dtype(options["out_dtype"])
        data, weight = data.astype(dtype, copy=False), weight.astype(dtype, copy=False)
    if is_half(dtype):
        wide = np.float32
    elif is_float(dtype):
        wide = dtype
    else:
        wide = np.float64 if exact_in_float64(data, weight, elements(weight.shape)) else dtype
    return data.astype(wide, copy=False), weight.astype(wide, copy=False), dtype


def _narrow(result: Any, dtype: Any) -> Any:
    """Return the result in its dtype; exact integers in float64 wrap as they would have from the start."""
    if result.dtype == np.float64 and not is_float(dtype):
        result = result.astype(np.int64)
    return result.astype(dtype, copy=False)


def _check_groups(data: Any, weight: Any, channels: int, groups: int) -> None:
    if data.shape[1] != channels:
        reason = (
            f"`data` has {data.shape[1]} channels, `weight` takes {channels} in {counted(groups, 'group')}"
        )
        raise bad_shape(data.shape, weight.shape, reason)
    if weight.shape[0] % groups:
        raise bad_value(
            f"axis 0 of `weight` is {weight.shape[0]}, which {groups} groups do not divide", axis=0
        )


def _conv(data: Any, weight: Any, n: int, options: dict[str, Any]) -> Any:
    x, w, dtype = _operands(data, weight, n, options, "OI")
    groups = options["groups"]
    _check_groups(x, w, w.shape[1] * groups, groups)
    out, pads, windows = _geometry(x.shape[2:], w.shape[2:], options)
    x = padded(x, pads, 0)
    if w.shape[1] == 1 and groups > 1:
        result = _depthwise(x, w, groups, out, windows)
    else:
        result = _gathered(x, w, groups, out, windows)
    result = _narrow(result.reshape(x.shape[0], w.shape[0], *out), dtype)
    return from_canonical(result, "NC" + SPATIAL[n], options["out_layout"], options["data_layout"])


_geometries: dict[object, tuple[tuple[int, ...], list[tuple[int, int]], list[Any]]] = {}
_MOST_GEOMETRIES = 256


def _geometry(
    spatial: tuple[int, ...], sizes: tuple[int, ...], options: dict[str, Any]
) -> tuple[tuple[int, ...], list[tuple[int, int]], list[Any]]:
    """Return the extents of the result, the padding, and per place of the kernel the elements that lie under it."""
    given = [options[name] for name in ("strides", "dilation", "padding")]
    key = (spatial, sizes, *[each if isinstance(each, int) else tuple(each) for each in given])
    found = _geometries.get(key)
    if found is None:
        n = len(spatial)
        strides = per_axis(options["strides"], n, "strides")
        dilation = per_axis(options["dilation"], n, "dilation")
        pads = paddings(options["padding"], n)
        axes = zip(spatial, sizes, strides, pads, dilation, range(2, n + 2), strict=True)
        out = tuple([window_extent(*axis) for axis in axes])
        windows = [(place, shifted(place, out, strides, dilation)) for place in offsets(sizes)]
        if len(_geometries) == _MOST_GEOMETRIES:
            _geometries.clear()
        found = _geometries[key] = out, pads, windows
    return found


def _depthwise(x: Any, w: Any, groups: int, out: tuple[int, ...], windows: list[Any]) -> Any:
    """One input channel per group: nothing to sum over channels, so multiply and add."""
    result = np.zeros((x.shape[0], groups, w.shape[0] // groups, *out), x.dtype)
    part = np.empty_like(result)
    split = w.reshape(groups, w.shape[0] // groups, *w.shape[2:])
    ones = (1,) * len(out)
    for place, index in windows:
        factor = split[(slice(None), slice(None), *place)].reshape(*split.shape[:2], *ones)
        result += np.multiply(x[index][:, :, None], factor, out=part)
    return result


def _gathered(x: Any, w: Any, groups: int, out: tuple[int, ...], windows: list[Any]) -> Any:
    """Gather the windows of some rows of an image into a matrix and multiply, so many rows that the matrix stays in
    the cache.
    """
    channels, count = w.shape[1], len(windows)
    kernel = w.reshape(groups, w.shape[0] // groups, channels * count)
    result = np.empty((x.shape[0], groups, kernel.shape[1], elements(out)), x.dtype)
    row = elements(out[1:])
    tile = max(1, min(out[0], _GATHERED // max(1, x.shape[1] * count * row)))
    columns = np.empty((x.shape[1], count, tile, *out[1:]), x.dtype)
    for image, at in product(range(x.shape[0]), range(0, out[0], tile)):
        rows = min(tile, out[0] - at)
        part = columns if rows == tile else np.empty((x.shape[1], count, rows, *out[1:]), x.dtype)
        for place, (_, index) in enumerate(windows):
            first = index[2]
            begin = first.start + at * first.step
            part[:, place] = x[image, :, begin : begin + first.step * (rows - 1) + 1 : first.step, *index[3:]]
        np.matmul(
            kernel,
            part.reshape(groups, channels * count, rows * row),
            out=result[image, :, :, at * row : (at + rows) * row],
        )
    return result


def _conv_transpose(data: Any, weight: Any, n: int, options: dict[str, Any]) -> Any:
    x, w, dtype = _operands(data, weight, n, options, "IO")
    groups = options["groups"]
    strides = per_axis(options["strides"], n, "strides")
    dilation = per_axis(options["dilation"], n, "dilation")
    pads = paddings(options["padding"], n)
    extra = per_axis(options["output_padding"], n, "output_padding", least=0)
    check_output_padding(extra, strides)
    _check_groups(x, w, w.shape[0], groups)
    sizes, spatial = w.shape[2:], x.shape[2:]
    axes = list(zip(spatial, sizes, strides, dilation, extra, strict=True))
    full = [max(0, (i - 1) * s + d * (k - 1) + 1 + e) for i, k, s, d, e in axes]
    out = [extent - before - after for extent, (before, after) in zip(full, pads, strict=True)]
    for axis, extent in enumerate(out):
        if extent < 1 or spatial[axis] == 0 or sizes[axis] == 0:
            raise bad_value(
                f"axis {axis + 2} of the result has no extent: it would be {extent}", axis=axis + 2
            )
    result = np.zeros((x.shape[0], groups * w.shape[1], *full), x.dtype)
    flat = x.reshape(x.shape[0], groups, x.shape[1] // groups, elements(spatial))
    split = w.reshape(groups, w.shape[0] // groups, w.shape[1], *sizes)
    for place in offsets(sizes):
        factor = split[(slice(None), slice(None), slice(None), *place)].transpose(0, 2, 1)
        part = np.matmul(np.ascontiguousarray(factor), flat)
        result[shifted(place, spatial, strides, dilation)] += part.reshape(
            x.shape[0], result.shape[1], *spatial
        )
    spans = [slice(before, before + extent) for (before, _), extent in zip(pads, out, strict=True)]
    cropped = np.ascontiguousarray(_narrow(result[(slice(None), slice(None), *spans)], dtype))
    return from_canonical(cropped, "NC" + SPATIAL[n], options["out_layout"], options["data_layout"])
