"""What is settled when a text has been read: reports that only a whole item allows."""

from __future__ import annotations

from bisect import bisect_right

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def settle(builder: Builder) -> None:
    """Replace what was reported of parts of items by what the whole items show."""
    for root, assigned in builder.unsettled:
        if builder.half_lines:
            _hold_back(builder, root)
        if not isinstance(root, tree.PrimFunc):
            from relax_lang.syntax.recovery import statement_ifs  # only where functions have errors

            builder.diagnostics = statement_ifs.settle(
                builder.text, root, builder.diagnostics, assigned, builder.wrong
            )
        if assigned:
            from relax_lang.syntax.recovery import assignments  # hardly any text has them

            final = assignments.settle(builder, root, assigned)
            before = {id(assigned[at]) for at in final}
            kept = [one for one in builder.diagnostics if id(one) not in before]
            builder.diagnostics = [*kept, *{id(one): one for one in final.values()}.values()]
