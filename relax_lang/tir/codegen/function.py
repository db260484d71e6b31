"""The code of a compiled PrimFunc: checks at entry, allocations, kernels.

The text is made from checked parts: identifiers that `Guards` chose, numbers, and names of the program in comments,
escaped.
"""

from __future__ import annotations

from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.vector_ir import Extern, NotVectorizable, Storage
from relax_lang.tir.codegen.array_expressions import text_of
from relax_lang.tir.codegen.kernels.dispatch import emit
from relax_lang.tir.codegen.module import Generated
from relax_lang.tir.codegen.writer import Writer, dtype_text
from relax_lang.tir.ir import signature
from relax_lang.tir.schedule.init_folding import used_storages
from relax_lang.tir.schedule.plan import (
    ArgKernel,
    Kernel,
    LockStep,
    Sequential,
    Single,
    Tile,
    TransposedScan,
    While,
)
from relax_lang.tir.schedule.strategies.lockstep import stored_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.plan import Node


def generate(lowering: Lowering, nodes: list[Node], merged: dict[str, str]) -> Generated:
    """Return the code of a PrimFunc.

    Raises `NotVectorizable` where the interpreter might have to repeat the call of a packed function.
    """
    writer = Writer(lowering.entry, lowering.space, text_of)
    writer.helpers.add("NotVectorized")
    used = used_storages(writer.space, nodes)
    for storage in lowering.allocated:
        if storage in used or not storage.is_temporary:
            _allocate(writer, storage)
    emit(writer, nodes)
    if writer.may_call_twice:
        raise NotVectorizable("what follows the call may fail, and would repeat it", writer.externs[0])
    writer.helpers |= lowering.entry.helpers
    body = writer.lines
    written = _written(nodes)
    if writer.may_fail_late and written:
        writer.helpers.add("restored")
        body = [f"    with restored({', '.join(written)}):", *[f"    {line}" for line in body]]
    writer.lines = []
    _enter(writer, lowering, written, merged)
    func, entry = lowering.analysis.func, lowering.entry
    params = [(entry.identifier(lowering.analysis.symbols[param]), param) for param in func.params]
    name = entry.fresh(func.name.name_hint)
    lines = [*writer.lines, *(body or ["    pass"])]
    return Generated(func, name, params, lines, writer.helpers, writer.externs, written)


def _enter(writer: Writer, lowering: Lowering, written: list[str], merged: dict[str, str]) -> None:
    """Write the entry: names for sizes, checks of what the caller gave, requirements."""
    func, entry, symbols = lowering.analysis.func, lowering.entry, lowering.analysis.symbols
    buffers = signature.buffers(func)
    arrays = {buffer.name: entry.identifier(symbols[buffer]) for buffer in buffers}
    wanted = [f"{arrays[buffer.name]}.ndim == {len(buffer.shape)}" for buffer in buffers]
    _require(writer, wanted)
    _name_sizes(writer, lowering, arrays)
    for scalar in signature.scalars(func):
        if not dtypes.is_float(scalar.dtype.name):
            name = entry.identifier(symbols[scalar])
            kind = "bool" if scalar.dtype.name == dtypes.BOOL else "int"
            writer.line(f"{name} = {kind}({name})")
            if kind == "int":
                least, greatest = dtypes.INT_RANGES[scalar.dtype.name]
                wanted.append(f"{least} <= {name} <= {greatest}")
    for kind, text in entry.lines:
        if kind == "require" and " or " not in text:
            wanted.append(text)
            continue
        _require(writer, wanted)
        if kind == "require":
            _require(writer, [text])
        else:
            writer.line(text)
    for buffer in buffers:
        wanted += _fits(lowering, buffer, arrays[buffer.name])
    wanted += _apart(lowering, written, merged)
    _require(writer, wanted)


def _require(writer: Writer, conditions: list[str]) -> None:
    """Write that some conditions must hold, of which the first that does not ends the call; forget them."""
    if conditions:
        writer.line(f"{writer.helper('require')}({' and '.join(conditions)})")
        conditions.clear()


def _name_sizes(writer: Writer, lowering: Lowering, arrays: dict[str, str]) -> None:
    """Write the names of the dimensions: all of a shape at once where it has nothing else."""
    binders: dict[str, dict[int, str]] = {}
    for symbol in lowering.analysis.dims.values():
        assert symbol.binder is not None, "a dimension variable is bound by a buffer"
        buffer, position = symbol.binder
        binders.setdefault(buffer, {})[position] = lowering.entry.identifier(symbol)
    ranks = {buffer.name: len(buffer.shape) for buffer in signature.buffers(lowering.analysis.func)}
    for buffer, names in binders.items():
        if len(names) == ranks[buffer] > 1:
            writer.line(f"{', '.join([names[at] for at in range(len(names))])} = {arrays[buffer]}.shape")
            continue
        for position, name in names.items():
            writer.line(f"{name} = {arrays[buffer]}.shape[{position}]")


def _fits(lowering: Lowering, buffer: tree.Buffer, name: str) -> list[str]:
    """Return the conditions that an array is what a buffer says."""
    shape = [str(lowering.values.polynomial(dim)) for dim in buffer.shape]
    dtype = buffer.dtype.name
    test = (
        f'{name}.dtype.name == "bfloat16"' if dtype == "bfloat16" else f"{name}.dtype == {dtype_text(dtype)}"
    )
    binders = [symbol.binder for symbol in lowering.analysis.dims.values()]
    names = [binder for binder in binders if binder is not None and binder[0] == buffer.name]
    if len(names) == len(shape):
        return [test]  # its shape is what names the sizes
    return [test, f"{name}.shape == {tuple_text(shape)}"]


def _apart(lowering: Lowering, written: list[str], merged: dict[str, str]) -> list[str]:
    """Return the conditions that arrays that are written can be, and share no memory with another parameter."""
    symbols = lowering.analysis.symbols
    buffers = [buffer for buffer in signature.buffers(lowering.analysis.func) if buffer.name not in merged]
    names = [lowering.entry.identifier(symbols[buffer]) for buffer in buffers]
    conditions: list[str] = []
    for at, name in enumerate(written):
        conditions.append(f"{name}.flags.writeable")
        # Two written arrays are compared once.
        others = [other for other in names if other != name and other not in written[:at]]
        conditions += [f"not np.may_share_memory({name}, {other})" for other in others]
    return conditions


def _written(nodes: Sequence[Node]) -> list[str]:
    """Return the names of the parameters that are stored to."""
    found: list[str] = []
    for node in nodes:
        if isinstance(node, Kernel) and node.stage.target.is_param:
            found.append(node.stage.target.name)
        elif isinstance(node, Single) and isinstance(node.statement, Extern):
            found += [arg.name for arg in node.statement.args if isinstance(arg, Storage) and arg.is_param]
        elif isinstance(node, LockStep):
            found += [storage.name for storage in stored_in(node) if storage.is_param]
        elif isinstance(node, ArgKernel):
            found += [update.storage.name for update in node.statement.updates if update.storage.is_param]
        elif isinstance(node, Tile):
            found += [kernel.stage.target.name for kernel in node.body if kernel.stage.target.is_param]
        elif isinstance(node, TransposedScan):
            found += [*[storage.name for storage in node.stored if storage.is_param], *_written(node.body)]
        elif isinstance(node, Sequential | While):
            found += _written(node.body)
    return list(dict.fromkeys(found))


def _allocate(writer: Writer, storage: Storage) -> None:
    shape = tuple_text([writer.number(size) for size in storage.sizes])
    writer.line(f"{storage.name} = empty({shape}, {writer.dtype(storage.dtype)})")
