"""What a gradient rule gets, and what it returns.

A rule is a function of a `Backward`, the call with the gradient of its result. It returns one entry per parameter: the
gradient of that operand as a term (a tuple of them for a tuple of tensors), None where no gradient flows, or `Missing`
with the reason why there is none. Only the entries that are needed are bound.
"""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.core.call_terms import CallTerms, Refused
from relax_lang.ops.core.companions import companion
from relax_lang.ops.core.terms import Term, apply, prim, shape, where
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.core.call_terms import Known
    from relax_lang.ops.core.operator import Operator

    Entry = Term | tuple["Term | None", ...] | "Missing" | None
    Rule = Callable[["Backward"], Sequence[Any]]


class Missing:
    """No gradient with respect to one operand, which is an error where one is needed; the words say why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Backward(CallTerms):
    """A call, and the gradient with respect to its result: of a tuple, one for each field, None for zeros."""

    __slots__ = ("grads",)

    def __init__(
        self,
        operator: Operator,
        call: tree.Call,
        known: Known,
        result: tree.Expr,
        info: tree.StructInfo,
        grads: Sequence[Term | None],
    ) -> None:
        super().__init__(operator, call, known, result, info)
        self.grads = grads

    @property
    def grad(self) -> Term:
        """The gradient with respect to the result, or to its first field that has one."""
        return next(one for one in self.grads if one is not None)

    def field_grad(self, index: int) -> Term:
        """Return the gradient with respect to a field of the result, zeros if there is none."""
        found = self.grads[index]
        return self.zeros_like(self.result[index]) if found is None else found


def constant_matrix(rows: Sequence[Sequence[float]], dtype: str | None) -> Term:
    """Return a matrix of numbers as a constant. Raises Refused if it is too large to be written in a program."""
    if sum(map(len, rows)) > _MOST:
        raise Refused(f"it needs a constant of more than {_MOST} elements")
    lines = [tree.ListLit(tuple([tree.FloatLit(one) for one in row])) for row in rows]
    known = dtype or "float32"
    return Term(tree.Constant(tree.ListLit(tuple(lines)), tree.DType(known)), dtype=known)


def constant_indices(places: Sequence[int]) -> Term:
    """Return numbers of elements as a constant. Raises Refused if there are too many to be written in a program."""
    if len(places) > _MOST:
        raise Refused(f"it needs a constant of more than {_MOST} elements")
    data = tree.ListLit(tuple([tree.IntLit(one) for one in places]))
    return Term(tree.Constant(data, tree.DType("int64")), dtype="int64")


_MOST = 1 << 16


def moved_back(call: Backward, move: Callable[[Term], Term]) -> Term:
    """Return the gradient of an operand whose elements an operator only moves and repeats: every one gets the sum of
    what its places get.

    `move` does to the numbers of the elements what the operator does to the elements, so that every place of the
    result knows where it is from; -1 is what is from nowhere. This needs no inverse, and no extents that are numbers.
    """
    x: Term = call.args[0]
    size: tree.PrimExpr = tree.IntImm(1)
    for dim in call.dims(x):
        size = simplified(tree.Mul(size, dim))
    numbers = apply("arange", prim(0), prim(size), prim(1), dtype_="int64")
    came = move(apply("reshape", numbers, call.shape_of(x)))
    kept = where(apply("less", came, 0), 0.0, call.grad)
    flat = [apply("flatten", one) for one in (kept, apply("maximum", came, 0))]
    zeros = apply("zeros", shape([size]), dtype_=call.grad.dtype)
    added = apply("grad.take_backward", flat[0], zeros, flat[1], axis=0)
    return apply("reshape", added, call.shape_of(x))


def rule_of(operator: Operator) -> Rule | None:
    """Return the gradient rule of an operator, or None."""
    module = companion("relax_lang.ops.gradient", operator)
    return None if module is None else getattr(module, "GRADIENTS", {}).get(operator.name)


def own_reason(operator: Operator) -> str:
    """Return why an operator with float results has no gradient; empty where it is plain that there is none."""
    reasons: dict[str, str] = getattr(companion("relax_lang.ops.gradient", operator), "WITHOUT", {})
    return reasons.get(operator.name, "")


def reason_without(operator: Operator) -> str:
    """Return why an operator has no gradient."""
    return own_reason(operator) or "its result is not a float tensor that depends on its operands"
