"""Operators on regions of images: what is in each cell of a box. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import ranked, repeated
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value

_ALIGN = """
private prim_func @align_regions(
  X: Buffer[(b, c, h, w), float32],
  Rois: Buffer[(r, 5), float32],
  Y: Buffer[(r, c, oh, ow), float32],
) {{
  for i, k, p, q in grid(r, c, oh, ow) {{
    let image = cast(Rois[i, 0], int64);
    let x0 = Rois[i, 1] * {scale};
    let y0 = Rois[i, 2] * {scale};
    let width = max(Rois[i, 3] * {scale} - x0, 1.0);
    let height = max(Rois[i, 4] * {scale} - y0, 1.0);
    alloc Steps: Buffer[(2,), int64];
    Steps[0] = {rows};
    Steps[1] = {columns};
    Y[i, k, p, q] = {first};
    for s in 0..Steps[0] {{
      for t in 0..Steps[1] {{
        let step_y = (cast(s, float32) + 0.5) / cast(Steps[0], float32);
        let step_x = (cast(t, float32) + 0.5) / cast(Steps[1], float32);
        let y = y0 + (cast(p, float32) + step_y) * height / cast(oh, float32);
        let x = x0 + (cast(q, float32) + step_x) * width / cast(ow, float32);
        let top = min(max(y, 0.0), cast(h - 1, float32));
        let left = min(max(x, 0.0), cast(w - 1, float32));
        let y1 = cast(floor(top), int64);
        let x1 = cast(floor(left), int64);
        let y2 = min(y1 + 1, h - 1);
        let x2 = min(x1 + 1, w - 1);
        let dy = top - cast(y1, float32);
        let dx = left - cast(x1, float32);
        let upper = (1.0 - dx) * X[image, k, y1, x1] + dx * X[image, k, y1, x2];
        let lower = (1.0 - dx) * X[image, k, y2, x1] + dx * X[image, k, y2, x2];
        let inside = y >= -1.0 && y <= cast(h, float32) && x >= -1.0 && x <= cast(w, float32);
        let sample = select(inside, (1.0 - dy) * upper + dy * lower, 0.0);
        Y[i, k, p, q] = {next};
      }}
    }}
    Y[i, k, p, q] = {result};
  }}
}}
"""

_POOL = """
private prim_func @pool_regions(
  X: Buffer[(b, c, h, w), float32],
  Rois: Buffer[(r, 5), float32],
  Y: Buffer[(r, c, oh, ow), float32],
) {{
  for i, k, p, q in grid(r, c, oh, ow) {{
    let image = cast(Rois[i, 0], int64);
    let x0 = cast(floor(Rois[i, 1] * {scale} + 0.5), int64);
    let y0 = cast(floor(Rois[i, 2] * {scale} + 0.5), int64);
    let x1 = cast(floor(Rois[i, 3] * {scale} + 0.5), int64);
    let y1 = cast(floor(Rois[i, 4] * {scale} + 0.5), int64);
    let high = cast(max(y1 - y0 + 1, 1), float32) / cast(oh, float32);
    let wide = cast(max(x1 - x0 + 1, 1), float32) / cast(ow, float32);
    alloc Bounds: Buffer[(4,), int64];
    Bounds[0] = min(max(cast(floor(cast(p, float32) * high), int64) + y0, 0), h);
    Bounds[1] = min(max(cast(ceil(cast(p + 1, float32) * high), int64) + y0, 0), h);
    Bounds[2] = min(max(cast(floor(cast(q, float32) * wide), int64) + x0, 0), w);
    Bounds[3] = min(max(cast(ceil(cast(q + 1, float32) * wide), int64) + x0, 0), w);
    let nothing = Bounds[0] >= Bounds[1] || Bounds[2] >= Bounds[3];
    Y[i, k, p, q] = select(nothing, 0.0, -inf);
    for y in Bounds[0]..Bounds[1] {{
      for x in Bounds[2]..Bounds[3] {{
        Y[i, k, p, q] = max(Y[i, k, p, q], X[image, k, y, x]);
      }}
    }}
  }}
}}
"""


def _regions(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> tuple[list[Any], float]:
    """Return the shape of the result and the scale."""
    if attrs["layout"] != "NCHW":
        raise NotLowered(f"the layout {attrs['layout']}")
    channels = ranked(to, args[0], 4, "data", 0)[1]
    count, fields = ranked(to, args[1], 2, "rois", 1)
    if isinstance(fields, int) and fields != 5:
        raise Refused(f"a region is its image and four corners; `rois` has {fields} columns", argument=1)
    if (to.dtype(args[0]), to.dtype(args[1])) != ("float32", "float32"):
        raise Refused("`data` and `rois` are float32", argument=1, rule="dtype")
    size = repeated(attrs["pooled_size"], 2, "pooled_size")
    if min(size) < 1:
        raise Refused("`pooled_size` is positive", attribute="pooled_size", rule="attribute_value")
    return [count, channels, *size], float(attrs["spatial_scale"])


def _roi_align(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    shape, scale = _regions(to, args, attrs)
    if attrs["mode"] not in ("avg", "max"):
        raise NotLowered(f"the mode {attrs['mode']}")
    ratio = attrs["sample_ratio"]
    average = attrs["mode"] == "avg"
    here = "Y[i, k, p, q]"
    text = _ALIGN.format(
        scale=repr(scale),
        rows=ratio if ratio > 0 else "cast(ceil(height / cast(oh, float32)), int64)",
        columns=ratio if ratio > 0 else "cast(ceil(width / cast(ow, float32)), int64)",
        first="0.0" if average else "-inf",
        next=f"{here} + sample" if average else f"max({here}, sample)",
        result=f"{here} / cast(Steps[0] * Steps[1], float32)" if average else here,
    )
    return to.prim_func(text, args, [(shape, "float32")])


def _roi_pool(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    shape, scale = _regions(to, args, attrs)
    return to.prim_func(_POOL.format(scale=repr(scale)), args, [(shape, "float32")])


declare(
    "vision.roi_align",
    "data rois",
    'pooled_size: ints, spatial_scale: float, sample_ratio: int = -1, layout: str = "NCHW", mode: str = "avg"',
    relation=by_lowering,
    lower=_roi_align,
)
declare(
    "vision.roi_pool",
    "data rois",
    'pooled_size: ints, spatial_scale: float, layout: str = "NCHW"',
    relation=by_lowering,
    lower=_roi_pool,
)
