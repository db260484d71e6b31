"""Bindings of a body in order, and the names that parts of a program mention."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

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


class FreeNames:
    """What parts of functions in normal form mention from outside.

    An `if` or a function literal is walked once, however often it is asked for, and is skipped in those around it. So
    what asks at every level of a nest does the work of one walk. Names are unique in a function: what a part mentions
    and binds itself is of no use to those who know what is around it.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Node, tuple[dict[str, None], dict[str, None]]] = {}

    def of(self, node: Node) -> Collection[str]:
        """Return the variables that an expression, a binding or a struct info mentions and does not bind."""
        return names_in(node) if node.__class__ is tree.Call else self._of(node)[0]

    def around_branches(self, value: tree.Expr) -> Collection[str]:
        """Return the variables that a value mentions, but for those that branches of an `if` bind themselves."""
        return self.of(value) if isinstance(value, tree.If) else names_in(value)

    def in_order(self, node: Node) -> dict[str, None]:
        """Return the same as the keys of a table, in order of first mention."""
        return self._of(node)[0]

    def sizes_of(self, node: Node) -> Collection[str]:
        """Return all shape variables that it mentions, those that it binds as well."""
        return self._of(node)[1]

    def _of(self, node: Node) -> tuple[dict[str, None], dict[str, None]]:
        if node.__class__ not in _NESTS:
            return self._found(node)
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._found(node)
        return known

    def _found(self, root: Node) -> tuple[dict[str, None], dict[str, None]]:
        names: dict[str, None] = {}
        sizes: dict[str, None] = {}
        bound: set[str] = set()
        stack: list[Any] = [root]
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind in _NESTS:
                if node is not root:
                    inner, inner_sizes = self._of(node)
                    names.update(inner)
                    sizes.update(inner_sizes)
                    continue
                if kind is tree.Function:
                    bound.update([param.name_hint for param in node.params])
            elif kind is tree.Var:
                names[node.name_hint] = None
            elif kind is tree.PrimVar:
                sizes[node.name] = None
            elif kind in _BINDINGS and node.var is not None:
                bound.add(node.var.name_hint)
            for field in reversed(node.CHILDREN):
                below = getattr(node, field)
                if below.__class__ is tuple:
                    stack += below[::-1]
                elif below is not None:
                    stack.append(below)
        for name in bound:
            names.pop(name, None)
        return names, sizes


_NESTS = frozenset((tree.If, tree.Function))
_BINDINGS = frozenset((tree.VarBinding, tree.MatchCast))


def count_bindings(function: tree.Function) -> int:
    """Return how many bindings a function has, those of branches and local functions among them."""
    return len([None for node in walk(function) if isinstance(node, tree.Binding)])


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
