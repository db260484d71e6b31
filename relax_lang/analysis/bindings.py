"""Bindings of a body in order, and the names that parts of a program mention."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relax_lang.base.node import Node


def bindings_of(seq: tree.SeqExpr) -> Iterator[tree.Binding]:
    """Yield the bindings of all blocks in order."""
    for block in seq.blocks:
        yield from block.bindings


def names_in(node: Node) -> set[str]:
    """Return the variables that an expression or a struct info mentions."""
    if node.__class__ is tree.Call:  # nearly all of them: arguments are atoms, most of them variables
        assert isinstance(node, tree.Call)
        found: set[str] = set()
        for arg in node.args:
            if arg.__class__ is tree.Var:
                assert isinstance(arg, tree.Var)
                found.add(arg.name_hint)
            elif arg.CHILDREN:
                found |= _names_below(arg)
        if node.op.__class__ is not tree.Op:
            found |= _names_below(node.op)
        if node.struct_info is not None:
            found |= _names_below(node.struct_info)
        return found
    return _names_below(node)


def _names_below(node: Node) -> set[str]:
    return {each.name_hint for each in walk(node) if isinstance(each, tree.Var)}


def count_bindings(function: tree.Function) -> int:
    """Return how many bindings a function has, those of branches and local functions among them."""
    return len([None for node in walk(function) if isinstance(node, tree.VarBinding | tree.MatchCast)])


def kept_order(fixed: Iterable[bool]) -> list[set[int]]:
    """Return which bindings each one stays behind, given which of them keep their place among all others.

    Those may change arrays in place: what comes before one of them stays before it, what comes after stays after it.
    """
    found: list[set[int]] = []
    last = -1
    for at, is_fixed in enumerate(fixed):
        if is_fixed:
            found.append(set(range(max(last, 0), at)))
            last = at
        else:
            found.append({last} if last >= 0 else set())
    return found
