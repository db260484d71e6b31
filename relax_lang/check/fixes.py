"""Applies fixes: `fix_text` edits a text until no fix is left that helps, and never makes it worse.

Pure: text in, text out. The caller decides what looks for diagnostics; the default is a whole check. A round applies
all fixes that do not touch each other, in the order of the text. If the result is worse, halves of the round are
tried, so that only what does harm is left out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from relax_lang.base.diagnostic import ERROR, OFF, SAFE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic, Edit, Fix

    Find = Callable[[str], list[Diagnostic]]
    Want = Callable[[list[Diagnostic]], list[Diagnostic]]

SYNTAX = "RLX01"

MAX_CHECKS = 300
"""How often the text is checked before fixing ends: a round takes one, a harmful fix a few more."""


class FixResult:
    """The result of fixing a text: the new text, the diagnostics that were fixed, and those that are left.

    Spans in `fixed` refer to the text that each was found in, which may be one between the old and the new one.
    """

    __slots__ = ("changed", "fixed", "left", "text")

    def __init__(self, text: str, fixed: list[Diagnostic], left: list[Diagnostic]) -> None:
        self.text = text
        self.fixed = fixed
        self.left = left
        self.changed = bool(fixed)


def fix_text(
    text: str, unsafe: bool = False, *, find: Find | None = None, want: Want | None = None
) -> FixResult:
    """Apply the safe fixes of a text, with `unsafe` the others too, until none is left that helps.

    `find` returns the diagnostics of a text; `want` picks those of them that may be fixed and are reported.
    No step adds an error, of syntax or any other, and what a step fixes is gone after it.
    """
    return _Fixing(text, unsafe, find or _check, want or _reported).run()


def _check(text: str) -> list[Diagnostic]:
    from relax_lang.base.source import SourceFile
    from relax_lang.check.driver import check_source

    return check_source(SourceFile(text)).diagnostics


def _reported(found: list[Diagnostic]) -> list[Diagnostic]:
    return [one for one in found if one.severity != OFF]


class _Found:
    """A text and its diagnostics."""

    __slots__ = ("_errors", "errors", "syntax_errors", "text", "wanted", "where")

    def __init__(self, text: str, found: list[Diagnostic], want: Want) -> None:
        self.text = text
        errors = [one for one in found if one.severity == ERROR]
        self.errors = len(errors)
        self._errors = {id(one) for one in errors}
        self.syntax_errors = len([one for one in errors if one.code.startswith(SYNTAX)])
        self.wanted = want(found)  # may change severities: the errors are counted before
        self.where: dict[tuple[str, str], list[int]] = {}
        for one in found:
            insort(self.where.setdefault((one.code, one.message), []), one.pos)

    def n_errors_of(self, batch: list[_Candidate], start: str = "") -> int:
        """Return how many of these are errors whose codes start like this."""
        return len([one for one in batch if id(one.one) in self._errors and one.one.code.startswith(start)])

    def has(self, code: str, message: str, pos: int, end: int) -> bool:
        """Return whether such a diagnostic begins within these offsets."""
        places = self.where.get((code, message), [])
        at = bisect_left(places, pos)
        return at < len(places) and places[at] <= end


class _Candidate:
    """A diagnostic and the fix to try for it."""

    __slots__ = ("fix", "key", "one")

    def __init__(self, text: str, one: Diagnostic, fix: Fix) -> None:
        self.one = one
        self.fix = fix
        # Offsets change as other fixes are applied, the line and the column in it hardly ever.
        at = min([edit.pos for edit in fix.edits])
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        self.key = one.code, fix.title, text[start : end if end >= 0 else len(text)], at - start


class _Fixing:
    def __init__(self, text: str, unsafe: bool, find: Find, want: Want) -> None:
        self.unsafe = unsafe
        self.find = find
        self.want = want
        self.checks = 0
        self.limit = len(text) + 1
        """How many fixes to try at once: all of them, until some do harm."""
        self.fixed: list[Diagnostic] = []
        self.refused: set[tuple[str, str, str, int]] = set()
        self.seen = {text}
        self.now = self._look(text)

    def run(self) -> FixResult:
        batch = self._batch()
        while batch and self.checks < MAX_CHECKS:
            self._apply(batch)
            batch = self._batch()
        return FixResult(self.now.text, self.fixed, self.now.wanted)

    def _look(self, text: str) -> _Found:
        self.checks += 1
        return _Found(text, self.find(text), self.want)

    def _batch(self) -> list[_Candidate]:
        """Return the fixes to try next: in the order of the text, those that touch an earlier one left out."""
        text = self.now.text
        taken = _Taken(len(text))
        batch: list[_Candidate] = []
        for one in self.now.wanted:
            for fix in one.fixes:
                if not fix.edits or not (self.unsafe or fix.applicability == SAFE):
                    continue
                candidate = _Candidate(text, one, fix)
                if candidate.key in self.refused:
                    continue
                if taken.take(fix.edits):
                    batch.append(candidate)
                break  # other fixes of the same diagnostic are alternatives
        return batch

    def _apply(self, batch: list[_Candidate]) -> None:
        """Apply as many fixes as do no harm; at least one that does is never tried again."""
        batch = batch[: self.limit]
        while not self._try(batch):
            if len(batch) == 1:
                self.refused.add(batch[0].key)
                return
            batch = batch[: len(batch) // 2]
            self.limit = len(batch)
        self.limit = 2 * max(self.limit, len(batch))

    def _try(self, batch: list[_Candidate]) -> bool:
        edits = sorted([edit for candidate in batch for edit in candidate.fix.edits], key=_place_of)
        text = _edited(self.now.text, edits)
        if text in self.seen:
            return False
        after = self._look(text)
        errors, syntax_errors = self.now.errors, self.now.syntax_errors
        if len(batch) > 1:  # or one fix could do the harm that others make up for
            errors -= self.now.n_errors_of(batch)
            syntax_errors -= self.now.n_errors_of(batch, SYNTAX)
        if after.errors > errors or after.syntax_errors > syntax_errors:
            return False
        moved = _Moved(edits)
        for candidate in batch:
            one = candidate.one
            if after.has(one.code, one.message, moved.before(one.pos), moved.after(one.end)):
                return False
        self.seen.add(text)
        self.fixed += [candidate.one for candidate in batch]
        self.now = after
        return True


def _place_of(edit: Edit) -> tuple[int, int]:
    return edit.pos, edit.end


def can_be_applied(edits: Sequence[Edit], length: int) -> bool:
    """Return whether the edits of a fix lie in a text of a length and leave no doubt about their order."""
    return bool(edits) and _Taken(length).take(edits)


class _Taken:
    """The spans of a text that are already edited."""

    __slots__ = ("_length", "_places")

    def __init__(self, length: int) -> None:
        self._length = length
        self._places: list[tuple[int, int]] = []

    def take(self, edits: Sequence[Edit]) -> bool:
        """Take the places of a fix; return whether all of them were free."""
        places = sorted([(edit.pos, edit.end) for edit in edits])
        if places[0][0] < 0 or any(pos > end or end > self._length for pos, end in places):
            return False
        for i in range(1, len(places)):
            if not _apart(places[i - 1], places[i]):
                return False
        for place in places:
            at = bisect_left(self._places, place)
            near = self._places[max(at - 1, 0) : at + 1]
            if not all(_apart(*sorted((place, other))) for other in near):
                return False
        for place in places:
            insort(self._places, place)
        return True


def _apart(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Return whether two edits do not touch; an insertion at the edge of a change has no order with it."""
    if first[1] == second[0]:
        return first[0] < first[1] and second[0] < second[1]
    return first[1] < second[0]


def _edited(text: str, edits: Iterable[Edit]) -> str:
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.pos], edit.text]
        at = edit.end
    return "".join(parts) + text[at:]


class _Moved:
    """The map from offsets of the old text to those of the new one."""

    __slots__ = ("_ends", "_shifts", "_starts")

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.pos for edit in edits]
        self._ends = [edit.end for edit in edits]
        self._shifts = [0]
        for edit in edits:
            self._shifts.append(self._shifts[-1] + len(edit.text) - (edit.end - edit.pos))

    def before(self, offset: int) -> int:
        """Return the offset before everything that was inserted there."""
        return self._moved(offset, bisect_left(self._ends, offset))

    def after(self, offset: int) -> int:
        """Return the offset after everything that was inserted there."""
        n = bisect_right(self._starts, offset)
        # Inside a changed place, the end of what is there now.
        offset = max(offset, self._ends[n - 1]) if n else offset
        return offset + self._shifts[n]

    def _moved(self, offset: int, n: int) -> int:
        if n < len(self._starts):
            offset = min(offset, self._starts[n])
        return offset + self._shifts[n]
