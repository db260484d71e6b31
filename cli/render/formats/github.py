"""`--output-format github`: workflow commands, which GitHub Actions shows beside the changed lines."""

from __future__ import annotations

import os

from ..width import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from ..style import Style

LEVELS = {"error": "error", "warning": "warning", "hint": "notice"}


def render(source: SourceFile, diagnostic: Diagnostic, style: Style) -> str:
    """Return one diagnostic as one workflow command."""
    del style  # the site colours it
    properties = {"title": f"{diagnostic.code} {diagnostic.slug}", "file": _path(source.path)}
    if diagnostic.pos >= 0:
        line, column = source.position(diagnostic.pos)
        end_line, end_column = source.position(max(diagnostic.pos, diagnostic.end))
        properties |= {"line": str(line), "endLine": str(end_line)}
        if line == end_line:  # columns are only allowed within one line
            properties |= {"col": str(column), "endColumn": str(end_column)}
    listed = ",".join([f"{key}={_escape(value, in_property=True)}" for key, value in properties.items()])
    # A line of a workflow command may hold no control characters: names in a program may.
    lines = [diagnostic.message]
    lines += [
        f"  line {source.position(label.pos)[0]}: {label.message}"
        for label in diagnostic.labels
        if label.pos >= 0 and label.message
    ]
    lines += [f"  note: {note}" for note in diagnostic.notes]
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    shown = "\n".join([_visible_lines(line) for line in lines])
    return f"::{LEVELS[diagnostic.severity]} {listed}::{_escape(shown, in_property=False)}\n"


def _visible_lines(text: str) -> str:
    return "\n".join([visible(line) for line in text.split("\n")])


def _path(path: str) -> str:
    """Return a path as the site shows files: relative to the folder of the repository, with slashes."""
    root = os.environ.get("GITHUB_WORKSPACE")
    if root and os.path.isabs(path) and path.startswith(root.rstrip(os.sep) + os.sep):
        path = os.path.relpath(path, root)
    return _visible_lines(path.replace(os.sep, "/"))


def _escape(text: str, *, in_property: bool) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
