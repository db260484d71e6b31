"""What may be known of values before a program runs: infos of every precision, and whether they tell the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_lang.arith.evaluate import evaluate
from relax_lang.arith.prover import Facts
from relax_lang.ops.core.dtypes import name_of
from relax_lang.ops.core.findings import Finding
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.core.signature import DTypeName
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.context import Context, as_tensor
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue
from tests.ops.strategies import Draw

OF_VALUE = {
    "op-runtime-shape": "op-shape-mismatch",
    "op-axis": "op-axis",
    "op-attribute": "op-attribute",
    "op-argument": "op-argument",
    "op-dtype-mismatch": "op-dtype-mismatch",
}
"""What a call with known arguments that ends the program so must be told before it runs."""


class World:
    """Values of shape variables, and what a checker is told of the values of a call.

    Without a `Draw` everything is told. With one, dimensions are written as expressions over shape variables,
    shapes are held by variables, ranks or dtypes are not known. With `named`, every extent above 1 has a name of
    its own, and all shapes and dtypes are told; with `ranked`, only ranks and dtypes are.
    """

    def __init__(
        self, draw: Draw | None, extents: list[int], named: bool = False, ranked: bool = False
    ) -> None:
        self.draw = draw
        self.named = named
        self.ranked = ranked
        self.env: dict[str, int] = {}
        self.held: dict[str, tuple[int, ...]] = {}
        self.variables: dict[str, tree.StructInfo] = {}
        self.known: dict[str, tree.Expr] = {}
        self.vague = 0.0
        if draw is not None:
            extents = [extent for extent in extents if extent >= 0]
            for name in ("n", "m", "k"):
                self.env[name] = draw.one_of(*extents) if extents and draw.chance(0.8) else draw.extent()
            self.vague = draw.one_of(0.0, 0.1, 0.4)

    def context(self) -> Context:
        """Return the context of the call: the names, and now and then something true of them."""
        facts = Facts()
        if self.draw is not None:
            for name, value in self.env.items():
                if self.draw.chance(0.3):
                    facts = facts.with_(
                        tree.GE(tree.PrimVar(name), tree.IntImm(value - self.draw.one_of(0, 1)))
                    )
                for other, same in self.env.items():
                    if other < name and same == value and self.draw.chance(0.3):
                        facts = facts.with_equal(tree.PrimVar(other), tree.PrimVar(name))
        return Context(frozenset(self.env), self.variables, self.known, facts)

    # What is told.

    def dim(self, value: int) -> tree.PrimExpr:
        """Return a dimension of that value."""
        if self.named and value > 1:
            self.env[f"e{value}"] = value
            return tree.PrimVar(f"e{value}")
        written = tree.IntImm(value) if value >= 0 or self.draw is None else tree.Neg(tree.IntImm(-value))
        if self.draw is None or self.draw.chance(0.35):
            return written
        name, held = self.draw.one_of(*self.env.items())
        var = tree.PrimVar(name)
        twice = tree.Mul(var, tree.IntImm(2))
        forms: list[tuple[tree.PrimExpr, int]] = [
            *[(tree.PrimVar(each), number) for each, number in self.env.items()] * 2,
            (twice, held * 2),
            (tree.FloorDiv(var, tree.IntImm(2)), held // 2),
            (tree.Max(var, tree.IntImm(1)), max(held, 1)),
            (tree.Sub(twice, var), held),
        ]
        right = [form for form, number in forms if number == value]
        if right and self.draw.chance(0.8):
            return self.draw.one_of(*right)
        gap = value - held
        return tree.Add(var, tree.IntImm(gap)) if gap >= 0 else tree.Sub(var, tree.IntImm(-gap))

    def dims(self, values: tuple[int, ...]) -> tuple[tree.PrimExpr, ...]:
        # A size that is computed is never negative: -1 in the target of a `reshape` stands as such.
        return tuple([tree.IntImm(value) if value < 0 else self.dim(value) for value in values])

    def variable(self, values: tuple[int, ...]) -> str:
        """Return the name of a variable that holds a shape; whatever is known of that."""
        assert self.draw is not None
        for name, shape in self.held.items():
            if shape == values and self.draw.chance(0.7):
                return name
        name = f"s{len(self.held)}"
        self.held[name] = values
        told = self.draw.random.randrange(4)
        if told == 0:
            self.known[name] = tree.ShapeExpr(self.dims(values))
        exact = self.dims(values) if told == 1 else None
        self.variables[name] = tree.ShapeStructInfo(
            exact, len(values) if told == 2 and exact is None else None
        )
        return name

    def tensor(self, value: Any) -> tree.TensorStructInfo:
        dtype = tree.DType(name_of(value.dtype))
        if self.ranked:
            return tree.TensorStructInfo(None, dtype, value.ndim)
        if self.draw is None:
            return tree.TensorStructInfo(tree.ShapeExpr(self.dims(value.shape)), dtype, None)
        known_dtype = None if self.draw.chance(self.vague / 2) else dtype
        if self.draw.chance(0.15):
            return tree.TensorStructInfo(tree.Var(self.variable(value.shape), None), known_dtype, None)
        if self.draw.chance(self.vague):
            return tree.TensorStructInfo(None, known_dtype, value.ndim if self.draw.chance(0.6) else None)
        return tree.TensorStructInfo(tree.ShapeExpr(self.dims(value.shape)), known_dtype, None)

    def shape(self, value: ShapeValue) -> tuple[tree.Expr, tree.StructInfo]:
        if min(value.values, default=0) < 0:  # the `-1` of a `reshape`, which has to be written so
            dims = tuple([tree.IntImm(extent) for extent in value.values])
            return tree.ShapeExpr(dims), tree.ShapeStructInfo(dims, None)
        if self.ranked:
            name = f"s{len(self.held)}"
            self.held[name] = value.values
            self.variables[name] = tree.ShapeStructInfo(None, len(value.values))
            return tree.Var(name, None), self.variables[name]
        if self.draw is not None and self.draw.chance(self.vague):
            name = self.variable(value.values)
            return tree.Var(name, None), self.variables[name]
        dims = self.dims(value.values)
        return tree.ShapeExpr(dims), tree.ShapeStructInfo(dims, None)

    def info(self, value: Any) -> tree.StructInfo:
        """Return the info of a value, wherever it stands."""
        if isinstance(value, np.ndarray):
            return self.tensor(value)
        if isinstance(value, ShapeValue):
            return self.shape(value)[1]
        if isinstance(value, tuple):
            return tree.TupleStructInfo(tuple([self.info(field) for field in value]))
        return tree.ObjectStructInfo()

    def argument(self, value: Any, kind: str, name: str) -> tuple[tree.Expr, tree.StructInfo | None]:
        """Return an argument of a call, and its info."""
        if value is None:
            return tree.Tuple(()), tree.TupleStructInfo(())
        if isinstance(value, bool):
            return tree.PrimValue(tree.BoolImm(value)), None
        if isinstance(value, int):
            return tree.PrimValue(tree.IntImm(value) if self.named else self.dim(value)), None
        if isinstance(value, float):
            return tree.PrimValue(tree.FloatImm(value)), None
        if isinstance(value, ShapeValue):
            return self.shape(value)
        if kind == "prims":
            items = [self.argument(item, "prim", name)[0] for item in value]
            return tree.Tuple(tuple(items)), tree.TupleStructInfo(
                tuple([tree.ObjectStructInfo()] * len(items))
            )
        return tree.Var(name, None), self.info(value)

    def call(
        self, operator: Operator, args: list[Any], attrs: dict[str, Any]
    ) -> tuple[tree.Call, list[tree.StructInfo | None]]:
        """Return a call of values as the checker meets it."""
        kinds = [param.kind for param in operator.params]
        kinds += kinds[-1:] * len(args)
        told = [self.argument(arg, kinds[at], f"x{at}") for at, arg in enumerate(args)]
        named = tuple([tree.Attr(name, literal(value)) for name, value in attrs.items()])
        call = tree.Call(tree.Op(operator.name), tuple([arg for arg, _ in told]), named, None, 0, 1)
        return call, [info for _, info in told]

    def infer(
        self, operator: Operator, args: list[Any], attrs: dict[str, Any]
    ) -> tuple[tree.StructInfo, list[Finding], str]:
        """Infer a call; also return what was told of it, for messages."""
        from relax_lang.format.printer import show

        call, infos = self.call(operator, args, attrs)
        context = self.context()
        told = [
            show(info) if info is not None else show(arg) for arg, info in zip(call.args, infos, strict=True)
        ]
        info, findings = infer_call(operator, call, infos, context)
        where = f"{operator.name}({', '.join(told)}; {attrs}) with {self.env} {self.held}"
        return info, findings, where

    # Whether it is true.

    def holds(self, info: tree.StructInfo, value: Any) -> bool:
        """Tell whether a value is what an info says."""
        if isinstance(info, tree.PrimStructInfo):
            info = as_tensor(info)
        if isinstance(info, tree.TensorStructInfo):
            return (
                isinstance(value, np.ndarray)
                and (info.dtype is None or info.dtype.name == name_of(value.dtype))
                and (info.ndim is None or info.ndim == value.ndim)
                and self._shape_holds(info.shape, value.shape)
            )
        if isinstance(info, tree.ShapeStructInfo):
            if not isinstance(value, ShapeValue) or info.ndim not in (None, len(value.values)):
                return False
            return info.values is None or self.values(info.values) == value.values
        if isinstance(info, tree.TupleStructInfo):
            return (
                isinstance(value, tuple)
                and len(info.fields) == len(value)
                and all(self.holds(field, part) for field, part in zip(info.fields, value, strict=True))
            )
        return isinstance(info, tree.ObjectStructInfo)

    def _shape_holds(self, shape: tree.Expr | None, values: tuple[int, ...]) -> bool:
        if isinstance(shape, tree.Var):
            return self.held[shape.name_hint] == values
        return shape is None or (isinstance(shape, tree.ShapeExpr) and self.values(shape.values) == values)

    def values(self, dims: tuple[tree.PrimExpr, ...]) -> tuple[int, ...]:
        """Return the values of dimensions."""
        return tuple([int(evaluate(dim, self.env)) for dim in dims])


def extents_of(value: Any) -> list[int]:
    """Return all extents that occur in values."""
    if isinstance(value, np.ndarray):
        return list(value.shape)
    if isinstance(value, ShapeValue):
        return [extent for extent in value.values if extent >= 0]
    if isinstance(value, tuple | list):
        return [extent for item in value for extent in extents_of(item)]
    return []


def exact(info: tree.StructInfo, dims: type[tree.PrimExpr] = tree.IntImm) -> bool:
    """Tell whether an info leaves nothing open: numbers (or other dimensions) and dtypes everywhere."""
    if isinstance(info, tree.PrimStructInfo):
        return True
    if isinstance(info, tree.TensorStructInfo):
        values = info.shape.values if isinstance(info.shape, tree.ShapeExpr) else (None,)
        return info.dtype is not None and all(isinstance(dim, dims) for dim in values)
    if isinstance(info, tree.ShapeStructInfo):
        return info.values is not None and all(isinstance(dim, dims) for dim in info.values)
    return isinstance(info, tree.TupleStructInfo) and all(exact(field, dims) for field in info.fields)


def ranked(info: tree.StructInfo) -> bool:
    """Tell whether an info says rank and dtype of all tensors in it; variables hold shapes of known rank."""
    if isinstance(info, tree.PrimStructInfo):
        return True
    if isinstance(info, tree.TensorStructInfo):
        return (info.ndim is not None or info.shape is not None) and info.dtype is not None
    if isinstance(info, tree.ShapeStructInfo):
        return info.ndim is not None or info.values is not None
    return isinstance(info, tree.TupleStructInfo) and all(ranked(field) for field in info.fields)


def literal(value: Any) -> tree.Literal:
    """Return the literal of an attribute's value."""
    if value is None:
        return tree.NullLit()
    if isinstance(value, bool):
        return tree.BoolLit(value)
    if isinstance(value, int):
        return tree.IntLit(value)
    if isinstance(value, float):
        return tree.FloatLit(value)
    if isinstance(value, DTypeName):
        return tree.DType(str(value))
    if isinstance(value, str):
        return tree.StrLit(value)
    return tree.ListLit(tuple([literal(item) for item in value]))
