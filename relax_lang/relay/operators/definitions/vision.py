"""Operators on boxes: which of them are kept. [R.33]

These are PrimFuncs, which are compiled, and follow the older definitions.
"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import cast, differ, positions, ranked, reshaped
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value

_VALID = """
private prim_func @valid_boxes(
  X: Buffer[(b, n, f), float32],
  Least: Buffer[(), float32],
  Count: Buffer[(b,), int64],
  Y: Buffer[(b, n, f), float32],
  At: Buffer[(b, n), int64],
) {{
  for i in 0..b {{
    Count[i] = 0;
    for j in 0..n {{
      At[i, j] = -1;
      for k in 0..f {{
        Y[i, j, k] = -1.0;
      }}
      if {valid} {{
        At[i, Count[i]] = j;
        for k in 0..f {{
          Y[i, Count[i], k] = X[i, j, k];
        }}
        Count[i] = Count[i] + 1;
      }}
    }}
  }}
}}
"""


def _valid_counts(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """How many boxes of an image count, these in front, and where they were; -1 after them."""
    dims = ranked(to, args[0], 3, "data", 0)
    if to.dtype(args[0]) != "float32":
        raise Refused("boxes are float32", argument=0, rule="dtype")
    valid = f"X[i, j, {attrs['score_index']}] > Least[()]"
    if attrs["id_index"] >= 0:
        valid += f" && X[i, j, {attrs['id_index']}] >= 0.0"
    for key in ("score_index", "id_index"):
        if isinstance(dims[2], int) and not (
            (key == "id_index" and attrs[key] < 0) or 0 <= attrs[key] < dims[2]
        ):
            message = f"`{key}` is {attrs[key]}, and a box has {dims[2]} numbers"
            raise Refused(message, attribute=key, rule="attribute_value")
    least = reshaped(to, cast(to, args[1], "float32"), [])
    results = [(dims[:1], "int64"), (dims, "float32"), (dims[:2], "int64")]
    made = to.prim_func(_VALID.format(valid=valid), [args[0], least], results)
    counts, boxes, places = [to.field(made, index) for index in range(3)]
    return to.fields([cast(to, counts, "int32"), boxes, cast(to, places, "int32")])


declare(
    "vision.get_valid_counts",
    "data score_threshold",
    "id_index: int = 0, score_index: int = 1",
    relation=by_lowering,
    lower=_valid_counts,
)

_KEEP = """
private prim_func @keep_boxes(
  X: Buffer[(b, n, f), float32],
  Count: Buffer[(b,), int64],
  From: Buffer[(b, n), int64],
  Order: Buffer[(b, n), int64],
  Most: Buffer[(), int64],
  Limit: Buffer[(), float32],
  Y: Buffer[(b, n, f), float32],
  At: Buffer[(b, n), int64],
  Kept: Buffer[(b, 1), int64],
) {{
  for i in 0..b {{
    Kept[i, 0] = 0;
    alloc Front: Buffer[(1,), int64];
    Front[0] = 0;
    for j in 0..n {{
      At[i, j] = -1;
      for k in 0..f {{
        Y[i, j, k] = -1.0;
      }}
    }}
    for j in 0..n {{
      let box = select(Limit[()] > 0.0, Order[i, j], j);
      let counts = j < Count[i] && (Limit[()] <= 0.0 || {first});
      alloc Free: Buffer[(1,), bool];
      Free[0] = counts && (Limit[()] <= 0.0 || X[i, box, {score}] > 0.0 && (Most[()] < 0 || Kept[i, 0] < Most[()]));
      for q in 0..j {{
        let l = max(Y[i, q, {x0}], X[i, box, {x0}]);
        let t = max(Y[i, q, {y0}], X[i, box, {y0}]);
        let r = min(Y[i, q, {x1}], X[i, box, {x1}]);
        let u = min(Y[i, q, {y1}], X[i, box, {y1}]);
        let shared = max(r - l, 0.0) * max(u - t, 0.0);
        let one = (Y[i, q, {x1}] - Y[i, q, {x0}]) * (Y[i, q, {y1}] - Y[i, q, {y0}]);
        let other = (X[i, box, {x1}] - X[i, box, {x0}]) * (X[i, box, {y1}] - X[i, box, {y0}]);
        let union = one + other - shared;
        if Free[0] && Limit[()] > 0.0 && At[i, q] >= 0 && {same} {{
          if union > 0.0 && shared >= Limit[()] * union {{
            Free[0] = false;
          }}
        }}
      }}
      if Free[0] {{
        Kept[i, 0] = Kept[i, 0] + 1;
        At[i, j] = box;
        for k in 0..f {{
          Y[i, j, k] = X[i, box, k];
        }}
      }}
    }}
    for j in 0..n {{
      if At[i, j] >= 0 {{
        let box = At[i, j];
        At[i, j] = -1;
        At[i, {place}] = {number};{move}
        Front[0] = Front[0] + 1;
      }}
    }}
  }}
}}
"""
_MOVE = """
        for k in 0..f {
          let held = Y[i, j, k];
          Y[i, j, k] = -1.0;
          Y[i, Front[0], k] = held;
        }"""


def _non_max_suppression(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Boxes by descending score, without those that overlap a better one of their class too much."""
    data, counts, indices, most, limit = args
    dims = ranked(to, data, 3, "data", 0)
    if to.dtype(data) != "float32":
        raise Refused("boxes are float32", argument=0, rule="dtype")
    start, score, label = attrs["coord_start"], attrs["score_index"], attrs["id_index"]
    if isinstance(dims[2], int) and max(start + 3, score, label) >= dims[2]:
        message = f"a box has {dims[2]} numbers, fewer than `coord_start`, `score_index` and `id_index` say"
        raise Refused(message, argument=0)
    batch, count = dims[:2]
    (counted,) = ranked(to, counts, 1, "valid_count", 1)
    of = ranked(to, indices, 2, "indices", 2)
    if differ(batch, counted):
        raise Refused(f"there are {batch} images, and `valid_count` is of {counted}", argument=1)
    if differ(batch, of[0]) or differ(count, of[1]):
        raise Refused(f"`indices` is of ({of[0]}, {of[1]}), and the boxes are ({batch}, {count})", argument=2)
    parts = [to.prims([one]) for one in (2, score, score + 1, 1)]
    scores = reshaped(to, to.call("strided_slice", data, *parts), [batch, count])
    counts = cast(to, counts, "int64")
    place = reshaped(to, positions(to, count), [1, count])
    valid = to.call("less", place, reshaped(to, counts, [batch, 1]))
    scores = to.call("where", valid, scores, to.const(float("-inf"), "float32"))
    order = to.call("argsort", scores, axis=1, descending=True, dtype="int64")
    in_front = attrs["return_indices"] or attrs["invalid_to_bottom"]
    same = "true" if attrs["force_suppress"] or label < 0 else f"Y[i, q, {label}] == X[i, box, {label}]"
    if min(start, score) < 0:
        raise Refused("`coord_start` and `score_index` are not negative", attribute="score_index")
    text = _KEEP.format(
        first=f"j < {attrs['top_k']}" if attrs["top_k"] > 0 else "true",
        score=score,
        x0=start,
        y0=start + 1,
        x1=start + 2,
        y1=start + 3,
        same=same,
        place="Front[0]" if in_front else "j",
        number="From[i, box]" if attrs["return_indices"] else "box",
        move=_MOVE if in_front else "",
    )
    given = [
        data,
        counts,
        cast(to, indices, "int64"),
        order,
        reshaped(to, cast(to, most, "int64"), []),
        reshaped(to, cast(to, limit, "float32"), []),
    ]
    results = [(dims, "float32"), ((batch, count), "int64"), ((batch, 1), "int64")]
    made = to.prim_func(text, given, results)
    if not attrs["return_indices"]:
        return to.field(made, 0)
    return to.fields([cast(to, to.field(made, index), "int32") for index in (1, 2)])


declare(
    "vision.non_max_suppression",
    "data valid_count indices max_output_size iou_threshold",
    "force_suppress: bool = False, top_k: int = -1, coord_start: int = 2, score_index: int = 1, "
    "id_index: int = 0, return_indices: bool = True, invalid_to_bottom: bool = False",
    relation=by_lowering,
    lower=_non_max_suppression,
)

_BY_CLASS = """
private prim_func @keep_boxes_by_class(
  Boxes: Buffer[(b, n, 4), float32],
  Scores: Buffer[(b, c, n), float32],
  Order: Buffer[(b, c, n), int64],
  Most: Buffer[(), int64],
  Limit: Buffer[(), float32],
  Least: Buffer[(), float32],
  Y: Buffer[(m, 3), int64],
  Total: Buffer[(1,), int64],
) {
  Total[0] = 0;
  for j, k in grid(m, 3) {
    Y[j, k] = 0;
  }
  for i, k in grid(b, c) {
    alloc First: Buffer[(1,), int64];
    First[0] = Total[0];
    for j in 0..n {
      let box = Order[i, k, j];
      alloc Free: Buffer[(1,), bool];
      Free[0] = Scores[i, k, box] > Least[()] && Total[0] - First[0] < Most[()];
      for q in First[0]..Total[0] {
        let other = Y[q, 2];
        let t = max(min(Boxes[i, box, 0], Boxes[i, box, 2]), min(Boxes[i, other, 0], Boxes[i, other, 2]));
        let l = max(min(Boxes[i, box, 1], Boxes[i, box, 3]), min(Boxes[i, other, 1], Boxes[i, other, 3]));
        let u = min(max(Boxes[i, box, 0], Boxes[i, box, 2]), max(Boxes[i, other, 0], Boxes[i, other, 2]));
        let r = min(max(Boxes[i, box, 1], Boxes[i, box, 3]), max(Boxes[i, other, 1], Boxes[i, other, 3]));
        let own = abs((Boxes[i, box, 2] - Boxes[i, box, 0]) * (Boxes[i, box, 3] - Boxes[i, box, 1]));
        let its = abs((Boxes[i, other, 2] - Boxes[i, other, 0]) * (Boxes[i, other, 3] - Boxes[i, other, 1]));
        let shared = max(u - t, 0.0) * max(r - l, 0.0);
        if shared > 0.0 && shared > Limit[()] * (own + its - shared) {
          Free[0] = false;
        }
      }
      if Free[0] {
        Y[Total[0], 0] = i;
        Y[Total[0], 1] = k;
        Y[Total[0], 2] = box;
        Total[0] = Total[0] + 1;
      }
    }
  }
}
"""


def _by_class(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Rows of image, class and box, as many as the second result counts; zeros after them."""
    if attrs["output_format"] != "onnx":
        raise NotLowered(f'`output_format="{attrs["output_format"]}"`')
    boxes, scores, most, limit, least = args
    batch, count, corners = ranked(to, boxes, 3, "boxes", 0)
    images, classes, each = ranked(to, scores, 3, "scores", 1)
    if (batch, count, corners) != (images, each, 4):
        raise Refused(
            "`boxes` has the shape (images, boxes, 4), and `scores` (images, classes, boxes)", argument=1
        )
    if (to.dtype(boxes), to.dtype(scores)) != ("float32", "float32"):
        raise Refused("boxes and scores are float32", argument=1, rule="dtype")
    if not (isinstance(batch, int) and isinstance(classes, int) and isinstance(count, int)):
        raise NotLowered("all extents have to be known")
    order = to.call("argsort", scores, axis=2, descending=True, dtype="int64")
    given = [
        boxes,
        scores,
        order,
        reshaped(to, cast(to, most, "int64"), []),
        reshaped(to, cast(to, limit, "float32"), []),
        reshaped(to, cast(to, least, "float32"), []),
    ]
    results = [((batch * classes * count, 3), "int64"), ((1,), "int64")]
    return to.prim_func(_BY_CLASS, given, results)


declare(
    "vision.all_class_non_max_suppression",
    "boxes scores max_output_boxes_per_class iou_threshold score_threshold",
    'output_format: str = "onnx"',
    relation=by_lowering,
    lower=_by_class,
)
