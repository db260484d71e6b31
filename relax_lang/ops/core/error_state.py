"""NumPy's error state for programs: floats follow IEEE silently, infinities and NaNs are values, not warnings. [OP.8]

Entering `np.errstate` takes as long as an operation on a small tensor. Since NumPy 2 the state is the value of a
context variable, so that what one `np.errstate` made of the state of the caller is set again while the caller's stays
the same.
"""

from __future__ import annotations

from contextvars import copy_context

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextvars import ContextVar


def _changed() -> tuple[ContextVar[object], object] | None:
    """Return the context variable that `np.errstate` sets, and what it makes of the present state; None without one."""
    before = copy_context()
    with np.errstate(all="ignore"):
        found = [
            (var, value)
            for var, value in copy_context().items()
            if var not in before or before[var] is not value
        ]
    return found[0] if len(found) == 1 else None


class _State:
    """The context variable, the state of the caller that was met last, and what becomes of it; and the state that was
    met last that ignores everything.
    """

    __slots__ = ("ignoring", "last", "var")

    def __init__(self) -> None:
        found = _changed()
        self.var = None if found is None else found[0]
        self.last: tuple[object, object] = (None, None)
        self.ignoring: object = None


_STATE = _State()


def run_silently(code: Callable[..., object], arguments: Sequence[object]) -> object:
    """Call a function with floats that follow IEEE silently."""
    var = _STATE.var
    if var is not None:
        before, silent = _STATE.last
        now = var.get()
        if now is not before:
            found = _changed()
            silent = None if found is None else found[1]
            _STATE.last = now, silent
        if silent is not None:
            token = var.set(silent)
            try:
                return code(*arguments)
            finally:
                var.reset(token)
    with np.errstate(all="ignore"):
        return code(*arguments)


def compute_silently(code: Callable[..., object], arguments: Sequence[object]) -> object:
    """Call a function that leaves the error state alone, with floats that follow IEEE silently: where the present state
    ignores everything already, as it does in a program, nothing is set.
    """
    var = _STATE.var
    if var is None:
        return run_silently(code, arguments)
    now = var.get()
    if now is not _STATE.ignoring:
        if now is _STATE.last[0] or set(np.geterr().values()) != {"ignore"}:
            return run_silently(code, arguments)
        _STATE.ignoring = now
    return code(*arguments)
