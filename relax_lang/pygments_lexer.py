"""A lexer for Pygments, which finds it by its entry point: documentation tools and Rich highlight Relax with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
)

from relax_lang.syntax import lalr_table
from relax_lang.syntax.vocabulary.word_lists import classify

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS: dict[str | None, Any] = {
    "keyword": Keyword,
    "type": Keyword.Type,
    "function": Name.Function,
    "variable": Name,
    "property": Name.Attribute,
    "string": String,
    "number": Number,
    "comment": Comment.Single,
    "operator": Operator,
    "enumMember": Name.Builtin,
    None: Punctuation,
}
"""Class of a token, as in `syntax.vocabulary.word_lists`, to what Pygments calls it."""


class RelaxLexer(Lexer):
    """Relax, the graph-level IR of Apache TVM."""

    name = "Relax"
    aliases = ["relax", "rlx"]
    filenames = ["*.rlx"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Yield offset, class and text of everything; text that begins no token is plain text."""
        at = 0
        for match in lalr_table.tokens(text):
            group = match.lastindex or 0
            pos, end = match.span(group)
            if pos > at:
                yield at, Text, text[at:pos]
            yield pos, TOKENS[classify(match[group], text, end)], text[pos:end]
            at = end
        if at < len(text):
            yield at, Text, text[at:]
