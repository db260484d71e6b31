"""The array IR of a function as it grows: the current body, names, and what is known at the current statement."""

from __future__ import annotations

from contextlib import contextmanager

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.value_ranges import may_fail
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, all_loads, parts_of
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp, at_least
from relax_lang.tir.codegen.passes.types import type_of
from relax_lang.tir.schedule.footprint import Footprints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from relax_lang.base.node import Node as TreeNode
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Load, Space, Vector
    from relax_lang.tir.array_ir.nodes import Expr, Scalar, Statement
    from relax_lang.tir.lower.guards import Guards

    ValueOf = Callable[["Writer", Vector, Sequence[str]], Expr]


class Writer:
    """Collects the statements of a function."""

    def __init__(self, entry: Guards, space: Space, value_of: ValueOf) -> None:
        self.value_of = value_of
        """What writes expressions on arrays, which writes to this in turn."""
        self.body: list[Statement] = []
        """The statements of the body that grows."""
        self.entry = entry
        self.space = space
        self.fixed: set[str] = set()
        """The loops around the current statement: their variables are numbers there."""
        self.externs: list[TreeNode] = []
        """The calls of packed functions."""
        self.covered: set[tuple[int, Indices]] = set()
        """The accesses of the current kernel that are known to be inside of their arrays."""
        self.facts: list[Polynomial] = []
        """What is not negative at the current statement."""
        self.shared: dict[object, Expr] = {}
        """Arrays of indices of the current kernel, by what they are."""
        self.is_tiled = False
        """Whether the current statement runs on some rows at a time."""
        self.bounds: dict[str, tuple[int, int | None]] = {}
        """The least and the greatest value, if known, of loop variables that are numbers here."""
        self.known: set[str] = set()
        """Names of numbers, more than 0, that loops around the current statement define."""
        self._bound: set[str] = set()
        """The atoms that have a value here."""

    # ---- statements

    def add(self, *statements: Statement) -> None:
        """Add statements to the current body."""
        self.body += statements

    def enter(self, condition: Expr) -> None:
        """Write what follows under a condition, until the caller puts the body back that was current."""
        branch = ir.If(condition, [])
        self.add(branch)
        self.body = branch.body

    @contextmanager
    def inside(self, body: list[Statement], *loops: Loop) -> Generator[None]:
        """Write to the body of a loop or a condition; the variables of `loops` are numbers there."""
        outer, self.body = self.body, body
        fixed, self.fixed = self.fixed, self.fixed | {loop.name for loop in loops}
        bound, self._bound = self._bound, set()
        covered, self.covered = self.covered, set(self.covered)
        yield
        self._bound, self.covered = bound, covered
        self.fixed = fixed
        self.body = outer

    @contextmanager
    def loop(self, loop: Loop) -> Generator[None]:
        """Write inside of a loop over all iterations of a loop of the program."""
        statement = ir.For(loop.name, Literal(0), self.extent(loop), Literal(1), [])
        self.add(statement)
        with self.inside(statement.body, loop):
            yield

    def forget(self) -> None:
        """Forget the values of atoms: what they read may change from here on."""
        self._bound = set()
        self.covered = set()
        self.shared = {}

    def fresh(self, wanted: str) -> str:
        """Return a new identifier."""
        return self.entry.fresh(wanted)

    def name(self, value: Expr, wanted: str = "t") -> Ref:
        """Give a value a name of its own."""
        name = self.fresh(wanted)
        self.add(ir.Define(name, value))
        return Ref(name, *type_of(value))

    # ---- numbers

    def is_fixed(self, polynomial: Polynomial) -> bool:
        """Return whether a polynomial is a number at the next statement."""
        return self.space.dims(polynomial) <= self.fixed

    def number(self, polynomial: Polynomial) -> Polynomial:
        """Return a polynomial that is a number here, after its atoms have been computed."""
        for atom in self.space.atoms_in(polynomial):
            if atom.name not in self._bound:
                value = self._plain(atom.vector)
                self._bound.add(atom.name)
                self.add(ir.Define(atom.name, value, rebinds=True))
        return polynomial

    def numbers(self, polynomials: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
        """Return polynomials that are numbers here."""
        return tuple([self.number(polynomial) for polynomial in polynomials])

    def extent(self, loop: Loop) -> Polynomial:
        """Return how often a loop runs."""
        return self.number(loop.extent)

    def extents(self, order: Sequence[str]) -> tuple[Polynomial, ...]:
        """Return how often the loops of an order run."""
        return tuple([self.extent(self.space.loops[name]) for name in order])

    def is_positive(self, extent: Polynomial) -> bool:
        """Return whether the extent of a loop is a number that is known to be more than 0."""
        return extent in [Polynomial.name(name) for name in self.known]

    def _plain(self, vector: Vector) -> Scalar | Expr:
        """Return an integer; as a number of its own if it reads no array."""
        number = None
        if not all_loads(self.space, vector) and not may_fail(vector):
            number = self.entry.scalar(vector, at_entry=False)
        if number is None:
            return ir.Call("int", (self.value_of(self, vector, ()),))
        for part in parts_of(vector):
            if isinstance(part, Index):
                self.number(part.polynomial)
        return number

    # ---- guards

    def cover(self, load: Load, order: Sequence[str]) -> None:
        """Ensure that a load is inside over an order of loops; what conditions read has not been checked before."""
        key = (id(load.storage), load.index)
        if key in self.covered:
            return
        self.covered.add(key)
        around = [loop for loop in self.space.loops.values() if loop.name in self.fixed or loop.name in order]
        free = [loop for loop in around if loop.name not in self.fixed]
        regions = Footprints(self.space, self.entry)
        wanted = regions.conditions(load.storage, load.index, free, around)
        wanted = [value for value in wanted if not regions.follows(value, self.facts, around)]
        self.require(wanted)

    def require(self, wanted: Sequence[Polynomial]) -> None:
        """Write a check that some numbers are not negative."""
        wanted = [value for value in wanted if self.least(value) < 0]
        if wanted:
            self.add(ir.Require(tuple([at_least(self.number(value)) for value in wanted])))

    def least(self, polynomial: Polynomial) -> float:
        """Return the least value of a polynomial in variables whose bounds are known; else minus infinity."""
        least: float = polynomial.without(polynomial.names()).value or 0
        for name in polynomial.names():
            factor = polynomial.coefficient(name)
            if factor is None or not factor.value or name not in self.bounds:
                return float("-inf")
            low, high = self.bounds[name]
            if factor.value < 0 and high is None:
                return float("-inf")
            least += factor.value * (low if factor.value > 0 else (high or 0))
        return least

    def decided(self, condition: Vector) -> bool | None:
        """Return whether a condition holds, if the bounds of loop variables decide it."""
        if not isinstance(condition, Apply):
            return None
        if condition.op == "!":
            inner = self.decided(condition.args[0])
            return None if inner is None else not inner
        if condition.op not in _DECIDED:
            return None
        a, b = condition.args
        if not isinstance(a, Index) or not isinstance(b, Index):
            return None
        difference = a.polynomial - b.polynomial
        least, greatest = self.least(difference), -self.least(-difference)
        return _DECIDED[condition.op](least, greatest)


def _is(holds: bool, fails: bool) -> bool | None:
    return True if holds else (False if fails else None)


_DECIDED: dict[str, Callable[[float, float], bool | None]] = {
    ">": lambda least, greatest: _is(least > 0, greatest <= 0),
    ">=": lambda least, greatest: _is(least >= 0, greatest < 0),
    "<": lambda least, greatest: _is(greatest < 0, least >= 0),
    "<=": lambda least, greatest: _is(greatest <= 0, least > 0),
    "==": lambda least, greatest: _is(least == greatest == 0, least > 0 or greatest < 0),
    "!=": lambda least, greatest: _is(least > 0 or greatest < 0, least == greatest == 0),
}
"""The comparisons of a difference with 0, by its least and its greatest value."""


def positive(number: Scalar) -> ScalarOp:
    """Return the condition that a number is more than 0."""
    return ScalarOp(">", (number, Literal(0)))


def all_of(masks: Sequence[Expr]) -> Expr:
    """Return where all of some masks hold; there is at least one."""
    result = masks[0]
    for mask in masks[1:]:
        domains = [type_of(one)[1] for one in (result, mask)]
        domain = domains[0] if domains[0] == domains[1] else None
        result = ir.Elementwise("&&", (result, mask), dtypes.BOOL, domain)
    return result


def name_of(polynomial: Polynomial) -> str:
    """Return the name that a polynomial is."""
    (name,) = polynomial.names()
    return name


def array_of(storage: Storage) -> Ref:
    """Return the array of a storage."""
    return Ref(storage.name, storage.dtype, storage.sizes)


def literal(vector: Const) -> Literal:
    """Return a literal as a plain number, which takes the dtype of the array beside it."""
    value = bool(vector.value) if vector.dtype == dtypes.BOOL else vector.value
    return Literal(value, vector.dtype)


def typed_literal(vector: Const) -> ir.Typed:
    """Return a literal as a number of its type; halves are computed as float32."""
    return ir.Typed(literal(vector), dtypes.computed_in(vector.dtype))


def plain_literal(value: float, dtype: str) -> Literal:
    """Return a number of the language as a plain literal of a dtype."""
    return literal(Const(value, dtype))


def remark(text: str) -> ir.Remark:
    """Return a comment; a name of the program in it cannot end it."""
    return ir.Remark(comment(text))


def comment(name: str) -> str:
    """Return a name of the program so that it cannot end a comment."""
    return name.encode("unicode_escape").decode("ascii")
