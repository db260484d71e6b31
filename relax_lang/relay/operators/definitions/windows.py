"""Layers over windows that Relax has no operator for, and losses. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.definitions.images import sides, windows
from relax_lang.relay.operators.definitions.layouts import parts_of, transformed
from relax_lang.relay.operators.dims import axis_of, cast, ints, known, ranked, repeated, reshaped
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value


_MOST_WINDOWS = 4_096
"""On one axis of adaptive pooling: the places of each are written out."""


def _adaptive_max(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Each axis in turn: the maximum over the places of each window, the last one repeated in shorter windows."""
    data = args[0]
    layout: str = attrs["layout"]
    parts = parts_of(layout)
    dims = to.dims(data)
    if len(dims) != len(parts):
        raise Refused(f"`data` has {len(dims)} axes, and the layout {layout} has {len(parts)}", argument=0)
    axes = [index for index, (name, _) in enumerate(parts) if name in "DHW"]
    sizes = known([dims[axis] for axis in axes], "the extents that are divided into windows")
    wanted = attrs["output_size"] or sizes
    for axis, size, count in zip(axes, sizes, repeated(wanted, len(axes), "output_size"), strict=True):
        if count < 1 or size < 1:
            raise Refused("`output_size` has to be positive", attribute="output_size", rule="attribute_value")
        if count == size:
            continue
        if count > _MOST_WINDOWS:
            raise NotLowered(f"more than {_MOST_WINDOWS} windows on an axis")
        bounds = [(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]
        longest = max(end - begin for begin, end in bounds)
        places = [[min(begin + step, end - 1) for step in range(longest)] for begin, end in bounds]
        windowed = to.call("take", data, to.const(places, "int64"), axis=axis)
        data = to.call("max", windowed, axis=[axis + 1])
    return data


for _name, _layout in (("1d", "NCW"), ("2d", "NCHW"), ("3d", "NCDHW")):
    declare(
        f"nn.adaptive_max_pool{_name}",
        "data",
        f'output_size: ints = [], layout: str = "{_layout}", out_layout: str = ""',
        relation=by_lowering,
        lower=_adaptive_max,
    )


def _lrn(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """`x / (bias + alpha / size * sum of squares of the neighbours)^beta`."""
    data = args[0]
    dims, dtype = to.dims(data), to.dtype(data)
    axis, size = axis_of(attrs["axis"], len(dims)), attrs["size"]
    if size < 1 or size % 2 == 0:
        raise Refused(f"`size` has to be odd, not {size}", attribute="size", rule="attribute_value")
    (count,) = known([dims[axis]], "the extent of the axis")
    reach = min(size // 2, max(count - 1, 0))
    width = [0] * (2 * len(dims))
    width[2 * axis] = width[2 * axis + 1] = reach
    squares = to.call("multiply", data, data)
    padded = to.call("nn.pad", squares, pad_width=width, pad_mode="constant", pad_value=0.0)
    total: Value = None
    for step in range(2 * reach + 1):
        parts = [to.prims([one]) for one in (axis, step, step + count, 1)]
        part = to.call("strided_slice", padded, *parts)
        total = part if total is None else to.call("add", total, part)
    scaled = to.call("multiply", total, to.const(float(attrs["alpha"]) / size, dtype))
    base = to.call("add", scaled, to.const(float(attrs["bias"]), dtype))
    return to.call("divide", data, to.call("power", base, to.const(float(attrs["beta"]), dtype)))


declare(
    "nn.lrn",
    "data",
    "size: int = 5, axis: int = 1, bias: float = 2, alpha: float = 0.0001, beta: float = 0.75",
    relation=by_lowering,
    lower=_lrn,
)

_CORRELATION = """
private prim_func @correlation(
  A: Buffer[(b, c, h, w), {dtype}],
  B: Buffer[(b, c, h, w), {dtype}],
  Y: Buffer[(b, d, oh, ow), {dtype}],
) {{
  for i, q, y, x in grid(b, d, oh, ow) {{
    Y[i, q, y, x] = 0.0;
    let y1 = y * {stride1} + {far} - {top};
    let x1 = x * {stride1} + {far} - {left};
    let y2 = y1 + (q // {size} - {reach}) * {stride2};
    let x2 = x1 + (q % {size} - {reach}) * {stride2};
    for k, s, t in grid(c, {kernel}, {kernel}) {{
      let inside = y1 + s >= 0 && y1 + s < h && x1 + t >= 0 && x1 + t < w;
      if inside && y2 + s >= 0 && y2 + s < h && x2 + t >= 0 && x2 + t < w {{
        Y[i, q, y, x] += {both};
      }}{alone}
    }}
    Y[i, q, y, x] = Y[i, q, y, x] / cast({kernel} * {kernel} * c, {dtype});
  }}
}}
"""
_DIFFERENCE_ALONE = """
      if inside && !(y2 + s >= 0 && y2 + s < h && x2 + t >= 0 && x2 + t < w) {{
        Y[i, q, y, x] += abs(A[i, k, y1 + s, x1 + t]);
      }}
      if !inside && y2 + s >= 0 && y2 + s < h && x2 + t >= 0 && x2 + t < w {{
        Y[i, q, y, x] += abs(B[i, k, y2 + s, x2 + t]);
      }}"""


def _correlation(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Patches of one image against moved patches of the other: the mean of products, or of distances."""
    if attrs["layout"] != "NCHW":
        raise NotLowered(f"the layout {attrs['layout']}")
    dims = ranked(to, args[0], 4, "data1", 0)
    dtype = to.dtype(args[0])
    if ranked(to, args[1], 4, "data2", 1) != dims or to.dtype(args[1]) != dtype:
        raise Refused("`data1` and `data2` have one type", argument=1)
    if not dtype.startswith("float"):
        raise Refused("the images are floats", argument=0, rule="dtype")
    kernel, far = attrs["kernel_size"], attrs["max_displacement"]
    stride1, stride2 = attrs["stride1"], attrs["stride2"]
    if kernel < 1 or kernel % 2 == 0 or far < 0 or stride1 < 1 or stride2 < 1:
        raise Refused(
            "`kernel_size` is odd, and strides are positive", attribute="kernel_size", rule="attribute_value"
        )
    top, left, bottom, right = sides(attrs["padding"])
    reach = far // stride2
    border = far + (kernel - 1) // 2
    high, wide = known(dims[2:])
    extents = [-(-(size - 2 * border) // stride1) for size in (high + top + bottom, wide + left + right)]
    if min(extents) < 1:
        raise Refused(f"nothing is left inside of a border of {border}", argument=0)
    size = 2 * reach + 1
    product = "A[i, k, y1 + s, x1 + t] * B[i, k, y2 + s, x2 + t]"
    distance = "abs(A[i, k, y1 + s, x1 + t] - B[i, k, y2 + s, x2 + t])"
    text = _CORRELATION.format(
        dtype=dtype,
        kernel=kernel,
        far=far,
        stride1=stride1,
        stride2=stride2,
        top=top,
        left=left,
        size=size,
        reach=reach,
        both=product if attrs["is_multiply"] else distance,
        alone="" if attrs["is_multiply"] else _DIFFERENCE_ALONE.format(),
    )
    return to.prim_func(text, args, [((dims[0], size * size, *extents), dtype)])


declare(
    "nn.correlation",
    "data1 data2",
    "kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, "
    'padding: ints = [0, 0], is_multiply: bool = True, layout: str = "NCHW"',
    relation=by_lowering,
    lower=_correlation,
)

_DEFORMED = """
private prim_func @deformed_columns(
  X: Buffer[(b, c, h, w), float32],
  Offsets: Buffer[(b, g, kh, kw, 2, oh, ow), float32],
  Y: Buffer[(b, c, kh, kw, oh, ow), float32],
) {{
  for i, k, s, t in grid(b, c, kh, kw) {{
    for p, q in grid(oh, ow) {{
      let part = k // max(c // max(g, 1), 1);
      let y = cast(p * {sy} - {top} + s * {dy}, float32) + Offsets[i, part, s, t, 0, p, q];
      let x = cast(q * {sx} - {left} + t * {dx}, float32) + Offsets[i, part, s, t, 1, p, q];
      Y[i, k, s, t, p, q] = 0.0;
      if y >= 0.0 && y < cast(h, float32) && x >= 0.0 && x < cast(w, float32) {{
        let upper = cast(floor(y), int64);
        let first = cast(floor(x), int64);
        let lower = min(upper + 1, h - 1);
        let last = min(first + 1, w - 1);
        let fy = y - floor(y);
        let fx = x - floor(x);
        let above = X[i, k, upper, first] * (1.0 - fx) + X[i, k, upper, last] * fx;
        let below = X[i, k, lower, first] * (1.0 - fx) + X[i, k, lower, last] * fx;
        Y[i, k, s, t, p, q] = above * (1.0 - fy) + below * fy;
      }}
    }}
  }}
}}
"""


def _deformable_conv2d(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """The elements that each place of the kernel sees, and the product of these with the weight, group by group."""
    if {to.dtype(one) for one in args} != {"float32"}:
        raise Refused("`data`, `offset` and `weight` are float32", argument=1, rule="dtype")
    layout = attrs["data_layout"]
    data = transformed(to, args[0], layout, "NCHW")
    offset = transformed(to, args[1], layout, "NCHW")
    weight = transformed(to, args[2], attrs["kernel_layout"], "OIHW")
    batch, channels, *size = known(to.dims(data))
    out, inner, kh, kw = known(to.dims(weight))
    groups, parts = attrs["groups"], attrs["deformable_groups"]
    sy, sx = repeated(attrs["strides"], 2, "strides")
    dy, dx = repeated(attrs["dilation"], 2, "dilation")
    top, left, bottom, right = sides(attrs["padding"])
    high = windows(size[0], kh, sy, dy, top + bottom)
    wide = windows(size[1], kw, sx, dx, left + right)
    if groups < 1 or channels != inner * groups or out % groups:
        message = f"`data` has {channels} channels, and `weight` {inner} for each of {groups} groups"
        raise Refused(message, argument=2)
    if parts < 1 or channels % parts or known(to.dims(offset)) != [batch, 2 * parts * kh * kw, high, wide]:
        message = f"`offset` has to have the shape {(batch, 2 * parts * kh * kw, high, wide)}"
        raise Refused(message, argument=1)
    text = _DEFORMED.format(sy=sy, sx=sx, dy=dy, dx=dx, top=top, left=left)
    moved = reshaped(to, offset, [batch, parts, kh, kw, 2, high, wide])
    columns = to.prim_func(text, [data, moved], [((batch, channels, kh, kw, high, wide), "float32")])
    columns = reshaped(to, columns, [batch, groups, inner * kh * kw, high * wide])
    rows = reshaped(to, weight, [groups, out // groups, inner * kh * kw])
    made = reshaped(to, to.call("matmul", rows, columns), [batch, out, high, wide])
    made = transformed(to, made, "NCHW", attrs["out_layout"] or layout)
    return cast(to, made, attrs["out_dtype"] or "float32")


declare(
    "nn.deformable_conv2d",
    "data offset weight",
    "strides: ints = [1, 1], padding: ints = [0, 0], dilation: ints = [1, 1], deformable_groups: int = 1, "
    'groups: int = 1, channels: int? = None, kernel_size: ints? = None, data_layout: str = "NCHW", '
    'kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str = ""',
    relation=by_lowering,
    lower=_deformable_conv2d,
)


def _bits(to: Emitter, value: Value, bits: int, *, signed: bool, argument: int) -> Value:
    """Return the numbers that the lowest bits of integers stand for; if signed, each bit is -1 or 1."""
    if not to.dtype(value).startswith(("int", "uint")) or not 1 <= bits <= 16:
        raise Refused("integers of 1 to 16 bits are multiplied bit by bit", argument=argument, rule="dtype")
    most = (1 << bits) - 1
    low = to.call("bitwise_and", cast(to, value, "int32"), to.const(most, "int32"))
    if not signed:
        return low
    doubled = to.call("multiply", low, to.const(2, "int32"))
    return to.call("subtract", doubled, to.const(most, "int32"))


def _bitserial_dense(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    ranked(to, args[0], 2, "data", 0)
    if len(to.dims(args[1])) != 2:
        raise NotLowered("a weight whose bits are packed already")
    data = _bits(to, args[0], attrs["data_bits"], signed=False, argument=0)
    weight = _bits(to, args[1], attrs["weight_bits"], signed=bool(attrs["unipolar"]), argument=1)
    made = to.call("matmul", data, to.call("permute_dims", weight))
    return cast(to, made, attrs["out_dtype"] or "int16")


def _bitserial_conv2d(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    if len(to.dims(args[1])) != 4:
        raise NotLowered("a weight whose bits are packed already")
    data = _bits(to, args[0], attrs["activation_bits"], signed=False, argument=0)
    weight = _bits(to, args[1], attrs["weight_bits"], signed=bool(attrs["unipolar"]), argument=1)
    layout = attrs["data_layout"]
    made = to.call(
        "nn.conv2d",
        transformed(to, data, layout, "NCHW"),
        transformed(to, weight, attrs["kernel_layout"], "OIHW"),
        strides=repeated(attrs["strides"], 2, "strides"),
        padding=ints(attrs["padding"]),
    )
    made = transformed(to, made, "NCHW", attrs["out_layout"] or layout)
    return cast(to, made, attrs["out_dtype"] or "int16")


declare(
    "nn.bitserial_dense",
    "data weight",
    'units: int?, data_bits: int = 1, weight_bits: int = 1, pack_dtype: str = "", out_dtype: str = "", '
    "unipolar: bool = True",
    relation=by_lowering,
    lower=_bitserial_dense,
)
declare(
    "nn.bitserial_conv2d",
    "data weight",
    "strides: ints = [1, 1], padding: ints = [0, 0], kernel_size: ints? = [3, 3], channels: int? = None, "
    'activation_bits: int = 1, weight_bits: int = 1, data_layout: str = "NCHW", kernel_layout: str = "OIHW", '
    'out_layout: str = "", pack_dtype: str = "", out_dtype: str = "", unipolar: bool = True',
    relation=by_lowering,
    lower=_bitserial_conv2d,
)


def _nll_loss(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    reduction = {"none": "null"}.get(attrs["reduction"], attrs["reduction"])
    return to.call("nn.nll_loss", *args, reduction=reduction, ignore_index=attrs["ignore_index"])


declare(
    "nn.nll_loss",
    "predictions targets weights",
    'reduction: str = "mean", ignore_index: int = -100',
    relation=by_lowering,
    lower=_nll_loss,
)
