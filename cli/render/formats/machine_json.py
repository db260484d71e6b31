"""`--output-format json`: one object. Lines and columns count from 1, columns in code points.

`rendered` is the diagnostic as text for people, `url` the section of the documentation about its kind, `data` holds
facts of its own: names, counter-examples.
"""

from __future__ import annotations

import json

from ..style import Style
from ..text import render as render_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic, Fix
    from relax_lang.base.source import SourceFile

    from ..report import Report

VERSION = 1


def render(report: Report) -> str:
    """Return a report as one JSON object."""
    n_errors, n_warnings, _ = report.counts
    found = {
        "version": VERSION,
        "files": report.n_files,
        "errors": n_errors,
        "warnings": n_warnings,
        "diagnostics": [_diagnostic(file.source, one) for file in report.files for one in file.diagnostics],
    }
    return json.dumps(found, indent=2) + "\n"


def _diagnostic(source: SourceFile, one: Diagnostic) -> dict[str, object]:
    return {
        "code": one.code,
        "name": one.slug,
        "severity": one.severity,
        "message": one.message,
        "file": source.path,
        # What concerns a file as a whole, or no file, has no span.
        "span": _span(source, one.pos, one.end) if one.pos >= 0 else None,
        "labels": [
            {"span": _span(source, label.pos, label.end), "message": label.message}
            for label in one.labels
            if label.pos >= 0
        ],
        "notes": one.notes,
        "help": one.help,
        "fixes": [_fix(source, fix) for fix in one.fixes],
        "data": {key: value for key, value in one.data.items() if _is_plain(value)},
        "rendered": render_text(source, one, Style()),
        "url": f"docs/diagnostics.md#{one.slug}",
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        entries: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return not [key for key, item in entries.items() if not (isinstance(key, str) and _is_plain(item))]
    if isinstance(value, list | tuple):
        items: list[Any] = [*value]  # pyright: ignore[reportUnknownArgumentType]
        return not [item for item in items if not _is_plain(item)]
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _fix(source: SourceFile, fix: Fix) -> dict[str, object]:
    return {
        "title": fix.title,
        "applicability": fix.applicability,
        "edits": [{"span": _span(source, edit.pos, edit.end), "text": edit.text} for edit in fix.edits],
    }


def _span(source: SourceFile, pos: int, end: int) -> dict[str, object]:
    return {"start": _place(source, pos), "end": _place(source, max(pos, end))}


def _place(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.position(offset)
    return {"line": line, "column": column, "offset": offset}
