"""Reductions over a few iterations as steps, each on whole arrays."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import view
from relax_lang.tir.codegen.writer import typed_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


def window(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write the steps of a window reduction."""
    assert not masks, "a reduction under conditions is not a window"
    stage = kernel.stage
    target, order = view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])
    steps = _steps(writer, kernel)
    combine, dtype = "-" if kernel.negated else kernel.combine, stage.target.dtype
    args: list[Expr] = []
    initial = kernel.initial
    plain = kernel.starts_from_identity
    if not plain and initial is not None:
        args.append(typed_literal(initial))
    elif initial is None:
        args.append(target)
    for at, step in enumerate(steps):
        value = Arrays(writer, order).value(step)
        if at == 0 and plain and len(steps) > 1:
            args.append(value)
            continue
        if at == 0 and plain:
            writer.add(ir.Store(target, value))
            continue
        writer.add(ir.Store(target, ir.Elementwise(combine, (args.pop(), value), dtype)))
        args.append(target)


def _steps(writer: Writer, kernel: Kernel) -> list[Vector]:
    """Return the operand of each step in the order of the program."""
    steps: list[Vector] = [kernel.operand]
    for loop in kernel.reduced:
        count = loop.extent.value or 0
        values = [{loop.name: Polynomial.constant(value)} for value in range(count)]
        steps = [writer.space.replaced(step, value) for step in steps for value in values]
    return steps
