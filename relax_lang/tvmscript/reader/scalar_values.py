"""Numbers as values of Relax: `R.prim_value(n)`, `T.float32(2)`, and bare numbers where TVM makes scalars of them."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.reader.expressions import untyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tvmscript.reader.expressions import ExpressionReader

_OWN: dict[type[tree.PrimExpr], str] = {tree.FloatImm: "float32", tree.BoolImm: "bool"}
"""The dtypes that numbers have by themselves; all others are int64."""


def is_scalar(reader: ExpressionReader, node: ast.expr) -> bool:
    """Return whether an argument is a number: written out, over shape variables, or in a variable for scalars."""
    dialect, name = reader.reading.called(node)
    if dialect == "T" or (dialect, name) == ("R", "prim_value"):
        return True
    return isinstance(node, ast.Constant) or is_scalar_variable(reader, node) or reader.is_dimension(node)


def is_scalar_variable(reader: ExpressionReader, node: ast.expr) -> bool:
    """Return whether a node is a variable of type `R.Prim`."""
    return isinstance(node, ast.Name) and node.id in reader.names.scalars


def is_size(reader: ExpressionReader, node: ast.expr) -> bool:
    """Return whether a number is an integer over shape variables, which the shape of a `call_tir` can hold."""
    if is_scalar_variable(reader, node):
        return False
    return not isinstance(scalar_argument_value(reader, node), tree.FloatImm | tree.BoolImm)


def scalar_argument_value(reader: ExpressionReader, node: ast.expr) -> tree.PrimExpr:
    """Return a number that is written out."""
    made = reader.scalar_argument(node)
    assert isinstance(made, tree.PrimValue)
    return made.value


def passed(reader: ExpressionReader, node: ast.expr) -> tree.Expr:
    """Read an argument of a function, a field, what is bound or returned: a number there is a scalar."""
    if is_scalar(reader, node) and not is_scalar_variable(reader, node):
        if isinstance(node, ast.Constant) and not isinstance(node.value, int | float):
            return reader.expression(node)
        return scalar_value(reader, node)
    made = reader.expression(node)
    return _call(made.value, None, made) if isinstance(made, tree.PrimValue) else made


def scalar_value(reader: ExpressionReader, node: ast.expr, dtype: str | None = None) -> tree.Expr:
    """Return a number as a value: `prim_value(n)`."""
    inner = node
    if isinstance(inner, ast.Call) and reader.reading.called(inner) == ("R", "prim_value") and inner.args:
        inner = inner.args[0]
    read = reader.scalar(inner)
    value = untyped(read)
    own = _OWN.get(type(value), "int64")
    dialect, name = reader.reading.called(inner)
    if dtype is None and dialect == "T" and name in DTYPES:
        dtype = name  # which an index has not kept
    wanted = dtype or (None if read.index or read.dtype is None else read.dtype)
    place = tree.PrimValue(value, *reader.reading.span(node))
    return _call(value, None if wanted == own else wanted, place)


def _call(value: tree.PrimExpr, dtype: str | None, place: tree.Expr) -> tree.Call:
    pos, end = place.pos, place.end
    attrs = () if dtype is None else (tree.Attr("dtype", tree.DType(dtype, end, end), end, end),)
    operand = tree.PrimValue(value, pos, end)
    return tree.Call(tree.Op("prim_value", pos, end), (operand,), attrs, None, pos, end)


def bound(reader: ExpressionReader, node: ast.expr, info: tree.StructInfo | None) -> tree.Expr:
    """Read what a variable is bound to, or a result; a bare number is a scalar where `info` is one."""
    if isinstance(info, tree.PrimStructInfo) and is_scalar(reader, node):
        return (
            reader.expression(node)
            if is_scalar_variable(reader, node)
            else scalar_value(reader, node, info.dtype.name)
        )
    if isinstance(info, tree.ShapeStructInfo) and isinstance(node, ast.Tuple | ast.List):
        reader.reading.read_as(
            reader.reading.span(node), reader.reading.py.shown(node), "a shape: `R.shape([…])`"
        )
        return reader.shape_argument(node)
    return reader.expression(node) if isinstance(node, ast.Constant) else passed(reader, node)


def is_scalar_call(value: tree.Expr) -> bool:
    """Return whether an expression makes a scalar."""
    return isinstance(value, tree.Call) and isinstance(value.op, tree.Op) and value.op.op_name == "prim_value"
