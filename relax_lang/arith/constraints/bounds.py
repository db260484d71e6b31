"""Facts about the names in dimensions, in the form that proofs use: intervals, inequalities, equalities.

Only data. `assumptions` extends it, `proofs` draws conclusions, `facts` is for callers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.arith.polynomials.atoms import Condition
    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.base.node import Node

    Interval = tuple[int | None, int | None]


class Known:
    """Facts about names and terms ("atoms"); never changed after it is made, apart from what it remembers.

    `signed` are the names that may be negative (None: all of them; otherwise names are sizes).
    `equal` replaces atoms; no atom that it replaces occurs in a replacement other than inside a term.
    `ranges` holds limits of atoms that are narrower than their parts imply.
    `nonnegative` and `nonzero` are polynomials, `clauses` alternatives of which one holds at least.
    `impossible`: the facts contradict each other, no value fulfils them.
    """

    __slots__ = (
        "bounds",
        "clauses",
        "conditions",
        "equal",
        "impossible",
        "intervals",
        "limits",
        "nonnegative",
        "nonzero",
        "polynomials",
        "ranges",
        "rebuilt",
        "signed",
    )

    def __init__(
        self,
        signed: frozenset[str] | None = frozenset(),
        equal: Mapping[str, Polynomial] | None = None,
        ranges: Mapping[str, Interval] | None = None,
        nonnegative: tuple[Polynomial, ...] = (),
        nonzero: tuple[Polynomial, ...] = (),
        clauses: tuple[Condition, ...] = (),
        impossible: bool = False,
    ) -> None:
        self.signed = signed
        self.equal: Mapping[str, Polynomial] = equal or {}
        self.ranges: Mapping[str, Interval] = ranges or {}
        self.nonnegative = nonnegative
        self.nonzero = nonzero
        self.clauses = clauses
        self.impossible = impossible
        # Remembered results; they depend on the facts above and on nothing else.
        self.polynomials: dict[Node, Polynomial] = {}
        self.conditions: dict[Node, Condition] = {}
        self.intervals: dict[str, Interval] = {}
        self.limits: dict[tuple[Polynomial, int | None], int | None] = {}
        self.bounds: dict[Polynomial, Interval] = {}
        self.rebuilt: dict[str, Polynomial] = {}

    def forget(self) -> None:
        """Drop all remembered results."""
        self.polynomials.clear()
        self.conditions.clear()
        self.intervals.clear()
        self.limits.clear()
        self.bounds.clear()
        self.rebuilt.clear()

    def with_clauses(self, clauses: tuple[Condition, ...]) -> Known:
        """Return the same facts with these clauses."""
        return Known(
            self.signed, self.equal, self.ranges, self.nonnegative, self.nonzero, clauses, self.impossible
        )
