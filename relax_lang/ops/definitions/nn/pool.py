"""Pooling: the largest or the average element of windows, looping over the places of the window, axis by axis."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.attribute_syntax.windows import SPATIAL, image_of, paddings, per_axis
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_float
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import held, wide_dtype, widened
from relax_lang.ops.numpy_kernels.shape_checks import along, elements
from relax_lang.ops.numpy_kernels.windows import in_layouts, padding, shape_in, spatial_axes
from relax_lang.ops.shape_rules.nn import windows as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, TensorSpec

family = Family(__name__, "Neural networks: pooling", since="later", rows="images")

_EXTENT = """The extent of a spatial axis is floor((i + padding - dilation · (k - 1) - 1) / stride) + 1;
    with `ceil_mode` it is rounded up, but a window that would start in the padding after the input is left
    out. Pool size, strides, dilation and padding are one number or one per spatial axis; padding may also
    be two per axis, first all before, then all after. A layout may have blocks, such as `NCHW16c`. The dtype
    stays."""


_LARGEST = f"""The largest element of every window; nan if there is one. Cells outside of the input count
    as the least value. {_EXTENT}"""
_AVERAGE = f"""The average of every window. Cells of the padding count as zeros with `count_include_pad`,
    and not at all without it. Integers are rounded toward zero. {_EXTENT}"""
_ADAPTIVE = """Average over as many windows as the result has places: place j of an axis takes the elements
    from floor(j · n / o) to ceil((j + 1) · n / o), for the extents n before and o after. `output_size`
    is one number or one per spatial axis; without it the size stays. Integers are rounded toward zero.
    The dtype stays."""


def _layouts(n: int) -> str:
    return f'layout: str = "NC{SPATIAL[n]}", out_layout: str|none = none'


def _attrs(n: int, *, count_include_pad: bool) -> str:
    ones, zeros = [1] * n, [0] * (n if n > 1 else 2)
    return (
        f"pool_size: int|list[int] = {ones}, strides: int|list[int] = {ones}, "
        f"padding: int|list[int] = {zeros}, dilation: int|list[int] = {ones}, ceil_mode: bool = false, "
        f"count_include_pad: bool = {'true' if count_include_pad else 'false'}, {_layouts(n)}"
    )


def _declare(n: int) -> None:
    """Declare the operators over n spatial axes."""
    since = "spec" if n == 2 else "later"
    data, size = image_of("1.0, 4.0, 2.0, 3.0", n), [1] * (n - 1) + [2]
    family.declare(
        f"nn.max_pool{n}d",
        "data: tensor",
        _attrs(n, count_include_pad=False),
        infer=rules.pool(n),
        kernel=partial(_pool, n, _largest),
        planned=True,
        doc=_LARGEST,
        also=("jax.max_pool", "onnx.MaxPool") if n == 2 else (),
        example=f"nn.max_pool{n}d({data}, pool_size={size})",
        since=since,
    )
    family.declare(
        f"nn.avg_pool{n}d",
        "data: tensor(number)",
        _attrs(n, count_include_pad=n != 2),
        infer=rules.pool(n),
        kernel=partial(_pool, n, _average),
        planned=True,
        doc=_AVERAGE,
        also=("jax.avg_pool", "onnx.AveragePool") if n == 2 else (),
        example=f"nn.avg_pool{n}d({data}, pool_size={size})",
    )
    family.declare(
        f"nn.adaptive_avg_pool{n}d",
        "data: tensor(number)",
        f"output_size: int>0|list[int>0]|none = none, {_layouts(n)}",
        infer=rules.adaptive(n),
        kernel=partial(_adaptive, n),
        planned=True,
        doc=_ADAPTIVE,
        also=("onnx.GlobalAveragePool", "tvm.global_avg_pool2d") if n == 2 else (),
        example=f"nn.adaptive_avg_pool{n}d({data}, output_size={size})",
        since=since,
    )


class Places:
    """Where the windows of a pooling lie in arrays of some shape with the channels first."""

    def __init__(self, shape: tuple[int, ...], options: dict[str, Any]) -> None:
        self.spatial = spatial = shape[2:]
        n = len(spatial)
        sizes = per_axis(options["pool_size"], n, "pool_size")
        strides = per_axis(options["strides"], n, "strides")
        dilation = per_axis(options["dilation"], n, "dilation")
        self.pads = paddings(options["padding"], n)
        numbers = spatial_axes(options["layout"], "NC" + SPATIAL[n])
        axes = zip(spatial, sizes, strides, self.pads, dilation, numbers, strict=True)
        self.out = out = [_windows(*axis, ceil_mode=options["ceil_mode"]) for axis in axes]
        self.along: list[list[slice]] = []
        """Per spatial axis, where the elements lie that have the same place in their window."""
        self.padding: list[tuple[int, int]] = []
        for size, stride, d, o, (before, after), extent in zip(
            sizes, strides, dilation, out, self.pads, spatial, strict=True
        ):
            span = stride * (o - 1) + 1
            self.along.append([slice(at * d, at * d + span, stride) for at in range(size)])
            # What the last window needs beyond the padding, with ceil_mode.
            self.padding.append((before, max(after, span + d * (size - 1) - extent - before)))

    def combining(self, ufunc: Any, shape: tuple[int, ...], outside: Any) -> Run1:
        """Plan what a function of two makes of all elements of each window: along one axis after the other.

        The first axes are done first, so that they leave less to those whose elements lie apart. Cells around the
        array have the value `outside`.
        """
        steps: list[tuple[Any, Any, list[Any]]] = []
        for axis, (spans, around) in enumerate(zip(self.along, self.padding, strict=True), 2):
            if spans != [slice(0, shape[axis] + sum(around), 1)]:
                first, *others = [along(axis, span) for span in spans]
                steps.append((first, others[0] if others else None, others[1:]))
        pad = padding(shape, self.padding, outside)

        def run(x: Any) -> Any:
            result = x if pad is None else pad(x)
            for first, second, others in steps:
                if second is None:
                    result = result[first]
                    continue
                whole, result = result, ufunc(result[first], result[second])
                for other in others:
                    ufunc(result, whole[other], out=result)
            return result

        if pad is not None or any(second is not None for _, second, _ in steps):
            return run
        return lambda x: run(x).copy()  # else the result would be a view of the argument

    def cells(self, include_pad: bool) -> Any:
        """Return the number of cells that count in every window: those inside, and those of the padding if asked
        for. One number is returned where all windows have as many.
        """
        count: Any = 1
        for extent, pad, whole, spans in zip(self.spatial, self.pads, self.padding, self.along, strict=True):
            inside = np.zeros(extent + whole[0] + whole[1], np.int64)
            low, high = (0, extent + pad[0] + pad[1]) if include_pad else (pad[0], pad[0] + extent)
            inside[low:high] = 1
            count = np.multiply.outer(count, sum([inside[span] for span in spans[1:]], inside[spans[0]]))
        count = np.maximum(count, 1)
        first = count.reshape(-1)[:1]
        return first.reshape(()) if first.size and (count == first).all() else count


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


def _pool(
    n: int,
    plan: Callable[[Any, tuple[int, ...], dict[str, Any]], Run1],
    data: TensorSpec,
    **options: Any,
) -> Run1:
    """Plan pooling over n spatial axes, in whatever layout."""
    canonical = "NC" + SPATIAL[n]
    shape = shape_in(data, options["layout"], canonical, "layout", "data")
    run = plan(data.dtype, shape, options)
    return in_layouts(run, (canonical,), (options["layout"],), options["out_layout"])


def _largest(dtype: Any, shape: tuple[int, ...], options: dict[str, Any]) -> Run1:
    if is_float(dtype):
        least: Any = -np.inf
    else:
        least = False if dtype.kind == "b" else np.iinfo(dtype).min
    return widened(dtype, Places(shape, options).combining(np.maximum, shape, least))


def _average(dtype: Any, shape: tuple[int, ...], options: dict[str, Any]) -> Run1:
    windows = Places(shape, options)
    summed = windows.combining(np.add, shape, 0)
    return _averaging(dtype, summed, lambda: windows.cells(options["count_include_pad"]))


def _averaging(dtype: Any, summed: Run1, count: Callable[[], Any]) -> Run1:
    """Plan the average of groups of elements: `summed` makes their sums in new memory, `count` their sizes.

    Integers are rounded toward zero.
    """
    if is_float(dtype):
        divisor = held(lambda: count().astype(wide_dtype(dtype)))

        def run(x: Any) -> Any:
            total = summed(x)
            total /= divisor()
            return total

        return widened(dtype, run)
    wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    cells = held(lambda: count().astype(wide))

    def run_on_integers(x: Any) -> Any:
        x, count = x.astype(wide), cells()
        if dtype.itemsize < 8:
            total = summed(x)
            quotient, rest = total // count, total % count
        else:  # the upper and the lower 32 bits on their own, so that no sum leaves 64 bits
            upper, lower = summed(x >> 32), summed(x & 0xFFFFFFFF)
            rest = ((upper % count) << 32) + lower  # the remainder of the upper part is less than the count
            quotient, rest = ((upper // count) << 32) + rest // count, rest % count
        return (quotient + ((quotient < 0) & (rest != 0))).astype(dtype)

    return run_on_integers


def _adaptive(n: int, data: TensorSpec, **options: Any) -> Run1:
    """Plan adaptive average pooling over n spatial axes, in whatever layout."""
    canonical = "NC" + SPATIAL[n]
    shape = shape_in(data, options["layout"], canonical, "layout", "data")
    wanted = options["output_size"]
    sizes = shape[2:] if wanted is None else per_axis(wanted, n, "output_size")
    if max(sizes) == 1 and min(shape[2:]) > 0:
        axes, add = tuple(range(2, n + 2)), np.add.reduce
        count = elements(shape[2:])
        run = _averaging(data.dtype, lambda x: add(x, axes, None, None, True), lambda: np.array(count))
    else:
        summed, count = _spans(shape, sizes, spatial_axes(options["layout"], canonical))
        run = _averaging(data.dtype, summed, count)
    return in_layouts(run, (canonical,), (options["layout"],), options["out_layout"])


def _spans(
    shape: tuple[int, ...], sizes: Sequence[int], numbers: Sequence[int]
) -> tuple[Run1, Callable[[], Any]]:
    """Plan the sums of `sizes` windows per spatial axis; return also a function of their sizes.

    `numbers` are what messages call the axes.
    """
    lengths: list[Any] = []
    steps: list[Run1] = []
    for axis, size in enumerate(sizes, 2):
        extent = shape[axis]
        if extent == 0 and size:
            number = numbers[axis - 2]
            raise bad_value(f"axis {number} has extent 0; there is nothing to average", axis=number, extent=0)
        bounds = [(j * extent // size, -(-(j + 1) * extent // size)) for j in range(size)]
        steps.append(_sum_spans(axis, bounds))
        lengths.append(np.array([high - low for low, high in bounds], np.int64))

    def run(x: Any) -> Any:
        for step in steps:
            x = step(x)
        return x

    def count() -> Any:
        result = np.ones((), np.int64)
        for each in lengths:
            result = result[..., None] * each
        return result

    return run, count


def _sum_spans(axis: int, bounds: list[tuple[int, int]]) -> Run1:
    """Plan sums between bounds on an axis, in new memory."""
    if all(high - low == 1 for low, high in bounds):
        places = along(axis, [low for low, _ in bounds])
        return lambda x: x[places]
    before = (slice(None),) * axis

    def run(x: Any) -> Any:
        result = np.empty((*x.shape[:axis], len(bounds), *x.shape[axis + 1 :]), x.dtype)
        for place, (low, high) in enumerate(bounds):
            np.add.reduce(x[(*before, slice(low, high))], axis=axis, out=result[(*before, place)])
        return result

    return run


for _n in (1, 2, 3):
    _declare(_n)
