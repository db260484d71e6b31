"""Facts: what is known of the names in dimensions at the place of an expression.

They come from signatures, from `match_cast`, and from conditions of branches. Facts are values: extending them
gives new ones. By default every name is a size, at least 0.
"""

from __future__ import annotations

from relax_lang.arith.constraints.bounds import Known
from relax_lang.syntax import tree

# What understands conditions is imported where something is assumed: programs without facts never load it.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal

    from relax_lang.arith.polynomials.atoms import Condition

    Answer = Literal["equal", "different", "unknown"]


MOST_FACTS = 500
"""The most that is assumed in one function: each new fact is compared with all others."""


class Facts:
    """What is known of names: conditions that hold.

    `signed` names the integers that may be negative, None for all of them. `conditions` are the assumptions, for
    those who check values against it. `known` is the same, prepared for proofs.
    """

    __slots__ = ("answers", "conditions", "known")

    def __init__(self, signed: Iterable[str] | None = ()) -> None:
        self.known = Known(None if signed is None else frozenset(signed))
        self.conditions: tuple[tree.PrimExpr, ...] = ()
        self.answers: dict[tuple[tree.PrimExpr, tree.PrimExpr], Answer] = {}

    def with_(self, condition: tree.PrimExpr, truth: bool = True) -> Facts:
        """Return these facts and that a condition is true, or false. What cannot be understood adds nothing. [D.13]"""
        from relax_lang.arith.constraints.conditions import negated
        from relax_lang.arith.normal_form import condition_of

        given = condition if truth else tree.Not(condition, condition.pos, condition.end)

        def fact(known: Known) -> Condition:
            found = condition_of(condition, known)
            return found if truth else negated(found, known)

        return self._with(given, fact)

    def with_equal(self, a: tree.PrimExpr, b: tree.PrimExpr) -> Facts:
        """Return these facts and that two dimensions are equal. [D.13]"""
        from relax_lang.arith.constraints.conditions import zero
        from relax_lang.arith.normal_form import polynomial_of

        return self._with(
            tree.EQ(a, b, a.pos, a.end),
            lambda known: zero(polynomial_of(a, known) - polynomial_of(b, known), known),
        )

    def with_sizes(self, dims: Iterable[tree.PrimExpr]) -> Facts:
        """Return these facts and that there are tensors with these dimensions: none of them is negative. [V.9]"""
        facts = self
        for dim in dims:
            if type(dim) in (tree.PrimVar, tree.IntImm) and facts.known.signed == frozenset():
                continue
            from relax_lang.arith.constraints.conditions import nonnegative
            from relax_lang.arith.normal_form import polynomial_of

            given = tree.GE(dim, tree.IntImm(0), dim.pos, dim.end)
            facts = facts._with(given, lambda known, dim=dim: nonnegative(polynomial_of(dim, known), known))
        return facts

    def forget(self, most: int) -> None:
        """Drop what was remembered of expressions if these are more than `most`; it is found again when asked for."""
        if len(self.known.polynomials) > most:
            self.known.forget()
            self.answers.clear()

    @property
    def impossible(self) -> bool:
        """True if the facts are known to contradict each other: what they are about is never reached."""
        return self.known.impossible

    def _with(self, given: tree.PrimExpr, fact: Callable[[Known], Condition]) -> Facts:
        from relax_lang.arith.assumptions import assume
        from relax_lang.arith.evaluate import DimensionError
        from relax_lang.arith.normal_form import condition_of
        from relax_lang.arith.polynomials.atoms import TooComplexError
        from relax_lang.arith.substitute import free_variables

        try:
            known = assume(self.known, fact(self.known))
            if known.equal != self.known.equal:
                # A replacement may sharpen earlier assumptions about the same names.
                names = set(free_variables(given))
                for earlier in self.conditions:
                    if not names.isdisjoint(free_variables(earlier)):
                        known = assume(known, condition_of(earlier, known))
        except DimensionError:
            return self
        except TooComplexError:
            known = self.known  # no use in proofs, but examples still have to fulfil it
        extended = Facts.__new__(Facts)
        extended.known = known
        extended.conditions = (*self.conditions, given)
        extended.answers = {}
        return extended


NO_FACTS = Facts()
"""Nothing but that every name is a size."""
