"""The answer of a compatibility check, and the reason when it is not a plain yes. [C.*] [Z.2-Z.4]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.base.wording import tuple_text
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.prover import Facts

    Fact = tree.Node | int | str | None  # what a reason compares; None: nothing is known

COMPATIBLE = "compatible"
POSSIBLY = "possibly"
INCOMPATIBLE = "incompatible"

# What a reason is about.
KIND = "kind"  # a tensor, a shape, a tuple, a closure, a packed function, an object
RANK = "rank"
DTYPE = "dtype"
SHAPE = "shape"  # unknown on one side, or held by a variable
DIMENSION = "dimension"
FIELDS = "fields"
PARAMETERS = "parameters"
PURITY = "purity"
DERIVE = "derive function"


_LONG_PATH = 12
"""Of a longer path into tuples and functions only the ends are shown."""


class Reason:
    """Why one info is not, or perhaps not, accepted where another is expected: facts, not sentences.

    `path` leads into tuples and function types (`field 1`, `parameter 0`, `result`); `what` is one of the
    constants above, `index` the number of the dimension. `expected` and `found` are infos for `KIND`, names
    for `DTYPE`, `PURITY` and `DERIVE`, numbers for `RANK`, `FIELDS` and `PARAMETERS`, dimensions for
    `DIMENSION`; None is unknown. `expected` is always what the place asks for, also in the parameters of a
    function, which are compared the other way round: there `reversed` is true. `facts` are those that did not
    suffice to compare two dimensions.
    """

    __slots__ = ("expected", "facts", "found", "index", "path", "reversed", "what")

    def __init__(
        self,
        what: str,
        expected: Fact,
        found: Fact,
        index: int = -1,
        path: tuple[str, ...] = (),
        backwards: bool = False,
        facts: Facts | None = None,
    ) -> None:
        self.what = what
        self.expected = expected
        self.found = found
        self.index = index
        self.path = path
        self.reversed = backwards
        self.facts = facts

    def within(self, part: str) -> Reason:
        """Return the reason as seen from outside the part of a tuple or function."""
        path = (part, *self.path)
        return Reason(self.what, self.expected, self.found, self.index, path, self.reversed, self.facts)

    def flipped(self) -> Reason:
        """Return the reason for a parameter, which was compared the other way round. [T.S8]"""
        flipped = not self.reversed
        return Reason(self.what, self.found, self.expected, self.index, self.path, flipped, self.facts)

    @property
    def subject(self) -> str:
        """What is compared, for messages: `rank`, `dimension 1`; empty for kinds. [Z.7]"""
        if self.what == KIND:
            return ""
        return f"{self.what} {self.index}" if self.what == DIMENSION else self.what

    @property
    def expected_text(self) -> str:
        """What the place asks for, in source syntax."""
        return _PURITY_EXPECTED[self.expected] if self.what == PURITY else _text(self.what, self.expected)

    @property
    def found_text(self) -> str:
        """What there is, in source syntax."""
        return _PURITY_FOUND[self.found] if self.what == PURITY else _text(self.what, self.found)

    @property
    def example(self) -> dict[str, int] | None:
        """Small values of the shape variables for which the dimensions differ, if any are found. [D.13] [Z.4]"""
        if self.facts is None or not isinstance(self.expected, tree.PrimExpr):
            return None
        assert isinstance(self.found, tree.PrimExpr)
        from relax_lang.arith.counter_models import (
            counterexample,  # only needed when there is something to report
        )

        return counterexample(self.found, self.expected, self.facts)

    @property
    def without_value(self) -> dict[str, int] | None:
        """Small values of the shape variables for which one of the dimensions divides by 0, if any are found. [D.13]"""
        if self.facts is None or not isinstance(self.expected, tree.PrimExpr):
            return None
        assert isinstance(self.found, tree.PrimExpr)
        from relax_lang.arith.counter_models import division_by_zero  # only where nothing could be proved

        return division_by_zero((self.found, self.expected), self.facts)

    @property
    def example_text(self) -> str:
        """The counterexample: `n = 1, m = 2`; empty if there is none. [D.13]"""
        return ", ".join([f"{name} = {value}" for name, value in (self.example or {}).items()])

    def __str__(self) -> str:
        """Show it as run-time failures are shown: `field 1: dimension 0: expected 4, found 3`. [Z.7]"""
        path = self.path if len(self.path) <= _LONG_PATH else (*self.path[:3], "…", *self.path[-3:])
        parts = [", ".join(path)] if path else []
        if self.subject:
            parts.append(self.subject)
        return ": ".join([*parts, f"expected {self.expected_text}, found {self.found_text}"])

    def __repr__(self) -> str:
        return f"Reason({self})"


class Verdict:
    """`answer` is COMPATIBLE, POSSIBLY or INCOMPATIBLE; `reason` is None iff it is COMPATIBLE."""

    __slots__ = ("answer", "reason")

    def __init__(self, answer: str, reason: Reason | None) -> None:
        self.answer = answer
        self.reason = reason

    def within(self, part: str) -> Verdict:
        """Return the verdict with the reason as seen from outside."""
        return self if self.reason is None else Verdict(self.answer, self.reason.within(part))

    def flipped(self) -> Verdict:
        """Return the verdict with the reason for a parameter."""
        return self if self.reason is None else Verdict(self.answer, self.reason.flipped())

    def __repr__(self) -> str:
        return f"Verdict({self.answer})" if self.reason is None else f"Verdict({self.answer}: {self.reason})"


YES = Verdict(COMPATIBLE, None)

_RANKS = {COMPATIBLE: 0, POSSIBLY: 1, INCOMPATIBLE: 2}


def no(what: str, expected: Fact, found: Fact, index: int = -1) -> Verdict:
    """Return the verdict that an info is not accepted."""
    return Verdict(INCOMPATIBLE, Reason(what, expected, found, index))


def worse(left: Verdict, right: Verdict) -> Verdict:
    """Return the worse of two verdicts, the first of two equal ones. [C.3.2]"""
    return right if _RANKS[right.answer] > _RANKS[left.answer] else left


def kind_text(info: tree.StructInfo) -> str:
    """Return the kind of the values of an info: `a tensor`, `a closure`. [Z.7]"""
    match info:
        case tree.TensorStructInfo():
            return "a tensor"
        case tree.ShapeStructInfo():
            return "a shape"
        case tree.PrimStructInfo():
            return "a scalar"
        case tree.TupleStructInfo():
            return "a tuple"
        case tree.FuncStructInfo():
            return "a packed function" if info.params is None else "a closure"
        case tree.MatchShapeInfo():
            return "a tensor or a shape"
        case tree.ObjectStructInfo() | tree.MissingStructInfo():
            return "an object"
        case _:
            return assert_never(info)


_PURITY_EXPECTED: dict[Fact, str] = {"pure": "a pure function", "impure": "an impure function"}
_PURITY_FOUND: dict[Fact, str] = {"pure": "a pure one", "impure": "an impure one"}


def _text(what: str, fact: Fact) -> str:
    if fact is None:
        return "any dtype" if what == DTYPE else "unknown"
    if not isinstance(fact, tree.Node):
        return str(fact)
    if what == KIND and isinstance(fact, tree.StructInfo):
        return kind_text(fact)
    from relax_lang.format.printer import show  # only needed when there is something to report

    if isinstance(fact, tree.ShapeExpr):  # as in an annotation
        return tuple_text([show(dim) for dim in fact.values])
    return show(fact)
