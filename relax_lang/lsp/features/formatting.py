"""Formatting of documents, ranges, and while typing."""

from __future__ import annotations

from lsprotocol import types

from relax_lang.base.diagnostic import has_errors
from relax_lang.lsp.other_languages import formatted
from relax_lang.lsp.server import RelaxServer, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.workspace.text.document import Document

MOST_LINES = 20_000
"""For longer texts one edit replaces everything."""


def register(server: RelaxServer) -> None:
    """Add what formats documents."""

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def whole(ls: RelaxServer, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = ls.programs.document(params.text_document.uri)
        return None if document is None else [edit for _, _, edit in _edits(ls, document)]

    @server.feature(types.TEXT_DOCUMENT_RANGE_FORMATTING)
    async def some(
        ls: RelaxServer, params: types.DocumentRangeFormattingParams
    ) -> list[types.TextEdit] | None:
        document = ls.programs.document(params.text_document.uri)
        return (
            None
            if document is None
            else _within(ls, document, params.range.start.line, params.range.end.line)
        )

    @server.feature(
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        types.DocumentOnTypeFormattingOptions(first_trigger_character="}", more_trigger_character=[";"]),
    )
    async def typed(
        ls: RelaxServer, params: types.DocumentOnTypeFormattingParams
    ) -> list[types.TextEdit] | None:
        document = ls.programs.document(params.text_document.uri)
        if document is None:
            return None
        first = last = params.position.line
        if params.ch == "}":
            made = ls.programs.snapshot(params.text_document.uri)
            if made is not None and made.document is document:
                item = made.item_at(ls.offset(made, params.position))
                if item is not None:
                    first = document.lines.line_of(made.span(item)[0])
        return _within(ls, document, first, last)


def _within(ls: RelaxServer, document: Document, first: int, last: int) -> list[types.TextEdit]:
    return [
        edit for begin, end, edit in _edits(ls, document) if begin <= last and max(begin, end - 1) >= first
    ]


def _edits(server: RelaxServer, document: Document) -> Iterator[tuple[int, int, types.TextEdit]]:
    """Yield the changes that format a document: first line, line after the last, edit. None for a broken text."""
    from difflib import SequenceMatcher

    from relax_lang.format import safe

    width = server.project.config(path_of(document.path)).line_length or safe.WIDTH
    made = formatted(path_of(document.path), document.text, width)
    if made is None or has_errors(made.diagnostics) or made.text == document.text:
        return
    before, after = document.text.splitlines(keepends=True), made.text.splitlines(keepends=True)
    if "\r" in document.text or len(before) > MOST_LINES or "\f" in document.text or "\x85" in document.text:
        end = document.lines.place(len(document.text), server.encoding)
        yield (
            0,
            len(before),
            types.TextEdit(types.Range(types.Position(0, 0), types.Position(*end)), made.text),
        )
        return
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    for tag, begin, end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            place = types.Range(
                types.Position(*document.lines.place(starts[begin], server.encoding)),
                types.Position(*document.lines.place(starts[end], server.encoding)),
            )
            yield begin, end, types.TextEdit(place, "".join(after[new:new_end]))
