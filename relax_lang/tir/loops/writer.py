"""What writes scalar code line by line: names, places that may fail, and values on the way."""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple

from relax_lang.base.python.generated_source import MOST_NESTED
from relax_lang.tir.analysis.memory_safety.iterations import proved_inside
from relax_lang.tir.analysis.memory_safety.sample_iterations import Sizes
from relax_lang.tir.analysis.references.collect_references import collect_references
from relax_lang.tir.ir import symbols
from relax_lang.tir.loops.spelling import Unspelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from relax_lang.base.node import Node
    from relax_lang.syntax import tree
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.elements import Elements
    from relax_lang.tir.loops.spelling import PythonSpelling

_SIZE_BITS = 47
"""Sizes, and what counts up to them, are below 2 to the power of this: no memory holds more."""
_LONGEST = 200
"""A longer expression gets a name."""
_MOST_LINES = 5000


class Value(NamedTuple):
    """The text of an expression without effects; if it is an integer, it has at most so many bits beside its sign."""

    text: str
    bits: int = 64
    is_short: bool = False
    """Whether it may be written more than once: a number."""
    is_fixed: bool = False
    """Whether it is the same wherever its names are known: no store changes it."""
    wraps: bool = False
    """Whether a part of it may have wrapped around, though the whole has few bits: `a * 3 % 2`."""


class FailurePoint(NamedTuple):
    """A place that may fail: an access of a buffer, a division, an assertion."""

    node: Node
    buffer: Symbol | None


class Writer:
    """Lines of one function."""

    def __init__(self, analysis: Analysis, spelling: PythonSpelling, elements: Elements) -> None:
        self.analysis = analysis
        self.spelling = spelling
        self.elements = elements
        self.failure_points: list[FailurePoint] = []
        """The places that may fail; the function returns the number of one, from 1 on."""
        self._lines: list[str] = []
        self._written = 0
        self._names: dict[Symbol, str] = {}
        self._bits: dict[Symbol, int] = {}
        self._wrapping: set[Symbol] = set()
        self._count = 0
        self._inside: set[tuple[Node, int]] | None = None
        self._known: list[dict[str, str]] = [{}]
        """The names of fixed values, by their texts, for each level of the lines that are written."""
        self._tested: list[set[tuple[str, str]]] = [set()]
        """The indices that were compared with sizes, likewise."""
        self.streams: dict[Node, str] = {}
        """Expressions whose values the loop around them goes along, with the names of these."""
        self._loops = 0
        """How many loops are around the line that is written."""

    @property
    def lines(self) -> list[str]:
        """The lines so far."""
        return self._lines

    def add(self, line: str) -> None:
        """Write a line."""
        self._written += 1
        if self._written > _MOST_LINES:
            raise Unspelled("it is too long")
        self._lines.append(line)

    def add_inside(self, lines: Sequence[str]) -> None:
        """Write lines one level further in."""
        self._lines += [f"    {line}" for line in lines]

    @contextmanager
    def aside(self) -> Generator[list[str]]:
        """Collect the lines that are written, for another place."""
        outer, self._lines = self._lines, []
        self._known.append({})
        self._tested.append(set())
        try:
            yield self._lines
        finally:
            self._lines = outer
            self._known.pop()
            self._tested.pop()

    @contextmanager
    def inside(self) -> Generator[None]:
        """Write lines one level further in; there is at least one."""
        with self.aside() as lines:
            yield
        self.add_inside(lines or ["pass"])

    @property
    def is_in_loop(self) -> bool:
        """Return whether a loop is around the line that is written."""
        return self._loops > 0

    @contextmanager
    def looping(self) -> Generator[None]:
        """Write the lines of a loop."""
        self._loops += 1
        if self._loops > MOST_NESTED:
            raise Unspelled("its loops are nested too deep")
        with self.inside():
            yield
        self._loops -= 1

    def fresh(self) -> str:
        """Return a new name."""
        self._count += 1
        return f"t{self._count}"

    def define(self, text: str) -> str:
        """Give a value a name."""
        name = self.fresh()
        self.add(f"{name} = {text}")
        return name

    def operand(self, value: Value) -> str:
        """Return a text for a value that may be used more than once, before anything is stored."""
        return value.text if value.is_short or value.text.isidentifier() else self._named(value)

    def kept(self, value: Value) -> str:
        """Return a text for a value that may be used after something was stored."""
        return self.operand(value) if value.is_short or value.is_fixed else self.define(value.text)

    def short(self, value: Value) -> Value:
        """Return a value with a name if its text is long."""
        return value if len(value.text) <= _LONGEST else value._replace(text=self._named(value))

    def _named(self, value: Value) -> str:
        """Give a value a name; a fixed one has one at most."""
        if not value.is_fixed:
            return self.define(value.text)
        for names in self._known:
            if value.text in names:
                return names[value.text]
        name = self._known[-1][value.text] = self.define(value.text)
        return name

    def is_tested(self, place: Value, size: str) -> bool:
        """Return whether an index has been compared with a size before; from now on it has."""
        key = place.text, size
        if not place.is_fixed:
            return False
        if any(key in tested for tested in self._tested):
            return True
        self._tested[-1].add(key)
        return False

    def failure_point(self, node: Node, buffer: Symbol | None = None) -> int:
        """Return the number of a place that may fail."""
        self.failure_points.append(FailurePoint(node, buffer))
        return len(self.failure_points)

    def is_inside(self, access: Node, position: int) -> bool:
        """Return whether an index of an access is proved to be inside of its dimension, if it did not wrap around."""
        if self._inside is None:
            found = collect_references(self.analysis)
            self._inside = proved_inside(found, Sizes(found))
        return (access, position) in self._inside

    def symbol(self, node: Node) -> Symbol:
        """Return what a name means."""
        return self.analysis.symbols[node]

    def dtype(self, expr: tree.PrimExpr) -> str:
        """Return the type of an expression."""
        found = self.analysis.types[expr]
        self.spelling.dtype(found)
        return found

    def name_of(self, symbol: Symbol) -> str:
        """Return the name of what is declared."""
        found = self._names.get(symbol)
        if found is None:
            if symbol.dtype is not None:
                self.spelling.dtype(symbol.dtype)
            kept = "".join([one if one.isascii() and one.isalnum() else "_" for one in symbol.name])
            found = self._names[symbol] = f"v{len(self._names)}_{kept}"
        return found

    def bits_of(self, symbol: Symbol) -> int:
        """Return how many bits an integer has at most."""
        known = _SIZE_BITS if symbol.kind == symbols.DIM else 64
        return self._bits.get(symbol, known)

    def wraps(self, symbol: Symbol) -> bool:
        """Return whether what a name stands for may have wrapped around."""
        return symbol in self._wrapping

    def bound(self, symbol: Symbol, *values: Value) -> None:
        """Note how many bits an integer has at most that is one of some values or between them."""
        self._bits[symbol] = max([value.bits for value in values])
        if any(value.wraps for value in values):
            self._wrapping.add(symbol)
