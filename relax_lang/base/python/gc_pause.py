"""Pausing Python's garbage collector while a pass builds a tree that will be kept.

Every few hundred new nodes the collector would walk all of them again without finding anything: that costs between a
fifth and a half of the time of a pass over a large program, and more the larger the program is.

The collector is one for all threads. The first pause switches it off and the last one to end restores what was before,
whichever thread each is in.
"""

from __future__ import annotations

import gc
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_lock = allocate_lock()
_state = {"pauses": 0, "was_enabled": 0, "starts": 0}


def start() -> None:
    """Pause until `start_is_over`: a command begins, and what it loads stays."""
    if not _state["starts"] and gc.isenabled():
        _state["starts"] = 1
        gc.disable()


def start_is_over() -> None:
    """End the pause that `start` began; what is there by now is not looked at any more."""
    if _state["starts"]:
        _state["starts"] = 0
        gc.freeze()
        gc.enable()


class no_collection:  # noqa: N801 - a context manager reads as a function
    """Pauses garbage collection inside `with`."""

    __slots__ = ()

    def __enter__(self) -> None:
        with _lock:
            if not _state["pauses"]:
                _state["was_enabled"] = int(gc.isenabled())
                gc.disable()
            _state["pauses"] += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            _state["pauses"] -= 1
            if not _state["pauses"] and _state["was_enabled"]:
                gc.enable()
