"""Scans on transposed copies: copies, the loop on them, copies back; some rows at a time."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.writer import array_of, name_of, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.accesses import Storage
    from relax_lang.tir.array_ir.nodes import Axis, Expr, Statement
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Node, TransposedCopy, TransposedScan

    Columns = tuple[Polynomial, Polynomial]
    Emit = Callable[[Writer, Sequence[Node]], None]


def transposed_scan(writer: Writer, node: TransposedScan, emit: Emit) -> None:
    """Write a scan on transposed copies."""
    loop = node.body[0].loop.name
    if node.start is None or node.size is None:
        writer.add(remark(f"on copies with {loop} first"))
        for copy in node.copies:
            sizes = writer.numbers(copy.storage.sizes)
            writer.add(ir.Allocate(copy.storage.name, sizes, copy.storage.dtype))
        _around(writer, node, emit)
        return
    writer.add(remark(f"on copies with {loop} first: some rows at a time"))
    extent, start, size = writer.extent(node.start), node.start.name, name_of(node.size)
    step = _step(writer, node, extent)
    wholes = [_whole(writer, copy, node.size, step) for copy in node.copies]
    body: list[Statement] = []
    with writer.inside(body, node.start):
        writer.add(ir.Define(size, ScalarOp("min", (step, extent - Polynomial.name(start)))))
        writer.known.add(size)
        for copy, whole in zip(node.copies, wholes, strict=True):
            some: list[Axis] = [ir.Whole()] * len(copy.storage.sizes)
            some[_row_dimension(copy)] = ir.Slice(Polynomial.constant(0), node.size)
            writer.add(ir.Define(copy.storage.name, ir.View(whole, tuple(some))))
        _around(writer, node, emit)
        writer.known.discard(size)
    writer.add(ir.For(start, Literal(0), extent, step, body))


def _step(writer: Writer, node: TransposedScan, extent: Polynomial) -> Polynomial:
    """Write how many rows are transposed at once; return its name."""
    first = node.copies[0]
    width = Polynomial.constant(1)
    for at, size in enumerate(first.storage.sizes[1:], 1):
        if at != _row_dimension(first):
            width = width * size
    numbers = writer.numbers([width, first.storage.sizes[0]])
    call = ir.Call("rows_at_once", (extent, *numbers, Literal(len(node.copies))))
    return Polynomial.name(writer.name(call, "step").name)


def _whole(writer: Writer, copy: TransposedCopy, size: Polynomial, step: Polynomial) -> Ref:
    """Write an array for a copy of any block; return its name. Its rows do not all start at one place of the cache."""
    apart = 8 if len(copy.storage.sizes) == 2 else 1
    sizes = tuple([step + apart if part == size else writer.number(part) for part in copy.storage.sizes])
    name = writer.fresh("transposed")
    writer.add(ir.Allocate(name, sizes, copy.storage.dtype))
    return Ref(name, copy.storage.dtype, sizes)


def _row_dimension(copy: TransposedCopy) -> int:
    assert copy.rows is not None, "rows are along a dimension of every copy"
    return copy.rows[0] + 1


def _around(writer: Writer, node: TransposedScan, emit: Emit) -> None:
    """Write the copies, the loop, and the copies back."""
    for copy in node.copies:
        for storage, columns in ((copy.source, copy.reads), (copy.target, copy.before)):
            if storage is not None and columns is not None:
                local, part = _parts(writer, node, copy, storage, columns)
                _copy(writer, local, _last_first(part, len(storage.sizes)))
    emit(writer, node.body)
    for copy in node.copies:
        if copy.target is not None and copy.stores is not None:
            local, part = _parts(writer, node, copy, copy.target, copy.stores)
            _copy(writer, part, _first_last(local, len(copy.target.sizes)))


def _copy(writer: Writer, target: Expr, source: Expr) -> None:
    writer.add(ir.Evaluate(ir.Call("copy_transposed", (target, source))))


def _parts(
    writer: Writer, node: TransposedScan, copy: TransposedCopy, storage: Storage, columns: Columns
) -> tuple[Expr, Expr]:
    """Return some columns of a copy, and the same ones of an array."""
    axes: list[Axis] = [ir.Whole()] * len(storage.sizes)
    if copy.rows is not None and node.start is not None and node.size is not None:
        at, offset = copy.rows
        axes[at] = ir.Slice(writer.number(offset + Polynomial.name(node.start.name)), node.size)
    local: Expr = array_of(copy.storage)
    low, high = columns
    if low.value != 0 or high != storage.sizes[-1]:
        axes[-1] = ir.Slice(writer.number(low), writer.number(high) - low)
        local = ir.View(local, (axes[-1],))
    return local, ir.View(array_of(storage), tuple(axes))


def _last_first(array: Expr, rank: int) -> Expr:
    return ir.Transposed(array, (rank - 1, *range(rank - 1)))


def _first_last(array: Expr, rank: int) -> Expr:
    return ir.Transposed(array, (*range(1, rank), 0))
