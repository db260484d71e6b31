"""Comments that silence findings: `# relax: ignore[slug, RLX0201]` and `# relax: ignore-file[slug]`.

At the end of a line the first one is about that line, on a line of its own about the next line of code. Pure,
and only loaded for texts that have a comment with `relax:`.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from relax_lang.base.diagnostic import ERROR, WARNING, Edit
from relax_lang.check.diagnostics import toolchain as diag
from relax_lang.check.selection import known_words, means, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile, Span
    from relax_lang.syntax.parser import Parsed

_IGNORE = re.compile(r"#\s*relax:\s*(?P<what>[^\s\[#]*)\s*(?:\[(?P<codes>[^\]#]*)\])?[^#]*")
_WORD = re.compile(r"[^\s,]+")


class _Word:
    """One code or slug between the brackets."""

    __slots__ = ("end", "is_used", "pos", "text")

    def __init__(self, pos: int, end: int, text: str) -> None:
        self.pos = pos
        self.end = end
        self.text = text
        self.is_used = False


class _Ignore:
    """One comment: the lines that it is about (None: all of the file), and its words."""

    __slots__ = ("end", "line", "pos", "words")

    def __init__(self, pos: int, end: int, line: int | None, words: list[_Word]) -> None:
        self.pos = pos
        self.end = end
        self.line = line
        self.words = words


def apply_ignores(
    source: SourceFile, parsed: Parsed, found: list[Diagnostic]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the diagnostics that stay, with those about the comments themselves, and the ignored ones.

    Errors of syntax and of the toolchain cannot be ignored: nothing behind them was looked at.
    """
    ignores, reports = _read(source, parsed)
    stay: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    for one in found:
        (ignored if _is_ignored(source, one, ignores) else stay).append(one)
    blind = _Blind(parsed, found)
    for ignore in ignores:
        reports += _misspelt(ignore)
        unused = [word for word in ignore.words if not word.is_used]
        if unused and not blind.covers(source, ignore):
            reports.append(_unused(source.text, ignore, unused))
    return stay + reports, ignored


def _read(source: SourceFile, parsed: Parsed) -> tuple[list[_Ignore], list[Diagnostic]]:
    ignores: list[_Ignore] = []
    reports: list[Diagnostic] = []
    for comment in parsed.comments:
        if not comment.is_directive:
            continue
        for match in _IGNORE.finditer(source.text, comment.pos, comment.end):
            place = match.start(), match.start() + len(match[0].rstrip())
            words = _words(match)
            if match["what"] not in ("ignore", "ignore-file") or not words:
                reports.append(diag.malformed_ignore(place, match["what"], match["codes"]))
                continue
            line = target_line(source, comment.pos) if match["what"] == "ignore" else None
            ignores.append(_Ignore(*place, line, words))
    return ignores, reports


def _words(match: re.Match[str]) -> list[_Word]:
    if match["codes"] is None:
        return []
    found = _WORD.finditer(match.string, match.start("codes"), match.end("codes"))
    return [_Word(word.start(), word.end(), word[0]) for word in found]


def target_line(source: SourceFile, pos: int) -> int:
    """Return the line that a comment is about: its own, or the next one with code if it stands alone.

    Behind the last line of code that is the line after the text.
    """
    line, column = source.position(pos)
    if source.line(line)[: column - 1].strip(" \t\ufeff"):
        return line
    n_lines = len(source.line_starts)
    line += 1
    while line <= n_lines and source.line(line).lstrip()[:1] in ("", "#"):
        line += 1
    return line


def _is_ignored(source: SourceFile, one: Diagnostic, ignores: list[_Ignore]) -> bool:
    if one.code.startswith("RLX99") or (one.code.startswith("RLX01") and one.severity == ERROR):
        return False
    is_ignored = False
    for ignore in ignores:
        words = [word for word in ignore.words if means(word.text, one.rule)]
        if words and (ignore.line is None or ignore.line in _lines_of(source, one)):
            is_ignored = True
            for word in words:
                word.is_used = True
    return is_ignored


def _lines_of(source: SourceFile, one: Diagnostic) -> tuple[int, int]:
    """Return the first and the last line of a finding: a comment may stand behind either."""
    return source.position(one.pos)[0], source.position(max(one.pos, one.end - 1))[0]


class _Blind:
    """Where a check did not look, so that an ignore may be needed though nothing was found."""

    __slots__ = ("_everywhere", "_some", "_spans")

    def __init__(self, parsed: Parsed, found: list[Diagnostic]) -> None:
        errors = [one for one in found if one.severity == ERROR]
        self._everywhere = any(one.code.startswith("RLX01") for one in errors)
        self._some = bool(errors)
        places = sorted([one.pos for one in errors])
        self._spans: list[Span] = []
        for item in parsed.tree.items:
            before = bisect_right(places, item.end)
            if before and places[before - 1] >= item.pos:
                self._spans.append((item.pos, item.end))

    def covers(self, source: SourceFile, ignore: _Ignore) -> bool:
        """Tell whether errors kept the check from looking at all that an ignore is about."""
        if self._everywhere or (ignore.line is None and self._some):
            return True
        place = ignore.pos
        if ignore.line is not None and ignore.line <= len(source.line_starts):
            place = max(place, source.line_starts[ignore.line - 1])
        first = source.position(place)[0]
        return any(source.position(pos)[0] <= first <= source.position(end)[0] for pos, end in self._spans)


def _misspelt(ignore: _Ignore) -> list[Diagnostic]:
    """Report words that name no diagnostic; they are not reported as unused."""
    candidates = [word for word in ignore.words if not word.is_used]
    wrong = set(unknown([word.text for word in candidates]))
    found: list[Diagnostic] = []
    for word in candidates:
        if word.text in wrong:
            word.is_used = True
            report = diag.unknown_code(word.text, known_words(), (word.pos, word.end))
            report.severity = WARNING  # nothing is silenced by mistake: whatever it meant is reported
            found.append(report)
    return found


def _unused(text: str, ignore: _Ignore, unused: list[_Word]) -> Diagnostic:
    place = (unused[0].pos, unused[0].end) if len(unused) == 1 else (ignore.pos, ignore.end)
    kept = [word.text for word in ignore.words if word.is_used]
    return diag.unused_ignore(place, [word.text for word in unused], _removal(text, ignore, kept))


def _removal(text: str, ignore: _Ignore, kept: list[str]) -> Edit:
    """Return the edit that leaves only some words, or takes the whole comment away."""
    if kept:
        return Edit(ignore.words[0].pos, ignore.words[-1].end, ", ".join(kept))
    line_start = text.rfind("\n", 0, ignore.pos) + 1
    line_end = text.find("\n", ignore.end)
    line_end = len(text) if line_end < 0 else line_end
    if text[ignore.end : line_end].strip():  # another comment follows, and stays
        following = len(text[ignore.end : line_end]) - len(text[ignore.end : line_end].lstrip())
        return Edit(ignore.pos, ignore.end + following, "")
    before = text[line_start : ignore.pos].rstrip()
    if not before:
        return Edit(line_start, min(line_end + 1, len(text)), "")
    return Edit(line_start + len(before), ignore.end, "")
