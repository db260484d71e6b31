"""Gradients of gradients: those operators are linear in the gradient that they are given."""

from __future__ import annotations

from itertools import product

from relax_lang.arith.printing import simplified
from relax_lang.ops.attribute_syntax.windows import SPATIAL, paddings, per_axis
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, prims, where
from relax_lang.ops.gradient.nn.loss import weights_of_classes
from relax_lang.ops.gradient.nn.pool import transposed
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _take_backward(call: Backward) -> list[Any]:
    _, _, indices = call.args
    found = apply("take", call.grad, indices, axis=call.attrs["axis"], mode="wrap")  # indices may be negative
    return [found, None, None]


def _nll_loss_backward(call: Backward) -> list[Any]:
    """It is linear in the gradient that it is given, and depends on weights as the loss does."""
    grad, predictions, targets, weights = call.args
    named = {name: call.attrs[name] for name in ("reduction", "ignore_index")}
    found = apply("nn.nll_loss", call.grad, targets, weights, dtype=predictions.dtype, **named)
    own = None if weights is None else weights_of_classes(call, grad, call.grad, (targets, weights))
    return [found, None, None, own]


def _avg_pool2d_backward(call: Backward) -> list[Term | None]:
    return [apply("nn.avg_pool2d", call.grad, **call.attrs), None]


def _max_pool2d_backward(call: Backward) -> list[Term | None]:
    """Read what flows in at the elements that were chosen: for each place in a window, where it is the first."""
    attrs, canonical = call.attrs, "NC" + SPATIAL[2]
    outer: str = attrs["out_layout"] or attrs["layout"]
    taps = per_axis(attrs["pool_size"], 2, "pool_size")
    if taps[0] * taps[1] > _MOST:
        raise Refused(f"its windows have more than {_MOST} elements")
    data, grad = [transposed(one, attrs["layout"], canonical) for one in (call.args[1], call.grad)]
    dims = call.dims(call.args[0])
    extents: list[tree.PrimExpr] = [dims[outer.index(one)] for one in SPATIAL[2]]
    strides, dilation = per_axis(attrs["strides"], 2, "strides"), per_axis(attrs["dilation"], 2, "dilation")
    widths = [0, 0, 0, 0]
    for (before, after), stride in zip(paddings(attrs["padding"], 2), strides, strict=True):
        widths += [before, after + stride]  # a last window may begin in the image and end beyond the padding
    least = -65504.0 if data.dtype == "float16" else -3.0e38
    padded = apply("nn.pad", data, pad_width=widths, pad_value=least)
    flowing = apply("nn.pad", grad, pad_width=widths)
    plain = {name: attrs[name] for name in ("pool_size", "strides", "padding", "dilation", "ceil_mode")}
    pooled = apply("nn.max_pool2d", data, **plain)

    def at_tap(term: Term, place: tuple[int, int]) -> Term:
        begins = [tap * apart for tap, apart in zip(place, dilation, strict=True)]
        ends = [
            simplified(
                tree.Add(
                    tree.Mul(tree.Sub(extent, tree.IntImm(1)), tree.IntImm(stride)), tree.IntImm(first + 1)
                )
            )
            for extent, stride, first in zip(extents, strides, begins, strict=True)
        ]
        return apply("strided_slice", term, prims([2, 3]), prims(begins), prims(ends), prims(list(strides)))

    found: Term | None = None
    total: Term | None = None
    for place in product(range(taps[0]), range(taps[1])):
        hit = apply("equal", at_tap(padded, place), pooled)
        first = hit if found is None else apply("logical_and", hit, apply("logical_not", found))
        found = hit if found is None else apply("logical_or", found, hit)
        part = where(first, at_tap(flowing, place), 0.0)
        part.dtype = call.grad.dtype
        total = part if total is None else total + part
    assert total is not None
    return [transposed(total, canonical, outer), None]


_MOST = 64

GRADIENTS: dict[str, Rule] = {
    "grad.avg_pool2d_backward": _avg_pool2d_backward,
    "grad.max_pool2d_backward": _max_pool2d_backward,
    "grad.nll_loss_backward": _nll_loss_backward,
    "grad.take_backward": _take_backward,
}
