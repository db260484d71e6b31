"""Legal forms of the operators of two tensors, element by element."""

from __future__ import annotations

import math

from relax_lang import te
from relax_lang.ops.legal.core import Refused
from relax_lang.syntax import dtypes
from relax_lang.te.expr import Expr
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import BOOL, INT64, as_dtype, broadcast_to, is_same, wide
from relax_lang.topi.elements import of_any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.topi.elements import Elementwise

    Pairs = Callable[[Expr, Expr], Expr]


def broadcasted(call: Legal, tensors: list[Tensor]) -> list[Tensor]:
    """Return tensors in the shape of the result; what is not known of their extents is checked by the PrimFunc."""
    shape = call.shape
    for x in tensors:
        skipped = len(shape) - x.ndim
        for at, extent in enumerate(x.shape):
            whole = shape[skipped + at]
            if is_same(extent, 1) or is_same(extent, whole):
                continue
            condition = extent == whole
            if is_same(extent, 1) is None:
                condition = condition | (extent == 1)
            call.require(condition, f"axis {at} of `{x.hint}` does not fit the others")
    return [broadcast_to(x, shape) for x in tensors]


def combined(call: Legal, function: Elementwise, tensors: list[Tensor]) -> Tensor:
    """Return a function of the elements of tensors that are broadcast, computed in float32 for halves."""
    given, run = broadcasted(call, [wide(x) for x in tensors]), of_any(function)
    return compute(
        call.shape, lambda *at: te.cast(run(*[x[at] for x in given]), call.dtype), call.operator.name
    )


def pairs(function: Pairs, of_integers: Pairs | None = None, of_bools: Pairs | None = None) -> Form:
    """Return the form of a function of pairs of one dtype."""

    def form(call: Legal) -> Tensor:
        a, b = call.args[0], call.args[1]
        chosen = function
        if a.dtype == BOOL and of_bools is not None:
            chosen = of_bools
        elif of_integers is not None and not dtypes.is_float(a.dtype):
            chosen = of_integers
        return combined(call, chosen, [a, b])

    return form


def compared(function: Pairs) -> Form:
    """Return the form of a comparison, in a dtype that holds both operands."""

    def form(call: Legal) -> Tensor:
        a, b = call.args[0], call.args[1]
        dtype = common_dtype(a.dtype, b.dtype)
        return combined(call, function, [as_dtype(a, dtype), as_dtype(b, dtype)])

    return form


def common_dtype(a: str, b: str) -> str:
    """Return a dtype that holds the values of two others, as NumPy chooses it. Raises Refused."""
    if a == b:
        return "int8" if a == BOOL else a
    pair = {a, b}
    if all(dtypes.is_float(one) for one in pair):
        return "float64" if "float64" in pair else "float32"
    if any(dtypes.is_float(one) for one in pair):
        number = a if dtypes.is_float(a) else b
        other = b if number == a else a
        if other == BOOL:
            return number
        small = other in ("int8", "uint8", "int16", "uint16")
        return "float32" if small and number != "float64" else "float64"
    if "uint64" in pair:
        if pair <= {"uint64", "uint32", "uint16", "uint8", BOOL}:
            return "uint64"
        raise Refused("no integer dtype holds uint64 and negative numbers")
    return INT64


def _refuse_integers(_a: Expr, _b: Expr) -> Expr:
    raise Refused("PrimFuncs have no power of integers")


def _remainder(a: Expr, b: Expr) -> Expr:
    return a - te.truncdiv(a, b) * b


def _log_add_exp(a: Expr, b: Expr) -> Expr:
    apart = te.maximum(a, b) + te.log1p(te.exp(-te.abs(a - b)))
    return te.select(a == b, a + math.log(2), apart)


def _shift(function: Pairs) -> Form:
    def form(call: Legal) -> Tensor:
        a, b = call.args[0], call.args[1]
        return combined(call, function, [a, b])

    return form


FORMS: dict[str, Form] = {
    "add": pairs(lambda a, b: a + b, of_bools=lambda a, b: a | b),
    "atan2": pairs(te.atan2),
    "bitwise_and": pairs(lambda a, b: a & b),
    "bitwise_or": pairs(lambda a, b: a | b),
    "bitwise_xor": pairs(lambda a, b: a ^ b),
    "divide": pairs(lambda a, b: a / b, of_integers=te.truncdiv),
    "equal": compared(lambda a, b: a == b),
    "floor_divide": pairs(lambda a, b: a // b),
    "floor_mod": pairs(lambda a, b: a % b),
    "greater": compared(lambda a, b: a > b),
    "greater_equal": compared(lambda a, b: a >= b),
    "left_shift": _shift(lambda a, b: a << b),
    "less": compared(lambda a, b: a < b),
    "less_equal": compared(lambda a, b: a <= b),
    "log_add_exp": pairs(_log_add_exp),
    "logical_and": pairs(lambda a, b: a & b),
    "logical_or": pairs(lambda a, b: a | b),
    "logical_xor": pairs(lambda a, b: a ^ b),
    "maximum": pairs(te.maximum, of_bools=lambda a, b: a | b),
    "minimum": pairs(te.minimum, of_bools=lambda a, b: a & b),
    "mod": pairs(te.fmod, of_integers=_remainder),
    "multiply": pairs(lambda a, b: a * b, of_bools=lambda a, b: a & b),
    "not_equal": compared(lambda a, b: a != b),
    "power": pairs(te.pow, of_integers=_refuse_integers),
    "right_shift": _shift(lambda a, b: a >> b),
    "subtract": pairs(lambda a, b: a - b),
}
