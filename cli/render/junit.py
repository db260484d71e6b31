"""`--output-format junit`: JUnit XML, a test case a file, which most build servers show."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from .concise import render as concise
from .style import Style
from .width import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from .report import Report


def render(report: Report) -> str:
    """Return a report as one JUnit test suite: a case a finding, and one for every file without any."""
    cases: list[str] = []
    n_failures = 0
    for file in report.files:
        n_failures += len(file.diagnostics)
        cases += [_failure(file.source, one) for one in file.diagnostics] or [_success(file.source)]
    head = f'<testsuite name="relax check" tests="{len(cases)}" failures="{n_failures}" errors="0">'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            "<testsuites>",
            head,
            *cases,
            "</testsuite>",
            "</testsuites>",
            "",
        ]
    )


def _success(source: SourceFile) -> str:
    path = quoteattr(visible(source.path))
    return f"<testcase name={path} classname={path} file={path}/>"


def _failure(source: SourceFile, one: Diagnostic) -> str:
    where = f" line={quoteattr(str(source.position(one.pos)[0]))}" if one.pos >= 0 else ""
    path = quoteattr(visible(source.path))
    text = escape(concise(source, one, Style()).strip())
    name = quoteattr(f"{one.code} {one.slug}")
    failure = f"<failure type={quoteattr(one.severity)} message={quoteattr(visible(one.message))}>"
    return f"<testcase name={name} classname={path} file={path}{where}>{failure}{text}</failure></testcase>"
