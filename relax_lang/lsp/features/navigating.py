"""Definition, references, highlights, renaming, calls."""

from __future__ import annotations

from contextlib import contextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from relax_lang.base.diagnostic import Edit
from relax_lang.format.lexemes import global_name
from relax_lang.lsp.features.actions import edit_of
from relax_lang.lsp.other_languages import RelaySnapshot
from relax_lang.lsp.server import RelaxServer
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import GLOBAL
from relax_lang.workspace.queries import navigation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Protocol

    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.snapshot import DocumentSnapshot, Snapshot

    class _Place(Protocol):
        """The parameters of a request about a place."""

        text_document: types.TextDocumentIdentifier
        position: types.Position


def register(server: RelaxServer) -> None:
    """Add what answers questions about names."""
    _register_definitions(server)
    _register_uses(server)
    _register_renaming(server)
    _register_calls(server)


async def _at(ls: RelaxServer, params: _Place) -> tuple[Snapshot, int] | None:
    made = await ls.snapshot(params.text_document.uri)
    return None if made is None else (made, ls.offset(made, params.position))


def _location(ls: RelaxServer, made: DocumentSnapshot, span: Span | None) -> types.Location | None:
    return None if span is None else types.Location(made.document.path, ls.range(made, span))


async def _relay_at(ls: RelaxServer, params: _Place) -> tuple[RelaySnapshot, int] | None:
    """Return the analysis of a document in Relay, and an offset; None for another language."""
    uri = params.text_document.uri
    if ls.relax_document(uri) is not None:
        return None  # its analysis need not be waited for
    made = await ls.checked(uri)
    return (made, ls.offset(made, params.position)) if isinstance(made, RelaySnapshot) else None


async def _definition(ls: RelaxServer, params: _Place) -> types.Location | None:
    found = await _relay_at(ls, params)
    if found is None:
        return await _found(ls, params, navigation.definition)
    from relax_lang.lsp import relay_names

    made, offset = found
    return _location(ls, made, relay_names.definition(made.names(), offset))


async def _uses(ls: RelaxServer, params: _Place) -> tuple[DocumentSnapshot, list[tuple[bool, Span]]] | None:
    """Return where the name at a place is, and where of these it is defined."""
    found = await _relay_at(ls, params)
    if found is not None:
        from relax_lang.lsp import relay_names

        made, offset = found
        return made, [(one.is_definition, one.place) for one in relay_names.uses(made.names(), offset)]
    place = await _at(ls, params)
    if place is None:
        return None
    return place[0], [(one.is_definition, span) for one, span in navigation.uses(*place)]


async def _found(
    ls: RelaxServer, params: _Place, find: Callable[[Snapshot, int], Span | None]
) -> types.Location | None:
    """Return what is found for a place. What is found in the change that is being analysed has to be waited for."""
    place = await ls.recent(params.text_document.uri, params.position)
    span = None if place is None else find(*place)
    if place is not None and span is not None and not place[0].layout.knows(span):
        place = await _at(ls, params)
        span = None if place is None else find(*place)
    return None if place is None else _location(ls, place[0], span)


def _register_definitions(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(ls: RelaxServer, params: types.DefinitionParams) -> types.Location | None:
        return await _definition(ls, params)

    @server.feature(types.TEXT_DOCUMENT_DECLARATION)
    async def declaration(ls: RelaxServer, params: types.DeclarationParams) -> types.Location | None:
        return await _definition(ls, params)

    @server.feature(types.TEXT_DOCUMENT_TYPE_DEFINITION)
    async def type_definition(ls: RelaxServer, params: types.TypeDefinitionParams) -> types.Location | None:
        return await _found(ls, params, navigation.type_definition)


def _register_uses(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(ls: RelaxServer, params: types.ReferenceParams) -> list[types.Location]:
        found = await _uses(ls, params)
        if found is None:
            return []
        made, places = found
        return [
            types.Location(made.document.path, ls.range(made, span))
            for is_definition, span in places
            if params.context.include_declaration or not is_definition
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(
        ls: RelaxServer, params: types.DocumentHighlightParams
    ) -> list[types.DocumentHighlight]:
        found = await _uses(ls, params)
        if found is None:
            return []
        made, places = found
        kinds = types.DocumentHighlightKind
        return [
            types.DocumentHighlight(ls.range(made, span), kinds.Write if is_definition else kinds.Read)
            for is_definition, span in places
        ]


def _register_renaming(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare_rename(ls: RelaxServer, params: types.PrepareRenameParams) -> types.Range | None:
        with _refusing():
            relay = await _relay_at(ls, params)
            if relay is not None:
                from relax_lang.lsp import relay_names

                made, offset = relay
                return ls.range(made, relay_names.renamable(made.found, made.names(), offset).place)
            place = await _at(ls, params)
            return None if place is None else ls.range(place[0], navigation.renamable(*place))

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(ls: RelaxServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        with _refusing():
            relay = await _relay_at(ls, params)
            if relay is not None:
                from relax_lang.lsp import relay_names

                made, offset = relay
                found = relay_names.rename(made.found, made.names(), offset, params.new_name)
                return edit_of(ls, made, [Edit(*span, text) for span, text in found])
            place = await _at(ls, params)
            if place is None:
                return None
            edits = navigation.rename(*place, params.new_name)
            return edit_of(ls, place[0], [Edit(*span, text) for span, text in edits])


@contextmanager
def _refusing() -> Generator[None]:
    """Answer with an error that explains why a name cannot be changed."""
    try:
        yield
    except navigation.Refused as refused:
        raise JsonRpcInvalidParams(str(refused)) from None


def _register_calls(server: RelaxServer) -> None:
    def entry(ls: RelaxServer, made: Snapshot, item: tree.Item) -> types.CallHierarchyItem:
        assert item.name is not None
        return types.CallHierarchyItem(
            name=global_name(item.name.name_hint),
            kind=types.SymbolKind.Function,
            uri=made.document.path,
            range=ls.range(made, made.span(item)),
            selection_range=ls.range(made, made.span(item.name)),
            data={"name": item.name.name_hint},
        )

    def mentions(ls: RelaxServer, made: Snapshot, item: tree.Item, name: str) -> list[types.Range]:
        return [
            ls.range(made, made.layout.span(one.pos, one.end))
            for one in made.occurrences(item).of(name)
            if one.kind == GLOBAL and not one.is_definition
        ]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def prepare(
        ls: RelaxServer, params: types.CallHierarchyPrepareParams
    ) -> list[types.CallHierarchyItem] | None:
        made = await ls.snapshot(params.text_document.uri)
        if made is None:
            return None
        offset = ls.offset(made, params.position)
        here = made.occurrence_at(offset)
        item = made.item_at(offset)
        if here is not None and here.kind == GLOBAL:
            item = made.analysis.module.globals.get(here.name)
        return None if item is None or item.name is None else [entry(ls, made, item)]

    @server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)
    async def incoming(
        ls: RelaxServer, params: types.CallHierarchyIncomingCallsParams
    ) -> list[types.CallHierarchyIncomingCall]:
        made = await ls.snapshot(params.item.uri)
        name = _name(params.item)
        if made is None:
            return []
        return [
            types.CallHierarchyIncomingCall(entry(ls, made, item), ranges)
            for item in made.items
            if item.name is not None and (ranges := mentions(ls, made, item, name))
        ]

    @server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)
    async def outgoing(
        ls: RelaxServer, params: types.CallHierarchyOutgoingCallsParams
    ) -> list[types.CallHierarchyOutgoingCall]:
        made = await ls.snapshot(params.item.uri)
        if made is None:
            return []
        known = made.analysis.module.globals
        item = known.get(_name(params.item))
        if item is None:
            return []
        return [
            types.CallHierarchyOutgoingCall(entry(ls, made, known[name]), ranges)
            for name in made.analysis.mentions[item].globals
            if name in known and (ranges := mentions(ls, made, item, name))
        ]


def _name(item: types.CallHierarchyItem) -> str:
    data = item.data
    return str(data.get("name", "")) if isinstance(data, dict) else item.name.removeprefix("@")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
