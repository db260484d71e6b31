"""PrimFuncs that the programs of these tests call."""

from __future__ import annotations

from tests.runtime.harness import HEAD, body

PRIMS = (
    HEAD
    + """
prim_func @two(X: Buffer[(n,), float32], A: Buffer[(n,), float32], B: Buffer[(), float32]) {
  for i in 0..n { A[i] = X[i] + 1.0; }
  B[()] = 7.0;
}
prim_func @scale(X: Buffer[(n,), int64], Y: Buffer[(n,), int64], k: int64, b: int32) {
  for i in 0..n { Y[i] = X[i] * k + cast(b, int64); }
}
prim_func @half(X: Buffer[(n * 2,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] + X[i + n]; }
}
prim_func @bump(X: Buffer[(n,), float32]) { for i in 0..n { X[i] += 1.0; } }
private prim_func @hidden(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = 0.0; } }
prim_func @outside(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { call_extern("my.copy", X, Y, n); }
"""
)


def prims(statements: str, params: str = "") -> str:
    return body(statements, params, PRIMS)
