"""A text with its name: offsets to lines and columns and back.

Offsets count code points from 0, lines and columns count from 1. Reading files happens elsewhere.
"""

from __future__ import annotations

from relax_lang.base.python.plain_functions import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Span = tuple[int, int]
    Arrays = Mapping[tuple[str, str | None], Any]


class SourceFile:
    """The text of one program and the path it is shown under (`<stdin>` for standard input).

    `allowed` are folders that its constants may be read from, beside its own. [CF.3] `arrays` are NumPy arrays for
    constants whose files do not exist yet, by path and key: programs that were made by other programs have such.
    """

    __slots__ = ("_lines", "allowed", "arrays", "path", "text")

    def __init__(self, text: str, path: str = "<text>", allowed: Sequence[str] = ()) -> None:
        self.text = text
        self.path = path
        self.allowed = allowed
        self.arrays: Arrays = {}
        self._lines: list[int] | None = None

    def with_text(self, text: str) -> SourceFile:
        """Return the same file with another text."""
        made = SourceFile(text, self.path, self.allowed)
        made.arrays = self.arrays
        return made

    @property
    def line_starts(self) -> list[int]:
        """The offset of the first character of every line."""
        if self._lines is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._lines = starts
        return self._lines

    def position(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of an offset, both from 1; an offset past the end is the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return a line without its line end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


class ModelFile(SourceFile):
    """A model of another framework: its text is the program that it was imported as, `arrays` are its weights.

    `found` is why it could not be imported; there is no text then.
    """

    __slots__ = ("found",)

    def __init__(self, text: str, path: str, arrays: Arrays, found: Sequence[Any] = ()) -> None:
        super().__init__(text, path)
        self.arrays = arrays
        self.found = list(found)

    def with_text(self, text: str) -> ModelFile:
        """Return the same file with another text."""
        return ModelFile(text, self.path, self.arrays, self.found)


class RelayFile(SourceFile):
    """A program in Relay. `metadata` are objects that another file has for it, beside those in its own section."""

    __slots__ = ("metadata",)

    def __init__(self, text: str, path: str = "<text>", allowed: Sequence[str] = ()) -> None:
        super().__init__(text, path, allowed)
        self.metadata: Any = None

    def with_text(self, text: str) -> RelayFile:
        """Return the same file with another text."""
        made = RelayFile(text, self.path, self.allowed)
        made.metadata = self.metadata
        return made


class PythonFile(SourceFile):
    """A Python file, whose programs are units of TVMScript.

    `unit` is the name or the line of the one that is meant, empty for all of them. `defines` are values for names
    of the Python around the units. With `whole`, what cannot be read of a unit is an error, not a warning. A file
    that was not `named`, but found in a folder, need not hold any.
    """

    __slots__ = ("defines", "named", "unit", "whole")

    def __init__(self, text: str, path: str = "<text>", allowed: Sequence[str] = ()) -> None:
        super().__init__(text, path, allowed)
        self.unit = ""
        self.defines: dict[str, object] = {}
        self.whole = False
        self.named = True

    def with_text(self, text: str) -> PythonFile:
        """Return the same file with another text."""
        made = PythonFile(text, self.path, self.allowed)
        made.unit, made.defines, made.whole, made.named = self.unit, self.defines, self.whole, self.named
        return made
