"""Sums whose terms have a number in common: `sum(x / m)` as `sum(x) / m`, which saves an operation on every term.

This is part of what may be done to sums of floats. With n terms t = x / m, p multiplications and divisions in a term,
and the rounding unit u, the program's sum is within about (n + p) * u * sum(|t|) of the exact one, and so is this one:
it rounds the terms one time less, and the sum one time more; docs/language.md (chapter 17) states the bound for both.
What must not happen is that a sum gets too large where that of the program does not; so only factors of at most 1 count
(for others, products may be infinite that cancel here), and a result that is not finite is thrown away and computed as
the program says.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Vector
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


class Scale:
    """The terms of a sum without the number that all have in common, and how each has it: `term op factor`."""

    __slots__ = ("factor", "op", "term")

    def __init__(self, term: Vector, op: str, factor: Vector) -> None:
        self.term = term
        self.op = op
        self.factor = factor


def scale_of_terms(writer: Writer, kernel: Kernel) -> Scale | None:
    """Return the factor of at most 1 that all terms of a sum of floats have in common."""
    operand = kernel.operand
    if kernel.strategy != plan.REDUCTION or kernel.combine != "+" or not isinstance(operand, Apply):
        return None
    dtype = operand.dtype
    if operand.op not in ("*", "/") or not dtypes.is_float(dtype) or dtype != kernel.stage.target.dtype:
        return None
    if dtype in dtypes.HALVES:
        return None
    loops = frozenset([loop.name for loop in (*kernel.kept, *kernel.reduced)])
    pairs = [operand.args] if operand.op == "/" else [operand.args, (operand.args[1], operand.args[0])]
    for term, factor in pairs:
        if term.dims - writer.fixed == loops and _shrinks(writer, operand.op, factor):
            return Scale(term, operand.op, factor)
    return None


def _shrinks(writer: Writer, op: str, factor: Vector) -> bool:
    """Return whether `x op factor` is provably no larger than x. Dividing by a size of 0 gives nothing finite."""
    if isinstance(factor, Const):
        return abs(factor.value) <= 1 if op == "*" else abs(factor.value) >= 1
    if op != "/" or not isinstance(factor, Apply) or factor.op != "cast":
        return False
    size = factor.args[0]
    return isinstance(size, Index) and not size.dims and writer.entry.is_nonnegative(size.polynomial)
