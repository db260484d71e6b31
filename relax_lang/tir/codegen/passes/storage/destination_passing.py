"""Destination passing: operations write their results to the array that they are stored to, or over an operand that
nothing needs any more.

In front of a store are the operations that compute what is stored. Each may write to the target already, if nothing
in between reads elements of the target, but those that are stored, and nothing in between may fail: arrays are put
back after a failure only where that cannot be avoided. Reductions, products and operations that combine with what the
target holds write to it directly where they have its type. No statement computes into an array before this pass.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref, names_in, parts_of
from relax_lang.tir.array_ir.operations import takes_destination
from relax_lang.tir.codegen.passes.effects import (
    Aliases,
    are_apart,
    arrays_in,
    bodies_of,
    definitions,
    may_fail,
)
from relax_lang.tir.codegen.passes.rewriting import substituted
from relax_lang.tir.codegen.passes.storage.liveness import last_uses
from relax_lang.tir.codegen.passes.types import is_whole, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context
    from relax_lang.tir.codegen.passes.types import Operation

_DIVISIONS = ("/", "//", "%")


def pass_destinations(body: list[Statement], context: Context) -> None:
    """Let operations write to arrays that are there already."""
    _pass(body, context, Aliases(body), in_loop=False)


def _pass(body: list[Statement], context: Context, aliases: Aliases, *, in_loop: bool) -> None:
    for statement in body:
        inner = bodies_of(statement)
        if inner:
            _pass(inner, context, aliases, in_loop=in_loop or isinstance(statement, ir.For))
    if any(isinstance(statement, ir.Define) and is_whole(statement.value) for statement in body) or any(
        isinstance(statement, ir.Store) for statement in body
    ):
        body[:] = _Destinations(body, context, aliases, in_loop=in_loop).run()


def into(target: Expr, value: Expr) -> Statement:
    """Return the statement that computes an operation into an array."""
    return ir.StoreWhere(target, value.array) if isinstance(value, ir.Cast) else ir.Into(target, value)


def can_store(value: Expr) -> bool:
    """Return whether an operation over whole loops can write its result to an array."""
    return not isinstance(value, ir.Elementwise) or takes_destination(value.op, value.dtype)


class _Destinations:
    """The statements of one row."""

    def __init__(self, body: list[Statement], context: Context, aliases: Aliases, *, in_loop: bool) -> None:
        self._body = body
        self._context = context
        self._in_loop = in_loop
        self._aliases = aliases
        self._last = last_uses(body)
        self._owned: dict[str, int] = {}
        """The arrays that operations made here, and up to where their contents are needed."""
        self._names: dict[str, Expr] = {}
        """What results are called whose array is another one."""

    def run(self) -> list[Statement]:
        """Return the statements, with destinations."""
        made: list[Statement] = []
        start = 0
        while start < len(self._body):
            stop = start
            while stop < len(self._body) and isinstance(self._body[stop], ir.Define):
                stop += 1
            sink = self._body[stop] if stop < len(self._body) else None
            target = None
            if isinstance(sink, ir.Store):
                target = _Target(self._body[start : stop + 1], start, self._aliases)
            made += [self._definition(at, target) for at in range(start, stop)]
            if sink is not None:
                made += self._stored(substituted(sink, self._names), stop, target)
            start = stop + 1
        return made

    def _definition(self, at: int, target: _Target | None) -> Statement:
        statement = substituted(self._body[at], self._names)
        assert isinstance(statement, ir.Define)
        name, value = statement.name, statement.value
        if not is_whole(value) or statement.rebinds:
            return statement
        last = self._last.get(name, at)
        place = self._place(value, at, last, target)
        if place is None:
            self._owned[name] = last
            return statement
        self._names[name] = place
        return into(place, value)

    def _place(self, value: Operation, at: int, last: int, target: _Target | None) -> Expr | None:
        """Return an array that may take a result: an argument that nothing needs any more, or the target."""
        if not can_store(value):
            return None
        is_target = target is not None and target.fits(value)
        for arg in _overwritten(value):
            if target is not None and arg == target.place:
                if is_target and target.is_free(at, last, in_place=True):
                    target.take(last)
                    return arg
            elif isinstance(arg, Ref) and type_of(arg) == type_of(value) and self._is_dying(arg, value, at):
                self._owned[arg.name] = last
                return arg
        if target is not None and is_target and target.is_free(at, last, in_place=False):
            target.take(last)
            return target.place
        return None

    def _is_dying(self, array: Ref, value: Operation, at: int) -> bool:
        return self._owned.get(array.name, at + 1) <= at and not _meets(value, array)

    def _stored(self, sink: Statement, at: int, target: _Target | None) -> list[Statement]:
        if not isinstance(sink, ir.Store) or target is None:
            return [sink]
        value = sink.value
        if value == target.place:
            return []
        if not is_whole(value):
            return [into(target.place, value)] if target.takes(value) else [sink]
        if isinstance(value, ir.Cast) or not can_store(value):
            return [sink]
        if target.takes_last and target.fits(value) and not target.is_met_by(value):
            return [into(target.place, value)]
        array = self._place(value, at, at, None)
        if array is not None:
            return [into(array, value), ir.Store(sink.target, array)]
        if not self._in_loop:
            return [sink]
        name = self._context.temporary()  # an array that is there already may be found for it
        return [ir.Define(name, value), ir.Store(sink.target, Ref(name, *type_of(value)))]


def _overwritten(value: Operation) -> list[Expr]:
    """Return the arguments over which an operation may write its result."""
    match value:
        case ir.Elementwise(_, args):
            return list(args)
        case ir.Clip(array):
            return [array]
        case ir.Select(condition, yes, no):
            return [one for one in (yes, no) if one != condition]
        case _:
            return []


def _meets(value: Operation, array: Ref) -> bool:
    """Return whether an operation reads an array in another way than element by element."""
    return any(array.name in names_in(part) for part in parts_of(value) if part != array)


class _Target:
    """The target of a store, and when it may hold what is computed on the way."""

    def __init__(self, statements: list[Statement], start: int, aliases: Aliases) -> None:
        *before, store = statements
        assert isinstance(store, ir.Store)
        self.place = store.target
        self._view = aliases.view(store.target)
        self._aliases = aliases
        self._type = type_of(store.target)
        self._root = aliases.root(store.target)
        self._stop = start + len(before)
        values = [*[one.value for one in before if isinstance(one, ir.Define)], store.value]
        shape = type_of(store.value)[1]
        operations = [
            one
            for one in values
            if is_whole(one) and not isinstance(one, ir.Take) and type_of(one)[1] == shape
        ]
        is_long = len(operations) > 1 or any(_divides(value) for value in operations)
        self.takes_last = not is_long or _lies_together(self._view)
        """Whether elements of the target lie together: elsewhere several steps are faster in an array apart."""
        self._needed = self._reads(statements, start)
        self._spare = self.takes_last and self._needed is not None and self._type[1] is not None
        self._spare = self._spare and not any(may_fail(statement) for statement in statements)
        names = names_in(store.target)
        places = [at for at, one in enumerate(before, start + 1) if names & set(definitions([one]))]
        self._from = max([start, *places])
        self._busy = -1 if self._needed is None else self._needed

    def _reads(self, statements: list[Statement], start: int) -> int | None:
        """Return where the elements that are stored are last read; None if others are read that may meet them."""
        last = -1
        for at, statement in enumerate(statements, start):
            parts = [statement.value] if isinstance(statement, ir.Define | ir.Store) else []
            for read in arrays_in(parts[0]) if parts else ():
                if self._aliases.root(read) != self._root:
                    continue
                if read == self.place:
                    last = at
                elif not are_apart(self._aliases.view(read), self._view):
                    return None
        return last

    def fits(self, value: Operation) -> bool:
        """Return whether the result of an operation has the dtype and the shape of the target."""
        return self._type == type_of(value)

    def takes(self, value: Expr) -> bool:
        """Return whether an operation that is not over whole loops has the type of the target, and may write to it."""
        match value:
            case ir.Elementwise(_, args) if value.domain is None and can_store(value):
                shapes = [type_of(arg)[1] for arg in args]
                found = value.dtype, self._type[1] if self._type[1] in shapes else None
            case ir.Reduce() | ir.Contract() | ir.MatMul() if self._is_apart(value):
                found = type_of(value)
            case _:
                return False
        return bool(self._type[1]) and found == self._type

    def _is_apart(self, value: Expr) -> bool:
        """Return whether an operation reads nothing that is stored to."""
        reads = [read for read in arrays_in(value) if self._aliases.root(read) == self._root]
        return all(are_apart(self._aliases.view(read), self._view) for read in reads)

    def is_free(self, at: int, last: int, *, in_place: bool) -> bool:
        """Return whether the target may hold a value from one statement up to another, instead of what it holds."""
        if not self._spare or last > self._stop or at < self._from:
            return False
        return self._busy <= at if in_place else self._busy < at

    def take(self, last: int) -> None:
        """Note that the target holds something that is needed up to a statement."""
        self._busy = last

    def is_met_by(self, value: Operation) -> bool:
        """Return whether an operation may read elements of the target after others have been stored."""
        if isinstance(value, ir.Select):
            return self._needed is None
        return isinstance(value, ir.Take) and any(
            self._aliases.root(read) == self._root for read in arrays_in(value)
        )


def _divides(value: Expr) -> bool:
    return isinstance(value, ir.Elementwise) and value.op in _DIVISIONS and dtypes.is_integer(value.dtype)


def _lies_together(view: Expr) -> bool:
    """Return whether neighbours along the last dimension lie together in memory."""
    if isinstance(view, Ref):
        return True
    last = view.axes[-1] if isinstance(view, ir.View) and view.axes else None
    return isinstance(last, ir.Whole) or (isinstance(last, ir.Slice) and last.step == 1)
