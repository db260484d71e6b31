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
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.symbols import DIM, SCALAR
from relax_lang.tir.vector import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.tir.check import Analysis
    from relax_lang.tir.symbols import Symbol

HELPERS = (
    "NotVectorized", "affine_view", "bits_of", "clz", "empty", "erf", "exp10", "horner", "integer_quotient", "ldexp",
    "ml_dtypes", "nonzero", "np", "popcount", "require", "restored", "rsqrt", "sigmoid", "to_integer",
    "truncated_quotient", "overlapping",
)  # fmt: skip
_RESERVED = (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *HELPERS)
_OUTSIDE = re.compile(r"[^0-9A-Za-z_]")

_INFIX: dict[type[Node], str] = {
    tree.Add: "+",
    tree.Sub: "-",
    tree.Mul: "*",
    tree.EQ: "==",
    tree.NE: "!=",
    tree.LT: "<",
    tree.LE: "<=",
    tree.GT: ">",
    tree.GE: ">=",
    tree.And: "and",
    tree.Or: "or",
}
_DIVISIONS: dict[type[Node], str] = {tree.FloorDiv: "//", tree.FloorMod: "%"}
_EXTREMES: dict[type[Node], str] = {tree.Min: "min", tree.Max: "max"}


class Entry:
    """The names of the generated function, and the lines at its entry in order."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.names = FreshNames(_RESERVED)
        self.lines: list[tuple[str, str]] = []
        """("define", "size = n // 2") and ("require", "n > 0")."""
        self.known: dict[Symbol, Polynomial] = {}
        """What `let` names stand for, where that is a size."""
        self.helpers: set[str] = set()
        """The functions of the prelude that these lines call."""
        self._identifiers: dict[Symbol, str] = {}
        self._defined: dict[str, str] = {}
        self._nonnegative: set[str] = set()

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
        return value.is_nonnegative(self._nonnegative.__contains__)

    def size_text(self, expr: tree.PrimExpr) -> str:
        """Return an expression over dimensions and scalar parameters as Python; others are refused."""
        if self.analysis.types.get(expr) not in (dtypes.INT64, dtypes.BOOL):
            raise Refused("the index is not computed in int64", expr)
        return _SIZE_TEXT.get(type(expr), _no_size)(self, expr)


def _name(entry: Entry, expr: tree.PrimVar) -> str:
    symbol = entry.analysis.symbols[expr]
    if symbol.kind == DIM or (symbol.kind == SCALAR and symbol.dtype in (dtypes.INT64, dtypes.BOOL)):
        return entry.identifier(symbol)
    if symbol in entry.known:
        return f"({entry.known[symbol]})"
    raise Refused(f"`{expr.name}` is not known when the function is called", expr)


def _literal(entry: Entry, expr: tree.IntImm | tree.BoolImm) -> str:
    return repr(expr.value) if isinstance(expr, tree.BoolImm) or expr.value >= 0 else f"({expr.value})"


def _infix(entry: Entry, expr: Any) -> str:
    return f"({entry.size_text(expr.a)} {_INFIX[type(expr)]} {entry.size_text(expr.b)})"


def _extreme(entry: Entry, expr: Any) -> str:
    return f"{_EXTREMES[type(expr)]}({entry.size_text(expr.a)}, {entry.size_text(expr.b)})"


def _floored(entry: Entry, expr: Any) -> str:
    return f"({entry.size_text(expr.a)} {_DIVISIONS[type(expr)]} {_divisor(entry, expr)})"


def _truncated(entry: Entry, expr: tree.Div) -> str:
    entry.helpers.add("integer_quotient")
    return f"integer_quotient({entry.size_text(expr.a)}, {_divisor(entry, expr)})"


def _divisor(entry: Entry, expr: Any) -> str:
    text = entry.size_text(expr.b)
    if not (isinstance(expr.b, tree.IntImm) and expr.b.value):
        entry.require(f"{text} != 0")
    return text


def _negated(entry: Entry, expr: tree.Neg) -> str:
    return f"(-{entry.size_text(expr.a)})"


def _not(entry: Entry, expr: tree.Not) -> str:
    return f"(not {entry.size_text(expr.a)})"


def _select(entry: Entry, expr: tree.Select) -> str:
    yes, no = entry.size_text(expr.true_value), entry.size_text(expr.false_value)
    return f"({yes} if {entry.size_text(expr.condition)} else {no})"


def _no_size(entry: Entry, expr: tree.PrimExpr) -> str:
    raise Refused("the index is not affine in the loop variables", expr)


_SIZE_TEXT: dict[type[Node], Callable[[Entry, Any], str]] = {
    tree.PrimVar: _name,
    tree.IntImm: _literal,
    tree.BoolImm: _literal,
    tree.FloorDiv: _floored,
    tree.FloorMod: _floored,
    tree.Div: _truncated,
    tree.Neg: _negated,
    tree.Not: _not,
    tree.Select: _select,
    **dict.fromkeys(_INFIX, _infix),
    **dict.fromkeys(_EXTREMES, _extreme),
}
