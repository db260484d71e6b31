"""Reductions as NumPy: one call over all iterations, combined with what the target holds."""

from __future__ import annotations

import string
from functools import partial

from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Load, Vector, loads
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.kernels.masked import first_lanes
from relax_lang.tir.codegen.strength_reduction import scale_of_terms
from relax_lang.tir.codegen.views import align, view
from relax_lang.tir.codegen.writer import all_of, typed_literal
from relax_lang.tir.schedule.plan import identity
from relax_lang.tir.schedule.strategies.reductions.bilinear_forms import bilinear_form
from relax_lang.tir.schedule.strategies.reductions.order_counts import (
    counted,
    counted_conditions,
    counted_pairs,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.strength_reduction import Scale
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel
    from relax_lang.tir.schedule.strategies.reductions.bilinear_forms import BilinearForm
    from relax_lang.tir.schedule.strategies.reductions.order_counts import OrderCounts


def reduction(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a reduction: its value, combined with what the target holds, or with its known initial value."""
    if kernel.lists_reduced and masks:
        kernel, masks = _over_list(writer, kernel, masks), []
    is_whole = counted_pairs(writer.space, kernel, masks, writer.fixed) is not None
    is_whole = is_whole or (not masks and bilinear_form(kernel, writer.fixed) is not None)
    _around(writer, kernel, masks, [] if is_whole else _outer_loops(writer, kernel))


def _over_list(writer: Writer, kernel: Kernel, masks: list[Vector]) -> Kernel:
    """Write the list of the reduced iterations for which conditions hold; return the reduction over this list."""
    values, lane = first_lanes(writer, masks, kernel.reduced)
    stage = replaced(kernel.stage, loops=(*kernel.kept, lane), guards=())
    operand = writer.space.replaced(kernel.operand, values)
    return replaced(kernel, stage=stage, reduced=[lane], operand=operand)


def _around(writer: Writer, kernel: Kernel, masks: list[Vector], outer: list[Loop]) -> None:
    if not outer:
        _reduce(writer, kernel, masks)
        return
    with writer.loop(outer[0]):
        _around(writer, kernel, masks, outer[1:])


def _outer_loops(writer: Writer, kernel: Kernel) -> list[Loop]:
    """Return the loops that stay Python loops: where the operand is as large as no array that it is made from,
    computing it for one iteration at a time keeps the temporary arrays small, which they are in a tile anyway. One of
    several always stays an array.
    """
    operand = kernel.operand
    if not kernel.kept or writer.is_tiled:
        return []
    widest = max([len(load.dims - writer.fixed) for load in loads(operand)], default=0)
    missing = len(operand.dims - writer.fixed) - widest
    outer = [loop for loop in kernel.kept if loop.name in operand.dims]
    return outer[: max(0, min(missing, max(1, len(outer) - 1)))]


def _reduce(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    stage = kernel.stage
    target, kept = view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])
    counts = counted_pairs(writer.space, kernel, masks, writer.fixed)
    scale = None if masks else scale_of_terms(writer, kernel)
    form = None if masks or scale is not None else bilinear_form(kernel, writer.fixed)
    if scale is not None and kernel.starts_from_identity and kept:
        _sum_of_scaled(writer, kernel, kept, scale, target)
        return
    dtype = stage.target.dtype
    if scale is not None:
        value: Expr = _sum_of_scaled(writer, kernel, kept, scale, None)
    elif counts is not None:
        value = _counts(writer, kernel, *counts)
    elif form is not None:
        value = _sum_of_form(writer, kernel, kept, form)
    else:
        value = _reduced(writer, kernel, kept, masks)
    if kernel.starts_from_identity:
        writer.add(ir.Store(target, value))
        return
    if kernel.initial is not None:
        current: Expr = typed_literal(kernel.initial)
    else:
        current = ir.Cast(target, dtypes.FLOAT32) if dtype in dtypes.HALVES else target
    combine = "-" if kernel.negated else kernel.combine
    value = ir.Elementwise(combine, (current, value), dtypes.computed_in(dtype))
    writer.add(ir.Store(target, value))


def _counts(writer: Writer, kernel: Kernel, found: OrderCounts, times: float) -> Expr:
    dtype = kernel.stage.target.dtype
    values = Arrays(writer, [kernel.reduced[0].name]).value(found.values)
    keys = Arrays(writer, [kernel.kept[0].name]).value(found.keys)
    factors = tuple([Literal(factor) for factor in found.factors])
    count = ir.Cast(ir.Call("counts_by_order", (values, keys, *factors)), dtype)
    return count if times == 1 else ir.Elementwise("*", (count, typed_literal(Const(times, dtype))), dtype)


def _reduced(writer: Writer, kernel: Kernel, kept: list[str], masks: list[Vector]) -> Expr:
    """Return the reduction of the operand over the loops that are not kept; along those that it does not vary over it
    is the same value.
    """
    dims = kernel.operand.dims.union(*[mask.dims for mask in masks])
    varying = [name for name in kept if name in dims]
    return align(_reduced_along(writer, kernel, varying, masks), varying, kept)


def _reduced_along(writer: Writer, kernel: Kernel, kept: list[str], masks: list[Vector]) -> Expr:
    """Return the reduction of the operand, which varies over all of the loops that are kept."""
    reduced = [loop.name for loop in kernel.reduced]
    order = [*kept, *reduced]
    dtype = kernel.stage.target.dtype
    dims = kernel.operand.dims.union(*[mask.dims for mask in masks]) - writer.fixed
    conditions = counted_conditions(kernel, masks) if dtype in _COUNTED else []
    is_whole = dims == frozenset(order)
    if kernel.combine == "+" and dtypes.is_float(dtype) and not masks and not conditions and is_whole:
        return _float_sum(writer, kernel, kernel.operand, kept, order)
    axes = _axes(kernel, kept)
    if is_whole and _lies_by_rows(writer, kernel, (kernel.operand, *masks), kept):
        order, axes = [*reduced, *kept], tuple(range(len(reduced)))
    start = typed_literal(Const(identity(kernel.combine, dtype), dtype))
    wrapped = dtype if kernel.combine in ("+", "*") and dtypes.is_integer(dtype) else ""
    if conditions:
        value = all_of([Arrays(writer, order).value(one) for one in conditions])
        if is_whole and not kept:
            return ir.Typed(ir.Call("count", (value,)), dtype)
        wrapped = dtype
    else:
        value = Arrays(writer, order).value(counted(kernel))
        if masks:
            mask = all_of([Arrays(writer, order).value(mask) for mask in masks])
            shape = writer.extents(order) if is_whole else None
            value = ir.Select(mask, value, start, dtypes.computed_in(dtype), shape)
    missing = [writer.space.loops[name].extent.value for name in order if name not in dims]
    # What has a dimension of size 1 for each loop that runs once has its shape already.
    if order[0] not in dims or any(extent != 1 for extent in missing):
        value = ir.Broadcast(value, writer.extents(order))
    # Without an initial value an empty range would be an error.
    initial = start if kernel.combine in ("min", "max") else None
    return ir.Reduce(kernel.combine, value, axes, wrapped, initial)


_COUNTED = frozenset({"int32", "int64", "uint32", "uint64", "float32", "float64"})
"""The types of counts: others may wrap around, or round."""


def _axes(kernel: Kernel, kept: list[str]) -> tuple[int, ...]:
    return tuple([len(kept) + at for at in range(len(kernel.reduced))])


def _sum_of_scaled(writer: Writer, kernel: Kernel, kept: list[str], scale: Scale, out: Expr | None) -> Expr:
    """Write a sum whose terms have a factor in common: that of the terms without it, times the factor. Where this is
    not finite, terms may have been too large without their factor, and the sum is taken as it is written.
    """
    order = [*kept, *[loop.name for loop in kernel.reduced]]
    dtype = dtypes.computed_in(kernel.stage.target.dtype)
    factor = Arrays(writer, kept).value(scale.factor)
    total = _float_sum(writer, kernel, scale.term, kept, order)
    result = out
    if out is not None:
        writer.add(ir.Store(out, total), ir.Store(out, ir.Elementwise(scale.op, (out, factor), dtype)))
    else:
        result = writer.name(total, "total")
        scaled = ir.Elementwise(scale.op, (result, factor), dtype)
        writer.add(ir.Define(result.name, scaled, rebinds=True))
    assert result is not None, "there is an array or a name for the sum"
    as_written = partial(_float_sum, writer, kernel, kernel.operand, kept, order)
    _unless_finite(writer, result, as_written, is_named=out is None)
    return result


def _unless_finite(writer: Writer, result: Expr, as_written: Callable[[], Expr], *, is_named: bool) -> None:
    """Write that a sum is taken again, as it is written, where what it was computed by is not finite."""
    shared = dict(writer.shared)
    overflow = ir.If(ScalarOp("not", (ir.Call("all_finite", (result,)),)), [], rare=True)
    writer.add(overflow)
    with writer.inside(overflow.body):
        again = as_written()
        if isinstance(result, Ref) and is_named:
            writer.add(ir.Define(result.name, again, rebinds=True))
        else:
            writer.add(ir.Store(result, again))
    writer.shared = shared


def _sum_of_form(writer: Writer, kernel: Kernel, kept: list[str], form: BilinearForm) -> Expr:
    """Write a sum of products of three matrices. Where it is not finite, a sum that a factor of 0 would have left out
    may have been too large, and all terms are taken as they are written.
    """
    left = Arrays(writer, [form.rows, form.depth]).value(form.left)
    right = Arrays(writer, [form.depth, form.columns]).value(form.right)
    other = Arrays(writer, [form.rows, form.columns]).value(form.other)
    letters = {form.rows: "a", form.depth: "b", form.columns: "c"}
    result = "".join([letters[name] for name in kept])
    total = ir.Contract((("ac", ir.MatMul(left, right)), ("ac", other)), result)
    found = writer.name(total, "total")

    def as_written() -> Expr:
        factors: list[tuple[str, Expr]] = []
        for factor in form.written:
            names = [name for name in letters if name in factor.dims]
            value = Arrays(writer, names).value(factor)
            factors.append(("".join([letters[name] for name in names]), value))
        return ir.Contract(tuple(factors), result)

    _unless_finite(writer, found, as_written, is_named=True)
    return found


def _float_sum(writer: Writer, kernel: Kernel, operand: Vector, kept: list[str], order: list[str]) -> Expr:
    """Return a sum of floats: a contraction adds much faster than a reduction, and multiplies as it adds."""
    letters = string.ascii_lowercase[: len(order)]
    result = letters[: len(kept)]
    by_rows = not isinstance(operand, Load) and _lies_by_rows(writer, kernel, (operand,), kept)
    if by_rows:  # computed in the order in which elements lie
        order = [*order[len(kept) :], *kept]
        letters = letters[len(kept) :] + result
    if isinstance(operand, Apply) and operand.op == "*" and operand.dtype not in dtypes.HALVES:
        factors = operand.args
        if all(factor.dims - writer.fixed == frozenset(order) for factor in factors):
            values = Arrays(writer, order).values(factors)
            return ir.Contract(tuple([(letters, value) for value in values]), result)
    value = Arrays(writer, order).value(operand)
    if by_rows:
        return ir.Reduce("+", value, tuple(range(len(kernel.reduced))))
    if isinstance(operand, Load) and not operand.index[-1].names() & {loop.name for loop in kernel.reduced}:
        return ir.Reduce("+", value, _axes(kernel, kept))  # over rows, which are added to each other
    return ir.Contract(((letters, value),), result)


def _lies_by_rows(writer: Writer, kernel: Kernel, terms: Sequence[Vector], kept: list[str]) -> bool:
    """Return whether the terms of a reduction come from arrays whose last dimension stays: columns are reduced."""
    if not kept:
        return False
    reduced = {loop.name for loop in kernel.reduced}
    read = [load for term in terms for load in loads(term)]
    across = [load for load in read if load.dims & reduced and load.dims & {*kept}]
    return bool(across) and all(
        load.index[-1].names() & {kept[-1]} and not writer.space.dims(load.index[-1]) & reduced
        for load in across
    )
