"""`relax check --jobs N`: files are checked in several processes; what is found comes in the order of the files."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context

from relax_lang.base.source import RelayFile
from relax_lang.check.selection import Selection
from relax_lang.files.programs import read
from relax_lang.files.settings.search import Configs

from ..interchange.metadata import give_metadata
from .findings import check_source, verdicts_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from ..options import CheckOptions
    from .findings import Findings

    Words = tuple[list[str], list[str], list[str]]
    """The rules that --select, --ignore and --extend-select name."""
    Outcome = tuple[SourceFile, Diagnostic | None, Findings | None, bool]
    """The program; what is wrong with its file, or what is found in it; whether warnings count."""

MOST_JOBS = 64


class _Worker:
    """One process: its options and settings."""

    def __init__(self, options: CheckOptions, words: Words) -> None:
        self.options = options
        self.words = words
        self.configs = Configs(plugins=True, trust=options.trust)
        self.verdicts = verdicts_for(options)

    def check(self, path: str) -> Outcome:
        """Read and check one file."""
        source, problem = read(path)
        if problem is not None:
            return source, problem, None, False
        source.allowed = self.options.allow_path
        if self.options.meta and isinstance(source, RelayFile):
            give_metadata(source, self.options.meta)
        config = self.configs.of(path)
        strict = bool(self.options.strict or config.strict)
        select, ignore, extend = self.words
        shapes = self.options.strict_shapes
        selection = Selection(select, ignore, extend, config, strict=strict, strict_shapes=shapes)
        return source, None, check_source(source, selection, self.options, self.verdicts), strict


_HERE: list[_Worker] = []
"""The worker of this process."""


def _start(options: CheckOptions, words: Words) -> None:
    _HERE[:] = [_Worker(options, words)]


def _check(path: str) -> Outcome:
    return _HERE[0].check(path)


def check_files(files: Sequence[str], options: CheckOptions, words: Words, jobs: int) -> Iterator[Outcome]:
    """Yield what is found in every file, in the order of the files."""
    method = "fork" if "fork" in get_all_start_methods() and sys.platform != "darwin" else None
    chunk = max(1, min(32, len(files) // (jobs * 4)))
    shows = sys.stderr.isatty() and not options.quiet
    pool = ProcessPoolExecutor(jobs, get_context(method), _start, (options, words))
    with pool:
        for number, outcome in enumerate(pool.map(_check, files, chunksize=chunk)):
            if shows and number % 20 == 0:
                sys.stderr.write(f"\r{number} of {len(files)} files")
                sys.stderr.flush()
            yield outcome
    if shows:
        sys.stderr.write("\r\x1b[K")


def number_of_jobs(word: str) -> int | None:
    """Return the number that `--jobs` asks for, `auto` for one a core; None if it is none."""
    if word == "auto":
        from os import cpu_count

        return min(cpu_count() or 1, MOST_JOBS)
    return int(word) if word.isdigit() and 1 <= int(word) <= MOST_JOBS else None
