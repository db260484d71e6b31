"""A sign of life for runs that take longer than a moment: on a terminal only, and gone when the run ends."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.progress import Progress

    from ..options import Shown

DELAY = 2.0  # seconds until progress is shown


@contextmanager
def progress(what: str, options: Shown) -> Generator[None]:
    """Show what is being done and for how long, on standard error, once it takes longer than usual."""
    if not sys.stderr.isatty() or options.quiet:
        yield
        return
    lock = Lock()
    shown: list[Progress] = []
    done = False

    def show() -> None:
        bar = _bar()
        with lock:
            if not done:
                task = bar.add_task(what, total=None)
                bar.tasks[task].start_time = bar.get_time() - DELAY
                bar.start()
                shown.append(bar)

    timer = Timer(DELAY, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            done = True
            for bar in shown:
                bar.stop()


def _bar() -> Progress:
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from ..render.bars import BarConsole

    # What the program prints goes to standard output, which is left alone.
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=BarConsole(),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
