"""What generated code computes and checks before it touches any array: names, sizes, requirements.

Sizes are plain Python integers there. What is no polynomial (`n // 2`) gets a name of its own. A requirement that
does not hold when the function is called hands the call over to the scalar interpreter.
"""

from __future__ import annotations

import builtins
import keyword
import re

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.names import FreshNames
from relax_lang.syntax import dtypes
from relax_lang.tir import prelude
from relax_lang.tir.symbols import DIM
from relax_lang.tir.vectorize.vector import Apply, Const, Index, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.check import Analysis
    from relax_lang.tir.symbols import Symbol
    from relax_lang.tir.vectorize.vector import Vector

HELPERS = (
    "empty",
    "function",
    "call_extern",
    "ml_dtypes",
    *[name for name in vars(prelude) if not name.startswith("__")],
)
_RESERVED = (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *HELPERS)
_OUTSIDE = re.compile(r"[^0-9A-Za-z_]")


class Entry:
    """The names of the generated function, and the lines at its entry in order."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.names = FreshNames(_RESERVED)
        self.lines: list[tuple[str, str]] = []
        """("define", "size = n // 2") and ("require", "n > 0")."""
        self.helpers: set[str] = set()
        """The functions of the prelude that these lines call."""
        self._identifiers: dict[Symbol, str] = {}
        self._defined: dict[str, str] = {}
        self._nonnegative: set[str] = set()
        self._facts: list[Polynomial] = []

    def fresh(self, wanted: str) -> str:
        """Return a new identifier like a name of the program, whatever characters that has."""
        safe = _OUTSIDE.sub("_", wanted).lstrip("_")[:40]
        return self.names.fresh(safe if safe and not safe[0].isdigit() else f"v{safe}")

    def identifier(self, symbol: Symbol) -> str:
        """Return the identifier of a symbol."""
        name = self._identifiers.get(symbol)
        if name is None:
            name = self._identifiers[symbol] = self.fresh(symbol.name)
            if symbol.kind == DIM:
                self._nonnegative.add(name)
        return name

    def define(self, text: str, wanted: str, nonnegative: bool = False) -> Polynomial:
        """Return a name for the value of a Python expression; the same expression has the same name."""
        name = self._defined.get(text)
        if name is None:
            name = self._defined[text] = self.fresh(wanted)
            self.lines.append(("define", f"{name} = {text}"))
        if nonnegative:
            self._nonnegative.add(name)
        return Polynomial.name(name)

    def require(self, condition: str) -> None:
        """Hand calls that do not meet a condition over to the interpreter."""
        if ("require", condition) not in self.lines:
            self.lines.append(("require", condition))

    def is_nonnegative(self, value: Polynomial) -> bool:
        """Tell whether a size is provably at least 0."""
        known = self._nonnegative.__contains__
        return value.is_nonnegative(known) or any(
            (value - fact).is_nonnegative(known) for fact in self._facts
        )

    def note_fact(self, value: Polynomial) -> None:
        """Note that a polynomial is a dimension of an array: it is not negative where the function runs."""
        if not value.is_nonnegative(self._nonnegative.__contains__):
            self._facts.append(value)

    def is_size(self, name: str) -> bool:
        """Tell whether a name is a size, which is at least 0."""
        return name in self._nonnegative

    def note_size(self, value: Polynomial) -> None:
        """Note that a name cannot be negative."""
        self._nonnegative |= value.names()

    def limit(self, symbol: Symbol) -> None:
        """Require a scalar parameter in an index to be of reasonable size: arithmetic on it is exact then."""
        name = self.identifier(symbol)
        self.require(f"-{LARGE} < {name} < {LARGE}")

    def scalar_text(self, vector: Vector) -> str | None:
        """Return an int64 or bool expression that reads no array as Python; None where there is none."""
        if isinstance(vector, Index):
            return f"({vector.polynomial})" if len(vector.polynomial.terms) > 1 else str(vector.polynomial)
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
        return _SCALAR[vector.op].format(*args)


LARGE = 1 << 31

_SCALAR = {
    "+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "neg": "(-{})", "//": "({} // {})", "%": "({} % {})",
    "/": "integer_quotient({}, {})", "min": "min({}, {})", "max": "max({}, {})", "==": "({} == {})",
    "!=": "({} != {})", "<": "({} < {})", "<=": "({} <= {})", ">": "({} > {})", ">=": "({} >= {})",
    "&&": "({} and {})", "||": "({} or {})", "!": "(not {})", "select": "({1} if {0} else {2})",
    "if_then_else": "({1} if {0} else {2})",
}  # fmt: skip
"""The operations on sizes as Python has them."""
