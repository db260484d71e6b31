"""What `.gitignore` leaves out of a repository, beside `.relaxignore`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.files.git_patterns import GitPatterns


class GitIgnores:
    """The ignore files of one repository; each is read once. A file in a folder comes before those above it."""

    __slots__ = ("_known", "_root")

    def __init__(self, root: str) -> None:
        self._root = os.path.normpath(root)
        self._known: dict[str, GitPatterns | None] = {}

    def left(self, folder: str, entries: list[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
        """Return the entries of a folder that are not ignored."""
        return [
            entry
            for entry in entries
            if not self.ignores(
                os.path.join(folder, entry.name), is_folder=entry.is_dir(follow_symlinks=False)
            )
        ]

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Return whether a file or folder is left out."""
        path = os.path.abspath(path)
        if path == self._root:
            return False
        mark = "/" if is_folder else ""
        above = os.path.dirname(path)
        while True:
            patterns = self._in(above)
            if patterns is not None:
                verdict = patterns.ignores(os.path.relpath(path, above).replace(os.sep, "/") + mark)
                if verdict is not None:
                    return verdict
            if above == self._root or os.path.dirname(above) == above:
                return False
            above = os.path.dirname(above)

    def _in(self, folder: str) -> GitPatterns | None:
        if folder not in self._known:
            path = os.path.join(folder, ".gitignore")
            self._known[folder] = None
            if os.path.isfile(path):
                self._known[folder] = _read(path)
        return self._known[folder]


def _read(path: str) -> GitPatterns:
    from relax_lang.files.git_patterns import GitPatterns  # only where there is such a file

    with open(path, encoding="utf-8", errors="replace") as file:
        return GitPatterns(file.read())
