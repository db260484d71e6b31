"""Gradients of operators that make tensors: most of them read only the shape of an operand."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule


def converted(call: Backward) -> list[Term]:
    """Convert the gradient back to the dtype of the operand."""
    return [apply("astype", call.grad, dtype_=call.args[0].dtype)]


def _filled(call: Backward) -> list[Term | None]:
    value: Term = call.args[1]
    total = apply("sum", call.grad)
    return [None, total if total.dtype == value.dtype else apply("astype", total, dtype_=value.dtype)]


def _triangle(call: Backward) -> list[Term | None]:
    diagonal = call.args[1]
    return [apply(call.operator.name, call.grad, diagonal if diagonal is not None else None), None]


def nothing(call: Backward) -> list[None]:
    """Give nothing: the elements of the operands do not matter."""
    return [None for _ in call.args]


GRADIENTS: dict[str, Rule] = {
    "astype": converted,
    "eye_like": nothing,
    "full": _filled,
    "full_like": _filled,
    "ones_like": nothing,
    "tril": _triangle,
    "triu": _triangle,
    "zeros_like": nothing,
}
