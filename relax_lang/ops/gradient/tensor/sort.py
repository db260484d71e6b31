"""Gradients of sorting: every element goes back to the place that it came from."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule


def _back(call: Backward, places: Term, grad: Term) -> list[Term]:
    zeros, axis = call.zeros_like(call.args[0]), call.attrs["axis"]
    return [apply("scatter_elements", zeros, places, grad, axis=axis, reduction="add")]


def _sort(call: Backward) -> list[Term]:
    named = {name: call.attrs[name] for name in ("axis", "descending")}
    return _back(call, apply("argsort", call.args[0], **named), call.grad)


def _topk(call: Backward) -> list[Term]:
    if call.attrs["ret_type"] == "both":
        return _back(call, call.result[1], call.field_grad(0))
    named = {name: call.attrs[name] for name in ("k", "axis", "largest")}
    return _back(call, apply("topk", call.args[0], ret_type="indices", **named), call.grad)


GRADIENTS: dict[str, Rule] = {"sort": _sort, "topk": _topk}
