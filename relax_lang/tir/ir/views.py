"""Views: buffers whose elements are elements of another one, and which these are. [TIR.22]"""

from __future__ import annotations

from relax_lang.base.node import assert_never, same
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.ir.symbols import Symbol


def has_views(func: tree.PrimFunc) -> bool:
    """Return whether a PrimFunc has views."""
    pending = list(func.body)
    while pending:
        one = pending.pop()
        match one:
            case tree.BufferView():
                return True
            case tree.For() | tree.While():
                pending += one.body
            case tree.Block():
                pending += (*(one.init or ()), *one.body)
            case tree.IfThenElse():
                pending += (*one.then_case, *one.else_case)
            case tree.Allocate() | tree.LetStmt() | tree.BufferStore() | tree.AssertStmt():
                pass
            case tree.CallExtern() | tree.Break() | tree.Continue():
                pass
            case _:
                assert_never(one)
    return False


def memory_of(symbol: Symbol) -> Symbol:
    """Return the buffer that has the elements of a buffer: itself, or what it is a view of in the end."""
    while symbol.source is not None:
        symbol = symbol.source
    return symbol


class View:
    """What the indices of a view mean, in expressions that are known where it is used.

    `starts` are the first indices of a region, and `kept` says for which dimensions it has a range; without a region
    (None) the elements are those of the `source`, of the same dimensions or others, in row-major order.
    """

    __slots__ = ("dims", "kept", "source", "source_dims", "starts")

    def __init__(
        self,
        dims: tuple[tree.PrimExpr, ...],
        source: Symbol,
        source_dims: tuple[tree.PrimExpr, ...],
        starts: Sequence[tree.PrimExpr] | None,
        kept: Sequence[bool],
    ) -> None:
        self.dims = dims
        self.source = source
        self.source_dims = source_dims
        self.starts = starts
        self.kept = kept

    def indices(self, given: Sequence[tree.PrimExpr], place: tree.Node) -> tuple[tree.PrimExpr, ...]:
        """Return the indices in the source of an element of the view."""
        span = place.pos, place.end
        if self.starts is not None:
            left = iter(given)
            return tuple(
                [
                    _sum(start, next(left), span) if kept else start
                    for start, kept in zip(self.starts, self.kept, strict=True)
                ]
            )
        if len(self.dims) == len(self.source_dims) and all(map(same, self.dims, self.source_dims)):
            return tuple(given)
        return unravelled(flattened(given, self.dims, span), self.source_dims, span)


def flattened(
    indices: Sequence[tree.PrimExpr], dims: Sequence[tree.PrimExpr], span: tuple[int, int]
) -> tree.PrimExpr:
    """Return the number of an element in row-major order."""
    number: tree.PrimExpr = tree.IntImm(0, None, "0", *span)
    for index, dim in zip(indices, dims, strict=True):
        number = _sum(_product(number, dim, span), index, span)
    return number


def unravelled(
    number: tree.PrimExpr, dims: Sequence[tree.PrimExpr], span: tuple[int, int]
) -> tuple[tree.PrimExpr, ...]:
    """Return the indices of an element by its number; a number past the end is past the end of the first dimension."""
    if not dims:
        return ()
    found: list[tree.PrimExpr] = []
    step: tree.PrimExpr = tree.IntImm(1, None, "1", *span)
    for axis in range(len(dims) - 1, -1, -1):
        one = number if _is(step, 1) else tree.FloorDiv(number, step, *span)
        found.insert(0, one if axis == 0 else tree.FloorMod(one, dims[axis], *span))
        step = _product(step, dims[axis], span)
    return tuple(found)


def count(dims: Sequence[tree.PrimExpr]) -> tree.PrimExpr:
    """Return how many elements a buffer of these dimensions has."""
    found: tree.PrimExpr = tree.IntImm(1, None, "1")
    for dim in dims:
        found = _product(found, dim, (dim.pos, dim.end))
    return found


def _sum(a: tree.PrimExpr, b: tree.PrimExpr, span: tuple[int, int]) -> tree.PrimExpr:
    if _is(a, 0):
        return b
    return a if _is(b, 0) else tree.Add(a, b, *span)


def _product(a: tree.PrimExpr, b: tree.PrimExpr, span: tuple[int, int]) -> tree.PrimExpr:
    if isinstance(a, tree.IntImm) and isinstance(b, tree.IntImm):
        value = a.value * b.value
        return tree.IntImm(value, None, str(value), *span)
    if _is(a, 0) or _is(b, 1):
        return a
    return b if _is(a, 1) else tree.Mul(a, b, *span)


def _is(node: tree.PrimExpr, value: int) -> bool:
    return isinstance(node, tree.IntImm) and node.value == value
