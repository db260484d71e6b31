"""Lists and tuples of Python that users give."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeGuard


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Return whether a value is a list or a tuple."""
    return isinstance(value, tuple | list)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return a list or tuple as a tuple, and anything else as a tuple of it alone."""
    return tuple(value) if is_sequence(value) else (value,)
