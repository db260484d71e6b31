"""What a command found, file by file, before it is shown in one form or another."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, SAFE, UNSAFE, WARNING
from relax_lang.base.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic

CLEAN = 0
PROBLEMS = 1
USAGE = 2
INTERNAL = 101
INTERRUPTED = 130


class FileReport:
    """One file and its diagnostics, in the order of the text.

    `fixed` and `ignored` are those that were fixed, and those that comments of the program silence; `strict`
    is whether warnings count like errors.
    """

    __slots__ = ("diagnostics", "fixed", "ignored", "source", "strict")

    def __init__(self, source: SourceFile, diagnostics: list[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.fixed: list[Diagnostic] = []
        self.ignored: list[Diagnostic] = []
        self.strict = False


class Report:
    """What one command found. `n_files` counts files that were read, not paths that lead nowhere.

    `tried` holds the kinds of fixes that were applied where that was possible.
    """

    __slots__ = ("files", "n_files", "status", "tried")

    def __init__(self, tried: tuple[str, ...] = ()) -> None:
        self.tried = tried
        self.files: list[FileReport] = []
        self.n_files = 0
        self.status = CLEAN

    def add(self, source: SourceFile, diagnostics: list[Diagnostic], status: int = CLEAN) -> FileReport:
        """Add one file's diagnostics; the highest status of all files counts."""
        self.n_files += 1
        self.status = max(self.status, status)
        self.files.append(FileReport(source, diagnostics))
        return self.files[-1]

    def settings(self, source: SourceFile, diagnostics: list[Diagnostic]) -> None:
        """Put first what is wrong with a file of settings, which is not one of those that were checked."""
        if any(one.severity == ERROR for one in diagnostics):
            self.status = max(self.status, USAGE)
        self.files.insert(0, FileReport(source, diagnostics))

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
    def fixed(self) -> list[Diagnostic]:
        """Everything that was fixed."""
        return [one for file in self.files for one in file.fixed]

    @property
    def fixable(self) -> tuple[int, int]:
        """The numbers of diagnostics with safe fixes, and of others with fixes, of kinds that were not tried."""
        n_safe = n_unsafe = 0
        for file in self.files:
            for one in file.diagnostics:
                kinds = {fix.applicability for fix in one.fixes}
                if SAFE in kinds:
                    n_safe += SAFE not in self.tried
                elif kinds:
                    n_unsafe += UNSAFE not in self.tried
        return n_safe, n_unsafe

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of errors, warnings and hints."""
        return self.count(ERROR), self.count(WARNING), self.count(HINT)
