"""What generated code computes and checks before it touches any array: names, sizes, requirements.

Sizes are plain Python integers there. What is not a polynomial (`n // 2`) gets a name of its own. A requirement that
does not hold when the function is called leaves the call to the scalar interpreter.
"""

from __future__ import annotations

import builtins
import keyword
import re

from relax_lang.arith.constraints.analyzer import Analyzer, facts_of
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.names import FreshNames
from relax_lang.syntax import dtypes
from relax_lang.tir import runtime_library
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Size, replace_name
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import ZERO, Literal, ScalarOp
from relax_lang.tir.ir.symbols import DIM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Scalar
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

    Mark = tuple[list[tuple[str | None, Scalar]], list[Scalar], dict[Scalar, str]]

HELPERS = (
    "empty",
    "Any",
    "call_extern",
    "ml_dtypes",
    "np",
    *runtime_library.FUNCTIONS,
)
RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *HELPERS))
"""Names that mean something in generated code already."""
_OUTSIDE = re.compile(r"[^0-9A-Za-z_]")


def safe_name(wanted: str) -> str:
    """Return a Python name like a name of the program; it may be one that means something."""
    safe = _OUTSIDE.sub("_", wanted).lstrip("_")[:40]
    return safe if safe and not safe[0].isdigit() else f"v{safe}"


class Guards:
    """The names of the generated function, and the lines at its entry in order."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.names = FreshNames(RESERVED)
        self.lines: list[tuple[str | None, Scalar]] = []
        """Numbers with their names, and without one conditions that must hold, in order."""
        self.requests: list[Scalar] = []
        """The conditions of the lines, as often as they were asked for."""
        self._extents: dict[Polynomial, Polynomial] = {}
        """For names that are `max(0, extent)`, the extent."""
        self._identifiers: dict[Symbol, str] = {}
        self._defined: dict[Scalar, str] = {}
        self._known: set[str] = set()
        """The names that have their values before any array is touched."""
        self._nonnegative: set[str] = set()
        self._wide: set[str] = set()
        self.facts: list[Polynomial] = []
        """Sizes, and what follows from how they are computed: none of these is negative."""
        self.definition: Callable[[str], Iterable[Polynomial]] = _no_definition
        """What is not negative because of what a name for something else than a size stands for."""
        self._analyzer: Analyzer | None = None

    def fresh(self, wanted: str) -> str:
        """Return a new identifier like a name of the program, whatever characters that has."""
        return self.names.fresh(safe_name(wanted))

    def identifier(self, symbol: Symbol) -> str:
        """Return the identifier of a symbol."""
        name = self._identifiers.get(symbol)
        if name is None:
            name = self._identifiers[symbol] = self.fresh(symbol.name)
            self._known.add(name)
            if symbol.kind == DIM:
                self.note_size(Polynomial.name(name))
        return name

    def define(self, value: Scalar, wanted: str, nonnegative: bool = False) -> Polynomial:
        """Return a name for a number; the same expression has the same name."""
        name = self._defined.get(value)
        if name is None:
            name = self._defined[value] = self.fresh(wanted)
            self._known.add(name)
            self.lines.append((name, value))
        if nonnegative:
            self.note_size(Polynomial.name(name))
        return Polynomial.name(name)

    def define_extent(self, extent: Polynomial, wanted: str) -> Polynomial:
        """Return a name for the extent of a loop, which is 0 where its bounds are the wrong way round."""
        found = self.define(ScalarOp("max", (Literal(0), extent)), f"{wanted}_extent", nonnegative=True)
        self._extents[found] = extent
        return found

    def whole_extent(self, extent: Polynomial) -> Polynomial:
        """Return the difference of the bounds of a loop, which is its extent unless that is 0."""
        return self._extents.get(extent, extent)

    def with_whole_extents(self, number: Polynomial) -> Polynomial:
        """Return a number with what `whole_extent` returns in the place of all extents that are names."""
        for extent, whole in self._extents.items():
            for name in extent.names() & number.names():
                number = replace_name(number, name, whole)
        return number

    def define_size(self, vector: Vector, value: Scalar) -> Polynomial:
        """Return a name for an int64 expression that reads no array, and note what follows from how it is made."""
        result = self.define(value, "size")
        if self._is_wide(vector):
            self._wide |= result.names()
        if isinstance(vector, Apply) and all(isinstance(arg, Index) for arg in vector.args):
            args = [arg.polynomial for arg in vector.args if isinstance(arg, Index)]
            least = [self.is_nonnegative(arg) for arg in args]
            if (vector.op == "//" and all(least) and args[1].value) or (vector.op == "min" and all(least)):
                self.note_size(result)
            if vector.op == "max" and any(least):
                self.note_size(result)
            for fact in definition(vector, result):
                if fact not in self.facts:
                    self.note_fact(fact)
        return result

    def is_wide(self, value: Polynomial) -> bool:
        """Return whether arithmetic on a polynomial may wrap around: what is in it may be any int64."""
        return not self._wide.isdisjoint(value.names())

    def _is_wide(self, vector: Vector) -> bool:
        if isinstance(vector, Const):
            return vector.dtype == dtypes.INT64 and abs(vector.value) >= LARGE
        if isinstance(vector, Index):
            return self.is_wide(vector.polynomial)
        if not isinstance(vector, Apply) or vector.dtype != dtypes.INT64:
            return False
        if vector.op == "%":
            return self._is_wide(vector.args[1])
        return _bits(vector, wrapped=False) > _BITS or any(self._is_wide(arg) for arg in vector.args)

    def agrees(self, other: Guards, value: Polynomial) -> bool:
        """Return whether the names in a polynomial mean the same in another function of the same PrimFunc."""
        mine = {name: value for value, name in self._defined.items()}
        if any(mine.get(name, value) != value for value, name in other._defined.items()):
            return False
        pairs = self._identifiers.items()
        known = {name for symbol, name in pairs if other._identifiers.get(symbol) == name} | mine.keys()
        return value.names() <= known

    def mark(self) -> Mark:
        """Return the lines so far, to go back to by `restore`."""
        return list(self.lines), list(self.requests), dict(self._defined)

    def restore(self, mark: Mark) -> None:
        """Drop the lines that were added since a mark."""
        lines, requests, defined = mark
        self.lines[:] = lines
        self.requests[:] = requests
        self._defined = dict(defined)
        self._known = {*self._identifiers.values(), *defined.values()}

    def require(self, condition: Scalar) -> None:
        """Let the interpreter run calls that do not meet a condition."""
        self.requests.append(condition)
        if (None, condition) not in self.lines:
            self.lines.append((None, condition))

    def drop_requirement(self, condition: Scalar) -> None:
        """Take one request for a condition back; it stays required as long as there are others."""
        self.requests.remove(condition)
        if condition not in self.requests:
            self.lines.remove((None, condition))

    def is_nonnegative(self, value: Polynomial) -> bool:
        """Return whether a size is proved to be at least 0."""
        return self.analyzer.proves(value)

    @property
    def analyzer(self) -> Analyzer:
        """What answers questions about sizes, and about whatever is given with a question."""
        if self._analyzer is None:
            self._analyzer = Analyzer(self.facts, self.is_size, self.definition)
        return self._analyzer

    def note_fact(self, value: Polynomial) -> None:
        """Note that a polynomial is a dimension of an array: it is not negative where the function runs."""
        if not value.is_nonnegative(self._nonnegative.__contains__):
            self.facts.append(value)
            self._analyzer = None

    def is_size(self, name: str) -> bool:
        """Return whether a name is a size, which is at least 0."""
        return name in self._nonnegative

    def is_known(self, name: str) -> bool:
        """Return whether a name has its value before any array is touched."""
        return name in self._known

    def note_size(self, value: Polynomial) -> None:
        """Note that a name cannot be negative."""
        names = value.names()
        if not names <= self._nonnegative:
            self._nonnegative |= names
            self._analyzer = None

    def limit(self, symbol: Symbol) -> None:
        """Require a scalar parameter in an index to be of reasonable size: arithmetic on it is exact then."""
        name = self.identifier(symbol)
        self.require(ScalarOp("<", (Literal(-LARGE), Ref(name), Literal(LARGE))))

    def scalar(self, vector: Vector, at_entry: bool = True) -> Scalar | None:
        """Return an int64 or bool expression that reads no array as a number; None if it is not one.

        `at_entry` it names nothing that has no value yet when the function is called, such as a rounded float.
        """
        if isinstance(vector, Index):
            is_known = not at_entry or vector.polynomial.names() <= self._known
            return vector.polynomial if is_known else None
        if isinstance(vector, Const) and vector.dtype in (dtypes.INT64, dtypes.BOOL):
            return Literal(vector.value)
        if isinstance(vector, Size) and vector.dtype == dtypes.BOOL:
            return Ref(vector.text)
        if not isinstance(vector, Apply) or vector.op not in _SCALAR:
            return None
        if vector.dtype not in (dtypes.INT64, dtypes.BOOL):
            return None
        args: list[Scalar] = []
        for arg in vector.args:
            number = self.scalar(arg, at_entry)
            if number is None:
                return None
            args.append(number)
        if vector.op in ("/", "//", "%") and not (
            isinstance(vector.args[1], Index) and vector.args[1].polynomial.value
        ):
            self.require(ScalarOp("!=", (args[1], ZERO)))
        result = ScalarOp(_SCALAR[vector.op], tuple(args))
        if vector.op in _WRAPPING and vector.dtype == dtypes.INT64 and self._is_wide(vector):
            return ScalarOp("wrap", (result,))
        return result


def _bits(vector: Vector, *, wrapped: bool = True) -> int:
    """Return how many bits an int64 expression on sizes may take, with its sign; arithmetic wraps where it would take
    more than there are, if `wrapped`.

    Sizes and scalars in indices have up to 32 bits: indices are taken not to overflow.
    """
    if isinstance(vector, Index):
        terms = vector.polynomial.terms.items()
        return min(
            _BITS, max([32 * len(names) + abs(factor).bit_length() for names, factor in terms], default=1)
        )
    if isinstance(vector, Const):
        return int(vector.value).bit_length() + 1
    if not isinstance(vector, Apply) or vector.dtype != dtypes.INT64:
        return _BITS
    args = [_bits(arg) for arg in vector.args if arg.dtype == dtypes.INT64]
    if vector.op == "*":
        bits = sum(args)
    elif vector.op in ("+", "-", "neg", "/", "//"):
        bits = max(args) + 1
    else:
        bits = max(args)
    return min(bits, _BITS) if wrapped else bits


def _no_definition(name: str) -> Iterable[Polynomial]:
    return ()


def definition(vector: Vector, result: Polynomial) -> list[Polynomial]:
    """Return what is not negative where a name is an operation on polynomials; a divisor must be a number."""
    if not isinstance(vector, Apply) or len(vector.args) != 2:
        return []
    a, b = vector.args
    if not isinstance(a, Index) or not isinstance(b, Index):
        return []
    if vector.op in ("//", "%") and (b.polynomial.value or 0) <= 0:
        return []
    return facts_of(vector.op, result, a.polynomial, b.polynomial)


LARGE = 1 << 31
_BITS = 64
_WRAPPING = ("+", "-", "*", "neg", "/", "//")

_SCALAR = {
    **{op: op for op in ("+", "-", "*", "//", "%", "/", "neg", "min", "max")},
    **{op: op for op in ("==", "!=", "<", "<=", ">", ">=", "select")},
    "if_then_else": "select", "&&": "and", "||": "or", "!": "not",
}  # fmt: skip
"""The operations on numbers, with their names in the array IR."""
