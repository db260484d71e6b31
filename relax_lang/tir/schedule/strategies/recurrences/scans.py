"""Running sums, products and extremes: each element combines the one before it with a new value.

They are taken one after the other, in the order of the program, so floats come out the same: by NumPy's `accumulate`,
or step by step for many rows at once. That is along the last dimension of the target; along others a loop over whole
rows is faster. The element before is the one of the iteration before, or of some iterations before, how many data may
say: `W[w] += W[w - c]`. Terms around it, as in `X[j] + A[j] + Y[j] - B[j]` for `Y[j + 1]`, are added first, as the sum
that the loop makes may be taken in any order.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Load, all_loads, chain
from relax_lang.tir.schedule.plan import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

_OPERATIONS = ("+", "*", "min", "max")
_BITS = ("&", "|", "^")


class Recurrence(NamedTuple):
    """What combines each element with one that an earlier iteration has stored."""

    combine: str
    """The operation; `-` where new values are subtracted."""
    new: Vector
    before: Load
    step: Polynomial
    """By how many iterations of the last loop the element before is earlier: at least 1, if it is a number here."""


def recurrence(space: Space, stage: Stage, kept: list[Loop]) -> Recurrence | None:
    """Return what `Y[i, j + 1] = Y[i, j] + x` is over loops of which the last one is along the last dimension of Y.

    The new values may read Y, too: the caller has to see to it that none of them was stored before.
    """
    dtype = stage.target.dtype
    names = {loop.name for loop in kept}
    if dtype in dtypes.HALVES or dtype == dtypes.BOOL or any(guard.dims & names for guard in stage.guards):
        return None
    factor = step_along(space, stage, kept)
    if factor is None:
        return None
    value = stage.stored(space)
    if not isinstance(value, Apply) or value.dtype != dtype:
        return None
    terms = terms_of(value) if value.op in ("+", "-") else [(part, False) for part in chain(value, value.op)]
    if value.op not in (*_OPERATIONS, "-", *_BITS):
        return None
    for at, (term, negated) in enumerate(terms):
        if not isinstance(term, Load) or term.storage is not stage.target or negated:
            continue
        step = (stage.index[-1] - term.index[-1]) * factor
        if term.index[:-1] != stage.index[:-1] or space.dims(step) & names or (step.value or 1) < 1:
            continue
        others = [*terms[:at], *terms[at + 1 :]]
        again = any(load.key == term.key for other, _ in others for load in all_loads(space, other))
        if step.value == 0 or not others or again:
            continue
        combine = "+" if value.op == "-" else value.op
        if all(one for _, one in others):
            combine, others = "-", [(other, False) for other, _ in others]
        return Recurrence(combine, combined(others, "+" if combine == "-" else combine), term, step)
    return None


def step_along(space: Space, stage: Stage, kept: list[Loop]) -> Polynomial | None:
    """Return by how much the last one of some loops moves along the last dimension of a target, 1 or -1; None if it
    does anything else.
    """
    last, names = kept[-1], {loop.name for loop in kept}
    factor = stage.index[-1].coefficient(last.name)
    if factor is None or factor.value not in (1, -1):
        return None
    if not names & space.dims(stage.index[-1]) <= {last.name}:
        return None
    return None if any(last.name in space.dims(part) for part in stage.index[:-1]) else factor


def terms_of(value: Vector, negated: bool = False) -> list[tuple[Vector, bool]]:
    """Return the terms of a sum, and whether each is subtracted."""
    if not isinstance(value, Apply) or value.op not in ("+", "-"):
        return [(value, negated)]
    first, second = value.args
    return [*terms_of(first, negated), *terms_of(second, negated != (value.op == "-"))]


def combined(terms: list[tuple[Vector, bool]], op: str) -> Vector:
    """Return terms as one value, beginning with one that is not subtracted."""
    first = next(at for at, (_, negated) in enumerate(terms) if not negated)
    result = terms[first][0]
    for other, negated in [*terms[:first], *terms[first + 1 :]]:
        result = Apply("-" if negated else op, (result, other), result.dtype)
    return result


def running(space: Space, stage: Stage, kept: list[Loop]) -> tuple[str, Vector] | None:
    """Return the operation and the new values of `Y[i, j] = if_then_else(j > 0, Y[i, j - 1], c) + x`, where c changes
    nothing, or of `if_then_else(j > 0, max(Y[i, j - 1], x), x)`, over loops that are the dimensions of Y in order.
    """
    names = [loop.name for loop in kept]
    if stage.op != "=" or stage.guards or stage.target.dtype in dtypes.HALVES or not names:
        return None
    if [str(part) for part in stage.index] != names or not isinstance(stage.value, Apply):
        return None
    op, last = stage.value.op, kept[-1]
    if op == "if_then_else":
        return _begun_with_itself(space, stage, stage.value, last)
    if op not in _OPERATIONS or stage.value.dtype != stage.target.dtype:
        return None
    for before, new in (stage.value.args, tuple(reversed(stage.value.args))):
        if not _is_before(before, stage, last, op):
            continue
        if any(load.storage is stage.target for load in all_loads(space, new)):
            continue
        return op, new
    return None


def _begun_with_itself(space: Space, stage: Stage, choice: Apply, last: Loop) -> tuple[str, Vector] | None:
    """Return the operation and the new values of `if_then_else(j > 0, max(Y[i, j - 1], x), x)`.

    Sums of floats are left alone: they start from 0, and 0 + x is not x where that is -0.
    """
    condition, later, new = choice.args
    if not isinstance(condition, Apply) or not isinstance(later, Apply) or not is_positive(condition, last):
        return None
    if later.op not in _OPERATIONS or (later.op == "+" and dtypes.is_float(later.dtype)):
        return None
    before = [arg for arg in later.args if arg.key != new.key]
    step = Polynomial.name(last.name) - 1
    if len(before) != 1 or not isinstance(before[0], Load) or before[0].storage is not stage.target:
        return None
    if before[0].index != (*stage.index[:-1], step):
        return None
    is_new = all(load.storage is not stage.target for load in all_loads(space, new))
    return (later.op, new) if is_new and new.dtype == stage.target.dtype else None


def _is_before(vector: Vector, stage: Stage, last: Loop, op: str) -> bool:
    """Return whether an expression is the element before, and at the start what the operation does not change."""
    if not isinstance(vector, Apply) or vector.op != "if_then_else":
        return False
    condition, before, first = vector.args
    if not isinstance(condition, Apply) or not isinstance(before, Load) or before.storage is not stage.target:
        return False
    step = Polynomial.name(last.name) - 1
    if before.index != (*stage.index[:-1], step) or not is_positive(condition, last):
        return False
    if isinstance(first, Index):
        return first.polynomial.value == identity(op, stage.target.dtype)
    if not isinstance(first, Const) or repr(first.value) == "-0.0":  # 0 is what a sum starts from
        return False
    return first.value == identity(op, stage.target.dtype)


def is_positive(condition: Vector, loop: Loop) -> bool:
    """Return whether a condition is that a loop is not in its first iteration."""
    if not isinstance(condition, Apply):
        return False
    a, b = condition.args[0], condition.args[-1]
    if not isinstance(a, Index) or not isinstance(b, Index):
        return False
    difference = a.polynomial - b.polynomial
    name = Polynomial.name(loop.name)
    positive = ((">", name), (">=", name - 1), ("<", -name), ("<=", -name + 1))
    return any(condition.op == op and difference == wanted for op, wanted in positive)


def in_order(pieces: list[Stage], stage: Stage, kept: list[Loop]) -> list[tuple[Stage, list[Loop]]]:
    """Return the parts of a store that follow each other along the last loop, in the order in which they run, with
    their loops; none if it is not seen that they do.
    """
    at, last = stage.loops.index(kept[-1]), kept[-1]
    if len(pieces) < 2 or stage.index[-1].coefficient(last.name) != _ONE:
        return []
    found: list[tuple[int, Stage, list[Loop]]] = []
    for piece in pieces:
        others = [one for one in piece.loops if one is not piece.loops[at]]
        if len(piece.loops) != len(stage.loops) or others != [one for one in stage.loops if one is not last]:
            return []
        start = piece.index[-1] - Polynomial.name(piece.loops[at].name) - stage.index[-1].without({last.name})
        if start.value is None:
            return []
        if piece.loops[at].extent.value != 0:
            found.append((start.value, piece, [*kept[:-1], piece.loops[at]]))
    return [(piece, loops) for _, piece, loops in sorted(found, key=lambda one: one[0])]


_ONE = Polynomial.constant(1)
