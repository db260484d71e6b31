"""PrimFunc statements as Python closures: the statement half of the scalar interpreter. [TIR.10-TIR.19]

Each closure takes the frame, executes its statement, and returns nothing.
"""

from __future__ import annotations

from relax_lang.base.python.recursion import host_recursion
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.tir.check.reduction_init import Reduction, find_reductions, other_axes
from relax_lang.tir.interp import scalars
from relax_lang.tir.interp.expressions import compiled, index_function
from relax_lang.tir.interp.memory import poison_of, put_buffer
from relax_lang.tir.interp.row_sums import row_sum
from relax_lang.tir.interp.views import ViewElements, made_view
from relax_lang.tir.ir.jumps import has_jumps
from relax_lang.values import RunFailure, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.tir.interp.expressions import Code, Frame, Run
    from relax_lang.tir.interp.memory import Array
    from relax_lang.tir.ir.symbols import Symbol

    Packed = Mapping[str, Callable[..., object]]


class _Break(Exception):  # noqa: N818 - a jump, which is not an error
    """A `break` runs; the innermost loop ends."""


class _Continue(Exception):  # noqa: N818
    """A `continue` runs; the innermost loop goes on."""


class Builder:
    """Makes the closures of the statements of one PrimFunc."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.packed = code.new_slots(1)
        self.allocate = code.new_slots(1)
        self._starts: dict[tuple[tree.For, int], list[Reduction]] = {}
        self._seen: dict[tree.Block, int] = {}
        for reduction in find_reductions(code.analysis):
            self._starts.setdefault(reduction.loops[0], []).append(reduction)
            self._seen[reduction.block] = code.new_slots(1)

    def sequence(self, statements: Sequence[tree.Stmt]) -> Run:
        """Return the closure that runs statements one after the other."""
        runs = tuple([self._statement(statement) for statement in statements])
        if len(runs) == 1:
            return runs[0]

        def sequence(frame: Frame) -> None:
            for one in runs:
                one(frame)

        return sequence

    def _statement(self, statement: tree.Stmt) -> Run:
        return _BUILD[type(statement)](self, statement)

    def loops(self, loop: tree.For) -> Run:
        """Build a `for`: one loop per variable, the last one innermost. [TIR.15]"""
        body = self.sequence(loop.body)
        for position in range(len(loop.loop_vars) - 1, -1, -1):
            body = self._loop(loop, position, body)
            for reduction in self._starts.get((loop, position), ()):
                body = self._reduction(reduction, body)
        return body

    def _loop(self, loop: tree.For, position: int, body: Run) -> Run:
        slot = self.code.slot(self.code.symbol(loop.loop_vars[position]))
        start, stop = self._range(loop.ranges[position])

        def run_loop(frame: Frame) -> None:
            for value in range(start(frame), stop(frame)):
                frame[slot] = value
                body(frame)

        def run_with_jumps(frame: Frame) -> None:
            for value in range(start(frame), stop(frame)):
                frame[slot] = value
                try:
                    body(frame)
                except _Continue:
                    continue
                except _Break:
                    break

        if position < len(loop.loop_vars) - 1:
            return run_loop
        return (
            run_with_jumps
            if has_jumps(loop.body)
            else row_sum(self.code, loop, (start, stop), body) or run_loop
        )

    def _range(self, bounds: tree.Range) -> tuple[Run, Run]:
        return compiled(self.code, bounds.min), compiled(self.code, bounds.stop)

    def _reduction(self, reduction: Reduction, loops: Run) -> Run:
        """Wrap the loops of a reduction: forget the instances of the last one, see to empty ones. [TIR.10]"""
        seen = self._seen[reduction.block]
        complete = self._completion(reduction) if reduction.perfect else None

        def reduce(frame: Frame) -> None:
            frame[seen] = set()
            loops(frame)
            if complete is not None:
                complete(frame)

        return reduce

    def _completion(self, reduction: Reduction) -> Run:
        """Build what runs `init` for the instances without a step: the loops that do not only reduce."""
        block = reduction.block
        init = self.sequence(block.init or ())
        first = self._first_time(block)
        bind = self._bind_axes(other_axes(block))
        where = compiled(self.code, block.predicate) if block.predicate is not None else None

        def finish(frame: Frame) -> None:
            bind(frame)
            if (where is None or where(frame)) and first(frame):
                init(frame)

        body: Run = finish
        for (loop, position), skipped in reversed(
            list(zip(reduction.loops, reduction.reducing, strict=True))
        ):
            if not skipped:
                body = self._loop(loop, position, body)
        return body

    def _bind_axes(self, axes: Sequence[tree.IterVar]) -> Run:
        pairs = [
            (self.code.slot(self.code.symbol(axis.var)), compiled(self.code, axis.value)) for axis in axes
        ]

        def bind(frame: Frame) -> None:
            for slot, value in pairs:
                frame[slot] = value(frame)

        return bind

    def _first_time(self, block: tree.Block) -> Run:
        """Return the closure that returns whether this instance has not been initialized yet."""
        slots = [self.code.slot(self.code.symbol(axis.var)) for axis in other_axes(block)]
        seen = self._seen.get(block)
        if seen is None:
            return lambda frame: True

        def first(frame: Frame) -> bool:
            instance = tuple([frame[slot] for slot in slots])
            if instance in frame[seen]:
                return False
            frame[seen].add(instance)
            return True

        return first

    def block(self, block: tree.Block) -> Run:
        """Build a block: bind its axes, test `where`, run `init` if it is time, then the body. [TIR.10] [TIR.12]"""
        bind = self._bind_axes(block.axes)
        body = self.sequence(block.body)
        if block.init is not None:
            body = self._with_init(block, body)
        if block.predicate is not None:
            body = self._guarded(block.predicate, body)

        def run_block(frame: Frame) -> None:
            bind(frame)
            body(frame)

        return run_block

    def _with_init(self, block: tree.Block, body: Run) -> Run:
        init, first = self.sequence(block.init or ()), self._first_time(block)

        def run_init(frame: Frame) -> None:
            if first(frame):
                init(frame)
            body(frame)

        return run_init

    def _guarded(self, condition: tree.PrimExpr, body: Run) -> Run:
        holds = compiled(self.code, condition)

        def guarded(frame: Frame) -> None:
            if holds(frame):
                body(frame)

        return guarded

    def new_buffer(self, statement: tree.Allocate) -> Run:
        """Build an `alloc`: a new array each time, filled with what no program should rely on. [TIR.18]"""
        symbol = self.code.symbol(statement.buffer)
        slot = self.code.slot(symbol)
        dims = [compiled(self.code, dim) for dim in statement.buffer.shape]
        dtype = named_dtype(statement.buffer.dtype.name)
        poison = poison_of(statement.buffer.dtype.name)

        def alloc(frame: Frame) -> None:
            shape = tuple([dim(frame) for dim in dims])
            check_sizes(statement, shape)
            array: Array = frame[self.allocate](shape, dtype)
            array.fill(poison)
            put_buffer(frame, slot, array)

        return alloc

    def view(self, statement: tree.BufferView) -> Run:
        """Build a view: which elements of its source it has is decided now. [TIR.22]"""
        return made_view(self.code, statement)

    def let(self, statement: tree.LetStmt) -> Run:
        """Build a `let`. [TIR.16]"""
        slot = self.code.slot(self.code.symbol(statement.var))
        value = compiled(self.code, statement.value)

        def let(frame: Frame) -> None:
            frame[slot] = value(frame)

        return let

    def store(self, statement: tree.BufferStore) -> Run:
        """Build a store; `+= -= *=` read, combine and store. [TIR.15]"""
        buffer = self.code.symbol(statement.buffer)
        at = self.code.slot(buffer)
        index = index_function(self.code, statement, buffer, statement.indices)
        value = compiled(self.code, statement.value)
        if statement.op == "=":

            def store(frame: Frame) -> None:
                place = index(frame)
                frame[at][place] = value(frame)

            return store
        combine = combination(statement.op, buffer)

        def update(frame: Frame) -> None:
            place = index(frame)
            view = frame[at]
            view[place] = combine(view[place], value(frame))

        return update

    def branch(self, statement: tree.IfThenElse) -> Run:
        """Build an `if`."""
        holds = compiled(self.code, statement.condition)
        yes, no = self.sequence(statement.then_case), self.sequence(statement.else_case)

        def branch(frame: Frame) -> None:
            if holds(frame):
                yes(frame)
            else:
                no(frame)

        return branch

    def repeat(self, statement: tree.While) -> Run:
        """Build a `while`."""
        holds, body = compiled(self.code, statement.condition), self.sequence(statement.body)

        def repeat(frame: Frame) -> None:
            while holds(frame):
                body(frame)

        def repeat_with_jumps(frame: Frame) -> None:
            while holds(frame):
                try:
                    body(frame)
                except _Continue:
                    continue
                except _Break:
                    break

        return repeat_with_jumps if has_jumps(statement.body) else repeat

    def leave(self, statement: tree.Break) -> Run:
        """Build a `break`. [TIR.15]"""

        def leave(frame: Frame) -> None:
            raise _Break

        return leave

    def skip(self, statement: tree.Continue) -> Run:
        """Build a `continue`. [TIR.15]"""

        def skip(frame: Frame) -> None:
            raise _Continue

        return skip

    def assertion(self, statement: tree.AssertStmt) -> Run:
        """Build an `assert`. [TIR.17]"""
        holds = compiled(self.code, statement.condition)

        def check(frame: Frame) -> None:
            if not holds(frame):
                raise RunFailure("assertion-failed", statement.message, statement)

        return check

    def call(self, statement: tree.CallExtern) -> Run:
        """Build the call of a packed function with scalars and whole buffers. [TIR.19]"""
        runs: list[Run] = []
        for argument in statement.args:
            if isinstance(argument, tree.StrLit):
                runs.append(_given(argument.value))
                continue
            symbol = self.code.analysis.symbols.get(argument)
            if symbol is not None and symbol.shape is not None:
                runs.append(_whole(self.code.slot(symbol) + 1))
            else:
                runs.append(compiled(self.code, argument))

        def call(frame: Frame) -> None:
            values: list[object] = [one(frame) for one in runs]
            views = [one for one in values if isinstance(one, ViewElements)]
            arrays = [one.array() for one in views]
            given = iter(arrays)
            values = [next(given) if isinstance(one, ViewElements) else one for one in values]
            call_packed(statement, frame[self.packed], values)
            for one, array in zip(views, arrays, strict=True):
                one.keep(array)

        return call


def _given(text: str) -> Run:
    return lambda frame: text


def _whole(slot: int) -> Run:
    return lambda frame: frame[slot]


def combination(op: str, buffer: Symbol) -> Callable[[Any, Any], Any]:
    """Return what `+=`, `-=` or `*=` does to the value of an element."""
    fit = scalars.rounder(buffer.dtype or "")
    if op == "+=":
        return lambda old, value: fit(old + value)
    if op == "-=":
        return lambda old, value: fit(old - value)
    return lambda old, value: fit(old * value)


def check_sizes(statement: tree.Allocate, shape: tuple[int, ...]) -> None:
    """Refuse a negative size. [V.9]"""
    for position, size in enumerate(shape):
        if size < 0:
            from relax_lang.format.printer import show  # only needed when something failed

            text = show(statement.buffer.shape[position])
            message = f"dimension {position} (`{text}`) is {size}"
            raise RunFailure("negative-dimension", message, statement.buffer.shape[position])


def call_packed(statement: tree.CallExtern, packed: Packed, values: list[object]) -> None:
    """Call a packed function; what goes wrong inside is its failure. [X.8]"""
    function = packed.get(statement.name)
    if function is None:
        raise RunFailure(
            "extern-not-found", f'no packed function "{statement.name}" is registered', statement
        )
    try:
        with host_recursion():
            function(*values)
    except RunFailure as failure:
        failure.node = failure.node or statement
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # an interrupt is the user's, and passes
        message = f'packed function "{statement.name}" failed: {words_of(error)}'
        raise RunFailure("extern-failed", message, statement, name=statement.name) from error


_BUILD: Table[tree.Stmt, Callable[[Builder, Any], Run]] = {
    tree.For: Builder.loops,
    tree.Block: Builder.block,
    tree.Allocate: Builder.new_buffer,
    tree.BufferView: Builder.view,
    tree.LetStmt: Builder.let,
    tree.BufferStore: Builder.store,
    tree.IfThenElse: Builder.branch,
    tree.While: Builder.repeat,
    tree.AssertStmt: Builder.assertion,
    tree.Break: Builder.leave,
    tree.Continue: Builder.skip,
    tree.CallExtern: Builder.call,
}
