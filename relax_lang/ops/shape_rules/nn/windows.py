"""Struct info rules of convolution and pooling: layouts, and how many windows fit on an axis. [OP.3-OP.7]

Rules compute with channels first, (N, C, spatial axes…); messages count the axes as the layouts of the call have them.
"""

from __future__ import annotations

from functools import partial

from relax_lang.base.wording import counted
from relax_lang.ops.attribute_syntax.layouts import axis_in, parse_layout
from relax_lang.ops.attribute_syntax.windows import (
    SPATIAL,
    check_output_padding,
    paddings,
    per_axis,
)
from relax_lang.ops.core.errors import OpError
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype
from relax_lang.ops.shape_rules.shared.dims import (
    add,
    ceil_divide,
    floor_divide,
    multiply,
    number,
    smallest,
    subtract,
    value_of,
)
from relax_lang.ops.shape_rules.shared.extents import ONE, below, must_divide, negative, quotient, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.ops.attribute_syntax.layouts import Layout
    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.syntax import tree

    Dim = tree.PrimExpr
    Rule = Callable[[Inference], tree.StructInfo]


class _Windows:
    """The attributes that windows have in common, one number per spatial axis."""

    __slots__ = ("axes", "dilation", "extra", "n", "pads", "strides")

    def __init__(self, call: Inference, n: int) -> None:
        attrs = call.attrs
        self.n = n
        self.axes = spatial_axes(call, n)
        """Which axes of the data the spatial ones are."""
        self.strides = per_axis(attrs["strides"], n, "strides")
        self.dilation = per_axis(attrs["dilation"], n, "dilation")
        self.pads = paddings(attrs["padding"], n)
        self.extra: tuple[int, ...] = ()
        if "output_padding" in attrs:
            self.extra = per_axis(attrs["output_padding"], n, "output_padding", least=0)
            check_output_padding(self.extra, self.strides)


def spatial_axes(call: Inference, n: int) -> list[int]:
    """Return which axes of the data are the spatial ones, in the layout of a call."""
    layout = call.attrs["data_layout" if "data_layout" in call.attrs else "layout"]
    return [axis_in(layout, "NC" + SPATIAL[n], letter) for letter in SPATIAL[n]]


def _axis_of_kernel(call: Inference, kernel: str, n: int, place: int) -> int:
    """Return which axis of the weight one of its canonical order is."""
    canonical = kernel + SPATIAL[n]
    return axis_in(call.attrs["kernel_layout"], canonical, canonical[place])


def _windows(call: Inference, n: int) -> _Windows | None:
    try:
        return _Windows(call, n)
    except OpError as refusal:
        call.refused(refusal)
    return None


def conv(n: int) -> Rule:
    """Return the rule of a convolution over n axes: (N, O, windows…)."""

    def rule(call: Inference) -> tree.StructInfo:
        return _convolution(call, n, "OI", _windows_of_kernel)

    return rule


def conv_transpose(n: int) -> Rule:
    """Return the rule of a transposed convolution over n axes: (N, O · groups, what the windows cover…)."""

    def rule(call: Inference) -> tree.StructInfo:
        return _convolution(call, n, "IO", _covered_by_kernel)

    return rule


def _convolution(
    call: Inference,
    n: int,
    kernel: str,
    extents: Callable[[Inference, _Windows, Sequence[Dim], Sequence[Dim]], list[Dim] | None],
) -> tree.StructInfo:
    data, weight, attrs = call.tensor(0), call.tensor(1), call.attrs
    canonical = "NC" + SPATIAL[n]
    dtype = attrs["out_dtype"] or same_dtype(call, data, weight, 0, 1)
    x = canonical_dims(call, 0, data, attrs["data_layout"], canonical, "data_layout")
    w = canonical_dims(call, 1, weight, attrs["kernel_layout"], kernel + SPATIAL[n], "kernel_layout")
    windows = _windows(call, n)
    out = _out_layout(call, canonical, attrs["data_layout"])
    rank = n + 2 if out is None else len(out.axes)
    if x is None or w is None:
        return call.of_rank(rank, dtype)
    groups = number(attrs["groups"])
    if kernel == "OI":
        taken, made = multiply(call, w[1], groups), w[0]
    else:
        taken, made = w[0], multiply(call, w[1], groups)
    _check_groups(call, x[1], taken, w[0], _axis_of_kernel(call, kernel, n, 0))
    if windows is None or out is None or call.findings:
        return call.of_rank(rank, dtype)
    spatial = extents(call, windows, x[2:], w[2:])
    dims = None if spatial is None else arranged(call, [x[0], made, *spatial], out)
    return call.of_rank(rank, dtype) if dims is None else call.tensor_of(dims, dtype)


def _check_groups(call: Inference, channels: Dim, taken: Dim, first: Dim, axis: int) -> None:
    groups: int = call.attrs["groups"]

    def reason() -> str:
        return f"`data` has {text(channels)} channels, `weight` takes {text(taken)} in {counted(groups, 'group')}"

    if not call.clash(channels, taken, (0, 1), reason):
        must_divide(
            call,
            number(groups),
            first,
            1,
            lambda: (
                f"axis {axis} of `weight` is {text(first)}, which {counted(groups, 'group')} do not divide"
            ),
        )


def canonical_dims(
    call: Inference, index: int, known: Known, text: str, canonical: str, attribute: str
) -> list[Dim] | None:
    """Return the dimensions of an argument in the canonical order; None if they are not known, or after an error."""
    layout = layout_of(call, text, canonical, attribute)
    if layout is None:
        return None
    if known.rank is not None and known.rank != len(layout.axes):
        call.bad_argument(index, f"a tensor of rank {len(layout.axes)} for the layout {text}")
        return None
    if known.dims is None:
        return None
    dims: list[Dim] = []
    for letter, places in zip(canonical, layout.groups(), strict=True):
        extent = known.dims[places[0]]
        if len(places) > 1:
            inner, block = known.dims[places[1]], number(layout.blocks[letter])
            if call.clash(inner, block, (index,), partial(_block_text, call, index, letter, inner, block)):
                return None
            extent = multiply(call, extent, block)
        dims.append(extent)
    return dims


def _block_text(call: Inference, index: int, letter: str, inner: Dim, block: Dim) -> str:
    return f"the blocks of {letter} have {text(inner)} elements in {call.name(index)}, {text(block)} in its layout"


def layout_of(call: Inference, text: str, canonical: str, attribute: str) -> Layout | None:
    """Return what a layout means; None after an error. [OP.4]"""
    try:
        return parse_layout(text, canonical, attribute)
    except OpError as refusal:
        call.refused(refusal)
        return None


def _out_layout(call: Inference, canonical: str, layout: str) -> Layout | None:
    """Return the layout of the result; None after an error, of which that of the argument was reported."""
    wanted = call.attrs["out_layout"]
    if wanted is not None:
        return layout_of(call, wanted, canonical, "out_layout")
    try:
        return parse_layout(layout, canonical, "out_layout")
    except OpError:
        return None


def _blocks_text(dim: Dim, letter: str, block: int) -> str:
    return f"the extent {text(dim)} of {letter} is not made of blocks of {block}"


def arranged(call: Inference, dims: Sequence[Dim], layout: Layout) -> list[Dim] | None:
    """Return canonical dimensions as a layout has them; None after an error."""
    result: dict[str, Dim] = {}
    for letter, dim in zip(layout.canonical, dims, strict=True):
        block = layout.blocks.get(letter)
        if block is None:
            result[letter] = dim
            continue
        if must_divide(call, number(block), dim, 0, partial(_blocks_text, dim, letter, block)):
            return None
        result[letter], result[letter.lower()] = quotient(call, dim, number(block)), number(block)
    return [result[axis] for axis in layout.axes]


def _windows_of_kernel(
    call: Inference, windows: _Windows, spatial: Sequence[Dim], sizes: Sequence[Dim]
) -> list[Dim] | None:
    """Return how many places the kernel has on every axis."""
    found: list[Dim] = []
    for at, (extent, size) in enumerate(zip(spatial, sizes, strict=True)):
        if below(call, size, ONE):
            axis = _axis_of_kernel(call, "OI", windows.n, at + 2)
            call.bad_shape(f"the window has extent {text(size)} on axis {axis}", 1)
            return None
        count = _count(call, windows, at, extent, size, 1)
        if count is None:
            return None
        found.append(count)
    return found


def _count(
    call: Inference,
    windows: _Windows,
    at: int,
    extent: Dim,
    size: Dim,
    of_size: int,
    divide: Callable[[Inference, Dim, Dim], Dim] = floor_divide,
) -> Dim | None:
    """Return how many windows there are on an axis, side by side at its stride; None if provably none fits.

    `of_size` is the argument that has the size; `divide` decides whether a window that fits only in part counts.
    """
    needed, stride = _reach(call, windows.dilation[at], size), number(windows.strides[at])
    last = add(
        call, extent, subtract(call, number(sum(windows.pads[at])), needed)
    )  # where the last one may start
    if negative(call, last):
        there = text(add(call, extent, number(sum(windows.pads[at]))))
        reason = (
            f"a window of {text(needed)} does not fit axis {windows.axes[at]}, whose padded extent is {there}"
        )
        call.bad_shape(reason, *sorted({0, of_size}))
        return None
    return divide(call, add(call, last, stride), stride)


def _reach(call: Inference, dilation: int, size: Dim) -> Dim:
    return add(call, multiply(call, subtract(call, size, ONE), number(dilation)), ONE)


def _covered_by_kernel(
    call: Inference, windows: _Windows, spatial: Sequence[Dim], sizes: Sequence[Dim]
) -> list[Dim] | None:
    """Return what windows at all places of the data cover on every axis."""
    found: list[Dim] = []
    for at, (extent, size) in enumerate(zip(spatial, sizes, strict=True)):
        steps = multiply(call, subtract(call, extent, ONE), number(windows.strides[at]))
        full = add(call, steps, _reach(call, windows.dilation[at], size))
        covered = add(call, full, number(windows.extra[at] - sum(windows.pads[at])))
        reason = ""
        if below(call, extent, ONE):
            reason = f"axis {windows.axes[at]} of {call.name(0)} has extent 0"
        elif below(call, size, ONE):
            reason = f"axis {_axis_of_kernel(call, 'IO', windows.n, at + 2)} of {call.name(1)} has extent 0"
        elif below(call, covered, ONE):
            wanted = call.attrs["out_layout"] or call.attrs["data_layout"]
            axis = axis_in(wanted, "NC" + SPATIAL[windows.n], SPATIAL[windows.n][at])
            reason = f"axis {axis} of the result has no extent: it would be {text(covered)}"
        if reason:
            call.bad_shape(reason, 0, 1)
            return None
        found.append(covered)
    return found


def pool(n: int) -> Rule:
    """Return the rule of pooling over n axes: (N, C, windows…)."""

    def rule(call: Inference) -> tree.StructInfo:
        data, attrs = call.tensor(0), call.attrs
        canonical = "NC" + SPATIAL[n]
        result = canonical_dims(call, 0, data, attrs["layout"], canonical, "layout")
        windows = _windows(call, n)
        sizes: tuple[int, ...] = ()
        try:
            sizes = per_axis(attrs["pool_size"], n, "pool_size")
        except OpError as refusal:
            call.refused(refusal)
        out = _out_layout(call, canonical, attrs["layout"])
        rank = n + 2 if out is None else len(out.axes)
        if windows is None or result is None or out is None or call.findings:
            return call.of_rank(rank, data.dtype)
        for at, size in enumerate(sizes):
            extent = _pooled(call, windows, at, result[at + 2], size)
            if extent is None:
                return call.of_rank(rank, data.dtype)
            result[at + 2] = extent
        dims = arranged(call, result, out)
        return call.of_rank(rank, data.dtype) if dims is None else call.tensor_of(dims, data.dtype)

    return rule


def _pooled(call: Inference, windows: _Windows, at: int, extent: Dim, size: int) -> Dim | None:
    """Return how many windows there are on an axis; None if there is none, or there is no short expression for it."""
    stride = windows.strides[at]
    before, after = windows.pads[at]
    divide = ceil_divide if call.attrs["ceil_mode"] else floor_divide
    count = _count(call, windows, at, extent, number(size), 0, divide)
    if count is None or not call.attrs["ceil_mode"]:
        return count
    reach = windows.dilation[at] * (size - 1) + 1
    if after + stride <= reach:
        return count
    # A window that starts in the padding after the input is left out: there is at most one, unless the padding
    # is wider than a window.
    started = ceil_divide(call, add(call, extent, number(before)), number(stride))
    if after <= reach:
        return smallest(call, count, started)
    last, room_there = value_of(count), value_of(extent)
    if last is None or room_there is None:
        return None
    return number(last - ((last - 1) * stride >= room_there + before))


def adaptive(n: int) -> Rule:
    """Return the rule of adaptive pooling over n axes: (N, C, the size that is asked for…)."""

    def rule(call: Inference) -> tree.StructInfo:
        data, attrs = call.tensor(0), call.attrs
        canonical, wanted = "NC" + SPATIAL[n], attrs["output_size"]
        result = canonical_dims(call, 0, data, attrs["layout"], canonical, "layout")
        out = _out_layout(call, canonical, attrs["layout"])
        rank = n + 2 if out is None else len(out.axes)
        sizes: tuple[int, ...] = ()
        try:
            sizes = () if wanted is None else per_axis(wanted, n, "output_size")
        except OpError as refusal:
            call.refused(refusal)
        if call.findings or out is None:
            return call.of_rank(rank, data.dtype)
        if wanted is None and attrs["out_layout"] in (None, attrs["layout"]):
            return call.of_rank(rank, data.dtype) if data.rank is None else call.like(data, data.dtype)
        if result is None:
            return call.of_rank(rank, data.dtype)
        for at, size in enumerate(sizes):
            if value_of(result[at + 2]) == 0:
                call.bad_shape(
                    f"axis {spatial_axes(call, n)[at]} has extent 0; there is nothing to average", 0
                )
            result[at + 2] = number(size)
        dims = arranged(call, result, out)
        return call.of_rank(rank, data.dtype) if dims is None else call.tensor_of(dims, data.dtype)

    return rule
