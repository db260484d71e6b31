"""Gradients of repeating and reordering elements: what was repeated is summed."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply, shape
from relax_lang.ops.gradient.core import moved_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule
    from relax_lang.syntax import tree


def _broadcast_to(call: Backward) -> list[Term | None]:
    return [call.collapsed(call.grad, call.args[0]), None]


def _collapse_sum(call: Backward) -> list[Term | None]:
    return [apply("broadcast_to", call.grad, call.shape_of(call.args[0])), None]


def _flip(call: Backward) -> list[Term]:
    return [apply("flip", call.grad, axis=call.attrs["axis"])]


def _repeat(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    repeats, axis = call.attrs["repeats"], call.attrs["axis"]
    dims = call.dims(x)
    if axis is None:
        parts = apply("reshape", call.grad, shape([*dims, repeats]))
        return [apply("sum", parts, axis=-1)]
    at = call.axes(axis, len(dims))[0]
    parts = apply("reshape", call.grad, shape([*dims[: at + 1], repeats, *dims[at + 1 :]]))
    return [apply("sum", parts, axis=at + 1)]


def _tile(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    given = call.attrs["repeats"]
    repeats: list[int] = [given] if isinstance(given, int) else list(given)
    dims = call.dims(x)
    repeats = [1] * (len(dims) - len(repeats)) + repeats
    extra = len(repeats) - len(dims)
    parts: list[tree.PrimExpr | int] = list(repeats[:extra])
    for repeat, dim in zip(repeats[extra:], dims, strict=True):
        parts += [repeat, dim]
    summed = [*range(extra), *range(extra, len(parts), 2)]
    if not summed:
        return [call.grad]
    return [apply("sum", apply("reshape", call.grad, shape(parts)), axis=summed)]


def _reverse_sequence(call: Backward) -> list[Term | None]:
    named = {name: call.attrs[name] for name in ("seq_axis", "batch_axis")}
    return [apply("reverse_sequence", call.grad, call.args[1], **named), None]


def _layout_transform(call: Backward) -> list[Term]:
    """Give elements what the places get that they are moved to; of two that share a place, the last one is there."""
    index_map = call.attrs["index_map"]
    return [
        moved_back(
            call, lambda numbers: apply("layout_transform", numbers, index_map=index_map, pad_value=-1)
        )
    ]


GRADIENTS: dict[str, Rule] = {
    "broadcast_to": _broadcast_to,
    "collapse_sum_like": _collapse_sum,
    "collapse_sum_to": _collapse_sum,
    "flip": _flip,
    "layout_transform": _layout_transform,
    "repeat": _repeat,
    "reverse_sequence": _reverse_sequence,
    "tile": _tile,
}
