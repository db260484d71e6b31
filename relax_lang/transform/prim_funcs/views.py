"""Calls of PrimFuncs that copy what could be looked at where it is: they become calls of operators that make views."""

from __future__ import annotations

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    View = Callable[[tree.PrimFunc, tree.Expr, tree.TensorStructInfo], tree.Call | None]
    """What a call of a PrimFunc with one argument, which has a result of this struct info, is as a view; or None."""


class Views:
    """The calls in the dataflow blocks of one function, where nothing can see that variables share memory."""

    def __init__(self, function: tree.Function, prim_funcs: Mapping[str, tree.PrimFunc], view: View) -> None:
        self._function = function
        self._prim_funcs = prim_funcs
        self._view = view
        self._aliasing: Aliasing | None = None

    def rewritten(self) -> tree.Function:
        """Return the function with views."""
        return with_blocks(self._function, self._block)

    def _block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if not isinstance(block, tree.DataflowBlock):
            return block
        return with_bindings(block, tuple([self._binding(binding) for binding in block.bindings]))

    def _binding(self, binding: tree.Binding) -> tree.Binding:
        call = binding.value
        if not isinstance(call, tree.Call) or not isinstance(binding, tree.VarBinding):
            return binding
        made = self._made(call)
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

    def _made(self, call: tree.Call) -> tree.Call | None:
        """Return the call that makes a view of what a call copies, if there is one."""
        if not isinstance(call.op, tree.Op) or call.op.op_name != "call_tir":
            return None
        callee, given = call.args[0], call.args[1]
        func = self._prim_funcs.get(callee.name_hint) if isinstance(callee, tree.GlobalVar) else None
        if func is None or not isinstance(given, tree.Tuple) or len(given.fields) != 1:
            return None
        if not isinstance(call.struct_info, tree.TensorStructInfo):
            return None
        made = self._view(func, given.fields[0], call.struct_info)
        if made is None:
            return None
        assert isinstance(made.op, tree.Op)
        op = tree.Op(made.op.op_name, call.op.pos, call.op.end)
        return tree.Call(op, made.args, made.attrs, None, call.pos, call.end)
