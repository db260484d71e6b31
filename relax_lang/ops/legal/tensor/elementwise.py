"""Legal forms of the functions of one tensor."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.legal.core import Refused
from relax_lang.syntax import dtypes
from relax_lang.te.expr import Expr, constant_value
from relax_lang.te.literals import has_fraction
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import BOOL, INT64, elementwise, literal, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.legal.core import Form, Legal

    Unary = Callable[[Expr], Expr]


def unary(function: Unary, *, only_floats: bool = False) -> Form:
    """Return the form of a function of elements; with `only_floats` other dtypes are left as they are."""

    def form(call: Legal) -> Tensor:
        x: Tensor = call.args[0]
        if only_floats and not dtypes.is_float(x.dtype):
            return elementwise(lambda v: v, x, call.operator.name.rpartition(".")[2])
        return elementwise(function, x, call.operator.name.rpartition(".")[2], call.dtype)

    return form


def _sign(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    dtype = wide_dtype(x.dtype)
    one, zero = literal(1, dtype), literal(0, dtype)
    if dtype.startswith("uint"):
        return elementwise(lambda v: te.select(v > zero, one, zero), x, "sign")
    less = literal(-1, dtype)
    return elementwise(lambda v: te.select(v > zero, one, te.select(v < zero, less, v)), x, "sign")


def _square(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    return elementwise(lambda v: v & v if x.dtype == BOOL else v * v, x, "square")


def _negative(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    return elementwise(lambda v: -v if dtypes.is_float(x.dtype) else literal(0, x.dtype) - v, x, "negative")


def _absolute(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    return elementwise(lambda v: v if x.dtype.startswith("uint") else te.abs(v), x, "abs")


def predicate(function: Unary, of_integers: bool) -> Form:
    """Return the form of a test of floats, which integers pass or not."""

    def form(call: Legal) -> Tensor:
        x: Tensor = call.args[0]
        if not dtypes.is_float(x.dtype):
            return compute(x.shape, lambda *_: te.const(of_integers, BOOL), call.operator.name)
        return elementwise(function, x, call.operator.name, BOOL)

    return form


def clipped(call: Legal, least: Expr, most: Expr) -> Tensor:
    """Limit the elements of the first argument to bounds, which are converted to its dtype."""
    x: Tensor = call.args[0]
    low, high = bound(least, x.dtype), bound(most, x.dtype)
    return elementwise(lambda v: te.maximum(te.minimum(v, high), low), x, "clip")


def bound(value: Expr, dtype: str) -> Expr:
    """Return a bound in a dtype: fractions are cut off for integers, bounds beyond the range do not limit."""
    wide = wide_dtype(dtype)
    if dtypes.is_float(dtype):
        return te.cast(te.cast(value, dtype), wide)
    if has_fraction(value.node):
        raise Refused("a bound of integers is a fraction")
    number = constant_value(value)
    if number is not None:
        bits = int(dtype.removeprefix("u").removeprefix("int"))
        low, top = (0, 1 << bits) if dtype.startswith("uint") else (-(1 << (bits - 1)), 1 << (bits - 1))
        return literal(min(max(number, low), top - 1), dtype)
    if dtype in (INT64, "uint64"):
        return te.cast(te.maximum(value, te.const(0, INT64)) if dtype == "uint64" else value, dtype)
    limits = te.cast(te.min_value(dtype), INT64), te.cast(te.max_value(dtype), INT64)
    return te.cast(te.maximum(te.minimum(value, limits[1]), limits[0]), dtype)


def _rsqrt(x: Expr) -> Expr:
    return 1.0 / te.sqrt(x)


FORMS: dict[str, Form] = {
    "abs": _absolute,
    "acos": unary(te.acos),
    "acosh": unary(te.acosh),
    "asin": unary(te.asin),
    "asinh": unary(te.asinh),
    "atan": unary(te.atan),
    "atanh": unary(te.atanh),
    "bitwise_not": unary(lambda x: ~x),
    "ceil": unary(te.ceil, only_floats=True),
    "clip": lambda call: clipped(call, call.args[1], call.args[2]),
    "cos": unary(te.cos),
    "cosh": unary(te.cosh),
    "erf": unary(te.erf),
    "exp": unary(te.exp),
    "floor": unary(te.floor, only_floats=True),
    "isfinite": predicate(te.isfinite, True),
    "isinf": predicate(te.isinf, False),
    "isnan": predicate(te.isnan, False),
    "log": unary(te.log),
    "logical_not": unary(lambda x: ~x),
    "negative": _negative,
    "round": unary(te.round, only_floats=True),
    "rsqrt": unary(_rsqrt),
    "sigmoid": unary(te.sigmoid),
    "sign": _sign,
    "sin": unary(te.sin),
    "sinh": unary(te.sinh),
    "sqrt": unary(te.sqrt),
    "square": _square,
    "tan": unary(te.tan),
    "tanh": unary(te.tanh),
    "trunc": unary(te.trunc, only_floats=True),
}
