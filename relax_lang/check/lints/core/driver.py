"""Runs the lints that are off by default on items without errors.

Only loaded when one of them is asked for. All lints read the same index, which one walk over the items fills, the
tables of name resolution, and those of inference. What is reported in the end is up to the caller.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import RULES
from relax_lang.base.node import walk
from relax_lang.check.lints.core.node_index import NodeIndex
from relax_lang.check.lints.core.registry import load
from relax_lang.check.selection import is_among_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax import tree
    from relax_lang.syntax.parsed import Comment

ALL = ("lints",)
"""The words that ask for every lint."""


def run_lints(
    module: tree.IRModule,
    items: Iterable[tree.Item],
    resolved: Resolved,
    inferred: Inferred,
    text: str,
    comments: Iterable[Comment],
    words: Sequence[str],
    host_or_effects: bool | None = None,
    nodes_of: Callable[[tree.Item], Iterable[Node]] = walk,
) -> list[Diagnostic]:
    """Return what the lints that the words name find, in no particular order. `items` are those without errors.

    `host_or_effects` is that of `NodeIndex`, for a caller who gives one item of a module after the other;
    `nodes_of` yields the nodes of an item, at least those of the kinds that an index has.
    """
    wanted = [check for slug, check in load(words).items() if is_among_rules(RULES[slug], words)]
    if not wanted:
        return []
    index = NodeIndex(module, resolved, inferred, text, comments, host_or_effects)
    for item in items:
        index.add(item, nodes_of(item))
    found: list[Diagnostic] = []
    for check in wanted:
        checkpoint()
        found += check(index)
    return found
