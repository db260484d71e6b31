"""Plain numbers: what becomes an integer of Python is computed as one from the beginning.

A bound of a loop such as `max(n - C[c], 0)` is a number. With integers of Python it takes a fifth of the time that it
takes with numbers of NumPy. What would not fit into int64 is left to the scalar interpreter, where it wraps around.
"""

from __future__ import annotations

from relax_lang.arith.constraints.intervals import interval_within
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.effects import bodies_of, definitions
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

_LEAST, _GREATEST = dtypes.INT_RANGES[dtypes.INT64]


def use_plain_numbers(body: list[Statement], context: Context) -> None:
    """Compute numbers that become integers of Python as such."""
    found = definitions(body)
    single = {name for name in found if found.count(name) == 1}
    _use(body, context, single, set())


def _use(body: list[Statement], context: Context, single: set[str], positive: set[str]) -> None:
    """Rewrite statements; `positive` are names, each defined once, of numbers that are not less than 0."""
    made: list[Statement] = []
    for statement in body:
        _use(bodies_of(statement), context, single, positive)
        match statement:
            case ir.Define(name, ir.Call("int", (ir.Elementwise() as value,)), rebinds):
                found = _Number(value, context, positive)
                if found.value is not None:
                    if name in single and _is_positive(found.value):
                        positive.add(name)
                    if found.conditions:
                        made.append(ir.Require(tuple(found.conditions)))
                    made.append(ir.Define(name, found.value, rebinds))
                    continue
            case _:
                pass
        made.append(statement)
    body[:] = made


class _Number:
    """A typed number as a plain one: `value`, if there is one, under conditions that it fits into its type."""

    def __init__(self, value: Expr, context: Context, positive: set[str]) -> None:
        self._context = context
        self._positive = positive
        self.conditions: list[Expr] = []
        self.value = self._plain(value)

    def _plain(self, value: Expr) -> Expr | None:
        match value:
            case ir.Elementwise("min" | "max" as op, args, dtypes.INT64, None):
                plain = [self._plain(arg) for arg in args]
                known = [arg for arg in plain if arg is not None]
                return ScalarOp(op, tuple(known)) if len(known) == len(plain) else None
            case ir.Typed(Polynomial() as number, dtypes.INT64):
                self._require_width(number)
                return number
            case ir.Typed(Literal(int()) | Ref() as number, dtypes.INT64):
                return number
            case Literal(int()):
                return value
            case ir.View() if value.is_element and type_of(value.array)[0] == dtypes.INT64:
                return ir.Call("int", (value,))
            case _:
                return None

    def _require_width(self, number: Polynomial) -> None:
        """Require that a number fits into int64; it is made of numbers that do."""
        ranges = {name: (0 if self._is_positive(name) else _LEAST, _GREATEST) for name in number.names()}
        least, greatest = interval_within(number, ranges)
        if least < _LEAST:
            self.conditions.append(ScalarOp("<=", (Literal(_LEAST), number)))
        if greatest > _GREATEST:
            self.conditions.append(ScalarOp("<=", (number, Literal(_GREATEST))))

    def _is_positive(self, name: str) -> bool:
        return name in self._positive or self._context.is_nonnegative(Polynomial.name(name))


def _is_positive(value: Expr) -> bool:
    """Return whether a number is plainly not less than 0."""
    match value:
        case Literal(int() as number):
            return number >= 0
        case ScalarOp("max", args):
            return any(map(_is_positive, args))
        case Polynomial():
            return value.value is not None and value.value >= 0
        case _:
            return False
