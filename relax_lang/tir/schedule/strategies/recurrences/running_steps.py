"""Running operations that start again, or that never leave a limit: `R[i] = if_then_else(c, R[i - 1] + a, b)` and
`Q[i] = max(Q[i - 1] + a, b)`.

What a step makes of the value before is found symbolically: it keeps it where a condition holds, adds to it, and stores
another value elsewhere; or it adds and takes the greater one of the sum and a bound. A chain of such steps is made of
running sums and a running maximum. Only integers are added to, whose sums may be taken apart again as they wrap
around; what is just kept, such as the last value that fulfilled a condition, may have any dtype.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Load, Vector, all_loads, with_parts
from relax_lang.tir.schedule.domains import conjuncts
from relax_lang.tir.schedule.plan import Steps
from relax_lang.tir.schedule.strategies.recurrences.scans import is_positive, step_along

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space

_CHOICES = ("if_then_else", "select")
_TRUE = Const(True, dtypes.BOOL)


class RunningSteps(NamedTuple):
    """What the steps along a loop do, and where they begin."""

    steps: Steps
    value: Vector
    """The value of a step as if it began where the first one begins."""
    is_stored: bool
    """Whether the first step begins with an element that is stored before the loop; if not, `steps` has the start."""


class _Form(NamedTuple):
    """What an expression is of the value before; see `Steps`."""

    keeps: Vector | bool
    added: Vector | None = None
    value: Vector | None = None
    bound: str = ""
    then: Vector | None = None


def running_steps(space: Space, stage: Stage, kept: list[Loop]) -> RunningSteps | None:
    """Return what a store does to the elements before, if it starts again or has a bound."""
    if stage.op != "=" or stage.guards or stage.target.dtype in dtypes.HALVES or not kept:
        return None
    if step_along(space, stage, kept) is None:
        return None
    reader = _Reader(space, stage, kept)
    form = reader.form(stage.value)
    if form is None or reader.is_stored == reader.is_begun:
        return None
    if form.keeps is False or form.value is None or (form.keeps is True and not form.bound):
        return None
    keeps = form.keeps if isinstance(form.keeps, Vector) else None
    start = None if reader.is_stored else reader.start or reader.zero
    steps = Steps(keeps, form.added, form.value, form.bound, form.then, start)
    if start is None:
        return RunningSteps(steps, stage.value, is_stored=True)
    value = with_parts(stage.value, dict.fromkeys(reader.befores, start))
    return RunningSteps(steps, value, is_stored=False)


class _Reader:
    """Finds out what an expression is of the element before."""

    def __init__(self, space: Space, stage: Stage, kept: list[Loop]) -> None:
        self._space = space
        self._target = stage.target
        self._dtype = stage.target.dtype
        self._last = kept[-1]
        factor = stage.index[-1].coefficient(self._last.name)
        assert factor is not None, "the store runs along its last dimension"
        self._before = (*stage.index[:-1], stage.index[-1] - factor)
        self._not_first = 0
        """How many conditions around leave out the first step."""
        self.zero = Const(False if self._dtype == dtypes.BOOL else 0, self._dtype)
        self.start: Vector | None = None
        """What the first step begins with."""
        self.befores: set[int] = set()
        """The keys of what is the value before."""
        self.is_stored = False
        """Whether the first step may read the element before it."""
        self.is_begun = False
        """Whether the first step begins with something else."""

    def form(self, value: Vector) -> _Form | None:
        """Return what an expression is of the value before; None if it is something else."""
        if not any(load.storage is self._target for load in all_loads(self._space, value)):
            return _Form(keeps=False, value=value)
        if isinstance(value, Load):
            return self._of_load(value)
        if not isinstance(value, Apply) or value.dtype != self._dtype:
            return None
        if value.op in _CHOICES:
            return self._of_choice(value, *value.args)
        if value.op in ("||", "&&"):
            return self._of_condition(value)
        if not dtypes.is_integer(self._dtype) or len(value.args) != 2:
            return None
        forms = [self.form(arg) for arg in value.args]
        first, second = forms
        if first is None or second is None:
            return None
        if value.op in ("+", "max", "min") and first.keeps is False:
            first, second = second, first
        if second.keeps is not False or second.value is None:
            return None
        if value.op in ("+", "-"):
            return self._sum(value.op, first, second.value)
        return self._bounded(value.op, first, second.value) if value.op in ("max", "min") else None

    def _of_load(self, load: Load) -> _Form | None:
        if load.storage is not self._target or load.index != self._before:
            return None
        if self._not_first:
            self.is_begun = True
        else:
            self.is_stored = True
        self.befores.add(load.key)
        return _Form(keeps=True)

    def _of_condition(self, both: Apply) -> _Form | None:
        """Return the form of `c || old` or `c && old`: a choice between the value before and a constant."""
        for condition, rest in (both.args, both.args[::-1]):
            if not any(load.storage is self._target for load in all_loads(self._space, condition)):
                yes, no = (_TRUE, rest) if both.op == "||" else (rest, self.zero)
                return self._of_choice(both, condition, yes, no)
        return None

    def _of_choice(self, choice: Apply, condition: Vector, yes: Vector, no: Vector) -> _Form | None:
        if any(load.storage is self._target for load in all_loads(self._space, condition)):
            return None
        leaves_out = any(
            isinstance(part, Apply) and is_positive(part, self._last) for part in conjuncts(condition)
        )
        if leaves_out and is_positive(condition, self._last) and self._is_before(yes):
            return self._begun(choice, no)
        self._not_first += leaves_out
        first = self.form(yes)
        self._not_first -= leaves_out
        second = self.form(no)
        return None if first is None or second is None else self._chosen(condition, first, second)

    def _is_before(self, value: Vector) -> bool:
        return isinstance(value, Load) and value.storage is self._target and value.index == self._before

    def _begun(self, choice: Apply, start: Vector) -> _Form | None:
        """Return the form of the value before with what it is in the first step."""
        if any(load.storage is self._target for load in all_loads(self._space, start)):
            return None
        start = self._space.replaced(start, {self._last.name: Polynomial.constant(0)})
        if self.start is not None and self.start.key != start.key:
            return None
        self.start, self.is_begun = start, True
        self.befores.add(choice.key)
        return _Form(keeps=True)

    def _sum(self, op: str, form: _Form, term: Vector) -> _Form | None:
        """Return the form of a sum with, or a difference to, what has nothing to do with the value before."""
        if form.bound:
            return form._replace(then=self._plus(op, form.then, term))
        added = self._plus(op, form.added, term)
        value = None if form.value is None else self._plus(op, form.value, term)
        return form._replace(added=added, value=value)

    def _plus(self, op: str, value: Vector | None, term: Vector) -> Vector:
        if value is None:
            return term if op == "+" else Apply("neg", (term,), self._dtype)
        return Apply(op, (value, term), self._dtype)

    def _bounded(self, op: str, form: _Form, bound: Vector) -> _Form | None:
        """Return the form of the greater or lesser one of a value and what has nothing to do with the one before."""
        if self._dtype not in dtypes.SIGNED or form.keeps is not True or form.then is not None:
            return None
        if form.bound not in ("", op):
            return None
        value = bound if form.value is None else Apply(op, (form.value, bound), self._dtype)
        return form._replace(value=value, bound=op)

    def _chosen(self, condition: Vector, yes: _Form, no: _Form) -> _Form | None:
        """Return the form of a choice between two values."""
        if yes.keeps is False and no.keeps is False:
            return None  # nothing of it is the value before
        if yes.bound or no.bound:
            return None
        if yes.keeps is False or no.keeps is False:
            added = no.added if yes.keeps is False else yes.added
        else:
            added = self._either(condition, yes.added, no.added)
        if yes.value is None or no.value is None:
            value = no.value if yes.value is None else yes.value
        else:
            value = self._either(condition, yes.value, no.value)
        return _Form(_keeps(condition, yes.keeps, no.keeps), added, value)

    def _either(self, condition: Vector, yes: Vector | None, no: Vector | None) -> Vector | None:
        if yes is None and no is None:
            return None
        yes, no = yes or self.zero, no or self.zero
        return yes if yes.key == no.key else Apply("if_then_else", (condition, yes, no), self._dtype)


def _keeps(condition: Vector, yes: Vector | bool, no: Vector | bool) -> Vector | bool:
    """Return the condition that a choice between two values keeps the one before."""
    if isinstance(yes, bool) and isinstance(no, bool):
        if yes == no:
            return yes
        return condition if yes else Apply("!", (condition,), dtypes.BOOL)
    if isinstance(yes, bool):
        assert isinstance(no, Vector), "one of them is a condition"
        left = Apply("!", (condition,), dtypes.BOOL) if not yes else condition
        return Apply("||" if yes else "&&", (left, no), dtypes.BOOL)
    if isinstance(no, bool):
        left = Apply("!", (condition,), dtypes.BOOL) if no else condition
        return Apply("||" if no else "&&", (left, yes), dtypes.BOOL)
    return Apply("if_then_else", (condition, yes, no), dtypes.BOOL)
