"""What is in a buffer when it is read, and whether it is read. [TIR.10] [TIR.18] [TIR.20]"""

from __future__ import annotations

from relax_lang.arith.substitute import free_variables
from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.ir.symbols import ALLOC, BUFFER, DIM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.tir.analysis.memory_safety.uninitialized import Uninitialized, UninitializedReads
    from relax_lang.tir.analysis.references.access_sites import Reference, References
    from relax_lang.tir.ir.symbols import Symbol

    ByBuffer = dict[Symbol, list[Reference]]


def suspicious_contents(found: References, accesses: ByBuffer, reads: UninitializedReads) -> list[Diagnostic]:
    """Return what is read too early, never read, or never used. [TIR.10] [TIR.18]"""
    diagnostics: list[Diagnostic] = []
    for symbol, those in accesses.items():
        if symbol.kind == ALLOC:
            dead = _dead(found, symbol, those)
            diagnostics += dead or _read_too_early(found, symbol, those, reads)
        elif those:
            diagnostics += _reduced_too_early(found, symbol, those, reads)
    return diagnostics + _unused_buffers(found, accesses)


def _read_too_early(
    found: References, symbol: Symbol, accesses: Sequence[Reference], reads: UninitializedReads
) -> list[Diagnostic]:
    uninitialized = reads.of(symbol)
    if uninitialized is None:
        return []
    from relax_lang.tir.diagnostics.warnings import uninitialized_read

    reduced = None if uninitialized.element else _reduction(found, symbol, uninitialized.read, accesses)
    if reduced is not None:
        return [reduced]
    declared, why = found.allocations[symbol][0], "its contents are undefined"
    return [uninitialized_read(uninitialized.read.node, *written(uninitialized), declared, why)]


def written(uninitialized: Uninitialized) -> tuple[str, str]:
    """Write the element that is read too early, or its whole buffer, and the iteration in which it is."""
    name = uninitialized.read.symbol.name
    if not uninitialized.element:
        return name, ""
    from relax_lang.tir.check.out_of_bounds import iteration_text, text_of

    loops = uninitialized.read.site.loops
    element = ", ".join([text_of(index, loops) for index in uninitialized.element])
    return f"{name}[{element}]", iteration_text(uninitialized.iteration)


def _reduced_too_early(
    found: References, symbol: Symbol, accesses: Sequence[Reference], reads: UninitializedReads
) -> list[Diagnostic]:
    """Find a block that reduces into a parameter that nothing was stored to before."""
    blocks = {access.site.block for access in accesses if access.writes}
    reducing = [block for block in blocks if block is not None and _reduce_axes(block)]
    if not any(access.reads and access.site.block in reducing for access in accesses):
        return []
    uninitialized = reads.of(symbol)
    if uninitialized is None or uninitialized.element:
        return []
    reduced = _reduction(found, symbol, uninitialized.read, accesses)
    return [] if reduced is None else [reduced]


def _reduction(
    found: References, symbol: Symbol, access: Reference, accesses: Sequence[Reference]
) -> Diagnostic | None:
    """Return the diagnostic of a block with reduce axes that updates what is not there yet. [TIR.10]"""
    block = access.site.block
    axes = [] if block is None else _reduce_axes(block)
    stores = [
        other.node
        for other in accesses
        if isinstance(other.node, tree.BufferStore) and other.site.block is block
    ]
    if block is None or not axes or not stores:
        return None
    from relax_lang.tir.diagnostics.warnings import reduce_without_init

    start = _start(found, block, stores[0], symbol)
    return reduce_without_init(block, access.node, symbol.name, start, axes[0])


def _reduce_axes(block: tree.Block) -> list[tree.IterVar]:
    return [axis for axis in block.axes if axis.kind == "reduce"]


def _start(found: References, block: tree.Block, store: tree.BufferStore, symbol: Symbol) -> str:
    """Write the statement for an `init` that a store combines into; nothing where there is none to write."""
    from relax_lang.format.printer import show

    dtype = symbol.dtype or ""
    local = {axis.var.name for axis in block.axes if axis.kind != "reduce"}
    known = local | set(found.sizes)
    for index in store.indices:
        if not set(free_variables(index)) <= known:
            return ""
    zero, one = ("0.0", "1.0") if dtypes.is_float(dtype) else ("0", "1")
    starts = {"+=": zero, "-=": zero, "*=": one}
    kinds: dict[type[tree.PrimExpr], str] = {
        tree.Add: zero,
        tree.Sub: zero,
        tree.Mul: one,
        tree.Max: f"min_value({dtype})",
        tree.Min: f"max_value({dtype})",
    }
    value = starts.get(store.op) or kinds.get(type(store.value))
    if value is None or not dtypes.is_number(dtype):
        return ""
    indices = ", ".join([show(index) for index in store.indices]) or "()"
    return f"{store.buffer.name}[{indices}] = {value}"


def _dead(found: References, symbol: Symbol, accesses: Sequence[Reference]) -> list[Diagnostic]:
    """Find an allocation that is never read; an update alone does not count as reading."""
    store: Reference | None = None
    for access in accesses:
        if access.resolved is None or not access.writes:
            return []
        store = store or access
    from relax_lang.tir.diagnostics.warnings import dead_alloc

    return [dead_alloc(found.allocations[symbol][0], None if store is None else store.node)]


def _unused_buffers(found: References, accesses: ByBuffer) -> list[Diagnostic]:
    """Find parameters that are neither read nor written, and that no size comes from. [TIR.1] [TIR.20]"""
    unused = [symbol for symbol, those in accesses.items() if symbol.kind == BUFFER and not those]
    if not unused or not found.analysis.func.body:
        return []
    from relax_lang.tir.diagnostics.warnings import unused_buffer

    given: set[str] = set()
    for symbol, those in accesses.items():
        if symbol.kind == BUFFER and those:
            given.update(_bare_dims(symbol))
    needed = _used_dims(found) - given
    return [
        unused_buffer(symbol.node)
        for symbol in unused
        if isinstance(symbol.node, tree.Buffer) and needed.isdisjoint(_bare_dims(symbol))
    ]


def _bare_dims(symbol: Symbol) -> list[str]:
    return [dim.name for dim in symbol.shape or () if isinstance(dim, tree.PrimVar)]


def _used_dims(found: References) -> set[str]:
    """Return the dimension variables that the body, or a computed dimension of a parameter, uses."""
    func, symbols = found.analysis.func, found.analysis.symbols
    names: set[str] = set()
    for param in func.params:
        for dim in param.shape if isinstance(param, tree.Buffer) else ():
            if not isinstance(dim, tree.PrimVar):
                names.update(free_variables(dim))
    for statement in func.body:
        for node in walk(statement):
            if isinstance(node, tree.PrimVar):
                symbol = symbols.get(node)
                if symbol is not None and symbol.kind == DIM:
                    names.add(symbol.name)
    return names
