"""Definitions, uses and new names, at a place of a document."""

from __future__ import annotations

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import GLOBAL, OPERATOR, Occurrences, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.analysis import Analysis
    from relax_lang.workspace.incremental.occurrences import Occurrence
    from relax_lang.workspace.incremental.snapshot import Snapshot


class Refused(Exception):  # noqa: N818 - its text is shown to the author
    """A name that cannot be changed, or not to what was asked for; the text has the reason."""


def definition(snapshot: Snapshot, offset: int) -> Span | None:
    """Return where the name at an offset is defined."""
    here, item = snapshot.occurrence_at(offset), snapshot.item_at(offset)
    if here is None or here.kind == OPERATOR:
        return None
    if isinstance(item, tree.Function) and not isinstance(here.key, str):
        place = place_of(snapshot.analysis, here.key)
        return None if place is None else snapshot.layout.span(*place)
    for one, place in uses(snapshot, offset):
        if one.is_definition:
            return place
    return None


def uses(snapshot: Snapshot, offset: int) -> list[tuple[Occurrence, Span]]:
    """Return the definition and all uses of the name at an offset, in the order of the text."""
    here = snapshot.occurrence_at(offset)
    if here is None:
        return []
    if here.kind in (GLOBAL, OPERATOR):
        items = snapshot.items
    else:
        item = snapshot.item_at(offset)
        items = () if item is None else (item,)
    found: list[tuple[Occurrence, Span]] = []
    for item in items:
        if here.kind == GLOBAL and not _mentions(snapshot, item, here.name):
            continue
        found += [
            (one, snapshot.layout.span(one.pos, one.end))
            for one in snapshot.occurrences(item).of(here.key)
            if one.kind == here.kind or here.kind not in (GLOBAL, OPERATOR)
        ]
    return sorted(found, key=lambda pair: pair[1])


def _mentions(snapshot: Snapshot, item: tree.Item, name: str) -> bool:
    own = item.name is not None and item.name.name_hint == name
    return own or name in snapshot.analysis.mentions[item].globals


def type_definition(snapshot: Snapshot, offset: int) -> Span | None:
    """Return the annotation that gives the variable at an offset its struct info, or where its dimension is bound."""
    here = snapshot.occurrence_at(offset)
    if here is None or not isinstance(here.key, tree.Var | tree.DataflowVar):
        return definition(snapshot, offset) if here is not None else None
    annotation = here.key.struct_info_annotation
    return None if annotation is None else snapshot.span(annotation)


def renamable(snapshot: Snapshot, offset: int) -> Span:
    """Return the place of a name that can be changed. Raises Refused."""
    here = snapshot.occurrence_at(offset)
    if here is None:
        raise Refused("there is no name here")
    if here.kind == OPERATOR:
        raise Refused(f"`{here.name}` is an operator of the language")
    if not any(one.is_definition for one, _ in uses(snapshot, offset)):
        raise Refused(f"`{here.name}` is not defined in this file")
    if here.name == "_":
        raise Refused("`_` binds no name")
    return snapshot.layout.span(here.pos, here.end)


def rename(snapshot: Snapshot, offset: int, new: str) -> list[tuple[Span, str]]:
    """Return the edits that give the name at an offset another one. Raises Refused, with the conflict.

    The program with the new name must mean the same: every name in it means what it meant, and nothing more is wrong.
    """
    renamable(snapshot, offset)
    here = snapshot.occurrence_at(offset)
    assert here is not None
    bare = new.removeprefix("@") if here.kind == GLOBAL else new
    bare = bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in '`"' else bare
    if not bare or "\n" in bare or bare == "_":
        raise Refused(f"`{new}` is not a name")
    written = global_name(bare) if here.kind == GLOBAL else local_name(bare)
    places = [place for _, place in uses(snapshot, offset)]
    edits = [(place, written) for place in places]
    _check(snapshot, edits, here, bare)
    return edits


def _check(snapshot: Snapshot, edits: list[tuple[Span, str]], here: Occurrence, new: str) -> None:
    """Compare what all names mean before and after. Raises Refused."""
    from relax_lang.workspace.incremental.analysis import Analysis  # all passes of the checker
    from relax_lang.workspace.text.pieces import read

    text = snapshot.text
    parts: list[str] = []
    at = 0
    for (pos, end), written in edits:
        parts += [text[at:pos], written]
        at = end
    changed = "".join([*parts, text[at:]])
    with deep_recursion():
        after = Analysis(read(changed, None), None, None)
    before = _meanings(snapshot.analysis, here.name if here.kind == GLOBAL else None)
    if before != _meanings(after, new if here.kind == GLOBAL else None):
        raise Refused(f"`{new}` would mean something else in some place: a name like that is there already")
    known = _errors(snapshot.analysis)
    if any(count > known.get(slug, 0) for slug, count in _errors(after).items()):
        raise Refused(f"with the name `{new}` there would be new errors")


def _errors(analysis: Analysis) -> dict[str, int]:
    """Return how often each rule finds something."""
    counts: dict[str, int] = {}
    for one in [*analysis.found, *[one for _, one in analysis.syntax]]:
        counts[one.slug] = counts.get(one.slug, 0) + 1
    return counts


def _meanings(analysis: Analysis, own: str | None) -> list[tuple[str, int]]:
    """Return for each name in the order of the text its kind and the number of the name that defines it."""
    found: list[tuple[str, int]] = []
    for item in analysis.tree.items:
        numbers: dict[int, int] = {}
        for one in Occurrences(analysis, item).all:
            if isinstance(one.key, str):
                name = "" if one.kind == GLOBAL and one.key == own else one.key
                found.append((one.kind + name, 0))
            else:
                found.append((one.kind, numbers.setdefault(id(one.key), len(numbers))))
    return found
