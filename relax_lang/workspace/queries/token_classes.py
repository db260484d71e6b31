"""What each token of a document is, for highlighting: from tokens alone, and what the analysis adds for names.

Words and their classes are those of `syntax.vocabulary.word_lists`, from which the editors' grammars are made, too.
"""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.vocabulary.word_lists import classify
from relax_lang.workspace.incremental.occurrences import (
    AXIS,
    BUFFER,
    BUFFER_PARAMETER,
    GLOBAL,
    OPERATOR,
    PARAMETER,
    SCALAR,
    SHAPE_VARIABLE,
    VARIABLE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.occurrences import Occurrence
    from relax_lang.workspace.incremental.snapshot import Snapshot

CLASSES = (
    "keyword",
    "type",
    "function",
    "variable",
    "parameter",
    "typeParameter",
    "property",
    "string",
    "number",
    "comment",
    "operator",
    "enumMember",
)
"""The classes of tokens, in the words of the Language Server Protocol."""

_OF_NAMES = {
    VARIABLE: "variable",
    PARAMETER: "parameter",
    BUFFER_PARAMETER: "parameter",
    SHAPE_VARIABLE: "typeParameter",
    GLOBAL: "function",
    OPERATOR: "function",
    BUFFER: "variable",
    AXIS: "variable",
    SCALAR: "variable",
}


class Token:
    """A token with its class; offsets are those of the document."""

    __slots__ = ("end", "is_definition", "kind", "pos")

    def __init__(self, pos: int, end: int, kind: str, *, is_definition: bool = False) -> None:
        self.pos = pos
        self.end = end
        self.kind = kind
        self.is_definition = is_definition


def tokens(made: Snapshot, span: Span) -> Iterator[Token]:
    """Yield the tokens between two offsets that have a class."""
    text = made.text
    begin = text.rfind("\n", 0, span[0]) + 1
    known: dict[int, Occurrence] = {}
    for item in made.items:
        pos, end = made.span(item)
        if end >= begin and pos <= span[1]:
            first = made.address(item, max(pos, begin))
            for one in made.occurrences(item).between(first, made.address(item, min(end, span[1]))):
                known[made.layout.to_document(one.pos)] = one
    for match in lalr_table.tokens(text, begin):
        group = match.lastindex or 0
        pos, end = match.start(group), match.end(group)
        if pos > span[1]:
            return
        one = known.get(pos)
        if one is not None:
            yield Token(pos, end, _OF_NAMES[one.kind], is_definition=one.is_definition)
            continue
        kind = classify(match[group], text, end)
        if kind is not None:
            yield Token(pos, end, kind)
