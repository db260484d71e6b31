"""Whether a PrimFunc computes each row of its results from the same row of its operands alone.

A row is a place on one axis of a buffer whose extent is `n`. Rows are *apart* if everything that concerns rows happens
in loops `for i in 0..n`, and in such a loop every buffer of rows is accessed at row `i`; `i` and `n` occur nowhere
else, and nothing but buffers of rows, and what is allocated inside the loop, is stored to. So an iteration sees one row
only, and the result does not depend on how many there are.
"""

from __future__ import annotations

from relax_lang.base.node import children
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.node import Node

_ROW = "row"
_OTHER = "other"


class RowsShared(Exception):  # noqa: N818 - says what a PrimFunc does
    """A PrimFunc mixes rows, or is not known to keep them apart; `node` is the place."""

    def __init__(self, reason: str, node: Node) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


def check_rows_apart(func: tree.PrimFunc, axes: Mapping[str, int]) -> None:
    """Prove that rows are apart. `axes` has the buffer parameters with rows, results among them, and their axes.

    Raises RowsShared with the first place that is not known to keep them apart.
    """
    names: set[str] = set()
    for param in func.params:
        if isinstance(param, tree.Buffer) and param.name in axes:
            extent = param.shape[axes[param.name]]
            if not isinstance(extent, tree.PrimVar):
                raise RowsShared("the number of rows is not a variable of its own here", param)
            names.add(extent.name)
    buffers = {param.name: axes.get(param.name) for param in func.params if isinstance(param, tree.Buffer)}
    _Walk(names, buffers).statements(func.body)


class _Walk:
    """A pass over statements. `buffers` has the axis of rows of each buffer in scope, None for the others;
    `variables` what loop variables, axes and `let` hold: `_ROW`, or something else.
    """

    def __init__(self, names: set[str], buffers: dict[str, int | None]) -> None:
        self._names = names
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
                self._loop(statement, 0)
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
            case tree.CallExtern():
                raise RowsShared("a packed function may do anything with its buffers", statement)

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
            self._loop(loop, at + 1)
        if before is None:
            self._variables.pop(name, None)
        else:
            self._variables[name] = before

    def _is_size(self, expr: tree.PrimExpr) -> bool:
        return (
            isinstance(expr, tree.PrimVar) and expr.name in self._names and expr.name not in self._variables
        )

    def _block(self, block: tree.Block) -> None:
        kept = dict(self._variables)
        for axis in block.axes:
            self._bind(axis.var.name, axis.value)
            if axis.dom is not None and self._variables[axis.var.name] != _ROW:
                self._expression(axis.dom.min)
                self._expression(axis.dom.stop)
        if block.predicate is not None:
            self._expression(block.predicate)
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
        return isinstance(expr, tree.PrimVar) and self._variables.get(expr.name) == _ROW

    def _allocate(self, statement: tree.Allocate) -> None:
        buffer = statement.buffer
        rows = [at for at, dim in enumerate(buffer.shape) if self._is_size(dim)]
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
            elif not self._is_row(index):
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
                if self._variables.get(node.name) == _ROW:
                    raise RowsShared("the number of the row is used as a value", node)
                if node.name in self._names and node.name not in self._variables:
                    raise RowsShared("how many rows there are is used as a value", node)
                if node.name in self._buffers and node.name not in self._variables:
                    raise RowsShared(f"`{node.name}` is used as a whole", node)
            pending += children(node)
