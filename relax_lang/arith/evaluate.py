"""The value of a dimension expression, given the values of the names in it.

Works on Python integers with the meaning of int64: `+ - *` wrap around, `/` truncates toward zero, `//` and
`%` floor. It never guesses: a name without a value, a division by zero and code that belongs in PrimFuncs
only (loads, calls, fractions) are reported as `DimensionError`, which callers turn into diagnostics.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from relax_lang.base.node import Node, Table

    Value = int | bool
    Env = Mapping[str, int]

DIVISION_BY_ZERO = "division-by-zero"
UNBOUND = "unbound"
NOT_A_DIMENSION = "not-a-dimension"

_LOWEST = -(1 << 63)
_HIGHEST = (1 << 63) - 1


class DimensionError(Exception):
    """A dimension has no value: `kind` is one of the constants above, `node` the smallest part that has none.

    `name` is the name without a value (kind `unbound`), else the empty string.
    """

    def __init__(self, kind: str, node: Node, name: str = "") -> None:
        super().__init__(f"{kind} {name}".rstrip())
        self.kind = kind
        self.node = node
        self.name = name


def evaluate(expr: tree.PrimExpr, env: Env) -> Value:
    """Return the value of a dimension expression; names are looked up in `env`. [G.1-G.8, M.2.7, X.5]"""
    return _EVALUATE[type(expr)](expr, env)


def names_in(node: Node) -> list[tree.PrimVar]:
    """Return the uses of names in dimensions from left to right; a buffer that is indexed is one too."""
    if type(node) is tree.PrimVar:
        return [node]
    return [each for each in walk(node) if isinstance(each, tree.PrimVar)]


def truncated_quotient(a: int, b: int) -> int:
    """Divide toward zero, as `/` does; `b` is not 0. [G.4]"""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _wrapped(value: int) -> int:
    if _LOWEST <= value <= _HIGHEST:
        return value
    return ((value - _LOWEST) & 0xFFFF_FFFF_FFFF_FFFF) + _LOWEST


def _refuse(expr: tree.PrimExpr, env: Env) -> Value:
    raise DimensionError(NOT_A_DIMENSION, expr)


def _name(expr: tree.PrimVar, env: Env) -> Value:
    value = env.get(expr.name)
    if value is None:
        raise DimensionError(UNBOUND, expr, expr.name)
    return value


def _literal(expr: tree.IntImm | tree.BoolImm, env: Env) -> Value:
    return expr.value


def _add(expr: tree.Add, env: Env) -> Value:
    return _wrapped(evaluate(expr.a, env) + evaluate(expr.b, env))


def _sub(expr: tree.Sub, env: Env) -> Value:
    return _wrapped(evaluate(expr.a, env) - evaluate(expr.b, env))


def _mul(expr: tree.Mul, env: Env) -> Value:
    return _wrapped(evaluate(expr.a, env) * evaluate(expr.b, env))


def _operands(expr: tree.Div | tree.FloorDiv | tree.FloorMod, env: Env) -> tuple[int, int]:
    a, b = evaluate(expr.a, env), evaluate(expr.b, env)
    if b == 0:
        raise DimensionError(DIVISION_BY_ZERO, expr)
    return a, b


def _div(expr: tree.Div, env: Env) -> Value:
    return _wrapped(truncated_quotient(*_operands(expr, env)))


def _floor_div(expr: tree.FloorDiv, env: Env) -> Value:
    a, b = _operands(expr, env)
    return _wrapped(a // b)


def _floor_mod(expr: tree.FloorMod, env: Env) -> Value:
    a, b = _operands(expr, env)
    return a % b


def _min(expr: tree.Min, env: Env) -> Value:
    return min(evaluate(expr.a, env), evaluate(expr.b, env))


def _max(expr: tree.Max, env: Env) -> Value:
    return max(evaluate(expr.a, env), evaluate(expr.b, env))


def _equal(expr: tree.EQ, env: Env) -> Value:
    return evaluate(expr.a, env) == evaluate(expr.b, env)


def _not_equal(expr: tree.NE, env: Env) -> Value:
    return evaluate(expr.a, env) != evaluate(expr.b, env)


def _less(expr: tree.LT, env: Env) -> Value:
    return evaluate(expr.a, env) < evaluate(expr.b, env)


def _less_equal(expr: tree.LE, env: Env) -> Value:
    return evaluate(expr.a, env) <= evaluate(expr.b, env)


def _greater(expr: tree.GT, env: Env) -> Value:
    return evaluate(expr.a, env) > evaluate(expr.b, env)


def _greater_equal(expr: tree.GE, env: Env) -> Value:
    return evaluate(expr.a, env) >= evaluate(expr.b, env)


def _and(expr: tree.And, env: Env) -> Value:
    return bool(evaluate(expr.a, env)) and bool(evaluate(expr.b, env))


def _or(expr: tree.Or, env: Env) -> Value:
    return bool(evaluate(expr.a, env)) or bool(evaluate(expr.b, env))


def _not(expr: tree.Not, env: Env) -> Value:
    return not evaluate(expr.a, env)


def _neg(expr: tree.Neg, env: Env) -> Value:
    return _wrapped(-evaluate(expr.a, env))


def _select(expr: tree.Select, env: Env) -> Value:
    chosen = evaluate(expr.condition, env)
    # Both sides are evaluated, so that a division by zero in either is found. [G.7]
    yes, no = evaluate(expr.true_value, env), evaluate(expr.false_value, env)
    return yes if chosen else no


_EVALUATE: Table[tree.PrimExpr, Callable[[Any, Env], Value]] = {
    tree.PrimVar: _name,
    tree.IntImm: _literal,
    tree.BoolImm: _literal,
    tree.Add: _add,
    tree.Sub: _sub,
    tree.Mul: _mul,
    tree.Div: _div,
    tree.FloorDiv: _floor_div,
    tree.FloorMod: _floor_mod,
    tree.Min: _min,
    tree.Max: _max,
    tree.EQ: _equal,
    tree.NE: _not_equal,
    tree.LT: _less,
    tree.LE: _less_equal,
    tree.GT: _greater,
    tree.GE: _greater_equal,
    tree.And: _and,
    tree.Or: _or,
    tree.Not: _not,
    tree.Neg: _neg,
    tree.Select: _select,
    tree.FloatImm: _refuse,
    **dict.fromkeys(tree.PRIM_FUNC_ONLY, _refuse),
}
