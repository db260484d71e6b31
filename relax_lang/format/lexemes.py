"""Words of the text form: names and their quoting, strings, numbers.

Knows the lexical rules only; what a name means is decided elsewhere.
"""

from __future__ import annotations

from relax_lang.base.python.patterns import pattern
from relax_lang.syntax.vocabulary.words import escape, is_keyword

NAME = pattern(r"[^\W\d]\w*")
DOTTED = pattern(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_INTEGER = pattern(r"-?\d(?:_?\d)*")
_FRACTION_FORM = r"-?(?:inf|nan|\d(?:_?\d)*(?:\.\d(?:_?\d)*(?:[eE][+-]?\d+)?|[eE][+-]?\d+))"
_FRACTION = pattern(_FRACTION_FORM)
_FRACTIONS = pattern(rf"{_FRACTION_FORM}(?:,{_FRACTION_FORM})*")
_PLAIN = pattern(r"-?\d+\.\d+(?:,-?\d+\.\d+)*")
"""The usual form, which is matched in a third of the time."""
_INTEGERS = pattern(r"-?\d{1,18}(?:,-?\d{1,18})*")
_TOGETHER = 1 << 10
"""How many numbers are matched at once."""
SPLIT_CHARACTER = pattern("[\ud800-\udbff][\udc00-\udfff]")
"""Two halves of one character side by side: their escapes would be read as the whole one."""
MOST_DIGITS = 4000
"""The parser refuses longer integers, and Python to convert them."""


def is_identifier(name: str) -> bool:
    """Return whether a name is written without quotes. [Y.5] [Y.11]"""
    return NAME.fullmatch(name) is not None and not is_keyword(name)


_LOCAL_NAMES: dict[str, str] = {}
_MOST_NAMES = 10_000


def local_name(name: str) -> str:
    """Write the name of a variable, a buffer, a block or an attribute: `` x ``, `` `lv0.1` ``. [Y.11]"""
    written = _LOCAL_NAMES.get(name)
    if written is None:
        if len(_LOCAL_NAMES) >= _MOST_NAMES:
            _LOCAL_NAMES.clear()
        written = _LOCAL_NAMES[name] = name if is_identifier(name) else f"`{escape(name, '`')}`"
    return written


def global_name(name: str) -> str:
    """Write `@main` or `@"fused.add 1"`. [G.25]"""
    return f"@{name}" if NAME.fullmatch(name) else f"@{string(name)}"


def operator_name(name: str) -> str:
    """Write the name of an operator: `matmul`, `nn.softmax`. [G.34]"""
    return name if DOTTED.fullmatch(name) else local_name(name)


def attribute_key(name: str) -> str:
    """Write a key of `attrs { }`: a word, or a string. [G.35]"""
    return name if is_identifier(name) else string(name)


def string(value: str) -> str:
    """Write a string with the escapes of JSON; what can be printed stays as it is. [Y.4]"""
    plain = value.isascii() and value.isprintable() and '"' not in value and "\\" not in value
    if not plain:  # `escape` looks closer
        value = escape(value, '"')
    return f'"{value}"'


def integer(value: int, text: str | None = None) -> str:
    """Write an integer: as the author spelled it (`1_000`) where that still denotes the value."""
    if text is not None and len(text) <= MOST_DIGITS and _INTEGER.fullmatch(text) and int(text) == value:
        return text
    return str(value) if value.bit_length() < 3 * MOST_DIGITS else hex(value)


def are_integers(texts: list[str], values: list[int]) -> bool:
    """Return whether `integer` surely writes each value as it is spelled: plain digits, and few of them."""
    parts = [",".join(texts[at : at + _TOGETHER]) for at in range(0, len(texts), _TOGETHER)]
    return all(_INTEGERS.fullmatch(part) for part in parts) and list(map(int, texts)) == values


def are_fractions(texts: list[str], values: list[float]) -> bool:
    """Return whether `fraction` would write each value as it is spelled; all must be finite."""
    parts = [",".join(texts[at : at + _TOGETHER]) for at in range(0, len(texts), _TOGETHER)]
    if not all(_PLAIN.fullmatch(part) or _FRACTIONS.fullmatch(part) for part in parts):
        return False
    from array import array  # only for constants with many elements

    return array("d", map(float, texts)).tobytes() == array("d", values).tobytes()


def fraction(value: float, text: str | None = None) -> str:
    """Write a fraction: as spelled (`1e-3`) where that still denotes the value, else in its shortest form."""
    if text is not None and _FRACTION.fullmatch(text) and repr(float(text)) == repr(value):
        return text
    return repr(value)
