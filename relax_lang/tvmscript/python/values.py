"""Values of Python expressions and what operators make of them, with bounds on sizes; nothing is executed."""

from __future__ import annotations

import ast
import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Value = Any  # None, bool, int, float, str, and tuples, lists and dicts of these

MAX_BITS = 256
MAX_ITEMS = 100_000


class Unknown(Exception):  # noqa: N818 - not an error: the expression is simply not one of ours
    """An expression whose value is not known without running Python: the node to blame, and why.

    `name` is the name to give a value for, `definition` where it comes from.
    """

    def __init__(self, node: ast.expr, why: str, name: str = "", definition: ast.AST | None = None) -> None:
        super().__init__(why)
        self.node = node
        self.why = why
        self.name = name
        self.definition = definition


def items_of(value: Value) -> list[Value] | None:
    """Return the items of a tuple or a list; None for any other value."""
    return list(value) if isinstance(value, tuple | list) else None  # pyright: ignore[reportUnknownArgumentType]


def length(value: Value) -> int:
    """Return how many items or letters a value has."""
    return len(value) if isinstance(value, str | tuple | list) else 0  # pyright: ignore[reportUnknownArgumentType]


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}


def binary(node: ast.BinOp, left: Value, right: Value) -> Value:
    """Return the result of an infix operator. Raises Unknown."""
    if not _is_bounded(node.op, left, right):
        raise Unknown(node, "it is too large")
    try:
        value = _BINARY[type(node.op)](left, right)
    except (TypeError, ValueError, ArithmeticError, KeyError):
        raise Unknown(node, "it has no value") from None
    return bounded(node, value)


def _is_bounded(op: ast.operator, left: Value, right: Value) -> bool:
    """Return whether the result of an operation is small, before it is computed."""
    if isinstance(left, str) and isinstance(op, ast.Mod):  # formats with widths
        return False
    if isinstance(op, ast.Mult):
        for text, count in ((left, right), (right, left)):
            if isinstance(text, str | tuple | list) and isinstance(count, int):
                return length(text) * count <= MAX_ITEMS
    if not isinstance(left, int) or not isinstance(right, int):
        return True
    if isinstance(op, ast.Pow):
        return abs(right) * max(left.bit_length(), 1) <= MAX_BITS
    if isinstance(op, ast.LShift):
        return right + left.bit_length() <= MAX_BITS
    return True


def bounded(node: ast.expr, value: Value) -> Value:
    """Return a value that is small. Raises Unknown."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Unknown(node, "it is too large")
    if length(value) > MAX_ITEMS:
        raise Unknown(node, "it is too long")
    if isinstance(value, complex):
        raise Unknown(node, "it is not a number")
    return value


def unary(node: ast.UnaryOp, value: Value) -> Value:
    """Return the result of a prefix operator. Raises Unknown."""
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(value, int | float):
        if isinstance(node.op, ast.USub):
            return -value
        if isinstance(node.op, ast.UAdd):
            return +value
        if isinstance(value, int):
            return ~value
    raise Unknown(node, "it has no value")


_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, holder: item in holder,
    ast.NotIn: lambda item, holder: item not in holder,
}


def compared(node: ast.Compare, comparison: ast.cmpop, left: Value, right: Value) -> bool:
    """Return whether a comparison holds. Raises Unknown."""
    try:
        return bool(_COMPARE[type(comparison)](left, right))
    except TypeError:
        raise Unknown(node, "it has no value") from None
