"""A store as several under conditions, so that nothing is evaluated but where the program does. [TIR.13]"""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, all_loads, parts_of, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.schedule.footprint import Footprints

_MOST_LIFTED = 8


class Pieces:
    """Splits the stores of one PrimFunc."""

    def __init__(self, space: Space, regions: Footprints) -> None:
        self._space = space
        self._regions = regions

    def plain(self, stage: Stage) -> list[Stage]:
        """Return a store as several under conditions, so that nothing is evaluated but where it is needed."""
        return [safe for plain in self._with_plain_guards(stage) for safe in self._lifted(plain)]

    def _with_plain_guards(self, stage: Stage) -> list[Stage]:
        """Return a store as several, where a part of a condition can only be evaluated if another part asks for it."""
        done: list[Stage] = []
        pending = [stage]
        while pending:
            now = pending.pop()
            cases = None
            if len(done) + len(pending) < _MOST_LIFTED:
                cases = next(
                    (found for found in [self._cases(part, now) for part in now.guards] if found), None
                )
            if cases is None:
                done.append(now)
                continue
            guard, options = cases
            for option in options:
                guards = [part for one in now.guards for part in (option if one is guard else [one])]
                pending.append(replaced(now, guards=tuple(guards)))
        return done

    def _cases(self, guard: Vector, stage: Stage) -> tuple[Vector, list[list[Vector]]] | None:
        """Return a condition as disjoint ones: `a || b` as a, or b and not a."""
        if not isinstance(guard, Apply) or self._regions.is_safe(guard, stage.loops):
            return None
        inner, holds = guard, True
        while inner.op == "!" and isinstance(inner.args[0], Apply):
            inner, holds = inner.args[0], not holds
        if inner.op == "if_then_else":
            choice, yes, no = inner.args
            sides = [part if holds else Apply("!", (part,), part.dtype) for part in (yes, no)]
            return guard, [[choice, sides[0]], [Apply("!", (choice,), choice.dtype), sides[1]]]
        if inner.op not in ("&&", "||") or holds == (inner.op == "&&"):
            return None
        first, second = [part if holds else Apply("!", (part,), part.dtype) for part in inner.args]
        return guard, [[first], [Apply("!", (first,), first.dtype), second]]

    def _lifted(self, stage: Stage) -> list[Stage]:
        """Return a store as several under conditions, where one side of a choice can only be evaluated if needed."""
        done: list[Stage] = []
        pending = [stage]
        while pending:
            now = pending.pop()
            choice = self.unsafe_choice(now) if len(done) + len(pending) < _MOST_LIFTED else None
            # A condition that reads the target may hold for the second store because of the first.
            if choice is None or self._reads_target(choice.args[0], now):
                done.append(now)
                continue
            condition, yes, no = choice.args
            opposite = Apply("!", (condition,), condition.dtype)
            for guard, side in ((opposite, no), (condition, yes)):
                value = with_parts(now.value, {choice.key: side})
                pending.append(replaced(now, value=value, guards=(*now.guards, guard)))
        return done

    def _reads_target(self, vector: Vector, stage: Stage) -> bool:
        return any(load.storage is stage.target for load in all_loads(self._space, vector))

    def unsafe_choice(self, stage: Stage) -> Apply | None:
        """Return a lazy choice in a value, one side of which may fail where the other one is meant."""
        return next(iter(self.unsafe_choices(stage)), None)

    def unsafe_choices(self, stage: Stage) -> Iterator[Apply]:
        """Return all such choices."""
        for part in parts_of(stage.value):
            if isinstance(part, Apply) and part.op in ("if_then_else", "&&", "||"):
                lazy = part.args[1:]
                if not all(self._regions.is_safe(arg, stage.loops, stage.facts) for arg in lazy):
                    yield part if part.op == "if_then_else" else as_choice(part, *part.args)


def with_side(vector: Vector, by: dict[int, Vector]) -> Vector:
    """Return an expression with some parts replaced, found by their keys, and without operations that a constant among
    these decides; `by` gets what their users become.
    """
    if vector.key not in by:
        if not isinstance(vector, Apply):
            return vector
        args = tuple([with_side(arg, by) for arg in vector.args])
        is_same = all(arg is before for arg, before in zip(args, vector.args, strict=True))
        by[vector.key] = vector if is_same else _decided(vector, args)
    return by[vector.key]


def _decided(vector: Apply, args: tuple[Vector, ...]) -> Vector:
    """Return an operation on other arguments, or what it is if a constant decides it. What may fail stays."""
    first, last = args[0], args[-1]
    if isinstance(first, Const):
        if vector.op == "if_then_else":
            return args[1] if first.value else last
        if vector.op in ("&&", "||"):
            return last if bool(first.value) == (vector.op == "&&") else first
        if vector.op == "!":
            return Const(not first.value, vector.dtype)
    if vector.op in ("&&", "||") and isinstance(last, Const) and bool(last.value) == (vector.op == "&&"):
        return first
    return Apply(vector.op, args, vector.dtype)


def as_choice(vector: Apply, first: Vector, second: Vector) -> Apply:
    """Return `a && b` or `a || b` as a choice between the `second` side and a constant, by the `first` one."""
    constant = Const(vector.op == "||", vector.dtype)
    args = (first, second, constant) if vector.op == "&&" else (first, constant, second)
    choice = Apply("if_then_else", args, vector.dtype)
    choice.key = vector.key  # it takes the place of what is in the expression
    return choice
