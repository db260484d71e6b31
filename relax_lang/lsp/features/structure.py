"""The structure of a document: symbols, folding, selection ranges, code lenses."""

from __future__ import annotations

from lsprotocol import types

from relax_lang.base.node import walk
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.lsp.other_languages import WholeSnapshot, checker_of, is_whole
from relax_lang.lsp.server import RelaxServer, path_of, text_of
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import PARAMETER, VARIABLE
from relax_lang.workspace.incremental.snapshot import DocumentSnapshot, Snapshot
from relax_lang.workspace.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.source import Span
    from relax_lang.lsp.outlines import Definition

MOST_SYMBOLS = 1_000


def register(server: RelaxServer) -> None:
    """Add what answers questions about the structure of a document."""
    _register_symbols(server)
    _register_ranges(server)
    _register_lenses(server)


def _register_symbols(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbol(
        ls: RelaxServer, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol]:
        made = await ls.checked(params.text_document.uri)
        if isinstance(made, WholeSnapshot):
            return [_symbol(ls, made, one) for one in made.outline()]
        return list(_symbols(ls, made)) if isinstance(made, Snapshot) else []

    @server.feature(types.WORKSPACE_SYMBOL)
    async def workspace_symbol(
        ls: RelaxServer, params: types.WorkspaceSymbolParams
    ) -> list[types.WorkspaceSymbol]:
        found: list[types.WorkspaceSymbol] = []
        query = params.query.lower().removeprefix("@")
        for uri in [*ls.programs.paths, *ls.other_files()]:
            if is_whole(path_of(uri)):
                other = await ls.checked(uri) or _whole_of_file(ls, uri)
                if isinstance(other, WholeSnapshot):
                    found += [
                        types.WorkspaceSymbol(
                            types.Location(uri, ls.range(other, one.place)),
                            one.name,
                            types.SymbolKind.Function,
                        )
                        for one in other.outline()
                        if query in one.name.lower()
                    ]
                continue
            made = await ls.snapshot(uri) or _of_file(uri)
            for item in () if made is None else made.items:
                if made is not None and item.name is not None and query in item.name.name_hint.lower():
                    place = types.Location(uri, ls.range(made, made.span(item.name)))
                    name = global_name(item.name.name_hint)
                    found.append(types.WorkspaceSymbol(place, name, types.SymbolKind.Function))
            if len(found) >= MOST_SYMBOLS:
                break
        return found


def _register_ranges(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(ls: RelaxServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        made = await ls.snapshot(params.text_document.uri)
        return [] if made is None else list(_folds(made))

    @server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)
    async def selection(
        ls: RelaxServer, params: types.SelectionRangeParams
    ) -> list[types.SelectionRange] | None:
        made = await ls.snapshot(params.text_document.uri)
        if made is None:
            return None
        return [_selection(ls, made, ls.offset(made, position)) for position in params.positions]


def _register_lenses(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def code_lens(ls: RelaxServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        made = await ls.snapshot(params.text_document.uri)
        found: list[types.CodeLens] = []
        for item in () if made is None else made.items:
            if made is None or item.name is None or not isinstance(item, tree.Function) or item.private:
                continue
            place = ls.range(made, made.span(item.name))
            arguments = [made.document.path, item.name.name_hint]
            if not item.params:
                found.append(types.CodeLens(place, types.Command("run", "relax.run", arguments=arguments)))
            found.append(types.CodeLens(place, types.Command("graph", "relax.graph", arguments=arguments)))
        return found


def _whole_of_file(server: RelaxServer, uri: str) -> DocumentSnapshot | None:
    path = path_of(uri)
    text, check = text_of(path), checker_of(path, server.settings_of(uri))
    return None if text is None or check is None else check(Document(uri, text, 0))


def _of_file(uri: str) -> Snapshot | None:
    from relax_lang.workspace.workspace import Workspace

    path = path_of(uri)
    text = None if is_whole(path) else text_of(path)
    if text is None:
        return None
    alone = Workspace()
    alone.open(uri, text)
    return alone.analyse(uri)


def _symbols(server: RelaxServer, made: Snapshot) -> Iterator[types.DocumentSymbol]:
    for item in made.items:
        if item.name is None:
            continue
        children: list[types.DocumentSymbol] = []
        for one in made.occurrences(item).all:
            if one.is_definition and one.kind in (VARIABLE, PARAMETER) and not isinstance(one.key, str):
                info = made.info_of(item, one.key.pos, one.key.end)
                place = server.range(made, made.layout.span(one.pos, one.end))
                children.append(
                    types.DocumentSymbol(
                        name=one.name,
                        kind=types.SymbolKind.Variable,
                        range=place,
                        selection_range=place,
                        detail=None if info is None else show(info),
                    )
                )
        info = made.function_info(item.name.name_hint)
        yield types.DocumentSymbol(
            name=global_name(item.name.name_hint),
            kind=types.SymbolKind.Function,
            range=server.range(made, made.span(item)),
            selection_range=server.range(made, made.span(item.name)),
            detail="prim_func" if isinstance(item, tree.PrimFunc) else None if info is None else show(info),
            children=children,
        )


def _symbol(server: RelaxServer, made: WholeSnapshot, one: Definition) -> types.DocumentSymbol:
    """Return a definition of a document in another language as a symbol."""
    return types.DocumentSymbol(
        name=one.name,
        kind=types.SymbolKind.Function if one.inside or one.span != one.place else types.SymbolKind.Variable,
        range=server.range(made, one.span),
        selection_range=server.range(made, one.place),
        detail=one.type,
        children=[_symbol(server, made, inner) for inner in one.inside],
    )


def _folds(made: Snapshot) -> Iterator[types.FoldingRange]:
    lines = made.document.lines
    seen: set[tuple[int, int]] = set()
    for item in made.items:
        for node in walk(item):
            if isinstance(node, tree.Item | tree.SeqExpr | tree.BlockOfBindings | tree.Stmt):
                begin, end = made.span(node)
                first, last = lines.line_of(begin), lines.line_of(max(begin, end - 1)) - 1
                if last > first and (first, last) not in seen:
                    seen.add((first, last))
                    yield types.FoldingRange(first, last)
    from relax_lang.workspace.incremental.findings import (
        comments,  # with all passes of the checker, which have run by now
    )

    run: list[int] = []
    for comment in [*comments(made.analysis), None]:
        line = -1 if comment is None else lines.line_of(comment.pos)
        if run and line != run[-1] + 1:
            if len(run) > 1:
                yield types.FoldingRange(run[0], run[-1], kind=types.FoldingRangeKind.Comment)
            run = []
        run.append(line)


def _selection(server: RelaxServer, made: Snapshot, offset: int) -> types.SelectionRange:
    spans: list[Span] = [(0, len(made.text)), *[made.span(node) for node in made.path_at(offset)]]
    here = made.occurrence_at(offset)
    if here is not None:
        spans.append(made.layout.span(here.pos, here.end))
    found = types.SelectionRange(server.range(made, spans[0]))
    last = spans[0]
    for span in spans[1:]:
        if span != last and last[0] <= span[0] <= offset <= span[1] <= last[1]:
            found = types.SelectionRange(server.range(made, span), found)
            last = span
    return found
