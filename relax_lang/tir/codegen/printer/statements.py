"""The printer: from the array IR to the lines of a NumPy function. What it prints is what runs.

It decides nothing about arrays. `lines` breaks what is too long.
"""

from __future__ import annotations

import ast
from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, parts_of
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.printer.expressions import (
    Expressions,
    all_of,
    dotted,
    function_name,
    into_function,
    is_called,
    keyword,
)
from relax_lang.tir.codegen.printer.lines import Lines
from relax_lang.tir.codegen.printer.numpy_names import LOOKED_UP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WIDTH = 110


class Printer(Expressions):
    """Prints one function. `fresh` gives out names that mean nothing else in it; results of operations are stored to
    arrays that are given `by_position`, which is faster than by name, and not as easy to read.
    """

    def __init__(self, fresh: Callable[[str], str], depth: int = 1, by_position: bool = False) -> None:
        super().__init__(by_position)
        self._fresh = fresh
        self._text = Lines(WIDTH, depth, fresh)

    @property
    def lines(self) -> list[str]:
        """The lines so far."""
        return self._text.lines

    def body(self, statements: Sequence[ir.Statement]) -> None:
        """Print statements."""
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ir.Statement) -> None:
        text = self._text
        match statement:
            case ir.For():
                self._for(statement)
            case ir.Forever(body):
                text.line("while True:")
                self._indented(body)
            case ir.If():
                self._if(statement)
            case ir.Restoring(arrays, body):
                self._restoring([array.name for array in arrays], body)
            case _:
                self._simple(statement)

    def _simple(self, statement: ir.Simple) -> None:
        text, value_of = self._text, self.expression
        match statement:
            case ir.Define(name, value):
                text.statement(f"{name} = ", value_of(value))
            case ir.Unpack(names, value):
                text.statement(f"{_joined(names)} = ", value_of(value))
            case ir.Store(target, value):
                self._store(target, value)
            case ir.Into(target, value):
                text.statement("", self.writing(value, target))
            case ir.StoreWhere(target, value, mask):
                if mask is None:
                    self._store(target, value)
                    return
                words = [keyword("where", value_of(mask)), keyword("casting", ast.Constant("unsafe"))]
                text.statement("", ast.Call(dotted("np.copyto"), [value_of(target), value_of(value)], words))
            case ir.Evaluate(value):
                text.statement("" if isinstance(value, ir.Call) else "_ = ", value_of(value))
            case ir.Require(conditions):
                text.statement("", self.call("require", [all_of([value_of(one) for one in conditions])]))
            case ir.Allocate(name, shape, dtype, workspace):
                function = dotted("np.empty") if workspace else ast.Name("empty")
                text.statement(
                    f"{name} = ", ast.Call(function, [self.tuple_of(shape), self.dtype(dtype)], [])
                )
            case ir.Break():
                text.line("break")
            case ir.Remark(remark):
                text.comment(remark)
            case _:
                assert_never(statement)

    def _restoring(self, arrays: Sequence[str], body: Sequence[ir.Statement]) -> None:
        """Print statements that put arrays back if the scalar interpreter must take over in the middle."""
        copies = [self._fresh(f"{name}_before") for name in arrays]
        for name, copy in zip(arrays, copies, strict=True):
            self._text.line(f"{copy} = {name}.copy()")
        self._text.line("try:")
        self._indented(body)
        self._text.line("except (NotVectorized, MemoryError, OverflowError):")
        with self._text.indented():
            for name, copy in zip(arrays, copies, strict=True):
                self._text.line(f"{name}[...] = {copy}")
            self._text.line("raise")

    def _indented(self, body: Sequence[ir.Statement]) -> None:
        with self._text.indented():
            self.body(body)

    def _store(self, target: ir.Expr, value: ir.Expr) -> None:
        place, stored = self.expression(target), self.expression(value)
        if not isinstance(place, ast.Subscript):
            place = ast.Subscript(place, ast.Constant(...))
        self._text.assignment(place, stored)

    def _for(self, loop: ir.For) -> None:
        outer = self.short
        if loop.hot and not outer:
            self.short = self._named_functions(loop)
        names, values = [row.name for row in loop.rows], [self.expression(row.array) for row in loop.rows]
        if not loop.exact:
            bounds = [self.expression(loop.stop)]
            if loop.start != Literal(0) or loop.step != Literal(1):
                bounds.insert(0, self.expression(loop.start))
            if loop.step != Literal(1):
                bounds.append(self.expression(loop.step))
            names, values = [loop.variable, *names], [ast.Call(ast.Name("range"), bounds, []), *values]
        head = values[0] if len(values) == 1 else ast.Call(ast.Name("zip"), values, [])
        self._text.statement(f"for {', '.join(names)} in ", head, ":")
        self._indented(loop.body)
        self.short = outer

    def _named_functions(self, loop: ir.For) -> dict[str, str]:
        """Give the functions that the steps of a loop call names before it."""
        found: dict[str, str] = {}
        pending: list[Node | Polynomial] = [loop]
        while pending:
            part = pending.pop()
            if isinstance(part, Polynomial):
                continue
            if isinstance(part, ir.Into | ir.Elementwise):
                value = part.value if isinstance(part, ir.Into) else part
                if isinstance(part, ir.Into) and isinstance(value, ir.Elementwise):
                    name = into_function(value)[0]
                else:
                    name = function_name(value)
                written = isinstance(part, ir.Into) or (
                    isinstance(value, ir.Elementwise) and is_called(value)
                )
                if name in LOOKED_UP and written and name not in found:
                    found[name] = self._fresh(name.removeprefix("np."))
                    self._text.line(f"{found[name]} = {name}")
            pending += parts_of(part)
        return found

    def _if(self, branch: ir.If) -> None:
        """Print conditions that are directly in each other as one."""
        conditions = [self.expression(branch.condition)]
        while len(branch.body) == 1 and isinstance(branch.body[0], ir.If):
            branch = branch.body[0]
            conditions.append(self.expression(branch.condition))
        self._text.statement("if ", all_of(conditions), ":")
        self._indented(branch.body)


def _joined(names: tuple[str, ...]) -> str:
    """Return names to which the items of a tuple are assigned."""
    match names:
        case (name,):
            return f"({name},)"
        case _:
            return ", ".join(names)
