"""PrimFuncs in TVM's notation, in the style of its printer."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INT64
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.index_dtypes import ATTRIBUTE, EXCEPTIONS, INT32
from relax_lang.tvmscript.writer.axes import AxisWriter
from relax_lang.tvmscript.writer.heads import views_at_head
from relax_lang.tvmscript.writer.struct_infos import PREC_PRODUCT, PREC_UNARY
from relax_lang.tvmscript.writer.text import OLDER, NotExportable, literal_text, quoted, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from relax_lang.base.node import Table

LOOPS = {
    "serial": "T.serial",
    "parallel": "T.parallel",
    "vectorized": "T.vectorized",
    "unrolled": "T.unroll",
    "thread": "T.thread_binding",
}


class PrimFuncWriter(AxisWriter):
    """Writes one PrimFunc."""

    def __init__(self, func: tree.PrimFunc, version: str) -> None:
        super().__init__(func, version)
        self.said = {one.key: value_of(one.value) for one in func.attrs if one.key in spelling.OF_EXPORT}

    def write(self, depth: int, name: str) -> list[str]:
        """Return the lines of the function. Raises NotExportable."""
        self.out.depth = depth
        options = ["private=True"] if self.func.private else []
        if self.version != OLDER and self.said.get(spelling.S_TIR) is not False:
            options.append("s_tir=True")
        self.out.add(f"@T.prim_func({', '.join(options)})" if options else "@T.prim_func")
        sizes = self._sizes()
        params, matches = self._params()
        result = "" if self.func.ret_dtype is None else f" -> T.{self.func.ret_dtype.name}"
        self.out.enter(f"def {name}({', '.join(params)}){result}:")
        attrs = [
            one
            for one in self.func.attrs
            if one.key == spelling.SYMBOL or one.key not in (ATTRIBUTE, EXCEPTIONS, *spelling.OF_EXPORT)
        ]
        if attrs:
            items = [
                f"{quoted('global_symbol' if one.key == spelling.SYMBOL else one.key)}: "
                f"{literal_text(value_of(one.value))}"
                for one in attrs
            ]
            self.out.add(f"T.func_attr({{{', '.join(items)}}})")
        for size in sizes:
            self.out.add(f"{self.names.of(size)} = T.{self.dtype_of(size)}()")
        for line in matches:
            self.out.add(line)
        self.statements(self.func.body)
        if self.func.result is not None:
            said = self.said.get(spelling.BRANCHES)
            self.result(self.func.result, said if isinstance(said, list) else [])  # pyright: ignore[reportUnknownArgumentType]
        elif not self.func.body:
            self.out.add("T.evaluate(0)")
        self.out.leave()
        return self.out.lines

    def result(self, node: tree.PrimExpr, branches: list[object]) -> None:
        """Write the result; one that depends on a condition may be two statements."""
        word = branches[0] if branches else None
        if (
            word not in (spelling.ELSE, spelling.AFTER)
            or self.version == OLDER
            or not isinstance(node, tree.PrimCall)
            or node.name != "if_then_else"
        ):
            self.out.add(f"return {self.typed(node)}")
            return
        condition, yes, no = node.args
        self.out.enter(f"if {self.expr(condition)}:")
        self.out.add(f"return {self.typed(yes)}")
        self.out.leave()
        if word == spelling.ELSE:
            self.out.enter("else:")
        self.result(no, branches[1:])
        if word == spelling.ELSE:
            self.out.leave()

    def _sizes(self) -> list[str]:
        """Return the dimension variables that buffers bind, in order."""
        scalars = {one.name for one in self.func.params if isinstance(one, tree.ScalarParam)}
        found: dict[str, None] = {}
        for param in self.func.params:
            if isinstance(param, tree.Buffer):
                for dim in param.shape:
                    if isinstance(dim, tree.PrimVar) and dim.name not in scalars:
                        found[dim.name] = None
                        self.index_types[dim.name] = self.dtype_of(dim.name)
        return list(found)

    def _params(self) -> tuple[list[str], list[str]]:
        params: list[str] = []
        matches: list[str] = []
        for one in self.func.params:
            if isinstance(one, tree.ScalarParam):
                self.names.of(one.name)  # before names are made up
        used = {dim for one in walk(self.func) if isinstance(one, tree.Buffer) for dim in _names_of(one)}
        for one in self.func.params:
            if isinstance(one, tree.ScalarParam):
                dtype = one.dtype.name
                if dtype == INT64 and one.name in used:
                    dtype = self.index_types[one.name] = self.dtype_of(one.name)
                    self.indices.add(self.symbols[one])
                params.append(f"{self.names.of(one.name)}: T.{dtype}")
                continue
            name = self.names.of(one.name)
            given = self._of_buffer(one.name)
            pointer = given.pop(spelling.POINTER, None)
            rest = f"{self.shape(one)}, {quoted(one.dtype.name)}{self.options(given)}"
            if isinstance(pointer, str) and self.version != OLDER:
                handle = self.names.fresh(f"{one.name}_ptr")
                scope = "" if pointer == "global" else f", scope={quoted(pointer)}"
                params.append(f"{handle}: T.handle({quoted(one.dtype.name)}, {quoted(pointer)})")
                matches.append(f"{name} = T.decl_buffer({rest}, data={handle}{scope})")
                continue
            if all(isinstance(dim, tree.IntImm) for dim in one.shape):
                params.append(f"{name}: T.Buffer({rest})")
                continue
            handle = self.names.fresh(f"var_{one.name}")
            params.append(f"{handle}: T.handle")
            matches.append(f"{name} = T.match_buffer({handle}, {rest})")
        return params, matches

    def _of_buffer(self, name: str) -> dict[str, Any]:
        said = self.said.get(spelling.BUFFERS)
        found = said.get(name) if isinstance(said, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return dict(found) if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownArgumentType]

    @staticmethod
    def options(given: Mapping[str, Any]) -> str:
        """Return options of a buffer, each after a comma."""
        return "".join([f", {key}={literal_text(value)}" for key, value in given.items()])

    # -- statements --------------------------------------------------------------------------------------------

    def statements(self, body: Iterable[tree.Stmt]) -> None:
        """Write statements."""
        for one in body:
            self.statement(one)

    def statement(self, node: tree.Stmt) -> None:
        """Write one statement."""
        _WRITE[type(node)](self, node)

    def repeat(self, node: tree.While) -> None:
        """Write a `while`."""
        self.out.enter(f"while {self.expr(node.condition)}:")
        self.statements(node.body)
        self.out.leave()

    def assertion(self, node: tree.AssertStmt) -> None:
        """Write an assertion, or what a compiler may assume."""
        condition = self.expr(node.condition)
        if node.message == spelling.ASSUMED:
            self.out.add(f"T.evaluate(T.assume({condition}))")
        else:
            self.out.add(f"assert {condition}, {quoted(node.message)}")

    def jump(self, node: tree.Break | tree.Continue) -> None:
        """Write `break` or `continue`."""
        word = "break" if isinstance(node, tree.Break) else "continue"
        if self.version == OLDER:
            raise NotExportable(node, f"`{word}`", f"TVM {OLDER} has none")
        self.out.add(word)

    def loop(self, node: tree.For) -> None:
        """Write a loop."""
        if self._with_step(node):
            return
        attrs = [one for one in node.attrs if one.key != spelling.LAUNCH]
        is_launched = node.kind == "thread" and len(attrs) < len(node.attrs)
        names = ", ".join([self.names.of(one.name) for one in node.loop_vars])
        keys = [self.occurrences.next(one.name) for one in node.loop_vars]
        from_zero = all(isinstance(one.min, tree.IntImm) and one.min.value == 0 for one in node.ranges)
        if len(node.loop_vars) > 1 or node.grid:
            if not from_zero or node.kind != "serial":
                raise NotExportable(node, "a loop of this kind over several variables")
            if attrs:
                raise NotExportable(node, "attributes of a loop over several variables")
            extents = [self.extent(one.stop, key) for key, one in zip(keys, node.ranges, strict=True)]
            over = f"T.grid({', '.join(extents)})"
        else:
            (one,) = node.ranges
            bounds = self.extent(one.stop, keys[0])
            if not from_zero:
                bounds = f"{self.extent(one.min, keys[0])}, {bounds}"
            over = f"range({bounds})" if node.kind == "serial" else f"{LOOPS[node.kind]}({bounds})"
            if node.kind == "thread":
                over = f"{over[:-1]}, thread={quoted(node.thread or '')})"
        if attrs:
            items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in attrs]
            over = f"{over[:-1]}, annotations={{{', '.join(items)}}})"
            over = over.replace("range(", "T.serial(", 1) if over.startswith("range(") else over
        for variable, key, bounds in zip(node.loop_vars, keys, node.ranges, strict=True):
            self.ranges[variable.name] = bounds
            self.note(variable.name, key, bounds.stop)
        if is_launched and from_zero and not attrs:
            extent = self.extent(node.ranges[0].stop, keys[0])
            self.out.enter(f"with T.launch_thread({quoted(node.thread or '')}, {extent}) as {names}:")
        else:
            self.out.enter(f"for {names} in {over}:")
        self.statements(node.body)
        self.out.leave()

    def _with_step(self, node: tree.For) -> bool:
        """Write a loop that has a step, whose first statement computes its variable; False if it is not one."""
        given = [value_of(one.value) for one in node.attrs if one.key == spelling.RANGE]
        first = node.body[0] if node.body else None
        numbers = given[0] if given and isinstance(given[0], list) else []  # pyright: ignore[reportUnknownVariableType]
        if len(numbers) != 3 or not isinstance(first, tree.LetStmt) or self.version == OLDER:  # pyright: ignore[reportUnknownArgumentType]
            return False
        dtype = self.index_types[first.var.name] = self.dtype_of(first.var.name)
        self.indices.add(self.symbols[first.var])
        low, stop, step = [self.integer(one, dtype) for one in numbers]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        self.out.enter(f"for {self.names.of(first.var.name)} in range({low}, {stop}, {step}):")
        self.statements(node.body[1:])
        self.out.leave()
        return True

    def block(self, node: tree.Block) -> None:
        """Write a block."""
        word = "T.block" if self.version == OLDER else "T.sblock"
        self.out.enter(f"with {word}({quoted('' if node.name == '_' else node.name)}):")
        self.axes(node.axes)
        if node.predicate is not None:
            self.out.add(f"T.where({self.expr(node.predicate)})")
        for name, regions in (("reads", node.reads), ("writes", node.writes)):
            if regions is not None:
                self.out.add(f"T.{name}({', '.join([self.region(one) for one in regions])})")
            elif any(one.key == name for one in node.attrs):
                self.out.add(f"T.{name}()")
        attrs = [one for one in node.attrs if one.key not in spelling.REGIONS]
        if attrs:
            items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in attrs]
            self.out.add(f"{word}_attr({{{', '.join(items)}}})")
        count = views_at_head(node)
        self.statements(node.body[:count])
        if node.init is not None:
            self.out.enter("with T.init():")
            self.statements(node.init)
            self.out.leave()
        self.statements(node.body[count:])
        self.out.leave()

    def store(self, node: tree.BufferStore) -> None:
        """Write a store; a combined one reads the element."""
        target = self.element(node.buffer, node.indices)
        value = self.typed(node.value)
        if node.op != "=":
            operator = node.op[0]
            value = f"{target} {operator} {self.expr(node.value, PREC_UNARY if operator == '*' else PREC_PRODUCT)}"
        self.out.add(f"{target} = {value}")

    def typed(self, node: tree.PrimExpr) -> str:
        """Return a value; a number alone has its dtype."""
        return self.integer(node.value, INT64) if self.is_bare(node) else self.expr(node)

    def allocate(self, node: tree.Allocate) -> None:
        """Write an allocation."""
        given = {one.key: value_of(one.value) for one in node.attrs}
        is_cell = given.pop(spelling.CELL, False) is True
        if (
            is_cell
            and _is_one_element(node.buffer)
            and node.scope is None
            and not given
            and self.version != OLDER
        ):
            self.cells.add(node.buffer.name)
            self.occurrences.next(node.buffer.name)
            self.out.add(
                f"{self.names.of(node.buffer.name)} = T.local_scalar({quoted(node.buffer.dtype.name)})"
            )
            return
        is_statement = given.pop(spelling.SBLOCK, True) is False
        word = "T.alloc_buffer" if self.version == OLDER or is_statement else "T.sblock_alloc_buffer"
        buffer = node.buffer
        scope = f", scope={quoted(node.scope)}" if node.scope else ""
        rest = f"{self.shape(buffer)}, {quoted(buffer.dtype.name)}{scope}{self.options(given)}"
        self.out.add(f"{self.names.of(buffer.name)} = {word}({rest})")

    def view(self, node: tree.BufferView) -> None:
        """Write a view: of a region, which the head of a block has, or of a whole buffer."""
        given = {one.key: value_of(one.value) for one in node.attrs}
        rest = f"{self.shape(node.buffer)}, {quoted(node.buffer.dtype.name)}"
        name = self.names.of(node.buffer.name)
        if node.region is None:
            data = f"data={self.names.of(node.source.name)}.data"
            self.out.add(f"{name} = T.decl_buffer({rest}, {data}{self.options(given)})")
            return
        region = self.region(tree.BufferRegion(node.source, node.region))
        self.out.add(f"{name} = T.match_buffer({region}, {rest}{self.options(given)})")

    def let(self, node: tree.LetStmt) -> None:
        """Write a `let`."""
        if node.var.name == spelling.IGNORED:
            self.out.add(f"T.evaluate({self.typed(node.value)})")
            return
        dtype = node.dtype.name if node.dtype is not None else self.types.get(node.value, INT64)
        value = self.extent(node.value) if dtype == INT64 else self.expr(node.value)
        if dtype == INT64 and self.is_index(node.value):
            dtype = self.index_types[node.var.name] = self.index_type(node.value)
            self.indices.add(self.symbols[node.var])
        cells = self.said.get(spelling.CELLS)
        if isinstance(cells, list) and node.var.name in cells and self.version != OLDER:
            self.out.add(f"{self.names.of(node.var.name)} = {value}")
            return
        kind = f"T.{dtype}" if self.version == OLDER else f"T.let[T.{dtype}]"
        self.out.add(f"{self.names.of(node.var.name)}: {kind} = {value}")

    def branch(self, node: tree.IfThenElse) -> None:
        """Write an `if`."""
        self.out.enter(f"if {self.expr(node.condition)}:")
        self.statements(node.then_case)
        self.out.leave()
        if node.else_case:
            self.out.enter("else:")
            self.statements(node.else_case)
            self.out.leave()

    def call_extern(self, node: tree.CallExtern) -> None:
        """Write a call of a packed function."""
        args: list[str] = []
        buffers = {one.name for one in self.func.params if isinstance(one, tree.Buffer)}
        for one in node.args:
            if isinstance(one, tree.StrLit):
                args.append(quoted(one.value))
            elif isinstance(one, tree.PrimVar) and (one.name in buffers or one not in self.types):
                args.append(f"{self.names.of(one.name)}.data")
            elif self.is_index(one):
                args.append(
                    f'T.Cast("int64", {self.expr(one)})'
                    if self.index_type(one) == INT32
                    else self.extent(one)
                )
            else:
                args.append(self.expr(one))
        listed = ", ".join([quoted(node.name), *args])
        results = self.said.get(spelling.RESULTS)
        dtype = results.get(node.name) if isinstance(results, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        shown = quoted(dtype if isinstance(dtype, str) else INT32)
        self.out.add(f"T.evaluate(T.call_extern({shown}, {listed}))")


_WRITE: Table[tree.Stmt, Callable[[PrimFuncWriter, Any], None]] = {
    tree.For: PrimFuncWriter.loop,
    tree.Block: PrimFuncWriter.block,
    tree.BufferStore: PrimFuncWriter.store,
    tree.Allocate: PrimFuncWriter.allocate,
    tree.BufferView: PrimFuncWriter.view,
    tree.LetStmt: PrimFuncWriter.let,
    tree.IfThenElse: PrimFuncWriter.branch,
    tree.While: PrimFuncWriter.repeat,
    tree.AssertStmt: PrimFuncWriter.assertion,
    tree.Break: PrimFuncWriter.jump,
    tree.Continue: PrimFuncWriter.jump,
    tree.CallExtern: PrimFuncWriter.call_extern,
}


def _names_of(buffer: tree.Buffer) -> set[str]:
    """Return the names in the shape of a buffer."""
    return {one.name for dim in buffer.shape for one in walk(dim) if isinstance(one, tree.PrimVar)}


def _is_one_element(buffer: tree.Buffer) -> bool:
    return len(buffer.shape) == 1 and isinstance(buffer.shape[0], tree.IntImm) and buffer.shape[0].value == 1
