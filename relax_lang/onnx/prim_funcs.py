"""Loops that no operator of Relax has: PrimFuncs, written as text once, and their calls."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.dims import Dims
    from relax_lang.onnx.node import Node
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


def call(node: Node, text: str, values: list[Value], shape: Dims, dtype: str) -> Value:
    """Return the result of a PrimFunc, which the program gets with its first call."""
    b = node.builder
    item = parse(text.strip() + "\n").tree.items[0]
    assert isinstance(item, tree.PrimFunc)
    name = item.name.name_hint
    node.conversion.items.setdefault(name, item)
    operands = tuple([b.operand(one)[0] for one in values])
    info = tree.TensorStructInfo(tree.ShapeExpr(shape), tree.DType(dtype), None)
    made = tree.Call(tree.Op("call_tir"), (tree.GlobalVar(name), tree.Tuple(operands)), (), info)
    return b.expression(made, info)
