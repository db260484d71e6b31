"""Dtypes and shapes of expressions of the array IR, as far as these are known."""

from __future__ import annotations

from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from relax_lang.tir.array_ir.nodes import Axis, Domain, Expr

_ONE = Polynomial.constant(1)

Operation = ir.Elementwise | ir.Clip | ir.Cast | ir.Select | ir.Take
"""What may run over whole loops."""


def is_whole(value: object) -> TypeGuard[Operation]:
    """Return whether an expression is an operation over whole loops: it makes an array of its own."""
    return isinstance(value, Operation) and value.domain is not None


def is_mask_of_sizes(value: object) -> bool:
    """Return whether an expression makes truth values from numbers alone, such as the mask of a triangle."""
    return isinstance(value, ir.Elementwise) and value.dtype == dtypes.BOOL and not _reads_arrays(value)


def _reads_arrays(part: Node | Polynomial) -> bool:
    match part:
        case Ref() | ir.Call():
            return True
        case Polynomial():
            return False
        case _:  # asked of each part of an expression that never changes, and kept
            known = part.__dict__.get("_reads_arrays")
            if known is None:
                known = any(map(_reads_arrays, parts_of(part)))
                if part.is_fixed:
                    part.__dict__["_reads_arrays"] = known
            return known


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
        case ir.Broadcast(array, shape) | ir.Reshaped(array, shape):
            sizes = [size for size in shape if isinstance(size, Polynomial)]
            return type_of(array)[0], tuple(sizes) if len(sizes) == len(shape) else None
        case ir.Reduce(_, array, axes, wrapped):
            dtype, shape = type_of(array)
            left = [size for at, size in enumerate(shape or ()) if at not in axes]
            return wrapped or dtype, None if shape is None else tuple(left)
        case ir.Contract(factors, result):
            return _of_contraction(factors, result)
        case ir.MatMul(a, b, wanted):
            (dtype, rows), (_, columns) = type_of(a), type_of(b)
            if not rows or not columns:
                return wanted or dtype, None
            batch = rows[:-2] if len(rows) >= len(columns) else columns[:-2]
            return wanted or dtype, (*batch, rows[-2], columns[-1]) if len(rows) > 1 < len(columns) else None
        case (
            Polynomial() | ir.Literal() | ir.ScalarOp() | ir.Typed() | ir.Choice() | ir.Call() | ir.Iota() | ir.Gather()
            | ir.Property() | ir.Tuple() | ir.Operation() | ir.DtypeOf() | ir.HasDtype()
        ):  # fmt: skip
            return "", None
        case _:
            assert_never(value)


def _of_contraction(factors: tuple[tuple[str, Expr], ...], result: str) -> tuple[str, Domain]:
    sizes: dict[str, Polynomial] = {}
    dtype = ""
    for letters, factor in factors:
        dtype, shape = type_of(factor)
        if shape is None or len(shape) != len(letters):
            return dtype, None
        sizes.update(zip(letters, shape, strict=True))
    return dtype, tuple([sizes[letter] for letter in result])


def _part(shape: tuple[Polynomial, ...], axes: tuple[Axis, ...]) -> Domain:
    """Return the shape of a view."""
    found: list[Polynomial] = []
    rest = list(shape)
    for axis in axes:
        size = _ONE if isinstance(axis, ir.NewAxis) else rest.pop(0)
        match axis:
            case ir.Slice():
                found.append(axis.extent)
            case ir.Whole() | ir.NewAxis():
                found.append(size)
            case ir.At():
                pass
            case _:
                assert_never(axis)
    return (*found, *rest)
