"""Hover and signature help."""

from __future__ import annotations

from lsprotocol import types

from relax_lang.format.lexemes import global_name, local_name
from relax_lang.format.printer import show
from relax_lang.lsp.other_languages import WholeSnapshot
from relax_lang.lsp.server import RelaxServer
from relax_lang.ops import registry
from relax_lang.struct_info.bound_variables import names_in
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import GLOBAL, OPERATOR, SHAPE_VARIABLE
from relax_lang.workspace.queries.token_context import call_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import Span
    from relax_lang.ops.core.operator import Operator
    from relax_lang.workspace.incremental.occurrences import Occurrence
    from relax_lang.workspace.incremental.snapshot import Snapshot
    from relax_lang.workspace.queries.token_context import CallPlace

MOST_CHARACTERS = 120
"""Values up to this length are shown."""


def register(server: RelaxServer) -> None:
    """Add what answers hovers and requests for signatures."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: RelaxServer, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        place = await ls.recent(uri, params.position)
        if place is not None:
            return hover_at(ls, *place)
        made = await ls.checked(uri)
        if not isinstance(made, WholeSnapshot):
            return None
        found = made.type_at(ls.offset(made, params.position))
        return None if found is None else types.Hover(_markdown(_fenced(found)))

    @server.feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=["(", ",", "="])
    )
    async def signature_help(
        ls: RelaxServer, params: types.SignatureHelpParams
    ) -> types.SignatureHelp | None:
        uri = params.text_document.uri
        document = ls.relax_document(uri)
        if document is None:
            return None
        offset = document.lines.offset(params.position.line, params.position.character, ls.encoding)
        place = call_at(document.text, offset, ls.marks_of(uri))
        if place is None:
            return None
        made = ls.programs.snapshot(uri)
        if made is None and place.callee.startswith("@"):  # the document was opened just now
            made = await ls.snapshot(uri)
        return _signature(place, made)


def hover_at(server: RelaxServer, made: Snapshot, offset: int) -> types.Hover | None:
    """Return what is known of the name or value at an offset."""
    here = made.occurrence_at(offset)
    if here is not None:
        text = _of_name(made, here, offset)
        span = made.layout.span(here.pos, here.end)
    else:
        found = _of_value(made, offset)
        if found is None:
            return None
        text, span = found
    if not text:
        return None
    return types.Hover(_markdown(text), server.range(made, span))


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def _fenced(code: str) -> str:
    return f"```relax\n{code}\n```"


def _of_value(made: Snapshot, offset: int) -> tuple[str, Span] | None:
    path = made.path_at(offset)
    for node in reversed(path):
        if isinstance(node, tree.Expr | tree.Binding):
            item = path[0]
            assert isinstance(item, tree.Item)
            info = made.info_of(item, node.pos, node.end)
            if info is not None:
                return _fenced(show(info)) + _origins(made, offset, info), made.span(node)
    return None


def _of_name(made: Snapshot, here: Occurrence, offset: int) -> str:
    if here.kind == OPERATOR:
        operator = registry.lookup(here.name)
        return "" if operator is None else operator_page(operator)
    if here.kind == GLOBAL:
        return _of_global(made, here.name)
    if isinstance(here.key, tree.Var | tree.DataflowVar):
        item = made.item_at(offset)
        assert item is not None
        info = made.info_of(item, here.key.pos, here.key.end)
        if info is None:
            return _fenced(local_name(here.name))
        text = _fenced(f"{local_name(here.name)}: {show(info)}") + _origins(made, offset, info)
        return text + _value(made, here)
    if here.kind == SHAPE_VARIABLE:
        item = made.item_at(offset)
        where = _origin(made, item, here.name) if item is not None else ""
        return _fenced(here.name) + (f"\n\nshape variable{where}" if where else "\n\nshape variable")
    assert not isinstance(here.key, str)
    return _fenced(made.text[slice(*made.span(here.key))].split("\n", 1)[0]) + f"\n\n{here.kind}"


def _value(made: Snapshot, here: Occurrence) -> str:
    """Return the value of a variable that is bound to a small constant."""
    assert not isinstance(here.key, str)
    for node in reversed(made.path_at(made.layout.to_document(here.key.pos))):
        if (
            isinstance(node, tree.VarBinding)
            and node.var is here.key
            and isinstance(node.value, tree.Constant)
        ):
            text = made.text[slice(*made.span(node.value))]
            return f"\n\nvalue: `{text}`" if len(text) <= MOST_CHARACTERS and "\n" not in text else ""
    return ""


def _origins(made: Snapshot, offset: int, info: tree.StructInfo) -> str:
    """Return where each dimension of an info comes from."""
    item = made.item_at(offset)
    if item is None:
        return ""
    lines = [
        f"- `{name}`{where}" for name in sorted(names_in([info])) if (where := _origin(made, item, name))
    ]
    return "\n\n" + "\n".join(lines) if lines else ""


def _origin(made: Snapshot, item: tree.Item, name: str) -> str:
    """Return what binds a shape variable, and where."""
    state = made.analysis.functions.get(item) if isinstance(item, tree.Function) else None
    bound = None if state is None else state.scope.resolved.shape_names.get(item, {}).get(name)
    if bound is None or bound.pos < 0:
        return ""
    place = made.layout.to_document(bound.pos)
    line = made.document.lines.line_of(place) + 1
    for node in reversed(made.path_at(place)):
        if isinstance(node, tree.Var) and node.struct_info_annotation is not None:
            return f": bound by `{local_name(node.name_hint)}` in line {line}"
        if isinstance(node, tree.MatchCast):
            return f": bound by the match_cast in line {line}"
    return f": bound in line {line}"


def _of_global(made: Snapshot, name: str) -> str:
    item = made.analysis.module.globals.get(name)
    if item is None:
        return ""
    info = made.function_info(name)
    if isinstance(item, tree.PrimFunc):
        head = made.text[slice(*made.span(item))].split("{", 1)[0].strip()
        text = _fenced(head)
    else:
        text = _fenced(f"{global_name(name)}: {show(info)}" if info is not None else global_name(name))
    doc = doc_of(made, item)
    return f"{text}\n\n{doc}" if doc else text


def doc_of(made: Snapshot, item: tree.Item) -> str:
    """Return the doc comment above an item."""
    pos = made.span(item)[0]
    lines: list[str] = []
    above = made.text[:pos].split("\n")[:-1]
    while above and above[-1].lstrip().startswith("##"):
        lines.append(above.pop().strip().removeprefix("##").strip())
    return "\n".join(reversed(lines))


def operator_page(operator: Operator) -> str:
    """Return what is to be known of an operator, as Markdown."""
    from relax_lang.ops.documentation import facts

    parts = [_fenced(operator.signature), operator.doc, *[f"- {fact}" for fact in facts(operator)]]
    if operator.example:
        parts.append(_fenced(operator.example))
    return "\n\n".join(parts)


def _signature(place: CallPlace, made: Snapshot | None) -> types.SignatureHelp | None:
    """Return the signature of the call that is being written."""
    operator = registry.lookup(place.callee)
    if operator is not None:
        labels = [repr(one) for one in operator.params] + [repr(one) for one in operator.attrs]
        active = place.argument
        if place.attribute is not None:
            names = [one.name for one in operator.attrs]
            if place.attribute in names:
                active = len(operator.params) + names.index(place.attribute)
        elif operator.params and operator.params[-1].variadic:
            active = min(active, len(operator.params) - 1)
        label, doc = f"{operator.name}({', '.join(labels)})", operator.doc
    else:
        found = _parameters(place.callee, made)
        if found is None:
            return None
        labels, doc = found
        label, active = f"{place.callee}({', '.join(labels)})", place.argument
    information = types.SignatureInformation(
        label=label,
        documentation=_markdown(doc) if doc else None,
        parameters=[types.ParameterInformation(label=one) for one in labels],
        active_parameter=active,
    )
    return types.SignatureHelp([information], 0, active)


def _parameters(callee: str, made: Snapshot | None) -> tuple[list[str], str] | None:
    if made is None or not callee.startswith("@"):
        return None
    for item in made.items:
        if item.name is not None and global_name(item.name.name_hint) == callee:
            return [made.text[slice(*made.span(param))] for param in item.params], doc_of(made, item)
    return None
