"""Which bindings can be left out when nothing uses their variable. [X.O2] [X.O3]

Outside of dataflow blocks failures are kept, so that only what cannot fail goes; inside of one, what has no effect.
What a packed function claims is not relied on.
"""

from __future__ import annotations

from relax_lang.analysis.effects import INVOKING, PACKED_CALLS, is_quiet
from relax_lang.base.node import walk
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.analysis.call_graph import Graph

_HARMLESS = (tree.Var, tree.GlobalVar, tree.PrimValue, tree.Function)
"""Expressions that have no effect and cannot fail."""
_QUIET = (*_HARMLESS, tree.Constant, tree.Tuple, tree.ShapeExpr, tree.ExternFunc, tree.TupleGetItem)
"""Expressions that have no effect."""


class Removable:
    """Asked about the bindings of one function of a module."""

    __slots__ = ("_bound", "_function", "_graph")

    def __init__(self, graph: Graph, function: tree.Function) -> None:
        self._graph = graph
        self._function = function
        self._bound: dict[tree.MatchCast, frozenset[str]] | None = None

    def bound_by(self, cast: tree.MatchCast) -> frozenset[str]:
        """Return the shape variables that a match_cast binds."""
        if self._bound is None:
            self._bound = _bound_by_casts(self._function)
        return self._bound.get(cast, frozenset())

    def can_go(self, value: tree.Expr, *, dataflow: bool) -> bool:
        """Return whether evaluating an expression may be left out."""
        if not dataflow:
            return _cannot_fail(value)
        return isinstance(value, _QUIET) or (isinstance(value, tree.Call) and self.is_quiet(value))

    def is_quiet(self, call: tree.Call) -> bool:
        """Return whether a call has no effect but its result, whatever packed functions claim."""
        callee = self._graph.callees.get(call)
        if isinstance(callee, tree.Function):
            return self._graph.plans[callee].quiet
        if isinstance(call.op, tree.Op) and call.op.op_name not in (*INVOKING, *PACKED_CALLS):
            return is_quiet(call, self._graph.prim_funcs)
        return False


def _cannot_fail(value: tree.Expr) -> bool:
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, tree.Tuple):
            todo += part.fields
        elif isinstance(part, tree.Constant):
            if isinstance(part.data, tree.FileLit):
                return False  # the file may be gone
        elif isinstance(part, tree.ShapeExpr):
            if any(isinstance(dim, tree.IntImm) and dim.value < 0 for dim in part.values):
                return False
            if not all(isinstance(dim, tree.IntImm | tree.PrimVar) for dim in part.values):
                return False
        elif not isinstance(part, _HARMLESS):
            return False
    return True


def _bound_by_casts(function: tree.Function) -> dict[tree.MatchCast, frozenset[str]]:
    """Return which shape variables each match_cast binds: those that stand alone there first. [S.13]"""
    known: set[str] = set()
    for param in function.params:
        if param.struct_info_annotation is not None:
            known.update([dim.name for dim in bare_dims(param.struct_info_annotation)])
    found: dict[tree.MatchCast, frozenset[str]] = {}
    for node in walk(function):
        if isinstance(node, tree.MatchCast):
            names = frozenset([dim.name for dim in bare_dims(node.struct_info) if dim.name not in known])
            found[node] = names
            known |= names
        elif isinstance(node, tree.Function) and node is not function:
            for param in node.params:
                if param.struct_info_annotation is not None:
                    known.update([dim.name for dim in bare_dims(param.struct_info_annotation)])
    return found
