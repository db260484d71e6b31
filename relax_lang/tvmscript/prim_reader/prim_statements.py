"""The statements of PrimFuncs: loops, blocks, stores, allocations. One table by the function of TVM's dialect."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript import index_dtypes, spelling
from relax_lang.tvmscript.prim_reader import prim_facts
from relax_lang.tvmscript.prim_reader.prim_blocks import BlockParts
from relax_lang.tvmscript.prim_reader.prim_calls import CallStatements
from relax_lang.tvmscript.prim_reader.prim_funcs import PrimFuncReader
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.scalar_reader.reading import function_name, is_private
from relax_lang.tvmscript.scalar_reader.scalar_calls import purpose_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tvmscript.scalar_reader.reading import Reading

    Statements = list[tree.Stmt]

BLOCKS = frozenset(("block", "sblock"))


def read_prim_func(reading: Reading, node: ast.FunctionDef, decorator: ast.expr) -> tree.PrimFunc:
    """Read a PrimFunc. Raises Refused."""
    reader = PrimFuncReader(reading)
    private = is_private(reading, decorator)
    reader.read_signature(node)
    result, body_of, reader.branches = ending(reading, node.body)
    body = _Statements(reader, None, top=True).read(body_of, result)
    if result is None and node.returns is not None and reader.returns is not None:
        raise reading.unsupported(node.returns, "a PrimFunc that returns in the middle", _WHERE)
    left = [name for name, at in reader.handles.items() if at >= 0]
    if left:
        place = next(one for one in node.args.args if one.arg == left[0])
        raise reading.unsupported(place, f"the pointer `{left[0]}`", "a PrimFunc takes buffers and numbers")
    if private:
        reading.features.private = True
    name = function_name(reading, node)
    pos, end = reading.span(node)
    params = tuple(reader.params)
    at = reader.attrs[-1].end if reader.attrs else pos  # not among the comments of the body
    return tree.PrimFunc(
        name,
        private,
        params,
        (
            *reader.attrs,
            *index_dtypes.attributes(
                params, reader.extent_dtypes, {**reader.number_dtypes, **reader.sizes()}, (at, at)
            ),
            *prim_facts.attributes(reader, decorator, (at, at)),
        ),
        tuple(body),
        reader.returns,
        reader.result,
        pos,
        end,
    )


_WHERE = "the result of a PrimFunc is its last expression"


def ending(
    reading: Reading, body: Sequence[ast.stmt]
) -> tuple[ast.expr | None, Sequence[ast.stmt], list[str]]:
    """Return what a PrimFunc returns at its end, as one expression, the statements before that, and its `branches`."""
    given, body, branches = _last(reading, body)
    while given is not None and body and (early := _early(reading, body[-1])) is not None:
        given = ast.copy_location(ast.IfExp(early[0], early[1], given), body[-1])
        branches = [spelling.AFTER, *branches]
        body = body[:-1]
    return given, body, branches


def _last(
    reading: Reading, body: Sequence[ast.stmt]
) -> tuple[ast.expr | None, Sequence[ast.stmt], list[str]]:
    """Return what the last statement returns, if that is all it does."""
    last = body[-1] if body else None
    if isinstance(last, ast.Return):
        return last.value, body[:-1], []
    if isinstance(last, ast.Expr) and (given := _returned(reading, last.value)) is not None:
        return given, body[:-1], []
    if isinstance(last, ast.If) and last.orelse:
        yes, before, inner = ending(reading, last.body)
        no, ahead, branches = ending(reading, last.orelse)
        if yes is not None and no is not None and not before and not ahead:
            chosen = ast.copy_location(ast.IfExp(last.test, yes, no), last)
            return chosen, body[:-1], [] if inner else [spelling.ELSE, *branches]
    return None, body, []


def _early(reading: Reading, node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Return condition and value of `if c: return e`."""
    if not isinstance(node, ast.If) or node.orelse:
        return None
    value, before, _ = ending(reading, node.body)
    return None if value is None or before else (node.test, value)


def _returned(reading: Reading, node: ast.expr) -> ast.expr | None:
    """Return the value of `T.ret(e)`, `T.evaluate(T.ret(e))`."""
    dialect, name = reading.called(node)
    if dialect != "T" or not isinstance(node, ast.Call) or not node.args:
        return None
    if name == "evaluate":
        return _returned(reading, node.args[0])
    return node.args[0] if name == "ret" else None


class _Statements(CallStatements):
    """Reads the statements of one block of Python, inside a block of TVM or outside of any."""

    def read(self, body: Sequence[ast.stmt], result: ast.expr | None = None) -> Statements:
        """Read statements, and what a PrimFunc returns after them, in a scope of their own."""
        self.reader.scopes.append({})
        for at, statement in enumerate(body):
            self.statement(statement)
            if self.launched is not None:  # the rest of the block runs on each thread
                self.made.append(self.threads(self.launched, body[at + 1 :], statement))
                break
        if result is not None:
            self.result(result)
        self.reader.scopes.pop()
        return self.made

    def result(self, node: ast.expr) -> None:
        """Read what a PrimFunc returns; without an annotation it is of its own dtype."""
        read = self.reader.scalar(node)
        if self.reader.returns is None:
            dtype = read.dtype or ("int32" if read.index else "float32")
            self.reader.returns = tree.DType(dtype, *self.reading.span(node))
        self.reader.result = read.as_value(self.reader.returns.name)

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
        named = [one.value for one in call.keywords if one.arg == "var"]
        if target is None and len(call.keywords) == len(named) == 1:  # `with T.LetStmt(e, var=x):`
            target = named[0]
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
        """Refuse a `return` before the end."""
        raise self.reading.unsupported(node, "`return` in the middle of a PrimFunc", _WHERE)

    def break_(self, node: ast.Break) -> None:
        """Read `break`."""
        self.made.append(tree.Break(*self.reading.span(node)))

    def continue_(self, node: ast.Continue) -> None:
        """Read `continue`."""
        self.made.append(tree.Continue(*self.reading.span(node)))

    def pass_(self, node: ast.Pass) -> None:
        """Read `pass`: nothing."""


_ROWS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.AnnAssign: _Statements.annotated,
    ast.Assert: _Statements.assert_,
    ast.Break: _Statements.break_,
    ast.Continue: _Statements.continue_,
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
