"""Conditions of a whole loop in front of it: `for … { if n > 0 { … } }` is `if n > 0 { for … { … } }`.

Kernels are written under the condition that none of their loops is empty. Where all of a step is under one condition
that no step changes, it is tested once, and what is in it does not depend on a condition any more for the passes after.
Neighbours under one condition share it for the same reason.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import names_in, parts_of
from relax_lang.tir.codegen.passes.effects import bodies_of, definitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.ir_node import Node
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context


def unswitch(body: list[Statement], context: Context) -> None:
    """Take conditions out of the loops in some statements, inner loops first; let neighbours share theirs."""
    for at, statement in enumerate(body):
        unswitch(bodies_of(statement), context)
        if isinstance(statement, ir.For):
            condition = _common_condition(statement)
            if condition is not None:
                steps = statement.body
                statement.body[:] = [
                    inner for one in steps for inner in (one.body if isinstance(one, ir.If) else [one])
                ]
                body[at] = ir.If(condition, [statement])
    _join(body)


def _join(body: list[Statement]) -> None:
    """Put neighbours under one condition together; comments between them go with the second."""
    made: list[Statement] = []
    for statement in body:
        at = len(made)
        while at and isinstance(made[at - 1], ir.Remark):
            at -= 1
        before = made[at - 1] if at else None
        if isinstance(before, ir.If) and isinstance(statement, ir.If) and _share(before, statement):
            before.body.extend([*made[at:], *statement.body])
            del made[at:]
        else:
            made.append(statement)
    body[:] = made


def _share(first: ir.If, second: ir.If) -> bool:
    """Return whether two conditions are one, and statements under the first do not change it."""
    condition = first.condition
    if first.rare or second.rare or condition != second.condition or not _is_plain(condition):
        return False
    return names_in(condition).isdisjoint(definitions(first.body))


def _common_condition(loop: ir.For) -> Expr | None:
    """Return the condition under which everything in a loop is, if it is one, and the same in each step."""
    parts = [one for one in loop.body if not isinstance(one, ir.Remark)]
    if not parts or not isinstance(parts[0], ir.If):
        return None
    condition = parts[0].condition
    for one in parts:
        if not isinstance(one, ir.If) or one.rare or one.condition != condition:
            return None
    if not _is_plain(condition) or names_in(condition) & {loop.variable, *definitions(loop.body)}:
        return None
    return condition


def _is_plain(node: Node | Polynomial) -> bool:
    """Return whether a condition only compares numbers, which cannot fail."""
    if isinstance(node, Polynomial | ir.Literal):
        return True
    if not isinstance(node, ir.ScalarOp) or node.op not in _TOTAL:
        return False
    return all(_is_plain(part) for part in parts_of(node))


_TOTAL = frozenset(("<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "min", "max"))
