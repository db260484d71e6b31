"""Expectations: comments that state what checking a program finds, and what its `@main` prints.

    let z = nope;  # error: undefined-variable

    let y = x;  # reveals: Tensor[(n,), float32]

    # expect-output
    # Tensor[(), int32] 3

Pure: reads the comments and compares. The caller checks and runs the program.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import HINT, OFF
from relax_lang.check.comment_targets import CommentTargets
from relax_lang.check.diagnostics import expectations as report
from relax_lang.check.diagnostics import toolchain as diag
from relax_lang.check.selection import known_words, means, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile, Span
    from relax_lang.check.expectations.reveals import ExpectedInfo
    from relax_lang.syntax.parser import Comment

_EXPECTATION = re.compile(r"(?<!#)#[ \t]*(?P<kind>error|warning|hint|reveals):(?P<words>[^#\n]*)")
_OUTPUT = re.compile(r"#[ \t]*+expect-output[ \t]*+:?[ \t]*+\Z")
_WORD = re.compile(r"[^,\s](?:[^,\n]*[^,\s])?")
_NAME = re.compile(r"[A-Za-z0-9-]+\Z")
_SEPARATOR = re.compile(r"^# ---[ \t]*\r?$", re.MULTILINE)


class Expected:
    """One finding that a comment expects: its severity, the word that names it, the line that it begins on."""

    __slots__ = ("end", "line", "pos", "severity", "word")

    def __init__(self, place: Span, severity: str, word: str, line: int) -> None:
        self.pos, self.end = place
        self.severity = severity
        self.word = word
        self.line = line

    def is_met_by(self, source: SourceFile, one: Diagnostic) -> bool:
        """Return whether a finding is the expected one."""
        return self.is_named_by(one) and self.is_on_line(source, one)

    def is_on_line(self, source: SourceFile, one: Diagnostic) -> bool:
        """Return whether a finding is where it is expected."""
        line = source.position(one.pos)[0]
        if self.line <= len(source.line_starts):
            return line == self.line
        return line >= source.position(self.pos)[0]  # no code follows: the end of the text is meant

    def is_named_by(self, one: Diagnostic) -> bool:
        """Return whether a finding is of the expected kind, wherever it is. A lint that is off counts as a hint."""
        severity = HINT if one.severity == OFF else one.severity
        return severity == self.severity and means(self.word, one.rule)


class ExpectedOutput:
    """The lines that the program prints, with the comments that expect them."""

    __slots__ = ("lines", "places")

    def __init__(self, header: Comment, comments: Sequence[Comment]) -> None:
        self.lines = [comment.text[1:].removeprefix(" ").rstrip() for comment in comments]
        self.places: list[Span] = [(one.pos, one.end) for one in (header, *comments)]
        """The spans of the comment `# expect-output`, and of each line."""


class Expectations:
    """What the comments of a program expect, and what is wrong with the comments."""

    __slots__ = ("findings", "infos", "output", "problems")

    def __init__(self) -> None:
        self.findings: list[Expected] = []
        self.infos: list[ExpectedInfo] = []
        self.output: ExpectedOutput | None = None
        self.problems: list[Diagnostic] = []


def split_modules(text: str) -> list[str]:
    """Return the programs between lines `# ---`, each with blanks in place of what comes before it.

    So all places are those in the whole text.
    """
    parts: list[str] = []
    start = 0
    for end, following in [*[one.span() for one in _SEPARATOR.finditer(text)], (len(text), len(text))]:
        if text[start:end].strip():
            parts.append(re.sub(r"[^\n]", " ", text[:start]) + text[start:end])
        start = following
    return parts


def read_expectations(source: SourceFile, comments: Sequence[Comment]) -> Expectations:
    """Return what the comments of a program expect."""
    expected = Expectations()
    targets = CommentTargets(source)
    rest = list(reversed(comments))
    while rest:
        comment = rest.pop()
        if _OUTPUT.match(comment.text) is None:
            _read_findings(source, targets, comment, expected)
            continue
        block: list[Comment] = []
        last = comment
        while rest and _follows(source, last, rest[-1]):
            last = rest.pop()
            block.append(last)
        if expected.output is not None:
            expected.problems.append(
                report.malformed_expectation(
                    (comment.pos, comment.end), "a program has only one expected output"
                )
            )
        expected.output = expected.output or ExpectedOutput(comment, block)
    return expected


def _follows(source: SourceFile, last: Comment, comment: Comment) -> bool:
    """Return whether a comment is alone on the line after another."""
    return (
        not source.text[last.end : comment.pos].strip()
        and source.text.count("\n", last.end, comment.pos) == 1
    )


def _read_findings(
    source: SourceFile, targets: CommentTargets, comment: Comment, expected: Expectations
) -> None:
    line = targets.line(comment.pos)
    for match in _EXPECTATION.finditer(source.text, comment.pos, comment.end):
        place = match.start(), match.start() + len(match[0].rstrip())
        if match["kind"] == "reveals":
            _read_reveal(source, line, match, expected)
            continue
        words = list(_WORD.finditer(source.text, match.start("words"), match.end("words")))
        if not words:
            expected.problems.append(report.malformed_expectation(place, "no diagnostic is named"))
        for found in words:
            word, at = found[0], found.span()
            if not _NAME.match(word):
                expected.problems.append(
                    report.malformed_expectation(at, f"`{word}` is not a name; separate several with commas")
                )
            elif unknown([word]):
                expected.problems.append(diag.unknown_code(word, known_words(), at))
            else:
                expected.findings.append(Expected(at, match["kind"], word, line))


def _read_reveal(source: SourceFile, line: int, match: re.Match[str], expected: Expectations) -> None:
    from relax_lang.check.expectations.reveals import (  # needs the relations of infos
        ExpectedInfo,
        read_reveal,
    )

    one = read_reveal(source, match.start("words"), match.end("words"), line)
    if isinstance(one, ExpectedInfo):
        expected.infos.append(one)
    else:
        expected.problems.append(one)


def compare_findings(
    source: SourceFile, expected: Sequence[Expected], found: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Return what is expected and not found, and what is found and not expected; each comment is one finding."""
    open_findings = list(found)
    missing: list[Expected] = []
    for one in expected:
        met = [finding for finding in open_findings if one.is_met_by(source, finding)]
        if met:
            open_findings.remove(met[0])
        else:
            missing.append(one)
    unexpected = [one for one in open_findings if one.severity != OFF]
    return [
        *[_missing(source, one, found, unexpected) for one in missing],
        *[report.unexpected_finding(one) for one in unexpected],
    ]


def _missing(
    source: SourceFile, expected: Expected, found: Sequence[Diagnostic], unexpected: Sequence[Diagnostic]
) -> Diagnostic:
    where = "here" if expected.line > len(source.line_starts) else f"on line {expected.line}"
    what = report.missing_finding((expected.pos, expected.end), expected.severity, expected.word, where)
    here = [one for one in found if expected.is_on_line(source, one) and means(expected.word, one.rule)]
    if here and here[0].severity != expected.severity:
        return what.note(f"here it is of the severity {here[0].severity}")
    if here:
        return what.note("it is found here, but not as many times as it is expected")
    elsewhere = [one for one in unexpected if expected.is_named_by(one)]
    if elsewhere:
        what.note(f"it is found on line {source.position(elsewhere[0].pos)[0]}")
    return what


def compare_output(expected: ExpectedOutput, printed: str) -> list[Diagnostic]:
    """Return how the output of a program differs from the expected one: the first line that does."""
    lines = [line.rstrip() for line in printed.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    wanted = list(expected.lines)
    while wanted and not wanted[-1]:
        wanted.pop()
    for number, place in enumerate(expected.places[1 : len(wanted) + 1]):
        if number >= len(lines):
            return [report.output_differs(place, "the output ends before this line", lines)]
        if lines[number] != wanted[number]:
            return [report.output_differs(place, f"this line is printed as `{lines[number]}`", lines)]
    if len(lines) > len(wanted):
        more = lines[len(wanted)]
        return [
            report.output_differs(expected.places[len(wanted)], f"after this, `{more}` is printed", lines)
        ]
    return []
