"""Products of fixed-point numbers, `T.q_multiply_shift(x, y, q, s)`, written out in int64."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript.scalar_reader.scalar_literals import number_of
from relax_lang.tvmscript.scalar_reader.scalars import Scalar, ScalarReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read(reader: ScalarReader, node: ast.Call) -> Scalar:
    """Read a product of fixed-point numbers. Raises Refused."""
    _, name = reader.reading.called(node)
    return _per_axis(reader, node) if name.endswith("per_axis") else _multiply_shift(reader, node)


def _multiply_shift(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.q_multiply_shift(x, y, q, s)` is `x * y * 2 ** (s - q)`, rounded: half up, in int64."""
    x, y, q, shift = reader.arguments(node, 4)
    left = right = ast.copy_location(ast.Constant(0), node)
    if isinstance(shift, ast.UnaryOp) and isinstance(shift.op, ast.USub):
        right = shift.operand
    else:
        read = reader.scalar(shift)
        number = number_of(read.node)
        if number is None:
            raise reader.reading.unsupported(
                shift, "a shift that is not a number", "its sign decides what is shifted"
            )
        left = shift if number > 0 else left
        right = ast.copy_location(ast.Constant(int(-number)), shift) if number < 0 else right
    return _scaled(reader, node, (x, y, left, right, q))


def _per_axis(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.q_multiply_shift_per_axis(x, y, ls, rs, q, is_ls, is_rs)`: with the shifts to both sides."""
    x, y, left, right, q, has_left, _ = reader.arguments(node, 7)
    given = reader.scalar(has_left).node
    if not isinstance(given, tree.BoolImm | tree.IntImm):
        raise reader.reading.unsupported(
            has_left, "a shift that is not a number", "its sign decides what is shifted"
        )
    return _scaled(reader, node, (x, y, left if given.value else None, right, q))


def _scaled(
    reader: ScalarReader,
    node: ast.Call,
    given: tuple[ast.expr, ast.expr, ast.expr | None, ast.expr, ast.expr],
) -> Scalar:
    """Return `((x << left) * y + (1 << (q + right - 1))) >> (q + right)`, computed in int64."""
    span = reader.reading.span(node)

    def wide(one: ast.expr) -> Scalar:
        return Scalar(reader.scalar(one).as_value("int64"), "int64", True)

    x, y, left, right, q = given
    one = Scalar(tree.IntImm(1, tree.DType("int64", *span), "1", *span), "int64", True)

    def shifted(made: Any, left: Scalar, right: Scalar) -> Scalar:
        return reader.bits(made, left, right, span)

    product = wide(x)
    if left is not None and not _is_zero(left):
        product = shifted(tree.ShiftLeft, product, wide(left))
    product = reader.combine(tree.Mul, product, wide(y), span)
    by = wide(q) if _is_zero(right) else reader.combine(tree.Add, wide(q), wide(right), span)
    half = shifted(tree.ShiftLeft, one, reader.combine(tree.Sub, by, one, span))
    made = shifted(tree.ShiftRight, reader.combine(tree.Add, product, half, span), by)
    return Scalar(tree.Cast(made.node, tree.DType("int32", *span), *span), "int32", False)


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0
