"""Indices that are provably outside their buffer, where loops and dimensions are constant. [TIR.8]

An index built by `+ - *` from literals and variables with constant ranges, each used once, really reaches its
least and its greatest value; everything else is left to the check at run time.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.tir import problems
from relax_lang.tir.symbols import DIM, SCALAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.tir.context import Context, Interval
    from relax_lang.tir.symbols import Symbol


def check(ctx: Context, indices: tuple[tree.PrimExpr, ...], symbol: Symbol) -> None:
    """Report the indices of an access that leave the buffer for some iteration; loops count as non-empty."""
    for position, (index, dim) in enumerate(zip(indices, symbol.shape or (), strict=True)):
        reached = interval(ctx, index)
        extent = interval(ctx, dim)
        value = None
        if reached is not None and reached[0] < 0:
            value = reached[0]
        elif (
            reached is not None and extent is not None and extent[0] == extent[1] and reached[1] >= extent[0]
        ):
            value = reached[1]
        if value is not None:
            size = str(extent[0]) if extent is not None else _text(dim)
            ctx.report(problems.out_of_bounds(index, _text(index), str(value), position, symbol.name, size))
        elif _same_dimension(ctx, index, dim):
            size = _text(dim)
            ctx.report(problems.out_of_bounds(index, _text(index), size, position, symbol.name, size))


def interval(ctx: Context, expr: tree.PrimExpr) -> Interval | None:
    """Return the least and greatest value of an index if both are constants that it really takes."""
    return _interval(ctx, expr, set())


def _interval(ctx: Context, expr: tree.PrimExpr, used: set[Symbol]) -> Interval | None:
    if isinstance(expr, tree.IntImm):
        return expr.value, expr.value
    if isinstance(expr, tree.PrimVar):
        symbol = ctx.symbols.get(expr)
        if symbol is None or symbol in used:
            return None
        used.add(symbol)
        return ctx.ranges.get(symbol)
    if isinstance(expr, tree.Neg):
        inner = _interval(ctx, expr.a, used)
        return None if inner is None else (-inner[1], -inner[0])
    if not isinstance(expr, tree.Add | tree.Sub | tree.Mul):
        return None
    a, b = _interval(ctx, expr.a, used), _interval(ctx, expr.b, used)
    if a is None or b is None:
        return None
    if isinstance(expr, tree.Add):
        return a[0] + b[0], a[1] + b[1]
    if isinstance(expr, tree.Sub):
        return a[0] - b[1], a[1] - b[0]
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)


def _same_dimension(ctx: Context, index: tree.PrimExpr, dim: tree.PrimExpr) -> bool:
    """Tell whether an index is the very size of its dimension: `X[n]` for `Buffer[(n,), …]`."""
    if not isinstance(index, tree.PrimVar) or not isinstance(dim, tree.PrimVar):
        return False
    symbol = ctx.symbols.get(index)
    return symbol is not None and symbol is ctx.symbols.get(dim) and symbol.kind in (DIM, SCALAR)


def _text(node: Node) -> str:
    from relax_lang.fmt.printer import show  # only needed when there is something to report

    return show(node)
