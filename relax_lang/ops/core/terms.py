"""Terms: calls of operators that rules write down, and passes bind. `g * x`, `apply("exp", x)`, `where(c, g, 0.0)`.

A term is a tree that needs no binding, a call whose operands are terms, or a field of one. A term that is used twice is
bound once: terms are what they are by identity. Only the dtype is known of one, where it is known.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Number = int | float
    Operand = Any
    """What may be an operand: terms, numbers, trees as they are, sequences for tuples, None for what is left out."""


class Term:
    """An expression in the making; see the head of this module.

    With `operator`, a call of it with `args` and `attrs` (values of Python), and `result` behind `->`; with `of`, the
    field `index` of a tuple; otherwise `node`. `info` is known of what is there already.
    """

    __slots__ = ("args", "attrs", "dtype", "index", "info", "node", "of", "operator", "result")

    def __init__(
        self,
        node: tree.Expr | None = None,
        info: tree.StructInfo | None = None,
        *,
        dtype: str | None = None,
        operator: str = "",
        args: tuple[Any, ...] = (),
        attrs: dict[str, Any] | None = None,
        result: tree.StructInfo | None = None,
        of: Term | None = None,
        index: int = 0,
    ) -> None:
        self.node = node
        self.info = info
        self.operator = operator
        self.args = args
        self.attrs = attrs or {}
        self.result = result
        self.of = of
        self.index = index
        self.dtype = _dtype_of(info) if dtype is None else dtype

    # What is known of a tensor that is there already.

    @property
    def dims(self) -> tuple[tree.PrimExpr, ...] | None:
        """The dimensions, if all of them are known."""
        info = self.info
        if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
            return info.shape.values
        return None

    @property
    def ndim(self) -> int | None:
        """The rank, if it is known."""
        info = self.info
        dims = self.dims
        if dims is not None:
            return len(dims)
        return info.ndim if isinstance(info, tree.TensorStructInfo) else None

    # Arithmetic; a number takes the dtype of the term.

    def __add__(self, other: Operand) -> Term:
        """`add(self, other)`."""
        return apply("add", self, other)

    def __radd__(self, other: Operand) -> Term:
        """`add(other, self)`."""
        return apply("add", other, self)

    def __sub__(self, other: Operand) -> Term:
        """`subtract(self, other)`."""
        return apply("subtract", self, other)

    def __rsub__(self, other: Operand) -> Term:
        """`subtract(other, self)`."""
        return apply("subtract", other, self)

    def __mul__(self, other: Operand) -> Term:
        """`multiply(self, other)`."""
        return apply("multiply", self, other)

    def __rmul__(self, other: Operand) -> Term:
        """`multiply(other, self)`."""
        return apply("multiply", other, self)

    def __truediv__(self, other: Operand) -> Term:
        """`divide(self, other)`."""
        return apply("divide", self, other)

    def __rtruediv__(self, other: Operand) -> Term:
        """`divide(other, self)`."""
        return apply("divide", other, self)

    def __neg__(self) -> Term:
        """`negative(self)`."""
        return apply("negative", self)

    def __getitem__(self, index: int) -> Term:
        """Return a field of a tuple."""
        info = self.info.fields[index] if isinstance(self.info, tree.TupleStructInfo) else None
        return Term(None, info, of=self, index=index)


def _dtype_of(info: tree.StructInfo | None) -> str | None:
    known = info.dtype if isinstance(info, tree.TensorStructInfo) else None
    return None if known is None else str(known.name)


_TESTS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))


def apply(
    name: str, *args: Operand, dtype: str | None = None, result: tree.StructInfo | None = None, **attrs: Any
) -> Term:
    """Return a call of an operator. Numbers take the dtype of the operands that are terms.

    `dtype` is that of the result, where it is not the operands'. Attributes are values of Python; one that is called
    `dtype` is written `dtype_`.
    """
    operands = [one.dtype for one in args if isinstance(one, Term) and one.dtype is not None]
    if name in ("where", "masked_fill"):
        operands = [one for one in operands if one != "bool"] or operands
    own = operands[0] if operands else None
    given = [number(one, own) if isinstance(one, int | float) else one for one in args]
    while given and given[-1] is None:
        given.pop()
    if "dtype_" in attrs:
        attrs["dtype"] = attrs.pop("dtype_")
        dtype = dtype or attrs["dtype"]
    known = "bool" if name in _TESTS else dtype or own
    return Term(operator=name, args=tuple(given), attrs=attrs, dtype=known, result=result)


def where(condition: Term, one: Operand, other: Operand) -> Term:
    """Return the elements of `one` where a condition holds, of `other` elsewhere."""
    return apply("where", condition, one, other)


def number(value: Number, dtype: str | None) -> Term:
    """Return a number as a constant of a dtype; float32 if that is not known."""
    dtype = dtype or "float32"
    if dtypes.is_float(dtype):
        data: tree.Literal = tree.FloatLit(float(value))
        return Term(tree.Constant(data, None if dtype == "float32" else tree.DType(dtype)), dtype=dtype)
    return Term(tree.Constant(tree.IntLit(int(value)), tree.DType(dtype)), dtype=dtype)


def shape(dims: Sequence[tree.PrimExpr | int]) -> Term:
    """Return a shape."""
    made = tuple([tree.IntImm(one) if isinstance(one, int) else one for one in dims])
    return Term(tree.ShapeExpr(made), tree.ShapeStructInfo(made, None))


def prims(values: Sequence[tree.PrimExpr | int]) -> tree.Tuple:
    """Return a tuple of scalars, such as the bounds of a slice."""
    return tree.Tuple(tuple([prim(one) for one in values]))


def prim(value: tree.PrimExpr | int) -> tree.PrimValue:
    """Return a dimension as a scalar."""
    if isinstance(value, int):
        value = tree.Neg(tree.IntImm(-value)) if value < 0 else tree.IntImm(value)
    return tree.PrimValue(value)
