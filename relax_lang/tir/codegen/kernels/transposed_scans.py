"""Scans on turned copies as text: copies, the loop on them, copies back; some rows at a time."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.wording import tuple_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.vector_ir import Storage
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Node, TransposedCopy, TransposedScan

    Columns = tuple[Polynomial, Polynomial]
    Emit = Callable[[Writer, Sequence[Node]], None]


def turned(writer: Writer, node: TransposedScan, emit: Emit) -> None:
    """Write a scan on turned copies."""
    for storage in node.stored:
        writer.stores_to(storage)
    loop = node.body[0].loop.name
    if node.start is None or node.size is None:
        writer.line(f"# on copies with {loop} first")
        for copy in node.copies:
            shape = tuple_text([writer.number(size) for size in copy.storage.sizes])
            writer.line(f"{copy.storage.name} = empty({shape}, {writer.dtype(copy.storage.dtype)})")
        _around(writer, node, "", emit)
        return
    writer.line(f"# on copies with {loop} first: some rows at a time")
    extent, start, size = writer.extent(node.start), node.start.name, str(node.size)
    step = _step(writer, node, extent)
    wholes = [_whole(writer, copy, node.size, step) for copy in node.copies]
    with writer.indented(f"for {start} in range(0, {extent}, {step}):", node.start):
        writer.line(f"{size} = min({step}, {extent} - {start})")
        writer.known.add(size)
        for copy, whole in zip(node.copies, wholes, strict=True):
            at = _row_dimension(copy)
            writer.line(f"{copy.storage.name} = {whole}[{', '.join([*[':'] * at, f':{size}'])}]")
        _around(writer, node, size, emit)
        writer.known.discard(size)


def _step(writer: Writer, node: TransposedScan, extent: str) -> str:
    """Write how many rows are turned at once; return its name."""
    first = node.copies[0]
    width = Polynomial.constant(1)
    for at, size in enumerate(first.storage.sizes[1:], 1):
        if at != _row_dimension(first):
            width = width * size
    numbers = [writer.number(number) for number in (width, first.storage.sizes[0])]
    call = f"{writer.helper('rows_at_once')}({extent}, {', '.join(numbers)}, {len(node.copies)})"
    return writer.name(call, "step")


def _whole(writer: Writer, copy: TransposedCopy, size: Polynomial, step: str) -> str:
    """Write an array for a copy of any block; return its name. Its rows do not all start at one place of the cache."""
    apart = 8 if len(copy.storage.sizes) == 2 else 1
    sizes = [f"{step} + {apart}" if part == size else writer.number(part) for part in copy.storage.sizes]
    return writer.name(f"empty({tuple_text(sizes)}, {writer.dtype(copy.storage.dtype)})", "turned")


def _row_dimension(copy: TransposedCopy) -> int:
    assert copy.rows is not None, "rows are along a dimension of every copy"
    return copy.rows[0] + 1


def _around(writer: Writer, node: TransposedScan, size: str, emit: Emit) -> None:
    """Write the copies, the loop, and the copies back."""
    for copy in node.copies:
        for storage, columns in ((copy.source, copy.reads), (copy.target, copy.before)):
            if storage is not None and columns is not None:
                texts = _texts(writer, node, copy, storage, columns, size)
                writer.line(
                    f"{writer.helper('copy_transposed')}({texts[0]}, {_turned(storage, texts[1], 1)})"
                )
    emit(writer, node.body)
    for copy in node.copies:
        if copy.target is not None and copy.stores is not None:
            local, text = _texts(writer, node, copy, copy.target, copy.stores, size)
            writer.line(f"{writer.helper('copy_transposed')}({text}, {_turned(copy.target, local, -1)})")


def _texts(
    writer: Writer, node: TransposedScan, copy: TransposedCopy, storage: Storage, columns: Columns, size: str
) -> tuple[str, str]:
    """Return some columns of a copy, and the same ones of an array."""
    slices = [":"] * len(storage.sizes)
    if copy.rows is not None and node.start is not None:
        at, offset = copy.rows
        first = offset + Polynomial.name(node.start.name)
        slices[at] = f"{writer.number(first)}:{writer.number(first + Polynomial.name(size))}"
    local = copy.storage.name
    low, high = columns
    if low.value != 0 or high != storage.sizes[-1]:
        slices[-1] = f"{'' if low.value == 0 else writer.number(low)}:{writer.number(high)}"
        local += f"[{slices[-1]}]"
    while slices and slices[-1] == ":":
        slices.pop()
    return local, f"{storage.name}[{', '.join(slices)}]" if slices else storage.name


def _turned(storage: Storage, text: str, direction: int) -> str:
    """Return an array with its last dimension first, or the other way round."""
    if len(storage.sizes) == 2:
        return f"{text}.T"
    return f"np.moveaxis({text}, {'-1, 0' if direction > 0 else '0, -1'})"
