"""What programs that were translated from Relay hold at run time: values of algebraic data types, and cells. [R.38]

They are made and taken apart by packed functions: `relay.adt.new.Cons`, `relay.adt.tag`, `relay.adt.get`,
`relay.ref.new`, `relay.ref.read`, `relay.ref.write`, `relay.no_clause`.
"""

from __future__ import annotations

import numpy as np

from relax_lang.runtime.values.tensors import is_tensor
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NEW = "relay.adt.new."
"""Behind it is the name of the constructor."""


class AdtValue:
    """A value of a type of Relay: `Cons(1, Nil)`. `tag` is the place of its constructor among those of the type."""

    __slots__ = ("ctor", "fields", "tag")

    def __init__(self, ctor: str, tag: int, fields: tuple[object, ...]) -> None:
        self.ctor = ctor
        self.tag = tag
        self.fields = fields

    def __repr__(self) -> str:
        """Show it as Relay writes it, whatever its depth; a long one is cut."""
        parts: list[str] = []
        stack: list[object] = [self]
        while stack and len(parts) < 2_000:
            item = stack.pop()
            if not isinstance(item, AdtValue):
                parts.append(item if isinstance(item, _Mark) else _shown(item))
                continue
            parts.append(item.ctor)
            if item.fields:
                stack.append(_Mark(")"))
                for index, field in enumerate(reversed(item.fields)):
                    if index:
                        stack.append(_Mark(", "))
                    stack.append(field)
                stack.append(_Mark("("))
        return "".join(parts) + ("…" if stack else "")

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


class _Mark(str):
    """Punctuation among the values that are shown."""

    __slots__ = ()


def _shown(value: object) -> str:
    if is_tensor(value):
        return str(value.item()) if value.ndim == 0 else np.array2string(value, threshold=8, separator=", ")
    return str(value)


class Cell:
    """A reference: two names of one cell see what is written through either."""

    __slots__ = ("content",)

    def __init__(self, content: object) -> None:
        self.content = content

    def __repr__(self) -> str:
        """Show what is in it."""
        return f"ref({_shown(self.content)})"


def _tag(value: Any) -> object:
    return np.asarray(value.tag, dtype=np.int32)


def _get(value: Any, index: Any) -> object:
    return value.fields[int(index)]


def _read(cell: Any) -> object:
    return cell.content


def _write(cell: Any, value: object) -> object:
    cell.content = value
    return ()


def no_clause(value: object) -> RunFailure:
    """Return the failure of a `match?` that has no clause for a value."""
    return RunFailure("relay-no-clause", f"no clause of the match fits {_shown(value)}")


def _no_clause(value: object) -> object:
    raise no_clause(value)


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "relay.adt.tag": _tag,
    "relay.adt.get": _get,
    "relay.ref.new": Cell,
    "relay.ref.read": _read,
    "relay.ref.write": _write,
    "relay.no_clause": _no_clause,
}
_PURE = ("relay.adt.tag", "relay.adt.get")


def lookup(name: str) -> tuple[Callable[..., object], bool] | None:
    """Return a packed function, and whether it is pure; None if there is none of that name."""
    if name.startswith(NEW):
        ctor = name.removeprefix(NEW)

        def new(tag: Any, *fields: object) -> AdtValue:
            return AdtValue(ctor, int(tag), fields)

        return new, True
    found = _FUNCTIONS.get(name)
    return None if found is None else (found, name in _PURE)
