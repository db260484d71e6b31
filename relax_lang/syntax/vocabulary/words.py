"""The words of the language: struct infos, keywords, and the escapes of strings and names.

Dtypes are in `dtypes`, infix and prefix operators in `operators`.
"""

from __future__ import annotations

STRUCT_INFOS: tuple[str, ...] = ("Tensor", "Shape", "Prim", "Object", "PackedFunc")

WORDS_FOR_NULL = ("None", "none", "nil", "nullptr", "undefined")
"""What other languages call the value of an attribute that is not set."""

LITERALS_OF_PYTHON = {"True": True, "False": False, "None": None}
"""Values that Python writes in other words."""

NOT_FINITE = {
    **dict.fromkeys(("inf", "Inf", "infty", "INFINITY"), "inf"),
    **dict.fromkeys(("nan", "NaN", "NAN"), "nan"),
}
"""Names that other languages have for numbers which are not finite, and the word for each."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def literal_of_python(word: str, nothing: str | None) -> str | None:
    """Return how a value of Python is written; None for any other word. `nothing` is what `None` is at that place."""
    value = LITERALS_OF_PYTHON.get(word)
    if value is None:
        return nothing if word in LITERALS_OF_PYTHON else None
    return "true" if value else "false"


def is_keyword(word: str) -> bool:
    """Return whether a word is reserved. [Y.5]"""
    from relax_lang.syntax import table  # generated: the quoted words of the grammar

    return word in table.LITERALS


def unescape(text: str) -> tuple[str, int]:
    """Return escaped text (without its quotes) as it reads, and the offset of a bad escape or -1.

    The escapes are those of JSON, and a backslash before the quote character.
    """
    if "\\" not in text:
        return text, -1
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "\\":
            parts.append(text[at])
            at += 1
            continue
        mark = text[at + 1]
        if mark == "u":
            digits = text[at + 2 : at + 6]
            if len(digits) < 4 or any(c not in "0123456789abcdefABCDEF" for c in digits):
                return "", at
            parts.append(chr(int(digits, 16)))
            at += 6
            continue
        if mark not in _ESCAPES and mark not in '"\\/`':
            return "", at
        parts.append(_ESCAPES.get(mark, mark))
        at += 2
    joined = "".join(parts)
    # A pair of escaped surrogates is one character, as in JSON.
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"), -1


def escape(text: str, quote: str) -> str:
    """Return text for between two `quote` characters; everything printable stays as it is."""
    parts: list[str] = []
    names = {value: key for key, value in _ESCAPES.items()}
    for char in text:
        if char in (quote, "\\"):
            parts.append("\\" + char)
        elif char in names:
            parts.append("\\" + names[char])
        elif (
            char < " "
            or char == "\x7f"
            or 0xD800 <= ord(char) <= 0xDFFF
            or not (char.isprintable() or char == " ")
        ):
            units = char.encode("utf-16-be", "surrogatepass")
            parts += [f"\\u{units[i] << 8 | units[i + 1]:04x}" for i in range(0, len(units), 2)]
        else:
            parts.append(char)
    return "".join(parts)
