"""What generated code computes and checks before it touches any array: names, sizes, requirements.

Sizes are plain Python integers there. What is no polynomial (`n // 2`) gets a name of its own. A requirement that
does not hold when the function is called hands the call over to the scalar interpreter.
"""

from __future__ import annotations

import builtins
import keyword
import re

from relax_lang.arith.analyzer import Analyzer, facts_of
from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.names import FreshNames
from relax_lang.syntax import dtypes
from relax_lang.tir import runtime_library
from relax_lang.tir.analysis.vector_ir import Apply, Const, Index, Size
from relax_lang.tir.ir.symbols import DIM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

HELPERS = (
    "empty",
    "function",
    "Any",
    "call_extern",
    "ml_dtypes",
    *[name for name in vars(runtime_library) if not name.startswith("__")],
)
RESERVED = (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *HELPERS)
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
        self.lines: list[tuple[str, str]] = []
        """("define", "size = n // 2") and ("require", "n > 0")."""
        self.helpers: set[str] = set()
        """The functions of the prelude that these lines call."""
        self.extents: dict[str, Polynomial] = {}
        """What the names stand for that are `max(0, extent)`."""
        self._identifiers: dict[Symbol, str] = {}
        self._defined: dict[str, str] = {}
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
            if symbol.kind == DIM:
                self.note_size(Polynomial.name(name))
        return name

    def define(self, text: str, wanted: str, nonnegative: bool = False) -> Polynomial:
        """Return a name for the value of a Python expression; the same expression has the same name."""
        name = self._defined.get(text)
        if name is None:
            name = self._defined[text] = self.fresh(wanted)
            self.lines.append(("define", f"{name} = {text}"))
        if nonnegative:
            self.note_size(Polynomial.name(name))
        return Polynomial.name(name)

    def define_size(self, vector: Vector, text: str) -> Polynomial:
        """Return a name for an int64 expression that reads no array, and note what follows from how it is made."""
        result = self.define(text, "size")
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
        """Tell whether arithmetic on a polynomial may wrap around: what is in it may be any int64."""
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
        """Tell whether the names in a polynomial mean the same in another function of the same PrimFunc."""
        mine = {name: text for text, name in self._defined.items()}
        if any(mine.get(name, text) != text for text, name in other._defined.items()):
            return False
        pairs = self._identifiers.items()
        known = {name for symbol, name in pairs if other._identifiers.get(symbol) == name} | mine.keys()
        return value.names() <= known

    def mark(self) -> tuple[list[tuple[str, str]], dict[str, str]]:
        """Return the lines so far, to go back to by `restore`."""
        return list(self.lines), dict(self._defined)

    def restore(self, mark: tuple[list[tuple[str, str]], dict[str, str]]) -> None:
        """Drop the lines that were added since a mark."""
        lines, defined = mark
        self.lines[:] = lines
        self._defined = dict(defined)

    def require(self, condition: str) -> None:
        """Hand calls that do not meet a condition over to the interpreter."""
        if ("require", condition) not in self.lines:
            self.lines.append(("require", condition))

    def drop_requirement(self, condition: str) -> None:
        """Drop a requirement, if it was made."""
        self.lines[:] = [line for line in self.lines if line != ("require", condition)]

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
        """Tell whether a name is a size, which is at least 0."""
        return name in self._nonnegative

    def is_known(self, name: str) -> bool:
        """Tell whether a name has its value before any array is touched."""
        return name in self._identifiers.values() or name in self._defined.values()

    def note_size(self, value: Polynomial) -> None:
        """Note that a name cannot be negative."""
        names = value.names()
        if not names <= self._nonnegative:
            self._nonnegative |= names
            self._analyzer = None

    def limit(self, symbol: Symbol) -> None:
        """Require a scalar parameter in an index to be of reasonable size: arithmetic on it is exact then."""
        name = self.identifier(symbol)
        self.require(f"-{LARGE} < {name} < {LARGE}")

    def scalar_text(self, vector: Vector) -> str | None:
        """Return an int64 or bool expression that reads no array as Python; None where there is none."""
        if isinstance(vector, Index):
            polynomial = vector.polynomial
            number = polynomial.value
            is_atom = str(polynomial) in polynomial.names() or (number is not None and number >= 0)
            return str(polynomial) if is_atom else f"({polynomial})"
        if isinstance(vector, Const) and vector.dtype in (dtypes.INT64, dtypes.BOOL):
            return repr(vector.value)
        if isinstance(vector, Size) and vector.dtype == dtypes.BOOL:
            return vector.text
        if not isinstance(vector, Apply) or vector.op not in _SCALAR:
            return None
        if vector.dtype not in (dtypes.INT64, dtypes.BOOL):
            return None
        args: list[str] = []
        for arg in vector.args:
            text = self.scalar_text(arg)
            if text is None:
                return None
            args.append(text)
        if vector.op in ("/", "//", "%"):
            if not (isinstance(vector.args[1], Index) and vector.args[1].polynomial.value):
                self.require(f"{args[1]} != 0")
            if vector.op == "/":
                self.helpers.add("integer_quotient")
        text = _SCALAR[vector.op].format(*args)
        if vector.op in _WRAPPING and vector.dtype == dtypes.INT64 and self._is_wide(vector):
            self.helpers.add("wrapped")
            return f"wrapped({text})"
        return text


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
    "+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "neg": "(-{})", "//": "({} // {})", "%": "({} % {})",
    "/": "integer_quotient({}, {})", "min": "min({}, {})", "max": "max({}, {})", "==": "({} == {})",
    "!=": "({} != {})", "<": "({} < {})", "<=": "({} <= {})", ">": "({} > {})", ">=": "({} >= {})",
    "&&": "({} and {})", "||": "({} or {})", "!": "(not {})", "select": "({1} if {0} else {2})",
    "if_then_else": "({1} if {0} else {2})",
}  # fmt: skip
"""The operations on sizes as Python has them."""
