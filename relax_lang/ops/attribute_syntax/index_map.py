"""Index maps written as text, `"(i, j) -> (i // 4, j, i % 4)"`: where indices are sent, and how large the result is.

Only the integer arithmetic of dimensions is allowed, with positive numbers right of `//` and `%`.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import OpError, bad_attribute
from relax_lang.ops.core.signature import show_value
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import BOOL, FLOATS, INT_RANGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    Bounds = tuple[int, int]
    Range = TypeVar("Range")


class IndexMap:
    """The names on the left of the arrow, the expressions on its right, which use no others."""

    __slots__ = ("exprs", "names")

    def __init__(self, names: list[str], exprs: Sequence[tree.PrimExpr]) -> None:
        self.names = names
        self.exprs = exprs

    def indices(self, places: Sequence[Any]) -> list[Any]:
        """Return where indices are sent, one array per axis of the result."""
        values = dict(zip(self.names, places, strict=True))
        return [_value(expr, values) for expr in self.exprs]

    def extents(self, shape: Sequence[int]) -> list[int]:
        """Return the extents of the result: one more than the largest index that the arithmetic can give.

        `i % 4` always has four places, whatever the extent of i, so that the layout does not depend on it.
        """
        found: list[int] = []
        for low, high in self.ranges([(0, extent - 1) for extent in shape], _constant, _RANGES):
            if low < 0:
                raise bad_attribute("index_map", f"an index may become {low}")
            found.append(max(0, high + 1))
        return found

    def ranges(
        self,
        inputs: Sequence[Range],
        constant: Callable[[int], Range],
        table: Mapping[type[Any], Callable[[Range, Range], Range]],
    ) -> list[Range]:
        """Return the range of every expression, given those of the names, by a table of how operations combine them."""
        named = dict(zip(self.names, inputs, strict=True))

        def range_of(expr: Any) -> Range:
            if isinstance(expr, tree.PrimVar):
                return named[expr.name]
            if isinstance(expr, tree.IntImm):
                return constant(expr.value)
            return table[type(expr)](range_of(expr.a), range_of(expr.b))

        return [range_of(expr) for expr in self.exprs]


def _value(expr: Any, values: dict[str, Any]) -> Any:
    if isinstance(expr, tree.IntImm):
        return np.int64(expr.value)
    if isinstance(expr, tree.PrimVar):
        return values[expr.name]
    return getattr(np, _UFUNCS[type(expr)])(_value(expr.a, values), _value(expr.b, values))


def read_index_map(text: str, ndim: int | None) -> IndexMap:
    """Read a map for a tensor of that rank, if it is known; one that cannot be read is refused. [OP.4]"""
    left, arrow, right = text.partition("->")
    inside = left.strip().removeprefix("(").removesuffix(")")
    names = [name.strip() for name in inside.split(",") if name.strip()]
    if not arrow or len(set(names)) != len(names) or not all(name.isidentifier() for name in names):
        raise _bad(text)
    from relax_lang.syntax.parser import parse  # only index maps are parsed while a program runs

    for candidate in (right.strip(), f"({right.strip()},)"):  # one expression may be without its comma
        parsed = parse(f"Shape[{candidate}]", start="struct_info")
        if not parsed.diagnostics and isinstance(parsed.tree, tree.ShapeStructInfo) and parsed.tree.values:
            if False in [_is_allowed(expr, names) for expr in parsed.tree.values]:
                break
            if ndim not in (None, len(names)):
                raise bad_attribute("index_map", f"{len(names)} names for a tensor of rank {ndim}")
            return IndexMap(names, parsed.tree.values)
    raise _bad(text)


def check_padding(value: float | None, dtype: str) -> None:
    """Refuse a value for the cells that nothing is sent to that the dtype does not have. [OP.4]"""
    if value is None:
        return
    if isinstance(value, bool) or dtype == BOOL:
        right = isinstance(value, bool) and dtype == BOOL
    elif isinstance(value, int) and dtype in INT_RANGES:
        low, high = INT_RANGES[dtype]
        right = low <= value <= high
    else:
        right = dtype in FLOATS
    if not right:
        raise bad_attribute("pad_value", f"`{show_value(value)}` is not a value of {dtype}")


def _is_allowed(expr: Any, names: list[str]) -> bool:
    """Return whether an expression is arithmetic on the names, without division by what may be 0 or less."""
    if isinstance(expr, tree.IntImm):
        return True
    if isinstance(expr, tree.PrimVar):
        return expr.name in names
    if type(expr) not in _UFUNCS:
        return False
    divides = isinstance(expr, tree.FloorDiv | tree.FloorMod)
    if divides and not (isinstance(expr.b, tree.IntImm) and expr.b.value > 0):
        return False
    return _is_allowed(expr.a, names) and _is_allowed(expr.b, names)


def _bad(text: str) -> OpError:
    return bad_attribute("index_map", f'"{text}" is not an index map such as "(i, j) -> (i // 4, j, i % 4)"')


_UFUNCS: dict[type[Any], str] = {
    tree.Add: "add",
    tree.Sub: "subtract",
    tree.Mul: "multiply",
    tree.FloorDiv: "floor_divide",
    tree.FloorMod: "mod",
    tree.Min: "minimum",
    tree.Max: "maximum",
}


def _constant(value: int) -> Bounds:
    return value, value


def _products(a: Bounds, b: Bounds) -> Bounds:
    for (low, high), (factor, other) in ((a, b), (b, a)):
        if factor == other >= 0:  # also of no index at all, where high is -1
            return low * factor, high * factor
    if min(a[0], b[0]) >= 0:
        return a[0] * b[0], a[1] * b[1] if min(a[1], b[1]) >= 0 else -1
    corners = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]]
    return min(corners), max(corners)


_RANGES: dict[type[Any], Callable[[Bounds, Bounds], Bounds]] = {
    tree.Add: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    tree.Sub: lambda a, b: (a[0] - b[1], a[1] - b[0]),
    tree.Mul: _products,
    tree.FloorDiv: lambda a, b: (a[0] // b[0], a[1] // b[0]),
    tree.FloorMod: lambda _a, b: (0, b[0] - 1),
    tree.Min: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    tree.Max: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
}
