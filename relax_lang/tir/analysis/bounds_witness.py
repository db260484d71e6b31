"""The proof that a number is outside of its bounds at a corner of its loops; see `bounds`. [TIR.8]

Loads the prover, so it is imported only where something seems to be wrong. Loop variables may have any value in
their ranges; moving some of them to their first or last value gives the corner.
"""

from __future__ import annotations

from relax_lang.arith.facts import Facts
from relax_lang.arith.normal_form import atom_of
from relax_lang.arith.printing import simplified
from relax_lang.arith.prover import prove
from relax_lang.arith.substitute import free_variables, substitute
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.tir.analysis.references import Guard, LoopVariable
    from relax_lang.tir.analysis.sample_iterations import Corner, Question, Sizes

    Outside = tuple[list[tuple[LoopVariable, tree.PrimExpr]], tree.PrimExpr, bool]


def facts_of_domain(loops: Sequence[LoopVariable], guards: Iterable[Guard], sizes: Sizes) -> Facts:
    """Return what holds at any iteration of loops: no size is negative, loop variables are in their ranges, and what
    the conditions say.
    """
    facts = Facts([atom_of(name) for name in (*sizes.may_be_negative(), *[loop.name for loop in loops])])
    facts = facts.with_sizes([dim for shape in sizes.shapes for dim in shape])
    for loop in loops:
        variable = tree.PrimVar(loop.name)
        facts = facts.with_(tree.GE(variable, loop.low)).with_(tree.LT(variable, loop.stop))
    for guard in guards:
        if guard.condition is not None:
            facts = facts.with_(guard.condition, guard.truth)
    return facts


class Proof:
    """What holds at every iteration that is asked about; `assume_guards`: also the conditions around."""

    __slots__ = ("_assumed", "_facts", "asked")

    def __init__(self, asked: Question, sizes: Sizes, assume_guards: bool) -> None:
        self.asked = asked
        self._assumed = assume_guards
        self._facts = facts_of_domain(asked.loops, asked.guards if assume_guards else (), sizes)

    def at(self, corner: Corner) -> Outside | None:
        """Return the iteration, the number, and whether it is past its upper bound, if all that is proved."""
        if self._facts.impossible:
            return None
        values: dict[str, tree.PrimExpr] = {}
        for loop in self.asked.loops:
            low, stop = substitute(loop.low, values), substitute(loop.stop, values)
            if loop.name in corner.moved:
                if not self._holds(tree.LT(low, stop)):
                    return None
                values[loop.name] = _before(stop) if loop.name in corner.at_last else low
            elif low is not loop.low or stop is not loop.stop:
                variable = tree.PrimVar(loop.name)
                if not self._holds(tree.LE(low, variable)) or not self._holds(tree.LT(variable, stop)):
                    return None
        number = substitute(self.asked.number, values)
        if not self._is_reached(values):
            return None
        low, stop = [substitute(bound, values) for bound in self.asked.bounds]
        beyond = self._holds(tree.GE(number, stop))
        if not beyond and not self._holds(tree.LT(number, low)):
            return None
        iteration = [
            (loop, simplified(values[loop.name], self._facts))
            for loop in self.asked.loops
            if loop.name in values
        ]
        return iteration, simplified(number), beyond

    def _is_reached(self, values: dict[str, tree.PrimExpr]) -> bool:
        for guard in self.asked.guards:
            condition = guard.condition
            if self._assumed and (
                not values or (condition is not None and values.keys().isdisjoint(free_variables(condition)))
            ):
                continue
            if condition is None or prove(substitute(condition, values), self._facts) is not guard.truth:
                return False
        return True

    def _holds(self, condition: tree.PrimExpr) -> bool:
        return prove(condition, self._facts) is True


def _before(stop: tree.PrimExpr) -> tree.PrimExpr:
    return tree.Sub(stop, tree.IntImm(1), stop.pos, stop.end)
