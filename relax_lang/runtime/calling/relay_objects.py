"""What programs that were translated from Relay hold at run time: values of algebraic data types, and cells. [R.38]

They are made and taken apart by packed functions: `relay.adt.new.Cons`, `relay.adt.tag`, `relay.adt.get`,
`relay.ref.new`, `relay.ref.read`, `relay.ref.write`, `relay.no_clause`.
"""

from __future__ import annotations

import numpy as np

from relax_lang.runtime.values.relay_values import AdtValue, Cell, shown
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NEW = "relay.adt.new."
"""Behind it is the name of the constructor."""


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
    return RunFailure("relay-no-clause", f"no clause of the match fits {shown(value)}")


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
            return AdtValue(ctor, fields, int(tag))

        return new, True
    found = _FUNCTIONS.get(name)
    return None if found is None else (found, name in _PURE)
