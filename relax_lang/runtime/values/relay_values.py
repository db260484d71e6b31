"""Values that only programs in Relay have: those of algebraic data types, and cells. [R.10] [R.18]"""

from __future__ import annotations

import numpy as np

from relax_lang.runtime.values.tensors import is_tensor, is_tuple

PARTS = 2_000
"""Constructors and fields that a value is shown with, unless all of it is asked for."""
_ELEMENTS = 8
"""Elements of a tensor in a value that are shown."""


class AdtValue:
    """A value of a type of Relay: `Cons(1, Nil)`.

    `tag` is the place of its constructor among those of the type, -1 where the program is not known yet.
    """

    __slots__ = ("ctor", "fields", "tag")

    def __init__(self, ctor: str, fields: tuple[object, ...] = (), tag: int = -1) -> None:
        self.ctor = ctor
        self.tag = tag
        self.fields = fields

    def __repr__(self) -> str:
        """Show it as Relay writes it, whatever its depth; a long one is cut."""
        return shown(self)

    def __eq__(self, other: object) -> bool:
        """Compare all fields, without recursion."""
        pairs: list[tuple[object, object]] = [(self, other)]
        while pairs:
            left, right = pairs.pop()
            if isinstance(left, AdtValue) and isinstance(right, AdtValue):
                if left.ctor != right.ctor or len(left.fields) != len(right.fields):
                    return False
                pairs += zip(left.fields, right.fields, strict=True)
            elif isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
                if not np.array_equal(np.asarray(left), np.asarray(right)):
                    return False
            elif left != right:
                return False
        return True

    __hash__ = None  # type: ignore[assignment]


class Cell:
    """A reference: two names of one cell see what is written through either."""

    __slots__ = ("content",)

    def __init__(self, content: object) -> None:
        self.content = content

    def __repr__(self) -> str:
        """Show what is in it."""
        return shown(self)


class _Mark(str):
    """Punctuation among the values that are shown."""

    __slots__ = ()


def shown(value: object, most: int = PARTS) -> str:
    """Return a value as Relay writes it, `Cons((1, 2.5), Nil)`, cut after so many parts. Iterative."""
    parts: list[str] = []
    stack: list[object] = [value]
    while stack and len(parts) < most:
        item = stack.pop()
        fields: tuple[object, ...] = ()
        if isinstance(item, AdtValue):
            parts.append(item.ctor)
            if not item.fields:
                continue
            fields = item.fields
        elif isinstance(item, Cell):
            parts.append("ref")
            fields = (item.content,)
        elif is_tuple(item):
            fields = tuple(item)
        else:
            parts.append(item if isinstance(item, _Mark) else _leaf(item))
            continue
        stack.append(_Mark(",)" if is_tuple(item) and len(fields) == 1 else ")"))
        for index, field in enumerate(reversed(fields)):
            if index:
                stack.append(_Mark(", "))
            stack.append(field)
        stack.append(_Mark("("))
    return "".join(parts) + ("…" if stack else "")


def _leaf(value: object) -> str:
    if is_tensor(value):
        if value.ndim == 0:
            return str(value.item())
        lines = np.array2string(value, threshold=_ELEMENTS, separator=", ").split("\n")
        return " ".join([line.strip() for line in lines if line.strip()])
    return str(value)
