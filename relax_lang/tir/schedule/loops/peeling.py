"""Loop peeling: first iterations that a condition on the loop variable sets apart from the others run on their own."""

from __future__ import annotations

from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.vector_ir import Vector

_MOST_APART = 2
"""How many steps at the start may run apart."""
_MOST_TWICE = 8
"""How many statements may be written twice for that."""
_CHANGES = {"<": [0], ">=": [0], "<=": [1], ">": [1], "==": [0, 1], "!=": [0, 1]}
"""Where comparisons of a variable with a number change, from that number on."""


def peel(nodes: Sequence[plan.Node]) -> None:
    """Give each loop of a plan the parts in each of which conditions on its variable stay the same."""
    for node in plan.walk(nodes):
        if isinstance(node, plan.Sequential):
            node.parts = _parts(node)


def _parts(node: plan.Sequential) -> list[tuple[int, int | None]]:
    """Return the parts of a loop in each of which conditions on its variable stay the same: from, and up to."""
    statements = plan.statements_in(node.body)
    cuts: set[int] = set()
    for statement in statements if len(statements) <= _MOST_TWICE else ():
        for guard in statement.guards:
            for part in conjuncts(guard):
                cuts |= _cuts(part, node.loop)
    places = sorted([cut for cut in cuts if 0 < cut <= _MOST_APART])
    return list(zip([0, *places], [*places, None], strict=True))


def _cuts(condition: Vector, loop: Loop) -> set[int]:
    """Return the values of a loop variable from which on a condition may be another than before."""
    while isinstance(condition, Apply) and condition.op == "!":
        condition = condition.args[0]
    if not isinstance(condition, Apply) or condition.op not in _CHANGES:
        return set()
    a, b = condition.args
    if not isinstance(a, Index) or not isinstance(b, Index):
        return set()
    difference = a.polynomial - b.polynomial
    factor, rest = difference.coefficient(loop.name), difference.without({loop.name}).value
    if factor is None or rest is None or factor.value not in (1, -1):
        return set()
    place = -rest * factor.value
    changes = _CHANGES[condition.op] if factor.value > 0 else [1 - at for at in _CHANGES[condition.op]]
    return {place + at for at in changes}
