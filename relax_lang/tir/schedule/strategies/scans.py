"""Running sums, products and extremes: each element combines the one before it with a new value.

They are taken one after the other, in the order of the program, so floats come out the same: by NumPy's `accumulate`,
or step by step for many rows at once. That is along the last dimension of the target; along others a loop over whole
rows is faster.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Const, Index, Load, all_loads
from relax_lang.tir.schedule.plan import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.statements import Stage
    from relax_lang.tir.analysis.vector_ir import Space, Vector

_OPERATIONS = ("+", "*", "min", "max")


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
    if not isinstance(condition, Apply) or not isinstance(later, Apply) or not _is_positive(condition, last):
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
    if before.index != (*stage.index[:-1], step) or not _is_positive(condition, last):
        return False
    if isinstance(first, Index):
        return first.polynomial.value == identity(op, stage.target.dtype)
    if not isinstance(first, Const) or repr(first.value) == "-0.0":  # 0 is what a sum starts from
        return False
    return first.value == identity(op, stage.target.dtype)


def _is_positive(condition: Apply, loop: Loop) -> bool:
    a, b = condition.args[0], condition.args[-1]
    if not isinstance(a, Index) or not isinstance(b, Index):
        return False
    difference = a.polynomial - b.polynomial
    name = Polynomial.name(loop.name)
    positive = ((">", name), (">=", name - 1), ("<", -name), ("<=", -name + 1))
    return any(condition.op == op and difference == wanted for op, wanted in positive)
