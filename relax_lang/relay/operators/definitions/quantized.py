"""Operators on quantized integers: `(q - zero_point) * scale` is the number that is meant. [R.33]

Products are computed on int32 without their zero points. `qnn.requantize` multiplies in float64, where TVM multiplies
by a fraction of 31 bits: the results can differ by one where a product is within 2^-31 of a half.
"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.definitions.layouts import parts_of
from relax_lang.relay.operators.dims import axis_of, cast, ranked, reshaped
from relax_lang.relay.operators.relations import by_lowering, conv_weight, giving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value

_RANGES = {
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
}


def _along(to: Emitter, value: Value, rank: int, axis: int, argument: int) -> Value:
    """Return a scale or zero point so that it broadcasts: one number, or one for each place of an axis."""
    dims = to.dims(value)
    if not dims:
        return value
    if len(dims) > 1:
        raise Refused(
            "a scale or zero point is one number, or one for each place of an axis", argument=argument
        )
    behind = rank - 1 - axis_of(axis, rank)
    return reshaped(to, value, [dims[0], *[1] * behind]) if dims[0] != 1 else reshaped(to, value, [])


def _centered(to: Emitter, value: Value, zero_point: Value, rank: int, axis: int, argument: int) -> Value:
    """Return integers without their zero point, as int32."""
    zero = cast(to, _along(to, zero_point, rank, axis, argument), "int32")
    return to.call("subtract", cast(to, value, "int32"), zero)


def _limited(to: Emitter, value: Value, dtype: str) -> Value:
    if dtype not in _RANGES:
        raise Refused(
            f"{dtype} is not a dtype of quantized integers", attribute="out_dtype", rule="attribute_value"
        )
    low, high = _RANGES[dtype]
    return cast(to, to.call("clip", value, to.prim(low), to.prim(high)), dtype)


def _quantize(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    if attrs["out_dtype"] in ("int8", "uint8", "int16"):
        zero = cast(to, args[2], "int32")
        return to.call("quantize", args[0], args[1], zero, axis=attrs["axis"], out_dtype=attrs["out_dtype"])
    rank = len(to.dims(args[0]))
    scale = _along(to, args[1], rank, attrs["axis"], 1) if rank else args[1]
    zero = _along(to, args[2], rank, attrs["axis"], 2) if rank else args[2]
    scaled = to.call("divide", cast(to, args[0], "float64"), cast(to, scale, "float64"))
    moved = to.call("add", to.call("round", scaled), cast(to, zero, "float64"))
    return _limited(to, moved, attrs["out_dtype"])


def _dequantize(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    zero = cast(to, args[2], "int32")
    return to.call("dequantize", args[0], args[1], zero, axis=attrs["axis"], out_dtype=attrs["out_dtype"])


declare(
    "qnn.quantize",
    "data output_scale output_zero_point",
    "out_dtype: str, axis: int = -1",
    relation=by_lowering,
    lower=_quantize,
)
declare(
    "qnn.dequantize",
    "data input_scale input_zero_point",
    'out_dtype: str = "float32", axis: int = -1',
    relation=by_lowering,
    lower=_dequantize,
)


def _requantized(
    to: Emitter,
    value: Value,
    scales: tuple[Value, Value],
    zero_points: tuple[Value | None, Value],
    dtype: str,
    rounding: str = "None",
) -> Value:
    """Return integers of one scale and zero point as those of another; these broadcast to the value."""
    moved = cast(to, value, "float64")
    if zero_points[0] is not None:
        moved = to.call("subtract", moved, cast(to, zero_points[0], "float64"))
    ratio = to.call("divide", cast(to, scales[0], "float64"), cast(to, scales[1], "float64"))
    scaled, half = to.call("multiply", moved, ratio), to.const(0.5, "float64")
    if rounding in ("None", "UPWARD"):
        rounded = to.call("floor", to.call("add", scaled, half))
    elif rounding == "TONEAREST":
        whole = to.call("floor", to.call("add", to.call("abs", scaled), half))
        rounded = to.call("multiply", to.call("sign", scaled), whole)
    else:
        raise NotLowered(f'`rounding="{rounding}"`')
    return _limited(to, to.call("add", rounded, cast(to, zero_points[1], "float64")), dtype)


def _requantize(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data = args[0]
    rank = len(to.dims(data))
    parts = [
        _along(to, one, rank, attrs["axis"], index + 1) if rank else one for index, one in enumerate(args[1:])
    ]
    scales, zero_points = (parts[0], parts[2]), (parts[1], parts[3])
    return _requantized(to, data, scales, zero_points, attrs["out_dtype"] or "int8", attrs["rounding"])


declare(
    "qnn.requantize",
    "data input_scale input_zero_point output_scale output_zero_point",
    'axis: int = -1, rounding: str = "None", compute_dtype: str = "None", out_dtype: str = ""',
    relation=by_lowering,
    lower=_requantize,
)


def _conv2d(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    layout, kernel = attrs["data_layout"], attrs["kernel_layout"]
    names = [name for name, _ in parts_of(kernel)]
    data = _centered(to, args[0], args[2], len(parts_of(layout)), layout.index("C"), 2)
    weight = _centered(to, args[1], args[3], len(names), names.index("O"), 3)
    more = {"out_layout": attrs["out_layout"]} if attrs["out_layout"] else {}
    made = to.call(
        "nn.conv2d",
        data,
        weight,
        strides=attrs["strides"],
        padding=attrs["padding"],
        dilation=attrs["dilation"],
        groups=attrs["groups"],
        data_layout=layout,
        kernel_layout=kernel,
        **more,
    )
    return cast(to, made, attrs["out_dtype"] or "int32")


declare(
    "qnn.conv2d",
    "data weight input_zero_point kernel_zero_point input_scale kernel_scale",
    "strides: ints = [1, 1], padding: ints = [0, 0], dilation: ints = [1, 1], groups: int = 1, "
    'channels: int? = None, kernel_size: ints? = None, data_layout: str = "NCHW", '
    'kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str = ""',
    relation=giving(conv_weight),
    lower=_conv2d,
)


def _dense(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data = _centered(to, args[0], args[2], len(to.dims(args[0])), -1, 2)
    ranked(to, args[1], 2, "weight", 1)
    weight = _centered(to, args[1], args[3], 2, 0, 3)
    made = to.call("matmul", data, to.call("permute_dims", weight))
    return cast(to, made, attrs["out_dtype"] or "int32")


declare(
    "qnn.dense",
    "data weight input_zero_point kernel_zero_point input_scale kernel_scale",
    'units: int?, out_dtype: str = ""',
    relation=by_lowering,
    lower=_dense,
)


def _batch_matmul(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    sides: list[Value] = []
    for index, flag in ((0, "transpose_a"), (1, "transpose_b")):
        ranked(to, args[index], 3, ("x", "y")[index], index)
        side = _centered(to, args[index], args[index + 2], 3, -1, index + 2)
        sides.append(to.call("permute_dims", side, axes=[0, 2, 1]) if attrs[flag] else side)
    return cast(to, to.call("matmul", *sides), attrs["out_dtype"] or "int32")


declare(
    "qnn.batch_matmul",
    "x y x_zero_point y_zero_point x_scale y_scale",
    'out_dtype: str = "", transpose_a: bool = False, transpose_b: bool = False',
    relation=by_lowering,
    lower=_batch_matmul,
)


def _both(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> list[Value]:
    """Return scales and zero points of both sides, which broadcast."""
    made: list[Value] = []
    for index in range(2):
        rank = len(to.dims(args[index]))
        axis = attrs[("lhs_axis", "rhs_axis")[index]]
        first = 2 + 2 * index
        made += [_along(to, args[at], rank, axis, at) if rank else args[at] for at in (first, first + 1)]
    if to.dtype(args[0]) != to.dtype(args[1]):
        message = f"both sides are of one dtype: `lhs` is {to.dtype(args[0])}, `rhs` is {to.dtype(args[1])}"
        raise Refused(message, argument=1, rule="dtype")
    return made


def _sum(operator: str) -> Callable[..., Value]:
    """Both sides in the scale of the result, added, and one of the two zero points taken off."""

    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        left_scale, left_zero, right_scale, right_zero = _both(to, args, attrs)
        scale, zero = args[6], args[7]
        left = _requantized(to, args[0], (left_scale, scale), (left_zero, zero), "int32")
        right = _requantized(to, args[1], (right_scale, scale), (right_zero, zero), "int32")
        moved = cast(to, zero, "int32")
        made = to.call(operator, left, right)
        made = to.call("subtract" if operator == "add" else "add", made, moved)
        return _limited(to, made, to.dtype(args[0]))

    return lower


def _product(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    left_scale, left_zero, right_scale, right_zero = _both(to, args, attrs)
    left = to.call("subtract", cast(to, args[0], "int32"), cast(to, left_zero, "int32"))
    right = to.call("subtract", cast(to, args[1], "int32"), cast(to, right_zero, "int32"))
    scale = to.call("multiply", left_scale, right_scale)
    product = to.call("multiply", left, right)
    return _requantized(to, product, (scale, args[6]), (None, args[7]), to.dtype(args[0]))


_EIGHT = "lhs rhs lhs_scale lhs_zero_point rhs_scale rhs_zero_point output_scale output_zero_point"
_AXES = "lhs_axis: int = -1, rhs_axis: int = -1"
declare("qnn.add", _EIGHT, _AXES, relation=by_lowering, lower=_sum("add"))
declare("qnn.subtract", _EIGHT, _AXES, relation=by_lowering, lower=_sum("subtract"))
declare("qnn.mul", _EIGHT, _AXES, relation=by_lowering, lower=_product)


def _concatenate(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    counts = [to.count(one) for one in args[:3]]
    if len(set(counts)) > 1:
        message = f"there are {counts[0]} tensors, {counts[1]} scales and {counts[2]} zero points"
        raise Refused(message, argument=1)
    made: list[Value] = []
    for index in range(counts[0]):
        data, scale, zero = [to.field(one, index) for one in args[:3]]
        made.append(_requantized(to, data, (scale, args[3]), (zero, args[4]), to.dtype(data)))
    return to.call("concat", to.fields(made), axis=attrs["axis"])


declare(
    "qnn.concatenate",
    "data input_scales input_zero_points output_scale output_zero_point",
    "axis: int = 0",
    relation=by_lowering,
    lower=_concatenate,
)
