"""A program over rows: parts one after the other, or wherever they are computed, into outputs that survive a stop."""

from __future__ import annotations

import time

from relax_lang.base.relax_error import RelaxError
from relax_lang.mapping import diagnostics as diag
from relax_lang.mapping.arrays import Target, check_target
from relax_lang.mapping.job import rows_in
from relax_lang.mapping.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol

    import numpy as np

    from relax_lang.mapping.job import Job

    Array = np.ndarray[Any, Any]
    Range = tuple[int, int]

    class Executor(Protocol):
        """Where parts are computed."""

        def run(self, job: Job, targets: Sequence[Target], left: Sequence[Range]) -> Iterator[Range]:
            """Compute parts and write their results; yield each when it is written. Raises RelaxError."""
            ...


COMMIT_EVERY = 0.5
"""Seconds of work that are lost at most when the process is killed, beside the parts that are being computed."""


class Outcome:
    """What a run did: the rows there are, those that were finished before, and the outputs."""

    __slots__ = ("before", "rows", "targets")

    def __init__(self, rows: int, before: int, targets: Sequence[Target]) -> None:
        self.rows = rows
        self.before = before
        self.targets = targets


def map_rows(
    job: Job,
    outputs: Sequence[str],
    *,
    chunk: int,
    executor: Executor | None = None,
    restart: bool = False,
    progress: Callable[[int, int], object] = lambda _done, _rows: None,
) -> Outcome:
    """Run a program over all rows, `chunk` at a time, and write the tensors of its result to `outputs`.

    What an earlier run finished is not computed again, unless asked to `restart`. `progress` gets the rows that are
    finished and all of them. Raises RelaxError, and whatever interrupts it; what is finished then stays finished.
    """
    for path in outputs:
        check_target(path)
    if len(outputs) != len(job.plan.results):
        n, given = len(job.plan.results), len(outputs)
        tensors = "1 tensor" if n == 1 else f"{n} tensors"
        message = (
            f"@{job.plan.entry} returns {tensors}, and {given} `--out` {'is' if given == 1 else 'are'} given"
        )
        raise RelaxError(job.source, [diag.result_unfit(None, message)])
    rows = rows_in(job)
    journal = Journal(outputs[0], {**job.fingerprint(rows), "the outputs": list(outputs)}, restart=restart)
    try:
        before = sum([stop - start for start, stop in journal.done])
        if not journal.targets:
            _begin(job, journal, outputs, rows, chunk)
        _go_on(job, journal, rows, chunk, executor or Here(), progress)
    except BaseException:
        journal.close()
        raise
    for target in journal.targets:
        target.finish()
    journal.close(remove=True)
    return Outcome(rows, before, journal.targets)


def _begin(job: Job, journal: Journal, outputs: Sequence[str], rows: int, chunk: int) -> None:
    """Compute the first part, whose shapes say what the outputs are."""
    first = min(chunk, rows)
    results = compute(job, 0, first)
    if len(results) != len(outputs):
        message = f"@{job.plan.entry} returned {len(results)} tensors, not {len(outputs)}"
        raise RelaxError(job.source, [diag.result_unfit(None, message)])
    targets: list[Target] = []
    for path, axis, array in zip(outputs, job.plan.results, results, strict=True):
        shape = list(array.shape)
        if axis is not None:
            if axis >= len(shape) or (first and shape[axis] % first):
                message = (
                    f"axis {axis} of a result has {shape} for {first} rows, which is not a multiple of them"
                )
                raise RelaxError(job.source, [diag.result_unfit(None, message)])
            shape[axis] = shape[axis] // first * rows if first else shape[axis]
        places = array.shape[axis] if axis is not None else 0
        target = Target(path, tuple(shape), array.dtype.str, axis)
        target.create(places)
        targets.append(target)
    for target, array in zip(targets, results, strict=True):
        target.write(0, array)
        target.commit()
    journal.begin(targets)
    journal.finished([(0, first)])


def compute(job: Job, start: int, stop: int) -> list[Array]:
    """Compute one part. Raises RelaxError, which names its rows."""
    try:
        return job.compute(job.rows_of(start, stop))
    except RelaxError as error:
        for one in error.diagnostics:
            one.note(f"with {rows_text(start, stop)} of `{job.plan.dim}`")
        raise


def rows_text(start: int, stop: int) -> str:
    """Name the rows of a part."""
    return f"row {start}" if stop - start == 1 else f"rows {start} to {stop - 1}"


def write(job: Job, targets: Sequence[Target], start: int, stop: int, results: Sequence[Array]) -> None:
    """Write the results of a part to their places. Raises RelaxError if their shapes are not those of the others."""
    for target, array in zip(targets, results, strict=True):
        if target.axis is None:
            continue  # the first part has written it
        axis, shape = target.axis, list(array.shape)
        rows = rows_in_target(job, target)
        if len(shape) == len(target.shape) and rows:
            shape[axis] = shape[axis] // max(1, stop - start) * rows
        if tuple(shape) != target.shape or array.dtype.str != target.dtype:
            message = (
                f"{rows_text(start, stop)} give {array.dtype.name}{array.shape}, "
                f"which does not fit into {target.dtype[1:]}{target.shape} of the rows before"
            )
            raise RelaxError(job.source, [diag.result_unfit(None, message)])
        target.write(start * (target.shape[axis] // rows), array)


def rows_in_target(job: Job, target: Target) -> int:
    """Return how many rows an output is for."""
    first = job.plan.params[0]
    source = job.sources.get(first.name)
    if source is not None:
        return source.shape[first.axis] // first.places
    assert target.axis is not None
    return target.shape[target.axis]


def _go_on(
    job: Job,
    journal: Journal,
    rows: int,
    chunk: int,
    executor: Executor,
    progress: Callable[[int, int], object],
) -> None:
    left = journal.left(rows, chunk)
    finished = rows - sum([stop - start for start, stop in left])
    progress(finished, rows)
    written: list[Range] = []
    last = time.monotonic()
    try:
        for start, stop in executor.run(job, journal.targets, left):
            written.append((start, stop))
            finished += stop - start
            progress(finished, rows)
            if time.monotonic() - last > COMMIT_EVERY:
                _commit(journal, written)
                last = time.monotonic()
    finally:
        _commit(journal, written)


def _commit(journal: Journal, written: list[Range]) -> None:
    if written:
        for target in journal.targets:
            target.commit()
        journal.finished(written)
        written.clear()


class Here:
    """Parts are computed in this process, one after the other."""

    def run(self, job: Job, targets: Sequence[Target], left: Sequence[Range]) -> Iterator[Range]:
        """Compute parts and write their results; yield each when it is written. Raises RelaxError."""
        for start, stop in left:
            write(job, targets, start, stop, compute(job, start, stop))
            yield start, stop
