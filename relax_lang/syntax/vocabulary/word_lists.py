"""The words of the language by what a reader should see in them: the one list for highlighting everywhere.

Semantic tokens of the language server, the Pygments lexer, the TextMate grammar and the CodeMirror mode are made from
it.
"""

from __future__ import annotations

import re

from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS, is_keyword

CONSTANTS = ("true", "false", "inf", "nan", "null")
TYPES = (*STRUCT_INFOS, "Buffer")
CONTEXTUAL = ("const", "shape", "file", "match_cast", "match_shape")
"""Words that begin an expression of their own and look like a call."""

_BY_FIRST = {"#": "comment", '"': "string", "@": "function", "`": "variable"}
_BY_LIST = ((CONSTANTS, "number"), (TYPES, "type"), (DTYPES, "enumMember"))
_FOLLOWED_BY_CALL = re.compile(r"[ \t]*\(")
_FOLLOWED_BY_EQUALS = re.compile(r"[ \t]*=(?!=)")


def keywords() -> list[str]:
    """Return the reserved words that are names to the eye, in alphabetical order."""
    from relax_lang.syntax import table  # generated: the quoted words of the grammar

    other = {*CONSTANTS, *TYPES, *DTYPES}
    return sorted({word for word in table.LITERALS if word[:1].isalpha() and word not in other})


def classify(word: str, text: str, end: int) -> str | None:
    """Return the class of a token that ends at an offset of a text, as far as words alone show; None for marks."""
    first = word[:1]
    if first in _BY_FIRST:
        return _BY_FIRST[first]
    if first.isdigit():
        return "number"
    if not (first.isalpha() or first == "_"):
        return None if word in "()[]{},;:" else "operator"
    for words, kind in _BY_LIST:
        if word in words:
            return kind
    if is_keyword(word):
        return "keyword"
    if "." in word or _FOLLOWED_BY_CALL.match(text, end):
        return "function"
    if _FOLLOWED_BY_EQUALS.match(text, end):
        return "property" if not _begins_statement(text, end - len(word)) else "variable"
    return "variable"


def _begins_statement(text: str, pos: int) -> bool:
    before = text[:pos].rstrip()
    return before.endswith("let") or before[-1:] in ("", ";", "{", "}")
