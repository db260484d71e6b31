"""One mistake, one message: reports of different phases that are about the same few words. [Z.5]"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic, Fix
    from relax_lang.base.source import Span


def without_repaired(found: list[Diagnostic], repairing: tuple[str, ...]) -> list[Diagnostic]:
    """Return the diagnostics without those of the syntax whose place a fix of one with such a slug rewrites anyway.

    `x.0` of a tensor is not `x[0]` either, and `var s = 0.0;` before `s = s + 1.0` is not to be a `let`.
    """
    replaced = [
        (edit.pos, edit.end)
        for one in found
        if one.slug in repairing
        for fix in one.fixes[:1]
        for edit in fix.edits
        if edit.end > edit.pos
    ] + [(one.pos, one.end) for one in found if one.slug == "unknown-operator"]
    return [
        one
        for one in found
        if one.slug != "syntax" or not any(pos <= one.pos and one.end <= end for pos, end in replaced)
    ]


def with_arguments(found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics, those of single arguments put into the one of a call whose operator is unknown.

    Where the call has to be written anew, the form of an argument that it had is not a mistake of its own; nor is
    anything in an argument that is written anew.
    """
    gone: set[int] = set()
    for outer in found:
        rewritten: Any = outer.data.get("rewritten", ())
        gone.update([id(one) for one in found if one is not outer and _is_among(one, rewritten, outer.pos)])
        places: Any = outer.data.get("arguments", ())
        inner = [
            one
            for one in found
            if one is not outer
            and id(one) not in gone
            and one.slug in ("syntax", "bad-attribute-value")
            and _is_among(one, places, outer.pos)
        ]
        if not inner or (outer.fixes and not all(one.fixes for one in inner)):
            continue
        gone.update(map(id, inner))
        for one in inner if outer.fixes else ():
            outer.fixes[0].add(one.fixes[0].edits)
            if one.fixes[0].applicability == UNSAFE:
                outer.fixes[0].applicability = UNSAFE
    return [one for one in found if id(one) not in gone]


def _is_among(one: Diagnostic, places: Iterable[Span], start: int) -> bool:
    return any(start + pos <= one.pos and one.end <= start + end for pos, end in places)


def without_settled(found: list[Diagnostic], subscripts: tuple[str, ...]) -> list[Diagnostic]:
    """Return the diagnostics without those of subscripts of which more was found once types were known.

    `x[-1]` of a tensor is a `take`, of a tuple another number, and `x.shape[-1]` a size.
    """
    settled = [(one.pos, one.end) for one in found if one.slug == "not-a-tuple"]
    tuples = {(one.pos, one.end) for one in found if one.slug in subscripts and one.labels}
    fields = {one.end + 1 for one in found if one.slug == "unknown-operator"}  # after the bracket
    return [
        one
        for one in found
        if one.slug not in subscripts
        or one.labels
        or (
            (one.pos, one.end) not in tuples
            and not (one.pos in fields or any(pos <= one.pos and one.end <= end for pos, end in settled))
        )
    ]


def without_unsure_fixes(found: list[Diagnostic]) -> list[Diagnostic]:
    """Take fixes away that enclose a bracket whose other one is missing: what they enclose is not known.

    They are offered again when the bracket is there.
    """
    missing = [
        one.pos
        for one in found
        if one.slug == "syntax"
        for fix in one.fixes
        for edit in fix.edits
        if edit.pos == edit.end and edit.text.strip() in _BRACKETS
    ]
    for one in found if missing else ():
        if one.slug != "syntax":
            one.fixes[:] = [fix for fix in one.fixes if not any(_encloses(fix, at) for at in missing)]
    return found


_BRACKETS = frozenset("()[]{}")


def _encloses(fix: Fix, at: int) -> bool:
    first, last = min(edit.pos for edit in fix.edits), max(edit.end for edit in fix.edits)
    return first <= at < last


_OF_TUPLES = ("return-mismatch", "annotation-mismatch", "argument-mismatch", "branch-mismatch")
"""What may be found of the tuple that was read for a list."""


def merged(found: list[Diagnostic], places: set[Span]) -> list[Diagnostic]:
    """Return the diagnostics, those of the syntax of an argument put into the one about the argument.

    `places` are those of tuples that were written as lists: what a call needs is known where it is checked.
    """
    gone: set[int] = set()
    if places:  # that a list is not a tensor has been reported
        gone = {
            id(one)
            for one in found
            if (one.pos, one.end) in places
            and (one.slug in _OF_TUPLES or (one.slug == "op-argument" and not one.fixes))
        }
    about_arguments = [one for one in found if one.slug in ("op-attribute", "op-argument") and one.fixes]
    for inner in found:
        if inner.slug not in ("syntax", "bad-attribute-value") or not inner.fixes:
            continue
        for outer in about_arguments:
            fix, other = outer.fixes[0], inner.fixes[0]
            if (inner.pos, inner.end) in places:
                if any(inner.pos <= edit.pos and edit.end <= inner.end for edit in fix.edits):
                    gone.add(id(inner))
                    break
            elif outer.pos <= inner.pos and inner.end <= outer.end:
                fix.add(other.edits)
                fix.applicability = SAFE if fix.applicability == other.applicability == SAFE else UNSAFE
                outer.label((inner.pos, inner.end), inner.message if inner.slug == "syntax" else inner.help)
                gone.add(id(inner))
                break
    return [one for one in found if id(one) not in gone]
