"""The functions of PrimFunc expressions, for tensor expressions: one for each intrinsic."""

from __future__ import annotations

from relax_lang.base.relax_error import refused
from relax_lang.syntax import dtypes, tree
from relax_lang.te.diagnostics import wrong_argument_type
from relax_lang.te.expr import Expr, expr, paired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.te.expr import Number

    Unary = Callable[[Expr | Number], Expr]
    Binary = Callable[[Expr | Number, Expr | Number], Expr]


def _unary(name: str, *, result: str | None = None, takes: str = "a float") -> Unary:
    def function(x: Expr | Number) -> Expr:
        given = expr(x)
        dtype = given.dtype
        accepted = (
            dtypes.is_integer
            if takes == "an integer"
            else dtypes.is_number
            if takes == "a number"
            else dtypes.is_float
        )
        if dtype is not None and not accepted(dtype):
            raise refused(wrong_argument_type, name, takes, dtype)
        return Expr(tree.PrimCall(name, (given.node,)), result or dtype)

    function.__name__ = name
    function.__doc__ = f"`{name}(x)`; `x` is {takes}."
    return function


def _binary(name: str) -> Binary:
    def function(x: Expr | Number, y: Expr | Number) -> Expr:
        a, b, dtype = paired(name, x, y)
        if dtype is not None and not dtypes.is_float(dtype):
            raise refused(wrong_argument_type, name, "floats", dtype)
        return Expr(tree.PrimCall(name, (a, b)), dtype)

    function.__name__ = name
    function.__doc__ = f"`{name}(x, y)` of floats."
    return function


exp, exp2, exp10, expm1 = _unary("exp"), _unary("exp2"), _unary("exp10"), _unary("expm1")
log, log2, log10, log1p = _unary("log"), _unary("log2"), _unary("log10"), _unary("log1p")
sqrt, rsqrt, sigmoid, erf = _unary("sqrt"), _unary("rsqrt"), _unary("sigmoid"), _unary("erf")
sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")
asin, acos, atan = _unary("asin"), _unary("acos"), _unary("atan")
sinh, cosh, tanh = _unary("sinh"), _unary("cosh"), _unary("tanh")
asinh, acosh, atanh = _unary("asinh"), _unary("acosh"), _unary("atanh")
floor, ceil, trunc = _unary("floor"), _unary("ceil"), _unary("trunc")
round, nearbyint = _unary("round"), _unary("nearbyint")  # noqa: A001 - the name of the intrinsic
abs = _unary("abs", takes="a number")  # noqa: A001 - the name of the intrinsic
isnan, isinf = _unary("isnan", result="bool"), _unary("isinf", result="bool")
isfinite = _unary("isfinite", result="bool")
popcount, clz = _unary("popcount", takes="an integer"), _unary("clz", takes="an integer")
atan2, fmod, hypot = _binary("atan2"), _binary("fmod"), _binary("hypot")
pow, copysign, nextafter = _binary("pow"), _binary("copysign"), _binary("nextafter")  # noqa: A001


def ldexp(x: Expr | Number, n: Expr) -> Expr:
    """`x * 2 ** n`, of a float and an integer."""
    given = expr(x)
    return Expr(tree.PrimCall("ldexp", (given.node, expr(n).node)), given.dtype)


def reinterpret(x: Expr, dtype: str) -> Expr:
    """The bits of `x` read as another dtype of equally many bits."""
    given = expr(x)
    bits = _WIDTHS.get(dtype)
    if bits is None or (given.dtype is not None and _WIDTHS.get(given.dtype) != bits):
        takes = "an integer, float32 or float64" if bits is None else f"a number of {bits} bits"
        raise refused(wrong_argument_type, f"reinterpret_{dtype}", takes, given.dtype or "no dtype")
    return Expr(tree.PrimCall(f"reinterpret_{dtype}", (given.node,)), dtype)


_WIDTHS = {**dtypes.INTEGERS, "float32": 32, "float64": 64}
