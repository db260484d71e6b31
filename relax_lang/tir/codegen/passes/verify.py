"""The verifier of the array IR: names, ranks, dtypes, and what an operation may write to.

Tests run it after every pass (`Verifier.is_on`); a finding is a mistake of the compiler, and raises `AssertionError`.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of
from relax_lang.tir.codegen.passes.effects import (
    are_apart,
    arrays_in,
    bodies_of,
    own_parts,
    root_of,
    targets_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class Type(NamedTuple):
    """The dtype and the number of dimensions of a value, where they are known."""

    dtype: str = ""
    rank: int | None = None


_NUMBER = Type("", 0)


class Verifier:
    """Checks one function; `params` are the names that have a value at its entry."""

    is_on = False
    """Whether the compiler checks what it makes."""

    def __init__(self, params: Collection[str]) -> None:
        self._defined = set(params)
        self._types: dict[str, Type] = {}

    def check(self, body: Sequence[ir.Statement]) -> None:
        """Check statements, each with the names that are defined before it."""
        self._body(body, set(self._defined))

    def _body(self, body: Sequence[ir.Statement], visible: set[str]) -> None:
        for statement in body:
            for part in own_parts(statement):
                missing = names_in(part) - visible
                assert not missing, f"{sorted(missing)} have no value in {statement!r}"
            self._statement(statement, visible)
            self._body(bodies_of(statement), set(visible))
            if isinstance(statement, ir.For):
                visible -= {statement.variable, *[row.name for row in statement.rows]}

    def _statement(self, statement: ir.Statement, visible: set[str]) -> None:
        match statement:
            case ir.Define(name, value, rebinds):
                assert rebinds or name not in self._defined, f"{name} is defined twice"
                self._name(name, self._type_of(value), visible)
            case ir.Unpack(names, value):
                self._type_of(value)
                for name in names:
                    self._name(name, Type(), visible)
            case ir.Allocate(name, shape, dtype):
                self._name(name, Type(dtype, len(shape)), visible)
            case ir.For():
                self._name(statement.variable, _NUMBER, visible)
                for row in statement.rows:
                    dtype, rank = self._type_of(row.array)
                    self._name(row.name, Type(dtype, None if rank is None else rank - 1), visible)
            case ir.Store(target, value):
                self._fits(target, value)
            case ir.Into(target, value):
                self._into(target, value)
            case ir.StoreWhere() | ir.Evaluate():
                for target in targets_of(statement):
                    self._type_of(target)
            case ir.Require() | ir.Remark() | ir.Break() | ir.If() | ir.Forever() | ir.Restoring():
                pass
            case _:
                assert_never(statement)

    def _name(self, name: str, found: Type, visible: set[str]) -> None:
        self._defined.add(name)
        self._types[name] = found
        visible.add(name)

    def _fits(self, target: ir.Expr, value: ir.Expr) -> tuple[Type, Type]:
        """Check that the dimensions of a value are those of its target, or fewer."""
        one, other = self._type_of(target), self._type_of(value)
        if one.rank is not None and other.rank is not None:
            assert other.rank <= one.rank, f"{value!r} has more dimensions than {target!r}"
        return one, other

    def _into(self, target: ir.Expr, value: ir.Expr) -> None:
        one, other = self._fits(target, value)
        assert not one.dtype or not other.dtype or one.dtype == other.dtype, (
            f"{value!r} in an array of {one.dtype}"
        )
        if isinstance(value, ir.Elementwise | ir.Clip):
            return  # where views overlap, all elements are read before the first one is stored
        parts = parts_of(value) if isinstance(value, Node) else []
        for part in [array for one in parts for array in arrays_in(one)]:
            may_be_same = isinstance(value, ir.Call | ir.Select) and part == target
            assert may_be_same or root_of(part) != root_of(target) or are_apart(part, target), (
                f"{target!r} is stored to while {part!r} is read"
            )

    def _type_of(self, value: ir.Expr) -> Type:
        match value:
            case Ref(name, dtype, shape):
                return self._types.get(name) or Type(dtype, None if shape is None else len(shape))
            case ir.Typed(_, dtype):
                return Type(dtype, 0)
            case ir.Iota():
                return Type(dtypes.INT64, 1)
            case Polynomial() | ir.Literal() | ir.ScalarOp():
                return _NUMBER
            case ir.Elementwise() | ir.Clip():
                return self._arithmetic(value)
            case ir.View() | ir.AffineView() | ir.Transposed() | ir.Broadcast() | ir.Reshaped():
                return self._array(value)
            case ir.Cast() | ir.Reduce() | ir.Contract():
                return self._array(value)
            case (
                ir.Take() | ir.Gather() | ir.Select() | ir.Choice() | ir.MatMul() | ir.Call()
                | ir.Property() | ir.Tuple() | ir.Operation() | ir.DtypeOf() | ir.HasDtype()
            ):  # fmt: skip
                return Type()
            case _:
                assert_never(value)

    def _array(self, value: ir.ViewOf | ir.Cast | ir.Reduce | ir.Contract) -> Type:
        match value:
            case ir.View():
                return self._view(value)
            case ir.AffineView(array, starts, extents):
                dtype, rank = self._type_of(array)
                assert rank is None or rank == len(starts), f"{value!r} has another rank"
                return Type(dtype, len(extents))
            case ir.Transposed(array, axes):
                dtype, rank = self._type_of(array)
                assert rank is None or sorted(axes) == list(range(rank)), f"{value!r} has other axes"
                return Type(dtype, len(axes))
            case ir.Broadcast(array, shape) | ir.Reshaped(array, shape):
                return Type(self._type_of(array).dtype, len(shape))
            case ir.Cast(array, dtype):
                return Type(dtype, self._type_of(array).rank)
            case ir.Reduce(_, array, axes):
                dtype, rank = self._type_of(array)
                assert rank is None or max(axes) < rank, f"{value!r} has other axes"
                return Type(value.dtype, None if rank is None else rank - len(axes))
            case ir.Contract(factors, result):
                for letters, factor in factors:
                    assert self._type_of(factor).rank in (None, len(letters)), f"{value!r} has other letters"
                return Type("", len(result))
            case _:
                assert_never(value)

    def _view(self, view: ir.View) -> Type:
        dtype, rank = self._type_of(view.array)
        indexed = [axis for axis in view.axes if not isinstance(axis, ir.NewAxis)]
        if rank is None:
            return Type(dtype, None)
        assert len(indexed) <= rank, f"{view!r} has more axes than its array"
        single = [axis for axis in indexed if isinstance(axis, ir.At)]
        return Type(dtype, rank - len(single) + len(view.axes) - len(indexed))

    def _arithmetic(self, value: ir.Elementwise | ir.Clip) -> Type:
        args = value.args if isinstance(value, ir.Elementwise) else (value.array, value.lower, value.upper)
        ranks = [self._type_of(arg).rank for arg in args]
        known = [rank for rank in ranks if rank is not None]
        return Type(value.dtype, max(known) if len(known) == len(ranks) else None)
