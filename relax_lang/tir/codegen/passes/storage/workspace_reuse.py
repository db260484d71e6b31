"""Reuse of workspaces by liveness: results go to arrays whose contents nothing needs any more; in loops, to arrays that
are made once before them.

An array that is made anew takes fresh pages from the system, which costs as much as an operation on it. Arrays of one
shape and dtype that operations of a function have made are free as soon as what they hold was used for the last time,
for the statements after that, and for those in loops and conditions there. Where none is free, a loop whose sizes are
known before it gets one that is made there, as large as the largest iteration asks for.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.vector_ir import replace_name
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.effects import bodies_of, definitions
from relax_lang.tir.codegen.passes.rewriting import rebound_names, substituted
from relax_lang.tir.codegen.passes.storage.destination_passing import can_store, into
from relax_lang.tir.codegen.passes.storage.liveness import last_uses
from relax_lang.tir.codegen.passes.types import is_mask_of_sizes, is_whole, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Domain, Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

    Type = tuple[str, Domain]

_ZERO = Polynomial.constant(0)


def reuse_workspaces(body: list[Statement], context: Context) -> None:
    """Let results share arrays."""
    _Row(_Arrays(context, rebound_names(body)), None, None).run(body)


class _Arrays:
    """What is known of the sizes of arrays that results may go to."""

    def __init__(self, context: Context, rebound: set[str]) -> None:
        self.context = context
        self._rebound = rebound

    def is_one_size(self, domain: Domain) -> bool:
        """Return whether sizes are the same ones wherever they are named."""
        return domain is not None and all(self._rebound.isdisjoint(size.names()) for size in domain)


class _Row:
    """One row of statements: those of the function, of a loop, or of a condition."""

    def __init__(self, arrays: _Arrays, outer: _Row | None, loop: ir.For | None) -> None:
        self.outer = outer
        self.loop = loop
        self.free: dict[Type, list[Ref]] = {}
        self.lent: list[tuple[_Row, Ref]] = []
        """Arrays of rows around, each of which is free where it was taken from when this row ends."""
        self.before: list[Statement] = []
        """What is made before the loop for its iterations."""
        self.bound: set[str] = set()
        """The names that have other values in each iteration of the loop."""
        self.most: dict[str, Polynomial] = {}
        """For sizes that are the least of several numbers, the first of these."""
        self._arrays = arrays
        self._made: list[Statement] = []
        self._busy: list[tuple[int, Ref]] = []
        """Arrays that hold something, with the statement that uses it last."""

    def run(self, body: list[Statement], *, is_rare: bool = False) -> list[Statement]:
        """Give arrays to the results in some statements; return what is to be made before the loop around."""
        last = last_uses(body)
        names: dict[str, Expr] = {}
        if self.loop is not None:
            self.bound = {self.loop.variable, *definitions(body)}
            self.most = dict([found for found in map(_least, body) if found is not None])
        for at, before in enumerate(body):
            self._release(at)
            statement = substituted(before, names) if names else before
            inner = bodies_of(statement)
            if inner:
                loop = statement if isinstance(statement, ir.For) else None
                rare = is_rare or (isinstance(statement, ir.If) and statement.rare)
                self._made += _Row(self._arrays, self, loop).run(inner, is_rare=rare)
            if isinstance(statement, ir.Define) and self._may_share(statement.value):
                statement = self._placed(statement, last.get(statement.name, at), names, may_make=not is_rare)
            self._made.append(statement)
        body[:] = self._made
        for row, array in self.lent:
            row.free.setdefault(type_of(array), []).append(array)
        return self.before

    def _may_share(self, value: Expr) -> bool:
        """Return whether a result may share its array: masks that sizes decide are the same in all calls."""
        return is_whole(value) and not (is_mask_of_sizes(value) and not self._is_in_loop)

    @property
    def _is_in_loop(self) -> bool:
        return self.loop is not None or (self.outer is not None and self.outer._is_in_loop)

    def _placed(
        self, definition: ir.Define, last: int, names: dict[str, Expr], *, may_make: bool
    ) -> Statement:
        """Return the statement that computes a result, into an array that is free if there is one."""
        value = definition.value
        assert is_whole(value)
        wanted = type_of(value)
        if definition.rebinds or not self._arrays.is_one_size(wanted[1]):
            return definition
        found = self._array(wanted, may_make=may_make) if can_store(value) else None
        array = Ref(definition.name, *wanted) if found is None else found
        self._busy.append((last, array))
        if found is None:
            return definition
        names[definition.name] = array
        return into(array, value)

    def _release(self, at: int) -> None:
        """Free the arrays whose contents no statement from here on uses."""
        for until, array in self._busy:
            if until < at:
                self.free.setdefault(type_of(array), []).append(array)
        self._busy = [(until, array) for until, array in self._busy if until >= at]

    def _array(self, wanted: Type, *, may_make: bool) -> Ref | None:
        """Return an array that is free for the rest of this row."""
        row: _Row | None = self
        while row is not None:
            if row.free.get(wanted):
                return self._borrowed(row, row.free[wanted].pop())
            row = row.outer
        return self._workspace(wanted) if may_make else None

    def _borrowed(self, row: _Row, array: Ref) -> Ref:
        """Note that an array is free again where it was taken from when this row ends."""
        if row is not self:
            self.lent.append((row, array))
        return array

    def _workspace(self, wanted: Type) -> Ref | None:
        """Return an array that is made before the outermost loop around in which its sizes are known, or of one that
        is made before that, as large as any iteration asks for, the part that is needed.
        """
        dtype, shape = wanted
        assert shape is not None, "what runs over whole loops has their sizes"
        known: _Row | None = None
        chosen: _Row | None = None
        most, row = shape, self
        while row is not None:
            if row.loop is not None:
                sizes = most
                for name, value in row.most.items():
                    sizes = tuple([replace_name(size, name, value) for size in sizes])
                if any(not row.bound.isdisjoint(size.names()) for size in sizes):
                    break
                known = row if sizes == shape else known
                chosen, most = row, sizes
            row = row.outer
        if chosen is None:
            return None
        if most == shape:
            return self._borrowed(*self._made_before(chosen, dtype, most))
        home = self if known is None or known.outer is None else known.outer
        whole = home._borrowed(*(home._found(dtype, most) or self._made_before(chosen, dtype, most)))
        part = Ref(self._arrays.context.temporary(), dtype, shape)
        axes = [ir.Slice(_ZERO, size, whole=size == other) for size, other in zip(shape, most, strict=True)]
        cut = ir.Define(part.name, ir.View(whole, tuple(axes)))
        (self._made if known is None else known.before).append(cut)
        return self._borrowed(home, part)

    def _found(self, dtype: str, shape: tuple[Polynomial, ...]) -> tuple[_Row, Ref] | None:
        """Return an array that is free in a row around, and the row."""
        row = self.outer
        while row is not None:
            if row.free.get((dtype, shape)):
                return row, row.free[dtype, shape].pop()
            row = row.outer
        return None

    def _made_before(self, row: _Row, dtype: str, shape: tuple[Polynomial, ...]) -> tuple[_Row, Ref]:
        """Make an array before a loop; return the row that it is made in, too."""
        known = self._arrays.context.is_nonnegative
        sizes = tuple([size if known(size) else ScalarOp("max", (Literal(0), size)) for size in shape])
        array = Ref(self._arrays.context.fresh("scratch"), dtype, shape)
        row.before.append(ir.Allocate(array.name, sizes, dtype, workspace=True))
        assert row.outer is not None, "a loop is in a row"
        return row.outer, array


def _least(statement: Statement) -> tuple[str, Polynomial] | None:
    """Return a name for the least of several numbers, and the first of these."""
    match statement:
        case ir.Define(name, ScalarOp("min", (Polynomial() as most, *_))):
            return name, most
        case _:
            return None
