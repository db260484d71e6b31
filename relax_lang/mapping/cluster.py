"""Parts of the rows on a cluster of Dask: rows are sent with the work, and results come back to be written here.

So no machine of the cluster needs the files; each needs relax-lang. When one of them ends, Dask gives its work to
another: what is sent is kept by the scheduler until the result is there.
"""

from __future__ import annotations

from relax_lang.base.relax_error import RelaxError
from relax_lang.mapping import diagnostics as diag
from relax_lang.mapping.arrays import refused
from relax_lang.mapping.job import register
from relax_lang.mapping.run import compute, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from relax_lang.mapping.arrays import Target
    from relax_lang.mapping.job import Job

    Range = tuple[int, int]

CONNECT_WITHIN = 10
"""Seconds until a scheduler must have answered."""


class Cluster:
    """The cluster at an address, or that of a `Client`."""

    def __init__(self, address: Any) -> None:
        self._address = address

    def run(self, job: Job, targets: Sequence[Target], left: Sequence[Range]) -> Iterator[Range]:
        """Compute parts and write their results; yield each when it is written. Raises RelaxError."""
        if not left:
            return
        distributed, config = _library()
        client, is_ours = self._client(distributed)
        sent = job.without_sources()
        waiting = list(reversed(left))
        running: dict[Any, Range] = {}

        def submit() -> Any:
            part = waiting.pop()
            with config.set(
                {"distributed.admin.large-graph-warning-threshold": "1TB"}
            ):  # rows are what it is for
                future = client.submit(remote_part, sent, job.rows_of(*part), pure=False)
            running[future] = part
            return future

        try:
            at_once = 2 * max(1, sum(client.ncores().values()))
            first = [submit() for _ in range(min(at_once, len(waiting)))]
            done = distributed.as_completed(first, loop=client.loop)
            for future in done:
                part = running.pop(future)
                results = _result(future, self._address)
                write(job, targets, *part, results if results is not None else compute(job, *part))
                yield part
                if waiting:
                    done.add(submit())
        finally:
            for future in running:
                future.cancel()
            if is_ours:
                client.close()

    def _client(self, distributed: Any) -> tuple[Any, bool]:
        if not isinstance(self._address, str):
            return self._address, False
        try:
            return distributed.Client(self._address, timeout=CONNECT_WITHIN, set_as_default=False), True
        except (OSError, ValueError, TypeError) as error:
            why = " ".join(str(error).split()) or type(error).__name__
            raise refused(diag.cluster_failed(self._address, why)) from None


def _library() -> tuple[Any, Any]:
    """Return `distributed`, and the settings of Dask. Raises RelaxError if they are not installed."""
    from importlib import import_module

    try:  # optional
        return import_module("distributed"), import_module("dask").config
    except ImportError:
        why = "it takes the package dask: pip install 'relax-lang[dask]'"
        raise refused(diag.cluster_failed("dask", why)) from None


def _result(future: Any, address: Any) -> Any:
    """Return what a part gave; None if the program failed. Raises RelaxError if the cluster did."""
    try:
        return future.result()
    except Exception as error:  # what a library, a network, and code on another machine raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise refused(diag.cluster_failed(str(address), f"a part was not computed: {why}")) from error


def remote_part(job: Job, rows: Mapping[str, Any]) -> Any:
    """Compute one part on a machine of the cluster; None if the program fails: it is reported where its text is."""
    register(job.packed)
    try:
        return job.compute(rows)
    except RelaxError:
        return None
