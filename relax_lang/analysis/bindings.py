"""Bindings of a body in order, and the names that parts of a program mention."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.node import Node


def bindings_of(seq: tree.SeqExpr) -> Iterator[tree.Binding]:
    """Yield the bindings of all blocks in order."""
    for block in seq.blocks:
        yield from block.bindings


def names_in(node: Node) -> set[str]:
    """Return the variables that an expression or a struct info mentions."""
    return {each.name_hint for each in walk(node) if isinstance(each, tree.Var)}


def count_bindings(function: tree.Function) -> int:
    """Return how many bindings a function has, those of branches and local functions among them."""
    return len([None for node in walk(function) if isinstance(node, tree.VarBinding | tree.MatchCast)])
