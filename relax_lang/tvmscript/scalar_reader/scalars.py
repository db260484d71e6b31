"""Scalar expressions: dimensions of Relax, and the code of PrimFuncs.

TVM gives a loop variable the dtype of its extent and mixes dtypes as C does; here indices are int64, and nothing is
converted silently. So every expression is read with the dtype that TVM gives it, as an *index* (made of sizes, loop
variables and integers: int64 here, whatever it is there) or as a *value* (which has its dtype here, too), and what TVM
converts silently becomes a `cast`.
"""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import FLOATS, INTEGERS, SIGNED
from relax_lang.tvmscript.python.python_values import evaluate
from relax_lang.tvmscript.python.values import Unknown
from relax_lang.tvmscript.scalar_reader.scalar_literals import fraction, integer, is_flexible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.source import Span
    from relax_lang.tvmscript.python.values import Value
    from relax_lang.tvmscript.scalar_reader.reading import Reading

    Binary = type[
        tree.Add | tree.Sub | tree.Mul | tree.Div | tree.FloorDiv | tree.FloorMod | tree.Min | tree.Max
    ]

INT32, INT64 = "int32", "int64"
INDEX_DTYPES = (INT32, INT64)


class Scalar:
    """An expression, the dtype that it has in TVM (None: a literal, which takes that of its context), and whether it
    is an index: int64 here.
    """

    __slots__ = ("dtype", "index", "node")

    def __init__(self, node: tree.PrimExpr, dtype: str | None, index: bool) -> None:
        self.node = node
        self.dtype = dtype
        self.index = index

    @property
    def is_literal(self) -> bool:
        """Whether it takes the dtype of its context."""
        return self.dtype is None

    def as_index(self) -> tree.PrimExpr:
        """Return the expression as an int64."""
        node = self.node
        if self.index or self.dtype in (INT64, None):
            return node
        return tree.Cast(node, tree.DType(INT64, node.pos, node.end), node.pos, node.end)

    def as_value(self, dtype: str | None) -> tree.PrimExpr:
        """Return the expression as a value of a dtype; None keeps its own."""
        node = self.node
        dtype = dtype or self.dtype
        if dtype is None or self.is_literal:
            return node
        if self.index:
            if dtype == INT64 or (is_flexible(node) and dtype in INTEGERS):
                return node
        elif dtype == self.dtype:
            return node
        return tree.Cast(node, tree.DType(dtype, node.pos, node.end), node.pos, node.end)


class ScalarReader:
    """Reads scalar expressions. A subclass decides what names and subscripts mean."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    # -- what subclasses know ----------------------------------------------------------------------------------

    def variable(self, node: ast.Name) -> Scalar | None:
        """Return the value of a local name; None for any other name."""
        raise NotImplementedError

    def element(self, node: ast.Subscript) -> Scalar | None:
        """Return an element of a buffer; None if it is none."""
        return None

    # -- expressions -------------------------------------------------------------------------------------------

    def index(self, node: ast.expr) -> tree.PrimExpr:
        """Read an expression that is an index, an extent, a dimension."""
        return self.scalar(node).as_index()

    def value(self, node: ast.expr, dtype: str | None) -> tree.PrimExpr:
        """Read an expression as a value of a dtype."""
        return self.scalar(node).as_value(dtype)

    def condition(self, node: ast.expr) -> tree.PrimExpr:
        """Read a condition; a number is one in TVM if it is not 0."""
        read = self.scalar(node)
        if read.dtype in ("bool", None):
            return read.node
        return self._unequal_zero(read)

    @staticmethod
    def _unequal_zero(read: Scalar) -> tree.PrimExpr:
        pos, end = read.node.pos, read.node.end
        return tree.NE(read.as_value(read.dtype), tree.IntImm(0, None, "0", end, end), pos, end)

    def scalar(self, node: ast.expr) -> Scalar:
        """Read any scalar expression. Raises Refused."""
        row = _ROWS.get(type(node))
        if row is None:
            raise self.reading.unsupported(
                node, f"`{self.reading.py.shown(node)}`", "it is computed by Python"
            )
        return row(self, node)

    def name(self, node: ast.Name) -> Scalar:
        """Read a name: of the program, or else of the surrounding Python."""
        found = self.variable(node)
        if found is not None:
            return found
        return self.constant_value(node, self.reading.value(node))

    def constant(self, node: ast.Constant) -> Scalar:
        """Read a literal."""
        return self.constant_value(node, node.value)

    def constant_value(self, node: ast.expr, value: Value) -> Scalar:
        """Return a Python value as a literal."""
        pos, end = self.reading.span(node)
        if isinstance(value, bool):
            return Scalar(tree.BoolImm(value, pos, end), "bool", False)
        if isinstance(value, int):
            return Scalar(integer(value, None, (pos, end)), None, True)
        if isinstance(value, float):
            return Scalar(fraction(value, None, (pos, end)), None, False)
        if isinstance(value, str):
            return self.quoted(node, value)
        raise self.reading.wrong(node, f"`{self.reading.py.shown(node)}` is not a number")

    def quoted(self, node: ast.expr, value: str) -> Scalar:
        """Read an expression in quotes; only dimensions of Relax are written so."""
        raise self.reading.wrong(node, f"`{self.reading.py.shown(node)}` is not a number")

    def binary(self, node: ast.BinOp) -> Scalar:
        """Read `a + b`."""
        kind = type(node.op)
        if kind is ast.Pow:
            return self.constant_value(node, self.reading.value(node))
        left, right = self.scalar(node.left), self.scalar(node.right)
        span = self.reading.span(node)
        if left.is_literal and right.is_literal:
            folded = self._folded(node, left.node, right.node)
            if folded is not None:
                return folded
        if kind in _ARITHMETIC:
            made: Binary = _ARITHMETIC[kind]
            if kind is ast.Div and self._is_integer(left) and self._is_integer(right):
                return self._true_quotient(node, left, right)
            return self.combine(made, left, right, span)
        return self.bits(_BITS[kind], left, right, span)

    def _folded(self, node: ast.BinOp, left: tree.PrimExpr, right: tree.PrimExpr) -> Scalar | None:
        """Return an operation on two bare integers with a name of Python among them, which Python computes."""
        if not any(isinstance(one, ast.Name) for one in ast.walk(node)):
            return None
        if not isinstance(left, tree.IntImm) or not isinstance(right, tree.IntImm):
            return None
        pair = [ast.copy_location(ast.Constant(one.value), node) for one in (left, right)]
        whole = ast.copy_location(ast.BinOp(pair[0], node.op, pair[1]), node)
        return self.constant_value(node, self.reading.value(whole))

    def _true_quotient(self, node: ast.BinOp, left: Scalar, right: Scalar) -> Scalar:
        if left.is_literal and right.is_literal:
            return self.constant_value(node, self.reading.value(node))
        raise self.reading.wrong(
            node, "`/` of integers is none of TVM's operations: write `//` or `T.truncdiv`"
        )

    @staticmethod
    def _is_integer(read: Scalar) -> bool:
        return read.index or read.dtype in INTEGERS

    def combine(self, made: Binary, left: Scalar, right: Scalar, span: Span) -> Scalar:
        """Return an arithmetic operation, with the conversions that TVM makes."""
        if left.index and right.index:
            return Scalar(made(left.node, right.node, *span), wider_index(left.dtype, right.dtype), True)
        if left.is_literal and right.is_literal:
            return Scalar(made(left.node, right.node, *span), None, False)
        dtype = common(left, right)
        node = made(left.as_value(dtype), right.as_value(dtype), *span)
        return Scalar(node, dtype, False)

    def bits(self, made: type[tree.BitAnd], left: Scalar, right: Scalar, span: Span) -> Scalar:
        """Return an operation on bits; those of bools are logical."""
        if left.dtype == "bool" and right.dtype == "bool" and made in _LOGICAL_BITS:
            return Scalar(_LOGICAL_BITS[made](left.node, right.node, *span), "bool", False)
        return self.combine(made, left, right, span)  # type: ignore[arg-type]

    def unary(self, node: ast.UnaryOp) -> Scalar:
        """Read `-a`, `not a`, `~a`."""
        span = self.reading.span(node)
        if isinstance(node.op, ast.Not):
            return Scalar(tree.Not(self.condition(node.operand), *span), "bool", False)
        read = self.scalar(node.operand)
        if isinstance(node.op, ast.USub):
            if isinstance(read.node, tree.IntImm) and read.dtype is not None and not read.index:
                return Scalar(integer(-read.node.value, read.dtype, span), read.dtype, False)
            return Scalar(tree.Neg(read.node, *span), read.dtype, read.index)
        if isinstance(node.op, ast.UAdd):
            return read
        if read.dtype == "bool":
            return Scalar(tree.Not(read.node, *span), "bool", False)
        return Scalar(
            tree.BitNot(read.as_value(read.dtype), *span), read.dtype, read.index and read.dtype is None
        )

    def logic(self, node: ast.BoolOp) -> Scalar:
        """Read `a and b and c`."""
        made = tree.And if isinstance(node.op, ast.And) else tree.Or
        return self.joined(made, [self.condition(one) for one in node.values], self.reading.span(node))

    @staticmethod
    def joined(made: type[tree.And | tree.Or], parts: list[tree.PrimExpr], span: Span) -> Scalar:
        """Return conditions joined by `&&` or `||`."""
        whole = parts[0]
        for part in parts[1:]:
            whole = made(whole, part, whole.pos, part.end)
        if len(parts) == 1:
            return Scalar(whole, "bool", False)
        return Scalar(
            made(whole.a, whole.b, *span) if isinstance(whole, tree.And | tree.Or) else whole, "bool", False
        )

    def compare(self, node: ast.Compare) -> Scalar:
        """Read `a < b`; `a < b < c` is a conjunction."""
        parts: list[tree.PrimExpr] = []
        left = self.scalar(node.left)
        pos = left.node.pos
        for comparison, right_node in zip(node.ops, node.comparators, strict=True):
            made = _COMPARISONS.get(type(comparison))
            if made is None:
                raise self.reading.unsupported(node, f"`{self.reading.py.shown(node)}`")
            right = self.scalar(right_node)
            parts.append(self.compared(made, left, right, (pos, self.reading.py.end(right_node))).node)
            left, pos = right, right.node.pos
        return self.joined(tree.And, parts, self.reading.span(node))

    def compared(self, made: type[tree.EQ], left: Scalar, right: Scalar, span: Span) -> Scalar:
        """Return a comparison."""
        if left.index and right.index:
            return Scalar(made(left.node, right.node, *span), "bool", False)
        if left.dtype == "bool" and right.dtype == "bool":
            return Scalar(made(left.node, right.node, *span), "bool", False)
        dtype = None if left.is_literal and right.is_literal else common(left, right)
        return Scalar(made(left.as_value(dtype), right.as_value(dtype), *span), "bool", False)

    def conditional(self, node: ast.IfExp) -> Scalar:
        """Read `a if c else b`, which is evaluated lazily."""
        try:  # a choice that Python makes
            chosen = evaluate(node.test, self.reading.env)
        except Unknown:
            return self.lazy(node.test, node.body, node.orelse, self.reading.span(node))
        return self.scalar(node.body if chosen else node.orelse)

    def lazy(self, condition: ast.expr, yes: ast.expr, no: ast.expr, span: Span) -> Scalar:
        """Return `if_then_else(c, a, b)`."""
        left, right = self.scalar(yes), self.scalar(no)
        dtype = None if left.is_literal and right.is_literal else common(left, right)
        if left.index and right.index:
            nodes, index = (left.node, right.node), True
        else:
            nodes, index = (left.as_value(dtype), right.as_value(dtype)), False
        made = tree.PrimCall("if_then_else", (self.condition(condition), *nodes), *span)
        return Scalar(made, dtype, index)

    def subscript(self, node: ast.Subscript) -> Scalar:
        """Read `A[i, j]`, or an item of a Python list."""
        found = self.element(node)
        return found if found is not None else self.constant_value(node, self.reading.value(node))

    def attribute(self, node: ast.Attribute) -> Scalar:
        """Read `math.pi`, `A.shape[0]` is refused."""
        return self.constant_value(node, self.reading.value(node))

    def call(self, node: ast.Call) -> Scalar:
        """Read a call; see `scalar_calls`."""
        raise NotImplementedError

    def arguments(
        self, node: ast.Call, count: int, ignored: tuple[str, ...] = ("dtype", "span")
    ) -> list[ast.expr]:
        """Return the arguments of a call that takes `count` of them. Raises Refused."""
        named = [one for one in node.keywords if one.arg not in ignored]
        if len(node.args) != count or named:
            shown = self.reading.py.shown(node.func)
            raise self.reading.wrong(node, f"`{shown}` takes {count} arguments")
        return node.args


def wider_index(left: str | None, right: str | None) -> str | None:
    """Return the dtype that TVM gives an operation on two indices."""
    if left is None or right is None:
        return left or right
    return INT64 if INT64 in (left, right) else left


def common(left: Scalar, right: Scalar) -> str:
    """Return the dtype in which TVM combines two operands, at least one of which has one."""
    a, b = left.dtype, right.dtype
    if a is None or b is None:
        typed, literal = (left, right) if b is None else (right, left)
        assert typed.dtype is not None
        if not literal.index and typed.dtype in INTEGERS:
            return "float32"
        return typed.dtype
    if a == b:
        return a
    if (a in FLOATS) != (b in FLOATS):
        return a if a in FLOATS else b
    if a in FLOATS:
        return a if FLOATS[a] >= FLOATS[b] else b
    if a not in INTEGERS or b not in INTEGERS:
        return b if a == "bool" else a
    bits = max(INTEGERS[a], INTEGERS[b])
    if (a in SIGNED) == (b in SIGNED):
        return a if INTEGERS[a] == bits else b
    return f"int{bits}"


_ARITHMETIC: dict[type[ast.operator], Binary] = {
    ast.Add: tree.Add,
    ast.Sub: tree.Sub,
    ast.Mult: tree.Mul,
    ast.Div: tree.Div,
    ast.FloorDiv: tree.FloorDiv,
    ast.Mod: tree.FloorMod,
}
_BITS: dict[type[ast.operator], type[tree.BitAnd]] = {
    ast.BitAnd: tree.BitAnd,
    ast.BitOr: tree.BitOr,
    ast.BitXor: tree.BitXor,
    ast.LShift: tree.ShiftLeft,
    ast.RShift: tree.ShiftRight,
}  # type: ignore[dict-item]
_LOGICAL_BITS = {tree.BitAnd: tree.And, tree.BitOr: tree.Or}
_COMPARISONS: dict[type[ast.cmpop], type[tree.EQ]] = {
    ast.Eq: tree.EQ,
    ast.NotEq: tree.NE,
    ast.Lt: tree.LT,
    ast.LtE: tree.LE,
    ast.Gt: tree.GT,
    ast.GtE: tree.GE,
}  # type: ignore[dict-item]


def _call(reader: ScalarReader, node: ast.Call) -> Scalar:
    return reader.call(node)


_ROWS: dict[type[ast.expr], Callable[..., Scalar]] = {
    ast.Attribute: ScalarReader.attribute,
    ast.BinOp: ScalarReader.binary,
    ast.BoolOp: ScalarReader.logic,
    ast.Call: _call,
    ast.Compare: ScalarReader.compare,
    ast.Constant: ScalarReader.constant,
    ast.IfExp: ScalarReader.conditional,
    ast.Name: ScalarReader.name,
    ast.Subscript: ScalarReader.subscript,
    ast.UnaryOp: ScalarReader.unary,
}
