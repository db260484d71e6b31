"""How deep Python may recurse: deep for our own passes over trees and values, as before for code of others.

Plain Python functions take no C stack, so a high limit is safe for passes that keep to them. Code of the host,
such as packed functions, may recurse through C; without its usual limit that would end the process.

The limit holds for all threads, so it is high as long as one of them wants that.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock, get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

RECURSION_LIMIT = 250_000

_lock = allocate_lock()
_wants: dict[int, list[bool]] = {}
"""By thread, whether the code inside each open `with` wants the high limit; the innermost one comes last."""
_before: dict[str, int] = {"limit": 0}
"""The limit that held before anybody wanted another."""


def _enter(deep: bool) -> None:
    with _lock:
        if not _wants:
            _before["limit"] = sys.getrecursionlimit()
        _wants.setdefault(get_ident(), []).append(deep)
        _settle()


def _leave() -> None:
    with _lock:
        mine = _wants[get_ident()]
        mine.pop()
        if not mine and len(_wants) == 1:
            _wants.clear()
            _set_limit(_before["limit"])
            return
        if not mine:
            del _wants[get_ident()]
        _settle()


def _settle() -> None:
    """Set the limit that the innermost wishes of all threads ask for."""
    deep = False
    for wishes in _wants.values():
        deep = deep or wishes[-1]
    limit = max(_before["limit"], RECURSION_LIMIT) if deep else _before["limit"]
    _set_limit(limit)


def _set_limit(limit: int) -> None:
    if limit != sys.getrecursionlimit():
        try:  # noqa: SIM105 - contextlib takes longer to import than a file takes to check
            sys.setrecursionlimit(limit)
        except RecursionError:  # the stack is deeper than that already
            pass


class deep_recursion:  # noqa: N801 - a context manager reads as a function
    """Lets passes walk deep programs: raises Python's recursion limit inside `with`, and restores it."""

    __slots__ = ()

    def __enter__(self) -> None:
        # The usual case, at every call of a program from Python: no other code wants anything.
        with _lock:
            if not _wants:
                limit = _before["limit"] = sys.getrecursionlimit()
                _wants[get_ident()] = [True]
                if limit < RECURSION_LIMIT:
                    sys.setrecursionlimit(RECURSION_LIMIT)
                return
        _enter(deep=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            if len(_wants) == 1 and len(_wants.get(get_ident(), ())) == 1:
                _wants.clear()
                _set_limit(_before["limit"])
                return
        _leave()


class host_recursion:  # noqa: N801 - a context manager reads as a function
    """Gives code of the host its own limit back inside `with`, unless another thread is deep in a program."""

    __slots__ = ()

    def __enter__(self) -> None:
        _enter(deep=False)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave()
