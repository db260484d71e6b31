"""Code actions: the fixes of findings, all safe ones at once, and small changes that the inferred infos allow."""

from __future__ import annotations

from lsprotocol import types

from relax_lang.base.diagnostic import ERROR, OFF, SAFE, Edit
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.lexemes import local_name
from relax_lang.format.printer import show
from relax_lang.lsp.features.diagnostics import converted
from relax_lang.lsp.other_languages import RelaySnapshot
from relax_lang.lsp.server import RelaxServer
from relax_lang.struct_info.bound_variables import names_in
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import PARAMETER, VARIABLE
from relax_lang.workspace.incremental.snapshot import DocumentSnapshot, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span

KINDS = [
    types.CodeActionKind.QuickFix,
    types.CodeActionKind.RefactorRewrite,
    types.CodeActionKind.SourceFixAll,
]


def register(server: RelaxServer) -> None:
    """Add what answers requests for code actions."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=KINDS))
    async def code_action(ls: RelaxServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        made = await ls.checked(params.text_document.uri)
        if made is None:
            return []
        span = ls.span(made, params.range)
        only = params.context.only
        rewrites = _rewrites(ls, made, span) if isinstance(made, Snapshot) else ()
        return [
            one
            for one in [*_fixes(ls, made, span), *rewrites, *_fix_all(ls, made)]
            if only is None or any(_word(one.kind).startswith(_word(kind)) for kind in only)
        ]


def _word(kind: types.CodeActionKind | str | None) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind or ""


def edit_of(server: RelaxServer, made: DocumentSnapshot, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    """Return some edits of a document, with the version that they are for."""
    document = types.OptionalVersionedTextDocumentIdentifier(made.document.path, made.document.version)
    texts: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(server.range(made, (edit.pos, edit.end)), edit.text) for edit in edits
    ]
    if server.supports_versioned_edits:
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, texts)])
    plain = [one for one in texts if isinstance(one, types.TextEdit)]
    return types.WorkspaceEdit(changes={made.document.path: plain})


def _touches(pos: int, end: int, span: Span) -> bool:
    return pos <= span[1] and span[0] <= end


def _fixes(server: RelaxServer, made: DocumentSnapshot, span: Span) -> Iterator[types.CodeAction]:
    can_silence = not isinstance(made, RelaySnapshot)  # its comments silence nothing
    for one in made.diagnostics:
        if not _touches(one.pos, one.end, span):
            continue
        shown = converted(server, made, one)
        for number, fix in enumerate(one.fixes):
            yield types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[shown],
                is_preferred=number == 0 and fix.applicability == SAFE,
                edit=edit_of(server, made, fix.edits),
            )
        if (
            can_silence
            and one.severity != OFF
            and not (one.code.startswith("RLX01") and one.severity == ERROR)
        ):
            yield types.CodeAction(
                title=f"silence {one.slug} here",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[shown],
                edit=edit_of(server, made, [_silence(made, one.pos, one.slug)]),
            )
        yield types.CodeAction(
            title=f"explain {one.code}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[shown],
            command=types.Command("explain", "relax.explain", arguments=[one.code]),
        )


def _silence(made: DocumentSnapshot, pos: int, slug: str) -> Edit:
    """Return the edit that adds a comment at the end of the line, or a word to the one that is there."""
    lines = made.document.lines
    start, end = lines.span(lines.line_of(pos))
    line = made.text[start:end]
    known = line.find("# relax: ignore[")
    if known >= 0 and "]" in line[known:]:
        at = start + line.index("]", known)
        return Edit(at, at, f", {slug}")
    comment = line.find("#")
    if comment >= 0 and '"' not in line[:comment]:  # a comment at the end of the line: ours comes first
        return Edit(start + comment, start + comment, f"# relax: ignore[{slug}] ")
    stop = start + len(line.rstrip())
    return Edit(stop, end, f"  # relax: ignore[{slug}]")


def _fix_all(server: RelaxServer, made: DocumentSnapshot) -> Iterator[types.CodeAction]:
    if not any(fix.applicability == SAFE for one in made.diagnostics for fix in one.fixes):
        return
    from relax_lang.check.fixes import fix_text
    from relax_lang.workspace.workspace import Workspace

    path = made.document.path

    def find(text: str) -> list[Diagnostic]:
        alone = Workspace(server.settings_of)
        alone.open(path, text)
        return [one for one in alone.check(path).diagnostics if one.severity != OFF]

    with deep_recursion():
        result = fix_text(made.text, unsafe=False, find=find, want=None)
    if result.text != made.text:
        yield types.CodeAction(
            title="apply all safe fixes",
            kind=types.CodeActionKind.SourceFixAll,
            edit=edit_of(server, made, [Edit(0, len(made.text), result.text)]),
        )


def annotation(made: Snapshot, item: tree.Function, binder: tree.Var | tree.DataflowVar) -> str | None:
    """Return the text of a variable's inferred struct info as an annotation; None if it cannot be written there."""
    info = made.info_of(item, binder.pos, binder.end)
    if info is None or info is REJECTED or isinstance(info, tree.MissingStructInfo | tree.FuncStructInfo):
        return None
    state = made.analysis.functions.get(item)
    known: set[str] = set() if state is None else set(state.scope.resolved.shape_names.get(item, ()))
    if not names_in([info]) <= known:
        return None
    text = show(info)
    return text if len(text) <= 200 else None


def _rewrites(server: RelaxServer, made: Snapshot, span: Span) -> Iterator[types.CodeAction]:
    here = made.occurrence_at(span[0])
    item = made.item_at(span[0])
    if here is None or not isinstance(item, tree.Function) or here.kind not in (VARIABLE, PARAMETER):
        return
    binder = here.key
    assert isinstance(binder, tree.Var | tree.DataflowVar)
    if here.kind == VARIABLE and here.is_definition and binder.struct_info_annotation is None:
        text = annotation(made, item, binder)
        place = made.layout.span(here.pos, here.end)
        if text is not None:
            yield types.CodeAction(
                title=f"insert inferred annotation `{text}`",
                kind=types.CodeActionKind.RefactorRewrite,
                edit=edit_of(server, made, [Edit(place[1], place[1], f": {text}")]),
            )
    yield from _match_cast(server, made, span[0], item, binder)
    yield from _output(server, made, item, binder)


def _match_cast(
    server: RelaxServer, made: Snapshot, offset: int, item: tree.Function, binder: tree.Var | tree.DataflowVar
) -> Iterator[types.CodeAction]:
    info = made.info_of(item, binder.pos, binder.end)
    binding = next((node for node in made.path_at(offset) if isinstance(node, tree.VarBinding)), None)
    if binding is None or info is None or binding.var is not binder or info is REJECTED:
        return
    text = annotation(made, item, binder)
    if text is None or isinstance(binding.value, tree.Function) or _has_function_type(info):
        return
    pos, end = made.span(binding.value)
    yield types.CodeAction(
        title="insert match_cast",
        kind=types.CodeActionKind.RefactorRewrite,
        edit=edit_of(server, made, [Edit(pos, end, f"match_cast({made.text[pos:end]}, {text})")]),
    )


def _has_function_type(info: tree.StructInfo) -> bool:
    """Return whether a match_cast cannot check all of a struct info when it runs."""
    if isinstance(info, tree.TupleStructInfo):
        return any(_has_function_type(field) for field in info.fields)
    return isinstance(info, tree.FuncStructInfo)


def _output(
    server: RelaxServer, made: Snapshot, item: tree.Function, binder: tree.Var | tree.DataflowVar
) -> Iterator[types.CodeAction]:
    from relax_lang.base.node import walk

    for block in walk(item):
        if not isinstance(block, tree.DataflowBlock):
            continue
        if any(binding.var is binder for binding in block.bindings) and not any(
            output.name_hint == binder.name_hint for output in block.outputs
        ):
            name = local_name(binder.name_hint)
            if block.outputs:
                at = made.span(block.outputs[-1])[1]
                edit = Edit(at, at, f", {name}")
            else:
                at = made.span(block)[1] - 1
                edit = Edit(at, at, f"output {name}; ")
            yield types.CodeAction(
                title=f"add `{name}` to the output of its dataflow block",
                kind=types.CodeActionKind.RefactorRewrite,
                edit=edit_of(server, made, [edit]),
            )
            return
