"""Completion; the documentation of an entry is looked up when the client asks for it."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from relax_lang.files.programs import PYTHON_SUFFIX
from relax_lang.lsp.hovering import doc_of, operator_page
from relax_lang.lsp.other_languages import RelaySnapshot, is_whole
from relax_lang.lsp.protocol import Ready
from relax_lang.lsp.server import RelaxServer, path_of
from relax_lang.ops import registry
from relax_lang.workspace import completion
from relax_lang.workspace.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.workspace.snapshot import DocumentSnapshot

SECONDS_TO_WAIT = 0.5
"""How long completion waits for the first analysis of a document; the client asks again for more."""

KINDS = {
    completion.FUNCTION: types.CompletionItemKind.Function,
    completion.OPERATOR: types.CompletionItemKind.Function,
    completion.NAME: types.CompletionItemKind.Variable,
    completion.DIMENSION: types.CompletionItemKind.TypeParameter,
    completion.KEYWORD: types.CompletionItemKind.Keyword,
    completion.SNIPPET: types.CompletionItemKind.Snippet,
    completion.ATTRIBUTE: types.CompletionItemKind.Property,
    completion.VALUE: types.CompletionItemKind.EnumMember,
    completion.TYPE: types.CompletionItemKind.Class,
}


def register(server: RelaxServer) -> None:
    """Add what answers requests for completion."""

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=[".", "@", "%", "=", "["], resolve_provider=True),
    )
    async def complete(ls: RelaxServer, params: types.CompletionParams) -> Ready:
        uri = params.text_document.uri
        document = ls.programs.document(uri)
        if document is None or path_of(uri).endswith(PYTHON_SUFFIX):
            return Ready({"isIncomplete": False, "items": []})
        offset = document.lines.offset(params.position.line, params.position.character, ls.encoding)
        known = ls.programs.checked(uri) or await _first_analysis(ls, uri)
        if is_whole(path_of(uri)):
            from relax_lang.lsp import relay_names

            relay = known if isinstance(known, RelaySnapshot) else None
            found, names = (None, []) if relay is None else (relay.found, relay.names())
            made = relay_names.complete(document.text, offset, found, names)
        else:
            snapshot = known if isinstance(known, Snapshot) else None
            made = completion.complete(document.text, offset, snapshot, ls.marks_of(uri))
        start = document.lines.place(made.start, ls.encoding)
        # Clients find the word before the cursor by themselves, unless it has marks in it.
        is_word = document.text[made.start : offset].isidentifier() or made.start == offset
        place = None
        if not is_word:
            cursor = {"line": params.position.line, "character": params.position.character}
            place = {"start": {"line": start[0], "character": start[1]}, "end": cursor}
        items = [_item(ls, uri, one, place, number) for number, one in enumerate(made.found)]
        return Ready({"isIncomplete": made.is_cut or known is None, "items": items})

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve(ls: RelaxServer, item: types.CompletionItem) -> types.CompletionItem:
        if isinstance(item.data, str) and is_whole(path_of(item.data)):
            return item  # its operators have no pages
        operator = registry.lookup(item.label)
        if item.kind == types.CompletionItemKind.Function and operator is not None:
            item.detail = operator.signature
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, operator_page(operator))
        elif item.label.startswith("@") and isinstance(item.data, str):
            made = ls.programs.snapshot(item.data)
            found = made.analysis.module.globals.get(item.label[1:]) if made is not None else None
            if made is not None and found is not None:
                item.documentation = types.MarkupContent(types.MarkupKind.Markdown, doc_of(made, found))
        return item


async def _first_analysis(ls: RelaxServer, uri: str) -> DocumentSnapshot | None:
    """Return the analysis of a document that was opened just now, if it is made soon; tokens alone know little."""
    try:
        return await asyncio.wait_for(ls.checked(uri), SECONDS_TO_WAIT)
    except TimeoutError:
        return None


def _item(
    ls: RelaxServer, uri: str, one: completion.Proposal, place: object, number: int
) -> dict[str, object]:
    as_snippet = one.is_snippet and ls.supports_snippets
    text = one.insert if as_snippet or not one.is_snippet else one.label
    item: dict[str, object] = {
        "label": one.label,
        "kind": KINDS[one.kind],
        "sortText": f"{number:04}",
        "data": uri,
    }
    if one.detail:
        item["detail"] = one.detail
    if as_snippet:
        item["insertTextFormat"] = types.InsertTextFormat.Snippet
    if place is not None:
        item["textEdit"] = {"range": place, "newText": text}
    elif text != one.label:
        item["insertText"] = text
    return item
