"""Statements of PrimFuncs that are calls: they say something about the function or a block, or have an effect."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.prim_reader.prim_definitions import DefinitionStatements
from relax_lang.tvmscript.prim_reader.vectors import stores_vector
from relax_lang.tvmscript.scalar_reader.attributes import read_attributes
from relax_lang.tvmscript.scalar_reader.scalar_calls import purpose_of
from relax_lang.tvmscript.scalar_reader.scalars import INT32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SKIPPED_ATTRIBUTES = ("s_tir",)
OF_DEVICES = frozenset(("target", "device_type", "device_id", "device_context_id"))
"""Attributes of lowered programs: which device the statements below are for."""


class CallStatements(DefinitionStatements):
    """Calls."""

    def expression(self, node: ast.Expr) -> None:
        """Read a statement that is a call: a fact about the function or a block, or an effect."""
        call = node.value
        if isinstance(call, ast.Constant):
            return
        dialect, name = self.reading.called(call)
        if stores_vector(self.reader, call):
            self.vector_store(node)
            return
        if not isinstance(call, ast.Call) or dialect != "T":
            raise self.reading.unsupported(node, f"`{self.reading.py.shown(call)}`", "it needs Python to run")
        row = _CALLS.get(name)
        if row is None:
            shown = self.reading.py.shown(call.func)
            raise self.reading.unsupported(call, f"`{shown}(…)`", purpose_of(name))
        row(self, node, call)

    def evaluate(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.evaluate(…)`: of 0 it is nothing, of `call_extern` a call, of anything else `let _ = e;`."""
        inner = call.args[0] if len(call.args) == 1 else call
        if isinstance(inner, ast.Constant) and not inner.value:
            return
        dialect, name = self.reading.called(inner)
        if dialect == "T" and isinstance(inner, ast.Call):
            row = _CALLS.get(name)
            if row is not None and name != "evaluate":
                row(self, node, inner)
                return
        read = self.reader.scalar(inner)
        dtype = read.dtype or INT32
        span = self.reading.span(node)
        ignored = tree.PrimVar(spelling.IGNORED, span[0], span[0])
        self.made.append(tree.LetStmt(ignored, tree.DType(dtype, *span), read.as_value(dtype), *span))

    def function_attributes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.func_attr({…})`."""
        found = read_attributes(self.reading, call, SKIPPED_ATTRIBUTES)
        for one in found:
            if one.key != "global_symbol":
                self.reader.attrs.append(one)
            elif isinstance(one.value, tree.StrLit) and one.value.value != self.reader.own_name:
                self.reader.attrs.append(tree.Attr(spelling.SYMBOL, one.value, one.pos, one.end))

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
        """Leave `T.attr(node, key, value)` out, unless it decides what runs where."""
        key = self.reading.string(call.args[1], "the key of an attribute") if len(call.args) == 3 else ""
        if (
            not key
            or key in OF_DEVICES
            or key.endswith(("thread_extent", "virtual_thread", "async_scope", "device_scope"))
        ):
            raise self.reading.unsupported(
                call, f"`{self.reading.py.shown(call)}`", "it describes how a device runs the program"
            )
        self.reading.drop(node, f"the attribute `{key}`")

    def attribute_statement(self, node: ast.Expr, call: ast.Call) -> None:
        """Leave an attribute of the statements that follow out."""
        self.attribute(node, call)

    def assume(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.assume(c)`: an assertion, as on a host nothing keeps it from being checked."""
        if len(call.args) != 1:
            raise self.reading.wrong(call, "`T.assume` takes a condition")
        condition = self.reader.condition(call.args[0])
        self.made.append(tree.AssertStmt(condition, spelling.ASSUMED, *self.reading.span(node)))

    def jump(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.break_loop()`, `T.continue_loop()`, as TVM prints `break` and `continue`."""
        made = tree.Break if self.reading.called(call)[1] == "break_loop" else tree.Continue
        self.made.append(made(*self.reading.span(node)))

    def call_extern(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.call_extern("f", …)`, of numbers and whole buffers."""
        given = list(call.args)
        result: str | None = None
        if len(given) > 1 and isinstance(given[1], ast.Constant) and isinstance(given[1].value, str):
            result = self.reading.string(given[0], "a dtype")  # `T.call_extern("int32", "f", …)`
            given = given[1:]
        for one in call.keywords:
            if one.arg == "dtype":  # the older `T.call_extern("f", …, dtype="int32")`
                result = self.reading.string(one.value, "a dtype")
        if not given:
            raise self.reading.wrong(call, "the name of the function is missing")
        name = self.reading.string(given[0], "the name of a function")
        args: list[tree.ExternArg] = []
        for one in given[1:]:
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                args.append(tree.StrLit(one.value, *self.reading.span(one)))
                continue
            found = self.reader.memory_of(one)
            if found is not None and found.base is not None:
                raise self.reading.unsupported(one, "a view of a buffer as an argument")
            if found is not None:
                args.append(tree.PrimVar(found.name, *self.reading.span(one)))
            else:
                read = self.reader.scalar(one)
                args.append(read.as_value(read.dtype))
        if result not in (None, INT32):
            self.reader.results[name] = result
        self.reading.features.tir_externs = True
        self.made.append(tree.CallExtern(name, tuple(args), *self.reading.span(node)))


_CALLS: dict[str, Callable[[CallStatements, ast.Expr, ast.Call], None]] = {
    "evaluate": CallStatements.evaluate,
    "func_attr": CallStatements.function_attributes,
    "block_attr": CallStatements.block_attributes,
    "sblock_attr": CallStatements.block_attributes,
    "reads": CallStatements.reads,
    "writes": CallStatements.writes,
    "where": CallStatements.where,
    "buffer_store": CallStatements.buffer_store,
    "assume": CallStatements.assume,
    "attr": CallStatements.attribute_statement,
    "launch_thread": CallStatements.launch_thread,
    "call_extern": CallStatements.call_extern,
    "break_loop": CallStatements.jump,
    "continue_loop": CallStatements.jump,
}
