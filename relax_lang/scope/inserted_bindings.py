"""Fixes that bind a value before a statement and use the new variable where the value was written."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.names import FreshNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node


def bound_before(
    place: Node, anchor: int, wanted: str, taken: Iterable[str], value: str, text: str = ""
) -> tuple[Edit, ...]:
    """Return the edits that bind a value before the statement at `anchor`, and use its variable at a place.

    The variable gets the wanted name, or one that is made of it, as names that are `taken` mean something else.
    """
    name = FreshNames(taken).fresh(wanted)
    statement = inserted(text, anchor, f"let {name} = {value};")
    if anchor == place.pos:  # one edit: two at the same place would be in no order
        return (Edit(place.pos, place.end, statement + name),)
    return Edit(anchor, anchor, statement), Edit(place.pos, place.end, name)


def inserted(text: str, anchor: int, *statements: str) -> str:
    """Return statements as they go before the one at an offset: on lines of their own if it begins its line.

    Without the text they are on the line of what follows.
    """
    before = text[text.rfind("\n", 0, anchor) + 1 : anchor]
    gap = f"\n{before}" if text and not before.strip() else " "
    return "".join([f"{one}{gap}" for one in statements])
