"""Walks over statements of the array IR, and expressions rewritten in place."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_fields, with_parts
from relax_lang.tir.codegen.passes.effects import MAY_FAIL, all_statements, bodies_of, may_fail, own_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from relax_lang.tir.array_ir.ir_node import Field
    from relax_lang.tir.array_ir.nodes import Expr, Statement


def evaluated_parts(statement: Statement) -> Iterator[Node]:
    """Yield the operations, and the parts of operations, that a statement surely evaluates itself; no numbers."""
    pending = [] if isinstance(statement, ir.Remark) else [*own_parts(statement)]
    while pending:
        part = pending.pop()
        if not isinstance(part, Polynomial | Ref | ir.Literal) and always_evaluated(part):
            yield part
            pending += parts_of(part)


def mapped(statement: Statement, replace: Callable[[Node | Polynomial], Node | Polynomial]) -> Statement:
    """Return a statement with its parts replaced, and before them those of the statements in it."""
    inner: list[Field] = [mapped(one, replace) for one in bodies_of(statement)]
    made = with_parts(statement, replace)
    return with_fields(made, {"body": inner}) if inner else made


def substituted(statement: Statement, values: Mapping[str, Expr]) -> Statement:
    """Return a statement with names replaced, everywhere in it; in numbers, by other names."""
    if not values or values.keys().isdisjoint(names_in(statement)):
        return statement

    def replace(part: Node | Polynomial) -> Node | Polynomial:
        if isinstance(part, Ref):
            return values.get(part.name, part)
        return _renamed(part, values) if isinstance(part, Polynomial) else with_parts(part, replace)

    for at, inner in enumerate(body := bodies_of(statement)):
        body[at] = substituted(inner, values)
    return with_parts(statement, replace)


def _renamed(number: Polynomial, values: Mapping[str, Expr]) -> Polynomial:
    names = {name: values[name] for name in number.names() & values.keys()}
    return number.renamed({name: value.name for name, value in names.items() if isinstance(value, Ref)})


def propagate(body: list[Statement], wanted: Collection[str]) -> None:
    """Use some names themselves in place of other names for them."""
    names: dict[str, Expr] = {}
    kept: list[Statement] = []
    for statement in body:
        match statement:
            case ir.Define(name, Ref(other) as value, False) if other in wanted:
                names[name] = value
            case _:
                kept.append(substituted(statement, names) if names else statement)
        propagate(bodies_of(statement), wanted)
    body[:] = kept


def always_evaluated(part: Node | Polynomial) -> bool:
    """Return whether all direct parts of a part are evaluated whenever it is."""
    return not isinstance(part, ir.Choice) and not (
        isinstance(part, ir.ScalarOp) and part.op in ("and", "or", "select")
    )


def guards_in(value: Node | Polynomial) -> list[Expr]:
    """Return what of a value has to be evaluated for the sake of the guards in it."""
    if isinstance(value, Polynomial) or not may_fail(value):
        return []
    match value:
        case ir.Call(function) if function in MAY_FAIL:
            return [value]
        case ir.Choice() | ir.ScalarOp() if not always_evaluated(value):
            return [value]
        case _:
            return [guard for part in parts_of(value) for guard in guards_in(part)]


def rebound_names(body: Sequence[Statement]) -> set[str]:
    """Return the names that get another value somewhere: a size with such a name is not one number."""
    return {one.name for one in all_statements(body) if isinstance(one, ir.Define) and one.rebinds}
