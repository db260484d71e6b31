"""Operators on images: sizes, samples between pixels, boxes. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.definitions.layouts import transformed
from relax_lang.relay.operators.dims import cast, differ, ints, known, ranked, repeated
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value


def _samples(attrs: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes by which operators of Relax take where samples are and what is between pixels."""
    more = {"out_dtype": attrs["out_dtype"]} if attrs["out_dtype"] else {}
    return {
        "method": attrs["method"],
        "coordinate_transformation_mode": attrs["coordinate_transformation_mode"],
        "rounding_method": attrs["rounding_method"],
        "cubic_alpha": float(attrs["cubic_alpha"]),
        "cubic_exclude": attrs["cubic_exclude"],
        "extrapolation_value": float(attrs["extrapolation_value"]),
        **more,
    }


def _resize(name: str, spatial: int) -> Any:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        if attrs["size"] is None:
            raise NotLowered("no `size`")
        size = to.shape(repeated(attrs["size"], spatial, "size"))
        more: dict[str, Any] = {} if not attrs["roi"] else {"roi": [float(one) for one in attrs["roi"]]}
        return to.call(name, args[0], size, layout=attrs["layout"], **more, **_samples(attrs))

    return lower


def _resize1d(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """A line is an image of one row."""
    layout: str = attrs["layout"]
    if attrs["size"] is None or attrs["roi"]:
        raise NotLowered("`roi`, or no `size`")
    if layout not in ("NCW", "NWC"):
        raise NotLowered(f"the layout {layout}")
    ranked(to, args[0], 3, "data", 0)
    row = layout.index("W")
    image = to.call("expand_dims", args[0], axis=[row])
    size = to.shape([1, *repeated(attrs["size"], 1, "size")])
    made = to.call("image.resize2d", image, size, layout=layout.replace("W", "HW"), **_samples(attrs))
    return to.call("squeeze", made, axis=[row])


_SAMPLES = (
    'coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "round", '
    'cubic_alpha: float = -0.5, cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: str = ""'
)


def _fields(layout: str) -> str:
    return (
        f'size: ints? = None, roi: any? = None, layout: str = "{layout}", method: str = "linear", {_SAMPLES}'
    )


declare("image.resize1d", "data", _fields("NCW"), relation=by_lowering, lower=_resize1d)
declare("image.resize2d", "data", _fields("NCHW"), relation=by_lowering, lower=_resize("image.resize2d", 2))
declare("image.resize3d", "data", _fields("NCDHW"), relation=by_lowering, lower=_resize("image.resize3d", 3))


def _upsampling3d(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    layout: str = attrs["layout"]
    if attrs["method"] not in ("nearest_neighbor", "trilinear"):
        raise NotLowered(f"the method {attrs['method']}")
    dims = ranked(to, args[0], 5, "data", 0)
    if sorted(layout) != sorted("NCDHW"):
        raise NotLowered(f"the layout {layout}")
    spatial = known([dims[layout.index(one)] for one in "DHW"], "the extents that are scaled")
    scales = [attrs["scale_d"], attrs["scale_h"], attrs["scale_w"]]
    size = [round(one * scale) for one, scale in zip(spatial, scales, strict=True)]
    if min(size) < 0:
        raise Refused("a scale is negative", attribute="scale_d", rule="attribute_value")
    nearest = attrs["method"] == "nearest_neighbor"
    return to.call(
        "image.resize3d",
        args[0],
        to.shape(size),
        layout=layout,
        method="nearest_neighbor" if nearest else "linear",
        coordinate_transformation_mode="asymmetric" if nearest else attrs["coordinate_transformation_mode"],
        rounding_method="floor" if nearest else "round",
    )


declare(
    "nn.upsampling3d",
    "data",
    'scale_d: float, scale_h: float, scale_w: float, layout: str = "NCDHW", '
    'method: str = "nearest_neighbor", coordinate_transformation_mode: str = "half_pixel"',
    relation=by_lowering,
    lower=_upsampling3d,
)


def _affine_grid(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("image.affine_grid", args[0], to.shape(ints(attrs["target_shape"])))


def _grid_sample(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call(
        "image.grid_sample",
        *args,
        method=attrs["method"],
        layout=attrs["layout"],
        padding_mode=attrs["padding_mode"],
        align_corners=bool(attrs["align_corners"]),
    )


declare("image.affine_grid", "data", "target_shape: ints", relation=by_lowering, lower=_affine_grid)
declare(
    "image.grid_sample",
    "data grid",
    'method: str = "bilinear", layout: str = "NCHW", padding_mode: str = "zeros", align_corners: bool = True',
    relation=by_lowering,
    lower=_grid_sample,
)

_CROPS = """
private prim_func @crop_boxes(
  X: Buffer[(b, c, h, w), float32],
  Boxes: Buffer[(r, 4), float32],
  Of: Buffer[(r,), int64],
  Y: Buffer[(r, c, oh, ow), float32],
) {{
  for i, k, p, q in grid(r, c, oh, ow) {{
    let high = cast(h - 1, float32);
    let wide = cast(w - 1, float32);
    let step_y = (Boxes[i, 2] - Boxes[i, 0]) * high / cast(max(oh - 1, 1), float32);
    let step_x = (Boxes[i, 3] - Boxes[i, 1]) * wide / cast(max(ow - 1, 1), float32);
    let middle_y = 0.5 * (Boxes[i, 0] + Boxes[i, 2]) * high;
    let middle_x = 0.5 * (Boxes[i, 1] + Boxes[i, 3]) * wide;
    let y = select(oh > 1, Boxes[i, 0] * high + cast(p, float32) * step_y, middle_y);
    let x = select(ow > 1, Boxes[i, 1] * wide + cast(q, float32) * step_x, middle_x);
    if y < 0.0 || y > high || x < 0.0 || x > wide {{
      Y[i, k, p, q] = {outside};
    }} else {{
      let top = cast({row}, int64);
      let left = cast({column}, int64);
      let under = min(top + 1, h - 1);
      let beside = min(left + 1, w - 1);
      let dy = {dy};
      let dx = {dx};
      let upper = X[Of[i], k, top, left] * (1.0 - dx) + X[Of[i], k, top, beside] * dx;
      let lower = X[Of[i], k, under, left] * (1.0 - dx) + X[Of[i], k, under, beside] * dx;
      Y[i, k, p, q] = upper * (1.0 - dy) + lower * dy;
    }}
  }}
}}
"""


def _crop_and_resize(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, boxes, indices = args
    if attrs["crop_size"] is None or attrs["method"] not in ("bilinear", "nearest_neighbor"):
        raise NotLowered(f"the method {attrs['method']}, or no `crop_size`")
    layout: str = attrs["layout"]
    ranked(to, data, 4, "data", 0)
    (count, numbers), (each,) = ranked(to, boxes, 2, "boxes", 1), ranked(to, indices, 1, "box_indices", 2)
    if differ(numbers, 4):
        raise Refused(f"a box is 4 numbers, and `boxes` has {numbers} in a row", argument=1)
    if differ(count, each):
        raise Refused(f"there are {count} boxes, and {each} `box_indices`", argument=2)
    if (to.dtype(data), to.dtype(boxes)) != ("float32", "float32"):
        raise Refused("images and boxes are float32", argument=0, rule="dtype")
    image = transformed(to, data, layout, "NCHW")
    near = attrs["method"] == "nearest_neighbor"
    text = _CROPS.format(
        outside=repr(float(attrs["extrapolation_value"])),
        row="floor(y + 0.5)" if near else "floor(y)",
        column="floor(x + 0.5)" if near else "floor(x)",
        dy="0.0" if near else "y - floor(y)",
        dx="0.0" if near else "x - floor(x)",
    )
    high, wide = repeated(attrs["crop_size"], 2, "crop_size")
    if high < 0 or wide < 0:
        raise Refused("`crop_size` is not negative", attribute="crop_size", rule="attribute_value")
    channels = to.dims(image)[1]
    made = to.prim_func(
        text, [image, boxes, cast(to, indices, "int64")], [((count, channels, high, wide), "float32")]
    )
    made = transformed(to, made, "NCHW", layout)
    return cast(to, made, attrs["out_dtype"] or "float32")


declare(
    "image.crop_and_resize",
    "data boxes box_indices",
    'crop_size: ints? = None, layout: str = "NCHW", method: str = "bilinear", '
    'extrapolation_value: float = 0.0, out_dtype: str = ""',
    relation=by_lowering,
    lower=_crop_and_resize,
)

_DILATION = """
private prim_func @dilation(
  X: Buffer[(b, c, h, w), {dtype}],
  K: Buffer[(c, kh, kw), {dtype}],
  Y: Buffer[(b, c, oh, ow), {dtype}],
) {{
  for i, k, p, q in grid(b, c, oh, ow) {{
    Y[i, k, p, q] = -inf;
    for s, t in grid(kh, kw) {{
      let y = p * {sy} + s * {dy} - {top};
      let x = q * {sx} + t * {dx} - {left};
      if y >= 0 && y < h && x >= 0 && x < w {{
        Y[i, k, p, q] = max(Y[i, k, p, q], X[i, k, y, x] + K[k, s, t]);
      }}
    }}
  }}
}}
"""


def sides(padding: Any) -> tuple[int, int, int, int]:
    """Return the padding above, left, below and right that one, two or four numbers mean. Raises Refused."""
    found = ints(padding)
    if len(found) == 1:
        found = found * 4
    elif len(found) == 2:
        found = found * 2
    if len(found) != 4:
        raise Refused("`padding` has 1, 2 or 4 numbers", attribute="padding", rule="attribute_value")
    top, left, bottom, right = found
    return top, left, bottom, right


def windows(size: int, kernel: int, stride: int, dilation: int, pads: int) -> int:
    """Return how many windows fit on an axis. Raises Refused."""
    left = size + pads - (kernel - 1) * dilation - 1
    if left < 0 or stride < 1:
        raise Refused(
            f"no window of {(kernel - 1) * dilation + 1} fits on an axis of {size + pads}", argument=1
        )
    return left // stride + 1


def _dilation2d(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data_layout, kernel_layout = attrs["data_layout"], attrs["kernel_layout"]
    dtype = to.dtype(args[0])
    if dtype not in ("float32", "float64", "float16") or to.dtype(args[1]) != dtype:
        raise Refused("`data` and `weight` are floats of one dtype", argument=1, rule="dtype")
    data = transformed(to, args[0], data_layout, "NCHW")
    weight = transformed(to, args[1], kernel_layout, "IHW")
    b, c, *spatial = to.dims(data)
    size, kernel = known(spatial), known(to.dims(weight)[1:])
    if differ(c, to.dims(weight)[0]):
        raise Refused(f"`data` has {c} channels, and `weight` {to.dims(weight)[0]}", argument=1)
    strides, steps = repeated(attrs["strides"], 2, "strides"), repeated(attrs["dilations"], 2, "dilations")
    top, left, bottom, right = sides(attrs["padding"])
    high = windows(size[0], kernel[0], strides[0], steps[0], top + bottom)
    wide = windows(size[1], kernel[1], strides[1], steps[1], left + right)
    text = _DILATION.format(
        dtype=dtype, sy=strides[0], sx=strides[1], dy=steps[0], dx=steps[1], top=top, left=left
    )
    made = to.prim_func(text, [data, weight], [((b, c, high, wide), dtype)])
    return transformed(to, made, "NCHW", data_layout)


declare(
    "image.dilation2d",
    "data weight",
    "strides: ints = [1, 1], padding: ints = [0, 0], dilations: ints = [1, 1], "
    'data_layout: str = "NCHW", kernel_layout: str = "IHW", out_dtype: str = ""',
    relation=by_lowering,
    lower=_dilation2d,
)
