"""Convolutions as a call of the runtime library, on rows along the loop over the sums of two; correlations likewise."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.vector_ir import all_loads, loads
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import align, view
from relax_lang.tir.schedule.strategies.reductions.convolutions import summed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


def convolution(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a convolution that is added to its target, or subtracted from it."""
    assert not masks, "a convolution has no conditions"
    stage, along = kernel.stage, kernel.kept[-1]
    first, second = kernel.reduced
    batch = [loop.name for loop in kernel.kept[:-1]]
    order = [*batch, along.name]
    index = summed(writer.space, stage.index, (first, second), along)
    target, axes = view(writer, stage.target, index, order)
    factors = [
        _rows(writer, factor, [*batch, loop.name])
        for factor, loop in zip(kernel.factors, (first, second), strict=True)
    ]
    combine = ir.Operation("-" if kernel.negated else "+")
    writer.add(ir.Evaluate(ir.Call("combine_convolutions", (align(target, axes, order), *factors, combine))))


def _rows(writer: Writer, factor: Vector, order: list[str]) -> Expr:
    """Return a factor with a dimension for each loop, of size 1 where it does not vary over it."""
    return Arrays(writer, order).value(factor)


def correlation(writer: Writer, kernel: Kernel, target: Expr, sign: int) -> bool:
    """Write a sum of products as a correlation, `Y[i] += X[i + k] * W[k]`, if it is one; return whether it is."""
    if len(kernel.kept) != 1 or len(kernel.reduced) != 1 or kernel.stage.target.dtype in dtypes.HALVES:
        return False
    (kept,), (reduced,) = kernel.kept, kernel.reduced
    weights, moving = sorted(kernel.factors, key=lambda factor: kept.name in factor.dims)
    if kept.name in weights.dims or not {kept.name, reduced.name} <= moving.dims:
        return False
    along = Loop(writer.fresh("at"), kept.extent + reduced.extent - 1, kept.node)
    place, step, last = Polynomial.name(along.name), Polynomial.name(reduced.name), reduced.extent - 1
    space = writer.space
    space.loops[along.name] = along
    for start, turned in ((place - step, step), (place + step - last, last - step)):
        values = space.replaced(moving, {kept.name: start})
        if reduced.name in values.dims or not _are_slices(values, along):
            continue
        factors = values, space.replaced(weights, {reduced.name: turned})
        for load in [load for factor in factors for load in all_loads(space, factor)]:
            writer.covered.add((id(load.storage), load.index))  # all windows have these elements together
        args = [
            Arrays(writer, [loop.name]).value(factor)
            for factor, loop in zip(factors, (along, reduced), strict=True)
        ]
        writer.add(ir.Evaluate(ir.Call("correlate_into", (target, *args, Literal(sign)))))
        return True
    return False


def _are_slices(values: Vector, along: Loop) -> bool:
    """Return whether what values read along a loop are slices: the loop may have -1 iterations, where there are no
    windows of no elements.
    """
    steps = [part.coefficient(along.name) for load in loads(values) for part in load.index]
    return all(step is not None and step.value is not None for step in steps)
