"""Convolutions, pooling, normalization, images."""

from __future__ import annotations

from relax_lang.onnx.exporting.call import exports
from relax_lang.ops.attribute_syntax.windows import paddings, per_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.exporting.call import Call

_IMAGES = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_KERNELS = {1: "OIW", 2: "OIHW", 3: "OIDHW"}


def _dims(call: Call) -> int:
    """Return how many spatial axes an operator has, by its name."""
    return int(next(letter for letter in call.name if letter.isdigit()))


def _layout(call: Call, n: int, name: str) -> None:
    after = call.attrs.get("out_layout") or call.attrs[name]
    call.need(call.attrs[name] == _IMAGES[n] == after, f"the layout `{call.attrs[name]}` is not {_IMAGES[n]}")


def _pads(call: Call, n: int) -> list[int]:
    pairs = paddings(call.attrs["padding"], n)
    return [pair[0] for pair in pairs] + [pair[1] for pair in pairs]


@exports(*[f"nn.conv{n}d{kind}" for n in (1, 2, 3) for kind in ("", "_transpose")])
def convolution(call: Call) -> str:
    """Conv and ConvTranspose."""
    n, transposed = _dims(call), call.name.endswith("_transpose")
    _layout(call, n, "data_layout")
    kernel = _KERNELS[n] if not transposed else "IO" + _KERNELS[n][2:]
    call.need(call.attrs["kernel_layout"] == kernel, f"the layout of its weights is not {kernel}")
    call.need(
        call.dtype() == call.dtype(1) == call.result_dtype, "its operands or its result have other dtypes"
    )
    call.need(call.dtype().startswith("float"), "Conv takes floats only")
    more: dict[str, list[int]] = {}
    if transposed:
        more["output_padding"] = list(per_axis(call.attrs["output_padding"], n, "output_padding", 0))
    return call.op(
        "ConvTranspose" if transposed else "Conv",
        call.tensor(0),
        call.tensor(1),
        kernel_shape=[call.extent(1, axis) for axis in range(2, n + 2)],
        strides=list(per_axis(call.attrs["strides"], n, "strides")),
        dilations=list(per_axis(call.attrs["dilation"], n, "dilation")),
        pads=_pads(call, n),
        group=int(call.attrs["groups"]),
        **more,
    )


@exports(*[f"nn.{kind}_pool{n}d" for n in (1, 2, 3) for kind in ("max", "avg")])
def pool(call: Call) -> str:
    """MaxPool and AveragePool."""
    n, is_max = _dims(call), "max" in call.name
    _layout(call, n, "layout")
    call.need(call.dtype().startswith("float"), "pooling takes floats only")
    dilation = list(per_axis(call.attrs["dilation"], n, "dilation"))
    call.need(not call.attrs["ceil_mode"], "ceil_mode counts windows in another way there")
    call.need(is_max or set(dilation) == {1} or call.graph.opset >= 19, "dilation came with opset 19")
    more: dict[str, object] = {"dilations": dilation} if is_max or set(dilation) != {1} else {}
    if not is_max:
        more["count_include_pad"] = int(call.attrs["count_include_pad"])
    return call.op(
        "MaxPool" if is_max else "AveragePool",
        call.tensor(0),
        kernel_shape=list(per_axis(call.attrs["pool_size"], n, "pool_size")),
        strides=list(per_axis(call.attrs["strides"], n, "strides")),
        pads=_pads(call, n),
        **more,
    )


@exports(*[f"nn.adaptive_avg_pool{n}d" for n in (1, 2, 3)])
def adaptive_pool(call: Call) -> str:
    """GlobalAveragePool; other sizes have no counterpart."""
    n, size = _dims(call), call.attrs["output_size"]
    _layout(call, n, "layout")
    ones = size == 1 or size == [1] * n
    call.need(ones and call.dtype().startswith("float"), "only one place for each channel, of floats")
    return call.op("GlobalAveragePool", call.tensor(0))


@exports("nn.layer_norm")
def layer_norm(call: Call) -> str:
    """LayerNormalization of the last axes."""
    axes, rank = call.axes("axes"), call.rank()
    call.need(axes and axes == list(range(rank - len(axes), rank)), "its axes are not the last ones in order")
    call.need(call.attrs["center"] and call.attrs["scale"], "without center or scale")
    operands = [call.tensor(index) for index in range(3)]
    return call.op("LayerNormalization", *operands, axis=axes[0], epsilon=float(call.attrs["epsilon"]))


@exports("nn.rms_norm")
def rms_norm(call: Call) -> str:
    """The product with the reciprocal of the root of the mean of squares."""
    axes, rank = call.axes("axes"), call.rank()
    call.need(axes and axes == list(range(rank - len(axes), rank)), "its axes are not the last ones in order")
    call.need(call.dtype() in ("float32", "float64"), "halves are computed in float32 here")
    x = call.tensor(0)
    mean = call.op("ReduceMean", call.op("Mul", x, x), call.graph.ints(axes), keepdims=1)
    epsilon = call.graph.scalar(call.attrs["epsilon"], call.dtype())
    scale = call.op("Reciprocal", call.op("Sqrt", call.op("Add", mean, epsilon)))
    return call.op("Mul", call.op("Mul", x, scale), call.tensor(1))


@exports("nn.batch_norm")
def batch_norm(call: Call) -> list[str]:
    """BatchNormalization of axis 1, not for training: mean and variance stay as they are."""
    call.need(not call.attrs["training"], "for training")
    call.need(call.attrs["center"] and call.attrs["scale"], "without center or scale")
    call.need(call.rank() >= 2 and call.axis() == 1, "its channels are not axis 1")
    operands = [call.tensor(index) for index in range(5)]
    found = call.op("BatchNormalization", *operands, epsilon=float(call.attrs["epsilon"]))
    return [found, operands[3], operands[4]]


@exports("nn.instance_norm")
def instance_norm(call: Call) -> str:
    """InstanceNormalization of all axes from 2 on."""
    call.need(call.attrs["center"] and call.attrs["scale"], "without center or scale")
    rest = list(range(2, call.rank()))
    call.need(
        call.axis("channel_axis") == 1 and sorted(call.axes("axes")) == rest and rest, "its axes are others"
    )
    operands = [call.tensor(index) for index in range(3)]
    return call.op("InstanceNormalization", *operands, epsilon=float(call.attrs["epsilon"]))


@exports("image.resize2d")
def resize2d(call: Call) -> str:
    """Resize to sizes."""
    attrs = call.attrs
    call.need(attrs["layout"] == "NCHW", f"the layout `{attrs['layout']}` is not NCHW")
    call.need(call.dtype() == call.result_dtype == "float32", "only float32 is computed in the same way")
    mode = attrs["coordinate_transformation_mode"]
    call.need(mode in ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"), f"the mode {mode}")
    method = {"linear": "linear", "nearest_neighbor": "nearest", "cubic": "cubic"}[attrs["method"]]
    rounding = {"round": "round_prefer_ceil", "": "floor"}.get(
        attrs["rounding_method"], attrs["rounding_method"]
    )
    more: dict[str, object] = {}
    if method == "nearest":
        more["nearest_mode"] = rounding
    if method == "cubic":
        more = {"cubic_coeff_a": float(attrs["cubic_alpha"]), "exclude_outside": int(attrs["cubic_exclude"])}
    extents = call.extents()
    size = call.dims_of(1)
    shape = call.graph.shape((extents[0], extents[1], *size))
    return call.op(
        "Resize", call.tensor(0), "", "", shape, mode=method, coordinate_transformation_mode=mode, **more
    )
