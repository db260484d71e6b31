"""Stopping a check whose text is out of date: a flag that is read between bindings and items.

A check that cannot be stopped pays for one comparison. The flag belongs to one thread: a formatter that runs beside a
cancelled check is not stopped by it.
"""

from __future__ import annotations

from _thread import get_ident  # `threading` itself is not needed, and not loaded for a check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    T = TypeVar("T")


class Cancelled(BaseException):
    """The check is of no use any more. No `Exception`, so that nothing takes it for a defect of the program."""


class CancellationToken:
    """Whether a check is to go on; `cancel` may be called from any thread."""

    __slots__ = ("is_cancelled",)

    def __init__(self) -> None:
        self.is_cancelled = False

    def cancel(self) -> None:
        """Ask the check to stop at its next checkpoint."""
        self.is_cancelled = True

    def check(self) -> None:
        """Raise Cancelled if the check is to stop."""
        if self.is_cancelled:
            raise Cancelled


class _Watched:
    """What the checkpoints read: the thread of the check that can be stopped, and what to call there."""

    __slots__ = ("check", "thread")

    def __init__(self) -> None:
        self.check: Callable[[], None] | None = None
        self.thread = 0


_WATCHED = _Watched()


def checkpoint() -> None:
    """Raise Cancelled if the check that runs in this thread is to stop."""
    check = _WATCHED.check
    if check is not None and get_ident() == _WATCHED.thread:
        check()


def in_batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the items a few at a time, with a checkpoint before each batch: one before every item would cost more."""
    for start in range(0, len(items), _BATCH):
        checkpoint()
        yield items[start : start + _BATCH]


_BATCH = 32
"""Items between two checkpoints."""


class stoppable:  # noqa: N801 - reads as a statement
    """`with stoppable(token.check): …`: let checkpoints of this thread call a function, which may raise Cancelled.

    One thread at a time can do so.
    """

    __slots__ = ("_check",)

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def __enter__(self) -> None:
        """Begin."""
        _WATCHED.thread = get_ident()
        _WATCHED.check = self._check

    def __exit__(self, *_: object) -> None:
        """End."""
        _WATCHED.check = None
