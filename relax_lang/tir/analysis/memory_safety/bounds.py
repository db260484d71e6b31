"""Whether a number leaves its bounds for some iteration, and for which: interval analysis over symbolic sizes. [TIR.8]

Two questions, asked in this order because the first one is cheap and nearly always settles the matter:

- Does it stay inside for some small sizes? Evaluates the number at the corners of its loops, that is with
  every loop variable at its first or last value. Code in order is recognized here, and the prover is never loaded.
- Is it outside at a corner, for all sizes for which the loops run at all? That corner is then the answer,
  and was proved: that the iteration exists, that every condition holds there, and that the number is outside.

Loops count as non-empty. Where there are conditions around, and they cannot be proved at the corner, a second kind
of answer is tried (`Escape.certain` is False): *if* the site is reached, the number is outside. Both answers hold for
all sizes and all unknowns; whatever is not proved, or too large to be looked at, gives no answer. Proofs are about the
constraints of the iteration domain (`iterations`). Nothing here reports anything, or knows buffers.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError
from relax_lang.syntax import tree
from relax_lang.tir.analysis.memory_safety.sample_iterations import (
    Corner,
    extreme_corner,
    is_outside,
    moving,
    names_in,
    names_in_guards,
    to_corner,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.memory_safety.sample_iterations import Env, Example, Question, Sizes
    from relax_lang.tir.analysis.references.access_sites import LoopVariable

_MOST_LOOPS = 16
_MOST_GUARDS = 16


class Escape:
    """A number is outside of its bounds: `iteration` gives the loop variables that matter, with their values there.

    `value` is what the number is there, `beyond` whether that is past the upper bound. `certain`: in every run in
    which the loops are not empty; otherwise only if the conditions around ever hold. `example` has small values for
    the sizes, with the numbers that they give.
    """

    __slots__ = ("beyond", "certain", "example", "iteration", "value")

    def __init__(
        self,
        iteration: list[tuple[LoopVariable, tree.PrimExpr]],
        value: tree.PrimExpr,
        beyond: bool,
        certain: bool,
        example: Example | None,
    ) -> None:
        self.iteration = iteration
        self.value = value
        self.beyond = beyond
        self.certain = certain
        self.example = example


def escape(asked: Question, sizes: Sizes) -> Escape | None:
    """Return how a number provably leaves its bounds, or None. [TIR.8]"""
    if len(asked.loops) > _MOST_LOOPS or len(asked.guards) > _MOST_GUARDS:
        return None
    if asked.once and not asked.once.isdisjoint((*names_in((asked.number,)), *names_in_guards(asked.guards))):
        return None  # it does not run at every iteration
    for env in sizes.samples():
        try:
            corners = _outside(asked, env)
        except DimensionError:
            continue
        if corners is None:
            continue
        for corner in corners:
            found = _proved(asked, corner, sizes)
            if found is not None:
                return found
        break
    if asked.guards and None in names_in((asked.number,)):
        # Only the conditions restrict this value.
        return _proved_at(Corner(asked, [], set()), sizes, certain=False)
    return None


def _outside(asked: Question, env: Env) -> list[set[str]] | None:
    """Return the corners at which the number is outside, as the loops at their last value; None if a loop is empty.

    The corners that are tried: all at first, then each loop moved to its last value where this makes the number
    greater, and the same where it makes it smaller.
    """
    if not to_corner(asked.loops, (), env):
        return None
    corners: list[set[str]] = []
    for sign in (1, -1):
        to_corner(asked.loops, (), env)
        at_last = extreme_corner(asked.number, asked.loops, sign, env)
        if to_corner(asked.loops, at_last, env) and is_outside(asked, env) and at_last not in corners:
            corners.append(at_last)
    return corners


def _proved(asked: Question, at_last: set[str], sizes: Sizes) -> Escape | None:
    """Try to prove that the number is outside at a corner: in every run, or in every run that gets there."""
    moved = moving(asked.loops, asked.number)
    bounded = {name for loop in asked.loops for name in names_in((loop.low, loop.stop))}
    if None not in bounded:
        certain = Corner(asked, [*moved, *_moved_for_guards(asked, moved)], at_last)
        for corner in _choices(certain):
            found = _proved_at(corner, sizes, certain=True)
            if found is not None:
                return found
    kept = bounded | names_in_guards(asked.guards) if None in bounded else names_in_guards(asked.guards)
    if not kept:
        return None
    corner = Corner(asked, [] if None in kept else [name for name in moved if name not in kept], at_last)
    return _proved_at(corner, sizes, certain=False)


def _proved_at(corner: Corner, sizes: Sizes, certain: bool) -> Escape | None:
    if corner.refuted(sizes.samples(), certain) or sizes.proofs_left <= 0:
        return None
    sizes.proofs_left -= 1
    from relax_lang.tir.analysis.memory_safety.iterations import (
        Iteration,
    )  # loads the prover: only where something seems wrong

    asked = corner.asked
    iteration = Iteration(sizes.space, asked.site, () if certain else asked.guards)
    if iteration.is_impossible or not iteration.moves(corner.moved, corner.at_last):
        return None
    number, low, stop = [iteration.value(expr) for expr in (asked.number, *asked.bounds)]
    if number is None or low is None or stop is None or not iteration.reaches_site():
        return None
    beyond = iteration.proves(number - stop)
    if not beyond and not iteration.proves(low - 1 - number):
        return None
    example = corner.example(sizes) if certain else None
    return Escape(iteration.written_values(), iteration.written(number), beyond, certain, example)


def _moved_for_guards(asked: Question, moved: list[str]) -> list[str]:
    names = names_in_guards(asked.guards)
    return [loop.name for loop in asked.loops if loop.name in names and loop.name not in moved]


def _choices(corner: Corner) -> list[Corner]:
    """Return the corner, and the one with all loops that only conditions depend on at their last value."""
    number = moving(corner.asked.loops, corner.asked.number)
    others = {name for name in corner.moved if name not in number}
    if not others:
        return [corner]
    return [corner, Corner(corner.asked, corner.moved, corner.at_last | others)]
