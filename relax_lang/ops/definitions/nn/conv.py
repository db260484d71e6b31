"""Convolutions and their transposes in one, two and three dimensions.

A convolution gathers what lies under the kernel for some rows of the result at a time, and multiplies matrices: BLAS
does the work, and no large temporary array is made.
"""

from __future__ import annotations

from functools import partial
from itertools import product

from relax_lang.base.wording import counted
from relax_lang.ops.attribute_syntax.layouts import axis_in
from relax_lang.ops.attribute_syntax.windows import (
    SPATIAL,
    check_output_padding,
    image_of,
    paddings,
    per_axis,
)
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.errors import OpError, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.contraction import in_arithmetic, matrix_product
from relax_lang.ops.numpy_kernels.depthwise import by_bands, is_worth_bands
from relax_lang.ops.numpy_kernels.shape_checks import elements, same_dtype
from relax_lang.ops.numpy_kernels.taps import by_taps, is_worth_taps
from relax_lang.ops.numpy_kernels.windows import (
    in_layouts,
    offsets,
    padding,
    shape_in,
    shifted,
    spatial_axes,
    window_extent,
)
from relax_lang.ops.shape_rules.nn import windows as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run2, TensorSpec

    Shape = tuple[int, ...]

family = Family(__name__, "Neural networks: convolution", since="later", rows="convolution")

_SAME = """Strides, dilation and padding are one number or one per spatial axis; padding may also be two
    per axis, first all before, then all after. `out_layout` is `data_layout` unless named; a layout may have
    blocks, such as `NCHW16c`. Both tensors
    have one dtype, which is the result's, unless `out_dtype` names another: then both are converted to it
    first."""

_WHOLE = 1 << 20
"""Elements of all windows of an operand up to which they are gathered at once."""
_GATHERED = 1 << 17
"""Elements of gathered windows that are multiplied at once, where there are more."""


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


def _doc(n: int) -> str:
    axes = ", ".join(SPATIAL[n])
    return f"""Slide a kernel over the spatial axes and sum the products with what lies under it (the
        kernel is not flipped). `data` has C channels, `weight` is (O, C / groups, {axes})
        for the layout OI{SPATIAL[n]}; the result has O channels, and the extent of a spatial axis is
        floor((i + padding - dilation · (k - 1) - 1) / stride) + 1. With groups, channels meet only
        within a group. {_SAME}"""


def _doc_transposed(n: int) -> str:
    axes = ", ".join(SPATIAL[n])
    return f"""The transpose of a convolution: every element of `data` adds a copy of the kernel, times
        the element, to the result. `weight` is (I, O / groups, {axes}) for the layout
        IO{SPATIAL[n]}; the extent of a spatial axis of the result is (i - 1) · stride - padding + dilation
        · (k - 1) + output_padding + 1, and none of these extents is 0. {_SAME}"""


def _also(n: int, transposed: bool) -> tuple[str, ...]:
    names = (f"torch.conv_transpose{n}d",) if transposed else ()
    if n != 2:
        return names
    return (*names, "jax.conv_transpose", "onnx.ConvTranspose") if transposed else ("jax.conv", "onnx.Conv")


def _declare(n: int, *, transposed: bool) -> None:
    """Declare the convolution over n spatial axes, or its transpose."""
    name = f"nn.conv{n}d_transpose" if transposed else f"nn.conv{n}d"
    layouts = "NC" + SPATIAL[n], ("IO" if transposed else "OI") + SPATIAL[n]
    family.declare(
        name,
        "data: tensor(number), weight: tensor(number)",
        _attrs(n, transposed),
        infer=rules.conv_transpose(n) if transposed else rules.conv(n),
        kernel=partial(_convolution, layouts),
        planned=True,
        doc=_doc_transposed(n) if transposed else _doc(n),
        example=f"{name}({image_of('1.0, 2.0, 3.0', n)}, {image_of('1.0, -1.0', n)})",
        since="spec" if name == "nn.conv2d" else "later",
        also=_also(n, transposed),
    )


def _convolution(canonical: tuple[str, str], data: TensorSpec, weight: TensorSpec, **options: Any) -> Run2:
    """Plan a convolution, or a transposed one, whose kernel has the layout "IO…"."""
    layouts = (options["data_layout"], options["kernel_layout"])
    x_shape = shape_in(data, layouts[0], canonical[0], "data_layout", "data")
    w_shape = shape_in(weight, layouts[1], canonical[1], "kernel_layout", "weight")
    if options["out_dtype"] is None:
        same_dtype(data, weight, ("data", "weight"))
        dtype = data.dtype
    else:
        dtype = numpy_dtype(options["out_dtype"])
    plan = _conv if canonical[1].startswith("O") else _conv_transpose
    run = in_arithmetic(
        (data.dtype, weight.dtype),
        dtype,
        elements(w_shape),
        lambda wide: plan(wide, x_shape, w_shape, options),
    )
    return in_layouts(run, canonical, layouts, options["out_layout"])


def _check_groups(data: Shape, weight: Shape, channels: int, groups: int, axis: int) -> None:
    if data[1] != channels:
        reason = f"`data` has {data[1]} channels, `weight` takes {channels} in {counted(groups, 'group')}"
        raise bad_shape(data, weight, reason)
    if weight[0] % groups:
        raise bad_value(
            f"axis {axis} of `weight` is {weight[0]}, which {groups} groups do not divide", axis=axis
        )


def _conv(dtype: Any, data: Shape, weight: Shape, options: dict[str, Any]) -> Run2:
    """Plan a convolution of two arrays of one dtype and of shapes with the channels first."""
    n, groups, sizes = len(data) - 2, options["groups"], weight[2:]
    kernel_axes = spatial_axes(options["kernel_layout"], "OI" + SPATIAL[n])
    _check_groups(
        data, weight, weight[1] * groups, groups, axis_in(options["kernel_layout"], "OI" + SPATIAL[n], "O")
    )
    strides = per_axis(options["strides"], n, "strides")
    dilation = per_axis(options["dilation"], n, "dilation")
    pads = paddings(options["padding"], n)
    data_axes = spatial_axes(options["data_layout"], "NC" + SPATIAL[n])
    axes = zip(data[2:], sizes, strides, pads, dilation, data_axes, kernel_axes, strict=True)
    out = tuple([window_extent(*axis) for axis in axes])
    pad = padding(data, pads, 0)
    whole = [extent + before + after for extent, (before, after) in zip(data[2:], pads, strict=True)]
    if weight[1] == 1 and groups > 1:
        windows = [(place, shifted(place, out, strides, dilation)) for place in offsets(sizes)]
        convolved = _depthwise(weight, groups, out, windows)
        if is_worth_bands(dtype, weight, groups, out):
            padded = (*data[:2], *whole)
            convolved = by_bands(dtype, padded, weight, out, (strides, dilation), pads[0], convolved)
    elif groups == 1 and elements(sizes) == 1 and pad is None:
        convolved = _pointwise(dtype, data, weight, out, strides)
    elif groups == 1 and max(strides) == 1 and is_worth_taps(dtype, weight, out):
        convolved = by_taps(dtype, (*data[:2], *whole), weight, out, dilation)
    else:
        seen = _windows((*data[:2], *whole), sizes, out, (strides, dilation), dtype)
        convolved = (_at_once if elements(seen[0]) <= _WHOLE else _in_parts)(dtype, weight, groups, seen)
    shape, lay_out = (data[0], weight[0], *out), np.ascontiguousarray if pad is None else pad
    return lambda x, w: convolved(lay_out(x), w).reshape(shape)


def _pointwise(dtype: Any, data: Shape, weight: Shape, out: Shape, strides: Shape) -> Run2:
    """A kernel of one place and no padding: one product, and without a stride nothing is gathered."""
    places = elements(out)
    moved = any(step != 1 for step in strides)
    index = (slice(None), slice(None), *[slice(None, None, step) for step in strides])
    multiply = matrix_product(dtype, weight[:2], (weight[1], places)) if data[0] == 1 else None

    def run(x: Any, w: Any) -> Any:
        taken = np.ascontiguousarray(x[index]) if moved else x
        factors = w.reshape(weight[0], weight[1])
        if multiply is not None:
            return multiply(factors, taken.reshape(weight[1], places))
        return np.matmul(factors, taken.reshape(data[0], weight[1], places))

    return run


def _depthwise(weight: Shape, groups: int, out: Shape, windows: list[Any]) -> Run2:
    """One input channel per group: nothing to sum over channels, so multiply and add."""
    each = weight[0] // groups
    factors = (groups, each, len(windows), *(1,) * len(out))

    def run(x: Any, w: Any) -> Any:
        result = np.zeros((x.shape[0], groups, each, *out), x.dtype)
        part, split = np.empty_like(result), w.reshape(factors)
        for place, (_, index) in enumerate(windows):
            result += np.multiply(x[index][:, :, None], split[:, :, place], out=part)
        return result

    return run


def _windows(
    data: Shape, sizes: Shape, out: Shape, steps: tuple[Shape, Shape], dtype: Any
) -> tuple[Shape, Shape]:
    """Return shape and strides of all windows of contiguous arrays: (N, C, kernel axes…, axes of the result…)."""
    strides: list[int] = [dtype.itemsize]
    for extent in reversed(data[1:]):
        strides.insert(0, strides[0] * extent)
    stride, dilation = steps
    inside = [there * step for there, step in zip(strides[2:], dilation, strict=True)]
    between = [there * step for there, step in zip(strides[2:], stride, strict=True)]
    return (*data[:2], *sizes, *out), (*strides[:2], *inside, *between)


def _at_once(dtype: Any, weight: Shape, groups: int, seen: tuple[Shape, Shape]) -> Run2:
    """Gather the windows of all images and multiply: one large product."""
    shape, strides = seen
    n = len(weight) - 2
    terms, images, places = elements(weight[1:]), shape[0], elements(shape[-n:])
    ndarray, matmul = np.ndarray, np.matmul
    if images == groups == 1:
        multiply = matrix_product(dtype, (weight[0], terms), (terms, places))

        def run(x: Any, w: Any) -> Any:
            columns = ndarray(shape, dtype, x, 0, strides).reshape(terms, places)
            return multiply(w.reshape(weight[0], terms), columns)

        return run

    def run_in_groups(x: Any, w: Any) -> Any:
        columns = ndarray(shape, dtype, x, 0, strides).reshape(images, groups, terms, places)
        return matmul(w.reshape(groups, weight[0] // groups, terms), columns)

    return run_in_groups


def _in_parts(dtype: Any, weight: Shape, groups: int, seen: tuple[Shape, Shape]) -> Run2:
    """Gather the windows of some rows of an image into a matrix and multiply, so many rows that the matrix stays in
    the cache.
    """
    shape, strides = seen
    n = len(weight) - 2
    out, terms = shape[-n:], elements(weight[1:])
    row, window = elements(out[1:]), shape[1:-n]
    most = max(1, min(out[0], _GATHERED // max(1, elements(window) * row)))
    images = _GATHERED // max(1, elements(window) * elements(out))
    if images > 1:
        return _in_blocks_of_images(dtype, weight, groups, seen, images)
    before = (slice(None),) * (n + 1)

    def run(x: Any, w: Any) -> Any:
        windows = np.ndarray(shape, dtype, x, 0, strides)
        kernel = w.reshape(groups, weight[0] // groups, terms)
        result = np.empty((shape[0], groups, kernel.shape[1], out[0] * row), x.dtype)
        columns = np.empty((*window, most, *out[1:]), x.dtype)
        for image, at in product(range(shape[0]), range(0, out[0], most)):
            rows = min(most, out[0] - at)
            part = columns if rows == most else np.empty((*window, rows, *out[1:]), x.dtype)
            part[...] = windows[(image, *before, slice(at, at + rows))]
            np.matmul(
                kernel,
                part.reshape(groups, terms, rows * row),
                out=result[image, :, :, at * row : (at + rows) * row],
            )
        return result

    return run


def _in_blocks_of_images(
    dtype: Any, weight: Shape, groups: int, seen: tuple[Shape, Shape], images: int
) -> Run2:
    """Gather the windows of so many images and multiply, image by image: their matrices stay in the cache."""
    shape, strides = seen
    n = len(weight) - 2
    terms, places = elements(weight[1:]), elements(shape[-n:])

    def run(x: Any, w: Any) -> Any:
        windows = np.ndarray(shape, dtype, x, 0, strides)
        kernel = w.reshape(groups, weight[0] // groups, terms)
        result = np.empty((shape[0], groups, kernel.shape[1], places), x.dtype)
        columns = np.empty((images, *shape[1:]), x.dtype)
        for at in range(0, shape[0], images):
            block = windows[at : at + images]
            part = columns[: len(block)]
            part[...] = block
            np.matmul(kernel, part.reshape(len(block), groups, terms, places), out=result[at : at + images])
        return result

    return run


def _without_extent(at: int, n: int, there: int, size: int, extent: int, options: dict[str, Any]) -> OpError:
    """Return the error of a spatial axis on which the data, the kernel or the result has nothing."""
    letter, data = SPATIAL[n][at], "NC" + SPATIAL[n]
    if there == 0:
        axis = axis_in(options["data_layout"], data, letter)
        return bad_value(f"axis {axis} of `data` has extent 0", axis=axis)
    if size == 0:
        axis = axis_in(options["kernel_layout"], "IO" + SPATIAL[n], letter)
        return bad_value(f"axis {axis} of `weight` has extent 0", axis=axis)
    axis = axis_in(options["out_layout"] or options["data_layout"], data, letter)
    return bad_value(f"axis {axis} of the result has no extent: it would be {extent}", axis=axis)


def _conv_transpose(dtype: Any, data: Shape, weight: Shape, options: dict[str, Any]) -> Run2:
    """Plan a transposed convolution of two arrays of one dtype and of shapes with the channels first."""
    n, groups, sizes, spatial = len(data) - 2, options["groups"], weight[2:], data[2:]
    strides = per_axis(options["strides"], n, "strides")
    dilation = per_axis(options["dilation"], n, "dilation")
    pads = paddings(options["padding"], n)
    extra = per_axis(options["output_padding"], n, "output_padding", least=0)
    check_output_padding(extra, strides)
    _check_groups(data, weight, weight[0], groups, axis_in(options["kernel_layout"], "IO" + SPATIAL[n], "I"))
    axes = list(zip(spatial, sizes, strides, dilation, extra, strict=True))
    full = [max(0, (i - 1) * s + d * (k - 1) + 1 + e) for i, k, s, d, e in axes]
    out = [extent - before - after for extent, (before, after) in zip(full, pads, strict=True)]
    for at, extent in enumerate(out):
        if spatial[at] == 0 or sizes[at] == 0 or extent < 1:
            raise _without_extent(at, n, spatial[at], sizes[at], extent, options)
    plain = n == 2 and groups == 1 and not any(extra) and not any(map(any, pads))
    if plain and sizes == tuple(strides) and tuple(out) == (spatial[0] * sizes[0], spatial[1] * sizes[1]):
        return _side_by_side(dtype, data, weight)
    channels = groups * weight[1]
    flat = (data[0], groups, data[1] // groups, elements(spatial))
    # One matrix per place of the kernel: (places, groups, channels after, channels before).
    factors = (groups, weight[0] // groups, weight[1], elements(sizes))
    places = [shifted(place, spatial, strides, dilation) for place in offsets(sizes)]
    spans = [slice(before, before + extent) for extent, (before, _) in zip(out, pads, strict=True)]
    inside = (slice(None), slice(None), *spans)

    def run(x: Any, w: Any) -> Any:
        result = np.zeros((data[0], channels, *full), dtype)
        columns = x.reshape(flat)
        kernel = np.ascontiguousarray(w.reshape(factors).transpose(3, 0, 2, 1))
        for factor, place in zip(kernel, places, strict=True):
            result[place] += np.matmul(factor, columns).reshape(data[0], channels, *spatial)
        return np.ascontiguousarray(result[inside])

    return run


def _side_by_side(dtype: Any, data: Shape, weight: Shape) -> Run2:
    """Plan a transposed convolution whose copies of the kernel do not overlap: its strides are its extents.

    One product gives all places of the kernel for some rows of the image, so few that it stays in the cache.
    """
    images, before, height, width = data
    channels, (high, wide) = weight[1], weight[2:]
    most = max(1, min(height, _GATHERED // max(1, high * wide * channels * width)))
    pairs = {np.dtype(np.float32): np.complex64, np.dtype(np.float64): np.complex128}.get(np.dtype(dtype))

    def run(x: Any, w: Any) -> Any:
        kernel = np.ascontiguousarray(w.transpose(2, 3, 1, 0)).reshape(high * wide * channels, before)
        result = np.empty((images, channels, height, high, width, wide), dtype)
        columns = [result[..., at] for at in range(wide)]
        if (
            wide == 2 and pairs is not None
        ):  # stores at every other place are slow, except to parts of complex numbers
            whole = result.view(pairs)[..., 0]
            columns = [whole.real, whole.imag]
        for image, first in product(range(images), range(0, height, most)):
            rows = slice(first, min(height, first + most))
            part = np.matmul(kernel, x[image, :, rows].reshape(before, -1))
            part = part.reshape(high, wide, channels, -1, width)
            for row, at in product(range(high), range(wide)):
                columns[at][image, :, rows, row] = part[row, at]
        return result.reshape(images, channels, height * high, width * wide)

    return run


for _n in (1, 2, 3):
    _declare(_n, transposed=False)
    _declare(_n, transposed=True)
