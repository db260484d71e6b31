"""Inlay hints: the struct infos of bindings without annotation, and the shape variables that a call binds."""

from __future__ import annotations

from lsprotocol import types

from relax_lang.format.printer import show
from relax_lang.lsp.features.actions import annotation
from relax_lang.lsp.other_languages import WholeSnapshot
from relax_lang.lsp.server import RelaxServer
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import GLOBAL, VARIABLE
from relax_lang.workspace.incremental.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.occurrences import Occurrence

LONGEST = 60


def register(server: RelaxServer) -> None:
    """Add what answers requests for inlay hints."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))
    async def inlay_hint(ls: RelaxServer, params: types.InlayHintParams) -> list[types.InlayHint]:
        made = await ls.checked(params.text_document.uri)
        if isinstance(made, WholeSnapshot):
            return list(_hints_elsewhere(ls, made, ls.span(made, params.range)))
        return list(_hints(ls, made, ls.span(made, params.range))) if isinstance(made, Snapshot) else []


def _hints(server: RelaxServer, made: Snapshot, span: Span) -> Iterator[types.InlayHint]:
    for item in made.items:
        pos, end = made.span(item)
        if not isinstance(item, tree.Function) or end < span[0] or pos > span[1]:
            continue
        first, last = made.address(item, max(pos, span[0])), made.address(item, min(end, span[1]))
        for one in made.occurrences(item).between(first, last):
            if one.kind == VARIABLE and one.is_definition:
                hint = _info(server, made, item, one)
            elif one.kind == GLOBAL and not one.is_definition:
                hint = _dimensions(server, made, item, one)
            else:
                continue
            if hint is not None:
                yield hint


def _info(
    server: RelaxServer, made: Snapshot, item: tree.Function, one: Occurrence
) -> types.InlayHint | None:
    binder = one.key
    if not isinstance(binder, tree.Var | tree.DataflowVar) or binder.struct_info_annotation is not None:
        return None
    info = made.info_of(item, binder.pos, binder.end)
    if info is None or info is REJECTED:
        return None
    place = server.range(made, made.layout.span(one.pos, one.end)).end
    written = annotation(made, item, binder)
    edits = None if written is None else [types.TextEdit(types.Range(place, place), f": {written}")]
    return _type_hint(place, show(info), edits)


def _hints_elsewhere(server: RelaxServer, made: WholeSnapshot, span: Span) -> Iterator[types.InlayHint]:
    """Yield the types of variables in a document in another language; they are not put into the text."""
    for function in made.outline():
        for one in function.inside:
            if one.type is not None and not one.is_written and span[0] <= one.place[1] <= span[1]:
                yield _type_hint(server.range(made, one.place).end, one.type, None)


def _type_hint(place: types.Position, text: str, edits: list[types.TextEdit] | None) -> types.InlayHint:
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return types.InlayHint(
        position=place,
        label=f": {shown}",
        kind=types.InlayHintKind.Type,
        text_edits=edits,
        tooltip=None if shown == text else text,
    )


def _dimensions(
    server: RelaxServer, made: Snapshot, item: tree.Function, one: Occurrence
) -> types.InlayHint | None:
    """Show which values the shape variables of a callee have at a call, as far as one look at the arguments shows."""
    callee = made.analysis.module.globals.get(one.name)
    if not isinstance(callee, tree.Function):
        return None
    offset = made.layout.to_document(one.pos)
    call = next(
        (
            node
            for node in reversed(made.path_at(offset))
            if isinstance(node, tree.Call) and node.op.pos == one.pos
        ),
        None,
    )
    if call is None or len(call.args) != len(callee.params):
        return None
    bound: dict[str, str] = {}
    for param, arg in zip(callee.params, call.args, strict=True):
        wanted = param.struct_info_annotation
        given = made.info_of(item, arg.pos, arg.end)
        if isinstance(wanted, tree.TensorStructInfo) and isinstance(given, tree.TensorStructInfo):
            _match(wanted, given, bound)
    if not bound:
        return None
    place = server.range(made, made.layout.span(one.pos, one.end)).end
    label = ", ".join([f"{name}={value}" for name, value in bound.items()])
    return types.InlayHint(position=place, label=f"[{label}]", kind=types.InlayHintKind.Parameter)


def _match(wanted: tree.TensorStructInfo, given: tree.TensorStructInfo, bound: dict[str, str]) -> None:
    if not isinstance(wanted.shape, tree.ShapeExpr) or not isinstance(given.shape, tree.ShapeExpr):
        return
    for dim, value in zip(wanted.shape.values, given.shape.values, strict=False):
        if isinstance(dim, tree.PrimVar):
            bound.setdefault(dim.name, show(value))
