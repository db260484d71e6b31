"""Legal forms of attention."""

from __future__ import annotations

import math

from relax_lang import te
from relax_lang.ops.legal.core import Refused
from relax_lang.te.expr import constant_value
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import broadcast_index, wide
from relax_lang.topi.reduction import kept_index, reduced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Reduction


def _attention(call: Legal) -> Tensor:
    q, k, v = [wide(x) for x in call.args[:3]]
    bias = wide(call.args[3]) if len(call.args) > 3 else None
    heads, groups = constant_value(q.shape[2]), constant_value(k.shape[2])
    depth = constant_value(q.shape[3])
    if heads is None or groups is None or depth is None or not groups or heads % groups:
        raise Refused("the heads are not numbers")
    shared = heads // groups
    call.require_equal(q.shape[0], k.shape[0], "the batches differ")
    call.require_equal(k.shape[1], v.shape[1], "keys and values differ in number")
    scale = call.attrs["scale"]
    factor = float(scale) if scale is not None else 1 / math.sqrt(depth) if depth else 1.0
    b, s, t = q.shape[0], q.shape[1], k.shape[1]
    mask = call.attrs["causal_mask"]
    d = te.reduce_axis(q.shape[3], "d")

    def product(n: Expr, h: Expr, i: Expr, j: Expr) -> Reduction:
        return te.sum(q[n, i, h, d] * k[n, j, h // shared, d], axis=d)

    products = compute((b, q.shape[2], s, t), product, "products")

    def score(n: Expr, h: Expr, i: Expr, j: Expr) -> Expr:
        found = products[n, h, i, j] * factor
        if bias is not None:
            found = found + bias[broadcast_index(bias, products.shape, (n, h, i, j))]
        if mask is not None:
            last = i if mask == "TopLeft" else i + (t - s)
            found = te.select(j <= last, found, te.const(float("-inf"), q.dtype))
            if call.attrs["window_size"] is not None:
                first = last - (call.attrs["window_size"] - 1)
                found = te.select(j >= first, found, te.const(float("-inf"), q.dtype))
        return found

    scores = compute(products.shape, score, "scores")
    most = reduced(te.max, scores, 3, True, "most")
    powers = compute(products.shape, lambda *at: te.exp(scores[at] - most[kept_index(at, (3,))]), "powers")
    total = reduced(te.sum, powers, 3, True, "total")
    weights = compute(products.shape, lambda *at: powers[at] / total[kept_index(at, (3,))], "weights")
    j = te.reduce_axis(t, "j")

    def result(n: Expr, i: Expr, h: Expr, e: Expr) -> Reduction:
        return te.sum(weights[n, h, i, j] * v[n, j, h // shared, e], axis=j)

    summed = compute(call.shape, result, "attention")
    return compute(call.shape, lambda *at: te.cast(summed[at], call.dtype), "attention")


FORMS: dict[str, Form] = {"nn.attention": _attention, "nn.attention_bias": _attention}
WITHOUT = {"nn.attention_var_len": "where sequences begin is data"}
