"""PrimFuncs in TVM's notation, in the style of its printer: indices are int64, values have their dtypes."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INT64
from relax_lang.tir.ir.intrinsics import INTRINSICS
from relax_lang.tir.ir.well_typed import analyse
from relax_lang.tvmscript.writer.struct_infos import INFIX, PREC_PRODUCT, PREC_UNARY
from relax_lang.tvmscript.writer.text import OLDER, Lines, Names, NotExportable, literal_text, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LOOPS = {
    "serial": "T.serial",
    "parallel": "T.parallel",
    "vectorized": "T.vectorized",
    "unrolled": "T.unroll",
    "thread": "T.thread_binding",
}
BITS = {
    tree.BitAnd: "bitwise_and",
    tree.BitOr: "bitwise_or",
    tree.BitXor: "bitwise_xor",
    tree.ShiftLeft: "shift_left",
    tree.ShiftRight: "shift_right",
}
CALLED = {"abs": "fabs"}
"""Functions that are called something else in TVM, for floats."""


class PrimFuncWriter:
    """Writes one PrimFunc."""

    def __init__(self, func: tree.PrimFunc, version: str) -> None:
        self.func = func
        self.version = version
        self.types = analyse(func).types
        self.names = Names()
        self.out = Lines()
        self.ranges: dict[str, tree.Range] = {}
        """The ranges of loop variables."""

    def write(self, depth: int, name: str) -> list[str]:
        """Return the lines of the function. Raises NotExportable."""
        self.out.depth = depth
        options = ["private=True"] if self.func.private else []
        if self.version != OLDER:
            options.append("s_tir=True")
        self.out.add(f"@T.prim_func({', '.join(options)})" if options else "@T.prim_func")
        sizes = self._sizes()
        params, matches = self._params()
        result = "" if self.func.ret_dtype is None else f" -> T.{self.func.ret_dtype.name}"
        self.out.enter(f"def {name}({', '.join(params)}){result}:")
        if self.func.attrs:
            items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in self.func.attrs]
            self.out.add(f"T.func_attr({{{', '.join(items)}}})")
        for size in sizes:
            self.out.add(f"{self.names.of(size)} = T.int64()")
        for line in matches:
            self.out.add(line)
        self.statements(self.func.body)
        if self.func.result is not None:
            self.out.add(f"return {self.expr(self.func.result)}")
        elif not self.func.body:
            self.out.add("T.evaluate(0)")
        self.out.leave()
        return self.out.lines

    def _sizes(self) -> list[str]:
        """Return the dimension variables that buffers bind, in order."""
        scalars = {one.name for one in self.func.params if isinstance(one, tree.ScalarParam)}
        found: dict[str, None] = {}
        for param in self.func.params:
            if isinstance(param, tree.Buffer):
                for dim in param.shape:
                    if isinstance(dim, tree.PrimVar) and dim.name not in scalars:
                        found[dim.name] = None
        return list(found)

    def _params(self) -> tuple[list[str], list[str]]:
        params: list[str] = []
        matches: list[str] = []
        for one in self.func.params:
            if isinstance(one, tree.ScalarParam):
                self.names.of(one.name)  # before names are made up
        for one in self.func.params:
            if isinstance(one, tree.ScalarParam):
                params.append(f"{self.names.of(one.name)}: T.{one.dtype.name}")
                continue
            name = self.names.of(one.name)
            rest = f"{self.shape(one.shape)}, {quoted(one.dtype.name)}"
            if all(isinstance(dim, tree.IntImm) for dim in one.shape):
                params.append(f"{name}: T.Buffer({rest})")
                continue
            handle = self.names.fresh(f"var_{one.name}")
            params.append(f"{handle}: T.handle")
            matches.append(f"{name} = T.match_buffer({handle}, {rest})")
        return params, matches

    def shape(self, dims: tuple[tree.PrimExpr, ...]) -> str:
        """Return a shape, whose numbers are int64."""
        parts = [self.extent(dim) for dim in dims]
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"

    def extent(self, node: tree.PrimExpr) -> str:
        """Return an extent: a bare number is an int64."""
        return f"T.int64({node.value})" if isinstance(node, tree.IntImm) else self.expr(node)

    # -- statements --------------------------------------------------------------------------------------------

    def statements(self, body: Iterable[tree.Stmt]) -> None:
        """Write statements."""
        for one in body:
            self.statement(one)

    def statement(self, node: tree.Stmt) -> None:
        """Write one statement."""
        if isinstance(node, tree.For):
            self.loop(node)
        elif isinstance(node, tree.Block):
            self.block(node)
        elif isinstance(node, tree.BufferStore):
            self.store(node)
        elif isinstance(node, tree.Allocate):
            self.allocate(node)
        elif isinstance(node, tree.LetStmt):
            self.let(node)
        elif isinstance(node, tree.IfThenElse):
            self.branch(node)
        elif isinstance(node, tree.While):
            self.out.enter(f"while {self.expr(node.condition)}:")
            self.statements(node.body)
            self.out.leave()
        elif isinstance(node, tree.AssertStmt):
            self.out.add(f"assert {self.expr(node.condition)}, {quoted(node.message)}")
        elif isinstance(node, tree.Break | tree.Continue):
            word = "break" if isinstance(node, tree.Break) else "continue"
            if self.version == OLDER:
                raise NotExportable(node, f"`{word}`", f"TVM {OLDER} has none")
            self.out.add(word)
        else:
            self.call_extern(node)

    def loop(self, node: tree.For) -> None:
        """Write a loop."""
        names = ", ".join([self.names.of(one.name) for one in node.loop_vars])
        from_zero = all(isinstance(one.min, tree.IntImm) and one.min.value == 0 for one in node.ranges)
        if len(node.loop_vars) > 1 or node.grid:
            if not from_zero or node.kind != "serial":
                raise NotExportable(node, "a loop of this kind over several variables")
            over = f"T.grid({', '.join([self.extent(one.stop) for one in node.ranges])})"
        else:
            (one,) = node.ranges
            bounds = (
                self.extent(one.stop) if from_zero else f"{self.extent(one.min)}, {self.extent(one.stop)}"
            )
            over = f"range({bounds})" if node.kind == "serial" else f"{LOOPS[node.kind]}({bounds})"
            if node.kind == "thread":
                over = f"{over[:-1]}, thread={quoted(node.thread or '')})"
        for variable, bounds in zip(node.loop_vars, node.ranges, strict=True):
            self.ranges[variable.name] = bounds
        self.out.enter(f"for {names} in {over}:")
        self.statements(node.body)
        self.out.leave()

    def block(self, node: tree.Block) -> None:
        """Write a block."""
        word = "T.block" if self.version == OLDER else "T.sblock"
        self.out.enter(f"with {word}({quoted(node.name)}):")
        self.axes(node.axes)
        if node.predicate is not None:
            self.out.add(f"T.where({self.expr(node.predicate)})")
        for name, regions in (("reads", node.reads), ("writes", node.writes)):
            if regions is not None:
                self.out.add(f"T.{name}({', '.join([self.region(one) for one in regions])})")
        if node.attrs:
            items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in node.attrs]
            self.out.add(f"{word}_attr({{{', '.join(items)}}})")
        if node.init is not None:
            self.out.enter("with T.init():")
            self.statements(node.init)
            self.out.leave()
        self.statements(node.body)
        self.out.leave()

    def axes(self, axes: tuple[tree.IterVar, ...]) -> None:
        """Write the axes of a block; those that are loop variables in one statement."""
        plain = [one for one in axes if one.dom is None and isinstance(one.value, tree.PrimVar)]
        letters = [{"spatial": "S", "reduce": "R"}.get(one.kind, "") for one in plain]
        if len(plain) == len(axes) > 1 and all(letters):
            names = ", ".join([self.names.of(one.var.name) for one in axes])
            values = ", ".join([self.expr(one.value) for one in axes])
            self.out.add(f'{names} = T.axis.remap("{"".join(letters)}", [{values}])')
            return
        for axis in axes:
            self.axis(axis)

    def axis(self, axis: tree.IterVar) -> None:
        """Write an axis, with its domain."""
        name, value = self.names.of(axis.var.name), self.expr(axis.value)
        if axis.dom is None:
            if not isinstance(axis.value, tree.PrimVar):
                raise NotExportable(axis, "an axis without a domain", "TVM asks for one: `spatial(e, 0..n)`")
            letter = {"spatial": "S", "reduce": "R"}.get(axis.kind)
            if letter is None:
                known = self.ranges.get(axis.value.name)
                if known is None:
                    raise NotExportable(axis, f"a {axis.kind} axis without a domain")
                self.out.add(f"{name} = T.axis.{axis.kind}({self.domain(known)}, {value})")
                return
            self.out.add(f'{name} = T.axis.remap("{letter}", [{value}])')
            return
        self.out.add(f"{name} = T.axis.{axis.kind}({self.domain(axis.dom)}, {value})")

    def domain(self, bounds: tree.Range) -> str:
        """Return the domain of an axis: an extent, or both bounds."""
        low, stop = bounds.min, self.extent(bounds.stop)
        is_zero = isinstance(low, tree.IntImm) and low.value == 0
        return stop if is_zero else f"({self.extent(low)}, {stop})"

    def region(self, region: tree.BufferRegion) -> str:
        """Return a region of `reads` and `writes`."""
        parts: list[str] = []
        for one in region.region:
            if isinstance(one, tree.Range):
                parts.append(f"{self.expr(one.min)}:{self.expr(one.stop)}")
            else:
                parts.append(self.expr(one))
        return f"{self.names.of(region.buffer.name)}[{', '.join(parts) or '()'}]"

    def store(self, node: tree.BufferStore) -> None:
        """Write a store; a combined one reads the element."""
        target = self.element(node.buffer, node.indices)
        value = self.typed(node.value)
        if node.op != "=":
            sign = node.op[0]
            value = f"{target} {sign} {self.expr(node.value, PREC_UNARY if sign == '*' else PREC_PRODUCT)}"
        self.out.add(f"{target} = {value}")

    def typed(self, node: tree.PrimExpr) -> str:
        """Return a value; a number alone has its dtype."""
        return self.extent(node) if self._bare(node) else self.expr(node)

    def element(self, buffer: tree.PrimVar, indices: tuple[tree.PrimExpr, ...]) -> str:
        """Return `A[i, j]`."""
        parts = [self.index(one) for one in indices]
        return f"{self.names.of(buffer.name)}[{', '.join(parts) or '()'}]"

    def index(self, node: tree.PrimExpr) -> str:
        """Return an index: a bare number needs no dtype."""
        return str(node.value) if isinstance(node, tree.IntImm) else self.expr(node)

    def allocate(self, node: tree.Allocate) -> None:
        """Write an allocation."""
        word = "T.alloc_buffer" if self.version == OLDER else "T.sblock_alloc_buffer"
        buffer = node.buffer
        scope = f", scope={quoted(node.scope)}" if node.scope else ""
        rest = f"{self.shape(buffer.shape)}, {quoted(buffer.dtype.name)}{scope}"
        self.out.add(f"{self.names.of(buffer.name)} = {word}({rest})")

    def let(self, node: tree.LetStmt) -> None:
        """Write a `let`."""
        dtype = node.dtype.name if node.dtype is not None else self.types.get(node.value, INT64)
        value = self.extent(node.value) if dtype == INT64 else self.expr(node.value)
        self.out.add(f"{self.names.of(node.var.name)}: T.{dtype} = {value}")

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
            else:
                args.append(self.expr(one))
        listed = ", ".join([quoted(node.name), *args])
        self.out.add(f'T.evaluate(T.call_extern("int32", {listed}))')

    # -- expressions -------------------------------------------------------------------------------------------

    def expr(self, node: tree.PrimExpr, level: int = 0) -> str:
        """Return an expression; one that binds more loosely than `level` is in parentheses."""
        if isinstance(node, tree.IntImm | tree.FloatImm):
            return self.number(node)
        if isinstance(node, tree.BoolImm):
            return f"T.bool({node.value})"
        if isinstance(node, tree.PrimVar):
            return self.names.of(node.name)
        if type(node) in INFIX:
            return self.infix(node, level)
        if isinstance(node, tree.BufferLoad):
            return self.element(node.buffer, node.indices)
        if isinstance(node, tree.Neg):
            return self.negative(node)
        return self.called(node)

    def number(self, node: tree.IntImm | tree.FloatImm, sign: str = "") -> str:
        """Return a literal with its dtype; an int64 is a bare number, which takes that of its context."""
        dtype = self.types.get(node) or (node.dtype.name if node.dtype is not None else INT64)
        if dtype == INT64 and isinstance(node, tree.IntImm):
            return f"T.int64({sign}{node.value})" if node.dtype is not None else f"{sign}{node.value}"
        value = float(node.value) if "float" in dtype else node.value
        if isinstance(value, float) and value - value != 0:
            word = "nan" if value != value else ("inf" if (value > 0) == (sign == "") else "-inf")
            return f'T.{dtype}("{word}")'
        return f"T.{dtype}({sign}{value!r})"

    def negative(self, node: tree.Neg) -> str:
        """Return `-e`; of a literal it is a literal."""
        if isinstance(node.a, tree.IntImm | tree.FloatImm):
            return self.number(node.a, "-")
        return f"-{self.expr(node.a, PREC_UNARY)}"

    def infix(self, node: Any, level: int) -> str:
        """Return `a + b`."""
        sign, own = INFIX[type(node)]
        left, right = node.a, node.b
        text = f"{self.expr(left, own)} {sign} {self.expr(right, own + 1)}"
        return f"({text})" if own < level else text

    def called(self, node: tree.PrimExpr) -> str:
        """Return an expression that is a call."""
        if isinstance(node, tree.Cast):
            return f"T.Cast({quoted(node.dtype.name)}, {self.expr(node.value)})"
        if isinstance(node, tree.TypeLimit):
            return f"T.{node.name}({quoted(node.dtype.name)})"
        if isinstance(node, tree.Select):
            return self.call("Select", (node.condition, node.true_value, node.false_value))
        if isinstance(node, tree.Min | tree.Max):
            return self.call("min" if isinstance(node, tree.Min) else "max", (node.a, node.b))
        if isinstance(node, tree.Div):
            if "float" in self.types.get(node, ""):
                return f"{self.expr(node.a, 9)} / {self.expr(node.b, 10)}".join("()")
            return self.call("truncdiv", (node.a, node.b))
        if type(node) in BITS:
            return self.call(BITS[type(node)], (node.a, node.b))  # type: ignore[union-attr, index]
        if isinstance(node, tree.Not):
            return self.call("Not", (node.a,))
        if isinstance(node, tree.BitNot):
            return self.call("bitwise_not", (node.a,))
        assert isinstance(node, tree.PrimCall)
        name = node.name
        if name in INTRINSICS:
            name = CALLED.get(name, name) if "float" in self.types.get(node, "float") else name
        return self.call(name, node.args)

    def call(self, name: str, args: tuple[tree.PrimExpr, ...]) -> str:
        """Return a call of TVM's dialect."""
        shown = [self.extent(one) if self._bare(one) else self.expr(one) for one in args]
        return f"T.{name}({', '.join(shown)})"

    def _bare(self, node: tree.PrimExpr) -> bool:
        return isinstance(node, tree.IntImm) and self.types.get(node, INT64) == INT64


def value_of(literal: tree.Literal) -> Any:
    """Return a literal as a Python value; a dtype is its name. Raises NotExportable."""
    if isinstance(literal, tree.ListLit):
        return [value_of(one) for one in literal.items]
    if isinstance(literal, tree.NullLit):
        return None
    if isinstance(literal, tree.DType):
        return literal.name
    if isinstance(literal, tree.FileLit):
        raise NotExportable(literal, "a file as an attribute")
    return literal.value
