"""What convolutions and pools share: layouts with the channels first, and back. [OP.4]"""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.layouts import parse_layout
from relax_lang.ops.legal.core import Refused
from relax_lang.te.tensor import Tensor, compute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.te.expr import Expr

    Dims = tuple[Expr, ...]


def order_of(layout: str, canonical: str, attribute: str) -> list[int]:
    """Return where each canonical axis is in a layout. Raises Refused for one with blocks."""
    parsed = parse_layout(layout, canonical, attribute)
    if parsed.blocks:
        raise Refused("the layout has blocks")
    return [layout.index(letter) for letter in canonical]


def canonical_view(x: Tensor, order: list[int]) -> Tensor:
    """Return a tensor with its axes in canonical order; nothing is stored."""
    if order == sorted(order):
        return x
    shape = tuple([x.shape[axis] for axis in order])

    def each(*at: Expr) -> Expr:
        places = dict(zip(order, at, strict=True))
        return x[tuple([places[axis] for axis in range(x.ndim)])]

    return compute(shape, each, x.hint, inline=True)


def canonical_shape(shape: Dims, order: list[int]) -> Dims:
    """Return a shape with its axes in canonical order."""
    return tuple([shape[axis] for axis in order])


def in_layout(x: Tensor, order: list[int]) -> Tensor:
    """Return a tensor in canonical order with its axes where a layout has them."""
    if order == sorted(order):
        return x
    inverse = [order.index(axis) for axis in range(len(order))]
    shape = tuple([x.shape[place] for place in inverse])
    return compute(shape, lambda *at: x[tuple([at[axis] for axis in order])], "turned")
