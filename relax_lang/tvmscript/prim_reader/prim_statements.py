"""The statements of PrimFuncs: loops, blocks, stores, allocations. One table by the function of TVM's dialect."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript.prim_reader.prim_blocks import BlockParts
from relax_lang.tvmscript.prim_reader.prim_calls import CallStatements
from relax_lang.tvmscript.prim_reader.prim_funcs import PrimFuncReader
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.reader.reading import function_name, is_private
from relax_lang.tvmscript.reader.scalar_calls import purpose_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tvmscript.reader.reading import Reading

    Statements = list[tree.Stmt]

BLOCKS = frozenset(("block", "sblock"))


def read_prim_func(reading: Reading, node: ast.FunctionDef, decorator: ast.expr) -> tree.PrimFunc:
    """Read a PrimFunc. Raises Refused."""
    reader = PrimFuncReader(reading)
    private = is_private(reading, decorator)
    reader.read_signature(node)
    body = read_body(reader, node.body)
    left = [name for name, at in reader.handles.items() if at >= 0]
    if left:
        place = next(one for one in node.args.args if one.arg == left[0])
        raise reading.unsupported(place, f"the pointer `{left[0]}`", "a PrimFunc takes buffers and numbers")
    if private:
        reading.features.private = True
    name = function_name(reading, node)
    pos, end = reading.span(node)
    return tree.PrimFunc(name, private, tuple(reader.params), tuple(reader.attrs), tuple(body), pos, end)


def read_body(reader: PrimFuncReader, body: Sequence[ast.stmt]) -> Statements:
    """Read the body of a PrimFunc; a root block without axes is its contents."""
    return _Statements(reader, None, top=True).read(body)


class _Statements(CallStatements):
    """Reads the statements of one block of Python, inside a block of TVM or outside of any."""

    def read(self, body: Sequence[ast.stmt]) -> Statements:
        """Read statements, in a scope of their own."""
        self.reader.scopes.append({})
        for at, statement in enumerate(body):
            self.statement(statement)
            if self.launched is not None:  # the rest of the block runs on each thread
                self.made.append(self.threads(self.launched, body[at + 1 :], statement))
                break
        self.reader.scopes.pop()
        return self.made

    def nested(self, parts: BlockParts, body: Sequence[ast.stmt]) -> Statements:
        """Read the statements of a block, and note what those at its head say."""
        return _Statements(self.reader, parts).read(body)

    def inner(self, body: Sequence[ast.stmt]) -> tuple[tree.Stmt, ...]:
        """Read the statements inside a loop or a branch."""
        return tuple(_Statements(self.reader, None).read(body))

    def statement(self, node: ast.stmt) -> None:
        """Read one statement. Raises Refused."""
        row = _ROWS.get(type(node))
        if row is None:
            kind = type(node).__name__.lower()
            raise self.reading.unsupported(node, f"the Python statement `{kind}`", "it needs Python to run")
        row(self, node)

    def with_(self, node: ast.With) -> None:
        """Read `with T.sblock("b"):`, `with T.init():`, `with T.let(v, e):`."""
        if len(node.items) != 1:
            raise self.reading.unsupported(node, "a `with` of several")
        item = node.items[0]
        dialect, name = self.reading.called(item.context_expr)
        call = item.context_expr
        if dialect == "T" and isinstance(call, ast.Call):
            if name in BLOCKS:
                self.block_statement(node, call, item.optional_vars)
                return
            if name == "init" and self.block is not None:
                self.block.init = self.inner(node.body)
                return
            if name in ("let", "LetStmt") and self._let_block(node, call, item.optional_vars):
                return
            if name == "attr":
                self.attribute(node, call)
                self.made += _Statements(self.reader, None).read(node.body)
                return
            if name == "launch_thread" and isinstance(item.optional_vars, ast.Name) and len(call.args) == 2:
                axis = self.reading.string(call.args[0], "a thread axis")
                bounds, dtype = self._extent(call.args[1])
                self.made.append(self.threads((item.optional_vars.id, axis, bounds, dtype), node.body, node))
                return
            if name in ("decl_buffer", "allocate") and isinstance(item.optional_vars, ast.Name):
                self.define(node, item.optional_vars, call, None)
                self.made += _Statements(self.reader, self.block).read(node.body)
                return
        shown = self.reading.py.shown(call.func if isinstance(call, ast.Call) else call)
        raise self.reading.unsupported(call, f"`with {shown}(…)`", purpose_of(name))

    def _let_block(self, node: ast.With, call: ast.Call, target: ast.expr | None) -> bool:
        given = call.args
        if target is None and len(given) == 2 and isinstance(given[0], ast.Name):
            target, given = given[0], given[1:]
        if not isinstance(target, ast.Name) or len(given) != 1:
            return False
        self.let(node, target, given[0], None)
        for one in node.body:
            self.statement(one)
        return True

    def if_(self, node: ast.If) -> None:
        """Read `if c: … else: …`."""
        condition = self.reader.condition(node.test)
        then, other = self.inner(node.body), self.inner(node.orelse)
        self.made.append(tree.IfThenElse(condition, then, other, *self.reading.span(node)))

    def while_(self, node: ast.While) -> None:
        """Read `while c: …`."""
        if node.orelse:
            raise self.reading.unsupported(node, "`else` of a loop")
        condition = self.reader.condition(node.test)
        self.made.append(tree.While(condition, self.inner(node.body), *self.reading.span(node)))

    def assert_(self, node: ast.Assert) -> None:
        """Read `assert c, "message"`."""
        message = "assertion failed"
        if node.msg is not None:
            given = node.msg
            if isinstance(given, ast.Tuple) and len(given.elts) == 2:  # (kind, pieces of the message)
                given = given.elts[1]
            value = self.reading.value(given)
            message = "".join([str(one) for one in items_of(value) or [value]])
        self.made.append(tree.AssertStmt(self.reader.condition(node.test), message, *self.reading.span(node)))

    def return_(self, node: ast.Return) -> None:
        """Read `return` at the end."""
        if node.value is not None:
            raise self.reading.unsupported(
                node, "a PrimFunc that returns a value", "a PrimFunc writes into buffers of its caller"
            )

    def pass_(self, node: ast.Pass) -> None:
        """Read `pass`: nothing."""


_ROWS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.AnnAssign: _Statements.annotated,
    ast.Assert: _Statements.assert_,
    ast.Assign: _Statements.assign,
    ast.AugAssign: _Statements.augmented,
    ast.Expr: _Statements.expression,
    ast.For: _Statements.loop,
    ast.If: _Statements.if_,
    ast.Pass: _Statements.pass_,
    ast.Return: _Statements.return_,
    ast.While: _Statements.while_,
    ast.With: _Statements.with_,
}
