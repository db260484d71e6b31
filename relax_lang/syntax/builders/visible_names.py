"""Names of variables that are visible where the parser is, for those productions whose meaning depends on them.

What was read and is not yet part of a node is on the stack of the parser: the parameters of the functions around, and
the statements of the blocks that are open. A clean text never asks.
"""

from __future__ import annotations

from typing import cast

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any


class VisibleNames:
    """The names on the stack of one parse. Lists on it only grow: each of their elements is looked at once."""

    def __init__(self, stack: Sequence[Any]) -> None:
        self._stack = stack
        self._known: list[_Names] = []
        """The lists that were on the stack when it was asked last, from the outermost inward."""

    def __contains__(self, name: str) -> bool:
        self._read()
        return any(name in one.names for one in self._known)

    def after(self, statements: Iterable[object]) -> set[str]:
        """Return the names after some statements of a block that is complete, and on the stack no more."""
        self._read()
        return {
            *[name for one in self._known for name in one.names],
            *[name for one in statements for name in names_bound_by(one)],
        }

    def _read(self) -> None:
        lists = cast("list[list[object]]", [one for one in self._stack if type(one) is list])
        at = 0
        while at < min(len(self._known), len(lists)) and self._known[at].items is lists[at]:
            at += 1
        self._known[at:] = map(_Names, lists[at:])
        for one in self._known:
            one.read()


class _Names:
    """The variables that a list of parameters or statements binds."""

    __slots__ = ("count", "items", "names")

    def __init__(self, items: list[object]) -> None:
        self.items = items
        self.count = 0
        self.names: set[str] = set()

    def read(self) -> None:
        """Look at what was added since."""
        for item in self.items[self.count :]:
            self.names.update(names_bound_by(item))
        self.count = len(self.items)


def names_bound_by(item: object) -> Iterator[str]:
    """Yield the variables that a parameter or a statement binds for what follows it."""
    if isinstance(item, tree.Var):
        if item.struct_info_annotation is not None:  # a parameter; operands of calls are in lists as well
            yield item.name_hint
    elif isinstance(item, tree.Binding):
        if item.var is not None:
            yield item.var.name_hint
    elif isinstance(item, tree.BlockOfBindings):
        for binding in item.bindings:
            yield from names_bound_by(binding)
