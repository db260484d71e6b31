"""Comments that silence findings: `# relax: ignore[slug, RLX0201]` and `# relax: ignore-file[slug]`.

At the end of a line the first one is about that line, on a line of its own about the next line of code. Pure, and
only loaded for texts with such comments. Time is linear in the text and the findings: what a comment names is looked
up by the few words that mean a rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from relax_lang.base.diagnostic import ERROR, WARNING, Edit
from relax_lang.check.comment_targets import CommentTargets
from relax_lang.check.diagnostics import toolchain as diag
from relax_lang.check.selection import known_words, unknown, words_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic, HasSpan
    from relax_lang.base.source import SourceFile
    from relax_lang.syntax.parser import Comment

_IGNORE = re.compile(r"(?:#|//)\s*relax:\s*(?P<what>[^\s\[#]*)\s*(?:\[(?P<codes>[^\]#]*)\])?[^#]*")
_WORD = re.compile(r"[^\s,]+")

MAX_SUGGESTIONS = 20
"""For so many misspelt words of a text the nearest known one is looked for, which takes milliseconds each."""


class _Word:
    """One code or slug between the brackets."""

    __slots__ = ("end", "pos", "text")

    def __init__(self, pos: int, end: int, text: str) -> None:
        self.pos = pos
        self.end = end
        self.text = text


class _Target:
    """A line, or the whole file (None): the words of all comments about it, and which of them have a use."""

    __slots__ = ("line", "names", "used")

    def __init__(self, line: int | None) -> None:
        self.line = line
        self.names: set[str] = set()
        self.used: set[str] = set()
        """The words that silence something."""

    def silences(self, names: Iterable[str]) -> bool:
        """Return whether one of the words is among those that mean a rule; note which."""
        used = self.names.intersection(names)
        self.used |= used
        return bool(used)


class _Ignore:
    """One `relax: ignore[…]`: what it is about, its words, and the comment of the text that it is part of."""

    __slots__ = ("comment", "end", "pos", "target", "words")

    def __init__(self, match: re.Match[str], comment: Comment, target: _Target, words: list[_Word]) -> None:
        self.pos, self.end = _span(match)
        self.comment = comment
        self.target = target
        self.words = words
        target.names.update([word.text for word in words])


def apply_ignores(
    source: SourceFile, comments: Sequence[Comment], items: Sequence[HasSpan], found: list[Diagnostic]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the diagnostics that stay, with those about the comments themselves, and the ignored ones.

    `found` holds what every rule finds, those that are off too, so that comments which silence one are known to be
    of use; `items` are those of the module. Errors of syntax and of the toolchain cannot be ignored: nothing after
    them was checked.
    """
    ignores, reports = _read(source, comments)
    targets = {ignore.target.line: ignore.target for ignore in ignores}
    stay: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    for one in found:
        (ignored if _is_ignored(source, one, targets) else stay).append(one)
    reports += _misspelt(ignores)
    unchecked = _Unchecked(source, items, found)
    for ignore in ignores:
        unused = [word for word in ignore.words if word.text not in ignore.target.used]
        if unused and not unchecked.covers(ignore):
            reports.append(_unused(source, ignore, unused))
    return stay + reports, ignored


def _read(source: SourceFile, comments: Iterable[Comment]) -> tuple[list[_Ignore], list[Diagnostic]]:
    ignores: list[_Ignore] = []
    reports: list[Diagnostic] = []
    lines = CommentTargets(source)
    targets: dict[int | None, _Target] = {}
    for comment in comments:
        if not comment.is_directive:
            continue
        line = lines.line(comment.pos)
        for match in _IGNORE.finditer(source.text, comment.pos, comment.end):
            words = _words(match)
            if match["what"] not in ("ignore", "ignore-file") or not words:
                reports.append(diag.malformed_ignore(_span(match), match["what"], match["codes"]))
                continue
            about = line if match["what"] == "ignore" else None
            target = targets.setdefault(about, _Target(about))
            ignores.append(_Ignore(match, comment, target, words))
    return ignores, reports


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.start(), match.start() + len(match[0].rstrip())


def _words(match: re.Match[str]) -> list[_Word]:
    if match["codes"] is None:
        return []
    found = _WORD.finditer(match.string, match.start("codes"), match.end("codes"))
    return [_Word(word.start(), word.end(), word[0]) for word in found]


def _is_ignored(source: SourceFile, one: Diagnostic, targets: dict[int | None, _Target]) -> bool:
    if one.code.startswith("RLX99") or (one.code.startswith("RLX01") and one.severity == ERROR):
        return False
    names = words_for(one.rule)
    about = [targets[line] for line in (None, *_lines_of(source, one)) if line in targets]
    silencing = [target for target in about if target.silences(names)]  # all of them: each notes its use
    return bool(silencing)


def _lines_of(source: SourceFile, one: Diagnostic) -> set[int]:
    """Return the first and the last line of a finding: a comment on either is about it."""
    return {source.position(one.pos)[0], source.position(max(one.pos, one.end - 1))[0]}


class _Unchecked:
    """The lines of a text that errors kept the check from looking at, so that a comment may be needed after all."""

    __slots__ = ("_ends", "_everywhere", "_some", "_source", "_starts")

    def __init__(self, source: SourceFile, items: Iterable[HasSpan], found: list[Diagnostic]) -> None:
        self._source = source
        errors = [one for one in found if one.severity == ERROR]
        self._everywhere = any(one.code.startswith("RLX01") for one in errors)
        self._some = bool(errors)
        offsets = sorted([one.pos for one in errors])
        items = [item for item in items if _any_between(offsets, item.pos, item.end)]
        self._starts = [source.position(item.pos)[0] for item in items]
        """The first lines of items with errors, in order; items do not overlap."""
        self._ends = [source.position(item.end)[0] for item in items]

    def covers(self, ignore: _Ignore) -> bool:
        """Return whether errors kept the check from looking at all that a comment is about."""
        target = ignore.target.line
        if self._everywhere or (target is None and self._some):
            return True
        line = self._source.position(ignore.pos)[0]
        if target is not None and target <= len(self._source.line_starts):
            line = max(line, target)
        before = bisect_right(self._starts, line)
        return before > 0 and line <= self._ends[before - 1]


def _any_between(offsets: list[int], pos: int, end: int) -> bool:
    """Return whether one of some sorted offsets is between two others, both included."""
    before = bisect_right(offsets, end)
    return before > 0 and offsets[before - 1] >= pos


def _misspelt(ignores: list[_Ignore]) -> list[Diagnostic]:
    """Report words that name no diagnostic, and count them as used: they are not reported as unused, too."""
    targets = {ignore.target for ignore in ignores}
    wrong = set(unknown({name for target in targets for name in target.names.difference(target.used)}))
    if not wrong:
        return []
    known = known_words()
    suggested: set[str] = set()
    found: list[Diagnostic] = []
    for ignore in ignores:
        for word in ignore.words:
            if word.text in wrong:
                ignore.target.used.add(word.text)
                if len(suggested) < MAX_SUGGESTIONS:
                    suggested.add(word.text)
                candidates = known if word.text in suggested else []
                report = diag.unknown_code(word.text, candidates, (word.pos, word.end))
                report.severity = WARNING  # nothing is silenced by mistake: whatever it meant is reported
                found.append(report)
    return found


def _unused(source: SourceFile, ignore: _Ignore, unused: list[_Word]) -> Diagnostic:
    place = (unused[0].pos, unused[0].end) if len(unused) == 1 else (ignore.pos, ignore.end)
    kept = [word.text for word in ignore.words if word.text in ignore.target.used]
    return diag.unused_ignore(place, [word.text for word in unused], _removal(source, ignore, kept))


def _removal(source: SourceFile, ignore: _Ignore, kept: list[str]) -> Edit:
    """Return the edit that leaves only some words, or removes the whole comment."""
    if kept:
        return Edit(ignore.words[0].pos, ignore.words[-1].end, ", ".join(kept))
    text = source.text
    following = ignore.end
    while following < ignore.comment.end and text[following].isspace():
        following += 1
    if following < ignore.comment.end:  # another comment follows, and stays
        return Edit(ignore.pos, following, "")
    line = source.position(ignore.pos)[0]
    line_start = source.line_starts[line - 1]
    before = ignore.pos
    while before > line_start and text[before - 1].isspace():
        before -= 1
    if before > line_start:
        return Edit(before, ignore.end, "")
    n_lines = len(source.line_starts)
    return Edit(line_start, source.line_starts[line] if line < n_lines else len(text), "")
