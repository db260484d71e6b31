"""Where a text is cut into parts of one item each: at lines that begin with a word that begins an item.

The comments and empty lines above an item are its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

from relax_lang.workspace.text.texts import common_beginning, common_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = re.compile(r"^(?:private|pure|impure|force_pure|def|prim_func)\b", re.MULTILINE)
_ABOVE = re.compile(r"[ \t]*(?:#[^\r\n]*)?\r?\n?\Z")

LEAST_CUTS = 8
"""A text of fewer parts is looked through at once."""


def cuts(text: str, old: str = "", known: Sequence[int] = ()) -> list[int]:
    """Return where the parts of a text begin, each with one item and what is above it, as far as lines show.

    `known` is where an older text was cut: only what lies between the parts that both have is looked through.
    """
    if len(known) < LEAST_CUTS:
        return _cut(text, 0, len(text))
    common = common_beginning(old, text)
    rest = common_end(old, text, min(len(old), len(text)) - common)
    # A cut holds if the part that begins there is the same, and for those behind the change the part before it, too:
    # where the comments above an item begin is looked for upwards, as far as the first word of the item before.
    front = max(0, bisect_right(known, common) - 2)
    back = bisect_right(known, len(old) - rest) + 1
    by = len(text) - len(old)
    stop = known[back] + by if back < len(known) else len(text)
    return [*known[:front], *_cut(text, known[front], stop), *[at + by for at in known[back:]]]


def _cut(text: str, begin: int, stop: int) -> list[int]:
    """Return where parts begin from a place on that is one, up to another that is one."""
    starts = [begin]
    for match in HEAD.finditer(text, begin, stop):
        start = _with_comments(text, match.start(), starts[-1])
        if start > starts[-1]:
            starts.append(start)
    return starts


def parts(text: str, starts: Sequence[int]) -> list[str]:
    """Return the parts that begin at some places."""
    return [text[begin:end] for begin, end in pairwise([*starts, len(text)])]


def _with_comments(text: str, start: int, limit: int) -> int:
    """Return where the comments and empty lines above an item begin."""
    while start > limit:
        above = text.rfind("\n", limit, start - 1) + 1 or limit
        if not _ABOVE.fullmatch(text, above, start):
            break
        start = above
    return start
