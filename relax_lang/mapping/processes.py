"""Parts of the rows in several processes of this machine; one that ends is replaced, and its part computed again."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from relax_lang.base.relax_error import RelaxError
from relax_lang.mapping import diagnostics as diag
from relax_lang.mapping.arrays import refused
from relax_lang.mapping.run import compute, rows_text, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.mapping.arrays import Target
    from relax_lang.mapping.job import Job

    Range = tuple[int, int]

MOST_LOSSES = 3
"""So often in a row processes may end before any part is finished."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Processes:
    """So many processes, each of which reads its rows and writes its results itself."""

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, job: Job, targets: Sequence[Target], left: Sequence[Range]) -> Iterator[Range]:
        """Compute parts and write their results; yield each when it is written. Raises RelaxError."""
        waiting = list(reversed(left))
        losses = 0
        with _one_thread_each():
            while waiting:
                lost: list[Range] = []
                for part in self._once(job, targets, waiting, lost):
                    losses = 0
                    yield part
                if lost:
                    losses += 1
                    waiting += sorted(lost, reverse=True)
                    if losses == MOST_LOSSES:
                        raise refused(diag.workers_lost(rows_text(*lost[0]), "they were ended, or crashed"))

    def _once(
        self, job: Job, targets: Sequence[Target], waiting: list[Range], lost: list[Range]
    ) -> Iterator[Range]:
        """Compute parts until all are finished, or a process ends: then `lost` has what was being computed."""
        pool = ProcessPoolExecutor(
            self._count, get_context("spawn"), _start, (job, list(targets), os.getpid())
        )
        running: dict[Future[bool], Range] = {}
        try:
            while waiting or running:
                while waiting and len(running) < 2 * self._count:
                    part = waiting.pop()
                    try:
                        running[pool.submit(_part, *part)] = part
                    except BrokenProcessPool:
                        lost += [part, *running.values()]
                        return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    part = running.pop(future)
                    error = future.exception()
                    if isinstance(error, BrokenProcessPool):
                        lost.append(part)
                    elif error is not None:
                        raise error
                    else:
                        if not future.result():
                            write(job, targets, *part, compute(job, *part))  # fails here as it did there
                        yield part
                if lost:
                    lost += running.values()
                    return
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _one_thread_each:  # noqa: N801 - read as a statement
    """While processes start: libraries for linear algebra take one thread in each, unless the user says otherwise."""

    def __enter__(self) -> None:
        self._set = [name for name in _THREADS if name not in os.environ]
        for name in self._set:
            os.environ[name] = "1"

    def __exit__(self, *_error: object) -> None:
        for name in self._set:
            os.environ.pop(name, None)


class _Work:
    """What a process was started for."""

    job: Job
    targets: list[Target]


def _start(job: Job, targets: list[Target], parent: int) -> None:
    _Work.job, _Work.targets = job, targets
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone: it cannot say so if it was killed."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _part(start: int, stop: int) -> bool:
    """Compute and write one part; return whether the program did not fail."""
    try:
        write(_Work.job, _Work.targets, start, stop, compute(_Work.job, start, stop))
    except (
        RelaxError
    ):  # it is reported by the process that has the text: diagnostics stay where they are made
        return False
    return True
