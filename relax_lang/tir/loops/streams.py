"""What a loop needs of arrays that nothing stores to, computed by NumPy for all iterations before the loop runs.

A filter with feedback, `Y[i] = B[0] * X[i] + B[1] * X[i - 1] - B[2] * Y[i - 1]`, waits for `Y` alone: the sum of the
first two products is a *stream*, a list that the loop goes along. Streams are made of operations that cannot fail and
of which NumPy has the interpreter's bits, over elements that are inside of their arrays in every iteration.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.base.node import assert_never, walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.ir.symbols import DIM, SCALAR
from relax_lang.tir.ir.typing import expression_types as typing
from relax_lang.tir.ir.typing import untyped_literals
from relax_lang.tir.loops.expressions import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.elements import HeldElements
    from relax_lang.tir.loops.writer import Writer

_MOST_BITS = 60
"""Bits of a loop variable, and of what is added to it, with which no index wraps around."""


class _Part(NamedTuple):
    """The text of an array with one value per iteration, or of a number that is the same in all of them."""

    text: str
    varies: bool


class Streams:
    """The streams of one loop; `taken` has the expressions of its body that they replace."""

    def __init__(
        self, writer: Writer, elements: HeldElements, variable: Symbol, bounds: tuple[str, str]
    ) -> None:
        self._writer = writer
        self._elements = elements
        self._bounds = bounds
        self._offsets: dict[Symbol, int] = {variable: 0}
        """The loop variable, and axes that are it or some iterations away from it."""
        self._lets: dict[Symbol, _Part] = {}
        self._parts: dict[Node, _Part | None] = {}
        self._is_small = writer.bits_of(variable) <= _MOST_BITS
        self.texts: dict[str, str] = {}
        """The names of streams, by the texts of their arrays."""
        self.taken: dict[Node, str] = {}
        self.events: dict[tree.BufferLoad | tree.BufferStore, None] = {}
        """The loads that stay in the loop, and the stores, that every iteration comes to, in order."""

    def collect(self, body: Sequence[tree.Stmt]) -> bool:
        """Find the streams of statements that run in every iteration; return whether all of them do."""
        for statement in body:
            match statement:
                case tree.LetStmt():
                    self._collect_let(statement)
                case tree.BufferStore():
                    for expr in (*statement.indices, statement.value):
                        self._collect_expr(expr)
                    self.events[statement] = None
                case tree.Block():
                    if statement.predicate is None and statement.init is None:
                        self._collect_axes(statement)
                        if not self.collect(statement.body):
                            return False
                case tree.IfThenElse():
                    self._collect_expr(statement.condition)
                case tree.AssertStmt() | tree.Break() | tree.Continue():
                    return False  # what follows may be inside of its array because of that
                case tree.For() | tree.While() | tree.Allocate() | tree.BufferView() | tree.CallExtern():
                    pass
                case _:
                    assert_never(statement)
            if _leaves_iteration(statement):
                return False
        return True

    def lines(self) -> list[str]:
        """Return the lines before the loop."""
        start, stop = self._bounds
        names = [stream_list(name) for name in self.texts.values()]
        made = [f"    {stream_list(name)} = {text}.tolist()" for text, name in self.texts.items()]
        return [f"{' = '.join(names)} = ()", f"if {start} < {stop}:", *made]

    def offset_of(self, access: tree.BufferLoad | tree.BufferStore) -> int | None:
        """Return how far an element of a buffer of one dimension is from the loop variable; None for others."""
        if len(access.indices) != 1 or not self._writer.is_inside(access, 0):
            return None
        return self._offset(access.indices[0])

    def _collect_let(self, statement: tree.LetStmt) -> None:
        self._collect_expr(statement.value)
        part = self._part(statement.value)
        if part is not None and part.varies and len(part.text) < 100:
            self._lets[self._writer.symbol(statement.var)] = part

    def _collect_axes(self, block: tree.Block) -> None:
        for axis in block.axes:
            offset = self._offset(axis.value)
            if offset is not None:
                self._offsets[self._writer.symbol(axis.var)] = offset
            else:
                self._collect_expr(axis.value)

    def _collect_expr(self, expr: tree.PrimExpr) -> None:
        """Take the largest parts of an expression that are evaluated in any case."""
        part = self._part(expr)
        if part is not None and part.varies:
            self.taken[expr] = self.texts.setdefault(part.text, "") or self._named(part.text)
            return
        if part is None:
            for child in _evaluated(expr):
                self._collect_expr(child)
            if isinstance(expr, tree.BufferLoad):
                self.events[expr] = None

    def _named(self, text: str) -> str:
        name = self.texts[text] = self._writer.fresh()
        return name

    def _part(self, expr: tree.PrimExpr) -> _Part | None:
        """Return an expression as an array or a number; None if NumPy does not compute it beforehand."""
        if expr not in self._parts:
            dtype = self._writer.dtype(expr)
            self._parts[expr] = None if dtype in dtypes.HALVES else _PARTS[type(expr)](self, expr, dtype)
        return self._parts[expr]

    def _operands(self, *exprs: tree.PrimExpr) -> list[str] | None:
        """Return the texts of operands of which one varies; None if there is one without a text, or none varies."""
        parts: list[_Part] = []
        for expr in exprs:
            part = self._part(expr)
            if part is None:
                return None
            parts.append(part)
        return [part.text for part in parts] if any(part.varies for part in parts) else None

    def number(self, expr: tree.PrimExpr, dtype: str) -> _Part:
        """Write a number."""
        return _Part(value_of(self._writer, expr).text, varies=False)

    def name(self, expr: tree.PrimVar, dtype: str) -> _Part | None:
        """Write a size, a scalar parameter or a `let` of which there is an array."""
        symbol = self._writer.symbol(expr)
        if symbol.kind in (DIM, SCALAR):
            return _Part(self._writer.name_of(symbol), varies=False)
        return self._lets.get(symbol)

    def load(self, expr: tree.BufferLoad, dtype: str) -> _Part | None:
        """Write elements of which each iteration reads the next one, or one that a variable holds."""
        buffer = self._writer.symbol(expr.buffer)
        if not self._elements.is_fixed(buffer):
            return None
        name = self._writer.name_of(buffer)
        variable = self._elements.variable(name, buffer, expr.indices)
        if variable is not None:
            return _Part(variable, varies=False)
        places: list[str] = []
        for position, index in enumerate(expr.indices):
            offset = self._offset(index)
            if not self._writer.is_inside(expr, position):
                return None
            if offset is not None:
                by = f" + {offset}" if offset else ""
                places.append(":".join([f"{bound}{by}" for bound in self._bounds]))
            elif isinstance(index, tree.IntImm):
                places.append(str(index.value))
            else:
                return None
        if sum([":" in place for place in places]) != 1:
            return None
        return _Part(f"{name}_array[{', '.join(places)}]", varies=True)

    def _offset(self, index: tree.PrimExpr) -> int | None:
        """Return how far from the loop variable an index is; None if it is something else."""
        if not self._is_small:
            return None
        if isinstance(index, tree.PrimVar):
            return self._offsets.get(self._writer.symbol(index))
        if isinstance(index, tree.Add | tree.Sub) and isinstance(index.b, tree.IntImm):
            offset, by = self._offset(index.a), index.b.value
            if offset is not None and abs(by) < 1 << _MOST_BITS // 2:
                return offset + by if isinstance(index, tree.Add) else offset - by
        return None

    def arithmetic(self, expr: tree.Add | tree.Sub | tree.Mul, dtype: str) -> _Part | None:
        """Write a sum, a difference or a product: integers of NumPy wrap around."""
        return self._infix(expr, untyped_literals.ARITHMETIC[type(expr)])

    def _infix(self, expr: Any, op: str) -> _Part | None:
        texts = self._operands(expr.a, expr.b)
        return None if texts is None else _Part(f"({texts[0]} {op} {texts[1]})", varies=True)

    def division(self, expr: tree.Div | tree.FloorDiv | tree.FloorMod, dtype: str) -> _Part | None:
        """Divide floats, or integers by a number above 0."""
        kind = untyped_literals.ARITHMETIC[type(expr)]
        if dtypes.is_float(dtype):
            return self._infix(expr, kind) if kind == "/" else None
        divides = isinstance(expr.b, tree.IntImm) and expr.b.value > 0
        return self._infix(expr, kind) if divides and kind != "/" else None

    def extreme(self, expr: tree.Min | tree.Max, dtype: str) -> _Part | None:
        """Write `min` or `max` of integers."""
        texts = self._operands(expr.a, expr.b) if dtypes.is_integer(dtype) else None
        if texts is None:
            return None
        function = "minimum" if isinstance(expr, tree.Min) else "maximum"
        return _Part(f"np.{function}({', '.join(texts)})", varies=True)

    def bits(self, expr: tree.BitAnd | tree.BitOr | tree.BitXor, dtype: str) -> _Part | None:
        """Write `&`, `|` or `^` of integers."""
        is_integer = dtypes.is_integer(dtype)
        return self._infix(expr, untyped_literals.BITS[type(expr)]) if is_integer else None

    def shift(self, expr: tree.ShiftLeft | tree.ShiftRight, dtype: str) -> _Part | None:
        """Shift by a number that is less than the width."""
        by = expr.b
        if not isinstance(by, tree.IntImm) or not 0 <= by.value < dtypes.INTEGERS[dtype]:
            return None
        return self._infix(expr, "<<" if isinstance(expr, tree.ShiftLeft) else ">>")

    def comparison(self, expr: Any, dtype: str) -> _Part | None:
        """Write a comparison."""
        if self._writer.dtype(expr.a) in dtypes.HALVES:
            return None
        return self._infix(expr, typing.COMPARISONS[type(expr)])

    def negated(self, expr: tree.Neg, dtype: str) -> _Part | None:
        """Write `-a`."""
        texts = self._operands(expr.a)
        return None if texts is None else _Part(f"(-{texts[0]})", varies=True)

    def cast(self, expr: tree.Cast, dtype: str) -> _Part | None:
        """Convert integers to integers and what float64 has exactly or rounds as Python does."""
        source, texts = self._writer.dtype(expr.value), self._operands(expr.value)
        is_exact = dtypes.is_integer(source) and dtypes.is_integer(dtype)
        if texts is None or source in dtypes.HALVES or not (is_exact or dtype == "float64"):
            return None
        return _Part(f"{texts[0]}.astype(np.{dtype})", varies=True)

    def left_in_loop(self, expr: tree.PrimExpr, dtype: str) -> None:
        """Leave an expression in the loop."""


def stream_list(name: str) -> str:
    """Return the name of the list that a stream goes along."""
    return f"{name}_all"


def _evaluated(expr: tree.PrimExpr) -> Sequence[tree.PrimExpr]:
    """Return the operands of an expression that are evaluated in any case."""
    match expr:
        case tree.And() | tree.Or():
            return (expr.a,)
        case tree.PrimCall():
            return expr.args[:1] if expr.name == intrinsics.LAZY else expr.args
        case tree.BufferLoad():
            return expr.indices
        case tree.Select():
            return expr.condition, expr.true_value, expr.false_value
        case tree.Cast():
            return (expr.value,)
        case tree.Arithmetic() | tree.Comparison() | tree.Bitwise():
            return expr.a, expr.b
        case tree.UnaryPrimExpr():
            return (expr.a,)
        case tree.PrimVar() | tree.IntImm() | tree.FloatImm() | tree.BoolImm() | tree.TypeLimit():
            return ()
        case _:
            return assert_never(expr)


def _leaves_iteration(statement: tree.Stmt) -> bool:
    """Return whether statements in a statement may end an iteration of the loop around it."""
    return isinstance(statement, tree.IfThenElse | tree.Block) and any(
        isinstance(one, tree.Break | tree.Continue) for one in walk(statement)
    )


_PARTS: Table[tree.PrimExpr, Callable[[Streams, Any, str], _Part | None]] = {
    tree.PrimVar: Streams.name,
    tree.IntImm: Streams.number,
    tree.FloatImm: Streams.number,
    tree.TypeLimit: Streams.number,
    tree.BufferLoad: Streams.load,
    tree.Add: Streams.arithmetic,
    tree.Sub: Streams.arithmetic,
    tree.Mul: Streams.arithmetic,
    tree.Div: Streams.division,
    tree.FloorDiv: Streams.division,
    tree.FloorMod: Streams.division,
    tree.Min: Streams.extreme,
    tree.Max: Streams.extreme,
    tree.BitAnd: Streams.bits,
    tree.BitOr: Streams.bits,
    tree.BitXor: Streams.bits,
    tree.ShiftLeft: Streams.shift,
    tree.ShiftRight: Streams.shift,
    **dict.fromkeys(tree.COMPARISON, Streams.comparison),
    tree.Neg: Streams.negated,
    tree.Cast: Streams.cast,
    tree.BoolImm: Streams.left_in_loop,
    tree.And: Streams.left_in_loop,
    tree.Or: Streams.left_in_loop,
    tree.Not: Streams.left_in_loop,
    tree.BitNot: Streams.left_in_loop,
    tree.Select: Streams.left_in_loop,
    tree.PrimCall: Streams.left_in_loop,
}
"""How each kind of expression is written."""
