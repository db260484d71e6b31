"""Layers: products, convolutions, windows, normalizations, images. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare, renamed
from relax_lang.relay.operators.dims import cast, ints, known
from relax_lang.relay.operators.relations import (
    by_lowering,
    channel_params,
    conv_weight,
    dense_weight,
    giving,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value


def _product(to: Emitter, left: Value, right: Value, out_dtype: str) -> Value:
    more = {"out_dtype": out_dtype} if out_dtype else {}
    return to.call("matmul", left, right, **more)


def _dense(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return _product(to, args[0], to.call("permute_dims", args[1]), attrs["out_dtype"])


declare(
    "nn.dense", "data weight", 'units: int?, out_dtype: str = ""', relation=giving(dense_weight), lower=_dense
)


def _swapped(to: Emitter, value: Value, flag: object) -> Value:
    if not flag:
        return value
    rank = len(to.dims(value))
    if rank < 2:
        raise Refused("a matrix is transposed that has fewer than two axes")
    return to.call("permute_dims", value, axes=[*range(rank - 2), rank - 1, rank - 2])


def _matmul(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    left = _swapped(to, args[0], attrs["transpose_a"])
    return _product(to, left, _swapped(to, args[1], attrs["transpose_b"]), attrs["out_dtype"])


declare(
    "nn.matmul",
    "tensor_a tensor_b",
    'units: int?, out_dtype: str = "", transpose_a: bool = False, transpose_b: bool = False',
    relation=by_lowering,
    lower=_matmul,
)
declare(
    "nn.batch_matmul",
    "tensor_a tensor_b",
    'out_dtype: str = "", transpose_a: bool = False, transpose_b: bool = False',
    relation=by_lowering,
    lower=_matmul,
)


def _bias_add(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, bias = args
    rank = len(to.dims(data))
    axis = attrs["axis"] % rank if rank else 0
    behind = rank - 1 - axis
    if behind:
        bias = to.call("expand_dims", bias, axis=list(range(1, behind + 1)))
    return to.call("add", data, bias)


declare("nn.bias_add", "data bias", "axis: int = 1", relation=giving(channel_params(1)), lower=_bias_add)


def _batch_norm(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call(
        "nn.batch_norm",
        *args,
        axis=attrs["axis"],
        epsilon=float(attrs["epsilon"]),
        center=bool(attrs["center"]),
        scale=bool(attrs["scale"]),
    )


_NORM = "epsilon: float = 1e-5, center: bool = True, scale: bool = True"
declare(
    "nn.batch_norm",
    "data gamma beta moving_mean moving_var",
    "axis: int = 1, " + _NORM,
    relation=giving(channel_params(1, 2, 3, 4)),
    lower=_batch_norm,
)


def _layer_norm(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    rank = len(to.dims(args[0]))
    axis = attrs["axis"]
    if rank and axis % rank != rank - 1:
        swapped = list(range(rank))
        swapped[axis], swapped[-1] = rank - 1, axis % rank
        moved = to.call("permute_dims", args[0], axes=swapped)
        made = _layer_norm(to, [moved, *args[1:]], {**attrs, "axis": -1})
        return to.call("permute_dims", made, axes=swapped)
    return to.call(
        "nn.layer_norm",
        *args,
        axes=[axis],
        epsilon=float(attrs["epsilon"]),
        center=bool(attrs["center"]),
        scale=bool(attrs["scale"]),
    )


declare(
    "nn.layer_norm",
    "data gamma beta",
    "axis: int = -1, " + _NORM,
    relation=giving(channel_params(1, 2)),
    lower=_layer_norm,
)


def _group_norm(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    rank = len(to.dims(args[0]))
    axis = attrs["axis"] % rank if rank else 0
    return to.call(
        "nn.group_norm",
        *args,
        num_groups=attrs["num_groups"],
        channel_axis=axis,
        axes=[one for one in range(rank) if one not in (0, axis)],
        epsilon=float(attrs["epsilon"]),
        center=bool(attrs["center"]),
        scale=bool(attrs["scale"]),
    )


def _instance_norm(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    rank = len(to.dims(args[0]))
    axis = attrs["axis"] % rank if rank else 0
    return to.call(
        "nn.instance_norm",
        *args,
        channel_axis=axis,
        axes=[one for one in range(rank) if one not in (0, axis)],
        epsilon=float(attrs["epsilon"]),
        center=bool(attrs["center"]),
        scale=bool(attrs["scale"]),
    )


declare(
    "nn.group_norm",
    "data gamma beta",
    "num_groups: int = 0, axis: int = 1, " + _NORM,
    relation=giving(channel_params(1, 2)),
    lower=_group_norm,
)
declare(
    "nn.instance_norm",
    "data gamma beta",
    "axis: int = 1, " + _NORM,
    relation=giving(channel_params(1, 2)),
    lower=_instance_norm,
)
declare(
    "nn.prelu",
    "data alpha",
    "axis: int = 1",
    relation=giving(channel_params(1)),
    lower=renamed("nn.prelu"),
)


def _conv(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        more: dict[str, Any] = {}
        if attrs["out_dtype"]:
            more["out_dtype"] = attrs["out_dtype"]
        if attrs["out_layout"]:
            more["out_layout"] = attrs["out_layout"]
        if "output_padding" in attrs:
            more["output_padding"] = ints(attrs["output_padding"])
        return to.call(
            name,
            *args,
            strides=ints(attrs["strides"]),
            padding=ints(attrs["padding"]),
            dilation=ints(attrs["dilation"]),
            groups=attrs["groups"],
            data_layout=attrs["data_layout"],
            kernel_layout=attrs["kernel_layout"],
            **more,
        )

    return lower


def _declare_convs() -> None:
    for rank, spatial in ((1, "W"), (2, "HW"), (3, "DHW")):
        ones, zeros = [1] * rank, [0] * rank
        padding = zeros * 2 if rank == 1 else zeros
        common = (
            f'groups: int = 1, {{}}data_layout: str = "NC{spatial}", kernel_layout: str = "{{}}{spatial}", '
        )
        common += 'out_layout: str = "", out_dtype: str = ""'
        channels = "channels: int? = None, kernel_size: ints? = None, "
        plain = f"strides: ints = {ones}, padding: ints = {padding}, dilation: ints = {ones}, "
        name = f"nn.conv{rank}d"
        declare(
            name,
            "data weight",
            plain + common.format(channels, "OI"),
            relation=giving(conv_weight),
            lower=_conv(name),
        )
        transposed = f"strides: ints = {ones}, output_padding: ints = {zeros}, padding: ints = {zeros}, "
        name += "_transpose"
        declare(
            name,
            "data weight",
            channels + transposed + f"dilation: ints = {ones}, " + common.format("", "IO"),
            relation=giving(conv_weight),
            lower=_conv(name),
        )


_declare_convs()


def _pool(name: str, *, counts: bool) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        more: dict[str, Any] = {"count_include_pad": bool(attrs["count_include_pad"])} if counts else {}
        if attrs["out_layout"]:
            more["out_layout"] = attrs["out_layout"]
        return to.call(
            name,
            args[0],
            pool_size=ints(attrs["pool_size"]),
            strides=ints(attrs["strides"]),
            padding=ints(attrs["padding"]),
            dilation=ints(attrs["dilation"]),
            ceil_mode=bool(attrs["ceil_mode"]),
            layout=attrs["layout"],
            **more,
        )

    return lower


def _adaptive(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        size = attrs["output_size"]
        more = {"output_size": ints(size)} if size not in (None, []) else {}
        return to.call(name, args[0], layout=attrs["layout"], **more)

    return lower


def _declare_pools() -> None:
    for rank, spatial in ((1, "W"), (2, "HW"), (3, "DHW")):
        ones, zeros = [1] * rank, [0] * rank
        window = (
            f"pool_size: ints, strides: ints = {ones}, dilation: ints = {ones}, padding: ints = {zeros}, "
        )
        window += f'layout: str = "NC{spatial}", out_layout: str = "", ceil_mode: bool = False'
        name = f"nn.max_pool{rank}d"
        declare(name, "data", window, relation=by_lowering, lower=_pool(name, counts=False))
        name = f"nn.avg_pool{rank}d"
        window += ", count_include_pad: bool = False"
        declare(name, "data", window, relation=by_lowering, lower=_pool(name, counts=True))
        name = f"nn.adaptive_avg_pool{rank}d"
        fields = f'output_size: ints = [], layout: str = "NC{spatial}", out_layout: str = ""'
        declare(name, "data", fields, relation=by_lowering, lower=_adaptive(name))


_declare_pools()


def _global_avg(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("nn.adaptive_avg_pool2d", args[0], output_size=[1, 1], layout=attrs["layout"])


def _global_max(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    layout: str = attrs["layout"]
    return to.call("max", args[0], axis=[layout.index("H"), layout.index("W")], keepdims=True)


_LAYOUT = 'layout: str = "NCHW", out_layout: str = ""'
declare("nn.global_avg_pool2d", "data", _LAYOUT, relation=by_lowering, lower=_global_avg)
declare("nn.global_max_pool2d", "data", _LAYOUT, relation=by_lowering, lower=_global_max)


def _pad(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    value = to.literal(args[1])
    width = [one for pair in attrs["pad_width"] for one in ints(pair)]
    mode = {"edge": "replicate"}.get(attrs["pad_mode"], attrs["pad_mode"])
    if value is None and mode == "constant":
        return _computed_pad(to, args, width)
    return to.call("nn.pad", args[0], pad_width=width, pad_mode=mode, pad_value=float(value or 0))


def _computed_pad(to: Emitter, args: Sequence[Value], width: list[int]) -> Value:
    """Pad with a value that is not written out: it is taken where a mask of the data was padded."""
    data, value = args
    if to.dims(value):
        raise Refused(f"`pad_value` is a scalar, and this has {len(to.dims(value))} axes", argument=1)
    filled = to.call("nn.pad", data, pad_width=width, pad_mode="constant", pad_value=0.0)
    ones = cast(to, to.call("ones_like", data), "int32")
    mask = to.call("nn.pad", ones, pad_width=width, pad_mode="constant", pad_value=0.0)
    mask = to.call("greater", mask, to.const(0, "int32"))
    return to.call("where", mask, filled, cast(to, value, to.dtype(data)))


def _symmetric_pad(to: Emitter, data: Value, pads: list[list[int]]) -> Value:
    """Take places to and fro on each axis: 1 0 0 1 2 2 1."""
    sizes = known(to.dims(data), "the extents that are padded")
    if len(pads) != len(sizes) or any(len(pair) != 2 or min(pair) < 0 for pair in pads):
        raise Refused(f"`pad_width` has two numbers for each of {len(sizes)} axes", attribute="pad_width")
    for axis, (size, (before, after)) in enumerate(zip(sizes, pads, strict=True)):
        if not before and not after:
            continue
        if max(before, after) > size or size + before + after > _MOST_PLACES:
            raise Refused(f"{size} places cannot be mirrored by {before} and {after}", attribute="pad_width")
        cycle = [*range(size), *range(size - 1, -1, -1)]
        places = [cycle[place % len(cycle)] for place in range(-before, size + after)]
        data = to.call("take", data, to.const(places, "int64"), axis=axis)
    return data


_MOST_PLACES = 4_096
"""On an axis that is mirrored: they are written out."""


def _mirror_pad(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    if attrs["mode"] == "SYMMETRIC":
        return _symmetric_pad(to, args[0], [ints(pair) for pair in attrs["pad_width"]])
    if attrs["mode"] != "REFLECT":
        raise NotLowered(f"the mode {attrs['mode']}")
    width = [one for pair in attrs["pad_width"] for one in ints(pair)]
    return to.call("nn.pad", args[0], pad_width=width, pad_mode="reflect")


declare(
    "nn.pad", "data pad_value", 'pad_width: any, pad_mode: str = "constant"', relation=by_lowering, lower=_pad
)
declare(
    "nn.mirror_pad",
    "data",
    'mode: str = "SYMMETRIC", pad_width: any',
    relation=by_lowering,
    lower=_mirror_pad,
)


def _upsampling(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    layout: str = attrs["layout"]
    if attrs["method"] == "bicubic" or layout not in ("NCHW", "NHWC"):
        raise NotLowered(f"method {attrs['method']}, layout {layout}")
    dims = to.dims(args[0])
    if len(dims) != 4:
        raise Refused(f"`data` has {len(dims)} axes, and the layout {layout} has 4", argument=0)
    extents = [dims[layout.index("H")], dims[layout.index("W")]]
    if not all(isinstance(one, int) for one in extents):
        raise NotLowered("the extents that are scaled have to be known")
    size = [round(extents[0] * attrs["scale_h"]), round(extents[1] * attrs["scale_w"])]
    if min(size) < 0:
        raise Refused("a scale is negative", attribute="scale_h", rule="attribute_value")
    nearest = attrs["method"] == "nearest_neighbor"
    mode = "asymmetric" if nearest else "align_corners" if attrs["align_corners"] else "half_pixel"
    return to.call(
        "image.resize2d",
        args[0],
        to.shape(size),
        layout=layout,
        method="nearest_neighbor" if nearest else "linear",
        coordinate_transformation_mode=mode,
        rounding_method="floor" if nearest else "round",
    )


declare(
    "nn.upsampling",
    "data",
    'scale_h: float, scale_w: float, layout: str = "NCHW", method: str = "nearest_neighbor", '
    "align_corners: bool = False",
    relation=by_lowering,
    lower=_upsampling,
)
