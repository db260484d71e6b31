"""Indices that are kept inside of a dimension: where they start, and that they end with the last element."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.vector_ir import Apply, as_polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.guards import Guards


def only_vector(space: Space, part: Polynomial) -> Vector | None:
    """Return what an index is that is one vector and nothing else."""
    atoms = space.atoms_in(part)
    return atoms[0].vector if len(atoms) == 1 and part == Polynomial.name(atoms[0].name) else None


def start_of_clamp(
    space: Space, entry: Guards, part: Polynomial, loop: Loop, size: Polynomial
) -> Polynomial | None:
    """Return c where an index is c + v, kept inside of a dimension of some size; None for other indices."""
    own = Polynomial.name(loop.name)
    if part == own and loop.extent == size:
        return Polynomial.constant(0)
    vector = only_vector(space, part)
    if vector is None:
        return None
    limited = {"min": False, "max": False}
    while isinstance(vector, Apply) and vector.op in limited:
        limit = Polynomial.constant(0) if vector.op == "max" else size - 1
        inner = [arg for arg in vector.args if as_polynomial(arg) != limit]
        if len(inner) != 1 or limited[vector.op]:
            return None
        limited[vector.op] = True
        vector = inner[0]
    base = as_polynomial(vector)
    start = None if base is None else base - own
    if start is None or space.varies(start):
        return None
    if not limited["max"] and not entry.is_nonnegative(start):
        return None
    if not limited["min"] and not entry.is_nonnegative(size - start - loop.extent):
        return None
    return start
