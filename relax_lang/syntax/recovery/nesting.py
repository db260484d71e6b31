"""Spans that lie in one another or apart, as those of blocks and scopes do, and values by the names that they have."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    T = TypeVar("T")


def innermost(spans: Iterable[tuple[int, int, T]], places: Iterable[int]) -> dict[int, T]:
    """Return what belongs to the innermost span around each of some offsets; an offset in none of them is left out.

    Of spans that begin at the same offset the longest counts as the innermost.
    """
    waiting = sorted(spans, key=lambda one: one[:2], reverse=True)
    around: list[tuple[int, int, T]] = []
    found: dict[int, T] = {}
    for at in sorted(places):
        while waiting and waiting[-1][0] <= at:
            span = waiting.pop()
            while around and around[-1][1] <= span[0]:
                around.pop()
            around.append(span)
        while around and around[-1][1] <= at:
            around.pop()
        if around:
            found[at] = around[-1][2]
    return found


def by_name(named: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """Return what has each name, in the order given."""
    found: dict[str, list[T]] = {}
    for name, one in named:
        found.setdefault(name, []).append(one)
    return found
