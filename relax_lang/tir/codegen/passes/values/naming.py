"""Names: a view that operations write to several times in a row gets one, and results get names of Python."""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, with_parts
from relax_lang.tir.codegen.passes.effects import Aliases, bodies_of, definitions
from relax_lang.tir.codegen.passes.rewriting import substituted
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context


def give_names(body: list[Statement], context: Context) -> None:
    """Give names to views that are written to several times, and to results."""
    _name_views(body, context)
    temporary = [name for name in definitions(body) if name.startswith("%")]
    names: dict[str, Expr] = {name: Ref(context.fresh("t")) for name in dict.fromkeys(temporary)}
    if names:
        _rename(body, names)


def _rename(body: list[Statement], names: Mapping[str, Expr]) -> None:
    for at, statement in enumerate(body):
        _rename(bodies_of(statement), names)
        made = substituted(statement, names)
        if isinstance(made, ir.Define):
            found = names.get(made.name)
            made = ir.Define(found.name, made.value) if isinstance(found, Ref) else made
        body[at] = made


def _name_views(body: list[Statement], context: Context) -> None:
    made: list[Statement] = []
    at = 0
    while at < len(body):
        _name_views(bodies_of(body[at]), context)
        stop, view = _run(body, at)
        if view is None:
            made.append(body[at])
            at += 1
            continue
        array = Aliases().root(view)
        name = Ref(context.fresh((array or "t").lower()), *type_of(view))
        made.append(ir.Define(name.name, view))

        def replaced(part: Node | Polynomial, view: ir.View = view, name: Ref = name) -> Node | Polynomial:
            if part == view:
                return name
            return with_parts(part, replaced) if isinstance(part, Node) else part

        made += [with_parts(statement, replaced) for statement in body[at:stop]]
        at = stop
    body[:] = made


def _run(body: list[Statement], start: int) -> tuple[int, ir.View | None]:
    """Return up to where statements use the view that the first of them writes to, if several of them do."""
    first = body[start]
    view = first.target if isinstance(first, ir.Into | ir.StoreWhere) else None
    if not isinstance(view, ir.View) or view.is_element:
        return start, None
    names, stop, count = names_in(view), start, 0
    for at in range(start, len(body)):
        statement = body[at]
        if not isinstance(statement, ir.Define | ir.Into | ir.StoreWhere | ir.Store | ir.Require):
            break
        if isinstance(statement, ir.Define) and statement.name in names:
            break
        if isinstance(statement, ir.Into | ir.StoreWhere | ir.Store) and statement.target == view:
            stop, count = at + 1, count + 1
    return (stop, view) if count > 1 else (start, None)
