"""Gradients of writing by index: what was overwritten gets nothing, what was written gets what is there."""

from __future__ import annotations

from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, prims
from relax_lang.ops.gradient.core import Missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _adds(call: Backward) -> bool:
    """Return whether updates are added. Raises Refused if they are neither added nor written."""
    reduction = call.attrs["reduction"]
    if reduction not in ("update", "add"):
        raise Refused(f'the reduction is "{reduction}"')
    return reduction == "add"


def _scatter_elements(call: Backward) -> list[Term | None]:
    _, indices, updates = call.args
    axis, g = call.attrs["axis"], call.grad
    first = g if _adds(call) else apply("scatter_elements", g, indices, call.zeros_like(updates), axis=axis)
    return [first, None, apply("gather_elements", g, indices, axis=axis)]


def _scatter_nd(call: Backward) -> list[Term | None]:
    _, indices, updates = call.args
    g = call.grad
    first = g if _adds(call) else apply("scatter_nd", g, indices, call.zeros_like(updates))
    return [first, None, apply("gather_nd", g, indices)]


def _index_put(call: Backward) -> list[Any]:
    _, indices, values = call.args
    g = call.grad
    first = g if call.attrs["accumulate"] else apply("index_put", g, indices, call.zeros_like(values))
    if values.dims is None:
        return [first, None, Missing("the shape of the values is not known")]
    return [first, None, apply("collapse_sum_to", apply("index_tensor", g, indices), call.shape_of(values))]


def _slice_scatter(call: Backward) -> list[Term | None]:
    _, src, start, end, step = call.args
    axis, g = call.attrs["axis"], call.grad
    first = apply("slice_scatter", g, call.zeros_like(src), start, end, step, axis=axis, dtype=g.dtype)
    bounds = [_tuple(one) for one in (start, end, step)]
    second = apply("strided_slice", g, prims([axis]), *bounds)
    return [first, second, None, None, None]


def _tuple(node: Any) -> Any:
    return prims([node.value])


GRADIENTS: dict[str, Rule] = {
    "index_put": _index_put,
    "scatter_elements": _scatter_elements,
    "scatter_nd": _scatter_nd,
    "slice_scatter": _slice_scatter,
}
