"""The names that can be used at a place, the nearest first; found by going outwards from it, not through all names."""

from __future__ import annotations

from bisect import bisect_right

from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import GLOBAL, OPERATOR, PARAMETER, SHAPE_VARIABLE, VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.node import Node
    from relax_lang.workspace.incremental.function_state import Inference
    from relax_lang.workspace.incremental.snapshot import Snapshot

    Variable = tree.Var | tree.DataflowVar


class Definition:
    """A name that is defined before a place; `detail` is its struct info, or what kind of name it is."""

    __slots__ = ("detail", "name")

    def __init__(self, name: str, detail: str) -> None:
        self.name = name
        self.detail = detail


def definitions_before(snapshot: Snapshot, item: tree.Item, offset: int) -> Iterator[Definition]:
    """Yield what is defined before an offset in an item: in a function what is in scope, in a PrimFunc everything."""
    address = snapshot.address(item, offset)
    if not isinstance(item, tree.Function):
        for one in reversed(snapshot.occurrences(item).all):
            if one.is_definition and one.pos <= address and one.kind not in (GLOBAL, OPERATOR):
                yield Definition(one.name, one.kind)
        return
    state = snapshot.analysis.functions.get(item)
    inference = None if state is None else state.inference
    for node in reversed(snapshot.path_at(offset)):
        if isinstance(node, tree.SeqExpr):
            for var in _bound_in(node, address):
                yield _variable(inference, var, VARIABLE)
        elif isinstance(node, tree.Function):
            for param in reversed(node.params):
                if param.pos <= address:
                    yield _variable(inference, param, PARAMETER)
            names = {} if state is None else state.scope.resolved.shape_names.get(node, {})
            for name, bound in reversed(names.items()):
                if bound.pos <= address:
                    yield Definition(name, SHAPE_VARIABLE)


def _bound_in(body: tree.SeqExpr, address: int) -> Iterator[Variable]:
    """Yield what the bindings of a body before an address leave in scope there."""
    for block in reversed(body.blocks[: bisect_right(body.blocks, address, key=_begin)]):
        bindings = block.bindings
        outputs = None
        if isinstance(block, tree.DataflowBlock) and block.end <= address:
            outputs = {one.name_hint for one in block.outputs}
        for number in range(bisect_right(bindings, address, key=_begin) - 1, -1, -1):
            binding = bindings[number]
            var = binding.var
            if var is not None and binding.end <= address and (outputs is None or var.name_hint in outputs):
                yield var


def _variable(inference: Inference | None, var: Variable, kind: str) -> Definition:
    info = None if inference is None else inference.info_of((var.pos, var.end))
    return Definition(var.name_hint, kind if inference is None or info is None else inference.shown(info))


def _begin(node: Node) -> int:
    return node.pos
