"""Sample values for the sizes and loops of a PrimFunc, and corners: iterations at the ends of their loops. [TIR.8]

What holds for all sizes holds for a few, so most questions about indices are settled by numbers alone: a claim
that a sample contradicts needs no proof. Nothing here proves anything. Never imports the prover.
"""

from __future__ import annotations

from math import gcd

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.arith.substitute import free_variables
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.tir.analysis.memory_safety.reference_space import ReferenceSpace
    from relax_lang.tir.analysis.references.access_sites import AccessSite, Guard, LoopVariable, References

    Env = dict[str, int]
    Bounds = tuple[tree.PrimExpr, tree.PrimExpr]

_PLAIN = 16, 7, 1, 64
"""The sizes of the samples; those of the second one differ from each other."""

_UNKNOWN = 1, -1, 3, 100
"""What unknowns are in the samples."""

_SMALL = 1, 2, 3, 4

_MOST_PROOFS = 150


class Sizes:
    """The sizes of one PrimFunc: their names, what is known of them, and a few values that fit its parameters."""

    __slots__ = (
        "_computed",
        "_found",
        "_made",
        "_named",
        "_space",
        "proofs_left",
        "scalars",
        "shapes",
        "unknowns",
    )

    def __init__(self, found: References) -> None:
        func = found.analysis.func
        dims = found.analysis.dims
        self._found = found
        self._space: ReferenceSpace | None = None
        self.unknowns = found.unknowns
        self._named = 0
        self.proofs_left = _MOST_PROOFS
        """How many proofs may still be tried: where nearly everything seems to be wrong, some answers are enough."""
        self.scalars = [name for name in found.sizes if name not in dims]
        self.shapes = [param.shape for param in func.params if isinstance(param, tree.Buffer)]
        self._computed = [dim for shape in self.shapes for dim in shape if not _is_plain(dim)]
        """Dimensions that may be negative for some sizes, as all sizes in the samples are positive."""
        made = [(number, _sizes(found, number)) for number in range(len(_PLAIN))]
        self._made = [(number, env) for number, env in made if self.fit(env)]

    def fit(self, env: Env) -> bool:
        """Return whether there are parameters of such sizes: no dimension is negative. [V.9]"""
        try:
            return not self._computed or all(evaluate(dim, env) >= 0 for dim in self._computed)
        except DimensionError:
            return False

    def samples(self) -> list[Env]:
        """Return values for sizes and unknowns, those first that suit most programs; loop variables may be added."""
        if self._named < len(self.unknowns):
            for number, env in self._made:
                env.update(dict.fromkeys(self.unknowns[self._named :], _UNKNOWN[number]))
            self._named = len(self.unknowns)
        return [env for _, env in self._made]

    @property
    def space(self) -> ReferenceSpace:
        """The space in which things are proved."""
        if self._space is None:
            from relax_lang.tir.analysis.memory_safety.reference_space import (
                ReferenceSpace,  # loads the prover
            )

            self._space = ReferenceSpace(self._found)
        return self._space


def _is_plain(dim: tree.PrimExpr) -> bool:
    """Return whether a dimension is a size or a number, so that no sample makes it negative."""
    return type(dim) is tree.PrimVar or (type(dim) is tree.IntImm and dim.value >= 0)


def _sizes(found: References, number: int) -> Env:
    step = 2 if number == 1 else 0
    dims = found.analysis.dims
    env = {name: _PLAIN[number] + step * at for at, name in enumerate(dims)}
    env.update({name: number + 1 for name in found.sizes if name not in dims})
    return env


class Question:
    """A number, the bounds `low <= number < stop` that it should keep, and the site where it is used."""

    __slots__ = ("bounds", "guards", "loops", "number", "once", "site")

    def __init__(self, number: tree.PrimExpr, bounds: Bounds, site: AccessSite) -> None:
        self.number = number
        self.bounds = bounds
        self.site = site
        self.loops = site.loops
        self.guards = site.guards
        self.once = site.once


class Example:
    """Values for sizes, and what the number and the upper bound are for them."""

    __slots__ = ("number", "sizes", "stop")

    def __init__(self, sizes: Env, number: int, stop: int) -> None:
        self.sizes = sizes
        self.number = number
        self.stop = stop


def to_corner(loops: Sequence[LoopVariable], at_last: Iterable[str], env: Env) -> bool:
    """Give loop variables their first values, or their last ones; False if a loop is empty."""
    for loop in loops:
        low, stop = evaluate(loop.low, env), evaluate(loop.stop, env)
        if stop <= low:
            return False
        env[loop.name] = stop - 1 if loop.name in at_last else low
    return True


def is_outside(asked: Question, env: Env) -> bool:
    """Return whether the number is outside of its bounds for these values."""
    value = evaluate(asked.number, env)
    return not evaluate(asked.bounds[0], env) <= value < evaluate(asked.bounds[1], env)


def guards_hold(guards: Iterable[Guard], env: Env) -> bool:
    """Return whether all conditions are known to hold for these values."""
    for guard in guards:
        if guard.condition is None or bool(evaluate(guard.condition, env)) is not guard.truth:
            return False
    return True


def may_hold(guards: Sequence[Guard], env: Env) -> bool:
    """Return whether no condition is known to be false for these values."""
    return not guards or guards_hold([guard for guard in guards if guard.condition is not None], env)


def names_in(exprs: Iterable[tree.PrimExpr]) -> set[str | None]:
    """Return the names that expressions depend on; None is among them if there is an unknown."""
    names: set[str | None] = set()
    for expr in exprs:
        if type(expr) is tree.IntImm:
            continue
        # most bounds and indices are a name, which needs no walk
        used = (expr.name,) if isinstance(expr, tree.PrimVar) else free_variables(expr)
        names.update([None if name.startswith("?") else name for name in used])
    return names


def names_in_guards(guards: Iterable[Guard]) -> set[str | None]:
    """Return the names that conditions depend on; None is among them if that is unknown."""
    names = names_in([guard.condition for guard in guards if guard.condition is not None])
    if any(guard.condition is None for guard in guards):
        names.add(None)
    return names


def moving(loops: Sequence[LoopVariable], number: tree.PrimExpr) -> list[str]:
    """Return the loop variables that a number depends on, innermost first."""
    names = set(free_variables(number))
    found: list[str] = []
    for loop in reversed(loops):
        if loop.name in names:
            found.append(loop.name)
            for bound in (loop.low, loop.stop):
                if type(bound) is not tree.IntImm:
                    names.update(free_variables(bound))
    return found


def extreme_corner(number: tree.PrimExpr, loops: Sequence[LoopVariable], sign: int, env: Env) -> set[str]:
    """Return the loops to move to their last value where a number is to be great, small for a sign of -1.

    Each is moved alone, from the innermost one outward, if that makes the number greater. None of the loops is empty
    where all are at their first value, as in `env`.
    """
    best, at_last = evaluate(number, env) * sign, set[str]()
    for name in moving(loops, number):
        if to_corner(loops, {*at_last, name}, env):
            value = evaluate(number, env) * sign
            if value > best:
                best = value
                at_last.add(name)
    to_corner(loops, (), env)
    return at_last


def range_of(number: tree.PrimExpr, loops: Sequence[LoopVariable], env: Env) -> tuple[int, int]:
    """Return the least and the greatest value at corners of loops, all at their first value in `env`."""
    plain = _range_of_variable(number, loops, env)
    if plain is not None:
        return plain
    found: list[int] = []
    for sign in (-1, 1):
        to_corner(loops, extreme_corner(number, loops, sign, env), env)
        found.append(evaluate(number, env))
        to_corner(loops, (), env)
    return found[0], found[1]


def _range_of_variable(
    number: tree.PrimExpr, loops: Sequence[LoopVariable], env: Env
) -> tuple[int, int] | None:
    """Return what `range_of` does for a number or a name, as most indices are; None where bounds depend on loops."""
    if type(number) is not tree.PrimVar:
        return (number.value, number.value) if type(number) is tree.IntImm else None
    for loop in reversed(loops):
        if loop.name != number.name:
            continue
        for bound in (loop.low, loop.stop):
            if type(bound) is not tree.IntImm and (
                type(bound) is not tree.PrimVar or any(other.name == bound.name for other in loops)
            ):
                return None
        return evaluate(loop.low, env), evaluate(loop.stop, env) - 1
    value = evaluate(number, env)
    return value, value


def is_stepped_over(number: tree.PrimExpr, loops: Sequence[LoopVariable], value: int, env: Env) -> bool:
    """Return whether a number that seems linear in loops, all at their first value in `env`, steps over a value.

    `2 * i` steps over 1; `3 * i + 6 * j + 1` over 3.
    """
    if type(number) is tree.PrimVar or type(number) is tree.IntImm:
        return False
    try:
        first, step = evaluate(number, env), 0
        for loop in loops:
            at = env[loop.name]
            second, third = [evaluate(number, {**env, loop.name: at + more}) for more in (1, 2)]
            if third - second != second - first:
                return False
            step = gcd(step, second - first)
    except DimensionError:
        return False
    return step > 1 and (value - first) % step != 0


class Corner:
    """Loops that are set to their first or last value; the other loops are at any iteration."""

    __slots__ = ("asked", "at_last", "moved")

    def __init__(self, asked: Question, moved: list[str], at_last: set[str]) -> None:
        self.asked = asked
        self.moved = moved
        self.at_last = at_last

    def refuted(self, samples: list[Env], certain: bool) -> bool:
        """Return whether some sample shows that the answer would be wrong, or no sample supports it."""
        supported = False
        for env in samples:
            try:
                for point in self._points(env, certain):
                    if not point:
                        continue
                    if not self._is_outside_from(env, certain):
                        return True
                    supported = True
            except DimensionError:
                continue
        return not supported

    def example(self, sizes: Sizes) -> Example | None:
        """Return small sizes that show it, if the number or its bound depends on sizes."""
        exprs = (self.asked.number, self.asked.bounds[1])
        names = {name for expr in exprs for name in free_variables(expr)}
        for loop in reversed(self.asked.loops):
            if loop.name in names:
                names.update((*free_variables(loop.low), *free_variables(loop.stop)))
        names -= {loop.name for loop in self.asked.loops}
        found: Env | None = None
        for env in sizes.samples() if names and names.isdisjoint(sizes.unknowns) else ():
            if self._is_shown(env, sizes):
                found = dict(env)
                break
        if found is None:
            return None
        for name in sorted(names):
            for value in _SMALL:
                smaller = {**found, name: value}
                if value < found[name] and self._is_shown(smaller, sizes):
                    found = smaller
                    break
        self._is_shown(found, sizes)  # which sets the loop variables to the iteration where it happens
        return Example(
            {name: found[name] for name in sorted(names)}, *[evaluate(expr, found) for expr in exprs]
        )

    def _is_shown(self, env: Env, sizes: Sizes) -> bool:
        try:
            return (
                sizes.fit(env) and to_corner(self.asked.loops, (), env) and self._is_outside_from(env, True)
            )
        except DimensionError:
            return False

    def _points(self, env: Env, certain: bool) -> Iterable[bool]:
        """Set loop variables to a few iterations one after the other; say whether each is one that is run."""
        everything = {loop.name for loop in self.asked.loops}
        for at_last in ((), everything, self.at_last):
            yield to_corner(self.asked.loops, at_last, env) and (certain or may_hold(self.asked.guards, env))
        if not certain:
            for share in (2, 3):
                yield _to_middle(self.asked.loops, share, env) and may_hold(self.asked.guards, env)

    def _is_outside_from(self, env: Env, certain: bool) -> bool:
        """Return whether the corner that belongs to the iteration in `env` is run, and outside."""
        for loop in self.asked.loops:
            low, stop = evaluate(loop.low, env), evaluate(loop.stop, env)
            if stop <= low:
                return False
            if loop.name in self.moved:
                env[loop.name] = stop - 1 if loop.name in self.at_last else low
        if certain and not guards_hold(self.asked.guards, env):
            return False
        return is_outside(self.asked, env)


def _to_middle(loops: Sequence[LoopVariable], share: int, env: Env) -> bool:
    for loop in loops:
        low, stop = evaluate(loop.low, env), evaluate(loop.stop, env)
        if stop <= low:
            return False
        env[loop.name] = low + (stop - low) // share
    return True
