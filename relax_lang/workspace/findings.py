"""What is reported of a document: the findings of all phases and lints, less what comments silence.

Places are offsets of the document. The order of the phases, what hides what, and what is said once are those of
`check_source`.
"""

from __future__ import annotations

from bisect import bisect_left

from relax_lang.base.diagnostic import ERROR, OFF, Diagnostic, Edit, Fix, Label, in_order
from relax_lang.base.node import walk
from relax_lang.base.source import SourceFile
from relax_lang.syntax import tree
from relax_lang.syntax.driver import layout_hints
from relax_lang.syntax.parser import Comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.workspace.analysis import Analysis
    from relax_lang.workspace.pieces import Piece

    Map = Callable[[int], int]


class Findings:
    """What is reported of a document, and what its comments silence; offsets are those of the document."""

    __slots__ = ("diagnostics", "ignored")

    def __init__(self, diagnostics: list[Diagnostic], ignored: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        self.ignored = ignored


def findings(analysis: Analysis, path: str, lints: Sequence[str]) -> Findings:
    """Return what is to be reported; `lints` are words for rules that are off."""
    layout = analysis.layout
    offsets = dict(zip(layout.pieces, layout.offsets, strict=True))
    found: list[Diagnostic] = []
    for piece, one in analysis.syntax:
        found.append(moved(one, _within(piece, offsets[piece])))
    found = in_order([*found, *layout_hints(layout.text)])
    places = sorted(
        [one.pos for one in analysis.found if one.severity == ERROR]
        + [one.pos for _, one in analysis.syntax if one.severity == ERROR]
    )
    found += [moved(one, layout.to_document) for one in analysis.found]
    found += _lint(analysis, places, lints)
    found = in_order({(one.code, one.pos, one.end, one.message): one for one in found}.values())
    if analysis.syntax and any(one.slug in ("op-attribute", "op-argument") for one in found):
        from relax_lang.check.consequences import merged  # hardly any text has mistakes of both kinds

        found = merged(found, {layout.span(one.pos, one.end) for one in analysis.losses.lists})
    ignored: list[Diagnostic] = []
    if analysis.features.directives:
        from relax_lang.check.suppressions import apply_ignores  # hardly any text has such comments

        source = SourceFile(layout.text, path)
        items = [_Stretch(*layout.span(item.pos, item.end)) for item in analysis.tree.items]
        stay, ignored = apply_ignores(source, comments(analysis), items, found)
        found = in_order(stay)
    return Findings(_asked_for(found, lints), _asked_for(ignored, lints))


class _Stretch:
    """Where an item is in the document."""

    __slots__ = ("end", "pos")

    def __init__(self, pos: int, end: int) -> None:
        self.pos = pos
        self.end = end


def comments(analysis: Analysis) -> list[Comment]:
    """Return the comments of a document, with its offsets."""
    found: list[Comment] = []
    for piece, offset in zip(analysis.layout.pieces, analysis.layout.offsets, strict=True):
        to = _within(piece, offset)
        found += [Comment(to(one.pos), to(one.end), one.text) for one in piece.comments]
    return found


def _within(piece: Piece, offset: int) -> Map:
    return lambda address: address if address < 0 else offset + piece.to_offset(address)


def moved(one: Diagnostic, to: Map) -> Diagnostic:
    """Return a diagnostic with other places."""
    pos = to(one.pos)
    made = Diagnostic(one.rule, pos, to(one.end), one.message, one.primary)
    made.severity = one.severity
    made.labels = [Label(to(label.pos), to(label.end), label.message) for label in one.labels]
    made.notes = one.notes
    made.help = one.help
    made.fixes = [
        Fix(
            fix.title,
            [Edit(to(edit.pos), to(edit.end), edit.text) for edit in fix.edits],
            fix.applicability,
        )
        for fix in one.fixes
    ]
    made.data = one.data
    block = one.data.get("block")
    if isinstance(block, tuple) and block:
        begin, end = block  # pyright: ignore[reportUnknownVariableType]
        made.data = {**one.data, "block": (to(begin), to(end))}  # pyright: ignore[reportUnknownArgumentType]
    return made


def _lint(analysis: Analysis, errors: list[int], words: Sequence[str]) -> list[Diagnostic]:
    """Return what lints find in items without errors, with offsets of the document."""
    layout = analysis.layout
    found: list[Diagnostic] = []
    if analysis.features.private and not errors:
        found += _unreached(analysis)
    if words or analysis.features.directives:
        from relax_lang.check.lints.core.driver import ALL  # only if asked for

        chosen = tuple(ALL if analysis.features.directives else words)
        host = any(one.has_effects for one in analysis.inferences)
        host = host or any(one.needs_care for one in analysis.mentions.values())
        for item in analysis.tree.items:
            following = bisect_left(errors, item.pos)
            if following < len(errors) and errors[following] <= item.end:
                continue
            found += [moved(one, layout.to_document) for one in _lint_item(analysis, item, chosen, host=host)]
    return found


def _lint_item(
    analysis: Analysis, item: tree.Item, words: tuple[str, ...], *, host: bool
) -> list[Diagnostic]:
    from relax_lang.check.infer.inferred import Inferred
    from relax_lang.check.lints.core.driver import run_lints
    from relax_lang.scope.context import Resolved

    module = tree.IRModule((), (item,), item.pos, item.end)
    layout = analysis.layout
    text = layout.padded
    state = analysis.functions.get(item) if isinstance(item, tree.Function) else None
    if state is None or state.inference is None:
        return run_lints(module, [item], Resolved(), Inferred(module), text, (), words, host)
    key = (words, host, state.scope)
    known = state.inference.lints.get(state.item)
    if known is None or known[0] != key:
        piece = layout.piece_of(item.pos)
        made = run_lints(
            module,
            [item],
            state.scope.resolved,
            state.inference.inferred,
            text,
            piece.comments,
            words,
            host,
            walk if state.scope.long is None else state.scope.long.nodes_for_lints,
        )
        known = state.inference.lints[state.item] = key, made
    return known[1]


def _unreached(analysis: Analysis) -> list[Diagnostic]:
    """Return the items that nothing leads to. The edit that removes one reaches into the piece that follows."""
    from relax_lang.check.lints.dead_functions import (
        removal,
        unreached,
    )  # only where something may be unreached

    layout = analysis.layout
    found: list[Diagnostic] = []
    by_place = {item.name.pos: item for item in analysis.tree.items if item.name is not None}
    for one in unreached(analysis.tree, analysis.module, layout.padded):
        report = moved(one, layout.to_document)
        item = by_place[one.pos]
        edit = removal(*layout.span(item.pos, item.end), layout.text)
        report.fixes = [Fix(fix.title, [edit], fix.applicability) for fix in report.fixes]
        found.append(report)
    return found


def _asked_for(found: list[Diagnostic], words: Sequence[str]) -> list[Diagnostic]:
    """Leave out what rules have found that are off, unless one of the words means them."""
    if all(one.severity != OFF for one in found):
        return found
    from relax_lang.check.selection import is_among  # only if something is off

    return [one for one in found if one.severity != OFF or is_among(one, words)]
