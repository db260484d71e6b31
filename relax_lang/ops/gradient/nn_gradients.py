"""Gradients of gradients: those operators are linear in the gradient that they are given."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply
from relax_lang.ops.gradient.core import Missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _take_backward(call: Backward) -> list[Any]:
    _, _, indices = call.args
    found = apply("take", call.grad, indices, axis=call.attrs["axis"], mode="wrap")  # indices may be negative
    return [found, None, None]


def _nll_loss_backward(call: Backward) -> list[Any]:
    _, predictions, targets, weights = call.args
    named = {name: call.attrs[name] for name in ("reduction", "ignore_index")}
    found = apply("nn.nll_loss", call.grad, targets, weights, dtype=predictions.dtype, **named)
    return [found, None, None, Missing("weights of classes are not differentiated")]


def _avg_pool2d_backward(call: Backward) -> list[Term | None]:
    return [apply("nn.avg_pool2d", call.grad, **call.attrs), None]


GRADIENTS: dict[str, Rule] = {
    "grad.avg_pool2d_backward": _avg_pool2d_backward,
    "grad.nll_loss_backward": _nll_loss_backward,
    "grad.take_backward": _take_backward,
}
WITHOUT: dict[str, str] = {"grad.max_pool2d_backward": "there is no operator that reads the chosen elements"}
