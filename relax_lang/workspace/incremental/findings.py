"""What is reported of a document: the findings of all phases and lints, less what comments silence.

Places are offsets of the document. What hides what, and what is said once, is decided in `check/phases.py`.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import in_order
from relax_lang.base.source import SourceFile
from relax_lang.check.phases import lint, silenced, together
from relax_lang.syntax.driver import layout_hints
from relax_lang.syntax.parser import Comment
from relax_lang.workspace.incremental.linting import DocumentLints
from relax_lang.workspace.text.places import relocated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.workspace.incremental.analysis import Analysis
    from relax_lang.workspace.text.pieces import Piece
    from relax_lang.workspace.text.places import Map


class Findings:
    """What is reported of a document, and what its comments silence; offsets are those of the document."""

    __slots__ = ("diagnostics", "ignored")

    def __init__(self, diagnostics: list[Diagnostic], ignored: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        self.ignored = ignored


def findings(analysis: Analysis, path: str, lints: Sequence[str]) -> Findings:
    """Return what is to be reported; `lints` are words for rules that are off."""
    checkpoint()
    layout = analysis.layout
    offsets = dict(zip(layout.pieces, layout.offsets, strict=True))
    syntax = [relocated(one, _within(piece, offsets[piece])) for piece, one in analysis.syntax]
    syntax = in_order([*syntax, *layout_hints(layout.text)])
    found = [*syntax]
    found += [relocated(one, layout.to_document) for one in analysis.found]
    found += lint(DocumentLints(analysis), analysis.found, [one for _, one in analysis.syntax], lints)
    lists = {layout.span(one.pos, one.end) for one in analysis.losses.lists}
    found = together(found, has_syntax=bool(syntax), lists=lists)
    directives = None
    if analysis.features.directives:
        items = [_Stretch(*layout.span(item.pos, item.end)) for item in analysis.tree.items]
        directives = SourceFile(layout.text, path), comments(analysis), items
    return Findings(*silenced(found, lints, directives))


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
