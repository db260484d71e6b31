"""The static checks of a PrimFunc: names, ranks, types, axes, stores. [TIR.1-TIR.7, TIR.9, TIR.11, TIR.16]

What depends on the values of indices is found by `check` and what it calls, where all of this is in order.
`analyse` returns the findings with two tables that the interpreter and the compiler go by: the type of every
expression and the symbol behind every name. The tree itself is never changed. Never imports numpy.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit, has_errors, in_order
from relax_lang.base.names import nearest
from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.diagnostics import errors as diag
from relax_lang.tir.diagnostics import type_errors
from relax_lang.tir.diagnostics import views as view_diag
from relax_lang.tir.ir.jumps import has_jumps
from relax_lang.tir.ir.symbols import ALLOC, AXIS, BUFFER, DIM, LET, LOOP, SCALAR, VIEW, Symbol
from relax_lang.tir.ir.typing.context import Context
from relax_lang.tir.ir.typing.expression_types import (
    check_access,
    find,
    infer,
    infer_condition,
    infer_index,
    infer_stored,
)
from relax_lang.tir.ir.views import memory_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.node import Node, Table

AXIS_KINDS = ("spatial", "reduce", "scan", "opaque")


class Analysis:
    """What the checks found out about one PrimFunc.

    `types` gives the dtype of every expression; `symbols` what every `PrimVar` stands for, where it is used
    and where it is declared, and the symbol of every parameter and allocated buffer; `dims` the dimension
    variables.
    """

    __slots__ = ("_stores", "diagnostics", "dims", "func", "symbols", "types")

    def __init__(self, ctx: Context, dims: dict[str, Symbol]) -> None:
        self._stores = ctx.stores
        self.func = ctx.func
        self.diagnostics = in_order(ctx.diagnostics)
        self.types = ctx.types
        self.symbols = ctx.symbols
        self.dims = dims

    @property
    def has_errors(self) -> bool:
        """Whether the PrimFunc must not be run."""
        return has_errors(self.diagnostics)

    def stores(self) -> dict[str, tree.BufferStore]:
        """Return the buffer parameters that are stored to, each with its first store. [O.5]"""
        found: dict[str, tree.BufferStore] = {}
        for store in self._stores:
            memory = memory_of(self.symbols[store.buffer])
            if memory.kind == BUFFER:
                found.setdefault(memory.name, store)
        return found


def analyse(func: tree.PrimFunc) -> Analysis:
    """Check a PrimFunc and type it."""
    ctx = Context(func)
    dims = _declare_params(ctx)
    ctx.scopes.enter()
    check_body(ctx, func.body)
    if func.result is not None and func.ret_dtype is None:
        infer(ctx, func.result)  # which has no place, but the names in it mean something
    elif func.result is not None and func.ret_dtype is not None:
        dtype = func.ret_dtype.name if func.ret_dtype.name in dtypes.DTYPES else None
        infer_stored(ctx, func.result, dtype, func.result, func.ret_dtype)
    ctx.scopes.leave()
    return Analysis(ctx, dims)


def _declare_params(ctx: Context) -> dict[str, Symbol]:
    """Declare parameters and dimension variables; bare new names bind, in any order. [TIR.1]"""
    names: dict[str, Node] = {}
    for param in ctx.func.params:
        if param.name in names:
            ctx.report(diag.duplicate_parameter(param, param.name, names[param.name]))
        names.setdefault(param.name, param)
        shape = param.shape if isinstance(param, tree.Buffer) else None
        dtype = param.dtype.name if param.dtype.name in dtypes.DTYPES else None
        symbol = Symbol(SCALAR if shape is None else BUFFER, param.name, dtype, param, shape)
        ctx.symbols[param] = symbol
        ctx.scopes.declare(symbol)
    dims = _bind_dims(ctx, names)
    for param in ctx.func.params:
        for dim in param.shape if isinstance(param, tree.Buffer) else ():
            _check_dim(ctx, dim)
    return dims


def _bind_dims(ctx: Context, names: dict[str, Node]) -> dict[str, Symbol]:
    dims: dict[str, Symbol] = {}
    for param in ctx.func.params:
        if not isinstance(param, tree.Buffer):
            continue
        for position, dim in enumerate(param.shape):
            if isinstance(dim, tree.PrimVar) and dim.name not in names and dim.name not in dims:
                symbol = Symbol(DIM, dim.name, dtypes.INT64, dim, binder=(param.name, position))
                dims[dim.name] = symbol
                ctx.scopes.declare(symbol)
    return dims


def _check_dim(ctx: Context, dim: tree.PrimExpr) -> None:
    """Check a dimension of a parameter: every name in it has a value. [TIR.1]"""
    unbound = False
    for node in walk(dim):
        if isinstance(node, tree.PrimVar) and ctx.scopes.find(node.name) is None:
            unbound = True
            if node.name not in ctx.reported:
                ctx.reported.add(node.name)
                known = ctx.known((DIM, SCALAR))
                ctx.report(diag.unbound_dim(node, node.name, known))
    if not unbound:
        infer_index(ctx, dim, "a dimension")


def check_body(ctx: Context, statements: Iterable[tree.Stmt]) -> None:
    """Check statements in the scope that is open."""
    for statement in statements:
        _CHECK[type(statement)](ctx, statement)


def _check_scope(ctx: Context, statements: Iterable[tree.Stmt]) -> None:
    """Check the statements of a `{ }` of their own. [TIR.2]"""
    ctx.scopes.enter()
    check_body(ctx, statements)
    ctx.scopes.leave()


def _check_guarded(ctx: Context, statements: Iterable[tree.Stmt]) -> None:
    """Check statements that run only under a condition. [TIR.8]"""
    ctx.guards += 1
    _check_scope(ctx, statements)
    ctx.guards -= 1


def _check_for(ctx: Context, loop: tree.For) -> None:
    for bounds_of in loop.ranges:
        _check_range(ctx, bounds_of)
    ctx.scopes.enter()
    for var in loop.loop_vars:
        _declare(ctx, LOOP, var, dtypes.INT64, var)
    _check_iteration(ctx, loop)
    ctx.scopes.leave()


def _check_iteration(ctx: Context, loop: tree.For | tree.While) -> None:
    """Check the body of a loop in the scope that is open; where iterations end early, it may not run."""
    guard = 1 if has_jumps(loop.body) else 0
    ctx.loops.append(loop)
    ctx.guards += guard
    check_body(ctx, loop.body)
    ctx.guards -= guard
    ctx.loops.pop()


def _check_range(ctx: Context, bounds_of: tree.Range) -> None:
    infer_index(ctx, bounds_of.min, "the bound of a loop")
    infer_index(ctx, bounds_of.stop, "the bound of a loop")


def _declare(ctx: Context, kind: str, var: tree.PrimVar, dtype: str | None, node: Node) -> None:
    symbol = Symbol(kind, var.name, dtype, node)
    ctx.symbols[var] = symbol
    ctx.scopes.declare(symbol)


def _check_block(ctx: Context, block: tree.Block) -> None:
    for axis in block.axes:
        infer_index(ctx, axis.value, "an axis")
        if axis.dom is not None:
            _check_range(ctx, axis.dom)
    ctx.scopes.enter()
    _declare_axes(ctx, block)
    if block.predicate is not None:
        infer_condition(ctx, block.predicate)
        ctx.guards += 1
    _check_regions(ctx, block.reads or ())
    _check_regions(ctx, block.writes or ())
    if block.writes is not None:
        listed = {ctx.symbols[region.buffer] for region in block.writes if region.buffer in ctx.symbols}
        ctx.writes.append((block, listed))
    ctx.loops.append(block)
    _check_scope(ctx, block.init or ())
    _check_scope(ctx, block.body)
    ctx.loops.pop()
    if block.writes is not None:
        ctx.writes.pop()
    if block.predicate is not None:
        ctx.guards -= 1
    ctx.scopes.leave()


_KINDS_OF_TVM = {"S": "spatial", "R": "reduce"}
"""The letters of `T.axis.remap`."""


def _declare_axes(ctx: Context, block: tree.Block) -> None:
    """Declare the axes of a block: known kinds, each name once. [TIR.9]"""
    seen: dict[str, Node] = {}
    for axis in block.axes:
        name = axis.var.name
        if axis.kind not in AXIS_KINDS:
            meant = _KINDS_OF_TVM.get(axis.kind)
            near = None if meant else nearest(axis.kind, AXIS_KINDS)
            hint = f" (nearest: `{near}`)" if near else f"; the kinds are {', '.join(AXIS_KINDS)}"
            found = diag.block_axis(axis, name, f"there is no kind `{axis.kind}`{'' if meant else hint}")
            if meant:
                found.fix(f"write `{meant}`", Edit(axis.var.end, axis.value.pos, f" = {meant}("))
            ctx.report(found)
        if name in seen:
            ctx.report(diag.block_axis(axis, name, "the name occurs twice", seen[name]))
        seen.setdefault(name, axis)
        _declare(ctx, AXIS, axis.var, dtypes.INT64, axis)


def _check_regions(ctx: Context, regions: Iterable[tree.BufferRegion]) -> None:
    for region in regions:
        _check_region(ctx, region, region.buffer, region.region)


def _check_region(
    ctx: Context, place: Node, buffer: tree.PrimVar, region: Iterable[tree.RegionIndex] | None
) -> Symbol | None:
    """Check a region, or a whole buffer (None); return what it is of, unless that is not known or none."""
    for index in region or ():
        if isinstance(index, tree.Range):
            _check_range(ctx, index)
        else:
            assert isinstance(index, tree.PrimExpr), "a region is made of indices and ranges"
            infer_index(ctx, index)
    symbol = find(ctx, buffer)
    if symbol is None:
        return None
    if symbol.shape is None:
        ctx.report(diag.buffer_use(buffer, symbol.name, None, symbol.node))
        return None
    given = len(symbol.shape) if region is None else len(tuple(region))
    if given != len(symbol.shape):
        ctx.report(diag.rank_mismatch(place, symbol.name, len(symbol.shape), given, symbol.node))
        return None
    return symbol


def _check_view(ctx: Context, statement: tree.BufferView) -> None:
    """Check a view: it has the dtype of its source, and a dimension for each range of the region. [TIR.22]"""
    source = _check_region(ctx, statement, statement.source, statement.region)
    made = _declare_buffer(ctx, VIEW, statement.buffer, source)
    for _, listed in ctx.writes:
        if source is None or source in listed:
            listed.add(made)
    if source is None:
        return
    if None not in (made.dtype, source.dtype) and made.dtype != source.dtype:
        message = f"`{made.name}` is a buffer of {made.dtype}, `{source.name}` of {source.dtype}"
        labels = (statement.buffer.dtype, "this dtype"), (source.node, f"`{source.name}` is declared here")
        found = type_errors.dtype_mismatch(statement, message, None, "", labels)
        ctx.report(found.replace(statement.buffer.dtype, str(source.dtype), f"write `{source.dtype}`"))
        made.dtype = source.dtype  # what does not fit the wrong one is a consequence
    if statement.region is not None:
        ranges = sum(isinstance(one, tree.Range) for one in statement.region)
        if ranges != len(statement.buffer.shape):
            ctx.report(view_diag.ranges_of_view(statement, len(statement.buffer.shape), ranges))


def _declare_buffer(ctx: Context, kind: str, buffer: tree.Buffer, source: Symbol | None = None) -> Symbol:
    for dim in buffer.shape:
        infer_index(ctx, dim, "a dimension")
    dtype = buffer.dtype.name if buffer.dtype.name in dtypes.DTYPES else None
    symbol = Symbol(kind, buffer.name, dtype, buffer, buffer.shape, source=source)
    ctx.symbols[buffer] = symbol
    ctx.scopes.declare(symbol)
    return symbol


def _check_allocate(ctx: Context, statement: tree.Allocate) -> None:
    symbol = _declare_buffer(ctx, ALLOC, statement.buffer)
    for _, listed in ctx.writes:
        listed.add(symbol)  # a block need not list what is made inside it


def _check_let(ctx: Context, statement: tree.LetStmt) -> None:
    if statement.dtype is None:
        dtype = infer(ctx, statement.value)
    else:
        dtype = statement.dtype.name if statement.dtype.name in dtypes.DTYPES else None
        infer_stored(ctx, statement.value, dtype, statement.value, statement.dtype)
    _declare(ctx, LET, statement.var, dtype, statement)


def _check_store(ctx: Context, statement: tree.BufferStore) -> None:
    for index in statement.indices:
        infer_index(ctx, index)
    buffer = statement.buffer
    symbol = ctx.scopes.find(buffer.name)
    if symbol is None:
        if buffer.name not in ctx.reported:
            ctx.reported.add(buffer.name)
            known = ctx.known((BUFFER, ALLOC))
            ctx.report(diag.store_to_undeclared(buffer, buffer.name, None, known))
        infer(ctx, statement.value)
        return
    ctx.symbols[buffer] = symbol
    ctx.stores.append(statement)
    dtype = check_access(ctx, statement, buffer, statement.indices, symbol)
    if symbol.shape is not None:
        _check_writes(ctx, buffer, symbol)
    infer_stored(ctx, statement.value, dtype, statement, symbol.node)
    if statement.op != "=" and dtype == dtypes.BOOL:
        message = f"`{statement.op}` takes numbers, not bool"
        ctx.report(type_errors.dtype_mismatch(statement, message, None, "", ((symbol.node, "this is bool"),)))


def _check_writes(ctx: Context, buffer: tree.PrimVar, symbol: Symbol) -> None:
    for block, listed in reversed(ctx.writes):
        if symbol not in listed:
            ctx.report(diag.store_to_undeclared(buffer, buffer.name, block, ()))
            return


def _check_if(ctx: Context, statement: tree.IfThenElse) -> None:
    infer_condition(ctx, statement.condition)
    _check_guarded(ctx, statement.then_case)
    _check_guarded(ctx, statement.else_case)


def _check_while(ctx: Context, statement: tree.While) -> None:
    infer_condition(ctx, statement.condition)
    ctx.guards += 1
    ctx.scopes.enter()
    _check_iteration(ctx, statement)
    ctx.scopes.leave()
    ctx.guards -= 1


def _check_assert(ctx: Context, statement: tree.AssertStmt) -> None:
    infer_condition(ctx, statement.condition)


def _check_jump(ctx: Context, statement: tree.Break | tree.Continue) -> None:
    """Check `break` and `continue`: they are in a loop, and in no block of it; `break` in one that runs in order."""
    word = "break" if isinstance(statement, tree.Break) else "continue"
    around = ctx.loops[-1] if ctx.loops else None
    if around is None:
        ctx.report(diag.misplaced_jump(statement, word, "there is no loop around it", None))
    elif isinstance(around, tree.Block):
        ctx.report(diag.misplaced_jump(statement, word, "a block is one step of the loops around it", around))
    elif word == "break" and isinstance(around, tree.For) and around.kind != "serial":
        why = f"the iterations of a `{around.kind}` loop have no order"
        ctx.report(diag.misplaced_jump(statement, word, why, around))


def _check_extern(ctx: Context, statement: tree.CallExtern) -> None:
    """Check a call of a packed function: whole buffers, scalars and strings. [TIR.19]"""
    for argument in statement.args:
        if isinstance(argument, tree.StrLit):
            continue
        symbol = ctx.scopes.find(argument.name) if isinstance(argument, tree.PrimVar) else None
        if symbol is not None and symbol.shape is not None:
            ctx.symbols[argument] = symbol
        else:
            infer(ctx, argument)


_CHECK: Table[tree.Stmt, Callable[[Context, Any], None]] = {
    tree.For: _check_for,
    tree.Block: _check_block,
    tree.Allocate: _check_allocate,
    tree.BufferView: _check_view,
    tree.LetStmt: _check_let,
    tree.BufferStore: _check_store,
    tree.IfThenElse: _check_if,
    tree.While: _check_while,
    tree.AssertStmt: _check_assert,
    tree.Break: _check_jump,
    tree.Continue: _check_jump,
    tree.CallExtern: _check_extern,
}
