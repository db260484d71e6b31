"""Whether a PrimFunc computes each row of its results from the same row of its operands alone.

A row is a place on one axis of a buffer whose extent is `n`, or `k` places where it is `n * k`. Rows are *apart* if
everything that concerns rows happens in loops `for i in 0..n`, and in such a loop every buffer of rows is accessed at
row `i`; `i` and `n` occur nowhere else, and nothing but buffers of rows, and what is allocated inside the loop, is
stored to. So an iteration sees one row only, and the result does not depend on how many there are. A loop that is split
into two, `o * k + i` with `o` in `0..(n + k - 1) // k` and `i` in `0..k`, counts as one if all in it is done where
`o * k + i < n`.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.normal_form import polynomial_of
from relax_lang.arith.polynomials.atoms import TooComplexError
from relax_lang.arith.prover import NO_FACTS
from relax_lang.base.node import assert_never, children
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.node import Node

_ROW = "row"
_PART = "part"
"""One of the two variables of a split loop over rows."""
_OTHER = "other"

_MOST_PLACES = 64
"""Of a row that are tried one by one where an index is a number."""


_SHARING: dict[type[tree.Stmt], str] = {
    tree.CallExtern: "a packed function may do anything with its buffers",
    tree.BufferView: "a view may have elements of several rows",
}


class RowsShared(Exception):  # noqa: N818 - named after what a PrimFunc does
    """A PrimFunc mixes rows, or is not known to keep them apart; `node` is the place."""

    def __init__(self, reason: str, node: Node) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


def check_rows_apart(func: tree.PrimFunc, axes: Mapping[str, int]) -> None:
    """Prove that rows are apart. `axes` has the buffer parameters with rows, results among them, and their axes.

    Raises RowsShared with the first place that is not known to keep them apart.
    """
    places: dict[str, int] = {}
    names: set[str] = set()
    for param in func.params:
        if isinstance(param, tree.Buffer) and param.name in axes:
            found = rows_and_places(param.shape[axes[param.name]])
            if found is None:
                raise RowsShared("the number of rows is not a variable of its own here", param)
            names.add(found[0])
            places[param.name] = found[1]
    buffers = {param.name: axes.get(param.name) for param in func.params if isinstance(param, tree.Buffer)}
    _Walk(names, buffers, places).statements(func.body)


def rows_and_places(extent: tree.PrimExpr) -> tuple[str, int] | None:
    """Return the variable of an extent that is `n`, or `n * k`, and the number of places of a row: 1, or `k`."""
    match extent:
        case tree.PrimVar():
            return extent.name, 1
        case tree.Mul(tree.PrimVar() as rows, tree.IntImm() as count) | tree.Mul(
            tree.IntImm() as count, tree.PrimVar() as rows
        ) if count.value > 0:
            return rows.name, count.value
        case _:
            return None


def _same(a: tree.PrimExpr, b: tree.PrimExpr) -> bool:
    """Return whether two numbers are equal whatever their variables hold."""
    try:
        return polynomial_of(a, NO_FACTS.known) == polynomial_of(b, NO_FACTS.known)
    except (DimensionError, TooComplexError):
        return False


def _conjuncts(condition: tree.PrimExpr) -> list[tree.PrimExpr]:
    if isinstance(condition, tree.And):
        return [*_conjuncts(condition.a), *_conjuncts(condition.b)]
    return [condition]


class _Walk:
    """A pass over statements. `buffers` has the axis of rows of each buffer in scope, None for the others;
    `variables` what loop variables, axes and `let` hold: `_ROW`, or something else.
    """

    def __init__(self, names: set[str], buffers: dict[str, int | None], places: dict[str, int]) -> None:
        self._names = names
        self._places = places
        self._ranges: dict[str, int] = {}
        """Loop variables from 0 up to a number."""
        self._split: tree.PrimExpr | None = None
        """The number of the row in a split loop."""
        self._buffers = buffers
        self._variables: dict[str, str] = {}
        self._in_loop = False
        self._private: set[str] = set()
        """What is allocated inside the loop over rows: each row has its own."""

    def statements(self, body: tuple[tree.Stmt, ...]) -> None:
        """Look at statements in order; what they declare ends with them."""
        kept = dict(self._buffers), dict(self._variables), set(self._private)
        for statement in body:
            self._statement(statement)
        self._buffers, self._variables, self._private = kept

    def _statement(self, statement: tree.Stmt) -> None:
        match statement:
            case tree.For():
                self._for(statement)
            case tree.Block():
                self._block(statement)
            case tree.Allocate():
                self._allocate(statement)
            case tree.LetStmt():
                self._bind(statement.var.name, statement.value)
            case tree.BufferStore():
                self._store(statement)
            case tree.IfThenElse():
                self._expression(statement.condition)
                self.statements(statement.then_case)
                self.statements(statement.else_case)
            case tree.While():
                self._expression(statement.condition)
                self.statements(statement.body)
            case tree.AssertStmt():
                self._expression(statement.condition)
            case tree.Break():
                raise RowsShared("a `break` may leave out rows because of what others hold", statement)
            case tree.Continue():
                pass  # it ends the work on one row
            case tree.CallExtern() | tree.BufferView():
                raise RowsShared(_SHARING[type(statement)], statement)
            case _:
                assert_never(statement)

    def _for(self, loop: tree.For) -> None:
        if self._in_loop or not self._split_loop(loop):
            self._loop(loop, 0)

    def _split_loop(self, loop: tree.For) -> bool:
        """Walk over a loop over rows that is split into two; return whether it is one."""
        nest: dict[str, tree.Range] = {}
        body: tuple[tree.Stmt, ...] = (loop,)
        while len(body) == 1 and isinstance(body[0], tree.For):
            nest.update(zip([one.name for one in body[0].loop_vars], body[0].ranges, strict=True))
            body = body[0].body
        inner = body[0] if len(body) == 1 else None
        guard = None
        if isinstance(inner, tree.IfThenElse) and not inner.else_case:
            guard = inner.condition
        elif isinstance(inner, tree.Block):
            guard = inner.predicate
        for one in [] if guard is None else _conjuncts(guard):
            found = self._split_row(one, nest)
            if found is not None and isinstance(inner, tree.IfThenElse | tree.Block):
                self._guarded(nest, found, inner, one)
                return True
        return False

    def _split_row(self, condition: tree.PrimExpr, nest: dict[str, tree.Range]) -> tuple[str, str] | None:
        """Return the loops over parts and inside of a part if a condition makes their row one."""
        if not (isinstance(condition, tree.LT) and self._is_size(condition.b)) or self._names & nest.keys():
            return None
        zero = [name for name, one in nest.items() if isinstance(one.min, tree.IntImm) and one.min.value == 0]
        for inside in zero:
            size = nest[inside].stop
            if not isinstance(size, tree.IntImm) or size.value < 1:
                continue
            parts = tree.FloorDiv(tree.Add(condition.b, tree.IntImm(size.value - 1)), size)
            for outside in zero:
                row = tree.Add(tree.Mul(tree.PrimVar(outside), size), tree.PrimVar(inside))
                if outside != inside and _same(nest[outside].stop, parts) and _same(condition.a, row):
                    return outside, inside
        return None

    def _guarded(
        self,
        nest: dict[str, tree.Range],
        pair: tuple[str, str],
        inner: tree.IfThenElse | tree.Block,
        guard: tree.PrimExpr,
    ) -> None:
        kept = dict(self._variables), dict(self._ranges)
        outside, inside = pair
        self._variables |= {outside: _PART, inside: _PART}
        for name, bounds in nest.items():
            if name not in pair:
                self._expression(bounds.min)
                self._expression(bounds.stop)
                self._variables[name] = _OTHER
                self._note_range(name, bounds)
        self._in_loop, self._split = (
            True,
            tree.Add(tree.Mul(tree.PrimVar(outside), nest[inside].stop), tree.PrimVar(inside)),
        )
        if isinstance(inner, tree.Block):
            self._block(inner, guard)
        else:
            self._conditions(inner.condition, guard)
            self.statements(inner.then_case)
        self._in_loop, self._split = False, None
        self._variables, self._ranges = kept

    def _conditions(self, condition: tree.PrimExpr, guard: tree.PrimExpr | None) -> None:
        """Look at a condition, without the part of it that selects rows."""
        for one in _conjuncts(condition):
            if one is not guard:
                self._expression(one)

    def _note_range(self, name: str, bounds: tree.Range) -> None:
        self._ranges.pop(name, None)
        if (
            isinstance(bounds.min, tree.IntImm)
            and bounds.min.value == 0
            and isinstance(bounds.stop, tree.IntImm)
        ):
            self._ranges[name] = bounds.stop.value

    def _loop(self, loop: tree.For, at: int) -> None:
        if at == len(loop.loop_vars):
            self.statements(loop.body)
            return
        name, bounds = loop.loop_vars[at].name, loop.ranges[at]
        before = self._variables.get(name)
        if self._is_size(bounds.stop):
            if self._in_loop:
                raise RowsShared("for each row it goes over all rows", bounds)
            if not (isinstance(bounds.min, tree.IntImm) and bounds.min.value == 0):
                raise RowsShared("the loop over the rows does not begin at 0", bounds)
            self._in_loop, self._variables[name] = True, _ROW
            self._loop(loop, at + 1)
            self._in_loop = False
        else:
            self._expression(bounds.min)
            self._expression(bounds.stop)
            self._variables[name] = _OTHER
            self._note_range(name, bounds)
            self._loop(loop, at + 1)
            self._ranges.pop(name, None)
        if before is None:
            self._variables.pop(name, None)
        else:
            self._variables[name] = before

    def _is_size(self, expr: tree.PrimExpr) -> bool:
        return (
            isinstance(expr, tree.PrimVar) and expr.name in self._names and expr.name not in self._variables
        )

    def _block(self, block: tree.Block, guard: tree.PrimExpr | None = None) -> None:
        kept = dict(self._variables)
        for axis in block.axes:
            self._bind(axis.var.name, axis.value)
            if axis.dom is not None and self._variables[axis.var.name] != _ROW:
                self._expression(axis.dom.min)
                self._expression(axis.dom.stop)
        if block.predicate is not None:
            self._conditions(block.predicate, guard)
        if block.init is not None:
            self.statements(block.init)
        self.statements(block.body)
        self._variables = kept

    def _bind(self, name: str, value: tree.PrimExpr) -> None:
        if self._is_row(value):
            self._variables[name] = _ROW
            return
        self._expression(value)
        self._variables[name] = _OTHER

    def _is_row(self, expr: tree.PrimExpr) -> bool:
        if isinstance(expr, tree.PrimVar):
            return self._variables.get(expr.name) == _ROW
        return self._split is not None and _same(expr, self._split)

    def _is_place(self, index: tree.PrimExpr, count: int) -> bool:
        """Return whether an index is one of the `count` places of the row."""
        if count == 1:
            return self._is_row(index)
        rows: list[tree.PrimExpr] = [
            tree.PrimVar(name) for name, kind in self._variables.items() if kind == _ROW
        ]
        within: list[tree.PrimExpr] = [
            tree.PrimVar(name) for name, end in self._ranges.items() if end <= count
        ]
        within += [tree.IntImm(at) for at in range(min(count, _MOST_PLACES))]
        return any(
            _same(index, tree.Add(tree.Mul(row, tree.IntImm(count)), place))
            for row in [*rows, *([] if self._split is None else [self._split])]
            for place in within
        )

    def _allocate(self, statement: tree.Allocate) -> None:
        buffer = statement.buffer
        rows = [at for at, dim in enumerate(buffer.shape) if self._is_size(dim)]
        self._places.pop(buffer.name, None)
        for at, dim in enumerate(buffer.shape):
            if at not in rows[:1]:
                self._expression(dim)
        self._buffers[buffer.name] = rows[0] if rows else None
        self._variables.pop(buffer.name, None)
        if self._in_loop:
            self._private.add(buffer.name)

    def _store(self, store: tree.BufferStore) -> None:
        self._access(store.buffer.name, store.indices, store)
        self._expression(store.value)
        name = store.buffer.name
        if self._in_loop and self._buffers.get(name) is None and name not in self._private:
            raise RowsShared(f"all rows store to `{name}`", store)

    def _access(self, name: str, indices: tuple[tree.PrimExpr, ...], node: Node) -> None:
        axis = self._buffers.get(name)
        for at, index in enumerate(indices):
            if at != axis:
                self._expression(index)
            elif not self._is_place(index, self._places.get(name, 1)):
                raise RowsShared(f"`{name}` is accessed at another row than that of the loop", node)

    def _expression(self, expr: tree.PrimExpr) -> None:
        """Look at a value: the number of a row and the number of rows do not count for it."""
        pending: list[Node] = [expr]
        while pending:
            node = pending.pop()
            if isinstance(node, tree.BufferLoad):
                self._access(node.buffer.name, node.indices, node)
                continue
            if isinstance(node, tree.PrimVar):
                if self._variables.get(node.name) in (_ROW, _PART):
                    raise RowsShared("the number of the row is used as a value", node)
                if node.name in self._names and node.name not in self._variables:
                    raise RowsShared("how many rows there are is used as a value", node)
                if node.name in self._buffers and node.name not in self._variables:
                    raise RowsShared(f"`{node.name}` is used as a whole", node)
            pending += children(node)
