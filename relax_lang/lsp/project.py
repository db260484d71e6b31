"""What the file system has about programs: settings, and the headers of arrays; kept until something changes."""

from __future__ import annotations

import os

from relax_lang.base.diagnostic import OFF, Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.check.selection import Selection
from relax_lang.files.settings.search import Configs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.files.arrays.array_files import Header
    from relax_lang.files.arrays.constants import ConstantFiles
    from relax_lang.files.settings.data import Config
    from relax_lang.syntax.tree import FileLit

FADED = frozenset(
    (
        "unused-binding",
        "unused-parameter",
        "unused-value",
        "unused-output",
        "unused-shape-var",
        "dead-function",
    )
)
"""Rules about what has no use: an editor shows that in grey, also where the rule is off."""


class EditorSelection(Selection):
    """What is wanted of the findings, with those that an editor shows in grey."""

    def apply_to_editor(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return what is shown. A finding of a rule that is off and only greys out a name has the severity off."""
        kept: list[Diagnostic] = []
        for one in found:
            was_off = one.severity == OFF
            if self.apply([one]):
                kept.append(one)
            elif was_off and one.slug in FADED:
                one.severity = OFF
                kept.append(one)
        return kept


class Project:
    """The settings and array headers that were read so far."""

    def __init__(self) -> None:
        self._configs = Configs()
        self._headers: dict[tuple[str, str, str | None], Diagnostic | Header] = {}

    def forget(self) -> None:
        """Read everything again when it is next asked for."""
        self._configs = Configs()
        self._headers = {}

    def config(self, path: str) -> Config:
        """Return the settings that hold for a program."""
        return self._configs.of(path)

    def selection(self, path: str) -> EditorSelection:
        """Return what the settings want of the findings."""
        return EditorSelection(config=self.config(path))

    def excludes(self, path: str, is_folder: bool) -> bool:
        """Return whether the settings leave out a file or folder."""
        return self._configs.excludes(path, is_folder)

    def source(self, path: str) -> SourceFile:
        """Return a program without its text, for looking up what lies beside it."""
        return SourceFile("", path)

    def constant(self, files: ConstantFiles, literal: FileLit) -> Diagnostic | Header:
        """Return what is known of an array in a file, or what is wrong with it; one that has changed is read again."""
        from relax_lang.workspace.text.places import relocated

        try:
            state = os.stat(os.path.join(files.folder, literal.path))
            stamp = f"{state.st_mtime_ns} {state.st_size} {files.folder}"
        except (OSError, ValueError):
            stamp = files.folder
        key = stamp, literal.path, literal.key
        known = self._headers.get(key)
        if known is None:
            known = files.check(literal)
            self._headers[key] = known
        if isinstance(known, Diagnostic) and known.pos != literal.pos:
            by = literal.pos - known.pos
            known = relocated(known, lambda place: place + by)
        return known
