"""What would become of a file, as a unified diff that `patch` and `git apply` take."""

from __future__ import annotations

import os
from difflib import unified_diff

from .width import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from relax_lang.base.source import SourceFile

    from .style import Style

KINDS = {"+": "added", "-": "removed", "@": "frame"}


def render(source: SourceFile, text: str, style: Style, stream: TextIO) -> str:
    """Return the difference between a file and its new text.

    A terminal gets pictures of control characters, which it would obey; `patch` gets the lines as they are.
    """
    is_shown = style.color or stream.isatty()
    name = _quoted(source.path)
    shown: list[str] = []
    for line in unified_diff(_lines(source.text), _lines(text), name, name):
        kind = KINDS.get(line[0])
        row = line.removesuffix("\n")
        if is_shown:
            row = visible(row)
        shown.append((style.paint(row, kind) if kind else row) + "\n")
        if not line.endswith("\n"):
            shown.append("\\ No newline at end of file\n")
    return "".join(shown)


def _quoted(path: str) -> str:
    """Return a path as git and `patch` write one with control characters: between quotes, with escapes."""
    if path.isprintable() and '"' not in path:
        return path
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    octal = [f"\\{byte:03o}" for byte in range(256)]

    def escaped(char: str) -> str:
        if char in escapes:
            return escapes[char]
        return char if char.isprintable() else "".join([octal[byte] for byte in os.fsencode(char)])

    return '"' + "".join([escaped(char) for char in path]) + '"'


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; unlike `splitlines`, only at line feeds, as `patch` sees them."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
