"""How deep Python may recurse: deep for our own passes over trees and values, as before for code of others.

Plain Python functions take no C stack, so a high limit is safe for passes that keep to them. Code of the host,
such as packed functions, may recurse through C; without its usual limit that would end the process.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

RECURSION_LIMIT = 250_000

_host_limits: list[int] = []
"""The limits that open `deep_recursion`s replaced; the first is the host's."""


class deep_recursion:  # noqa: N801 - a context manager reads as a function
    """Lets passes walk deep programs: raises Python's recursion limit inside `with`, and restores it."""

    __slots__ = ()

    def __enter__(self) -> None:
        before = sys.getrecursionlimit()
        _host_limits.append(before)
        sys.setrecursionlimit(max(before, RECURSION_LIMIT))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setrecursionlimit(_host_limits.pop())


class host_recursion:  # noqa: N801 - a context manager reads as a function
    """Gives code of the host its own limit back inside `with`, where there is a deeper one."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = sys.getrecursionlimit()
        if _host_limits:
            try:  # noqa: SIM105 - contextlib takes longer to import than a file takes to check
                sys.setrecursionlimit(_host_limits[0])
            except RecursionError:  # the stack is deeper than that already
                pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setrecursionlimit(self._before)
