"""Bindings of a function that is being imported: calls of operators, with what is known of their results.

A rule calls `builder.op("add", x, y)` and gets a value back. Shapes come from the operators' own rules, so that what is
known here is what the checker will know. Calls whose operands are all constants are computed at once. Results always
have a shape: extents that no rule knows get a name by a `match_cast`.
"""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.folding import fold
from relax_lang.onnx.building.literals import attribute, literal
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.values import Constant, Ratio, Sizes, Tensor, TensorList
from relax_lang.ops.core.attributes import attribute_values, check_call
from relax_lang.ops.registry import lookup
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.context import Context
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.onnx.building.names import Names
    from relax_lang.onnx.building.weights import Weights
    from relax_lang.onnx.dims import Dim, Dims
    from relax_lang.onnx.values import Value
    from relax_lang.ops.core.findings import DeferredCheck
    from relax_lang.ops.core.operator import Operator

SMALL = 16
"""Elements of a constant that is written out in the text."""
DIMS = ("n", "m", "k", "d")
"""What dimensions without a name are called."""

Info = tree.StructInfo


class Builder:
    """The bindings of one block. Blocks inside of it share names and weights, and see its dimensions."""

    def __init__(
        self, names: Names, weights: Weights, shape_vars: frozenset[str] = frozenset(), *, fold: bool = True
    ) -> None:
        self.names = names
        self.weights = weights
        self.shape_vars = shape_vars
        self.folds = fold
        self.bindings: list[tree.Binding] = []
        self.comments: dict[Node, list[str]] = {}
        self.deferred: dict[tree.Call, list[DeferredCheck]] = {}
        """Calls whose operands may differ for some sizes, as the model leaves that open."""
        self.made: dict[str, Tensor] = {}
        """What was bound, by name."""
        self.hint = "v"

    def inner(self) -> Builder:
        """Return the builder of a block inside of this one."""
        made = Builder(self.names, self.weights, self.shape_vars, fold=self.folds)
        made.hint, made.comments, made.deferred = self.hint, self.comments, self.deferred
        made.made = self.made
        return made

    def finish(self) -> None:
        """Drop what is known of the values of a program that is complete."""
        self.made.clear()
        self.deferred.clear()
        self.bindings.clear()

    # Values.

    def constant(self, value: object, dtype: str, key: str = "") -> Constant:
        """Return a constant."""
        import numpy as np

        from relax_lang.onnx.reading.tensors import numpy_dtype

        return Constant(np.asarray(value).astype(numpy_dtype(dtype), copy=False), key)

    def like(self, value: object, other: Value) -> Constant:
        """Return a scalar constant of the dtype of another value."""
        return self.constant(value, other.dtype)

    def fresh_dim(self) -> Dim:
        """Return a dimension with a name of its own, which the next `match_cast` binds."""
        wanted = next((one for one in DIMS if not self.names.taken(one)), DIMS[0])
        return tree.PrimVar(self.names.fresh(wanted))

    def tensor(self, value: Value) -> Tensor:
        """Return a value as a variable of the program."""
        if isinstance(value, Tensor):
            return value
        if isinstance(value, Constant):
            node, info = self._constant(value)
            return self._bound(node, info, None)
        node, info = self.operand(value)
        return value if isinstance(value, Tensor) else self._bound(node, info, None)

    def sizes(self, values: Sequence[Dim], dtype: str = "int64", *, scalar: bool = False) -> Value:
        """Return integers as a value."""
        return Sizes(tuple(values), scalar=scalar, dtype=dtype)

    # Calls.

    def op(self, name: str, *args: Any, dims: Sequence[Dim | None] | None = None, **attrs: Any) -> Any:
        """Return the result of a call of an operator: a value, or a list of them for a tuple.

        Arguments are given as their parameters ask: values, sequences of values (`tensors`), of dimensions (`shape`,
        `prims`), or dimensions and numbers (`prim`); None is one that is left out. `dims` is what is known of the shape
        of the result where the operator's rule does not know it. Raises Invalid.
        """
        operator = lookup(name)
        assert operator is not None, name
        while args and args[-1] is None:
            args = args[:-1]
        folded = fold(operator, args, attrs) if self.folds else None
        if folded is not None:
            return folded
        call, info = self._call(operator, list(args), attrs)
        return self._result(call, info, dims)

    def _call(self, operator: Operator, args: list[Any], attrs: dict[str, Any]) -> tuple[tree.Call, Info]:
        specs = {spec.name: spec for spec in operator.attrs}
        written = tuple(
            [
                attribute(key, value, specs[key].type)
                for key, value in attrs.items()
                if key not in specs or specs[key].required or value != specs[key].default
            ]
        )
        places = [self._argument(operator, at, arg) for at, arg in enumerate(args)]
        call = tree.Call(tree.Op(operator.name), tuple([node for node, _ in places]), written, None)
        problems = check_call(operator, len(args), attribute_values(written))
        if problems:
            raise Invalid(problems[0].message)
        deferred: list[DeferredCheck] = []
        context = Context(self.shape_vars)
        info, findings = infer_call(operator, call, [info for _, info in places], context, deferred)
        if findings:
            raise Invalid(findings[0].message)
        if deferred and self._settle(deferred, args):
            return self._call(operator, args, attrs)
        if deferred:
            self.deferred[call] = deferred
        return call, info

    def _settle(self, deferred: list[DeferredCheck], args: list[Any]) -> bool:
        """Check by a match_cast that extents are equal which have to be; return whether that was possible."""
        for check in deferred:
            where = check.arguments[-1]
            if check.or_one or not isinstance(where, int) or not isinstance(args[where], Tensor):
                continue
            value: Tensor = args[where]
            changed = tuple([check.a if one is check.b else one for one in value.dims])
            if any(new is not old for new, old in zip(changed, value.dims, strict=True)):
                args[where] = self.match_cast(value, changed)
                return True
        return False

    def _argument(self, operator: Operator, at: int, arg: Any) -> tuple[tree.Expr, Info | None]:
        param = operator.params[min(at, len(operator.params) - 1)]
        if arg is None:
            return tree.Tuple(()), tree.TupleStructInfo(())
        match param.kind:
            case "shape":
                values = tuple([_scalar(one) for one in arg])
                return tree.ShapeExpr(values), tree.ShapeStructInfo(values, None)
            case "prim":
                return tree.PrimValue(_scalar(arg)), None
            case "prims":
                fields = tuple([tree.PrimValue(_scalar(one)) for one in arg])
                infos = tuple([tree.ObjectStructInfo() for _ in fields])
                return tree.Tuple(fields), tree.TupleStructInfo(infos)
            case "tensors":
                found = [self.operand(one) for one in arg]
                nodes, infos = [node for node, _ in found], [info for _, info in found]
                return tree.Tuple(tuple(nodes)), tree.TupleStructInfo(tuple(infos))
            case _:
                return self.operand(arg)

    def operand(self, value: Value) -> tuple[tree.Expr, Info]:
        """Return what is written for a value, and its struct info."""
        if isinstance(value, Constant):
            return self._constant(value)
        if isinstance(value, Sizes):
            found = dims.numbers(value.items)
            if found is not None:
                return self._constant(self.constant(found[0] if value.scalar else found, value.dtype))
            value = self._sizes(value)
        if isinstance(value, TensorList):
            raise Refused("an operand is a sequence of tensors")
        return tree.Var(value.name, None), info_of(value.dims, value.dtype)

    def _constant(self, value: Constant) -> tuple[tree.Expr, Info]:
        array = value.array
        if array.size <= SMALL and (array.size > 0 or array.ndim == 1):
            return literal(array), info_of(value.dims, value.dtype)
        if value.dtype == "bfloat16" or array.size == 0:  # array files have no such dtype
            return self._unfiled(value)
        key = self.weights.key_of(value, self.hint)
        return tree.Constant(tree.FileLit(self.weights.path, key), None), info_of(value.dims, value.dtype)

    def _unfiled(self, value: Constant) -> tuple[tree.Expr, Info]:
        """Write a constant that is not kept in a file as it is."""
        import numpy as np

        if value.array.size == 0:
            made = self.emit("zeros", value.dims, dtype=value.dtype)
        else:
            made = self.emit("astype", Constant(value.array.astype(np.float32), value.key), dtype="bfloat16")
        return tree.Var(made.name, None), info_of(made.dims, made.dtype)

    def emit(self, name: str, *args: Any, **attrs: Any) -> Tensor:
        """Make a call that is not computed at once."""
        operator = lookup(name)
        assert operator is not None
        call, info = self._call(operator, list(args), attrs)
        made = self._result(call, info, None)
        assert isinstance(made, Tensor)
        return made

    def _sizes(self, value: Sizes) -> Tensor:
        args = ("scalar", value.items[0]) if value.scalar else ("shape_to_tensor", value.items)
        made = self.emit(*args)
        return made if value.dtype == "int64" else self.emit("astype", made, dtype=value.dtype)

    # Bindings.

    def _result(self, call: tree.Expr, info: Info, known: Sequence[Dim | None] | None) -> Any:
        if isinstance(info, tree.TupleStructInfo):
            name = self.names.fresh(self.hint)
            self.bind(tree.VarBinding(tree.Var(name, None), call))
            fields = [tree.TupleGetItem(tree.Var(name, None), at) for at in range(len(info.fields))]
            return [self._result(one, own, None) for one, own in zip(fields, info.fields, strict=True)]
        return self._bound(call, info, known)

    def _bound(self, value: tree.Expr, info: Info, known: Sequence[Dim | None] | None) -> Tensor:
        if not isinstance(info, tree.TensorStructInfo) or info.dtype is None:
            raise Refused("the shape of its result is not known")
        if isinstance(info.shape, tree.ShapeExpr):
            shape = tuple([self.names.dimension(one) for one in info.shape.values])
            name = self.names.fresh(self.hint)
            self.bind(tree.VarBinding(tree.Var(name, None), value))
            return self._noted(Tensor(name, shape, str(info.dtype.name)))
        if known is None:
            if info.ndim is None:
                raise Refused("the rank of its result is not known")
            known = [None] * info.ndim
        shape = tuple([self.fresh_dim() if one is None else one for one in known])
        name = self.names.fresh(self.hint)
        if (
            isinstance(value, tree.Call) and value in self.deferred
        ):  # a statement of its own, which can be remarked on
            inside = self.names.fresh(self.hint)
            self.bind(tree.VarBinding(tree.Var(inside, None), value))
            value = tree.Var(inside, None)
        return self._cast(value, shape, str(info.dtype.name), name)

    def _cast(self, value: tree.Expr, shape: Dims, dtype: str, name: str) -> Tensor:
        self.bind(tree.MatchCast(tree.Var(name, None), info_of(shape, dtype), value))
        self._declare(shape)
        return self._noted(Tensor(name, shape, dtype))

    def _noted(self, value: Tensor) -> Tensor:
        self.made[value.name] = value
        return value

    def _declare(self, shape: Dims) -> None:
        found = {one.name for one in shape if isinstance(one, tree.PrimVar)}
        self.shape_vars |= found

    def bind(self, binding: tree.Binding) -> None:
        """Append a binding."""
        self.bindings.append(binding)

    def is_last(self, value: Tensor) -> bool:
        """Return whether the last binding of this block is that of a value."""
        last = self.bindings[-1].var if self.bindings else None
        return last is not None and last.name_hint == value.name

    def expression(self, value: tree.Expr, info: Info, known: Sequence[Dim | None] | None = None) -> Any:
        """Bind an expression of which the struct info is known; return its value, or the list of its fields."""
        return self._result(value, info, known)

    def match_cast(self, value: Value, shape: Dims) -> Tensor:
        """Check that a value has a shape; names in it that are new are bound."""
        node, info = self.operand(value)
        assert isinstance(info, tree.TensorStructInfo)
        return self._cast(node, shape, value.dtype, self.names.fresh(self.hint))

    def shape_of(self, value: Value) -> Dims:
        """Return the elements of an integer tensor of rank 1 as dimensions; those that are negative end the run.

        Raises Refused if its length is not known.
        """
        known = self.known_sizes(value)
        if known is not None:
            return known
        length = dims.number(value.dims[0]) if len(value.dims) == 1 else None
        if length is None:
            raise Refused("the rank of a result follows from data")
        node, _ = self.operand(value)
        call = tree.Call(tree.Op("tensor_to_shape"), (node,), (), None)
        shape = tuple([self.fresh_dim() for _ in range(length)])
        self.bind(tree.MatchCast(None, tree.ShapeStructInfo(shape, None), call))
        self._declare(shape)
        return shape

    def size_of(self, value: Value) -> Dim:
        """Return the one element of an integer tensor as a dimension; see `shape_of`."""
        if isinstance(value, Sizes) and len(value.items) == 1:
            return value.items[0]
        return self.shape_of(self.op("reshape", value, [1]))[0]

    @staticmethod
    def known_sizes(value: Value) -> Dims | None:
        """Return the elements of an integer tensor as dimensions if they are known."""
        if isinstance(value, Sizes):
            return value.items
        if isinstance(value, Constant) and value.array.ndim <= 1 and value.array.dtype.kind in "iu":
            return tuple([tree.IntImm(int(one)) for one in value.array.reshape(-1)])
        return None

    # What many rules do.

    def cast(self, value: Value, dtype: str) -> Value:
        """Return a value in another dtype."""
        if value.dtype == dtype:
            return value
        if isinstance(value, Sizes) and dtype in ("int32", "int64"):
            return Sizes(value.items, scalar=value.scalar, dtype=dtype)
        if isinstance(value, Tensor) and value.ratio is not None and dtype in ("int32", "int64"):
            whole = [dims.floor_div(one, value.ratio.denominator) for one in value.ratio.numerators]
            return Sizes(tuple(whole), scalar=value.ratio.scalar, dtype=dtype)
        made: Value = self.op("astype", value, dtype=dtype)
        if dtype not in ("float32", "float64") or not isinstance(made, Tensor):
            return made
        if isinstance(value, Sizes) and all(dims.not_below(one, 0) for one in value.items):
            made.ratio = Ratio(value.items, 1, scalar=value.scalar)
        return made

    def reshape(self, value: Value, shape: Sequence[Dim | int]) -> Value:
        """Return a value in another shape, which is fully known."""
        wanted = [dim(one) for one in shape]
        own = value.dims
        if len(own) == len(wanted) and all(
            dims.equal(one, other) for one, other in zip(own, wanted, strict=True)
        ):
            return value
        return self.op("reshape", value, wanted)

    def transpose(self, value: Value, axes: Sequence[int]) -> Value:
        """Return a value with its axes in another order."""
        if list(axes) == list(range(len(axes))):
            return value
        return self.op("permute_dims", value, axes=list(axes))

    def slice(
        self,
        value: Value,
        axes: Sequence[int],
        begins: Sequence[Dim | int],
        ends: Sequence[Dim | int],
        steps: Sequence[int] | None = None,
    ) -> Value:
        """Return a part of a value."""
        strides = None if steps is None or all(one == 1 for one in steps) else [dim(one) for one in steps]
        first, last = [dim(one) for one in begins], [dim(one) for one in ends]
        return self.op("strided_slice", value, [dim(one) for one in axes], first, last, strides)

    def full(self, shape: Sequence[Dim | int], value: object, dtype: str) -> Value:
        """Return a tensor with one value everywhere."""
        return self.op("full", [dim(one) for one in shape], self.constant(value, dtype))

    def arange(self, stop: Dim | int, dtype: str = "int64") -> Value:
        """Return the integers from 0 to `stop`."""
        return self.op("arange", dim(0), dim(stop), dtype=dtype)


def _scalar(value: Any) -> tree.PrimExpr:
    if isinstance(value, bool):
        return tree.BoolImm(value)
    if isinstance(value, float):
        return tree.FloatImm(value) if value >= 0 or value != value else tree.Neg(tree.FloatImm(-value))
    made = dim(value)
    return tree.Neg(tree.IntImm(-made.value, None)) if type(made) is tree.IntImm and made.value < 0 else made


def info_of(shape: Dims, dtype: str) -> tree.TensorStructInfo:
    """Return the struct info of a tensor."""
    return tree.TensorStructInfo(tree.ShapeExpr(shape), tree.DType(dtype), None)
