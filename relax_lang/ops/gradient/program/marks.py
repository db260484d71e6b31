"""Gradients of marks, which leave values as they are; `grad.no_grad` lets none through."""

from __future__ import annotations

from relax_lang.ops.gradient.tensor.create import converted, nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule, Term


def through(call: Backward) -> list[Term]:
    """Let the gradient through."""
    return [call.grad]


GRADIENTS: dict[str, Rule] = {
    "builtin.stop_lift_params": through,
    "grad.end_checkpoint": through,
    "grad.no_grad": nothing,
    "grad.start_checkpoint": through,
    "memory.ensure_zero_offset": through,
    "wrap_param": converted,
}
WITHOUT: dict[str, str] = dict.fromkeys(
    ("ccl.allreduce", "ccl.broadcast_from_worker0", "dist.annotate_sharding", "dist.redistribute"),
    "gradients are not exchanged between devices",
)
