"""Copies of arrays with their border repeated (`Y[p] = X[min(max(p - 1, 0), n - 1)]`), or with the other end beyond
each end (`Y[p] = X[(p - 1) % n]`), as slices instead of a gather.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, Load
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.codegen.writer import array_of
from relax_lang.tir.schedule.layout.clamps import only_vector, start_of_clamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer


def copied_with_edges(writer: Writer, target: Expr, value: Vector, order: Sequence[str]) -> bool:
    """Write the copy of a whole array, some of whose indices are clamped; return whether a value is that."""
    if not isinstance(value, Load) or len(value.index) != len(order) or value.dtype != value.storage.dtype:
        return False
    if all(part == Polynomial.name(name) for part, name in zip(value.index, order, strict=True)):
        return False
    for function, start_of in (("copy_with_edges", _clamped_start), ("copy_wrapped", _wrapped_start)):
        starts: list[Polynomial] = []
        for part, name, size in zip(value.index, order, value.storage.sizes, strict=True):
            start = start_of(writer, part, writer.space.loops[name], size)
            if start is not None:
                starts.append(start)
        if len(starts) == len(order):
            numbers = ir.Tuple(writer.numbers(starts))
            writer.add(ir.Evaluate(ir.Call(function, (target, array_of(value.storage), numbers))))
            return True
    return False


def _wrapped_start(writer: Writer, part: Polynomial, loop: Loop, size: Polynomial) -> Polynomial | None:
    """Return c where an index is c + v modulo the size of its dimension; None for other indices."""
    own = Polynomial.name(loop.name)
    if part == own and loop.extent == size:
        return Polynomial.constant(0)
    vector = only_vector(writer.space, part)
    if not isinstance(vector, Apply) or vector.op != "%":
        return None
    a, b = vector.args
    if not isinstance(a, Index) or not isinstance(b, Index) or b.polynomial != size:
        return None
    start = a.polynomial - own
    return None if writer.space.varies(start) else start


def _clamped_start(writer: Writer, part: Polynomial, loop: Loop, size: Polynomial) -> Polynomial | None:
    return start_of_clamp(writer.space, writer.entry, part, loop, size)
