"""Gradients and marks for automatic differentiation, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared import unary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Gradients, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)

_POOL = (
    "pool_size: list[int] = [1, 1], strides: list[int] = [1, 1], padding: list[int] = [0, 0, 0, 0], "
    "dilation: list[int] = [1, 1], ceil_mode: bool = false, count_include_pad: bool = false, "
    'layout: str = "NCHW", out_layout: str|none = none'
)


def _like_operand(call: Inference) -> tree.StructInfo:
    """Infer the shape and dtype of argument 1, of which the gradient is taken."""
    x = call.tensor(1)
    return call.like(x, x.dtype)


_declare(
    "grad.no_grad",
    "x: tensor",
    tvm="input",
    infer=unary.same,
    also=("torch.detach", "jax.stop_gradient"),
    doc="Marks a value that gradients do not flow through.",
)
_declare(
    "grad.start_checkpoint",
    "x: tensor",
    tvm="input",
    infer=unary.same,
    doc="Marks where recomputation for gradients starts.",
)
_declare(
    "grad.end_checkpoint",
    "x: tensor",
    tvm="input",
    infer=unary.same,
    doc="Marks where recomputation for gradients ends.",
)
_declare(
    "grad.nll_loss_backward",
    "output_grad: tensor, predictions: tensor, targets: tensor, weights: tensor?",
    'reduction: "mean"|"sum"|"none" = "mean", ignore_index: int = -100',
    infer=_like_operand,
    doc="The gradient of `nn.nll_loss`.",
)
_declare(
    "grad.max_pool2d_backward",
    "output_grad: tensor, data: tensor",
    _POOL,
    infer=_like_operand,
    doc="The gradient of `nn.max_pool2d`.",
)
_declare(
    "grad.avg_pool2d_backward",
    "output_grad: tensor, data: tensor",
    _POOL,
    infer=_like_operand,
    doc="The gradient of `nn.avg_pool2d`.",
)
_declare(
    "grad.take_backward",
    "output_grad: tensor, x: tensor, indices: tensor",
    "axis: int|none = none",
    infer=_like_operand,
    doc="The gradient of `take`.",
)
