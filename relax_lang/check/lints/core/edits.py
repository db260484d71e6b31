"""Edits that several lints offer."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import Span
    from relax_lang.check.lints.core.node_index import NodeIndex


def statement_removal(index: NodeIndex, span: Span) -> tuple[Edit, bool]:
    """Return the edit that removes a statement, with its line if nothing else is on it.

    The second value is False if a comment inside the statement would go with it.
    """
    pos, end = span
    is_safe, text = not index.has_comment(pos, end), index.text
    start = text.rfind("\n", 0, pos) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    if not text[start:pos].strip() and not text[end:stop].strip():
        return Edit(start, min(stop + 1, len(text)), ""), is_safe
    while end < stop and text[end] in " \t":
        end += 1
    return Edit(pos, end, ""), is_safe
