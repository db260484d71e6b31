"""Puts diagnostics on a stream in the form that was asked for. Imports a renderer only when it has work."""

from __future__ import annotations

import sys

from relax_lang.base.diagnostic import ERROR, HINT, WARNING
from relax_lang.base.python.output import put

from .render.report import FileReport, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from .options import Shown
    from .render.style import Style

SEVERITIES = (ERROR, WARNING, HINT)
MAX_SHOWN = 50  # of one file; whoever has more wants to see the first ones


def show_report(report: Report, output_format: str, options: Shown, stream: TextIO) -> None:
    """Show a whole report, with a line of counts in the form for people."""
    whole = _WHOLE.get(output_format)
    if whole is not None:
        put(whole(report), stream)
        return
    for file in report.files:
        show_file(file, output_format, options, stream)
    if output_format == "text" and not options.quiet and report.n_files:
        show_summary(report, stream)


def show_summary(report: Report, stream: TextIO, *, would_fix: bool = False) -> None:
    """Show what was found and fixed in numbers, and what could be fixed."""
    from .render.summary import fixable, summary

    fixed = report.fixed
    for file in report.files if fixed and not would_fix else ():
        if file.fixed:
            from .render.width import visible

            slugs = [one.slug for one in file.fixed]
            listed = ", ".join([f"{slugs.count(slug)} {slug}" for slug in dict.fromkeys(slugs)])
            put(f"Fixed in {visible(file.source.path)}: {listed}\n", stream)
    found = [
        n + len([one for one in fixed if one.severity == severity])
        for n, severity in zip(report.counts, SEVERITIES, strict=True)
    ]
    done = f"{'would fix' if would_fix else 'fixed'} {len(fixed)}" if fixed else ""
    put(summary(found[0], found[1], found[2], report.n_files, done) + "\n", stream)
    hint = fixable(*report.fixable)
    if hint:
        put(f"{hint}\n", stream)


def show_file(file: FileReport, output_format: str, options: Shown, stream: TextIO) -> None:
    """Show the diagnostics of one file, the first 50."""
    if not file.diagnostics:
        return
    from .render.style import style_for

    style = style_for(stream, color=options.color, ascii_only=options.ascii)
    render = _EACH[output_format]
    limit = len(file.diagnostics) if output_format == "github" else MAX_SHOWN
    shown = [render(file.source, one, style) for one in file.diagnostics[:limit]]
    n_more = len(file.diagnostics) - limit
    if n_more > 0:
        from .render.width import visible

        end = "\n\n" if output_format == "text" else "\n"
        shown.append(f"... and {n_more} more in {visible(file.source.path)}{end}")
    put("".join(shown), stream)


def complain(diagnostics: list[Diagnostic], options: Shown, source: SourceFile | None = None) -> None:
    """Show diagnostics on standard error, as all commands but `check` do."""
    from relax_lang.base.source import SourceFile as Source

    sys.stdout.flush()  # what the program printed came first, also where both streams go to one file
    found = FileReport(source or Source("", ""), diagnostics)
    output_format = getattr(options, "output_format", "text")  # of `run`; the others show text
    if output_format not in _WHOLE:
        show_file(found, output_format, options, sys.stderr)
        return
    report = Report()
    report.files.append(found)
    report.n_files = int(source is not None)
    put(_WHOLE[output_format](report), sys.stderr)


def _text(source: SourceFile, one: Diagnostic, style: Style) -> str:
    from .render.text import render

    return render(source, one, style)


def _concise(source: SourceFile, one: Diagnostic, style: Style) -> str:
    from .render.formats.concise import render

    return render(source, one, style)


def _github(source: SourceFile, one: Diagnostic, style: Style) -> str:
    from .render.formats.github import render

    return render(source, one, style)


def _json(report: Report) -> str:
    from .render.formats.machine_json import render

    return render(report)


def _sarif(report: Report) -> str:
    from .render.formats.sarif import render

    return render(report)


def _junit(report: Report) -> str:
    from .render.formats.junit import render

    return render(report)


_EACH = {"text": _text, "concise": _concise, "github": _github}


def _gitlab(report: Report) -> str:
    from .render.formats.gitlab import render

    return render(report)


_WHOLE = {"json": _json, "gitlab": _gitlab, "sarif": _sarif, "junit": _junit}
