"""What a struct info rule finds in a call: mistakes, and extents that the run has to compare. [OP.3-OP.8]"""

from __future__ import annotations

from relax_lang.arith.prover import NEITHER, differ_if_not_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.arith.prover import Facts
    from relax_lang.syntax import tree

    Where = int | tuple[int, int]  # an argument, or a field of the tuple that is an argument


class Finding:
    """Something wrong with a call: facts for the diagnostic that `check` makes of it.

    `argument` is the argument it is about (a pair: a field of a tuple), `attribute` the name of an attribute; if
    both are None it is about the call, and both are set for a scalar that may also be given by its name. `labels`
    point at further arguments. `expected` is set for `needs-match-cast`: the info that a match_cast has to assert.
    """

    __slots__ = (
        "argument",
        "attribute",
        "bare",
        "differing",
        "expected",
        "help",
        "labels",
        "message",
        "note",
        "places",
        "refused",
        "slug",
    )

    def __init__(
        self, slug: str, message: str, argument: Where | None = None, attribute: str | None = None
    ) -> None:
        self.slug = slug
        self.message = message
        self.argument = argument
        self.attribute = attribute
        self.labels: list[tuple[Where, str]] = []
        self.note = ""
        self.help = ""
        self.expected: tree.StructInfo | None = None
        self.differing: tuple[Where, str] | None = None
        """An argument, and the dtype of those that it has to share its own with; `places` has their names."""
        self.refused: tuple[str, str] | None = None
        """A dtype that is not taken, and what is; `places` has the names of the arguments."""
        self.places: list[str] = []
        self.bare: dict[str, str] = {}
        """Attributes to give instead of the dtypes of the constants that are scalar operands."""

    def __repr__(self) -> str:
        return f"{self.slug}: {self.message}"


class DeferredCheck:
    """Two extents that have to be equal for a call to succeed, where neither that nor the opposite is known.

    `or_one` says which of them may also be 1. `arguments` are those that they are of; `reason` makes the words that
    `bad_shape` would be given. `wanted` makes the advice where two equal dimensions are none.
    """

    __slots__ = ("a", "arguments", "b", "or_one", "reason", "wanted")

    def __init__(
        self,
        dims: tuple[tree.PrimExpr, tree.PrimExpr],
        arguments: tuple[Where, ...],
        reason: Callable[[], str],
        *,
        or_one: int = NEITHER,
        wanted: Callable[[], str] | None = None,
    ) -> None:
        self.a, self.b = dims
        self.arguments = arguments
        self.reason = reason
        self.or_one = or_one
        self.wanted = wanted

    def fits_empty_only(self, facts: Facts) -> bool:
        """Return whether the extents differ wherever all sizes in them are at least 1."""
        return not self.or_one and self.wanted is None and differ_if_not_empty(self.a, self.b, facts)
