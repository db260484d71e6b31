"""Steps that read a row and a column that they leave as they are: `D[i, j] = min(D[i, j], D[i, k] + D[k, j])`.

In step k the store of `D[i, k]` is `min(D[i, k], D[i, k] + D[k, k])`, which is `D[i, k]` where `D[k, k]` is not
negative and the sum does not overflow; so is that of `D[k, j]`. Then a step is one operation over all i and j, which
reads everything before it stores. `max` of `min`, `|` of `&` and their like leave a row and a column as they are
whatever they hold; in other cases one element decides at each step.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import NO_DIMS, Apply, Const, Index, Load, same_access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.lower import Lowering

_ONE = Polynomial.constant(1)
_ABSORBING = {("max", "min"), ("min", "max"), ("|", "&"), ("&", "|"), ("||", "&&"), ("&&", "||")}
"""Operations of which the first one of x and the second one of x and anything is x."""


class AtOnce(NamedTuple):
    """A store whose steps of `loop` run at once: `before` and `test` find out in which of them they may, all others run
    as `otherwise`; if these are missing, all may.
    """

    loop: Loop
    whole: Stage
    before: list[Stage]
    test: Stage | None = None
    otherwise: Stage | None = None


def read_unchanged(lowering: Lowering, stage: Stage, fixed: frozenset[str]) -> AtOnce | None:
    """Return how steps of the outermost free loop of a store run at once; None if they may read what they change."""
    free = [loop for loop in stage.loops if loop.name not in fixed]
    value, dtype = stage.value, stage.target.dtype
    if stage.guards or stage.op != "=" or len(free) != 3 or dtype in dtypes.HALVES:
        return None
    if not isinstance(value, Apply) or len(value.args) != 2:
        return None
    if any(lowering.space.varies(loop.extent) for loop in free):
        return None
    is_first = _is_target(value.args[0], stage)
    old, new = value.args if is_first else value.args[::-1]
    if not _is_target(old, stage) or not isinstance(new, Apply) or len(new.args) != 2 or new.dtype != dtype:
        return None
    shared = _shared(lowering.space, stage, new.args, free[1:])
    if shared is None:
        return None
    if not dtypes.is_float(dtype) and (value.op, new.op) in _ABSORBING:
        return AtOnce(free[0], stage, [])
    if len(stage.target.sizes) != 2 or fixed or not dtypes.is_number(dtype):
        return None
    return _Tested(lowering, stage, free[0], shared).found(value.op, new.op, is_first=is_first)


def _is_target(value: Vector, stage: Stage) -> bool:
    return isinstance(value, Load) and same_access(value, stage.target, stage.index)


def _shared(space: Space, stage: Stage, reads: tuple[Vector, ...], kept: list[Loop]) -> Indices | None:
    """Return the element that is in the row and in the column which two values read: each takes one of the two loops
    from the index of the store, and has a place in its stead that does not vary in a step.
    """
    names = {loop.name for loop in kept}
    index, moved = list(stage.index), set[int]()
    for read in reads:
        if not isinstance(read, Load) or read.storage is not stage.target:
            return None
        pairs = zip(stage.index, read.index, strict=True)
        places = [at for at, (mine, other) in enumerate(pairs) if mine != other]
        if len(places) != 1 or places[0] in moved:
            return None
        [at] = places
        place = read.index[at]
        if space.dims(place) & names or space.atoms_in(place):
            return None
        moved.add(at)
        index[at] = place
    if any(space.atoms_in(part) for part in stage.index):
        return None
    along = [part for at, part in enumerate(stage.index) if at in moved]
    each = [name for part in along for name in space.dims(part) & names]
    if sorted(each) != sorted(names) or any(
        part.coefficient(name) != _ONE for part, name in zip(along, each, strict=True)
    ):
        return None
    rest = [part for at, part in enumerate(stage.index) if at not in moved]
    return None if any(space.dims(part) & names for part in rest) else tuple(index)


class _Tested:
    """A store whose row and column stay as they are where one element says so."""

    def __init__(self, lowering: Lowering, stage: Stage, loop: Loop, shared: Indices) -> None:
        self._lowering = lowering
        self._space = lowering.space
        self._stage = stage
        self._loop = loop
        self._dtype = stage.target.dtype
        self._element = lowering.space.element(stage.target, shared, stage.node)

    def found(self, op: str, inner: str, *, is_first: bool) -> AtOnce | None:
        """Return the steps that run at once. `is_first`: of equal values, such as 0.0 and -0.0, the old one stays."""
        if (op, inner) in _ABSORBING:
            return self._under(self._compared("==", self._element)) if is_first else None
        if op not in ("min", "max") or inner != "+":
            return None
        sign = 1 if op == "min" else -1
        toward = (">=", "<=") if op == "min" else ("<=", ">=")
        if dtypes.is_float(self._dtype):
            least = toward[0] if is_first else toward[0][0]
            within = self._compared(toward[1][0], Const(sign * float("inf"), self._dtype))
            return self._under(self._compared(least, Const(0.0, self._dtype)), within)
        low, high = dtypes.INT_RANGES[self._dtype]
        before, outermost = self._outermost("max" if op == "min" else "min")
        limit = Apply("-", (self._number(high if op == "min" else low), outermost), self._dtype)
        tests = self._compared(toward[0], self._number(0)), self._compared(toward[1], limit)
        return self._under(*tests, before=before)

    def _outermost(self, op: str) -> tuple[list[Stage], Load]:
        """Return what finds the greatest value, at least 0 (or the least one): none is beyond it after any step."""
        stage, entry = self._stage, self._lowering.entry
        bound = self._array("bound", self._dtype)
        value = Load(bound, (), NO_DIMS, stage.node)
        loops: list[Loop] = []
        for size in stage.target.sizes:
            loop = Loop(entry.fresh("at"), size, self._loop.node)
            self._space.loops[loop.name] = loop
            loops.append(loop)
        index = tuple([Polynomial.name(loop.name) for loop in loops])
        element = self._space.element(stage.target, index, stage.node)
        return [
            self._store((), bound, self._number(0)),
            self._store(tuple(loops), bound, Apply(op, (value, element), self._dtype)),
        ], value

    def _compared(self, op: str, value: Vector) -> Vector:
        return Apply(op, (self._element, value), dtypes.BOOL)

    def _number(self, value: int) -> Vector:
        is_index = self._dtype == dtypes.INT64
        return Index(Polynomial.constant(value), NO_DIMS) if is_index else Const(value, self._dtype)

    def _array(self, wanted: str, dtype: str) -> Storage:
        storage = Storage(self._lowering.entry.fresh(wanted), dtype, ())
        storage.is_temporary = True
        self._lowering.allocated.append(storage)
        return storage

    def _store(self, loops: tuple[Loop, ...], target: Storage, value: Vector) -> Stage:
        stage = self._stage
        return Stage(loops, (), stage.label, stage.node, target, (), "=", value)

    def _under(self, *tests: Vector, before: list[Stage] | None = None) -> AtOnce:
        stage = self._stage
        condition = tests[0]
        for test in tests[1:]:
            condition = Apply("&&", (condition, test), dtypes.BOOL)
        stays = self._array("stays", dtypes.BOOL)
        holds = Load(stays, (), NO_DIMS, stage.node)
        outer = stage.loops[: stage.loops.index(self._loop) + 1]
        return AtOnce(
            self._loop,
            replaced(stage, guards=(holds,)),
            before or [],
            self._store(outer, stays, condition),
            replaced(stage, guards=(Apply("!", (holds,), dtypes.BOOL),)),
        )
