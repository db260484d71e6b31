"""Conditions on loop variables as domains: `i >= 1` makes the loop shorter, `i == r` pins it, others stay masks.

A value that is one of two by a condition on loop variables becomes two stores over disjoint boxes; so padding,
concatenation and the like are slice assignments, and the side that is not taken is never read. [TIR.13]
"""

from __future__ import annotations

from relax_lang.arith.polynomials.atoms import content, divided
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statement_accesses import guard_facts
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Index,
    all_loads,
    replace_name,
)
from relax_lang.tir.schedule.strategies.pieces import as_choice, with_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.accesses import Indices, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.footprint import Footprints

    Cases = list[list[Vector]]  # disjoint; the conditions of one hold together

_MOST_PIECES = 16
MOST_CLAMPED = 2
"""Clamped indices of one store for each of which its domain is split: windows have more, and read a padded copy."""
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_ORDER = ("<", "<=", ">", ">=", "==", "!=")


class Domains:
    """Splits the domains of one PrimFunc's statements."""

    def __init__(self, space: Space, entry: Guards, regions: Footprints) -> None:
        self._space = space
        self._entry = entry
        self._regions = regions

    def pieces(self, stage: Stage, free: Sequence[Loop]) -> list[Stage]:
        """Return the stores over boxes that a store consists of, whose values depend on no condition on loops."""
        done: list[Stage] = []
        pending = [stage]
        while pending:
            now = pending.pop()
            wrapped = (
                self._wrapped(now, free) or self._clamped(now, free)
                if len(done) + len(pending) < _MOST_PIECES
                else []
            )
            if wrapped:
                pending.extend(reversed(wrapped))
                continue
            chosen = self._choice(now, free) if len(done) + len(pending) < _MOST_PIECES else None
            if chosen is None:
                done.append(self.tightened(now, free))
                continue
            condition, yes, no = chosen.args
            found: list[Stage] = []
            for cases, value in ((self._cases(condition, True), yes), (self._cases(condition, False), no)):
                for case in cases:
                    lifted = with_side(now.value, {chosen.key: value})
                    found.append(replaced(now, value=lifted, guards=(*case, *now.guards)))
            pending.extend(reversed(found))
        return done

    def _wrapped(self, stage: Stage, free: Sequence[Loop]) -> list[Stage]:
        """Return the two stores that a store consists of before and after the place where an index `(i + c) % n` wraps;
        none if it has no such index.
        """
        atoms = self._index_atoms(stage)
        for name, vector in atoms.items():
            if vector.op != "%":
                continue
            a, b = vector.args
            if not isinstance(a, Index) or not isinstance(b, Index):
                continue
            loops = [loop for loop in free if loop.name in self._space.dims(a.polynomial)]
            size = b.polynomial
            if len(loops) != 1 or self._space.varies(size) or self._space.atoms_in(a.polynomial):
                continue
            if a.polynomial.coefficient(loops[0].name) != Polynomial.constant(1):
                continue
            limits = (a.polynomial, size * 2 - 1 - a.polynomial, size - 1)
            if all(self._entry.analyzer.proves(one, loops[0].constraints) for one in limits):
                return self._split(
                    stage, name, vector.args, (("<", a.polynomial), (">=", a.polynomial - size))
                )
        return []

    def _clamped(self, stage: Stage, free: Sequence[Loop]) -> list[Stage]:
        """Return the two stores that a store consists of on both sides of the place where an index `min(i + c, n - 1)`
        meets its limit; none if it has no such index, or many.
        """
        atoms = {name: one for name, one in self._index_atoms(stage).items() if one.op in ("min", "max")}
        if len(atoms) > MOST_CLAMPED:
            return []
        for name, vector in atoms.items():
            a, b = sorted(vector.args, key=lambda arg: not arg.dims)
            if not isinstance(a, Index) or not isinstance(b, Index):
                continue
            condition = Apply("<=" if vector.op == "min" else ">=", (a, b), dtypes.BOOL)
            bound = self._bound(condition, free)
            if bound is not None and abs(bound[1]) == 1:
                sides = ((condition.op, a.polynomial), (_OPPOSITE[condition.op], b.polynomial))
                return self._split(stage, name, condition.args, sides)
        return []

    def _index_atoms(self, stage: Stage) -> dict[str, Apply]:
        """Return the operations in the indices of what a store reads, those of indices too, by name."""
        return {
            atom.name: atom.vector
            for load in all_loads(self._space, stage.value)
            for index in load.index
            for atom in self._space.atoms_in(index)
            if isinstance(atom.vector, Apply) and len(atom.vector.args) == 2
        }

    def _split(
        self, stage: Stage, name: str, compared: tuple[Vector, ...], sides: Sequence[tuple[str, Polynomial]]
    ) -> list[Stage]:
        """Return a store as one for each comparison of two values, and what an atom of its indices is there."""
        found: list[Stage] = []
        for op, value in sides:
            guard = Apply(op, compared, dtypes.BOOL)
            made = self._space.replaced_with(stage.value, {}, self._naming(name, value))
            found.append(replaced(stage, value=made, guards=(guard, *stage.guards)))
        return found

    def _naming(self, name: str, value: Polynomial) -> Callable[[Storage, Indices], tuple[Storage, Indices]]:
        """Return what puts a value in the place of an atom in accesses, and in those that their indices make."""

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            return storage, tuple([named(part) for part in index])

        def named(part: Polynomial) -> Polynomial:
            result = replace_name(part, name, value)
            for atom in self._space.atoms_in(part):
                made = self._space.replaced_with(atom.vector, {}, access_of)
                if atom.name != name and made.key != atom.vector.key:
                    place = self._space.atom(made, self._entry.fresh("at"))
                    result = replace_name(result, atom.name, place)
            return result

        return access_of

    def _choice(self, stage: Stage, free: Sequence[Loop]) -> Apply | None:
        """Return the outermost choice in a value that depends on a box of the loops, as `i == 0 || X[i] > 0` does; of a
        `select` both sides are evaluated everywhere, so neither may fail.
        """
        pending = [stage.value]
        seen: set[int] = set()
        while pending:
            part = pending.pop()
            if not isinstance(part, Apply) or part.key in seen:
                continue
            seen.add(part.key)
            splits = part.op in ("if_then_else", "select") and self._is_box(part.args[0], free)
            if splits and (part.op == "if_then_else" or self._regions.is_safe(part, stage.loops)):
                return part
            if part.op in ("&&", "||"):
                first, second = part.args
                boxes = [self._is_box(arg, free) for arg in part.args]
                if boxes == [True, False]:
                    return as_choice(part, first, second)
                if boxes == [False, True] and self._regions.is_safe(first, stage.loops):
                    return as_choice(part, second, first)
            pending.extend(reversed(part.args))
        return None

    def is_chosen_by_box(self, value: Apply, free: Sequence[Loop]) -> bool:
        """Return whether a value is a choice of which a box of the loops decides, such as `i == 0 || X[i] > 0`."""
        if value.op in ("if_then_else", "select"):
            return self._is_box(value.args[0], free)
        return value.op in ("&&", "||") and any(self._is_box(arg, free) for arg in value.args)

    def pinned(self, condition: Vector, free: Sequence[Loop]) -> tuple[Loop, Vector] | None:
        """Return v and x where a condition is `v == x`, v a loop and x a value that depends on data, but not on v."""
        if not isinstance(condition, Apply) or condition.op != "==":
            return None
        for one, other in (condition.args, tuple(reversed(condition.args))):
            if (
                isinstance(one, Apply)
                and one.op == "cast"
                and isinstance(one.args[0], Index)
                and one.dtype == "int32"
            ):
                one, other = one.args[0], Apply("cast", (other,), dtypes.INT64)
            if not isinstance(one, Index) or isinstance(other, Index) or other.dtype != dtypes.INT64:
                continue
            loop = next((loop for loop in free if one.polynomial == Polynomial.name(loop.name)), None)
            if loop is not None and loop.name not in other.dims and not self._space.dims(loop.extent):
                return loop, other
        return None

    def _is_box(self, condition: Vector, free: Sequence[Loop]) -> bool:
        """Return whether a condition and its opposite are unions of boxes of the loops."""
        if not isinstance(condition, Apply):
            return False
        if condition.op in ("&&", "||", "!"):
            return all(self._is_box(arg, free) for arg in condition.args)
        return condition.op in _ORDER and self._bound(condition, free) is not None

    def _bound(
        self, condition: Apply, free: Sequence[Loop], target: Storage | None = None
    ) -> tuple[Loop, int, Polynomial] | None:
        """Return v, c and r where a comparison is one of c * v + r with 0, for one loop v, r not depending on loops.

        Of a store to a `target` data may choose r, if it does not store them itself.
        """
        names = {loop.name for loop in free}
        sides: list[Polynomial] = []
        for part in condition.args:
            if isinstance(part, Index):
                sides.append(part.polynomial)
            elif target is None or part.dtype != dtypes.INT64 or part.dims & names:
                return None
            else:
                sides.append(self._space.atom(part, self._entry.fresh("at")))
        difference = sides[0] - sides[1]
        loops = [loop for loop in free if loop.name in self._space.dims(difference)]
        if len(loops) != 1:
            return None
        factor = difference.coefficient(loops[0].name)
        rest = difference.without({loops[0].name})
        if factor is None or not factor.value or loops[0].name in self._space.dims(rest):
            return None
        atoms = self._space.atoms_in(rest)
        if atoms and target is None:
            return None
        for value in [atom.vector for atom in atoms]:
            if value.dims & names or any(load.storage is target for load in all_loads(self._space, value)):
                return None
        return loops[0], factor.value, rest

    def _cases(self, condition: Vector, holds: bool) -> Cases:
        """Return disjoint conjunctions of comparisons, one of which is true where the condition is (or is not)."""
        assert isinstance(condition, Apply)
        if condition.op == "!":
            return self._cases(condition.args[0], not holds)
        if condition.op in ("&&", "||"):
            first, second = condition.args
            both = holds == (condition.op == "&&")
            if both:
                return [[*a, *b] for a in self._cases(first, holds) for b in self._cases(second, holds)]
            other = self._cases(first, not holds)
            return [
                *self._cases(first, holds),
                *[[*a, *b] for a in other for b in self._cases(second, holds)],
            ]
        op = condition.op if holds else _OPPOSITE[condition.op]
        ops = ("<", ">") if op == "!=" else (op,)
        return [[Apply(one, condition.args, dtypes.BOOL)] for one in ops]

    def tightened(self, stage: Stage, free: Sequence[Loop]) -> Stage:
        """Return a stage whose loops run over the box that its conditions leave; other conditions stay.

        Those behind one that may fail are among these, as it is evaluated where they do not hold, too.
        """
        bounds: dict[str, tuple[list[Polynomial], list[Polynomial]]] = {}
        kept: list[Vector] = []
        facts: list[Polynomial] = []
        may_have_failed = False
        for guard in [part for whole in stage.guards for part in conjuncts(whole)]:
            order = guard if isinstance(guard, Apply) and guard.op in _ORDER and not may_have_failed else None
            bound = None if order is None else self._bound(order, free, stage.target)
            known = (*stage.facts, *facts)
            may_have_failed = may_have_failed or not self._regions.is_safe(guard, stage.loops, known)
            if bound is None or order is None or order.op == "!=":
                kept.append(guard)
                continue
            loop, factor, rest = bound
            facts += guard_facts([guard])
            lows, highs = bounds.setdefault(loop.name, ([], []))
            low, high = self._limits(order.op, factor, rest)
            lows += low
            highs += high
        if not bounds:
            return stage if len(kept) == len(stage.guards) else replaced(stage, guards=tuple(kept))
        values: dict[str, Polynomial] = {}
        loops: list[Loop] = []
        for loop in stage.loops:
            if loop.name not in bounds:
                loops.append(loop)
                continue
            made, start = self._shorter(loop, *bounds[loop.name])
            loops.append(made)
            values[loop.name] = start + Polynomial.name(made.name)
            facts += loop.constraints
        result = stage.over(self._space, tuple(loops), values, kept)
        result.facts += tuple([self._space.substituted(fact, values) for fact in facts])
        return result

    def _limits(self, op: str, factor: int, rest: Polynomial) -> tuple[list[Polynomial], list[Polynomial]]:
        """Return least values and least values beyond, of v where `factor * v + rest op 0`."""
        if op == "==":
            low, high = self._limits(">=", factor, rest)
            other_low, other_high = self._limits("<=", factor, rest)
            return low + other_low, high + other_high
        if op in (">", "<"):
            return self._limits(">=" if op == ">" else "<=", factor, rest - 1 if op == ">" else rest + 1)
        if op == "<=":
            factor, rest = -factor, -rest
        if factor > 0:  # v >= -rest / factor
            return [-self._floor(rest, factor)], []
        return [], [self._floor(rest, -factor) + 1]  # v <= rest / -factor

    def _floor(self, value: Polynomial, divisor: int) -> Polynomial:
        """Return value // divisor."""
        if content(value) % divisor == 0:
            return divided(value, divisor)
        number = Polynomial.constant(divisor)
        dims = self._space.dims(value)
        vector = Apply("//", (Index(value, dims), Index(number, frozenset())), dtypes.INT64)
        return self._value(vector)

    def _value(self, vector: Vector) -> Polynomial:
        if not vector.dims:
            number = self._entry.scalar(vector)
            if number is not None:
                return self._entry.define_size(vector, number)
        return self._space.atom(vector, self._entry.fresh("at"))

    def _shorter(
        self, loop: Loop, lows: list[Polynomial], highs: list[Polynomial]
    ) -> tuple[Loop, Polynomial]:
        """Return the loop from the greatest lower to the least upper bound, and where it starts."""
        start = self._extreme("max", [Polynomial.constant(0), *lows])
        stop = self._extreme("min", [loop.extent, *highs])
        extent = self._extreme("max", [Polynomial.constant(0), stop - start])
        if extent.value is None and len(extent.terms) == 1 and set(extent.terms.values()) == {1}:
            self._entry.note_size(extent)
        made = Loop(self._entry.fresh(loop.name), extent, loop.node)
        self._space.loops[made.name] = made
        return made, start

    def _extreme(self, op: str, values: list[Polynomial]) -> Polynomial:
        """Return the greatest or the least of some values; those that another one surely beats are left out."""
        best = values[0]
        for value in values[1:]:
            difference = value - best if op == "max" else best - value
            if self._proves(difference):
                best = value
            elif not self._proves(-difference):
                parts = (Index(best, self._space.dims(best)), Index(value, self._space.dims(value)))
                best = self._value(Apply(op, parts, dtypes.INT64))
        return best

    def _proves(self, value: Polynomial) -> bool:
        """Return whether a value is proved not to be negative in the loops that it names."""
        loops = [self._space.loops[name] for name in sorted(value.names() & self._space.loops.keys())]
        return self._entry.analyzer.proves(value, [part for loop in loops for part in loop.constraints])


def conjuncts(condition: Vector) -> list[Vector]:
    """Return the parts of a condition that must all hold, in the order in which they are evaluated."""
    if isinstance(condition, Apply) and condition.op == "&&":
        return [*conjuncts(condition.args[0]), *conjuncts(condition.args[1])]
    if isinstance(condition, Apply) and condition.op == "!" and isinstance(condition.args[0], Apply):
        inner = condition.args[0]
        if inner.op == "!":
            return conjuncts(inner.args[0])
        if inner.op == "||":
            return [part for arg in inner.args for part in conjuncts(Apply("!", (arg,), dtypes.BOOL))]
        if inner.op in _OPPOSITE and isinstance(inner.args[0], Index):
            return [Apply(_OPPOSITE[inner.op], inner.args, dtypes.BOOL)]
    return [condition]
