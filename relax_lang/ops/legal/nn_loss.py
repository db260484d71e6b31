"""Legal forms of losses."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import inline, wide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal


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


FORMS: dict[str, Form] = {"nn.cross_entropy_with_logits": _cross_entropy}

WITHOUT = {"nn.nll_loss": "it has no form yet"}
