"""Scalar expressions of tensor expressions: trees of PrimFuncs with a dtype, built by Python's operators.

No dtype is converted silently: operands have one dtype, and a Python number takes that of the other operand [TIR.5].
`==` builds an expression too. Where Python asks for a truth value, the prover answers for sizes.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL, NO_FACTS, compare
from relax_lang.base.relax_error import refused
from relax_lang.syntax import dtypes, tree
from relax_lang.te.diagnostics import (
    bad_name,
    dtypes_differ,
    fraction_for_integer,
    integer_quotient,
    no_truth_value,
    not_a_condition,
    not_a_number,
    not_a_number_type,
    not_scalar,
    unknown_dtype,
)
from relax_lang.te.literals import as_written, fraction, has_fraction, integer, literal_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Number = int | float
    ExprLike: TypeAlias = "Expr | Number"
    Fold = Callable[[int, int], int | None]


class Expr:
    """A scalar expression: `node` is its tree, `dtype` None if it consists of Python numbers only.

    Local names in the tree, which are given when a PrimFunc is made, have a dot and a number at their end.
    """

    __slots__ = ("dtype", "node")

    def __init__(self, node: tree.PrimExpr, dtype: str | None) -> None:
        self.node = node
        self.dtype = dtype

    def __add__(self, other: ExprLike) -> Expr:
        """`a + b`."""
        return _arithmetic(tree.Add, "+", self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        """`1 + b`."""
        return _arithmetic(tree.Add, "+", other, self)

    def __sub__(self, other: ExprLike) -> Expr:
        """`a - b`."""
        return _arithmetic(tree.Sub, "-", self, other)

    def __rsub__(self, other: ExprLike) -> Expr:
        """`1 - b`."""
        return _arithmetic(tree.Sub, "-", other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        """`a * b`."""
        return _arithmetic(tree.Mul, "*", self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        """`2 * b`."""
        return _arithmetic(tree.Mul, "*", other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        """`a / b`, of floats."""
        return _quotient(self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        """`1 / b`, of floats."""
        return _quotient(other, self)

    def __floordiv__(self, other: ExprLike) -> Expr:
        """`a // b`, rounded down."""
        return _arithmetic(tree.FloorDiv, "//", self, other)

    def __rfloordiv__(self, other: ExprLike) -> Expr:
        """`8 // b`, rounded down."""
        return _arithmetic(tree.FloorDiv, "//", other, self)

    def __mod__(self, other: ExprLike) -> Expr:
        """`a % b`: the remainder of `//`."""
        return _arithmetic(tree.FloorMod, "%", self, other)

    def __rmod__(self, other: ExprLike) -> Expr:
        """`8 % b`: the remainder of `//`."""
        return _arithmetic(tree.FloorMod, "%", other, self)

    def __neg__(self) -> Expr:
        """`-a`."""
        node = self.node
        if isinstance(node, tree.IntImm) and node.dtype is None:
            return Expr(integer(-node.value), self.dtype)
        return Expr(tree.Neg(node), self.dtype)

    def __pow__(self, other: ExprLike) -> Expr:
        """`pow(a, b)`, of floats."""
        a, b, dtype = paired("pow", self, other)
        return Expr(tree.PrimCall("pow", (a, b)), dtype)

    def __and__(self, other: ExprLike) -> Expr:
        """`a && b` of conditions, `a & b` of integers."""
        return _logic(tree.And, tree.BitAnd, "&", self, other)

    def __or__(self, other: ExprLike) -> Expr:
        """`a || b` of conditions, `a | b` of integers."""
        return _logic(tree.Or, tree.BitOr, "|", self, other)

    def __xor__(self, other: ExprLike) -> Expr:
        """`a ^ b` of integers; whether two conditions differ."""
        a, b, dtype = paired("^", self, other)
        return Expr(tree.NE(a, b), dtype) if dtype == dtypes.BOOL else Expr(tree.BitXor(a, b), dtype)

    def __invert__(self) -> Expr:
        """`!a` of a condition, `~a` of an integer."""
        node = tree.Not(self.node) if self.dtype == dtypes.BOOL else tree.BitNot(self.node)
        return Expr(node, self.dtype)

    def __lshift__(self, other: ExprLike) -> Expr:
        """`a << b`."""
        a, b, dtype = paired("<<", self, other)
        return Expr(tree.ShiftLeft(a, b), dtype)

    def __rshift__(self, other: ExprLike) -> Expr:
        """`a >> b`."""
        a, b, dtype = paired(">>", self, other)
        return Expr(tree.ShiftRight(a, b), dtype)

    def __lt__(self, other: ExprLike) -> Expr:
        """`a < b`."""
        return _comparison(tree.LT, "<", self, other)

    def __le__(self, other: ExprLike) -> Expr:
        """`a <= b`."""
        return _comparison(tree.LE, "<=", self, other)

    def __gt__(self, other: ExprLike) -> Expr:
        """`a > b`."""
        return _comparison(tree.GT, ">", self, other)

    def __ge__(self, other: ExprLike) -> Expr:
        """`a >= b`."""
        return _comparison(tree.GE, ">=", self, other)

    def __eq__(self, other: object) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`a == b`: an expression; its truth value is whether two sizes are provably equal."""
        return _comparison(tree.EQ, "==", self, other)

    def __ne__(self, other: object) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`a != b`: an expression."""
        return _comparison(tree.NE, "!=", self, other)

    def __hash__(self) -> int:
        """By identity: `==` builds an expression."""
        return id(self)

    def __bool__(self) -> bool:
        """Return what is known of `a == b` and `a != b`, where `a` and `b` are sizes. Raises RelaxError for others."""
        node = self.node
        if isinstance(node, tree.BoolImm):
            return node.value
        if isinstance(node, tree.EQ | tree.NE):
            answer = compare(node.a, node.b, NO_FACTS)
            if answer in (EQUAL, DIFFERENT):
                return (answer == EQUAL) == isinstance(node, tree.EQ)
        raise refused(no_truth_value, shown(self))

    def __int__(self) -> int:
        """Return the value of a whole literal. Raises RelaxError for others."""
        value = constant_value(self)
        if value is None:
            raise refused(not_a_number, shown(self))
        return value

    __index__ = __int__

    def __repr__(self) -> str:
        """Show the expression as text."""
        return shown(self)


def shown(value: object) -> str:
    """Return what messages show of an operand."""
    if isinstance(value, Expr):
        from relax_lang.format.printer import show  # only for messages

        return show(as_written(value.node))
    return repr(value)


def expr(value: Any, dtype: str | None = None) -> Expr:
    """Return an operand as an expression: a Python number becomes a literal. Raises RelaxError for anything else."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return Expr(tree.BoolImm(value), dtypes.BOOL)
    if isinstance(value, int):
        return Expr(integer(value), dtype)
    if isinstance(value, float):
        return Expr(fraction(value), dtype)
    if hasattr(value, "item") and not getattr(value, "shape", (1,)):  # a scalar of NumPy
        return expr(value.item(), dtype)
    raise refused(not_scalar, value)


def dim(name: str) -> Expr:
    """Return the shape variable `name`, an int64: `dim("n") * 2 + 1`."""
    if not isinstance(name, str) or not name.isidentifier():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused(bad_name, name)
    return Expr(tree.PrimVar(name), dtypes.INT64)


def const(value: Number | bool, dtype: str) -> Expr:
    """Return a literal with a dtype: `const(0.5, "float16")`."""
    checked_dtype(dtype)
    if dtype == dtypes.BOOL:
        return Expr(tree.BoolImm(bool(value)), dtype)
    if dtypes.is_float(dtype):
        number = float(value)
        negative = number < 0
        literal = tree.FloatImm(-number if negative else number, tree.DType(dtype))
        return Expr(tree.Neg(literal) if negative else literal, dtype)
    whole = int(value)
    if whole < 0:
        lowest = -(1 << (int(dtype.removeprefix("int")) - 1)) if dtype.startswith("int") else 0
        if whole == lowest:
            return min_value(dtype)
        return Expr(tree.Neg(tree.IntImm(-whole, tree.DType(dtype))), dtype)
    return Expr(tree.IntImm(whole, tree.DType(dtype)), dtype)


def min_value(dtype: str) -> Expr:
    """Return the least finite value of a dtype."""
    return Expr(tree.TypeLimit("min_value", tree.DType(checked_dtype(dtype))), dtype)


def max_value(dtype: str) -> Expr:
    """Return the greatest finite value of a dtype."""
    return Expr(tree.TypeLimit("max_value", tree.DType(checked_dtype(dtype))), dtype)


def cast(value: ExprLike, dtype: str) -> Expr:
    """Convert: fractions towards zero, integers modulo the range, to bool by `!= 0`."""
    checked_dtype(dtype)
    given = expr(value)
    if given.dtype == dtype:
        return given
    if not isinstance(value, Expr):
        return const(value, dtype)
    if given.dtype is None:
        default = dtypes.FLOAT32 if has_fraction(given.node) else dtypes.INT64
        return given if default == dtype else Expr(tree.Cast(given.node, tree.DType(dtype)), dtype)
    return Expr(tree.Cast(given.node, tree.DType(dtype)), dtype)


def select(condition: Expr, a: ExprLike, b: ExprLike) -> Expr:
    """`a` where the condition holds, else `b`; both are evaluated."""
    first, second, dtype = paired("select", a, b)
    return Expr(tree.Select(_condition(condition), first, second), dtype)


def if_then_else(condition: Expr, a: ExprLike, b: ExprLike) -> Expr:
    """`a` where the condition holds, else `b`; the other one is not evaluated."""
    first, second, dtype = paired("if_then_else", a, b)
    return Expr(tree.PrimCall("if_then_else", (_condition(condition), first, second)), dtype)


def minimum(a: ExprLike, b: ExprLike) -> Expr:
    """`min(a, b)`: the smaller one; nan if either is."""
    first, second, dtype = paired("min", a, b)
    return Expr(tree.Min(first, second), dtype)


def maximum(a: ExprLike, b: ExprLike) -> Expr:
    """`max(a, b)`: the greater one; nan if either is."""
    first, second, dtype = paired("max", a, b)
    return Expr(tree.Max(first, second), dtype)


def truncdiv(a: ExprLike, b: ExprLike) -> Expr:
    """`a / b` of integers, rounded towards zero."""
    first, second, dtype = paired("/", a, b)
    return Expr(tree.Div(first, second), dtype)


def checked_dtype(dtype: str) -> str:
    """Return the name of a dtype. Raises RelaxError if there is none of that name."""
    if dtype not in dtypes.DTYPES:
        raise refused(unknown_dtype, dtype)
    return dtype


def constant_value(value: Expr) -> int | None:
    """Return the value of a whole literal, or None."""
    return literal_value(value.node)


def paired(what: str, a: object, b: object) -> tuple[tree.PrimExpr, tree.PrimExpr, str | None]:
    """Return two operands and their common dtype. Raises RelaxError if they have two. [TIR.5]"""
    first, second = expr(a), expr(b)
    if first.dtype is not None and second.dtype is not None and first.dtype != second.dtype:
        raise refused(dtypes_differ, what, (shown(a), first.dtype), (shown(b), second.dtype))
    dtype = first.dtype or second.dtype
    if dtype is not None and not dtypes.is_float(dtype):
        for one in (first, second):
            if one.dtype is None and has_fraction(one.node):
                raise refused(fraction_for_integer, shown(one), dtype)
    return first.node, second.node, dtype


def _condition(condition: object) -> tree.PrimExpr:
    made = expr(condition)
    if made.dtype != dtypes.BOOL:
        raise refused(not_a_condition, shown(condition), made.dtype or "a number")
    return made.node


_FOLDED: dict[type, Fold] = {
    tree.Add: lambda a, b: a + b,
    tree.Sub: lambda a, b: a - b,
    tree.Mul: lambda a, b: a * b,
    tree.FloorDiv: lambda a, b: a // b if b else None,
    tree.FloorMod: lambda a, b: a % b if b else None,
}
_RIGHT_UNIT = {tree.Add: 0, tree.Sub: 0, tree.Mul: 1, tree.FloorDiv: 1}
_LEFT_UNIT = {tree.Add: 0, tree.Mul: 1}


def _arithmetic(kind: Any, what: str, a: object, b: object) -> Expr:
    first, second, dtype = paired(what, a, b)
    if dtype == dtypes.BOOL:
        raise refused(not_a_number_type, what)
    if dtype is None or dtype == dtypes.INT64:  # sizes and indices are kept short
        x, y = literal_value(first), literal_value(second)
        if x is not None and y is not None and kind in _FOLDED:
            value = _FOLDED[kind](x, y)
            if value is not None and abs(value) < 1 << 62:
                return Expr(integer(value), dtype)
        elif y is not None and y == _RIGHT_UNIT.get(kind):
            return Expr(first, dtype)
        elif x is not None and x == _LEFT_UNIT.get(kind):
            return Expr(second, dtype)
        elif kind is tree.Mul and 0 in (x, y):
            return Expr(tree.IntImm(0), dtype)
    return Expr(kind(first, second), dtype)


def _quotient(a: object, b: object) -> Expr:
    first, second, dtype = paired("/", a, b)
    if dtype is not None and not dtypes.is_float(dtype):
        raise refused(integer_quotient, dtype)
    return Expr(tree.Div(first, second), dtype)


def _logic(of_conditions: Any, of_integers: Any, what: str, a: object, b: object) -> Expr:
    first, second, dtype = paired(what, a, b)
    return Expr((of_conditions if dtype == dtypes.BOOL else of_integers)(first, second), dtype)


def _comparison(kind: Any, what: str, a: object, b: object) -> Expr:
    first, second, _ = paired(what, a, b)
    return Expr(kind(first, second), dtypes.BOOL)
