"""What a `.relaxignore` leaves out of its folder: one pattern a line, `name/` for folders only, `#` comments."""

from __future__ import annotations

from fnmatch import fnmatchcase


class Patterns:
    """The patterns of one ignore file."""

    __slots__ = ("_patterns",)

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines()]
        self._patterns = [line for line in lines if line and not line.startswith("#")]

    def match(self, name: str, *, is_folder: bool) -> bool:
        """Return whether an entry of the folder is left out."""
        marked = name + "/" if is_folder else name
        return any(fnmatchcase(marked, one) or fnmatchcase(name, one) for one in self._patterns)


def read_patterns(path: str) -> Patterns:
    """Return what an ignore file leaves out. Raises OSError if it cannot be read."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return Patterns(file.read())
