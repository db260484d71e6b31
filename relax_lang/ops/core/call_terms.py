"""A call as rules see it that write other calls in its place: its operands as terms, and what is known of them."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.arith.prover import EQUAL, NO_FACTS, compare
from relax_lang.ops.core.attributes import attribute_values, move_scalars
from relax_lang.ops.core.terms import Term, apply, number, prim, shape
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator

    Known = Callable[[tree.Expr], tree.StructInfo | None]


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """A rule does not fit a call; the words say why."""


class CallTerms:
    """One call: `args` has a term for a tensor or a shape, a tuple of terms for a tuple of tensors, trees for scalars,
    None for what is left out. `attrs` has all attributes, `result` is the value of the call.
    """

    __slots__ = ("args", "attrs", "call", "operator", "result")

    def __init__(
        self, operator: Operator, call: tree.Call, known: Known, result: tree.Expr, info: tree.StructInfo
    ) -> None:
        self.operator = operator
        self.call = call
        args, named = move_scalars(operator, call.args, attribute_values(call.attrs))
        self.attrs: dict[str, Any] = {spec.name: spec.default for spec in operator.attrs}
        self.attrs.update(named)
        self.args: list[Any] = []
        for at, param in enumerate(operator.params):
            arg = args[at] if at < len(args) else None
            missing = arg is None or (param.optional and isinstance(arg, tree.Tuple) and not arg.fields)
            self.args.append(None if missing else _operand(param.kind, arg, known))
        self.result = Term(result, info)

    # Shapes.

    def rank(self, term: Term) -> int:
        """Return the rank of an operand. Raises Refused if it is not known."""
        ndim = term.ndim
        if ndim is None:
            raise Refused("the rank of an operand is not known")
        return ndim

    def dims(self, term: Term) -> tuple[tree.PrimExpr, ...]:
        """Return the dimensions of an operand. Raises Refused if they are not known."""
        dims = term.dims
        if dims is None:
            raise Refused("the shape of an operand is not known")
        return dims

    def sizes(self, term: Term) -> tuple[int, ...]:
        """Return the dimensions of an operand as numbers. Raises Refused if they are not numbers."""
        found = [dim.value for dim in self.dims(term) if isinstance(dim, tree.IntImm)]
        if len(found) != len(self.dims(term)):
            raise Refused("the shape of an operand is not a list of numbers")
        return tuple(found)

    @staticmethod
    def shape_of(term: Term) -> Term:
        """Return the shape of an operand: as it is known, or asked for when the program runs."""
        return shape(term.dims) if term.dims is not None else apply("shape_of", term)

    def axes(self, axis: int | Sequence[int] | None, ndim: int) -> list[int]:
        """Return axes as numbers from 0; all of them for None."""
        if axis is None:
            return list(range(ndim))
        given = [axis] if isinstance(axis, int) else axis
        return [each % ndim if ndim else 0 for each in given]

    def count(self, dims: Iterable[tree.PrimExpr], like: Term) -> Term:
        """Return the product of dimensions as a tensor of rank 0, of the dtype of a term."""
        product: tree.PrimExpr = tree.IntImm(1)
        for dim in dims:
            product = tree.Mul(product, dim)
        product = simplified(product)
        if isinstance(product, tree.IntImm):
            return number(product.value, like.dtype)
        return apply("scalar", prim(product), like, dtype=like.dtype)

    # Shapes changed.

    def collapsed(self, term: Term, to: Term) -> Term:
        """Return a tensor of the shape of the result, summed down to the shape of an operand: broadcasting undone."""
        wanted, given = to.dims, self.result.dims
        if wanted is None:
            return apply("collapse_sum_like", term, to, dtype=term.dtype)
        if given is not None and same_dims(wanted, given):
            return term
        return apply("collapse_sum_to", term, shape(wanted))

    def expanded(self, term: Term, axes: Sequence[int], *, keepdims: bool) -> Term:
        """Return the result of a reduction over axes of rank-known operands with these axes, of extent 1."""
        return term if keepdims or not axes else apply("expand_dims", term, axis=sorted(axes))

    def zeros_like(self, term: Term) -> Term:
        """Return zeros of the shape and dtype of a term."""
        dims = term.dims
        if dims is not None and term.dtype is not None:
            return apply("zeros", shape(dims), dtype_=term.dtype)
        return apply("zeros_like", term)

    def literal(self, value: Any, like: Term) -> Term:
        """Return a scalar operand, a tree or a number of Python, as a tensor of rank 0 of the dtype of a term."""
        if isinstance(value, int | float):
            return number(value, like.dtype)
        node = value.value if isinstance(value, tree.PrimValue) else value
        known = plain(node)
        if known is not None:
            return number(known, like.dtype)
        return apply("scalar", tree.PrimValue(node), like, dtype=like.dtype)


def plain(node: Any) -> int | float | None:
    """Return the number that a scalar is written as, or None."""
    if isinstance(node, tree.PrimValue):
        node = node.value
    if isinstance(node, int | float):
        return node
    if isinstance(node, tree.Neg):
        inner = plain(node.a)
        return None if inner is None else -inner
    return node.value if isinstance(node, tree.IntImm | tree.FloatImm) else None


def same_dims(one: Sequence[tree.PrimExpr], other: Sequence[tree.PrimExpr]) -> bool:
    """Return whether two shapes are known to be the same."""
    return len(one) == len(other) and all(
        compare(a, b, NO_FACTS) == EQUAL for a, b in zip(one, other, strict=True)
    )


def _operand(kind: str, arg: Any, known: Known) -> Any:
    if kind == "tensors":
        if isinstance(arg, tree.Tuple):
            return tuple([Term(one, known(one)) for one in arg.fields])
        info = known(arg)
        if not isinstance(info, tree.TupleStructInfo):
            raise Refused("it is not known how many tensors there are")
        return tuple([Term(arg, info)[at] for at in range(len(info.fields))])
    if kind in ("tensor", "shape"):
        return Term(arg, known(arg))
    if isinstance(arg, bool):
        return tree.PrimValue(tree.BoolImm(arg))
    return prim(arg) if kind == "prim" and isinstance(arg, int) else arg  # it was given by name
