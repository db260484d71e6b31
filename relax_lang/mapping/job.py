"""One part of the rows: what a process is given to compute it, and how it does."""

from __future__ import annotations

import hashlib
import os
import sys

import numpy as np

from relax_lang import api
from relax_lang.base.relax_error import RelaxError
from relax_lang.mapping import diagnostics as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from relax_lang.base.source import SourceFile
    from relax_lang.mapping.arrays import Source
    from relax_lang.mapping.plan import RowPlan
    from relax_lang.runtime.session import Session

    Array = np.ndarray[Any, Any]

MOST_SESSIONS = 4
"""Programs that a process keeps ready for further parts."""


class Job:
    """A program and its arguments. It can be pickled; the program is compiled where it first runs.

    `sources` are the arguments with rows, by parameter; `shared` are the others. `packed` are files of Python that
    register packed functions.
    """

    def __init__(
        self,
        source: SourceFile,
        plan: RowPlan,
        sources: Mapping[str, Source],
        shared: Mapping[str, object],
        *,
        engine: str = "compiled",
        max_bytes: int | None = None,
        packed: Sequence[str] = (),
    ) -> None:
        self.source = source
        self.plan = plan
        self.sources = dict(sources)
        self.shared = dict(shared)
        self.engine = engine
        self.max_bytes = max_bytes
        self.packed = [os.path.abspath(path) for path in packed]
        self.key = os.urandom(16).hex()
        """What it is known under to the processes that compute parts."""

    def rows_of(self, start: int, stop: int) -> dict[str, Array]:
        """Read the rows of a part from where the arguments are."""
        return {
            param.name: self.sources[param.name].read(param.axis, start * param.places, stop * param.places)
            for param in self.plan.params
        }

    def without_sources(self) -> Job:
        """Return the job as a process needs it that is sent the rows."""
        made = Job(
            self.source,
            self.plan,
            {},
            self.shared,
            engine=self.engine,
            max_bytes=self.max_bytes,
            packed=self.packed,
        )
        made.key = self.key
        return made

    def compute(self, rows: Mapping[str, Array]) -> list[Array]:
        """Compute a part; return the tensors of the result in order. Raises RelaxError if the program fails."""
        session = _session(self)
        value = api.run_session(session, self.plan.entry, (), {**self.shared, **rows})
        return self._tensors(value)

    def _tensors(self, value: object) -> list[Array]:
        found: list[Array] = []
        pending: list[object] = [value]
        while pending:
            one = pending.pop()
            if isinstance(one, tuple):
                pending += reversed(one)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            elif isinstance(one, np.ndarray):
                found.append(one)  # pyright: ignore[reportUnknownArgumentType]
            else:
                message = f"@{self.plan.entry} returns a value that is not a tensor"
                raise RelaxError(self.source, [diag.result_unfit(None, message)])
        return [array.astype(np.float32) if array.dtype.name == "bfloat16" else array for array in found]

    def fingerprint(self, rows: int) -> dict[str, object]:
        """Return the facts that make a run this one: if one of them changes, what was done before does not count."""
        facts: dict[str, object] = {"the program": _digest(self.source.text.encode())}
        for name, source in self.sources.items():
            facts[f"`{name}`"] = source.stamp
        for name, value in self.shared.items():
            facts[f"`{name}`"] = _digest(_bytes_of(value))
        facts["the function"] = self.plan.entry
        facts["the dimension"] = [self.plan.dim, rows]
        facts["the constants"] = self._constants()
        return facts

    def _constants(self) -> list[object]:
        """Return size and time of the files that the program has constants in."""
        from relax_lang.base.node import walk
        from relax_lang.files.arrays.constants import OutsideError, constant_files
        from relax_lang.syntax.tree import FileLit

        parsed = api.parse(self.source)
        if not parsed.features.files or self.source.arrays:
            return []
        files = constant_files(self.source)
        found: set[tuple[str, int, int]] = set()
        for literal in [node for node in walk(parsed.tree) if isinstance(node, FileLit)]:
            try:
                path = files.path(literal.path)
                status = os.stat(path)
            except (OSError, OutsideError):
                continue  # which is reported when it is read
            found.add((path, status.st_size, status.st_mtime_ns))
        return [list(one) for one in sorted(found)]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        array: Array = value  # pyright: ignore[reportUnknownVariableType]
        return repr((array.dtype.str, array.shape)).encode() + np.ascontiguousarray(array).tobytes()
    if isinstance(value, tuple):
        return b"".join([_bytes_of(one) for one in value])  # pyright: ignore[reportUnknownVariableType]
    return repr(getattr(value, "values", value)).encode()  # of a shape its extents


_SESSIONS: dict[str, Session] = {}


def _session(job: Job) -> Session:
    """Return the program of a job, ready to run; it is kept for the parts that follow."""
    found = _SESSIONS.get(job.key)
    if found is None:
        register(job.packed)
        while len(_SESSIONS) >= MOST_SESSIONS:
            del _SESSIONS[next(iter(_SESSIONS))]
        found = _SESSIONS[job.key] = api.start(
            job.source, engine=job.engine, max_bytes=job.max_bytes, keep_code=True, threads=1
        )
    return found


_REGISTERED: set[str] = set()


def register(paths: Sequence[str]) -> None:
    """Run files of Python that register packed functions, once in a process."""
    import runpy

    for path in paths:
        if path not in _REGISTERED:
            _REGISTERED.add(path)
            sys.path.insert(0, os.path.dirname(path))
            runpy.run_path(path)


def registered(paths: Sequence[str]) -> None:
    """Note files that ran already."""
    _REGISTERED.update([os.path.abspath(path) for path in paths])


def rows_in(job: Job) -> int:
    """Return how many rows the arguments have. Raises RelaxError unless all have equally many."""
    counts: dict[str, int] = {}
    for param in job.plan.params:
        source = job.sources[param.name]
        if param.axis >= len(source.shape) or source.shape[param.axis] % param.places:
            why = f"its shape {source.shape} has no rows of `{param.name}`, which lie along axis {param.axis}"
            raise RelaxError(job.source, [diag.array_unfit(source.path, why)])
        counts[param.name] = source.shape[param.axis] // param.places
    if len(set(counts.values())) > 1:
        listed = ", ".join([f"`{name}` {count}" for name, count in counts.items()])
        first = next(iter(counts))
        raise RelaxError(
            job.source, [diag.array_unfit(job.sources[first].path, f"the numbers of rows differ: {listed}")]
        )
    return next(iter(counts.values()))
