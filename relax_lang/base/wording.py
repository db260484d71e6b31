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


def mismatch_text(path: Sequence[str], what: str, expected: str, found: str) -> str:
    """Return `field 1: dimension 0: expected k * 2 = 4, found 3`: in what a value is not what it should be. [Z.7]

    `path` leads into tuples and functions, `what` is `rank`, `dtype` and the like, or empty for another kind of value.
    """
    where = [", ".join(path)] if path else []
    return ": ".join([*where, *([what] if what else []), f"expected {expected}, found {found}"])
