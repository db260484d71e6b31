"""What patterns compare of calls: attributes, numbers, and whether operands may be exchanged."""

from __future__ import annotations

from relax_lang.base.node import Node, same
from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMUTATIVE = frozenset(
    (
        "add",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "equal",
        "log_add_exp",
        "logical_and",
        "logical_or",
        "logical_xor",
        "maximum",
        "minimum",
        "multiply",
        "not_equal",
    )
)
"""Operators whose two operands may be exchanged."""


def attributes_of(call: tree.Call) -> dict[str, Any]:
    """Return all attributes of a call of an operator, defaults filled in."""
    operator = lookup(call.op.op_name) if isinstance(call.op, tree.Op) else None
    filled: dict[str, Any] = {} if operator is None else {spec.name: spec.default for spec in operator.attrs}
    filled.update(attribute_values(call.attrs))
    return filled


def same_number(a: Node, b: Node) -> bool:
    """Return whether two literals are the same numbers, however they are written."""
    if isinstance(a, tree.ListLit) and isinstance(b, tree.ListLit):
        return len(a.items) == len(b.items) and all(map(same_number, a.items, b.items))
    if isinstance(a, tree.IntLit | tree.FloatLit) and isinstance(b, tree.IntLit | tree.FloatLit):
        return a.value == b.value
    return same(a, b)
