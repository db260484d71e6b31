"""Activations that are made of simpler functions."""

from __future__ import annotations

import math

from relax_lang.ops.core.terms import Term, apply
from relax_lang.ops.decompose.core import narrowed, wide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.call_terms import CallTerms
    from relax_lang.ops.decompose.core import Rule


def _gelu(call: CallTerms) -> Term:
    x = wide(call.args[0])
    return narrowed(x * 0.5 * (apply("erf", x * math.sqrt(0.5)) + 1.0), call.args[0])


def _gelu_tanh(call: CallTerms) -> Term:
    x = wide(call.args[0])
    bent = apply("tanh", math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x)))
    return narrowed(x * 0.5 * (bent + 1.0), call.args[0])


def _silu(call: CallTerms) -> Term:
    x = wide(call.args[0])
    return narrowed(x * apply("sigmoid", x), call.args[0])


def _dropout(call: CallTerms) -> tuple[Term, Term]:
    return call.args[0], apply("ones_like", call.args[0])


DECOMPOSITIONS: dict[str, Rule] = {
    "nn.dropout": _dropout,
    "nn.gelu": _gelu,
    "nn.gelu_tanh": _gelu_tanh,
    "nn.silu": _silu,
}
