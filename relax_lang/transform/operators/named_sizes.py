"""Sizes that a program computes get names: shapes of tensors that are made with them are known from then on."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import with_bindings, with_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


def with_named_sizes(typed: Typed, function: tree.Function) -> tree.Function:
    """Return a function in which a `match_cast` names the dimensions of every result of `tensor_to_shape`.

    Where the number of dimensions is known. A result that is matched already stays as it is.
    """
    calls = [node for node in walk(function) if is_tensor_to_shape(node)]
    if not calls:
        return function
    infos, taken = KnownInfos(typed, function), FreshNames(names_of(function))
    matched = {
        node.value.name_hint
        for node in walk(function)
        if isinstance(node, tree.MatchCast) and isinstance(node.value, tree.Var)
    }

    def named(binding: tree.Binding, *, dataflow: bool) -> list[tree.Binding]:
        call, var = binding.value, binding.var
        if not is_tensor_to_shape(call) or not isinstance(binding, tree.VarBinding):
            return [binding]
        assert isinstance(call, tree.Call)
        rank = _rank(infos.of(call.args[0]))
        name = binding.var.name_hint
        if rank is None or name == "_" or name in matched or binding.var.struct_info_annotation is not None:
            return [binding]
        whole = taken.fresh(f"{name}_sizes")
        dims = [tree.PrimVar(taken.fresh(f"{name}_{at}")) for at in range(rank)]
        first = tree.DataflowVar(whole, None) if dataflow else tree.Var(whole, None, binding.pos, binding.end)
        use = tree.Var(whole, None, call.pos, call.end)
        info = tree.ShapeStructInfo(tuple(dims), None, call.pos, call.end)
        return [
            tree.VarBinding(first, call, binding.pos, binding.end),
            tree.MatchCast(var, info, use, binding.pos, binding.end),
        ]

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        dataflow = isinstance(one, tree.DataflowBlock)
        made = [each for binding in one.bindings for each in named(binding, dataflow=dataflow)]
        return with_bindings(one, tuple(made))

    return with_blocks(function, block)


def is_tensor_to_shape(node: tree.Node) -> bool:
    """Return whether a node is a call of `tensor_to_shape`."""
    return (
        isinstance(node, tree.Call) and isinstance(node.op, tree.Op) and node.op.op_name == "tensor_to_shape"
    )


def _rank(info: tree.StructInfo | None) -> int | None:
    """Return how many dimensions there are in a tensor of sizes."""
    if not isinstance(info, tree.TensorStructInfo) or not isinstance(info.shape, tree.ShapeExpr):
        return None
    [extent] = info.shape.values if len(info.shape.values) == 1 else (None,)
    return extent.value if isinstance(extent, tree.IntImm) and extent.value <= _MOST else None


_MOST = 64
"""The largest number of dimensions that get names; arrays have fewer."""
