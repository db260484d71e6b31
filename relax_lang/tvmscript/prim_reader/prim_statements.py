"""The statements of PrimFuncs: loops, blocks, stores, allocations. One table by the function of TVM's dialect."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.prim_reader.prim_blocks import BlockParts, BlockStatements
from relax_lang.tvmscript.prim_reader.prim_buffers import ALLOCATIONS, VIEWS
from relax_lang.tvmscript.prim_reader.prim_funcs import PrimFuncReader
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.reader.attributes import read_attributes
from relax_lang.tvmscript.reader.reading import function_name, is_private
from relax_lang.tvmscript.reader.scalar_calls import purpose_of
from relax_lang.tvmscript.reader.scalars import INDEX_DTYPES, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tvmscript.reader.reading import Reading

    Statements = list[tree.Stmt]

BLOCKS = frozenset(("block", "sblock"))
SKIPPED_ATTRIBUTES = ("global_symbol", "s_tir")
AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*="}


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


class _Statements(BlockStatements):
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

    # -- assignments -------------------------------------------------------------------------------------------

    def assign(self, node: ast.Assign) -> None:
        """Read `target = value`."""
        if len(node.targets) != 1:
            raise self.reading.unsupported(node, "an assignment to several targets")
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            self.store(node, target, "=", node.value)
        elif isinstance(target, ast.Name):
            self.define(node, target, node.value, None)
        elif isinstance(target, ast.Tuple):
            self.define_several(node, target, node.value)
        else:
            raise self.reading.unsupported(node, f"an assignment to `{self.reading.py.shown(target)}`")

    def annotated(self, node: ast.AnnAssign) -> None:
        """Read `v: T.int32 = e`."""
        if not isinstance(node.target, ast.Name):
            raise self.reading.unsupported(node, "an assignment with an annotation")
        if node.value is None:
            dialect, name = self.reading.path(node.annotation)
            if dialect == "T" and name in INDEX_DTYPES:
                self.reader.declare_size(node.target.id, name, node)
                return
            raise self.reading.unsupported(node, f"the variable `{node.target.id}`, which is assigned later")
        self.define(node, node.target, node.value, node.annotation)

    def augmented(self, node: ast.AugAssign) -> None:
        """Read `A[i] += e`."""
        if not isinstance(node.target, ast.Subscript):
            raise self.reading.unsupported(node, "a variable that changes", "memory that changes is a buffer")
        sign = AUGMENTED.get(type(node.op))
        if sign is not None:
            self.store(node, node.target, sign, node.value)
            return
        whole = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
        self.store(node, node.target, "=", whole)

    def store(self, node: ast.stmt, target: ast.Subscript, sign: str, value: ast.expr) -> None:
        """Read a store to an element."""
        found = self.reader.buffer(target.value)
        if found is None:
            shown = self.reading.py.shown(target)
            raise self.reading.unsupported(
                node, f"a store to `{shown}`", "only elements of buffers are stored to"
            )
        place, indices = self.reader.place(target, found)
        if any(isinstance(one, tree.Range) for one in indices):
            raise self.reading.unsupported(
                target, "a store to a slice of a buffer", "a loop stores its elements"
            )
        stored = self.reader.value(value, found.dtype)
        span = self.reading.span(node)
        self.made.append(tree.BufferStore(place, tuple(indices), sign, stored, *span))  # type: ignore[arg-type]

    def define(self, node: ast.stmt, target: ast.Name, value: ast.expr, annotation: ast.expr | None) -> None:
        """Read a definition of a name: of a buffer, a size, an axis, or a number."""
        dialect, name = self.reading.called(value)
        if dialect == "T" and name == "bind" and isinstance(value, ast.Call) and len(value.args) == 1:
            value = value.args[0]
            dialect, name = self.reading.called(value)
        if dialect == "T" and isinstance(value, ast.Call):
            if name.startswith("axis."):
                self.axes(node, [target], value, name)
                return
            if name in VIEWS and self.view(node, target.id, value):
                return
            row = _DEFINITIONS.get(name)
            if row is not None and row(self, node, target, value):
                return
            if name in _EFFECTS:
                shown = self.reading.py.shown(value.func)
                raise self.reading.unsupported(value, f"`{shown}(…)`", purpose_of(name))
        if isinstance(value, ast.Name) and self.reader.buffer(value) is not None:
            self.reader.scopes[-1][target.id] = value
            return
        self.let(node, target, value, annotation)

    def let(self, node: ast.stmt, target: ast.Name, value: ast.expr, annotation: ast.expr | None) -> None:
        """Read `v = e`, which names a number."""
        read = self.reader.scalar(value)
        dtype = read.dtype
        if annotation is not None:
            dtype = self._declared_dtype(annotation) or dtype
        dtype = dtype or ("int32" if read.index else "float32")
        place = self.reading.span(target)
        span = self.reading.span(node)
        if read.index and dtype in INDEX_DTYPES:
            made = tree.LetStmt(tree.PrimVar(target.id, *place), None, read.node, *span)
            self.reader.scopes[-1][target.id] = Scalar(tree.PrimVar(target.id, *place), dtype, True)
        else:
            kind = tree.DType(dtype, *place)
            made = tree.LetStmt(tree.PrimVar(target.id, *place), kind, read.as_value(dtype), *span)
            self.reader.scopes[-1][target.id] = Scalar(tree.PrimVar(target.id, *place), dtype, False)
        self.made.append(made)

    def _declared_dtype(self, annotation: ast.expr) -> str | None:
        if isinstance(annotation, ast.Subscript):  # `T.let[T.int32]`
            annotation = annotation.slice
        dialect, name = self.reading.path(annotation)
        if dialect == "T" and name in DTYPES:
            return name
        if name in ("let", ""):
            return None
        raise self.reading.unsupported(
            annotation, f"a variable of type `{self.reading.py.shown(annotation)}`"
        )

    def define_several(self, node: ast.stmt, target: ast.Tuple, value: ast.expr) -> None:
        """Read `vi, vj = T.axis.remap("SR", [i, j])`, `n, m = T.int32(), T.int32()`."""
        names = [one for one in target.elts if isinstance(one, ast.Name)]
        if len(names) != len(target.elts):
            raise self.reading.unsupported(target, "an assignment to `*` names")
        dialect, name = self.reading.called(value)
        if dialect == "T" and isinstance(value, ast.Call) and name.startswith("axis."):
            self.axes(node, names, value, name)
        elif isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            for one, inner in zip(names, value.elts, strict=True):
                self.define(node, one, inner, None)
        else:
            raise self.reading.unsupported(node, f"`{self.reading.py.shown(value)}`", purpose_of(name))

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

    # -- other statements --------------------------------------------------------------------------------------

    def expression(self, node: ast.Expr) -> None:
        """Read a statement that is a call: it says something about the function or a block, or has an effect."""
        call = node.value
        if isinstance(call, ast.Constant):
            return
        dialect, name = self.reading.called(call)
        if not isinstance(call, ast.Call) or dialect != "T":
            raise self.reading.unsupported(node, f"`{self.reading.py.shown(call)}`", "it needs Python to run")
        row = _CALLS.get(name)
        if row is None:
            shown = self.reading.py.shown(call.func)
            raise self.reading.unsupported(call, f"`{shown}(…)`", purpose_of(name))
        row(self, node, call)

    def evaluate(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.evaluate(…)`: of a number it is nothing, of `call_extern` a call."""
        inner = call.args[0] if len(call.args) == 1 else call
        if isinstance(inner, ast.Constant):
            return
        dialect, name = self.reading.called(inner)
        if dialect == "T" and isinstance(inner, ast.Call):
            row = _CALLS.get(name)
            if row is not None and name != "evaluate":
                row(self, node, inner)
                return
        self.reader.scalar(inner)  # it has no effect, but must be readable

    def function_attributes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.func_attr({…})`."""
        self.reader.attrs += read_attributes(self.reading, call, SKIPPED_ATTRIBUTES)

    def buffer_store(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.buffer_store(A, e, [i, j])`."""
        if len(call.args) != 3:
            raise self.reading.wrong(call, "a store has a buffer, a value and indices")
        given = call.args[2]
        indices = ast.Tuple(given.elts, ast.Load()) if isinstance(given, ast.List) else given
        target = ast.copy_location(
            ast.Subscript(call.args[0], ast.copy_location(indices, given), ast.Store()), call
        )
        self.store(node, target, "=", call.args[1])

    def attribute(self, node: ast.stmt, call: ast.Call) -> None:
        """Leave `T.attr(node, key, value)` out, unless it says what runs where."""
        key = self.reading.string(call.args[1], "the key of an attribute") if len(call.args) == 3 else ""
        if not key or key.endswith(("thread_extent", "virtual_thread", "async_scope", "device_scope")):
            raise self.reading.unsupported(
                call, f"`{self.reading.py.shown(call)}`", "it says how a device runs the program"
            )
        self.reading.drop(node, f"the attribute `{key}`")

    def attribute_statement(self, node: ast.Expr, call: ast.Call) -> None:
        """Leave an attribute of the statements that follow out."""
        self.attribute(node, call)

    def assume(self, node: ast.Expr, call: ast.Call) -> None:
        """Leave `T.assume(c)` out: it only helps a compiler."""
        self.reading.drop(node, "`T.assume`")

    def call_extern(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.call_extern("f", …)`, of numbers and whole buffers."""
        given = list(call.args)
        if len(given) > 1 and isinstance(given[1], ast.Constant) and isinstance(given[1].value, str):
            given = given[1:]  # `T.call_extern("int32", "f", …)`
        if not given:
            raise self.reading.wrong(call, "the name of the function is missing")
        name = self.reading.string(given[0], "the name of a function")
        args: list[tree.PrimExpr] = []
        for one in given[1:]:
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                raise self.reading.unsupported(one, "a string as an argument of `T.call_extern`")
            found = self.reader.memory_of(one)
            if found is not None and found.base is not None:
                raise self.reading.unsupported(one, "a view of a buffer as an argument")
            if found is not None:
                args.append(tree.PrimVar(found.name, *self.reading.span(one)))
            else:
                read = self.reader.scalar(one)
                args.append(read.as_value(read.dtype))
        self.reading.features.tir_externs = True
        self.made.append(tree.CallExtern(name, tuple(args), *self.reading.span(node)))

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


_EFFECTS = frozenset(("ptr", "thread_id", "cta_id", "warp_id", "lane_id"))


def _defines_allocation(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    reader.allocate(node, target.id, call, reader.reading.called(call)[1])
    return True


def _defines_buffer(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    reader.match_buffer(node, target.id, call)
    return True


def _defines_size(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    if call.args:
        return False
    reader.reader.declare_size(target.id, reader.reading.called(call)[1], target)
    return True


def _defines_variable(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    """Declare `n = T.var("int32")`; a pointer is declared by nothing."""
    kind = call.args[-1] if call.args else None
    dtype = reader.reading.dtype(kind) if kind is not None else tree.DType("int32", -1, -1)
    if dtype is None or dtype.name not in INDEX_DTYPES:
        return False
    reader.reader.declare_size(target.id, dtype.name, call)
    return True


def _defines_threads(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    if len(call.args) not in (1, 2):
        return False
    axis = reader.reading.string(call.args[0], "a thread axis")
    if len(call.args) == 1:
        reader.reader.thread_axes[target.id] = axis
    else:
        reader.launch(target.id, axis, call.args[1])
    return True


def _defines_memory(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    reader.reader.pointers[target.id] = call
    return len(call.args) >= 2


def _defines_constant(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    return reader.allocate_const(node, target.id, call)


def _defines_alias(reader: _Statements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    if len(call.args) != 1:
        return False
    reader.reader.scopes[-1][target.id] = call.args[0]
    return True


_DEFINITIONS: dict[str, Callable[[_Statements, ast.stmt, ast.Name, ast.Call], bool]] = {
    **dict.fromkeys(ALLOCATIONS, _defines_allocation),
    **dict.fromkeys(("int32", "int64"), _defines_size),
    **dict.fromkeys(("var", "Var"), _defines_variable),
    **dict.fromkeys(("env_thread", "launch_thread"), _defines_threads),
    "allocate": _defines_memory,
    "allocate_const": _defines_constant,
    "match_buffer": _defines_buffer,
    "meta_var": _defines_alias,
}
"""What `name = T.f(…)` defines, by the function; False where it is something else after all."""

_CALLS: dict[str, Callable[[_Statements, ast.Expr, ast.Call], None]] = {
    "evaluate": _Statements.evaluate,
    "func_attr": _Statements.function_attributes,
    "block_attr": _Statements.block_attributes,
    "sblock_attr": _Statements.block_attributes,
    "reads": _Statements.reads,
    "writes": _Statements.writes,
    "where": _Statements.where,
    "buffer_store": _Statements.buffer_store,
    "assume": _Statements.assume,
    "attr": _Statements.attribute_statement,
    "launch_thread": _Statements.launch_thread,
    "call_extern": _Statements.call_extern,
}

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
