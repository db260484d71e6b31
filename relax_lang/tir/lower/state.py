"""The state of lowering one PrimFunc: statements so far, arrays, loops, names."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import assert_never
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered import vector_ir
from relax_lang.tir.analysis.lowered.sources import sources_of
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.lower.guards import Guards
from relax_lang.tir.lower.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.lower.position import Position

    Variable = tuple[tree.For, int]  # one variable of a `for` statement


class LoweringState:
    """What the lowering of each kind of statement reads and adds to.

    `merged` gives the parameters that are the array of an earlier one in this call.
    """

    def __init__(self, analysis: Analysis, merged: dict[str, str]) -> None:
        self.analysis = analysis
        self.entry = Guards(analysis)
        self.statements: list[Statement] = []
        self.allocated: list[Storage] = []
        self.bits: dict[Storage, int] = {}
        """How many bits, beside their sign, the integers in an array have at most, where that is known."""
        self._stored: dict[tree.Stmt, set[Symbol]] = {}
        self.storages: dict[Symbol, Storage] = {}
        self.values = Values(self.entry, self.storages)
        self.space = self.values.space
        self.variables: dict[str, Variable] = {}
        """By the name of a loop, which variable of which `for` it is from."""
        self.loops_of: dict[Variable, tuple[Loop, ...]] = {}
        """The loops of a variable: two if it was split."""
        declare_buffers(self.values, merged)

    def lower(self, statements: Iterable[tree.Stmt], place: Position) -> None:
        """Lower statements at a place, in text order; raises `NotVectorizable`."""
        raise NotImplementedError

    def stored_in(self, statements: Sequence[tree.Stmt]) -> set[Symbol]:
        """Return the buffers that statements may write."""
        found: set[Symbol] = set()
        return found.union(*[self._stored_in(statement) for statement in statements])

    def _stored_in(self, statement: tree.Stmt) -> set[Symbol]:
        symbols = self.analysis.symbols
        if isinstance(statement, tree.BufferStore):
            return {symbols[statement.buffer]}
        if isinstance(statement, tree.CallExtern):
            return {symbols[arg] for arg in statement.args if arg in symbols}
        found = self._stored.get(statement)
        if found is None:
            found = self._stored[statement] = self.stored_in(_statements_in(statement))
        return found

    def reads(self, value: Vector, written: set[Symbol]) -> bool:
        """Return whether an expression reads one of some buffers."""
        storages = {self.storages[symbol] for symbol in written if symbol in self.storages}
        read, _ = sources_of(self.space, value)
        return not storages.isdisjoint(read)

    def stored(self, value: Vector, place: Position, name: str, node: tree.Stmt) -> Vector:
        """Store a value in a buffer of its own, with a copy for each iteration."""
        # What is computed in float32 stays so in a `let`; only stores and casts round to a half.
        outer = as_arrays_lie(self.with_copies(place), value)
        storage = Storage(self.entry.fresh(name), dtypes.computed_in(value.dtype), (), outer)
        storage.is_temporary = True
        self.allocated.append(storage)
        index = tuple([Polynomial.name(loop.name) for loop in outer])
        self.statements.append(Stage(*head_of(place, node), storage, index, "=", value))
        return vector_ir.Load(storage, index, frozenset([loop.name for loop in outer]), node)

    def with_copies(self, place: Position) -> tuple[Loop, ...]:
        """Return the loops whose iterations can have a copy each of a buffer: those that run equally often each
        time. The other ones share it, and run one after the other for that.
        """
        return tuple([loop for loop in place.loops if not self.space.varies(loop.extent)])


def as_arrays_lie(loops: tuple[Loop, ...], value: Vector) -> tuple[Loop, ...]:
    """Return loops in the order of the dimensions that they run along in the arrays that an expression reads, as far as
    those that vary over most loops agree, so that elements are computed as they lie in memory. Of several in one
    dimension those with fixed bounds come first: they are short, as the steps in a window are.
    """
    by_length = sorted(loops, key=lambda loop: loop.extent.value is None)
    names = {loop.name: loop for loop in loops}
    read = [load for load in vector_ir.loads(value) if load.dims & names.keys()]
    most = max([len(load.dims & names.keys()) for load in read], default=0)
    orders = {
        tuple([loop.name for part in load.index for loop in by_length if loop.name in part.names()])
        for load in read
        if len(load.dims & names.keys()) == most
    }
    order = orders.pop() if len(orders) == 1 else ()
    if len(order) != most or len(set(order)) != most:
        return loops
    return (*[loop for loop in loops if loop.name not in order], *[names[name] for name in order])


def _statements_in(statement: tree.Stmt) -> tuple[tree.Stmt, ...]:
    """Return the statements that are directly in a statement."""
    match statement:
        case tree.For() | tree.While():
            return statement.body
        case tree.Block():
            return (*(statement.init or ()), *statement.body)
        case tree.IfThenElse():
            return (*statement.then_case, *statement.else_case)
        case tree.Allocate() | tree.BufferView() | tree.LetStmt() | tree.BufferStore() | tree.AssertStmt():
            return ()
        case tree.CallExtern() | tree.Break() | tree.Continue():
            return ()
        case _:
            return assert_never(statement)


def declare_buffers(values: Values, merged: dict[str, str]) -> None:
    """Make the storages of the parameters."""
    entry, analysis = values.entry, values.entry.analysis
    by_name: dict[str, Storage] = {}
    for symbol in analysis.dims.values():
        entry.identifier(symbol)
    for param in analysis.func.params:
        symbol = analysis.symbols[param]
        name = entry.identifier(symbol)
        if not isinstance(param, tree.Buffer):
            continue
        shape = tuple([values.polynomial(dim) for dim in param.shape])
        for size in shape:
            entry.note_fact(size)
        storage = Storage(name, param.dtype.name, shape, is_param=True)
        by_name[param.name] = storage
        values.storages[symbol] = by_name[merged.get(param.name, param.name)]


def head_of(place: Position, node: Node) -> tuple[tuple[Loop, ...], tuple[Vector, ...], str, Node]:
    """Return what every statement at a place begins with: loops, conditions, a label, where it is written."""
    return place.loops, place.guards, place.label or "statement", node
