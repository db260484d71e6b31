"""What a legal form gets, and how it becomes a PrimFunc. [O.1-O.4] [TIR.20]

A form is a function of a `Legal`, the call with placeholders for its tensors; it returns the tensor that is the result,
or a tuple of them. It may refuse with a reason (`raise Refused("…")`): then the call stays a call of the kernel. A form
is tried only where shape and dtype of every tensor and of the result are known; dimensions may be symbolic.
"""

from __future__ import annotations

from relax_lang.arith.prover import EQUAL, NO_FACTS, compare
from relax_lang.base.relax_error import RelaxError
from relax_lang.base.sequences import as_tuple
from relax_lang.ops.core.attributes import attribute_values, move_scalars
from relax_lang.ops.core.companions import companion
from relax_lang.ops.core.errors import OpError
from relax_lang.syntax import tree
from relax_lang.te.expr import Expr, const, expr
from relax_lang.te.literals import literal_value
from relax_lang.te.prim_func import create_prim_func, scalar_names
from relax_lang.te.tensor import Tensor, compute, placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator

    Form = Callable[["Legal"], Any]

INT64 = "int64"


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """A form cannot be given for a call; the words say why."""


class Legal:
    """One call: `args` has a tensor of `te` for a tensor, a tuple of them for a tuple, a tuple of expressions for a
    shape, an expression for a scalar, None for what is left out. `attrs` has all attributes.

    `out` has shape and dtype of the result, or of each field if it is a tuple.
    """

    __slots__ = ("args", "asserts", "attrs", "nodes", "operator", "out", "tensors", "tuple_result")

    def __init__(
        self,
        operator: Operator,
        call: tree.Call,
        infos: Sequence[tree.StructInfo | None],
        result: tree.StructInfo,
    ) -> None:
        self.operator = operator
        self.tensors: list[Tensor] = []
        self.nodes: list[tree.Expr] = []
        """What is given for each of `tensors`."""
        self.asserts: list[tuple[Expr, str]] = []
        written = attribute_values(call.attrs)
        args, named = move_scalars(operator, call.args, written)
        self.attrs: dict[str, Any] = {spec.name: spec.default for spec in operator.attrs}
        self.attrs.update(named)
        self.tuple_result = isinstance(result, tree.TupleStructInfo)
        fields = result.fields if isinstance(result, tree.TupleStructInfo) else (result,)
        self.out = [_known(field, "the result") for field in fields]
        self.args: list[Any] = []
        params = operator.params
        for at, param in enumerate(params):
            if param.variadic:
                raise Refused("it takes any number of arguments")
            arg = args[at] if at < len(args) else None
            info = infos[at] if at < len(infos) else None
            self.args.append(self._argument(param.kind, param.name, arg, info, optional=param.optional))

    @property
    def shape(self) -> tuple[Expr, ...]:
        """The shape of the result, or of its first field."""
        return self.out[0][0]

    @property
    def dtype(self) -> str:
        """The dtype of the result, or of its first field."""
        return self.out[0][1]

    def require(self, condition: Expr, message: str) -> None:
        """Note what must hold for the operator to succeed, if it is not known to."""
        node = condition.node
        if isinstance(node, tree.EQ) and compare(node.a, node.b, NO_FACTS) == EQUAL:
            return
        self.asserts.append((condition, f"{self.operator.name}: {message}"))

    def require_equal(self, a: Expr, b: Expr, message: str) -> None:
        """Note that two sizes must be equal."""
        self.require(a == b, message)

    def _argument(
        self, kind: str, name: str, arg: Any, info: tree.StructInfo | None, *, optional: bool
    ) -> Any:
        if arg is None or (optional and isinstance(arg, tree.Tuple) and not arg.fields):
            return None
        if kind == "tensor":
            assert info is not None
            return self._tensor(arg, info, name)
        if kind == "tensors":
            if not isinstance(info, tree.TupleStructInfo) or not isinstance(arg, tree.Tuple):
                raise Refused(f"`{name}` is not written as a tuple")
            return tuple(
                [self._tensor(one, each, name) for one, each in zip(arg.fields, info.fields, strict=True)]
            )
        if kind == "shape" or (kind == "prims" and isinstance(info, tree.ShapeStructInfo)):
            if isinstance(info, tree.ShapeStructInfo) and info.values is not None:
                return tuple([Expr(dim, INT64) for dim in info.values])
            raise Refused(f"the shape `{name}` is not known")
        if kind == "prim":
            return _scalar(arg)
        if kind == "prims":
            return tuple([_scalar(one) for one in arg.fields])
        raise Refused(f"`{name}` is not a tensor")

    def _tensor(self, node: tree.Expr, info: tree.StructInfo, name: str) -> Tensor:
        shape, dtype = _known(info, f"`{name}`")
        made = placeholder(shape, dtype, name)
        self.tensors.append(made)
        self.nodes.append(node)
        return made


class Legalized:
    """The legal form of a call: the PrimFunc, private and called after the operator, and what `call_tir` gives it."""

    __slots__ = ("operands", "prim_func", "scalars")

    def __init__(self, prim_func: tree.PrimFunc, operands: list[tree.Expr]) -> None:
        self.prim_func = prim_func
        self.operands = operands
        self.scalars = scalar_names(prim_func)
        """Shape variables that are given as scalars."""

    def call(self, name: str, result: tree.StructInfo) -> tree.Call:
        """Return the `call_tir` of the PrimFunc under the name that it got in the module."""
        args: list[tree.Expr] = [tree.GlobalVar(name), tree.Tuple(tuple(self.operands))]
        if self.scalars:
            args.append(tree.ShapeExpr(tuple([tree.PrimVar(one) for one in self.scalars])))
        return tree.Call(tree.Op("call_tir"), tuple(args), (), result)


def form_of(operator: Operator) -> Form | None:
    """Return the legal form of an operator, or None."""
    module = companion("relax_lang.ops.legal", operator)
    return None if module is None else getattr(module, "FORMS", {}).get(operator.name)


def reason_without(operator: Operator) -> str:
    """Return why an operator has no legal form."""
    module = companion("relax_lang.ops.legal", operator)
    reasons: dict[str, str] = getattr(module, "WITHOUT", {})
    return reasons.get(operator.name) or reasons.get("", "it does not compute with tensors")


def legalize(
    operator: Operator, call: tree.Call, infos: Sequence[tree.StructInfo | None], result: tree.StructInfo
) -> Legalized:
    """Return the legal form of a call. Raises Refused, with the reason.

    `infos` are the struct infos of the arguments (None for scalars), `result` that of the call.
    """
    form = form_of(operator)
    if form is None:
        raise Refused(reason_without(operator))
    legal = Legal(operator, call, infos, result)
    if all(any(literal_value(dim.node) == 0 for dim in shape) for shape, _ in legal.out):
        form = _nothing  # there is no element to be computed, and some sizes may be 0
    try:
        made: Any = form(legal)
    except RelaxError as error:
        raise Refused(error.diagnostics[0].message) from None
    except OpError as error:
        raise Refused(error.message) from None
    results: list[Tensor] = list(as_tuple(made))
    for tensor, (_, dtype) in zip(results, legal.out, strict=True):
        if tensor.dtype != dtype:
            raise AssertionError(f"{operator.name}: a form of {tensor.dtype}, not {dtype}")
    name = operator.name.replace(".", "_")
    func = create_prim_func(
        [*legal.tensors, *results],
        name,
        private=True,
        outputs=len(results),
        asserts=legal.asserts,
        shapes=[shape for shape, _ in legal.out],
    )
    return Legalized(func, legal.nodes)


def _nothing(call: Legal) -> Any:
    made = [_zeros(shape, dtype) for shape, dtype in call.out]
    return tuple(made) if call.tuple_result else made[0]


def _zeros(shape: tuple[Expr, ...], dtype: str) -> Tensor:
    return compute(shape, lambda *_: const(0, dtype), "y")


def _known(info: tree.StructInfo, what: str) -> tuple[tuple[Expr, ...], str]:
    if not isinstance(info, tree.TensorStructInfo):
        raise Refused(f"{what} is not a tensor")
    if not isinstance(info.shape, tree.ShapeExpr):
        raise Refused(f"the shape of {what} is not known")
    if info.dtype is None:
        raise Refused(f"the dtype of {what} is not known")
    return tuple([Expr(dim, INT64) for dim in info.shape.values]), str(info.dtype.name)


def _scalar(arg: Any) -> Expr:
    if isinstance(arg, tree.PrimValue):
        node = arg.value
        fraction = isinstance(node.a if isinstance(node, tree.Neg) else node, tree.FloatImm)
        if fraction:
            return Expr(node, None)
        condition = isinstance(
            node, tree.BoolImm | tree.And | tree.Or | tree.Not | tree.EQ | tree.NE | tree.LT
        )
        is_bool = condition or isinstance(node, tree.LE | tree.GT | tree.GE)
        return Expr(node, "bool" if is_bool else INT64)
    return expr(arg)
