"""The observers of a run for `--trace`, `--nan`, `--save-all`, `--compare` and `--profile`, and their reports."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from relax_lang.base.python.output import put
from relax_lang.base.wording import counted
from relax_lang.check.diagnostics import toolchain as diag

from ..render.width import visible
from .options import Refused, memory_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.source import SourceFile
    from relax_lang.files.arrays.array_files import Array
    from relax_lang.runtime.instrument.observer import Instrumentation, Observer
    from relax_lang.runtime.instrument.profile import Profile
    from relax_lang.runtime.instrument.recording import Compare

    from .options import RunOptions


WARM_RUNS, WARM_SECONDS = 5, 0.5
"""How often and for how long a profile is repeated: whichever ends first."""

_LONGEST_NAME = 180  # of a file; systems take 255 bytes with what is added


class Watchers:
    """The observers of one run: `watch` is what the session is given (None: there are none)."""

    def __init__(self, source: SourceFile, options: RunOptions) -> None:
        self._options = options
        self._profile: Profile | None = None
        self._compare: Compare | None = None
        self._saved = 0
        self.repeats = False
        """Whether the function may be called again: it has no effect, and changes no argument."""
        self.watch: Instrumentation | None = None
        observers = self._observers(source)
        if observers:
            from relax_lang.runtime.instrument.observer import Instrumentation

            self.watch = Instrumentation(observers)

    def _observers(self, source: SourceFile) -> list[Observer]:
        """Make the observers, in the order in which they are called: those that may end the program come last."""
        options = self._options
        found: list[Observer] = []
        if options.trace:
            from relax_lang.runtime.instrument.trace import Trace

            found.append(Trace(source, _to_stderr))
        if options.profile or options.profile_out:
            from relax_lang.runtime.instrument.profile import Profile

            self._profile = Profile(source, keep_events=bool(options.profile_out))
            found.append(self._profile)
        if options.save_all:
            from relax_lang.runtime.instrument.recording import SaveAll

            _make_folder(options.save_all)
            found.append(SaveAll(self._save))
        if options.nan:
            from relax_lang.runtime.instrument.nan_check import Finite

            found.append(Finite())
        if options.compare:
            from relax_lang.files.arrays.array_files import MAX_BYTES
            from relax_lang.runtime.instrument.recording import Compare

            most = memory_limit(options) or MAX_BYTES
            self._compare = Compare(_recorded(options.compare, most), options.tolerance)
            found.append(self._compare)
        return found

    def _save(self, name: str, tensor: Array) -> None:
        from relax_lang.files.arrays import array_files as arrays

        path = os.path.join(self._options.save_all, file_name(name))
        try:
            arrays.save(path, tensor)
        except OSError as error:
            raise _cannot_write(path, error) from error
        self._saved += 1

    def warm_runs(self) -> Iterator[None]:
        """Yield once for each further run: of what is profiled and nothing else, five times or for half a second."""
        alone = self.watch is not None and len(self.watch.observers) == 1
        if self._profile is None or not (self.repeats and alone):
            return
        until = time.monotonic() + WARM_SECONDS
        for _ in range(WARM_RUNS):
            self._profile.again()
            yield
            if time.monotonic() > until:
                return

    def ended(self) -> None:
        """Say what the observers found, also where the program failed: standard output belongs to the result."""
        if self._profile is not None:
            if self._options.profile:
                _to_stderr("\n".join(self._profile.table()) + "\n")
            if self._options.profile_out:
                _write_json(self._options.profile_out, self._profile.trace())
        if self._saved and not self._options.quiet:
            _to_stderr(f"saved {counted(self._saved, 'array')} in {visible(self._options.save_all)}\n")

    def finished(self) -> None:
        """Report on a run that came to its end."""
        if self._compare is None:
            return
        if not self._compare.compared:
            raise Refused(diag.usage(f"no binding of this run is recorded in {self._options.compare}"))
        if not self._options.quiet:
            _to_stderr(f"compared {counted(self._compare.compared, 'array')}, none differs\n")


def file_name(key: str) -> str:
    """Return the name of the file for a recorded binding: no character of it can lead to another folder."""
    from urllib.parse import quote

    name = quote(key, safe="#@ +,=()", errors="surrogatepass")
    if len(name) > _LONGEST_NAME:
        from hashlib import sha256

        name = f"{name[:_LONGEST_NAME]}~{sha256(name.encode()).hexdigest()[:24]}"
    return f"{name}.npy"


class _Folder(Mapping[str, "Array"]):
    """The arrays in a folder, by the names of the bindings; each is read when it is asked for."""

    def __init__(self, path: str, max_bytes: int) -> None:
        from urllib.parse import unquote

        self._path = path
        self._max_bytes = max_bytes
        self._files = sorted([name for name in os.listdir(path) if name.endswith(".npy")])
        self._known = {name: name for name in self._files}
        self._known |= {
            unquote(name.removesuffix(".npy"), errors="surrogatepass"): name for name in self._files
        }

    def __getitem__(self, key: str) -> Array:
        from relax_lang.files.arrays import array_files as arrays
        from relax_lang.runtime.calling.argument_text import unreadable

        name = self._known.get(key) or self._known[file_name(key)]
        path = os.path.join(self._path, name)
        try:
            return arrays.load(path, None, self._max_bytes)
        except (OSError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
            raise unreadable(path, arrays.why_unreadable(error)) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _recorded(path: str, max_bytes: int) -> Mapping[str, Array]:
    """Load what `--save-all` wrote into a folder, or an archive of arrays."""
    from relax_lang.files.arrays import array_files as arrays
    from relax_lang.runtime.calling.argument_text import unreadable

    try:
        return _Folder(path, max_bytes) if os.path.isdir(path) else arrays.load_archive(path, max_bytes)
    except (OSError, arrays.ArrayFileError) as error:
        raise unreadable(path, arrays.why_unreadable(error)) from error


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _write_json(path: str, content: object) -> None:
    import json

    from relax_lang.files.programs import write

    problem = write(path, json.dumps(content) + "\n", create=True)
    if problem is not None:
        raise Refused(problem)


def _cannot_write(path: str, error: OSError) -> Refused:
    from relax_lang.files import diagnostics as files
    from relax_lang.files.programs import reason

    return Refused(files.cannot_write(path, reason(error)))


def _to_stderr(text: str) -> None:
    put(text, sys.stderr)
