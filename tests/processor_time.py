"""A limit of processor time: what takes quadratic time is stopped, however busy the machine is."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager


class TookLongError(Exception):
    """What ran has used the processor time that it was given."""


def is_measured() -> bool:
    """Return whether the system measures the processor time of a process."""
    return hasattr(signal, "setitimer")


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Raise TookLongError in what takes longer; without a limit where the system measures nothing."""
    if not is_measured():
        yield
        return

    def stop(*_: object) -> None:
        raise TookLongError

    earlier = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, earlier)
