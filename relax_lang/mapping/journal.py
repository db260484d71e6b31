"""The journal of a run: which rows are finished, so that a run that was stopped, in whatever way, goes on there.

A text file beside the output. Its first line says which run this is and what it writes; every other line names rows
whose results are on the disk. It is written to after they are, so that nothing it names is lost; what it does not name
is computed again, into the same place, so that nothing is there twice. A last line that was cut off does not count.
"""

from __future__ import annotations

import contextlib
import json
import os

from relax_lang.base.nested_text import parse_json
from relax_lang.mapping import diagnostics as diag
from relax_lang.mapping.arrays import Target, refused, unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Range = tuple[int, int]

_VERSION = 1


class Journal:
    """The journal of one output. `identity` is what makes it this run: facts by what people call them.

    One process at a time has it open. `close` releases it. Raises RelaxError.
    """

    def __init__(self, path: str, identity: Mapping[str, object], *, restart: bool = False) -> None:
        self.path = f"{path}.journal"
        self._identity: dict[str, Any] = json.loads(json.dumps(identity))
        self.done: list[Range] = []
        """The rows that are finished, as ranges."""
        self.targets: list[Target] = []
        """What is written, as far as that is known."""
        try:
            self._file = open(self.path, "a+b")  # noqa: SIM115 - open until the run ends
        except OSError as error:
            raise refused(diag.array_unfit(self.path, f"cannot write it: {error.strerror}")) from None
        if not _lock(self._file.fileno()):
            self._file.close()
            raise refused(diag.busy(path))
        try:
            if not restart:
                self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> None:
        self._file.seek(0)
        whole = [line for line in self._file.read().splitlines(keepends=True) if line.endswith(b"\n")]
        lines: list[dict[str, Any]] = []
        for line in whole:
            try:
                lines.append(parse_json(line))
            except ValueError:
                break
        if not lines or lines[0].get("version") != _VERSION:
            return
        before: dict[str, Any] = lines[0]["run"]
        names = [*before, *[name for name in self._identity if name not in before]]
        changed = [name for name in names if before.get(name) != self._identity.get(name)]
        if changed:
            raise refused(diag.other_run(self.path, changed))
        self.targets = [
            Target(one["path"], tuple(one["shape"]), one["dtype"], one["axis"]) for one in lines[0]["targets"]
        ]
        if all(target.exists() for target in self.targets):
            self.done = [(line["from"], line["to"]) for line in lines[1:]]
        else:
            self.targets = []

    def begin(self, targets: Sequence[Target]) -> None:
        """Forget what was done, and begin with these outputs."""
        self.targets, self.done = list(targets), []
        listed = [
            {"path": one.path, "shape": one.shape, "dtype": one.dtype, "axis": one.axis} for one in targets
        ]
        self._file.truncate(0)
        self._append({"version": _VERSION, "run": self._identity, "targets": listed})

    def finished(self, ranges: Sequence[Range]) -> None:
        """Note rows whose results are on the disk."""
        for start, stop in ranges:
            self._append({"from": start, "to": stop}, sync=False)
        self._sync()
        self.done += ranges

    def _append(self, line: object, *, sync: bool = True) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        if sync:
            self._sync()

    def _sync(self) -> None:
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from None

    def close(self, *, remove: bool = False) -> None:
        """Let others have it; remove it if the run is complete, or has not begun."""
        if remove or not self.targets:
            os.unlink(self.path)
        with contextlib.suppress(OSError):  # what could not be written was reported, and does not count
            self._file.close()

    def left(self, rows: int, at_a_time: int) -> list[Range]:
        """Return the rows that are not finished, in ranges of at most so many."""
        found: list[Range] = []
        at = 0
        for start, stop in [*sorted(self.done), (rows, rows)]:
            found += [(one, min(one + at_a_time, start)) for one in range(at, start, at_a_time)]
            at = max(at, stop)
        return found


def _lock(descriptor: int) -> bool:
    """Take a lock that ends with the process; return whether no other process has it."""
    try:
        import fcntl
    except ImportError:  # there is none on Windows, where an open file cannot be replaced anyway
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
