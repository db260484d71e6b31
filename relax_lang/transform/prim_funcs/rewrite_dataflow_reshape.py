"""RewriteDataflowReshape: PrimFuncs that only give a tensor another shape become views."""

from __future__ import annotations

from relax_lang.analysis.prim_funcs.reshapes import is_reshape
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.passes import Run, function_pass
from relax_lang.transform.prim_funcs.views import Views


@function_pass("RewriteDataflowReshape", idempotent=True)
def rewrite_dataflow_reshape(function: tree.Function, run: Run) -> tree.Function:
    """Write a `call_tir` of a PrimFunc that keeps the order of all elements as `reshape`, which copies nothing.

    That the PrimFunc does so is proved by comparing the places of what it loads and stores; one that changes the
    dtype, or leaves elements out, stays. Only in dataflow blocks, and only where nothing can see that two variables
    share memory: a result that is returned beside its source keeps memory of its own.

    ```relax before
    def @main(x: Tensor[(n, 8), float32]) {
      dataflow {
        let y = call_tir(@flat, (x,)) -> Tensor[(n * 8,), float32];
        let z = exp(y);
        output z;
      }
      z
    }

    private prim_func @flat(X: Buffer[(n, 8), float32], Y: Buffer[(n * 8,), float32]) {
      for i in 0..n * 8 {
        Y[i] = X[i // 8, i % 8];
      }
    }
    ```

    ```relax after
    def @main(x: Tensor[(n, 8), float32]) {
      dataflow {
        let y = reshape(x, shape(n * 8));
        let z = exp(y);
        output z;
      }
      z
    }

    private prim_func @flat(X: Buffer[(n, 8), float32], Y: Buffer[(n * 8,), float32]) {
      for i in 0..n * 8 {
        Y[i] = X[i // 8, i % 8];
      }
    }
    ```
    """
    if not run.typed.mentions(function).dataflow:
        return function
    return Views(function, run.typed.prim_funcs, _reshape).rewritten()


def _reshape(func: tree.PrimFunc, source: tree.Expr, info: tree.TensorStructInfo) -> tree.Call | None:
    if not isinstance(info.shape, tree.ShapeExpr) or not is_reshape(func):
        return None
    return tree.Call(tree.Op("reshape"), (source, tree.ShapeExpr(info.shape.values)))
