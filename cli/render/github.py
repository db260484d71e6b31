"""`--output-format github`: workflow commands, which GitHub Actions shows beside the changed lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from .style import Style

LEVELS = {"error": "error", "warning": "warning", "hint": "notice"}


def render(source: SourceFile, diagnostic: Diagnostic, style: Style) -> str:
    """Return one diagnostic as one workflow command."""
    del style  # the site colours it
    properties = {"title": f"{diagnostic.code} {diagnostic.slug}", "file": source.path}
    if diagnostic.pos >= 0:
        line, column = source.position(diagnostic.pos)
        end_line, end_column = source.position(max(diagnostic.pos, diagnostic.end))
        properties |= {"line": str(line), "endLine": str(end_line)}
        if line == end_line:  # columns are only allowed within one line
            properties |= {"col": str(column), "endColumn": str(end_column)}
    listed = ",".join([f"{key}={_escape(value, in_property=True)}" for key, value in properties.items()])
    lines = [diagnostic.message, *[f"  note: {note}" for note in diagnostic.notes]]
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return f"::{LEVELS[diagnostic.severity]} {listed}::{_escape(chr(10).join(lines), in_property=False)}\n"


def _escape(text: str, *, in_property: bool) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
