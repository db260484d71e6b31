"""The text of a generated function as it grows: lines, names, the helpers it needs, what is fixed at a line."""

from __future__ import annotations

from contextlib import contextmanager

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Index, all_loads
from relax_lang.tir.interp.scalars import to_float32
from relax_lang.tir.lower.values import may_fail
from relax_lang.tir.schedule.footprint import Footprints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.base.node import Node as TreeNode
    from relax_lang.tir.analysis.vector_ir import Const, Indices, Load, Loop, Space, Storage, Vector
    from relax_lang.tir.lower.guards import Guards

    TextOf = Callable[["Writer", Vector, Sequence[str]], str]

LONG = 72
"""A longer expression is broken up by naming its parts."""


class Temporaries:
    """Arrays made before a loop, for what its lines compute on the way."""

    def release(self) -> None:
        """Note that nothing that was computed on the way is needed any more."""
        raise NotImplementedError

    def take(self, writer: Writer, loops: Sequence[Loop], dtype: str) -> str | None:
        """Return the text of an array over some loops whose contents nobody needs; None where there is none."""
        raise NotImplementedError


class Preheader(Temporaries):
    """What is computed before a loop whose steps run one after the other, since it is the same in all of them."""

    def number(self, writer: Writer, text: str) -> str:
        """Return the name of a number, made before the outermost loop."""
        raise NotImplementedError

    def view(self, writer: Writer, storage: Storage, text: str, parts: Sequence[Polynomial]) -> str:
        """Return the name of a view, made before the loop if it is the same in all steps."""
        raise NotImplementedError

    def is_same(self, writer: Writer, vector: Vector, order: Sequence[str]) -> bool:
        """Tell whether an expression on arrays has the same value in all steps, and cannot fail before them."""
        raise NotImplementedError

    def computed(self, writer: Writer, key: object, text_of: Callable[[], str], *, sure: bool = False) -> str:
        """Return the name of an array that is computed before the loop; `sure` if that can never fail."""
        raise NotImplementedError


class Writer:
    """Collects the lines of a generated function."""

    def __init__(self, entry: Guards, space: Space, text_of: TextOf) -> None:
        self.text_of = text_of
        """What writes expressions on arrays, which writes to this in turn."""
        self.lines: list[str] = []
        self.helpers: set[str] = set()
        self.entry = entry
        self.space = space
        self.depth = 1
        self.fixed: set[str] = set()
        """The loops that a Python `for` around the current lines runs: their variables are numbers there."""
        self.has_stored = False
        """Whether a line so far, or one that may have run before in a loop, stores to a parameter."""
        self.may_fail_late = False
        """Whether a line can hand the call over to the interpreter after a store to a parameter."""
        self.has_called = False
        """Whether a line so far, or one that may have run before in a loop, calls a packed function."""
        self.may_call_twice = False
        """Whether the interpreter may take over after such a call, and would repeat it."""
        self.externs: list[TreeNode] = []
        """The calls of packed functions."""
        self.covered: set[tuple[int, Indices]] = set()
        """The accesses of the current kernel that are known to be inside of their arrays."""
        self.facts: list[Polynomial] = []
        """What is not negative where the current line stands."""
        self.shared: dict[object, str] = {}
        """Arrays of indices of the current kernel, by what they are."""
        self.scratch: Temporaries | None = None
        """The temporary arrays of the block around the current line."""
        self.steps: Preheader | None = None
        """What is computed before the loop around the current line whose steps run one after the other."""
        self.rows: dict[tuple[int, Polynomial], str] = {}
        """The rows of arrays that have a name in the current step: array and first index."""
        self.bounds: dict[str, tuple[int, int | None]] = {}
        """The least and the greatest value, if known, of loop variables that are numbers here."""
        self.known: set[str] = set()
        """Names of numbers, more than 0, that loops around the current line define."""
        self.unconditional = False
        """Whether the current kernel runs in any case, with all of its accesses inside."""
        self._bound: dict[str, str] = {}

    def line(self, text: str) -> None:
        """Add a line at the current depth."""
        self.lines.append("    " * self.depth + text if text else "")

    def fresh(self, wanted: str) -> str:
        """Return a new identifier."""
        return self.entry.fresh(wanted)

    def helper(self, name: str) -> str:
        """Note the use of a function of the prelude."""
        self.helpers.add(name)
        return name

    def check(self, name: str) -> str:
        """Note the use of a function of the prelude that may hand the call over to the interpreter."""
        self.may_fail_late = self.may_fail_late or self.has_stored
        self.may_call_twice = self.may_call_twice or self.has_called
        return self.helper(name)

    def stores_to(self, storage: Storage) -> None:
        """Note a store."""
        self.has_stored = self.has_stored or storage.is_param

    @contextmanager
    def indented(self, head: str, *loops: Loop) -> Generator[None]:
        """Write lines inside of a `for`, `while` or `if`; the variables of `loops` are numbers there."""
        self.line(head)
        self.depth += 1
        fixed, self.fixed = self.fixed, self.fixed | {loop.name for loop in loops}
        bound, self._bound = self._bound, {}
        covered, self.covered = self.covered, set(self.covered)
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._bound, self.covered = bound, covered
        self.fixed = fixed
        self.depth -= 1

    def forget(self) -> None:
        """Forget the values of atoms: what they read may change from here on."""
        self._bound = {}
        self.covered = set()
        self.shared = {}
        self.unconditional = False

    def named(self, text: str, wanted: str = "t") -> str:
        """Give a long expression a name of its own."""
        return text if len(text) <= LONG else self.name(text, wanted)

    def name(self, text: str, wanted: str = "t") -> str:
        """Give an expression a name of its own."""
        name = self.fresh(wanted)
        self.line(f"{name} = {text}")
        return name

    def temporary(self, order: Sequence[str], dtype: str) -> str | None:
        """Return the name of an array over some loops for what is computed on the way, if there is one here."""
        if self.scratch is None:
            return None
        loops = [self.space.loops[name] for name in order]
        text = self.scratch.take(self, loops, dtype)
        return text if text is None or text.isidentifier() else self.name(text)

    def is_fixed(self, polynomial: Polynomial) -> bool:
        """Tell whether a polynomial is a number where the next line stands."""
        return self.space.dims(polynomial) <= self.fixed

    def number(self, polynomial: Polynomial) -> str:
        """Return the text of a polynomial that is a number here; its atoms are computed before."""
        text = polynomial
        for atom in self.space.atoms_in(polynomial):
            if atom.name not in self._bound:
                value = self._plain(atom.vector)
                self._bound[atom.name] = atom.name
                self.line(f"{atom.name} = {value}")
        return str(text)

    def cover(self, load: Load, order: Sequence[str]) -> None:
        """See to it that a load is inside over an order of loops; nobody did before for what conditions read."""
        key = (id(load.storage), load.index)
        if key in self.covered:
            return
        self.covered.add(key)
        around = [loop for loop in self.space.loops.values() if loop.name in self.fixed or loop.name in order]
        free = [loop for loop in around if loop.name not in self.fixed]
        regions = Footprints(self.space, self.entry)
        wanted = regions.conditions(load.storage, load.index, free, around)
        self.require([value for value in wanted if not regions.follows(value, self.facts, around)])

    def require(self, wanted: Sequence[Polynomial]) -> None:
        """Write a check that some numbers are not negative."""
        wanted = [value for value in wanted if self.least(value) < 0]
        if wanted:
            conditions = [f"{self.number(value)} >= 0" for value in wanted]
            self.line(f"{self.check('require')}({' and '.join(conditions)})")

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
        """Tell whether a condition holds, if the bounds of loop variables say so."""
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

    def _plain(self, vector: Vector) -> str:
        """Return the text of an integer; without NumPy if it reads no array."""
        text = None
        if not all_loads(self.space, vector) and not may_fail(vector):
            text = self.entry.scalar_text(vector)
        if text is not None:
            pending = [vector]
            while pending:
                part = pending.pop()
                if isinstance(part, Index):
                    self.number(part.polynomial)
                elif isinstance(part, Apply):
                    pending.extend(part.args)
            return text
        return f"int({self.text_of(self, vector, ())})"

    def extent(self, loop: Loop) -> str:
        """Return the text of how often a loop runs."""
        return self.number(loop.extent)

    def needs(self, dtype: str) -> None:
        """Note the use of a dtype; bfloat16 has a package of its own."""
        if dtype == "bfloat16":
            self.helpers.add("ml_dtypes")

    def dtype(self, dtype: str) -> str:
        """Return a dtype as Python text."""
        self.needs(dtype)
        return dtype_text(dtype)


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


def dtype_text(dtype: str) -> str:
    """Return a dtype as Python text."""
    if dtype == "bfloat16":
        return "ml_dtypes.bfloat16"
    return "np.bool_" if dtype == dtypes.BOOL else f"np.{dtype}"


def literal(vector: Const) -> str:
    """Return a literal as a Python number, which NumPy takes in the dtype of the array beside it."""
    if vector.dtype == dtypes.BOOL:
        return repr(bool(vector.value))
    if dtypes.computed_in(vector.dtype) == dtypes.FLOAT32:
        return _float_text(vector.value)
    return _number_text(vector.value)


def _float_text(value: float) -> str:
    """Return the shortest text that gives this float32."""
    for digits in range(1, 18):
        short = float(f"{value:.{digits}g}")
        if to_float32(short) == value:
            return _number_text(short)
    return _number_text(value)


def _number_text(value: float) -> str:
    return repr(value).replace("inf", "np.inf").replace("nan", "np.nan")


def typed_literal(vector: Const) -> str:
    """Return a literal as a NumPy scalar of its type."""
    if vector.dtype == dtypes.BOOL:
        return f"np.bool_({bool(vector.value)})"
    return f"np.{dtypes.computed_in(vector.dtype)}({literal(vector)})"


def comment(name: str) -> str:
    """Return a name of the program so that it cannot end a comment."""
    return name.encode("unicode_escape").decode("ascii")
