"""Linearization: every operation over whole loops becomes a statement of its own, with a name for its result.

The last operation of a definition or a store stays where it is; what may not be evaluated at all is left alone.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, with_parts
from relax_lang.tir.codegen.passes.effects import bodies_of
from relax_lang.tir.codegen.passes.rewriting import always_evaluated, rebound_names
from relax_lang.tir.codegen.passes.types import is_whole, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial


def linearize(body: list[Statement], context: Context) -> None:
    """Give the results of operations in expressions names."""
    _linearize(body, context, rebound_names(body))


def _linearize(body: list[Statement], context: Context, rebound: set[str]) -> None:
    made: list[Statement] = []

    def named(part: Part) -> Part:
        if isinstance(part, Polynomial | Ref | ir.Literal) or not always_evaluated(part):
            return part
        value = with_parts(part, named)
        if not is_whole(value):
            return value
        sizes = set[str]().union(*[size.names() for size in value.domain or ()])
        if isinstance(value, ir.Take) and not rebound.isdisjoint(sizes):
            return value  # it is for a list that becomes shorter
        name = context.temporary()
        made.append(ir.Define(name, value))
        return Ref(name, *type_of(value))

    for statement in body:
        inner = bodies_of(statement)
        if inner:
            _linearize(inner, context, rebound)
        match statement:
            case ir.Define(name, value, rebinds) if isinstance(value, Node):
                made.append(ir.Define(name, _but_root(value, named), rebinds))
            case ir.Store(target, value) if isinstance(value, Node):
                made.append(ir.Store(target, _but_root(value, named)))
            case _:
                made.append(with_parts(statement, named))
    body[:] = made


def _but_root(value: ir.Expr, named: Callable[[Part], Part]) -> ir.Expr:
    """Return a value in whose parts operations have names."""
    if not isinstance(value, Node) or not always_evaluated(value):
        return value
    return with_parts(value, named)
