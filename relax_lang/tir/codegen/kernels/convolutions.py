"""Convolutions as a call of the runtime library, on rows along the loop over the sums of two."""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
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
