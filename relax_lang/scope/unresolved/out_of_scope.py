"""Where a name is bound that is not visible: below, in a block that has ended, in another function.

Only asked once something is missing; each index is made at most once, so that many mistakes stay cheap.
"""

from __future__ import annotations

from relax_lang.base.node import Node, walk
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.scope.context import Context, Frame

SAME_STATEMENT, LATER, ESCAPED = "same statement", "later", "escaped"
PARAMETER, MATCH_CAST, FUNCTION_TYPE = "parameter", "match_cast", "function type"


class Bound:
    """A binding inside a `{ }`: how many come before it, what it binds, and the block it is in."""

    __slots__ = ("binder", "block", "order")

    def __init__(self, order: int, binder: tree.Binder, block: tree.BlockOfBindings) -> None:
        self.order = order
        self.binder = binder
        self.block = block


class SeqIndex:
    """The bindings of one `{ }` by name, and their order."""

    __slots__ = ("by_name", "order")

    def __init__(self, seq: tree.SeqExpr) -> None:
        self.by_name: dict[str, list[Bound]] = {}
        self.order: dict[tree.Binding, int] = {}
        for block in seq.blocks:
            for binding in block.bindings:
                order = self.order[binding] = len(self.order)
                var = binding.var
                if var is not None and var.name_hint != "_":
                    self.by_name.setdefault(var.name_hint, []).append(Bound(order, var, block))


class Elsewhere:
    """All definitions of a module by name: variables, and occurrences that bind shape variables."""

    __slots__ = ("shapes", "variables")

    def __init__(self, module: tree.IRModule) -> None:
        self.variables: dict[str, list[tuple[tree.Binder, tree.Function]]] = {}
        self.shapes: dict[str, list[tuple[tree.PrimVar, tree.Function, str]]] = {}
        for item in module.items:
            if type(item) is tree.Function:
                for node in walk(item):
                    self._add(item, node)

    def _add(self, item: tree.Function, node: Node) -> None:
        if isinstance(node, tree.Function):
            for param in node.params:
                self._variable(item, param)
                if param.struct_info_annotation is not None:
                    self._dims(item, param.struct_info_annotation, PARAMETER)
        elif isinstance(node, tree.Binding):
            if node.var is not None:
                self._variable(item, node.var)
            if type(node) is tree.MatchCast:
                self._dims(item, node.struct_info, MATCH_CAST)
        elif isinstance(node, tree.FuncStructInfo):
            for param in node.params or ():
                self._dims(item, param, FUNCTION_TYPE)

    def _variable(self, item: tree.Function, binder: tree.Binder) -> None:
        self.variables.setdefault(binder.name_hint, []).append((binder, item))

    def _dims(self, item: tree.Function, info: tree.StructInfo, kind: str) -> None:
        for variable in bare_dims(info):
            self.shapes.setdefault(variable.name, []).append((variable, item, kind))


def find_open(ctx: Context, name: str) -> tuple[str, Bound, Frame] | None:
    """Look for a binding in the open `{ }`s, innermost first: escaped, in this statement, or further down."""
    best: tuple[str, Bound, Frame] | None = None
    for frame in reversed(ctx.frames):
        index = _index_of(ctx, frame.seq)
        bound = index.by_name.get(name, ())
        now = len(index.order) if frame.binding is None else index.order[frame.binding]
        for one in reversed(bound):
            if one.order < now and type(one.block) is tree.DataflowBlock and not _listed(one.block, name):
                return ESCAPED, one, frame
        if best is None:
            for one in bound:
                if one.order >= now:
                    best = (SAME_STATEMENT if one.order == now else LATER, one, frame)
                    break
    return best


def _index_of(ctx: Context, seq: tree.SeqExpr) -> SeqIndex:
    index = ctx.indexes.get(seq)
    if not isinstance(index, SeqIndex):
        index = ctx.indexes[seq] = SeqIndex(seq)
    return index


def _listed(block: tree.DataflowBlock, name: str) -> bool:
    return any(output.name_hint == name for output in block.outputs)


def elsewhere(ctx: Context) -> Elsewhere:
    """Return the definitions of the whole module."""
    index = ctx.indexes.get(ctx.module)
    if not isinstance(index, Elsewhere):
        index = ctx.indexes[ctx.module] = Elsewhere(ctx.module)
    return index


def other_variable(ctx: Context, name: str, before: int) -> tuple[tree.Binder, tree.Function] | None:
    """Find a variable that is not visible: the last one in this function before an offset, or any."""
    found = elsewhere(ctx).variables.get(name, ())
    here = [one for one in found if one[1] is ctx.item]
    above = [one for one in here if one[0].pos < before]
    for candidates in (above, here, found):
        if candidates:
            return candidates[-1]
    return None


def other_shape_variable(ctx: Context, name: str) -> tuple[tree.PrimVar, tree.Function, str] | None:
    """Find a binding occurrence of that shape variable that is not visible, if possible in this function."""
    found = elsewhere(ctx).shapes.get(name, ())
    for one in found:
        if one[1] is ctx.item:
            return one
    return found[0] if found else None
