"""How the elements of buffers are held while Python runs loops: in memory, in lists, or in variables.

Python finds an element of a list twice as fast as one of a memoryview, and a variable at once. What is held outside of
memory is taken from there before the loops and put back after them, so arrays must not overlap.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.interp.memory import poison_of
from relax_lang.tir.ir.symbols import ALLOC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.spelling import PythonSpelling

    NameOf = Callable[[Symbol], str]

_MOST_VARIABLES = 32
_MOST_LEVELS = 3
"""Lists are nested in so many levels at most."""


class Elements:
    """Elements in memory."""

    def variable(self, name: str, buffer: Symbol, indices: Sequence[tree.PrimExpr]) -> str | None:
        """Return the variable that holds an element; None if it is held elsewhere."""
        return None

    def is_fixed(self, buffer: Symbol) -> bool:
        """Return whether nothing stores to a buffer."""
        return False  # another one may be in the same memory

    def place(self, name: str, buffer: Symbol, places: Sequence[str]) -> str:
        """Write an element."""
        return f"{name}[{', '.join(places) or '()'}]"

    def poisoned(self, name: str, buffer: Symbol, spelling: PythonSpelling) -> list[str]:
        """Return the lines that fill a new buffer with what no program should rely on."""
        assert buffer.shape is not None
        assert buffer.dtype is not None
        return [spelling.poison(name, len(buffer.shape), buffer.dtype)]


class _Uses:
    """How a function uses a buffer."""

    __slots__ = ("is_loaded", "is_stored", "places")

    def __init__(self) -> None:
        self.is_loaded = False
        self.is_stored = False
        self.places: set[tuple[int, ...]] | None = set()
        """The elements that are named by numbers; None if others may be used."""


class HeldElements(Elements):
    """Elements in lists and variables, where that is faster and gives back the same bits."""

    def __init__(self, analysis: Analysis) -> None:
        self.has_streams = False
        """Whether loops go along lists of values that are computed before."""
        self._reached: set[Symbol] = set()
        self._uses: dict[Symbol, _Uses] = {}
        for node in walk(analysis.func):
            if isinstance(node, tree.BufferLoad | tree.BufferStore):
                uses = self._uses.setdefault(analysis.symbols[node.buffer], _Uses())
                is_store = isinstance(node, tree.BufferStore)
                uses.is_stored |= is_store
                uses.is_loaded |= not is_store or node.op != "="
                place = _constant_place(analysis.symbols[node.buffer], node.indices)
                if place is None:
                    uses.places = None
                elif uses.places is not None:
                    uses.places.add(place)
        self._variables = {symbol for symbol, uses in self._uses.items() if _suits_variables(symbol, uses)}
        self._lists = {
            symbol
            for symbol, uses in self._uses.items()
            if symbol not in self._variables and _suits_lists(symbol, uses)
        }

    @property
    def is_of_use(self) -> bool:
        """Return whether any buffer is held outside of memory."""
        return bool(self._variables or self._lists)

    def in_lists(self, buffer: Symbol) -> bool:
        """Return whether the elements of a buffer are held in a list, from which something takes them."""
        return buffer in self._lists and buffer in self._reached

    def in_line(self, buffer: Symbol) -> bool:
        """Return whether the elements of a buffer are held in a list of one level."""
        return buffer in self._lists and buffer.shape is not None and len(buffer.shape) == 1

    def in_memory(self, buffer: Symbol) -> bool:
        """Return whether the elements of a buffer stay where they are."""
        return buffer not in self._lists and buffer not in self._variables

    def is_stored(self, buffer: Symbol) -> bool:
        """Return whether something stores to a buffer."""
        return buffer in self._uses and self._uses[buffer].is_stored

    def is_fixed(self, buffer: Symbol) -> bool:
        """Return whether nothing stores to a buffer."""
        return not self.is_stored(buffer)

    def variable(self, name: str, buffer: Symbol, indices: Sequence[tree.PrimExpr]) -> str | None:
        """Return the variable that holds an element; None if it is held elsewhere."""
        if buffer not in self._variables:
            return None
        place = _constant_place(buffer, indices)
        assert place is not None, "all elements that are used are named by numbers"
        return _variable(name, place)

    def place(self, name: str, buffer: Symbol, places: Sequence[str]) -> str:
        """Write an element."""
        self._reached.add(buffer)
        if buffer not in self._lists:
            return super().place(name, buffer, places)
        return f"{name}{''.join([f'[{place}]' for place in places])}"

    def poisoned(self, name: str, buffer: Symbol, spelling: PythonSpelling) -> list[str]:
        """Return the lines that fill a new buffer with what no program should rely on."""
        if buffer not in self._variables and buffer not in self._lists:
            return super().poisoned(name, buffer, spelling)
        assert buffer.shape is not None
        assert buffer.dtype is not None
        poison = spelling.literal(poison_of(buffer.dtype), buffer.dtype)
        if buffer in self._variables:
            return [f"{_variable(name, place)} = {poison}" for place in self._places(buffer)]
        levels = len(buffer.shape) - 1
        lines = [
            f"{'    ' * level}for {name}_row in {f'{name}_row' if level else name}:"
            for level in range(levels)
        ]
        target = f"{name}_row" if levels else name
        return [*lines, f"{'    ' * levels}{target}[:] = [{poison}] * {name}_{levels}"]

    def taken(self, name_of: NameOf) -> list[str]:
        """Return the lines before all others: variables get the elements that they hold."""
        return [
            f"{_variable(name, place)} = {super(HeldElements, self).place(name, symbol, list(map(str, place)))}"
            for symbol, name in self._held(name_of)
            for place in self._places(symbol)
        ]

    def put_back(self, name_of: NameOf) -> list[str]:
        """Return the lines after all others: what was stored to variables comes into memory."""
        return [
            f"{super(HeldElements, self).place(name, symbol, list(map(str, place)))} = {_variable(name, place)}"
            for symbol, name in self._held(name_of)
            if self.is_stored(symbol)
            for place in self._places(symbol)
        ]

    def _held(self, name_of: NameOf) -> list[tuple[Symbol, str]]:
        """Return the parameters that variables hold, with their names."""
        return [
            (symbol, name_of(symbol))
            for symbol in self._uses
            if symbol in self._variables and symbol.kind != ALLOC
        ]

    def _places(self, buffer: Symbol) -> list[tuple[int, ...]]:
        return sorted(self._uses[buffer].places or ())


def _variable(name: str, place: tuple[int, ...]) -> str:
    return "_at_".join([name, *map(str, place)]) if place else f"{name}_element"


def _constant_place(buffer: Symbol, indices: Sequence[tree.PrimExpr]) -> tuple[int, ...] | None:
    """Return the indices of an element that numbers name and that is inside whatever the sizes; None for others."""
    assert buffer.shape is not None
    place: list[int] = []
    for index, dim in zip(indices, buffer.shape, strict=True):
        if not isinstance(index, tree.IntImm) or not isinstance(dim, tree.IntImm):
            return None
        if not 0 <= index.value < dim.value:
            return None
        place.append(index.value)
    return tuple(place)


def _suits_variables(buffer: Symbol, uses: _Uses) -> bool:
    places = uses.places
    return places is not None and len(places) <= _MOST_VARIABLES and buffer.dtype not in dtypes.HALVES


def _suits_lists(buffer: Symbol, uses: _Uses) -> bool:
    """Return whether a list pays: filling and emptying it takes as long as one access of each element saves."""
    assert buffer.shape is not None
    return uses.is_loaded and 1 <= len(buffer.shape) <= _MOST_LEVELS and buffer.dtype not in dtypes.HALVES
