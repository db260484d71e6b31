"""Format strings of `print` and `assert_op`, and values as text. [O.10]

A format is filled with texts, never with objects: `{}`, `{1}` and `{:>8}` work, `{0.attribute}` and
`{0[key]}` do not, so that a format cannot reach Python objects. Widths are bounded, so that it cannot
exhaust the memory.
"""

from __future__ import annotations

import re
import string

from relax_lang.ops.core.errors import bad_value
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_WIDEST = 10_000
_NUMBERS = re.compile(r"\d+")
_MOST_PIECES = 200_000
"""Fields, commas and parentheses that the text of one value has at most."""


def written(values: Sequence[object], pattern: str, between: str = " ") -> str:
    """Return values as text: with a format, or one after the other if it is empty. Raises OpError."""
    return filled(pattern, values) if pattern else between.join([render(value) for value in values])


def filled(pattern: str, values: Sequence[object]) -> str:
    """Return a format with its placeholders replaced by values. Raises OpError if they do not match."""
    texts = [render(value) for value in values]
    try:
        return _Texts().vformat(pattern, texts, {})
    except (IndexError, KeyError, ValueError) as error:
        raise bad_value(f"the format does not fit {len(texts)} value(s): {error}") from None


def render(value: object) -> str:
    """Show a value as `print` does: tensors as NumPy does, tuples and shapes in parentheses.

    Iterative: a tuple may be nested as deep as a program can recurse. Bounded: tuples that hold one tuple twice, again
    and again, are small in memory and endless as a text, which is cut with `...`.
    """
    parts: list[str] = []
    stack: list[object] = [value]
    while stack:
        if len(parts) > _MOST_PIECES:
            parts.append("...")
            break
        item = stack.pop()
        if isinstance(item, _Written):
            parts.append(item.text)
        elif isinstance(item, ShapeValue | tuple):
            fields: list[object] = [_Written(")")]
            for field in reversed(tuple(item)):  # pyright: ignore[reportUnknownArgumentType]
                fields += [field, _Written(", ")]
            fields[-1] = _Written("(") if len(fields) > 1 else _Written("()")
            stack += fields
        else:
            parts.append(_plain(item))
    return "".join(parts)


class _Written:
    """A piece of text that is already rendered."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _plain(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(value)
    except Exception:  # a Python object, whose own code runs here
        return f"<{type(value).__name__}>"


class _Texts(string.Formatter):
    """Python's format language, for texts only."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Refuse attributes and keys."""
        if "." in field_name or "[" in field_name:
            raise ValueError(f"`{{{field_name}}}` is not a placeholder; write `{{}}` or `{{0}}`")
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Refuse widths that no line has."""
        for width in _NUMBERS.findall(format_spec):
            if len(width) > 6 or int(width) > _WIDEST:
                raise ValueError(f"a width is at most {_WIDEST}")
        return super().format_field(value, format_spec)
