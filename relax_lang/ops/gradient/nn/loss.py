"""Gradients of losses."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply

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
    return [
        found,
        None,
        None if weights is None else weights_of_classes(call, call.grad, predictions, (targets, weights)),
    ]


def weights_of_classes(call: Backward, grad: Term, values: Term, operands: tuple[Term, Term]) -> Term:
    """Return the gradient of the weights in `nn.nll_loss` of these values, targets and weights; `grad` is the loss's.

    A target adds minus the value of its class; of a mean, what that is more than the mean, divided by all weights.
    """
    targets, weights = operands
    ignore = {"ignore_index": call.attrs["ignore_index"]}
    own = apply("nn.nll_loss", values, targets, reduction="none", **ignore)
    if call.attrs["reduction"] == "mean":
        ones = apply("ones_like", values)
        used = -apply("nn.nll_loss", ones, targets, reduction="none", **ignore)
        total = -apply("nn.nll_loss", ones, targets, weights, reduction="sum", **ignore)
        mean = apply("nn.nll_loss", values, targets, weights, reduction="mean", **ignore)
        own = used * (own - mean) / total
    found = apply(
        "grad.nll_loss_backward", own * grad, values, targets, reduction="none", dtype=values.dtype, **ignore
    )
    rank = call.rank(targets) + 1
    axes = [at for at in range(rank) if at != (0 if rank == 1 else 1)]
    return -(apply("sum", found, axis=axes) if axes else found)


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
