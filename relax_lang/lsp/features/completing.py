"""Completion; the documentation of an entry is looked up when the client asks for it."""

from __future__ import annotations

import asyncio
import json
from functools import lru_cache

from lsprotocol import types

from relax_lang.files.programs import PYTHON_SUFFIX
from relax_lang.format.lexemes import global_name
from relax_lang.lsp.features.hovering import doc_of, operator_page
from relax_lang.lsp.other_languages import RelaySnapshot, is_whole
from relax_lang.lsp.protocol import Ready
from relax_lang.lsp.server import RelaxServer, path_of
from relax_lang.ops import registry
from relax_lang.workspace.incremental.snapshot import Snapshot
from relax_lang.workspace.queries import completion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.workspace.incremental.snapshot import DocumentSnapshot

MOST_REMEMBERED = 4_096
"""Entries that are kept as JSON."""

_ORDER = [f'{{"sortText":"{number:04}",' for number in range(completion.MOST)]
"""The beginning of each entry of a list."""

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
        is_other = is_whole(path_of(uri))
        if is_other:
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
        place = ""
        if not is_word:
            cursor = {"line": params.position.line, "character": params.position.character}
            place = json.dumps({"start": {"line": start[0], "character": start[1]}, "end": cursor})
        listed = _listed(made.found, place, uri, is_other, ls.supports_snippets)
        is_cut = "true" if made.is_cut or known is None else "false"
        return Ready.of_json(f'{{"isIncomplete":{is_cut},"items":[{listed}]}}')

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
            for one in () if made is None else made.items:
                if (
                    made is not None
                    and one.name is not None
                    and global_name(one.name.name_hint) == item.label
                ):
                    item.detail = completion.global_detail(made, one) or None
                    item.documentation = types.MarkupContent(types.MarkupKind.Markdown, doc_of(made, one))
                    break
        return item


def _listed(
    found: Sequence[completion.Proposal], place: str, uri: str, is_other: bool, supports_snippets: bool
) -> str:
    """Return proposals as JSON, with commas between them; `place` is what each replaces, if the client cannot know."""
    of_document = f',"data":{json.dumps(uri)}}}'
    items: list[str] = []
    for before, one in zip(_ORDER, found, strict=False):
        is_snippet = one.is_snippet
        entry = _entry(one.label, one.kind, one.detail, one.insert, is_snippet, supports_snippets, place)
        # What the answer to `resolve` needs no document for does not name it.
        items.append(f"{before}{entry}{of_document if is_other or one.label[0] == '@' else '}'}")
    return ",".join(items)


async def _first_analysis(ls: RelaxServer, uri: str) -> DocumentSnapshot | None:
    """Return the analysis of a document that was opened just now, if it is made soon; tokens alone know little."""
    try:
        return await asyncio.wait_for(ls.checked(uri), SECONDS_TO_WAIT)
    except TimeoutError:
        return None


@lru_cache(MOST_REMEMBERED)
def _entry(
    label: str, kind: str, detail: str, insert: str, is_snippet: bool, supports_snippets: bool, place: str
) -> str:
    """Return an entry as JSON without its braces: most of a list was in the one before."""
    as_snippet = is_snippet and supports_snippets
    text = insert if as_snippet or not is_snippet else label
    item: dict[str, object] = {"label": label, "kind": KINDS[kind]}
    if detail:
        item["detail"] = detail
    if as_snippet:
        item["insertTextFormat"] = types.InsertTextFormat.Snippet
    if place:
        item["textEdit"] = {"range": json.loads(place), "newText": text}
    elif text != label:
        item["insertText"] = text
    return json.dumps(item, separators=(",", ":"))[1:-1]
