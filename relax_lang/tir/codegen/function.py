"""The code of a compiled PrimFunc: checks at entry, allocations, kernels.

The tree is made from checked parts: identifiers that `Guards` chose, numbers, and names of the program in remarks,
escaped.
"""

from __future__ import annotations

from typing import assert_never

from relax_lang.base.python.generated_source import MOST_NESTED
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Storage
from relax_lang.tir.analysis.lowered.statements import Extern
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.array_expressions import value_of
from relax_lang.tir.codegen.kernels.dispatch import emit
from relax_lang.tir.codegen.passes.context import Context
from relax_lang.tir.codegen.passes.effects import ARE_APART, LateGuards, pairs_apart
from relax_lang.tir.codegen.passes.pipeline import DEAD_CODE, run_passes
from relax_lang.tir.codegen.passes.values.dead_code import remove_unused
from relax_lang.tir.codegen.passes.verify import Verifier
from relax_lang.tir.codegen.printer.module import Generated
from relax_lang.tir.codegen.writer import Writer
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
    walk,
)
from relax_lang.tir.schedule.strategies.lockstep import stored_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.passes.pipeline import Dump
    from relax_lang.tir.ir.signature import Param
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.plan import Node


def generate(
    lowering: Lowering,
    nodes: list[Node],
    merged: dict[str, str],
    without: Collection[str] = (),
    dump: Dump | None = None,
) -> Generated:
    """Return the code of a PrimFunc. Passes named in `without` are left out; `dump` is given the code after each.

    Raises `NotVectorizable` where the interpreter might have to repeat the call of a packed function.
    """
    writer = Writer(lowering.entry, lowering.space, value_of)
    used = used_storages(writer.space, nodes)
    for storage in lowering.allocated:
        if storage in used or not storage.is_temporary:
            writer.add(ir.Allocate(storage.name, writer.numbers(storage.sizes), storage.dtype))
    emit(writer, nodes)
    written = _written(nodes)
    params = [
        (lowering.entry.identifier(lowering.analysis.symbols[param]), param)
        for param in lowering.analysis.func.params
    ]
    context = Context(lowering.entry, lambda size: not lowering.space.varies(size))
    run_passes(writer.body, context, without, dump)
    late = LateGuards(writer.body, written)
    if late.after_call:
        raise NotVectorizable("what follows the call may fail, and would repeat it", writer.externs[0])
    body: list[ir.Statement] = writer.body
    if late.after_store:
        body = [ir.Restoring(tuple([Ref(name) for name in written]), body)]
    writer.body = []
    writable = _writable(lowering, written)
    _enter(writer, lowering, written, writable, merged)
    entry = writer.body
    statements = [*entry, *body]
    _verify(params, statements)
    if DEAD_CODE not in without:
        remove_unused(statements)
        _verify(params, statements)
    if dump is not None:
        dump(DEAD_CODE, statements)
    if _depth(statements) > MOST_NESTED:
        raise NotVectorizable("its loops are nested too deep", lowering.analysis.func.body[0])
    made = Generated(
        lowering.analysis.func, lowering.entry, params, statements, writer.externs, written, writable
    )
    made.parts = entry, body
    return made


def _depth(statements: list[ir.Statement]) -> int:
    """Return how many loops and `with`s are in each other."""
    deepest = 0
    pending = [(statement, 0) for statement in statements]
    while pending:
        statement, depth = pending.pop()
        if isinstance(statement, ir.Nested):
            depth += not isinstance(statement, ir.If)
            deepest = max(deepest, depth)
            pending += [(one, depth) for one in statement.body]
    return deepest


def _verify(params: list[tuple[str, Param]], body: list[ir.Statement]) -> None:
    """Check what a pass has made, where tests ask for it."""
    if Verifier.is_on:
        Verifier([name for name, _ in params]).check(body)


def _enter(
    writer: Writer, lowering: Lowering, written: list[str], writable: list[str], merged: dict[str, str]
) -> None:
    """Write the entry: names for sizes, checks of the arguments, requirements."""
    func, entry, symbols = lowering.analysis.func, lowering.entry, lowering.analysis.symbols
    buffers = signature.buffers(func)
    arrays = {buffer.name: Ref(entry.identifier(symbols[buffer])) for buffer in buffers}
    wanted: list[Expr] = [
        ScalarOp("==", (ir.Property(arrays[buffer.name], "rank"), Literal(len(buffer.shape))))
        for buffer in buffers
    ]
    _require(writer, wanted)
    _name_sizes(writer, lowering, arrays)
    for scalar in signature.scalars(func):
        if not dtypes.is_float(scalar.dtype.name):
            name = entry.identifier(symbols[scalar])
            kind = "bool" if scalar.dtype.name == dtypes.BOOL else "int"
            writer.add(ir.Define(name, ir.Call(kind, (Ref(name),)), rebinds=True))
            if kind == "int":
                least, greatest = dtypes.INT_RANGES[scalar.dtype.name]
                wanted.append(ScalarOp("<=", (Literal(least), Ref(name), Literal(greatest))))
    for name, value in entry.lines:
        if name is None and not (isinstance(value, ScalarOp) and value.op == "or"):
            wanted.append(value)
            continue
        _require(writer, wanted)
        writer.add(ir.Require((value,)) if name is None else ir.Define(name, value))
    for buffer in buffers:
        wanted += _fits(lowering, buffer, arrays[buffer.name])
    wanted += [ir.Property(Ref(name), "writeable") for name in writable if name not in written]
    wanted += _apart(lowering, written, merged)
    _require(writer, wanted)


def _require(writer: Writer, conditions: list[Expr]) -> None:
    """Write that some conditions must hold, of which the first that does not ends the call; forget them."""
    if conditions:
        writer.add(ir.Require(tuple(conditions)))
        conditions.clear()


def _name_sizes(writer: Writer, lowering: Lowering, arrays: dict[str, Ref]) -> None:
    """Write the names of the dimensions: all of a shape at once where it has nothing else."""
    binders: dict[str, dict[int, str]] = {}
    for symbol in lowering.analysis.dims.values():
        assert symbol.binder is not None, "a dimension variable is bound by a buffer"
        buffer, position = symbol.binder
        binders.setdefault(buffer, {})[position] = lowering.entry.identifier(symbol)
    ranks = {buffer.name: len(buffer.shape) for buffer in signature.buffers(lowering.analysis.func)}
    for buffer, names in binders.items():
        shape = ir.Property(arrays[buffer], "shape")
        if len(names) == ranks[buffer] > 1:
            writer.add(ir.Unpack(tuple([names[at] for at in range(len(names))]), shape))
            continue
        for position, name in names.items():
            writer.add(ir.Define(name, ir.View(shape, (ir.At(Literal(position)),))))


def _fits(lowering: Lowering, buffer: tree.Buffer, array: Ref) -> list[Expr]:
    """Return the conditions that an array has the dtype and the shape of a buffer."""
    shape = ir.Tuple(tuple([lowering.values.polynomial(dim) for dim in buffer.shape]))
    test = ir.HasDtype(array, buffer.dtype.name)
    binders = [symbol.binder for symbol in lowering.analysis.dims.values()]
    names = [binder for binder in binders if binder is not None and binder[0] == buffer.name]
    if len(names) == len(buffer.shape):
        return [test]  # its shape is what names the sizes
    return [test, ScalarOp("==", (ir.Property(array, "shape"), shape))]


def _apart(lowering: Lowering, written: list[str], merged: dict[str, str]) -> list[Expr]:
    """Return the conditions that arrays that are written can be, and share no memory with another parameter."""
    symbols = lowering.analysis.symbols
    buffers = [buffer for buffer in signature.buffers(lowering.analysis.func) if buffer.name not in merged]
    names = [lowering.entry.identifier(symbols[buffer]) for buffer in buffers]
    pairs = pairs_apart(written, names)
    conditions: list[Expr] = []
    for name in written:
        conditions.append(ir.Property(Ref(name), "writeable"))
        shared = [
            ir.Call("share_memory", (Ref(one), Ref(other))) for one, other in pairs or () if one == name
        ]
        conditions += [ScalarOp("not", (one,)) for one in shared]
    if pairs is None:
        others = [name for name in names if name not in written]
        groups = [ir.Tuple(tuple([Ref(name) for name in group])) for group in (written, others)]
        conditions.append(ir.Call(ARE_APART, tuple(groups)))
    return conditions


def _writable(lowering: Lowering, written: list[str]) -> list[str]:
    """Return the names of the parameters whose arrays must be writable: those that a statement stores to, whether it is
    ever reached or not, as in the interpreter.
    """
    symbols, stores = lowering.analysis.symbols, lowering.analysis.stores()
    stored = [
        lowering.entry.identifier(symbols[buffer])
        for buffer in signature.buffers(lowering.analysis.func)
        if buffer.name in stores
    ]
    return list(dict.fromkeys([*written, *stored]))


def _written(nodes: Sequence[Node]) -> list[str]:
    """Return the names of the parameters that are stored to."""
    found: list[Storage] = []
    for node in walk(nodes):
        match node:
            case Kernel():
                found.append(node.stage.target)
            case Single():  # other statements store to arrays that are made here
                if isinstance(node.statement, Extern):
                    found += [arg for arg in node.statement.args if isinstance(arg, Storage)]
            case LockStep():
                found += stored_in(node)
            case ArgKernel():
                found += [update.storage for update in node.statement.updates]
            case TransposedScan():
                found += node.stored
            case Sequential() | While() | Tile():
                pass
            case _:
                assert_never(node)
    return list(dict.fromkeys([storage.name for storage in found if storage.is_param]))
