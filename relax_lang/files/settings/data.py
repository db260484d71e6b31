"""The settings of a project, as data: what `relax.toml` or `[tool.relax]` in `pyproject.toml` can hold."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile, Span

LINE_LENGTHS = range(20, 1001)
"""What `line-length` can be."""


class Config:
    """The settings that hold for the programs of a folder; without a file, the defaults.

    `diagnostics` are about the file; settings that are wrong are left at their defaults.
    """

    __slots__ = (
        "_verdict",
        "diagnostics",
        "exclude",
        "extend_select",
        "folder",
        "ignore",
        "include",
        "line_length",
        "packed",
        "plugins",
        "select",
        "severity",
        "source",
        "strict",
        "strict_shapes",
        "trusted",
    )

    def __init__(self, folder: str = "", source: SourceFile | None = None) -> None:
        self.folder = folder
        """Where the file is; patterns are relative to it."""
        self.source = source
        self.select: list[str] = []
        self.extend_select: list[str] = []
        self.ignore: list[str] = []
        self.strict = False
        self.strict_shapes = False
        self.severity: Mapping[str, str] = {}
        self.exclude: list[str] = []
        self.include: list[str] = []
        """Patterns of Python files that take part where a folder is given, if there is TVMScript in them."""
        self.line_length: int | None = None
        self.packed: list[tuple[str, Span]] = []
        self.plugins: list[tuple[str, Span]] = []
        """Python files with operators, and where they are named."""
        self.trusted = False
        """Whether `--trust` was given: the Python files that are named may run, whatever folder this is."""
        self._verdict = ""
        self.diagnostics: list[Diagnostic] = []

    def code_verdict(self) -> str:
        """Return whether the Python files under `plugins` and `packed` may run; see `trust.verdict`.

        Asked once: plugins and packed functions of one command are judged by the same reading of the files.
        """
        if not self._verdict:
            from relax_lang.files.settings.trust import verdict  # only where settings name code

            self._verdict = verdict(self.folder, self.code_names(), this_run=self.trusted)
        return self._verdict

    def code_names(self) -> list[str]:
        """Return the Python files that are named under `plugins` and `packed`."""
        return [name for name, _ in (*self.plugins, *self.packed)]

    def excludes(self, path: str, is_folder: bool) -> bool:
        """Return whether a file or folder below this one is left out when its folder is given.

        A pattern means a name anywhere, one with `/` a path from the folder of the settings; a `/` at its
        end restricts it to folders.
        """
        return self._is_meant(self.exclude, path, is_folder)

    def includes(self, path: str) -> bool:
        """Return whether a Python file below this folder takes part when its folder is given."""
        return self._is_meant(self.include, path, is_folder=False)

    def _is_meant(self, patterns: list[str], path: str, is_folder: bool) -> bool:
        if not patterns:
            return False
        from fnmatch import fnmatchcase  # only where there are patterns

        name = os.path.basename(path)
        below = os.path.relpath(path, self.folder).replace(os.sep, "/")
        for pattern in patterns:
            if pattern.endswith("/") and not is_folder:
                continue
            bare = pattern.rstrip("/").removeprefix("./")
            if fnmatchcase(below, bare) or ("/" not in bare and fnmatchcase(name, bare)):
                return True
        return False
