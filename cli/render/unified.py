"""What would become of a file, as a unified diff that `patch` and `git apply` take."""

from __future__ import annotations

from difflib import unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile

    from .style import Style

KINDS = {"+": "added", "-": "removed", "@": "frame"}


def render(source: SourceFile, text: str, style: Style) -> str:
    """Return the difference between a file and its new text."""
    shown: list[str] = []
    for line in unified_diff(_lines(source.text), _lines(text), source.path, source.path):
        kind = KINDS.get(line[0])
        row = line.removesuffix("\n")
        shown.append((style.paint(row, kind) if kind else row) + "\n")
        if not line.endswith("\n"):
            shown.append("\\ No newline at end of file\n")
    return "".join(shown)


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; unlike `splitlines`, only at line feeds, as `patch` sees them."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
