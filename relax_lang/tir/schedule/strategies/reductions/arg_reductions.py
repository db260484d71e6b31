"""Reductions that remember where: the greatest element so far together with its place, as in argmax.

Written as stores under `if best < x`, or as `select`s through `let`s: several statements that depend on each other
from iteration to iteration. LockStep they keep, for each element of the state, the values of one iteration: that of
the first (or last) greatest x, unless the state beats it from the start. The state may be the place alone, and the
greatest element so far what an array has there (`if X[best] < X[i] { best = i; }`).
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.statement_accesses import accesses
from relax_lang.tir.analysis.lowered.statements import ArgReduction, Stage, Update
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Index,
    Load,
    NotVectorizable,
    all_loads,
    same_access,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Storage
    from relax_lang.tir.analysis.dependence import Dependences
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector


def grouped(space: Space, statements: Sequence[Statement]) -> list[Statement]:
    """Return statements with those that make up an argument reduction put together."""
    result: list[Statement] = []
    at = 0
    while at < len(statements):
        found = None
        for stop in range(min(len(statements), at + 8), at + 1, -1):
            run = statements[at:stop]
            if all(isinstance(one, Stage) and one.loops == run[0].loops and not one.reducing for one in run):
                others = [*statements[:at], *statements[stop:]]
                found = _recognized(space, [one for one in run if isinstance(one, Stage)], others)
            if found is not None:
                result.append(found)
                at = stop
                break
        if found is None:
            result.append(statements[at])
            at += 1
    return result


def _recognized(space: Space, run: list[Stage], others: Sequence[Statement]) -> ArgReduction | None:
    """Return statements of one body as an argument reduction, if they are one."""
    temporary: dict[Storage, Vector] = {}
    updates: list[Update] = []
    conditions: list[Vector] = []
    for stage in run:
        if stage.op != "=":
            return None
        value = _inlined(stage.value, temporary)
        guards = [_inlined(guard, temporary) for guard in stage.guards]
        if stage.target.is_temporary:
            if guards:
                return None
            temporary[stage.target] = value
            continue
        if guards:
            if len(guards) > 1:
                return None
            condition = _positive(guards[0])
        else:
            condition, value = _choice(stage, value)
        if condition is None:
            return None
        conditions.append(condition)
        updates.append(Update(stage.target, stage.index, value))
    if len(updates) < 1 or len({condition.key for condition in conditions}) != 1:
        return None
    if _uses(space, others, set(temporary)):
        return None
    return _judged(space, run, updates, conditions[0])


def _choice(stage: Stage, value: Vector) -> tuple[Vector | None, Vector]:
    """Return the condition under which a store changes the state, if it is a choice, and what it stores then."""
    if not isinstance(value, Apply) or value.op != "select":
        return None, value
    condition, yes, no = value.args
    if isinstance(no, Load) and same_access(no, stage.target, stage.index):
        return _positive(condition), yes
    if isinstance(yes, Load) and same_access(yes, stage.target, stage.index):
        return _positive(Apply("!", (condition,), condition.dtype)), no
    return None, value


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _positive(condition: Vector) -> Vector | None:
    """Return a condition without `!`; None where it has no such form. With a nan, `!(a <= b)` is not `a > b`."""
    holds = True
    while isinstance(condition, Apply) and condition.op == "!":
        condition, holds = condition.args[0], not holds
    if holds:
        return condition
    if not isinstance(condition, Apply) or condition.op not in _OPPOSITE:
        return None
    if not dtypes.is_integer(condition.args[0].dtype):
        return None
    return Apply(_OPPOSITE[condition.op], condition.args, condition.dtype)


def _inlined(vector: Vector, temporary: dict[Storage, Vector]) -> Vector:
    if isinstance(vector, Load):
        return temporary.get(vector.storage, vector)
    if isinstance(vector, Apply):
        return Apply(vector.op, tuple([_inlined(arg, temporary) for arg in vector.args]), vector.dtype)
    return vector


def _has_tie(condition: Vector) -> bool:
    return isinstance(condition, Apply) and condition.op == "||"


def _uses(space: Space, statements: Sequence[Statement], storages: set[Storage]) -> bool:
    return any(access.storage in storages for one in statements for access in accesses(space, one))


def _judged(space: Space, run: list[Stage], updates: list[Update], condition: Vector) -> ArgReduction | None:
    """Return the reduction whose condition compares one part of the state with what it becomes."""
    state = {update.storage for update in updates}
    if len(state) < len(updates) or any(_reads(space, update.value, state) for update in updates):
        return None
    strict, tie = condition, None
    if isinstance(condition, Apply) and condition.op == "||":
        strict, tie = condition.args
    if not isinstance(strict, Apply) or strict.op not in ("<", "<=", ">", ">="):
        return None
    for update in updates:
        for best, new, less in ((*strict.args, "<"), (*reversed(strict.args), ">")):
            if not isinstance(best, Load):
                continue
            is_value = same_access(best, update.storage, update.index) and new.key == update.value.key
            if not is_value and (tie is not None or not _is_at_place(space, best, new, update)):
                continue
            last = "=" in strict.op
            if tie is not None and (last or not _is_tie(tie, best, new, updates)):
                return None
            head = run[0].loops, (), run[-1].label, run[-1].node
            return ArgReduction(*head, list(run), updates, condition, new, strict.op[0] == less, last)
    return None


def _is_at_place(space: Space, best: Load, new: Vector, update: Update) -> bool:
    """Return whether a value is that of another array where the state says (`D[i, A[i]]`), and a new one that where the
    state would say after an update (`D[i, c]` for `A[i] = c`).
    """
    if not isinstance(new, Load) or best.storage is not new.storage or best.storage is update.storage:
        return False
    if not isinstance(update.value, Index) or _reads(space, new, {update.storage}):
        return False
    places = 0
    for so_far, now in zip(best.index, new.index, strict=True):
        if so_far == now:
            continue
        (atom, *more) = space.atoms_in(so_far) or [None]
        if atom is None or more or so_far != Polynomial.name(atom.name) or now != update.value.polynomial:
            return False
        if not isinstance(atom.vector, Load) or not same_access(atom.vector, update.storage, update.index):
            return False
        places += 1
    return places == 1


def _is_tie(tie: Vector, best: Vector, new: Vector, updates: list[Update]) -> bool:
    """Return whether a condition is `best == new && place < the place so far`, for a place that grows."""
    if not isinstance(tie, Apply) or tie.op != "&&":
        return False
    same, earlier = tie.args
    if not isinstance(same, Apply) or same.op != "==" or not isinstance(earlier, Apply):
        return False
    if {arg.key for arg in same.args} != {best.key, new.key} or earlier.op not in ("<", ">"):
        return False
    place, so_far = earlier.args if earlier.op == "<" else tuple(reversed(earlier.args))
    for update in updates:
        if isinstance(so_far, Load) and same_access(so_far, update.storage, update.index):
            return place.key == update.value.key and place.dtype in dtypes.INTEGERS
    return False


def _reads(space: Space, vector: Vector, storages: set[Storage]) -> bool:
    return any(load.storage in storages for load in all_loads(space, vector))


def check(space: Space, dependences: Dependences, statement: ArgReduction, fixed: frozenset[str]) -> set[str]:
    """Return the loops that index the state; raises `NotVectorizable` if this is not an argument reduction."""
    free = [loop for loop in statement.loops if loop.name not in fixed]
    kept_names: set[str] | None = None
    for update in statement.updates:
        now = dependences.recovered(update.index, free)
        used = set[str]().union(*[space.dims(part) for part in update.index]) - fixed
        if (
            used != now
            or any(space.atoms_in(part) for part in update.index)
            or (kept_names is not None and kept_names != now)
        ):
            raise NotVectorizable("the places of the state differ", statement.node)
        kept_names = now
    kept = kept_names or set()
    if not {loop.name for loop in free} - kept:
        raise NotVectorizable("nothing is reduced", statement.node)
    if len({loop.name for loop in free} - kept) > 1 and _has_tie(statement.condition):
        raise NotVectorizable("the place may not grow over several loops", statement.node)
    return kept
