"""Legal forms of products of matrices."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.te.tensor import compute
from relax_lang.topi.core import as_dtype, broadcast_index, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _matmul(call: Legal) -> Tensor:
    a, b = call.args
    if a.ndim and b.ndim:
        inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
        call.require_equal(a.shape[-1], inner, "the axes that are summed differ")
    return topi.matmul(a, b, call.dtype)


def _linear(call: Legal) -> Tensor:
    x, weight, bias = call.args
    inner = weight.shape[-1] if weight.ndim < 3 else weight.shape[1]
    call.require_equal(x.shape[-1], inner, "the axes that are summed differ")
    dtype = call.dtype
    turned = weight.ndim == 2
    if weight.ndim > 2:
        weight = compute(
            tuple(reversed(weight.shape)),
            lambda *at: call.args[1][tuple(reversed(at))],
            "turned",
            inline=True,
        )
    product = topi.matmul(x, weight, dtype, transposed=turned)
    if bias is None:
        return product
    computed = wide_dtype(dtype)
    first, added = as_dtype(product, computed), as_dtype(as_dtype(bias, dtype), computed)

    def each(*at: Expr) -> Expr:
        total = first[broadcast_index(first, call.shape, at)] + added[broadcast_index(added, call.shape, at)]
        return te.cast(total, dtype)

    return compute(call.shape, each, "linear")


def _outer(call: Legal) -> Tensor:
    a, b = call.args
    computed = wide_dtype(call.dtype)
    left, right = as_dtype(a, computed), as_dtype(b, computed)
    return compute(call.shape, lambda *at: te.cast(left[at[0]] * right[at[1]], call.dtype), "outer")


FORMS: dict[str, Form] = {"linear": _linear, "matmul": _matmul, "outer": _outer}

WITHOUT = {"einsum": "it has no form yet: its letters are not translated"}
