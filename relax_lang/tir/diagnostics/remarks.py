"""Remarks of the compiler of PrimFuncs on its own work; shown by `relax compile --explain-vectorization` only."""

from __future__ import annotations

from relax_lang.base.diagnostic import HINT, Rule, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


@rule("RLX0740", "tir-not-vectorized", HINT, "TIR.21")
def not_vectorized(rule: Rule, node: Node, what: str, how: str, reason: str) -> Diagnostic:
    """A loop of a PrimFunc runs one scalar iteration after the other.

    Loops become NumPy operations on whole arrays where it is proved that this changes nothing. Where each
    iteration needs what the one before it stored, or how often a loop runs depends on data, the loop stays one:
    the result is the same, but it takes hundreds of times as long. Only `relax compile --explain-vectorization`
    reports this.

    ```relax wrong
    prim_func @fibonacci(Y: Buffer[(n,), int64]) {
      for i in 0..n {
        Y[i] = if_then_else(i < 2, 1, Y[max(i - 1, 0)] + Y[max(i - 2, 0)]);
      }
    }
    ```

    ```relax right
    prim_func @squares(Y: Buffer[(n,), int64]) {
      for i in 0..n {
        Y[i] = i * i;
      }
    }
    ```
    """
    return rule.at(node, f"{what} {how}: {reason}", "not vectorized")
