"""Programs in colours: by their tokens alone, so that also pieces and broken programs have them."""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.vocabulary.word_lists import classify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .style import Style

STYLES = {
    "keyword": "keyword",
    "type": "type",
    "enumMember": "type",
    "macro": "global",
    "number": "number",
    "string": "string",
    "comment": "comment",
}
"""Classes of tokens that have a colour of their own, and which; too many would hide the marks of diagnostics."""


def highlight(text: str, style: Style) -> str:
    """Return a program, or a piece of one, in the colours of a stream; as it is where that has none."""
    if not style.color:
        return text
    parts: list[str] = []
    at = 0
    for match in lalr_table.tokens(text):
        start, end = match.span(match.lastindex or 0)
        word = text[start:end]
        kind = "comment" if word[0] == "#" else "macro" if word[0] == "@" else classify(word, text, end)
        painted = STYLES.get(kind or "")
        if painted and word.isprintable():
            parts += [text[at:start], style.paint(word, painted)]
            at = end
    return "".join([*parts, text[at:]])
