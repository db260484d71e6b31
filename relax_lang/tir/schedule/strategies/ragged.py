"""Rows of lengths that data choose: `for r in 0..n { for p in P[r]..P[r + 1] { … } }` as one list of iterations.

Each iteration is a lane, in the order of the program, so that a sum over each row becomes one scatter. Nothing that an
iteration reads may be stored by another one, as in a scatter. Where each row ends where the next one begins, the list
is one range, so that what rows hold is a slice, and what they are combined to is a `reduceat`.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, all_loads
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector


def is_ragged(space: Space, loops: list[Loop]) -> bool:
    """Return whether loops are one over rows and one in each row whose length data choose for this row."""
    if len(loops) != 2:
        return False
    rows, inner = loops
    if space.varies(rows.extent) or rows.name not in space.dims(inner.extent):
        return False
    return any(
        rows.name in load.dims
        for vector in space.atom_values([inner.extent])
        for load in all_loads(space, vector)
    )


def start_of_rows(space: Space, loops: list[Loop]) -> tuple[Polynomial, Polynomial] | None:
    """Return where a row begins, and its length, which may be negative, if both are where the next row begins."""
    rows, inner = loops
    length = inner.extent
    for vector in space.atom_values([length]):
        if isinstance(vector, Apply) and vector.op == "max" and space.atom(vector, "") == length:
            least, number = vector.args
            if isinstance(least, Index) and least.polynomial.value == 0 and isinstance(number, Index):
                length = number.polynomial
    start = -Polynomial({term: factor for term, factor in length.terms.items() if factor < 0})
    following = space.substituted(start, {rows.name: Polynomial.name(rows.name) + 1})
    return (start, length) if start.terms and length == following - start else None


def _follow_each_other(space: Space, index: Polynomial, rows: Loop) -> bool:
    """Return whether data choose where the elements of a row begin. Rows of a matrix, of which each is used up to a
    length, are slices, and as a rule long: these stay as they are.
    """
    return any(rows.name in atom.vector.dims for atom in space.atoms_in(index))


def ragged(
    space: Space, stage: Stage, free: list[Loop], combination: tuple[str, bool, Vector] | None
) -> list[plan.Node]:
    """Return the plan for a store over ragged rows; none if it has to keep its loops."""
    if not is_ragged(space, free) or (combination is None and stage.op != "="):
        return []
    combine, negated, operand = combination or ("", False, stage.value)
    if combine and stage.target.dtype in dtypes.HALVES:
        return []
    read = [operand, *stage.guards, *space.atom_values([*stage.index, free[1].extent])]
    loads = [load for part in read for load in all_loads(space, part)]
    if any(load.storage is stage.target for load in loads):
        return []
    inner = free[1].name
    parts = [part for one in (stage, *loads) for part in one.index if inner in part.names()]
    if parts and not any(_follow_each_other(space, part, free[0]) for part in parts):
        return []
    kernel = plan.Kernel(stage, plan.SCATTER, operand, free, [], combine, negated=negated)
    kernel.lanes = kernel.gathers = True
    return [kernel]
