"""Gradients of losses."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply
from relax_lang.ops.gradient.core import Missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _nll_loss(call: Backward) -> list[Any]:
    predictions, targets, weights = call.args
    named = {name: call.attrs[name] for name in ("reduction", "ignore_index")}
    found = apply(
        "grad.nll_loss_backward", call.grad, predictions, targets, weights, dtype=predictions.dtype, **named
    )
    return [found, None, Missing("weights of classes are not differentiated")]


def _cross_entropy(call: Backward) -> list[Term]:
    predictions, labels = call.args
    g = -call.grad
    if call.rank(predictions) > 1:
        g = g / call.count(call.dims(predictions)[:1], predictions)
    return [g * labels, g * predictions]


GRADIENTS: dict[str, Rule] = {
    "nn.cross_entropy_with_logits": _cross_entropy,
    "nn.nll_loss": _nll_loss,
}
