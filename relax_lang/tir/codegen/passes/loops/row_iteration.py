"""Row iteration: rows that the iterations of a loop visit one after the other come from iterating over their array,
which is cheaper than an index. So do parts of rows that are the same in all iterations.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, with_parts
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.passes.effects import bodies_of, definitions
from relax_lang.tir.codegen.passes.rewriting import mapped, propagate
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial
    Key = tuple[str, Polynomial]

_WORDS = {0: "now", -1: "before", 1: "after"}


def iterate_over_rows(body: list[Statement], context: Context) -> None:
    """Let hot loops go through rows, outer loops first."""
    _iterate(body, context, set())


def _iterate(body: list[Statement], context: Context, rows: set[str]) -> None:
    for at, statement in enumerate(body):
        found = rows
        if isinstance(statement, ir.For) and statement.hot:
            loop = body[at] = _with_rows(statement, context, rows)
            found = rows.union([row.name for row in loop.rows])
        _iterate(bodies_of(body[at]), context, found)


def _with_rows(loop: ir.For, context: Context, outer: set[str]) -> ir.For:
    """Return a loop that goes through rows; those of loops around it are not gone through again."""
    made = outer.union(definitions(loop.body))
    found: dict[Key, _Row | None] = {}
    parts: dict[tuple[str, tuple[ir.Axis, ...]], _Row] = {}

    def row_of(part: Part) -> _Row | None:
        """Return the row that a view is a part of."""
        match part:
            case ir.View(Ref(name, _, shape) as array, (ir.At(Polynomial() as index), *_)):
                if shape is None or len(shape) < 2 or name in made or loop.variable not in index.names():
                    return None
                key = name, index
                if key not in found:
                    found[key] = _row(loop, array, index, context)
                return found[key]
            case _:
                return None

    def replaced(part: Part) -> Part:
        if isinstance(part, Polynomial | Ref | Literal):
            return part
        row = row_of(part)
        if row is None or not isinstance(part, ir.View):
            return with_parts(part, replaced)
        rest = part.axes[1:]
        if not rest or all(isinstance(axis, ir.Slice) and axis.whole and axis.step == 1 for axis in rest):
            return row.ref
        same = made.union((loop.variable,)).isdisjoint([name for axis in rest for name in names_in(axis)])
        if not same or not all(isinstance(axis, ir.Slice) for axis in rest):
            return ir.View(row.ref, rest)
        key = row.ref.name, rest
        if key not in parts:
            parts[key] = row.part(context.fresh(row.ref.name), rest)
        return parts[key].ref

    loop.body[:] = [mapped(statement, replaced) for statement in loop.body]
    all_rows = [*[row for row in found.values() if row is not None], *parts.values()]
    propagate(loop.body, {row.ref.name for row in all_rows})
    used = names_in(ir.Restoring((), loop.body))
    rows = sorted([row for row in all_rows if row.ref.name in used], key=lambda row: not row.is_exact)
    exact = loop.variable not in used and bool(rows) and rows[0].is_exact
    listed = tuple([ir.Row(row.ref.name, row.array) for row in rows])
    return ir.For(
        loop.variable, loop.start, loop.stop, loop.step, loop.body, listed, exact=exact, hot=loop.hot
    )


class _Row:
    """An array that is gone through row by row as iterations go on: `is_exact` if it has a row for each."""

    __slots__ = ("array", "is_exact", "ref")

    def __init__(self, ref: Ref, array: Expr, *, is_exact: bool) -> None:
        self.ref = ref
        self.array = array
        self.is_exact = is_exact

    def part(self, name: str, axes: tuple[ir.Axis, ...]) -> _Row:
        """Return the same part of each row."""
        array = ir.View(self.array, (ir.Whole(), *axes))
        match self.array:
            case ir.View(inner, (ir.Slice(step=1) as first,)):
                array = ir.View(inner, (first, *axes))
            case _:
                pass
        dtype, shape = type_of(array)
        return _Row(Ref(name, dtype, None if shape is None else shape[1:]), array, is_exact=self.is_exact)


def _row(loop: ir.For, array: Ref, index: Polynomial, context: Context) -> _Row | None:
    """Return the rows at an index, if all of them surely are in the array."""
    factor, rest = index.coefficient(loop.variable), index.without({loop.variable})
    assert array.shape is not None, "what has rows has a shape"
    size, low, extent = array.shape[0], loop.start, loop.stop
    if (
        factor is None
        or factor.value not in (1, -1)
        or not isinstance(low, Literal)
        or not isinstance(low.value, int)
    ):
        return None
    if not isinstance(extent, Polynomial) or not context.is_size(rest):
        return None
    longest = context.whole_extent(extent)
    forward = factor.value == 1
    rows: Expr = array
    if forward:
        skipped, inside, shift = rest + low.value, size - rest - longest, rest.value
    else:
        skipped, inside, shift = size - 1 - rest + low.value, rest + 1 - longest, (size - 1 - rest).value
        rows = ir.View(rows, (ir.Slice(size - 1, size, -1, whole=True),))
    if not context.is_nonnegative(skipped) or not context.is_nonnegative(inside):
        return None
    if skipped.value != 0:
        rows = ir.View(rows, (ir.Slice(skipped, size - skipped),))
    word = _WORDS.get(2 if shift is None else shift, "row")
    name = context.fresh(f"{array.name.removesuffix('_turned').lower()}_{word}")
    return _Row(
        Ref(name, array.dtype, array.shape[1:]),
        rows,
        is_exact=shift == 0 and size == extent,
    )
