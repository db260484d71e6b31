"""CallTIRRewrite: calls that allocate their results become an allocation and a direct call."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.rebuild import copied, with_bindings, with_blocks, with_value
from relax_lang.transform.lowering.purity import as_pure_as
from relax_lang.transform.lowering.statements import bound, operator, statement
from relax_lang.transform.pass_manager.passes import Run, function_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.base.node import Node


@function_pass("CallTIRRewrite", idempotent=True)
def call_tir_rewrite(function: tree.Function, run: Run) -> tree.Function:
    """Write a `call_tir` as an allocation of its results and a direct call of the PrimFunc, which writes into them.

    Several results are allocated one by one, and are a tuple afterwards. A function that was pure becomes
    `force_pure`: nothing else sees the new memory. In dataflow blocks and functions with local functions nothing
    changes, so that `ToNonDataflow` and `LambdaLift` come before. A call of which it is not proved that its arguments
    fit stays what it is, since it may fail; so does one whose scalars are a shape that is not written out.

    ```relax before
    def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
      let y = call_tir(@relu, (x,)) -> Tensor[(n, 4), float32];
      y
    }

    prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) {
        Y[i, j] = max(X[i, j], 0.0);
      }
    }
    ```

    ```relax after
    force_pure def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
      let y = builtin.alloc_tensor(shape(n, 4), 0, dtype=float32);
      @relu(x, y);
      y
    }

    prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) {
        Y[i, j] = max(X[i, j], 0.0);
      }
    }
    ```
    """
    if any(isinstance(node, tree.Function) and node is not function for node in walk(function)):
        return function
    rewriting = _Rewriting(function, run.typed.inferred.proved)
    return as_pure_as(function, with_blocks(function, rewriting.block), run.typed)


class _Rewriting:
    """The calls of one function."""

    def __init__(self, function: tree.Function, proved: Collection[Node]) -> None:
        self._names = FreshNames(names_of(function))
        self._proved = proved
        self._scalars: dict[str, str] = {}
        """Sizes that are bound in this block, by their text."""

    def block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if isinstance(block, tree.DataflowBlock):
            return block
        made: list[tree.Binding] = []
        self._scalars = {}
        for binding in block.bindings:
            made += self._binding(binding)
        return with_bindings(block, tuple(made))

    def _scalar(self, size: tree.PrimExpr, made: list[tree.Binding]) -> tree.Var:
        """Return a size as an operand: a variable, which is bound once in a block."""
        text = show(size)
        if text not in self._scalars:
            self._scalars[text] = self._names.fresh("size")
            value = operator("scalar", (tree.PrimValue(copied(size), size.pos, size.end),), size)
            made.append(bound(self._scalars[text], value, size))
        return tree.Var(self._scalars[text], None, size.pos, size.end)

    def _binding(self, binding: tree.Binding) -> list[tree.Binding]:
        call = binding.value
        if not isinstance(binding, tree.VarBinding) or not isinstance(call, tree.Call):
            return [binding]
        if not isinstance(call.op, tree.Op) or call.op.op_name != "call_tir" or call not in self._proved:
            return [binding]
        callee, given = call.args[0], call.args[1]
        scalars = call.args[2] if len(call.args) > 2 else tree.ShapeExpr(())
        if not isinstance(callee, tree.GlobalVar) or not isinstance(given, tree.Tuple):
            return [binding]
        if not isinstance(scalars, tree.ShapeExpr):  # a shape that is a value has no form as operands
            return [binding]
        info = call.struct_info
        fields = info.fields if isinstance(info, tree.TupleStructInfo) else (info,)
        made: list[tree.Binding] = []
        results: list[tree.Expr] = []
        name = binding.var.name_hint
        packed = isinstance(info, tree.TupleStructInfo)
        # What an annotation hides of the tensor, the call needs to know.
        direct_name = not packed and name != "_" and binding.var.struct_info_annotation is None
        for field in fields:
            if not isinstance(field, tree.TensorStructInfo) or not isinstance(field.shape, tree.ShapeExpr):
                return [binding]
            shape = tree.ShapeExpr(tuple([copied(dim) for dim in field.shape.values]))
            value = operator(
                "builtin.alloc_tensor", (shape, tree.PrimValue(tree.IntImm(0))), call, field.dtype
            )
            if direct_name:
                made.append(with_value(binding, value))
            else:
                name = self._names.fresh(binding.var.name_hint if binding.var.name_hint != "_" else "unused")
                made.append(bound(name, value, call))
            results.append(tree.Var(name, None))
        sizes = [self._scalar(dim, made) for dim in scalars.values]
        direct = tree.Call(callee, (*given.fields, *results, *sizes), (), None, call.pos, call.end)
        made.append(statement(direct, binding))
        if binding.var.name_hint != "_" and not direct_name:
            again = [tree.Var(one.name_hint, None) for one in results if isinstance(one, tree.Var)]
            value = tree.Tuple(tuple(again), call.pos, call.end) if packed else again[0]
            made.append(with_value(binding, value))
        return made
