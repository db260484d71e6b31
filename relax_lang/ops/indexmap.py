"""Index maps written as text, `"(i, j) -> (i // 4, j, i % 4)"`, as functions on NumPy arrays of indices.

Only the integer arithmetic of dimensions is allowed, with positive numbers right of `//` and `%`.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.refusal import Refusal, bad_attribute
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Bounds = tuple[int, int]


class IndexMap:
    """The names on the left of the arrow, the expressions on its right."""

    __slots__ = ("exprs", "names", "text")

    def __init__(self, text: str, names: list[str], exprs: Sequence[tree.PrimExpr]) -> None:
        self.text = text
        self.names = names
        self.exprs = exprs

    def indices(self, places: Sequence[Any]) -> list[Any]:
        """Return where indices are sent, one array per axis of the result."""
        values = dict(zip(self.names, places, strict=True))
        return [self._value(expr, values) for expr in self.exprs]

    def extents(self, shape: Sequence[int]) -> list[int]:
        """Return the extents of the result: one more than the largest index that the arithmetic can give.

        `i % 4` always has four places, whatever the extent of i, so that the layout does not depend on it.
        """
        ranges = dict(zip(self.names, [(0, extent - 1) for extent in shape], strict=True))
        found: list[int] = []
        for expr in self.exprs:
            low, high = self._bounds(expr, ranges)
            if low < 0:
                raise bad_attribute("index_map", f"an index may become {low}")
            found.append(high + 1)
        return found

    def _value(self, expr: tree.PrimExpr, values: dict[str, Any]) -> Any:
        if isinstance(expr, tree.IntImm):
            return np.int64(expr.value)
        if isinstance(expr, tree.PrimVar):
            return values[expr.name]
        left, right = self._operands(expr)
        return getattr(np, _UFUNCS[type(expr)])(self._value(left, values), self._value(right, values))

    def _bounds(self, expr: tree.PrimExpr, ranges: dict[str, Bounds]) -> Bounds:
        if isinstance(expr, tree.IntImm):
            return expr.value, expr.value
        if isinstance(expr, tree.PrimVar):
            if expr.name not in ranges:
                raise _bad(self.text)
            return ranges[expr.name]
        left, right = self._operands(expr)
        return _RANGES[type(expr)](self._bounds(left, ranges), self._bounds(right, ranges))

    def _operands(self, expr: Any) -> tuple[tree.PrimExpr, tree.PrimExpr]:
        if type(expr) not in _UFUNCS:
            raise _bad(self.text)
        divides = isinstance(expr, tree.FloorDiv | tree.FloorMod)
        if divides and not (isinstance(expr.b, tree.IntImm) and expr.b.value > 0):
            raise _bad(self.text)
        return expr.a, expr.b


def read_index_map(text: str) -> IndexMap:
    """Read a map; one that cannot be read is refused. [OP.4]"""
    left, arrow, right = text.partition("->")
    inside = left.strip().removeprefix("(").removesuffix(")")
    names = [name.strip() for name in inside.split(",") if name.strip()]
    if not arrow or len(set(names)) != len(names) or not all(name.isidentifier() for name in names):
        raise _bad(text)
    from relax_lang.syntax.parser import parse  # only index maps are parsed while a program runs

    for candidate in (right.strip(), f"({right.strip()},)"):  # one expression may stand without its comma
        parsed = parse(f"Shape[{candidate}]", start="struct_info")
        if not parsed.diagnostics and isinstance(parsed.tree, tree.ShapeStructInfo) and parsed.tree.values:
            return IndexMap(text, names, parsed.tree.values)
    raise _bad(text)


def _bad(text: str) -> Refusal:
    return bad_attribute("index_map", f'"{text}" is no map such as "(i, j) -> (i // 4, j, i % 4)"')


_UFUNCS: dict[type[Any], str] = {
    tree.Add: "add",
    tree.Sub: "subtract",
    tree.Mul: "multiply",
    tree.FloorDiv: "floor_divide",
    tree.FloorMod: "mod",
    tree.Min: "minimum",
    tree.Max: "maximum",
}


def _products(a: Bounds, b: Bounds) -> Bounds:
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
