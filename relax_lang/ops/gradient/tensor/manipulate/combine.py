"""Gradients of joining and splitting."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.core.terms import Term, apply, prims
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _concat(call: Backward) -> list[tuple[Term, ...]]:
    tensors: Sequence[Term] = call.args[0]
    axis = call.axes(call.attrs["axis"] or 0, call.rank(tensors[0]))[0]
    start: tree.PrimExpr = tree.IntImm(0)
    parts: list[Term] = []
    for one in tensors:
        end = _plus(start, call.dims(one)[axis])
        parts.append(apply("strided_slice", call.grad, prims([axis]), prims([start]), prims([end])))
        start = end
    return [tuple(parts)]


def _plus(one: tree.PrimExpr, other: tree.PrimExpr) -> tree.PrimExpr:
    return simplified(tree.Add(one, other))


def _stack(call: Backward) -> list[tuple[Term, ...]]:
    tensors: Sequence[Term] = call.args[0]
    axis = call.axes(call.attrs["axis"] or 0, call.rank(tensors[0]) + 1)[0]
    parts = [
        apply("strided_slice", call.grad, prims([axis]), prims([at]), prims([at + 1]))
        for at in range(len(tensors))
    ]
    return [tuple([apply("squeeze", one, axis=axis) for one in parts])]


def _meshgrid(call: Backward) -> list[tuple[Any, ...]]:
    tensors: Sequence[Term] = call.args[0]
    ndim = len(tensors)
    made: list[Term | None] = []
    for at, grad in enumerate(call.grads):
        own = 1 - at if call.attrs["indexing"] == "xy" and at < 2 <= ndim else at
        others = [axis for axis in range(ndim) if axis != own]
        made.append(grad if grad is None or not others else apply("sum", grad, axis=others))
    return [tuple(made)]


def _split(call: Backward) -> list[Term]:
    fields = tuple([call.field_grad(at) for at in range(len(call.grads))])
    return [apply("concat", fields, axis=call.attrs["axis"], dtype=call.args[0].dtype)]


GRADIENTS: dict[str, Rule] = {
    "concat": _concat,
    "meshgrid": _meshgrid,
    "split": _split,
    "stack": _stack,
}
