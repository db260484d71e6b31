"""Legal forms of losses."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import INT64, as_dtype, inline, wide, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr


def _cross_entropy(call: Legal) -> Tensor:
    predictions, labels = [wide(x) for x in call.args]
    for at, (a, b) in enumerate(zip(predictions.shape, labels.shape, strict=True)):
        call.require_equal(a, b, f"the arguments differ on axis {at}")
    products = inline(predictions.shape, lambda *at: -predictions[at] * labels[at])
    total = topi.sum(products)
    if predictions.ndim < 2:
        return compute((), lambda: te.cast(total[()], call.dtype), "loss")
    count = te.cast(predictions.shape[0], total.dtype)
    return compute((), lambda: te.cast(total[()] / count, call.dtype), "loss")


class Classes:
    """What the losses of classes share: the place of the class of each target, and how much a target counts."""

    def __init__(self, call: Legal, predictions: Tensor, targets: Tensor, weights: Tensor | None) -> None:
        self.axis = 0 if predictions.ndim == 1 else 1
        self.dtype = wide_dtype(predictions.dtype)
        self._targets = targets
        self._weights = None if weights is None else as_dtype(weights, self.dtype)
        self._ignored: int = call.attrs["ignore_index"]
        shape = (*predictions.shape[: self.axis], *predictions.shape[self.axis + 1 :])
        for at, (a, b) in enumerate(zip(shape, targets.shape, strict=True)):
            call.require_equal(a, b, f"`targets` does not fit on axis {at}")
        if weights is not None:
            call.require_equal(
                weights.shape[0], predictions.shape[self.axis], "`weights` is not one per class"
            )

    def target(self, at: tuple[Expr, ...]) -> Expr:
        """Return the class of the target at a place."""
        return te.cast(self._targets[at], INT64)

    def is_used(self, at: tuple[Expr, ...]) -> Expr:
        """Return whether a target counts."""
        return self.target(at) != self._ignored

    def share(self, at: tuple[Expr, ...]) -> Expr:
        """Return the weight of a target; 0 if it is ignored."""
        one = te.const(1, self.dtype) if self._weights is None else self._weights[(self.target(at),)]
        return te.if_then_else(self.is_used(at), one, te.const(0, self.dtype))

    def total(self) -> Tensor:
        """Return the sum of all weights."""
        shares = compute(self._targets.shape, lambda *at: self.share(at), "shares")
        return topi.sum(shares)


def _nll_loss(call: Legal) -> Tensor:
    predictions, targets, weights = call.args
    classes = Classes(call, predictions, targets, weights)
    values, axis = as_dtype(predictions, classes.dtype), classes.axis

    def each(*at: Expr) -> Expr:
        loss = -values[(*at[:axis], classes.target(at), *at[axis:])] * classes.share(at)
        return te.if_then_else(classes.is_used(at), loss, te.const(0, classes.dtype))

    reduction = call.attrs["reduction"]
    if reduction == "none":
        return compute(targets.shape, lambda *at: te.cast(each(*at), call.dtype), "loss")
    total = topi.sum(compute(targets.shape, each, "losses"))
    if reduction == "sum":
        return compute((), lambda: te.cast(total[()], call.dtype), "loss")
    shares = classes.total()
    return compute((), lambda: te.cast(total[()] / shares[()], call.dtype), "loss")


FORMS: dict[str, Form] = {"nn.cross_entropy_with_logits": _cross_entropy, "nn.nll_loss": _nll_loss}
