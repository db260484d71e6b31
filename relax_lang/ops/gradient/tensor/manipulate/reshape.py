"""Gradients of operators that move no element: the gradient gets the shape of the operand."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule


def as_operand(call: Backward) -> list[Term | None]:
    """Reshape the gradient as the operand; a shape gets none."""
    x: Term = call.args[0]
    return [apply("reshape", call.grad, call.shape_of(x)), *[None] * (len(call.args) - 1)]


def _permute_dims(call: Backward) -> list[Term]:
    axes: list[int] | None = call.attrs["axes"]
    if axes is None:
        return [apply("permute_dims", call.grad)]
    order = [axis % len(axes) for axis in axes]
    return [apply("permute_dims", call.grad, axes=[order.index(at) for at in range(len(order))])]


GRADIENTS: dict[str, Rule] = {
    "expand_dims": as_operand,
    "flatten": as_operand,
    "permute_dims": _permute_dims,
    "reshape": as_operand,
    "squeeze": as_operand,
}
WITHOUT: dict[str, str] = {"memory.view": "it reads the bytes of a tensor as another one"}
