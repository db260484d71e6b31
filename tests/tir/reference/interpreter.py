"""A third meaning for PrimFuncs: plain Python, without NumPy, written from chapters 15 to 17 of docs/language.md.

It shares nothing with the scalar interpreter or the compiler but the parser: types, wrapping, rounding and the start of
reductions are worked out here anew. Buffers are flat lists. Slow, and meant to be read.
"""

from __future__ import annotations

import math
import operator
from itertools import product

from relax_lang.syntax import tree
from tests.tir.reference.numbers import (
    _TAME,
    FLOATS,
    WIDTHS,
    Failure,
    Unspecified,
    converted,
    is_integer,
    literal,
    literal_type,
    rounded,
    stored,
    untyped,
    wrapped,
)
from tests.tir.reference.reductions import Reductions

"""Bits before and after the point of numbers whose sums are exact in any order."""
_MOST_STEPS = 200_000


class Jump(Exception):  # noqa: N818 - where the program goes on
    """Leaves the innermost loop, or its iteration."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Array:
    """A buffer: its elements in order, None where nothing was stored yet."""

    def __init__(self, shape, dtype: str, items: list) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        self.items = items


class Machine:
    """Runs one PrimFunc on arrays and numbers by the names of its parameters."""

    def __init__(self, func: tree.PrimFunc, arguments: dict) -> None:
        self.values: dict = {}
        self.types: dict[str, str] = {}
        self.steps = 0
        self.reductions = Reductions(func)
        for param in func.params:
            value = arguments[param.name]
            self.types[param.name] = param.dtype.name
            self.values[param.name] = value
            for at, size in enumerate(param.shape if isinstance(param, tree.Buffer) else ()):
                if isinstance(size, tree.PrimVar):
                    self.values.setdefault(size.name, value.shape[at])
                    self.types.setdefault(size.name, "int64")
        self.run(func.body)

    # -- statements

    def run(self, statements) -> None:
        for statement in statements:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise Unspecified("it takes too long")
            getattr(self, type(statement).__name__)(statement)

    def For(self, loop) -> None:
        self.loop(loop, 0)

    def loop(self, loop, at: int) -> None:
        if at == len(loop.loop_vars):
            self.run(loop.body)
            return
        name = loop.loop_vars[at].name
        self.types[name] = "int64"
        values = self.range(loop.ranges[at])
        begun = self.reductions.begin(loop, at)
        for value in values:
            self.steps += 1
            self.values[name] = value
            if not self.goes_on(lambda: self.loop(loop, at + 1), last=at + 1 == len(loop.loop_vars)):
                break
        for reduction in begun:
            self.finish(reduction)

    def goes_on(self, body, *, last: bool) -> bool:
        """Run an iteration of a loop; return whether the next one follows."""
        try:
            body()
        except Jump as jump:
            if not last:
                raise
            return jump.kind == "Continue"
        return True

    def Break(self, _) -> None:
        raise Jump("Break")

    def Continue(self, _) -> None:
        raise Jump("Continue")

    def range(self, bounds):
        return range(self.eval(bounds.min, "int64"), self.eval(bounds.stop, "int64"))

    def finish(self, reduction) -> None:
        """Start the sums that have no term."""
        if not reduction.perfect:
            return

        def visit(kept) -> None:
            if not kept:
                self.axes(reduction.block, only_kept=True)
                predicate = reduction.block.predicate
                if predicate is None or self.eval(predicate, "bool"):
                    self.start(reduction.block)
                return
            (loop, at), *rest = kept
            for value in self.range(loop.ranges[at]):
                name = loop.loop_vars[at].name
                self.types[name], self.values[name] = "int64", value
                visit(rest)

        visit(reduction.kept)

    def axes(self, block, *, only_kept: bool = False) -> None:
        for axis in block.axes:
            self.types[axis.var.name] = "int64"
            if not only_kept or axis.kind != "reduce":
                self.values[axis.var.name] = self.eval(axis.value, "int64")

    def Block(self, block) -> None:
        self.axes(block)
        if block.predicate is not None and not self.eval(block.predicate, "bool"):
            return
        self.start(block)
        self.run(block.body)

    def start(self, block) -> None:
        """Run the `init` of a block, if this is the first step with these values of its other axes."""
        if block.init is None:
            return
        reduction = self.reductions.of.get(id(block))
        if reduction is not None:
            key = tuple(self.values[axis.var.name] for axis in block.axes if axis.kind != "reduce")
            if key in reduction.started:
                return
            reduction.started.add(key)
        self.run(block.init)

    def Allocate(self, statement) -> None:
        buffer = statement.buffer
        shape = [self.eval(size, "int64") for size in buffer.shape]
        if any(size < 0 for size in shape):
            raise Failure("negative-dimension")
        self.types[buffer.name] = buffer.dtype.name
        self.values[buffer.name] = Array(shape, buffer.dtype.name, [None] * math.prod(shape))

    def LetStmt(self, statement) -> None:
        wanted = statement.dtype.name if statement.dtype is not None else None
        dtype = wanted or self.dtype(statement.value) or literal_type(statement.value)
        self.values[statement.var.name] = self.eval(statement.value, dtype)
        self.types[statement.var.name] = dtype

    def BufferStore(self, statement) -> None:
        array = self.values[statement.buffer.name]
        at = self.position(array, statement.indices)
        value = self.eval(statement.value, array.dtype)
        if statement.op != "=":
            value = self.arithmetic(statement.op[0], self.read(array, at), value, array.dtype)
        array.items[at] = stored(value, array.dtype)

    def IfThenElse(self, statement) -> None:
        self.run(statement.then_case if self.eval(statement.condition, "bool") else statement.else_case)

    def While(self, statement) -> None:
        while self.eval(statement.condition, "bool"):
            self.steps += 1
            if not self.goes_on(lambda: self.run(statement.body), last=True):
                break

    def AssertStmt(self, statement) -> None:
        if not self.eval(statement.condition, "bool"):
            raise Failure("assertion-failed")

    # -- elements

    def position(self, array: Array, indices) -> int:
        at = 0
        for index, size in zip(indices, array.shape, strict=True):
            value = self.eval(index, "int64")
            if not 0 <= value < size:
                raise Failure("tir-runtime-bounds")
            at = at * size + value
        return at

    def read(self, array: Array, at: int):
        value = array.items[at]
        if value is None:
            raise Unspecified("nothing was stored there")
        return value

    # -- expressions

    def dtype(self, expr) -> str | None:
        """Return the dtype of an expression; None of untyped literals."""
        if isinstance(expr, tree.PrimVar):
            return self.types[expr.name]
        if isinstance(expr, tree.IntImm | tree.FloatImm):
            return expr.dtype.name if expr.dtype is not None else None
        if isinstance(expr, tree.BoolImm | tree.Not | tree.And | tree.Or) or type(expr) in COMPARISONS:
            return "bool"
        if isinstance(expr, tree.BufferLoad):
            return self.types[expr.buffer.name]
        if isinstance(expr, tree.Cast | tree.TypeLimit):
            return expr.dtype.name
        if isinstance(expr, tree.Neg | tree.BitNot):
            return self.dtype(expr.a)
        if isinstance(expr, tree.Select):
            return self.dtype(expr.true_value) or self.dtype(expr.false_value)
        if isinstance(expr, tree.PrimCall):
            if expr.name in TESTS:
                return "bool"
            args = expr.args[1:] if expr.name == "if_then_else" else expr.args
            return next((found for found in map(self.dtype, args) if found), None)
        return self.dtype(expr.a) or self.dtype(expr.b)

    def eval(self, expr, wanted: str):
        """Return the value of an expression; untyped literals take the dtype that is wanted."""
        self.steps += 1
        dtype = self.dtype(expr) or untyped(expr, wanted)
        if self.steps > _MOST_STEPS:
            raise Unspecified("it takes too long")
        if isinstance(expr, tree.PrimVar):
            return self.values[expr.name]
        if isinstance(expr, tree.BufferLoad):
            array = self.values[expr.buffer.name]
            return self.read(array, self.position(array, expr.indices))
        if isinstance(expr, tree.Cast):
            wanted = dtype if dtype in FLOATS else literal_type(expr.value)
            source = self.dtype(expr.value) or untyped(expr.value, wanted)
            return converted(self.eval(expr.value, source), source, dtype)
        if isinstance(expr, tree.PrimCall):
            return self.call(expr, dtype)
        if isinstance(expr, tree.BoolImm | tree.IntImm | tree.FloatImm | tree.TypeLimit):
            return literal(expr, dtype)
        if type(expr) in COMPARISONS:
            operands = self.dtype(expr.a) or self.dtype(expr.b) or literal_type(expr.a)
            return COMPARISONS[type(expr)](self.eval(expr.a, operands), self.eval(expr.b, operands))
        if type(expr) in OPERATORS:
            a, b = self.eval(expr.a, dtype), self.eval(expr.b, dtype)
            return self.arithmetic(OPERATORS[type(expr)], a, b, dtype)
        return self.choice(expr, dtype)

    def choice(self, expr, dtype: str):
        """Return the value of a prefix operation, of `&&`, `||` or `select`."""
        if isinstance(expr, tree.Not):
            return not self.eval(expr.a, "bool")
        if isinstance(expr, tree.And):
            return self.eval(expr.a, "bool") and self.eval(expr.b, "bool")
        if isinstance(expr, tree.Or):
            return self.eval(expr.a, "bool") or self.eval(expr.b, "bool")
        if isinstance(expr, tree.Neg):
            return self.result(-self.eval(expr.a, dtype), dtype)
        if isinstance(expr, tree.BitNot):
            return self.result(~self.eval(expr.a, dtype), dtype)
        assert isinstance(expr, tree.Select)
        parts = [self.eval(part, dtype) for part in (expr.condition, expr.true_value, expr.false_value)]
        return parts[1] if parts[0] else parts[2]

    def call(self, expr, dtype: str):
        if expr.name == "if_then_else":
            return self.eval(expr.args[1] if self.eval(expr.args[0], "bool") else expr.args[2], dtype)
        wanted = literal_type(expr.args[0]) if expr.name in TESTS else dtype
        operands = next((found for found in map(self.dtype, expr.args) if found), wanted)
        args = [self.eval(arg, operands) for arg in expr.args]
        if expr.name in TESTS:
            return TESTS[expr.name](args[0])
        if expr.name == "abs":
            return self.result(abs(args[0]), dtype)
        if expr.name in ("popcount", "clz"):
            bits = WIDTHS[dtype][0]
            pattern = args[0] & (1 << bits) - 1
            return pattern.bit_count() if expr.name == "popcount" else bits - pattern.bit_length()
        if not math.isfinite(args[0]):
            return args[0]
        return self.result(float(FUNCTIONS[expr.name](*args)), dtype)

    def arithmetic(self, op: str, a, b, dtype: str):
        if is_integer(dtype) and op in ("/", "//", "%") and b == 0:
            raise Failure("tir-division-by-zero")
        if op in ("min", "max"):
            if a != a or b != b:
                return math.nan
            return (min if op == "min" else max)(a, b)
        if dtype in FLOATS and op in ("/", "//", "%") and b == 0:
            raise Unspecified("IEEE division by zero")
        if dtype in FLOATS and op == "/":
            return self.result(a / b, dtype)
        if op == "/":
            quotient = abs(a) // abs(b)
            return self.result(quotient if (a < 0) == (b < 0) else -quotient, dtype)
        if op in ("<<", ">>") and not 0 <= b < WIDTHS[dtype][0]:
            raise Unspecified("a shift by more than there are bits")
        return self.result(BINARY[op](a, b), dtype)

    def result(self, value, dtype: str):
        """Bring the result of an operation into its dtype."""
        if is_integer(dtype):
            return wrapped(value, dtype)
        if dtype in FLOATS:
            before, after = _TAME[dtype]
            if not abs(value) <= 1 << before or value * (1 << after) % 1:
                raise Unspecified("a float that not all orders of a sum give")
            return rounded(value, dtype)
        return value


def run(func: tree.PrimFunc, arguments: dict) -> str:
    """Run a PrimFunc on arrays and numbers by name; return the kind of failure, or "". Raises `Unspecified`."""
    try:
        Machine(func, arguments)
    except Failure as failure:
        return failure.slug
    return ""


def every_index(shape):
    """Return all indices of an array, in order."""
    return product(*[range(size) for size in shape])


COMPARISONS = {
    tree.EQ: operator.eq, tree.NE: operator.ne, tree.LT: operator.lt, tree.LE: operator.le, tree.GT: operator.gt,
    tree.GE: operator.ge,
}  # fmt: skip
OPERATORS = {
    tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/", tree.FloorDiv: "//", tree.FloorMod: "%",
    tree.Min: "min", tree.Max: "max", tree.BitAnd: "&", tree.BitOr: "|", tree.BitXor: "^", tree.ShiftLeft: "<<",
    tree.ShiftRight: ">>",
}  # fmt: skip
BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
TESTS = {"isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite}
FUNCTIONS = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": round, "nearbyint": round,
             "copysign": math.copysign, "fmod": math.fmod}  # fmt: skip
