"""What a command found, file by file, before it is shown in one form or another."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, WARNING
from relax_lang.base.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic

CLEAN = 0
PROBLEMS = 1
USAGE = 2
INTERNAL = 101


class FileReport:
    """One file and its diagnostics, in the order of the text."""

    __slots__ = ("diagnostics", "source")

    def __init__(self, source: SourceFile, diagnostics: list[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = diagnostics


class Report:
    """What one command found. `n_files` counts files that were read, not paths that lead nowhere."""

    __slots__ = ("files", "n_files", "status")

    def __init__(self) -> None:
        self.files: list[FileReport] = []
        self.n_files = 0
        self.status = CLEAN

    def add(self, source: SourceFile, diagnostics: list[Diagnostic], status: int = CLEAN) -> None:
        """Add one file's diagnostics; the highest status of all files counts."""
        self.n_files += 1
        self.status = max(self.status, status)
        self.files.append(FileReport(source, diagnostics))

    def problem(self, path: str, problem: Diagnostic, status: int) -> None:
        """Add a problem that belongs to no file that was read."""
        self.status = max(self.status, status)
        self.files.append(FileReport(SourceFile("", path), [problem]))

    def count(self, severity: str) -> int:
        """Return how many diagnostics have this severity."""
        total = 0
        for file in self.files:
            for one in file.diagnostics:
                total += one.severity == severity
        return total

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of errors, warnings and hints."""
        return self.count(ERROR), self.count(WARNING), self.count(HINT)
