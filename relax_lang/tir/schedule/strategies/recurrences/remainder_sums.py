"""Sums under a remainder in a loop: `A = (A + x) % m`, as in checksums.

In each iteration A is the remainder of a running sum, as remainders of sums do not depend on where remainders were
taken on the way: unless a sum wraps around. So what is added must be small by its type; what A holds before, and how
many iterations there are, is tested. The other statements of the loop read A from an array of its values.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.statements import Check
from relax_lang.tir.analysis.lowered.value_ranges import number_in
from relax_lang.tir.analysis.lowered.vector_ir import (
    NO_DIMS,
    Apply,
    Load,
    all_loads,
    same_access,
)
from relax_lang.tir.schedule.strategies.recurrences.element_changes import (
    changes,
    changes_alone,
    changes_one_element,
    loads_of,
)
from relax_lang.tir.schedule.strategies.recurrences.running_values import RunningValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage, Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain

_MOST_BITS = 61
"""So many bits a running sum may have beside its sign, and so many less one what it begins with."""
_COUNT_BITS = 40
"""So many bits the number of iterations may have, which no array exceeds."""
_ANY = 64


class Step:
    """What is added in each iteration, and the modulus."""

    __slots__ = ("added", "modulus")

    def __init__(self, added: Vector, modulus: int) -> None:
        self.added = added
        self.modulus = modulus


def remainder_step(lowering: Lowering, stage: Stage) -> Step | None:
    """Return what a store adds to an integer before it takes the remainder; None if it does anything else, or if a sum
    could wrap around.
    """
    dtype, value = stage.target.dtype, stage.value
    if not dtypes.is_integer(dtype) or stage.op != "=" or stage.guards or not isinstance(value, Apply):
        return None
    modulus = number_in(value.args[-1]) if value.op == "%" and value.dtype == dtype else None
    total = value.args[0]
    if (
        modulus is None
        or modulus < 1
        or not isinstance(total, Apply)
        or total.op != "+"
        or total.dtype != dtype
    ):
        return None
    for old, new in (total.args, total.args[::-1]):
        if isinstance(old, Load) and same_access(old, stage.target, stage.index):
            room = _width(dtype) - 2
            is_small = _bits(lowering, new) <= min(_MOST_BITS - _COUNT_BITS, room)
            return (
                Step(new, modulus) if is_small and modulus.bit_length() <= min(_MOST_BITS - 1, room) else None
            )
    return None


def _width(dtype: str) -> int:
    """Return how many bits integers of a dtype have beside their sign."""
    return dtypes.INTEGERS[dtype] - (dtype in dtypes.SIGNED)


def _bits(lowering: Lowering, value: Vector) -> int:
    """Return how many bits an integer has at most, beside its sign."""
    number = number_in(value)
    if number is not None:
        return abs(number).bit_length()
    if value.dtype == dtypes.BOOL:
        return 1
    known = _ANY if not dtypes.is_integer(value.dtype) else _width(value.dtype)
    if isinstance(value, Load):
        return min(known, lowering.bits.get(value.storage, _ANY))
    if not isinstance(value, Apply):
        return known
    inner = [
        _bits(lowering, arg) for arg in value.args if value.op not in _CHOICES or arg is not value.args[0]
    ]
    match value.op:
        case "cast" if value.dtype in dtypes.SIGNED or value.args[0].dtype not in dtypes.SIGNED:
            found = max(inner)
        case "select" | "if_then_else" | "min" | "max":
            found = max(inner)
        case "+" if value.dtype in dtypes.SIGNED:
            found = max(inner) + 1
        case "*" if value.dtype in dtypes.SIGNED:
            found = sum(inner)
        case "%" if (divisor := number_in(value.args[1])) is not None and divisor > 0:
            found = (divisor - 1).bit_length()
        case _:
            found = _ANY
    return found if found <= known else known


_CHOICES = ("select", "if_then_else")


def with_remainders(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return statements of one circle of dependences with the values of a remainder taken beforehand, and the loops in
    which it is taken, if there is one.
    """
    space = lowering.space
    for plain, at, stage, loops in changes(space, members, fixed):
        step = remainder_step(lowering, stage)
        if step is None or not changes_one_element(space, plain, stage, loops):
            continue
        if changes_alone(space, plain, stage, all_loads(space, step.added), elements=True):
            return _Remainders(lowering, stage, step, loops).statements(plain, at), loops
    return None


class _Remainders(RunningValues):
    """The statements that take the values of one remainder."""

    def __init__(self, lowering: Lowering, stage: Stage, step: Step, loops: list[Loop]) -> None:
        super().__init__(lowering, stage, loops)
        self._modulus = step.modulus
        self._start = self._array("start", ())
        self._before, self._after = self._array("before", (self._size,)), self._array("after", (self._size,))
        most = (step.modulus - 1).bit_length()
        lowering.bits[self._after] = most
        old = Load(stage.target, stage.index, NO_DIMS, stage.node)
        limit = 1 << min(_MOST_BITS - 1, _width(self._dtype) - 1)
        tests = [Apply("<=", (old, self._number(limit)), dtypes.BOOL)]
        if self._dtype in dtypes.SIGNED:
            tests.append(Apply(">=", (old, self._number(-limit)), dtypes.BOOL))
        tests.append(
            Apply("<=", (self._index(self._size), self._number(1 << _COUNT_BITS, dtypes.INT64)), dtypes.BOOL)
        )
        is_wide = step.added.dtype == dtypes.INT64
        self._new = step.added if is_wide else Apply("cast", (step.added,), dtypes.INT64)
        self._made: list[Statement] = [
            *[Check((), (), stage.label, stage.node, test, ()) for test in tests],
            self._stage((), self._start, (), old),
        ]

    def _remainder(self, added: Vector) -> Vector:
        """Return what the element is after something was added to it altogether."""
        start: Vector = Load(self._start, (), NO_DIMS, self._change.node)
        start = start if self._dtype == dtypes.INT64 else Apply("cast", (start,), dtypes.INT64)
        total = Apply("+", (start, added), dtypes.INT64)
        value = Apply("%", (total, self._number(self._modulus, dtypes.INT64)), dtypes.INT64)
        return value if self._dtype == dtypes.INT64 else Apply("cast", (value,), self._dtype)

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that sum up, and the members with the remainders in the place of the element."""
        made = [*self._made]
        number = Polynomial.name(self._every.name)
        others = [
            self._replaced(one, self._load(self._before if position < at else self._after, self._place[0]))
            for position, one in enumerate(members)
            if position != at
        ]
        read = {load.storage for one in others for load in loads_of(self._space, one)}
        if read.isdisjoint((self._before, self._after)):
            return [*made, *others[:at], *self._summed(), *others[at:]]
        added, sums = [self._array(name, (self._size,), dtypes.INT64) for name in ("added", "sums")]
        made += [self._stage(self._loops, added, self._place, self._new), self._running_sums(sums, added)]
        made.append(
            self._stage((self._every,), self._after, (number,), self._remainder(self._load(sums, number)))
        )
        if self._before in read:
            positive = Apply(">", (self._index(number), self._index(Polynomial.constant(0))), dtypes.BOOL)
            start = Load(self._start, (), NO_DIMS, self._change.node)
            value = Apply("if_then_else", (positive, self._load(self._after, number - 1), start), self._dtype)
            made.append(self._stage((self._every,), self._before, (number,), value))
        return [*made, *others[:at], self._last(self._load(sums, self._size - 1)), *others[at:]]

    def _summed(self) -> list[Statement]:
        """Return the statements that store the element where nothing reads it on the way: one sum is enough."""
        stage, total = self._change, self._array("total", (), dtypes.INT64)
        add = replaced(stage, loops=self._loops, target=total, index=(), op="+=", value=self._new)
        zero = self._stage((), total, (), self._number(0, dtypes.INT64))
        return [zero, add, self._last(Load(total, (), NO_DIMS, stage.node))]

    def _last(self, added: Vector) -> Stage:
        """Return the statement that stores what the element is in the end."""
        stage = self._change
        runs = Apply(">", (self._index(self._size), self._index(Polynomial.constant(0))), dtypes.BOOL)
        value = self._remainder(added)
        outer = tuple([loop for loop in stage.loops if loop not in self._loops])
        return replaced(stage, loops=outer, guards=(runs,), value=value, op="=")
