"""Pieces of sentences for messages: counts, enumerations, tuples. Knows nothing of what they are about."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def counted(number: int, one: str, many: str = "") -> str:
    """Write `1 argument`, `2 arguments`, or with a plural of its own `2 indices`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """Write `first`, `second`, …, `11th`."""
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[number - 1] if number <= len(words) else f"{number}th"


def enumerated(words: Sequence[str], last: str) -> str:
    """Write `a`, `a or b`, `a, b or c`; `last` is the word before the last one. There is at least one word."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def tuple_text(items: Sequence[object]) -> str:
    """Write `(2, 3)`, `(2,)`, `()`; the items are integers, or text already."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join([str(item) for item in items])})"
