"""What is settled when a text has been read: reports that only a whole item allows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.syntax.builders.items import Builder


def _hold_back(builder: Builder, root: Node) -> None:
    """Note that nothing is to be said of the names and calls in lines that are not finished."""
    lines = sorted(builder.half_lines)
    for node in walk(root):
        if isinstance(node, tree.Expr):
            at = bisect_right(lines, (node.pos, len(builder.text)))
            if at and lines[at - 1][0] <= node.pos and node.end <= lines[at - 1][1]:
                builder.wrong.add(node)


class _Reports:
    """Reports by where they begin."""

    def __init__(self, reports: Sequence[Diagnostic]) -> None:
        self._ordered = sorted(enumerate(reports), key=lambda one: one[1].pos)
        self._places = [one.pos for _, one in self._ordered]

    def within(self, node: Node) -> list[Diagnostic]:
        """Return those that begin in a node, in the order in which they were made."""
        first, last = bisect_left(self._places, node.pos), bisect_left(self._places, node.end)
        return [one for _, one in sorted(self._ordered[first:last], key=lambda one: one[0])]


def settle(builder: Builder) -> None:
    """Replace what was reported of parts of items by what the whole items show."""
    gone: set[int] = set()
    added: list[Diagnostic] = []
    reports = _Reports(builder.diagnostics)
    for root, assigned in builder.unsettled:
        if builder.half_lines:
            _hold_back(builder, root)
        if not isinstance(root, tree.PrimFunc):
            from relax_lang.syntax.recovery import statement_ifs  # only where functions have errors

            gone |= statement_ifs.settle(builder.text, root, reports.within(root), assigned, builder.wrong)
        if assigned:
            from relax_lang.syntax.recovery import assignments  # hardly any text has them

            final = assignments.settle(builder, root, assigned)
            gone |= {id(assigned[at]) for at in final}
            added += {id(one): one for one in final.values()}.values()
    gone.update([id(one) for one in added])
    builder.diagnostics = [*[one for one in builder.diagnostics if id(one) not in gone], *added]
