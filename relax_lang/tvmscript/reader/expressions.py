"""Expressions of Relax functions; calls are in `operator_calls` and `function_calls`."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.reader.struct_infos import InfoReader
from relax_lang.tvmscript.scalar_reader.scalars import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tvmscript.python.values import Value


class ExpressionReader(InfoReader):
    """Reads the expressions of one function."""

    # -- names -------------------------------------------------------------------------------------------------

    def global_name(self, node: ast.expr) -> tree.GlobalVar | None:
        """Return the item of the module that `cls.f`, `Module.f`, or `f` names."""
        pos, end = self.reading.span(node)
        if isinstance(node, ast.Attribute) and self.is_module(node.value):
            return tree.GlobalVar(node.attr, end - len(node.attr), end)
        if (
            isinstance(node, ast.Name)
            and node.id in self.reading.functions
            and node.id not in self.names.variables
        ):
            return tree.GlobalVar(node.id, pos, end)
        return None

    def is_module(self, node: ast.expr) -> bool:
        """Return whether a name is that of the module."""
        if not isinstance(node, ast.Name) or node.id in self.names.variables:
            return False
        return node.id in self.reading.module_names

    def expression(self, node: ast.expr) -> tree.Expr:
        """Read an expression. Raises Refused."""
        row = _ROWS.get(type(node))
        if row is None:
            shown = self.reading.py.shown(node)
            raise self.reading.unsupported(node, f"`{shown}`", "it is computed by Python")
        return row(self, node)

    def use(self, node: ast.Name) -> tree.Expr:
        """Read a name."""
        span = self.reading.span(node)
        if node.id in self.names.variables:
            return tree.Var(node.id, None, *span)
        found = self.global_name(node)
        if found is not None:
            return found
        if node.id in self.names.shape_vars:
            return tree.PrimValue(tree.PrimVar(node.id, *span), *span)
        if node.id in self.names.ended and not self.reading.env.definitions(node.id):
            return tree.Var(node.id, None, *span)  # the check says where it ended
        return self.python_constant(node, self.reading.value(node))

    def python_constant(self, node: ast.expr, value: Value) -> tree.Expr:
        """Return a Python value as an expression: numbers are scalar tensors."""
        span = self.reading.span(node)
        if isinstance(value, bool):
            return tree.Constant(tree.BoolLit(value, *span), None, *span)
        if isinstance(value, int):
            return _signed(
                tree.Constant(tree.IntLit(abs(value), str(abs(value)), *span), None, *span), value < 0
            )
        if isinstance(value, float):
            return _signed(tree.Constant(tree.FloatLit(abs(value), None, *span), None, *span), value < 0)
        if (items := items_of(value)) is not None:
            return tree.Tuple(tuple([self.python_constant(node, one) for one in items]), *span)
        if isinstance(value, str):
            raise self.reading.unsupported(node, "a string as a value", "strings occur in attributes only")
        raise self.reading.unsupported(node, f"`{self.reading.py.shown(node)}` as a value")

    def literal(self, node: ast.Constant) -> tree.Expr:
        """Read a bare number."""
        return self.python_constant(node, self.reading.value(node))

    def attribute(self, node: ast.Attribute) -> tree.Expr:  # type: ignore[override]
        """Read `cls.f`, `R.Tensor` is not a value."""
        found = self.global_name(node)
        if found is not None:
            return found
        shown = self.reading.py.shown(node)
        if node.attr in ("struct_info", "ty", "shape", "dtype", "struct_info_"):
            raise self.reading.unsupported(node, f"`{shown}`", "it asks TVM, which is not at hand")
        return self.python_constant(node, self.reading.value(node))

    def group(self, node: ast.Tuple | ast.List) -> tree.Expr:
        """Read `(a, b)`."""
        fields = tuple([self.field(one) for one in node.elts])
        return tree.Tuple(fields, *self.reading.span(node))

    def field(self, node: ast.expr) -> tree.Expr:
        """Read a field of a tuple; see `scalar_values`."""
        raise NotImplementedError

    def table_entry(self, node: ast.Subscript) -> tree.Expr:
        """Read `metadata["relax.expr.Constant"][0]`; see `metadata`."""
        raise NotImplementedError

    def item(self, node: ast.Subscript) -> tree.Expr:
        """Read `t[0]`."""
        inner = node.value
        if (
            isinstance(inner, ast.Subscript)
            and isinstance(inner.value, ast.Name)
            and inner.value.id == "metadata"
        ):
            return self.table_entry(node)
        if (
            isinstance(node.value, ast.Name)
            and node.value.id not in self.names.variables
            and self.global_name(node.value) is None
        ):
            return self.python_constant(node, self.reading.value(node))
        value = self.expression(node.value)
        index = self.reading.value(node.slice) if not isinstance(node.slice, ast.Slice | ast.Tuple) else None
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise self.reading.unsupported(
                node,
                f"the index `{self.reading.py.shown(node.slice)}`",
                "tuples have constant indices; `take` and `strided_slice` read tensors",
            )
        return tree.TupleGetItem(value, index, *self.reading.span(node))

    # -- operators -------------------------------------------------------------------------------------------------

    def is_dimension(self, node: ast.expr) -> bool:
        """Return whether an expression consists of shape variables and numbers, with a variable among them."""
        found = False
        for one in ast.walk(node):  # not all of it where the first name decides
            if isinstance(one, ast.Name):
                if one.id not in self.names.shape_vars or one.id in self.names.variables:
                    return False
                found = True
        return found

    def infix(self, node: ast.BinOp) -> tree.Expr:
        """Read `a + b` of tensors; of shape variables it is a dimension."""
        span = self.reading.span(node)
        if self.is_dimension(node):
            return tree.PrimValue(self.dimension(node), *span)
        if not any(
            isinstance(one, ast.Call) or (isinstance(one, ast.Name) and one.id in self.names.variables)
            for one in ast.walk(node)
        ):
            return self.python_constant(node, self.reading.value(node))
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            raise self.reading.unsupported(
                node, f"the operator of `{self.reading.py.shown(node)}`", "call the operator by its name"
            )
        return tree.BinaryOp(operator, self.expression(node.left), self.expression(node.right), *span)

    def prefix(self, node: ast.UnaryOp) -> tree.Expr:
        """Read `-x`."""
        span = self.reading.span(node)
        if self.is_dimension(node):
            return tree.PrimValue(self.dimension(node), *span)
        if isinstance(node.op, ast.USub):
            return tree.UnaryOp("-", self.expression(node.operand), *span)
        raise self.reading.unsupported(
            node, f"the operator of `{self.reading.py.shown(node)}`", "call the operator by its name"
        )

    def comparison(self, node: ast.Compare) -> tree.Expr:
        """Read `x < y`."""
        operator = _COMPARISONS.get(type(node.ops[0]))
        if len(node.ops) != 1 or operator is None:
            raise self.reading.unsupported(node, f"the comparison `{self.reading.py.shown(node)}`")
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        return tree.BinaryOp(operator, left, right, *self.reading.span(node))

    # -- calls -------------------------------------------------------------------------------------------------

    def application(self, node: ast.Call) -> tree.Expr:
        """Read a call; see `function_calls`."""
        raise NotImplementedError

    def callee(self, node: ast.expr) -> tree.Expr:
        """Read what is called: an item of the module, a variable, a packed function by its name."""
        found = self.global_name(node)
        if found is not None:
            return found
        if isinstance(node, ast.Name) and node.id in self.names.variables:
            return tree.Var(node.id, None, *self.reading.span(node))
        if isinstance(node, ast.Call) and self.reading.called(node) == ("R", "ExternFunc"):
            return self.expression(node)
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return self.packed(node)
        if isinstance(node, ast.Name | ast.Attribute):
            value = self.reading.value(node)
            if isinstance(value, str):
                return self.packed(node)
        return self.expression(node)

    def packed(self, node: ast.expr) -> tree.ExternFunc:
        """Read the name of a packed function."""
        self.reading.features.packed = True
        return tree.ExternFunc(
            self.reading.string(node, "the name of a packed function"), *self.reading.span(node)
        )

    # -- arguments of other kinds ------------------------------------------------------------------------------

    def shape_argument(self, node: ast.expr) -> tree.Expr:
        """Read a shape: written out, or a value."""
        dims = self.dimensions(node)
        if dims is not None:
            return tree.ShapeExpr(dims, *self.reading.span(node))
        if isinstance(node, ast.Constant) or self.is_dimension(node):
            return tree.ShapeExpr((self.dimension(node),), *self.reading.span(node))
        return self.expression(node)

    def scalar_argument(self, node: ast.expr) -> tree.Expr:
        """Read a number or a dimension expression."""
        span = self.reading.span(node)
        if (
            isinstance(node, ast.Call)
            and self.reading.called(node) == ("R", "prim_value")
            and len(node.args) == 1
        ):
            node = node.args[0]
        read = self.scalar(node)
        return tree.PrimValue(untyped(read), *span)

    def literal_value(self, node: ast.expr) -> Value:
        """Return the value of an attribute."""
        if isinstance(node, ast.Tuple | ast.List):
            return [self.literal_value(one) for one in node.elts]
        if isinstance(node, ast.Call):
            dialect, name = self.reading.called(node)
            if (
                dialect in ("R", "T")
                and len(node.args) == 1
                and name in (*DTYPES, "prim_value", "str", "shape", "FloatImm")
            ):
                return self.literal_value(node.args[0])
            if dialect == "T" and name in ("IntImm", "FloatImm") and len(node.args) == 2:
                return self.literal_value(node.args[1])
            if dialect == "I" and name == "vdevice":
                return "cpu" if not node.args else str(self.reading.value(node.args[0]))
        return self.reading.value(node)


def untyped(read: Scalar) -> tree.PrimExpr:
    """Return a scalar operand, in which literals have no dtype."""
    node = read.node
    if isinstance(node, tree.FloatImm) and node.dtype is not None:
        return tree.FloatImm(node.value, None, None, node.pos, node.end)
    if isinstance(node, tree.IntImm) and node.dtype is not None:
        return tree.IntImm(node.value, None, None, node.pos, node.end)
    return node


def _signed(constant: tree.Constant, negative: bool) -> tree.Expr:
    return tree.UnaryOp("-", constant, constant.pos, constant.end) if negative else constant


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def _application(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    return reader.application(node)


_ROWS: dict[type[ast.expr], Callable[..., tree.Expr]] = {
    ast.Attribute: ExpressionReader.attribute,
    ast.BinOp: ExpressionReader.infix,
    ast.Call: _application,
    ast.Compare: ExpressionReader.comparison,
    ast.Constant: ExpressionReader.literal,
    ast.List: ExpressionReader.group,
    ast.Name: ExpressionReader.use,
    ast.Subscript: ExpressionReader.item,
    ast.Tuple: ExpressionReader.group,
    ast.UnaryOp: ExpressionReader.prefix,
}
