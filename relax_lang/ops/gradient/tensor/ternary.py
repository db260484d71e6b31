"""Gradients of the operators of three tensors, element by element."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule


def _where(call: Backward) -> list[Term | None]:
    condition, one, other = call.args
    g = call.grad
    return [
        None,
        call.collapsed(where(condition, g, 0.0), one),
        call.collapsed(where(condition, 0.0, g), other),
    ]


def _fma(call: Backward) -> list[Term]:
    a, b, _ = call.args
    return [call.grad * b, call.grad * a, call.grad]


def _masked_fill(call: Backward) -> list[Term | None]:
    x, mask, value = call.args
    filled = where(mask, call.grad, 0.0)
    total = apply("sum", filled)
    if value.dtype != total.dtype:
        total = apply("astype", total, dtype_=value.dtype)
    return [call.collapsed(where(mask, 0.0, call.grad), x), None, total]


GRADIENTS: dict[str, Rule] = {"ewise_fma": _fma, "masked_fill": _masked_fill, "where": _where}
