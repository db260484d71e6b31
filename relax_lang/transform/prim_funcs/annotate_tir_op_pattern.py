"""AnnotateTIROpPattern: what kind of work a PrimFunc does."""

from __future__ import annotations

from relax_lang.analysis.prim_funcs.op_pattern import ATTRIBUTE, given_pattern, op_pattern
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("AnnotateTIROpPattern", idempotent=True)
def annotate_tir_op_pattern(typed: Typed, run: Run) -> Typed:
    """Give every PrimFunc the attribute `op_pattern`, which decides what it may be fused with.

    0 is element-wise, 1 broadcast, 2 injective (each element of the result is one of the input, or made of some at
    indices that follow from its own), 3 a reduction, 4 larger work that takes element-wise work into its result
    (products, windows, softmax), 8 opaque. It is found by comparing the indices of loads and stores. An attribute that
    is there stays.

    ```relax before
    prim_func @bias(X: Buffer[(n, m), float32], b: Buffer[(m,), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) {
        Y[i, j] = X[i, j] + b[j];
      }
    }
    ```

    ```relax after
    prim_func @bias(
      X: Buffer[(n, m), float32],
      b: Buffer[(m,), float32],
      Y: Buffer[(n, m), float32],
    ) attrs { op_pattern: 0 } {
      for i, j in grid(n, m) {
        Y[i, j] = X[i, j] + b[j];
      }
    }
    ```
    """
    changed: dict[tree.Item, tree.Item | None] = {}
    for func in typed.prim_funcs.values():
        if given_pattern(func) is None:
            changed[func] = with_attrs(
                func, (*func.attrs, tree.Attr(ATTRIBUTE, tree.IntLit(op_pattern(func), None)))
            )
    return typed.with_items(changed)


def with_attrs(func: tree.PrimFunc, attrs: tuple[tree.Attr, ...]) -> tree.PrimFunc:
    """Return a PrimFunc with other attributes."""
    return tree.PrimFunc(
        func.name,
        func.private,
        func.params,
        attrs,
        func.body,
        func.ret_dtype,
        func.result,
        func.pos,
        func.end,
    )
