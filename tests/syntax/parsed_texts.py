"""Texts read as one node."""

from __future__ import annotations

from pathlib import Path

from relax_lang.syntax import tree as t
from relax_lang.syntax.parser import parse

ROOT = Path(__file__).resolve().parents[2]


def module(text: str) -> t.IRModule:
    parsed = parse(text)
    assert parsed.diagnostics == []
    return parsed.tree


PRIM_FUNC = """
private prim_func @p(X: Buffer[(n, m), float32], k: int64, Y: Buffer[(), float32]) attrs { tir_kind: 1 } {
  alloc T: Buffer[(n,), float32] in "local";
  alloc U: Buffer[(n,), float32];
  let v: int32 = 3;
  let w = n + 1;
  assert n > 0, "empty";
  for i, j in grid(n, m) { T[i] = X[i, j]; }
  for parallel i in 1..n { T[i] += 1.0; }
  for thread("threadIdx.x") i in 0..n { T[i] -= 1.0; T[i] *= 2.0; }
  block b (vi = spatial(w), vk = reduce(k, 0..n)) where vi < n reads [X[vi, 0..m]] writes [Y[()]] attrs { a: 1 } {
    init { Y[()] = 0.0; }
    Y[()] = Y[()] + X[vi, vk];
  }
  block c { }
  if n > 1 { Y[()] = 1.0; } else if n > 2 { } else { Y[()] = 2.0; }
  while Y[()] > 0.0 { Y[()] -= 1.0; }
  call_extern("log", X, k);
}
"""


def every_text() -> list[str]:
    return [
        PRIM_FUNC,
        *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "samples").rglob("*.rlx"))),
    ]
