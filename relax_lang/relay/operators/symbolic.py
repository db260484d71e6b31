"""Relax calls of an operator with their struct infos: what types are derived from, and translations made of. [R.33]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.ops.core.attributes import attribute_problems, attribute_values
from relax_lang.ops.registry import lookup
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.relay.operators.core import NotLowered, Refused
from relax_lang.relay.unification.model import ANY, Tensor, Tuple, find_shape, find_type
from relax_lang.struct_info.context import REJECTED, Context
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.unification.model import Type

_DTYPE_ATTRIBUTES = ("dtype", "out_dtype")


class Atom:
    """A value of a Relax program: how it is written, its struct info, and the number that it is, if it is one."""

    __slots__ = ("expr", "index", "info", "number", "typed")

    def __init__(
        self,
        expr: tree.Expr,
        info: tree.StructInfo | None,
        *,
        typed: tree.Expr | None = None,
        number: float | None = None,
        index: int | None = None,
    ) -> None:
        self.expr = expr
        self.info = info
        self.typed = typed or expr
        """As the normal form writes it, which inference looks at."""
        self.number = number
        self.index = index
        """Which argument of the Relay call this is."""


class Symbolic:
    """Writes calls and derives their struct infos; `bind` decides what becomes of a call.

    `place` is the Relay call, whose place all nodes get.
    """

    def __init__(self, place: tuple[int, int] = (-1, -1)) -> None:
        self.place = place
        self._names = 0

    def bind(self, call: tree.Call, info: tree.StructInfo) -> tree.Expr:
        """Bind a call to a variable, and return its use."""
        self._names += 1
        return tree.Var(f"t{self._names}", None, *self.place)

    def known_dims(self, value: Atom) -> list[Any]:
        """Return the extents of a tensor of which Relax does not know all."""
        raise NotLowered("not all extents are known before the program runs")

    # -- what an operator asks for -------------------------------------------------------------------------

    def call(self, operator: str, *args: Atom, **attrs: object) -> Atom:
        """Call a Relax operator. Raises Refused if its own rules refuse the arguments."""
        found = lookup(operator)
        assert found is not None, operator
        op: Any = tree.Op(operator, *self.place) if "." in operator else tree.Var(operator, None, *self.place)
        written = tuple(
            [self._attr(key, value) for key, value in attrs.items() if not _is_default(found, key, value)]
        )
        for problem in attribute_problems(found, len(args), attribute_values(written)):
            raise Refused(problem.message, attribute=problem.attribute, rule="attribute_value")
        typed = tree.Call(tree.Op(operator), tuple([one.typed for one in args]), written, None, *self.place)
        info, findings = infer_call(found, typed, [one.info for one in args], Context())
        for finding in findings:
            where = finding.argument
            at = where if isinstance(where, int) else None if where is None else where[0]
            argument = args[at].index if at is not None and at < len(args) else None
            raise Refused(finding.message, argument=argument, note=finding.note)
        if info is REJECTED:
            raise Refused(f"Relax's `{operator}` does not take these arguments")
        dims = info.shape if isinstance(info, tree.TensorStructInfo) else None
        if isinstance(dims, tree.ShapeExpr) and any(isinstance(dim, tree.Neg) for dim in dims.values):
            raise Refused("an extent of the result would be negative")
        call = tree.Call(op, tuple([one.expr for one in args]), written, None, *self.place)
        return Atom(self.bind(call, info), info)

    def const(self, value: object, dtype: str) -> Atom:
        """Return a tensor that is written out."""
        literal = self._literal(value)
        expr = tree.Constant(literal, tree.DType(dtype), *self.place)
        info = tensor_info(_extents(value), dtype)
        number = value if isinstance(value, int | float) else None
        return Atom(expr, info, number=number)

    def shape(self, dims: Sequence[Any]) -> Atom:
        """Return a shape as an argument."""
        values = tuple([prim_expr(dim) for dim in dims])
        return Atom(tree.ShapeExpr(values, *self.place), tree.ShapeStructInfo(values, None))

    def prim(self, value: float | tree.PrimExpr) -> Atom:
        """Return a scalar that is not a tensor, as an argument."""
        if not isinstance(value, int | float):
            dim = tree.PrimValue(value, *self.place)
            return Atom(dim, None, typed=dim)
        typed = tree.PrimValue(tree.FloatImm(value) if isinstance(value, float) else tree.IntImm(value))
        return Atom(tree.Constant(self._literal(value), None, *self.place), None, typed=typed)

    def prims(self, values: Sequence[float | tree.PrimExpr]) -> Atom:
        """Return a tuple of scalars as an argument."""
        parts = [self.prim(value) for value in values]
        written = tree.Tuple(tuple([one.expr for one in parts]), *self.place)
        return Atom(written, None, typed=tree.Tuple(tuple([one.typed for one in parts])))

    def prim_func(
        self, text: str, args: Sequence[Atom], results: Sequence[tuple[Sequence[Any], str]]
    ) -> Atom:
        """Call a PrimFunc by `call_tir`."""
        infos = tuple([tensor_info(dims, dtype) for dims, dtype in results])
        info = infos[0] if len(infos) == 1 else tree.TupleStructInfo(infos)
        function = tree.GlobalVar(self.prim_func_name(text), *self.place)
        given = tree.Tuple(tuple([one.expr for one in args]), *self.place)
        op = tree.Var("call_tir", None, *self.place)
        return Atom(self.bind(tree.Call(op, (function, given), (), info, *self.place), info), info)

    def prim_func_name(self, text: str) -> str:
        """Return what a PrimFunc is called in the program."""
        return "prim_func"

    def extents(self, value: Atom, count: int) -> list[Any]:
        """Return the elements of an integer tensor as extents, each a name of its own."""
        self._names += 1
        return [tree.PrimVar(f"e{self._names}_{index}") for index in range(count)]

    def fields(self, values: Sequence[Atom]) -> Atom:
        """Return a tuple."""
        expr = tree.Tuple(tuple([one.expr for one in values]), *self.place)
        infos = [one.info or tree.ObjectStructInfo() for one in values]
        return Atom(expr, tree.TupleStructInfo(tuple(infos)))

    def field(self, value: Atom, index: int) -> Atom:
        """Return a field of a tuple."""
        if isinstance(value.expr, tree.Tuple):
            own = value.info
            assert isinstance(own, tree.TupleStructInfo)
            return Atom(value.expr.fields[index], own.fields[index])
        info = (
            value.info.fields[index]
            if isinstance(value.info, tree.TupleStructInfo)
            else tree.ObjectStructInfo()
        )
        return Atom(tree.TupleGetItem(value.expr, index, *self.place), info)

    def count(self, value: Atom) -> int:
        """Return the number of fields of a tuple."""
        if not isinstance(value.info, tree.TupleStructInfo):
            raise NotLowered("it is not known how many fields the tuple has")
        return len(value.info.fields)

    def dims(self, value: Atom) -> list[Any]:
        """Return the extents of a tensor: ints, or expressions."""
        info = value.info
        if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
            return [dim.value if isinstance(dim, tree.IntImm) else dim for dim in info.shape.values]
        return self.known_dims(value)

    def dtype(self, value: Atom) -> str:
        """Return the dtype of a tensor."""
        if not isinstance(value.info, tree.TensorStructInfo) or value.info.dtype is None:
            raise NotLowered("its dtype is not known")
        return value.info.dtype.name

    def literal(self, value: Atom) -> float | None:
        """Return the number that an argument is, if it is known."""
        return value.number

    # -- literals ------------------------------------------------------------------------------------------

    def _attr(self, key: str, value: object) -> tree.Attr:
        if key in _DTYPE_ATTRIBUTES and value in DTYPES:
            return tree.Attr(key, tree.DType(str(value), *self.place), *self.place)
        return tree.Attr(key, self._literal(value), *self.place)

    def _literal(self, value: object) -> tree.Literal:
        place = self.place
        if value is None:
            return tree.NullLit(*place)
        if isinstance(value, bool):
            return tree.BoolLit(value, *place)
        if isinstance(value, int):
            return tree.IntLit(value, str(value), *place)
        if isinstance(value, float):
            return tree.FloatLit(value, repr(value), *place)
        if isinstance(value, str):
            return tree.StrLit(value, *place)
        items: Any = value
        return tree.ListLit(tuple([self._literal(one) for one in items]), *place)


def _is_default(operator: Any, key: str, value: object) -> bool:
    return any(
        spec.name == key and spec.default == value and type(spec.default) is type(value)
        for spec in operator.attrs
    )


def _extents(value: object) -> list[int]:
    found: list[int] = []
    while isinstance(value, list | tuple):
        items: Any = value  # pyright: ignore[reportUnknownVariableType]
        found.append(len(items))
        value = items[0] if items else 0
    return found


def prim_expr(dim: Any) -> tree.PrimExpr:
    """Return an extent as a dimension of Relax."""
    if not isinstance(dim, int):
        return dim
    return tree.IntImm(dim) if dim >= 0 else tree.Neg(tree.IntImm(-dim))


def tensor_info(
    dims: Sequence[Any] | None, dtype: str | None, rank: int | None = None
) -> tree.TensorStructInfo:
    """Return the struct info of a tensor; without extents, of that rank."""
    made = None if dtype is None else tree.DType(dtype)
    if dims is None:
        return tree.TensorStructInfo(None, made, rank)
    return tree.TensorStructInfo(tree.ShapeExpr(tuple([prim_expr(dim) for dim in dims])), made, None)


def info_of(value: Type, fresh: FreshDims) -> tree.StructInfo:
    """Return the struct info of a type without unknowns; `?` is a fresh shape variable each."""
    value = find_type(value)
    if isinstance(value, Tensor):
        shape = find_shape(value.shape)
        if not isinstance(shape, tuple) or not isinstance(value.dtype, str):
            raise NotLowered("its shape or dtype is a parameter")
        return tensor_info([fresh.take() if dim is ANY else dim for dim in shape], value.dtype)
    if isinstance(value, Tuple):
        return tree.TupleStructInfo(tuple([info_of(one, fresh) for one in value.fields]))
    return tree.ObjectStructInfo()


class FreshDims:
    """Hands out shape variables."""

    def __init__(self) -> None:
        self._next = 0

    def take(self) -> tree.PrimExpr:
        """Return a shape variable that was not there before."""
        self._next += 1
        return tree.PrimVar(f"d{self._next}")


def type_of(info: tree.StructInfo) -> Type | None:
    """Return the Relay type of a struct info: what is not a number is `?`; None if the rank or dtype is not known."""
    match info:
        case tree.TensorStructInfo():
            if info.dtype is None:
                return None
            if isinstance(info.shape, tree.ShapeExpr):
                values = [dim.value if isinstance(dim, tree.IntImm) else ANY for dim in info.shape.values]
                return Tensor(tuple(values), info.dtype.name)
            rank = info.ndim
            return None if rank is None or rank < 0 else Tensor((ANY,) * rank, info.dtype.name)
        case tree.TupleStructInfo():
            fields = [type_of(one) for one in info.fields]
            known = [one for one in fields if one is not None]
            return Tuple(tuple(known)) if len(known) == len(fields) else None
        case (
            tree.ShapeStructInfo() | tree.PrimStructInfo() | tree.ObjectStructInfo() | tree.FuncStructInfo()
            | tree.MatchShapeInfo() | tree.MissingStructInfo()
        ):  # fmt: skip
            return None
        case _:
            return assert_never(info)
