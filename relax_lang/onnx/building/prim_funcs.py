"""Loops that no operator of Relax has: PrimFuncs, written as text once, and their calls."""

from __future__ import annotations

from relax_lang.base.node import same
from relax_lang.onnx.building.builder import info_of
from relax_lang.onnx.building.literals import attribute
from relax_lang.onnx.values import Constant
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.building.node import Node
    from relax_lang.onnx.dims import Dims
    from relax_lang.onnx.values import Value

SUPPRESSION = """
private prim_func @suppress_overlaps(
  Boxes: Buffer[(b, n, 4), float32],
  Scores: Buffer[(b, c, n), float32],
  Order: Buffer[(b, c, n), int64],
  Limits: Buffer[(3,), float32],
  Kept: Buffer[(b, c, n), bool],
) {
  for i, j in grid(b, c) {
    alloc Count: Buffer[(), float32];
    Count[()] = 0.0;
    for p in 0..n {
      Kept[i, j, p] = Count[()] < Limits[0] && Scores[i, j, Order[i, j, p]] > Limits[2];
      for q in 0..p {
        if Kept[i, j, p] && Kept[i, j, q] {
          let one = Order[i, j, p];
          let other = Order[i, j, q];
          let height = max(min(Boxes[i, one, 2], Boxes[i, other, 2]) - max(Boxes[i, one, 0], Boxes[i, other, 0]), 0.0);
          let width = max(min(Boxes[i, one, 3], Boxes[i, other, 3]) - max(Boxes[i, one, 1], Boxes[i, other, 1]), 0.0);
          let area = (Boxes[i, one, 2] - Boxes[i, one, 0]) * (Boxes[i, one, 3] - Boxes[i, one, 1]);
          let area_of_other = (Boxes[i, other, 2] - Boxes[i, other, 0]) * (Boxes[i, other, 3] - Boxes[i, other, 1]);
          let shared = height * width;
          if shared > 0.0 && shared > Limits[1] * (area + area_of_other - shared) {
            Kept[i, j, p] = false;
          }
        }
      }
      if Kept[i, j, p] {
        Count[()] += 1.0;
      }
    }
  }
}
"""
"""Which boxes are kept, by descending score: none that overlaps one that was kept before."""

DETERMINANT = """
private prim_func @determinant(A: Buffer[(b, n, n), float64], D: Buffer[(b,), float64]) {
  for i in 0..b {
    alloc M: Buffer[(n, n), float64];
    for r, c in grid(n, n) {
      M[r, c] = A[i, r, c];
    }
    D[i] = 1.0;
    for k in 0..n {
      alloc Pivot: Buffer[(), int64];
      Pivot[()] = k;
      for r in k..n {
        if abs(M[r, k]) > abs(M[Pivot[()], k]) {
          Pivot[()] = r;
        }
      }
      if Pivot[()] != k {
        D[i] = -D[i];
        for c in 0..n {
          let held = M[k, c];
          M[k, c] = M[Pivot[()], c];
          M[Pivot[()], c] = held;
        }
      }
      D[i] = D[i] * M[k, k];
      if M[k, k] != 0.0 {
        for r in k + 1..n {
          let factor = M[r, k] / M[k, k];
          for c in k..n {
            M[r, c] -= factor * M[k, c];
          }
        }
      }
    }
  }
}
"""
"""Determinants of matrices, by elimination with the largest pivot of a column."""


_SAMPLES = """
private prim_func @%(name)s(
  X: Buffer[(b, c, h, w), float64],
  Rois: Buffer[(r, 4), float64],
  Of: Buffer[(r,), int64],
  Facts: Buffer[(4,), float64],
  Y: Buffer[(r, c, oh, ow), float64],
) {
  for i, k, p, q in grid(r, c, oh, ow) {
    let x0 = Rois[i, 0] * Facts[0] - Facts[1];
    let y0 = Rois[i, 1] * Facts[0] - Facts[1];
    let wide = Rois[i, 2] * Facts[0] - Facts[1] - x0;
    let high = Rois[i, 3] * Facts[0] - Facts[1] - y0;
    let width = select(Facts[3] > 0.0, wide, max(wide, 1.0));
    let height = select(Facts[3] > 0.0, high, max(high, 1.0));
    let rows = cast(select(Facts[2] > 0.0, Facts[2], ceil(height / cast(oh, float64))), int64);
    let columns = cast(select(Facts[2] > 0.0, Facts[2], ceil(width / cast(ow, float64))), int64);
    alloc Sum: Buffer[(), float64];
    Sum[()] = %(first)s;
    for s in 0..rows {
      for t in 0..columns {
        let step_y = (cast(s, float64) + 0.5) / cast(rows, float64);
        let step_x = (cast(t, float64) + 0.5) / cast(columns, float64);
        let y = y0 + (cast(p, float64) + step_y) * height / cast(oh, float64);
        let x = x0 + (cast(q, float64) + step_x) * width / cast(ow, float64);
        let inside = y >= -1.0 && y <= cast(h, float64) && x >= -1.0 && x <= cast(w, float64);
        let top = min(max(y, 0.0), cast(h - 1, float64));
        let left = min(max(x, 0.0), cast(w - 1, float64));
        let y1 = cast(floor(top), int64);
        let x1 = cast(floor(left), int64);
        let y2 = min(y1 + 1, h - 1);
        let x2 = min(x1 + 1, w - 1);
        let dy = top - cast(y1, float64);
        let dx = left - cast(x1, float64);
        let image = Of[i];
        let a = (1.0 - dy) * (1.0 - dx) * X[image, k, y1, x1];
        let e = (1.0 - dy) * dx * X[image, k, y1, x2];
        let f = dy * (1.0 - dx) * X[image, k, y2, x1];
        let g = dy * dx * X[image, k, y2, x2];
        if inside {
          Sum[()] = %(sample)s;
        }
      }
    }
    Y[i, k, p, q] = %(result)s;
  }
}
"""

SAMPLE_AVERAGES = _SAMPLES % {
    "name": "average_samples",
    "first": "0.0",
    "sample": "Sum[()] + a + e + f + g",
    "result": "Sum[()] / cast(max(rows * columns, 1), float64)",
}
"""The average of samples in each cell of a box."""

SAMPLE_MAXIMA = _SAMPLES % {
    "name": "largest_samples",
    "first": "-inf",
    "sample": "max(Sum[()], max(max(a, e), max(f, g)))",
    "result": "select(Sum[()] == -inf, 0.0, Sum[()])",
}
"""The largest weighted pixel of the samples in each cell of a box, as the standard has it."""

DEFORMED_COLUMNS = """
private prim_func @deformed_columns(
  X: Buffer[(b, c, h, w), float32],
  Offsets: Buffer[(b, g, kh, kw, 2, oh, ow), float32],
  Mask: Buffer[(b, g, kh, kw, oh, ow), float32],
  Facts: Buffer[(6,), int64],
  Y: Buffer[(b, c, kh, kw, oh, ow), float32],
) {
  for i, k, s, t in grid(b, c, kh, kw) {
    for p, q in grid(oh, ow) {
      let part = k // max(c // max(g, 1), 1);
      let row = cast(p * Facts[0] - Facts[2] + s * Facts[4], float32);
      let column = cast(q * Facts[1] - Facts[3] + t * Facts[5], float32);
      let y = row + Offsets[i, part, s, t, 0, p, q];
      let x = column + Offsets[i, part, s, t, 1, p, q];
      let y1 = cast(floor(y), int64);
      let x1 = cast(floor(x), int64);
      let dy = y - floor(y);
      let dx = x - floor(x);
      alloc Sum: Buffer[(), float32];
      Sum[()] = 0.0;
      if y1 >= 0 && y1 < h && x1 >= 0 && x1 < w {
        Sum[()] += (1.0 - dy) * (1.0 - dx) * X[i, k, y1, x1];
      }
      if y1 >= 0 && y1 < h && x1 + 1 >= 0 && x1 + 1 < w {
        Sum[()] += (1.0 - dy) * dx * X[i, k, y1, x1 + 1];
      }
      if y1 + 1 >= 0 && y1 + 1 < h && x1 >= 0 && x1 < w {
        Sum[()] += dy * (1.0 - dx) * X[i, k, y1 + 1, x1];
      }
      if y1 + 1 >= 0 && y1 + 1 < h && x1 + 1 >= 0 && x1 + 1 < w {
        Sum[()] += dy * dx * X[i, k, y1 + 1, x1 + 1];
      }
      Y[i, k, s, t, p, q] = Sum[()] * Mask[i, part, s, t, p, q];
    }
  }
}
"""
"""The elements that each place of a kernel sees, moved by offsets, between pixels."""


UNIFORM = """
private prim_func @random_uniform(Seed: Buffer[(1,), int64], Y: Buffer[(n,), float64]) {
  for i in 0..n {
    let a = (Seed[0] * 1000003 + i + 1) * -7046029254386353131;
    let b = (a ^ (a >> 30 & 17179869183)) * -4658895280553007687;
    let c = (b ^ (b >> 27 & 137438953471)) * -7723592293110705685;
    let d = c ^ (c >> 31 & 8589934591);
    Y[i] = cast(d >> 11 & 9007199254740991, float64) / 9007199254740992.0;
  }
}
"""
"""Numbers from 0 to 1, evenly distributed: the hash of splitmix64."""


def call(node: Node, text: str, values: list[Value], shape: Dims, dtype: str) -> Value:
    """Return the result of a PrimFunc, which the program gets with its first call."""
    return call_with_results(node, text, values, [shape], [dtype])[0]


def call_with_results(
    node: Node, text: str, values: list[Value], shapes: Sequence[Dims], dtypes: Sequence[str]
) -> list[Value]:
    """Return all results of a PrimFunc, which the program gets with its first call."""
    b = node.builder
    name = _added(node, text)
    operands = tuple([b.operand(_aligned(one))[0] for one in values])
    infos = [
        tree.TensorStructInfo(tree.ShapeExpr(shape), tree.DType(dtype), None)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    info = infos[0] if len(infos) == 1 else tree.TupleStructInfo(tuple(infos))
    made = tree.Call(tree.Op("call_tir"), (tree.GlobalVar(name), tree.Tuple(operands)), (), info)
    found = b.expression(made, info)
    return [found] if len(infos) == 1 else found


_ROW = """
private prim_func @%(name)s(
  Rows: Buffer[(%(rows)s), %(dtype)s], Row: Buffer[(%(row)s), %(dtype)s], At: Buffer[(), int64]
) {
  %(loop)sRows[%(at)s] = Row[%(place)s];%(end)s
}
"""
"""A row of a tensor is written where it belongs."""


def write_row(node: Node, builder: Builder, rows: Value, row: Value, index: Value) -> Value:
    """Return `rows` with a row at an index, written into it: `rows` must not be read after that."""
    rank = len(row.dims)
    sizes, indices = [f"d{at}" for at in range(rank)], [f"i{at}" for at in range(rank)]
    text = _ROW % {
        "name": f"write_row_{row.dtype}_{rank}",
        "rows": ", ".join(["n", *sizes]) + ("," if not rank else ""),
        "row": ", ".join(sizes) + ("," if rank == 1 else ""),
        "dtype": row.dtype,
        "loop": f"for {', '.join(indices)} in grid({', '.join(sizes)}) {{ " if rank else "",
        "at": ", ".join(["At[()]", *indices]),
        "place": ", ".join(indices) or "()",
        "end": " }" if rank else "",
    }
    operands = tree.Tuple(tuple([builder.operand(_aligned(one))[0] for one in (rows, row, index)]))
    info = info_of(rows.dims, rows.dtype)
    places = (attribute("inplace_indices", [0], "list[int]"),)
    made = tree.Call(
        tree.Op("call_tir_inplace"), (tree.GlobalVar(_added(node, text)), operands), places, info
    )
    return builder.expression(made, info)


def _aligned(value: Value) -> Value:
    """Return a value whose elements lie where scalar code can read them: in a file they begin at any byte."""
    if isinstance(value, Constant) and not value.array.flags.aligned:
        return Constant(value.array.copy(), value.key)
    return value


def _added(node: Node, text: str) -> str:
    """Return the name under which the program has a PrimFunc: its own, or with a number where that is another's."""
    items = node.conversion.items
    item = parse(text.strip() + "\n").tree.items[0]
    assert isinstance(item, tree.PrimFunc)
    own = item.name.name_hint
    for count in range(len(items) + 1):
        name = f"{own}_{count}" if count else own
        item = tree.PrimFunc(tree.GlobalVar(name), *[getattr(item, field) for field in item.FIELDS[1:]])
        if same(items.setdefault(name, item), item):
            return name
    raise AssertionError(own)
