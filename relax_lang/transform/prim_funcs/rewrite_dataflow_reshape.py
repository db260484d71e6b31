"""RewriteDataflowReshape: PrimFuncs that only give a tensor another shape become views."""

from __future__ import annotations

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.analysis.reshapes import is_reshape
from relax_lang.syntax import tree
from relax_lang.transform.core.passes import Run, function_pass
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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
    return _Views(function, run.typed.prim_funcs).rewritten()


class _Views:
    """The calls of one function."""

    def __init__(self, function: tree.Function, prim_funcs: Mapping[str, tree.PrimFunc]) -> None:
        self._function = function
        self._prim_funcs = prim_funcs
        self._aliasing: Aliasing | None = None

    def rewritten(self) -> tree.Function:
        return with_blocks(self._function, self._block)

    def _block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if not isinstance(block, tree.DataflowBlock):
            return block
        return with_bindings(block, tuple([self._binding(binding) for binding in block.bindings]))

    def _binding(self, binding: tree.Binding) -> tree.Binding:
        call = binding.value
        if not isinstance(call, tree.Call) or not isinstance(binding, tree.VarBinding):
            return binding
        made = self._view(call)
        if made is None:
            return binding
        source, result = made.args[0], binding.var.name_hint
        if isinstance(source, tree.Var):
            if self._aliasing is None:
                self._aliasing = Aliasing(self._function, dict(self._prim_funcs))
            if not self._aliasing.may_be_joined(source.name_hint, result):
                return binding
            self._aliasing.join(source.name_hint, result)
        return with_value(binding, made)

    def _view(self, call: tree.Call) -> tree.Call | None:
        """Return the `reshape` that does what a call does, if there is one."""
        if not isinstance(call.op, tree.Op) or call.op.op_name != "call_tir":
            return None
        callee, given = call.args[0], call.args[1]
        func = self._prim_funcs.get(callee.name_hint) if isinstance(callee, tree.GlobalVar) else None
        if func is None or not isinstance(given, tree.Tuple) or len(given.fields) != 1:
            return None
        info = call.struct_info
        if not isinstance(info, tree.TensorStructInfo) or not isinstance(info.shape, tree.ShapeExpr):
            return None
        if not is_reshape(func):
            return None
        shape = tree.ShapeExpr(info.shape.values)
        op = tree.Op("reshape", call.op.pos, call.op.end)
        return tree.Call(op, (given.fields[0], shape), (), None, call.pos, call.end)
