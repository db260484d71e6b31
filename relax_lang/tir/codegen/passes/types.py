"""Dtypes and shapes of expressions of the array IR, as far as these are known."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.ir_node import Ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from relax_lang.tir.ir.array_ir import Axis, Domain, Expr

_ONE = Polynomial.constant(1)

Operation = ir.Elementwise | ir.Clip | ir.Cast | ir.Select | ir.Take
"""What may run over whole loops."""


def is_whole(value: object) -> TypeGuard[Operation]:
    """Return whether an expression is an operation over whole loops: it makes an array of its own."""
    return isinstance(value, Operation) and value.domain is not None


def type_of(value: Expr) -> tuple[str, Domain]:
    """Return the dtype of an expression, or nothing, and its shape, or None."""
    match value:
        case Ref(_, dtype, shape):
            return dtype, shape
        case ir.Elementwise() | ir.Clip() | ir.Cast() | ir.Select() | ir.Take():
            return value.dtype, value.domain
        case ir.View(array, axes):
            dtype, shape = type_of(array)
            return dtype, None if shape is None else _part(shape, axes)
        case ir.AffineView(array, _, extents):
            sizes = [extent for extent in extents if isinstance(extent, Polynomial)]
            return type_of(array)[0], tuple(sizes) if len(sizes) == len(extents) else None
        case ir.Transposed(array, axes):
            dtype, shape = type_of(array)
            return dtype, None if shape is None else tuple([shape[at] for at in axes])
        case _:
            return "", None


def _part(shape: tuple[Polynomial, ...], axes: tuple[Axis, ...]) -> Domain:
    """Return the shape of a view."""
    found: list[Polynomial] = []
    rest = list(shape)
    for axis in axes:
        size = _ONE if isinstance(axis, ir.NewAxis) else rest.pop(0)
        if isinstance(axis, ir.Slice):
            size = axis.extent
        if not isinstance(axis, ir.At):
            found.append(size)
    return (*found, *rest)
