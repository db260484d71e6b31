"""Functions that are called again and again with the same sizes: a form in which these are numbers. [X.O1] [X.O4]

Where shape variables are numbers all that depends on sizes is decided when the form is made: which operators run in
place, what is planned, which blocks there are. A form is only made of a function without effects, and runs on arguments
of which the checks are known to pass; whatever fails in it is done again by the function as it is, which reports it.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.analysis.effects import INVOKING, OVERWRITING, PACKED_CALLS
from relax_lang.arith.evaluate import DimensionError, evaluate, names_in
from relax_lang.base.node import assert_never, unreachable, with_children
from relax_lang.runtime.values.match_cast import bind
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from relax_lang.analysis.call_graph import Plan
    from relax_lang.base.node import Node
    from relax_lang.runtime.compiler.row_blocks import RowGroup
    from relax_lang.runtime.interpreter.machine import Machine

    Sizes = Mapping[str, int]


class _NoNumberError(Exception):
    """A size is not a number that could be written in the program."""


def with_certain_sizes(
    plan: Plan, groups: Sequence[RowGroup], machine: Machine, arguments: Sequence[object]
) -> tree.Function | None:
    """Return a function with numbers for its shape variables, those of arguments that fit.

    None if it has no such form, or one of its `groups` of bindings runs in blocks of rows with these sizes.
    """
    if not _is_simple(plan):
        return None
    sizes: dict[str, int] = {}
    for value, param in zip(arguments, plan.function.params, strict=True):
        if param.struct_info_annotation is not None:
            bind(value, param.struct_info_annotation, sizes)
    if any(_runs_in_blocks(group, sizes, machine) for group in groups):
        return None
    try:
        made = _Numbers(sizes).of(plan.function)
    except _NoNumberError:
        return None
    assert isinstance(made, tree.Function)
    return made


def _is_simple(plan: Plan) -> bool:
    """Return whether a function calls nothing but operators and PrimFuncs, without an effect."""
    body = plan.function.body
    assert isinstance(body, tree.SeqExpr)
    for binding in bindings_of(body):
        if not isinstance(binding, tree.VarBinding) or not _is_straight(binding.value):
            return False
    return plan.quiet and not plan.stepping


def _is_straight(value: tree.Expr) -> bool:
    """Return whether a right-hand side has no branches, and calls nothing but an operator or a PrimFunc."""
    match value:
        case tree.Call():
            op = value.op
            return isinstance(op, tree.Op) and op.op_name not in (*OVERWRITING, *INVOKING, *PACKED_CALLS)
        case tree.TupleGetItem() | tree.Atom():
            return True
        case tree.Function() | tree.If():
            return False
        case tree.NeverBound():
            return unreachable(value)
        case _:
            return assert_never(value)


def _runs_in_blocks(group: RowGroup, sizes: Sizes, machine: Machine) -> bool:
    """Return whether a group of bindings runs in blocks of rows with some sizes, or that is not known."""
    try:
        values = tuple([sizes[name] for name in group.dims])
        return bool(values[group.at] and group.row_bytes(values, machine.memory.max_bytes))
    except (DimensionError, KeyError, RunFailure):
        return True


class _Numbers:
    """Puts numbers in the place of shape variables, and of what is computed of them."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._known: dict[Node, Node] = {}

    def of(self, node: Node) -> Node:
        """Return a tree with numbers. Raises _NoNumberError if one of them would have another meaning as a literal."""
        known = self._known.get(node)
        if known is None:
            made = self._number(node) if isinstance(node, tree.PrimExpr) else None
            known = self._known[node] = made or with_children(node, self.of)
        return known

    def _number(self, expr: tree.PrimExpr) -> tree.PrimExpr | None:
        names = names_in(expr)
        if not names or not _are_in(names, self._sizes):
            return None
        try:
            value = evaluate(expr, self._sizes)
        except DimensionError:
            raise _NoNumberError from None
        if type(value) is not int or value < 0:  # -1 is a size to infer where it is written in a `reshape`
            raise _NoNumberError
        return tree.IntImm(value, None, None, expr.pos, expr.end)


def _are_in(names: Collection[tree.PrimVar], sizes: Sizes) -> bool:
    return all(name.name in sizes for name in names)
