"""Numbers of the second interpreter of PrimFuncs: what fits a dtype, and what conversions make of them."""

from __future__ import annotations

import math
import struct

from relax_lang.base.node import walk
from relax_lang.syntax import tree

WIDTHS = {
    f"{sign}int{bits}": (bits, sign == "") for sign in ("", "u") for bits in (8, 16, 32, 64)
}  # bits, signed


FLOATS = ("float16", "bfloat16", "float32", "float64")


_TAME = {"float16": (4, 5), "bfloat16": (3, 3), "float32": (14, 8), "float64": (38, 12)}


class Failure(Exception):  # noqa: N818 - it is what the program does
    """The program ends here; `slug` is the kind of failure."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


class Unspecified(Exception):  # noqa: N818 - an answer
    """The language leaves open what happens, or what is computed to the last bit."""


def is_integer(dtype: str) -> bool:
    return dtype in WIDTHS


def wrapped(value: int, dtype: str) -> int:
    """Wrap an integer around to its dtype."""
    bits, signed = WIDTHS[dtype]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def rounded(value: float, dtype: str) -> float:
    """Round a float to its dtype; numbers of half precision are computed in float32."""
    if dtype == "float64" or value != value or math.isinf(value):
        return value
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def stored(value, dtype: str):
    """Round what is stored in a buffer, or cast."""
    if dtype == "float16" and math.isfinite(value):
        try:
            return struct.unpack("e", struct.pack("e", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    if dtype == "bfloat16" and math.isfinite(value):
        bits = struct.unpack("I", struct.pack("f", rounded(value, dtype)))[0]
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return struct.unpack("f", struct.pack("I", bits))[0]
    return value


def converted(value, source: str, target: str):
    """Convert a number: fractions towards zero, integers modulo the range."""
    if target == "bool":
        return bool(value)
    if is_integer(target):
        if source in FLOATS and not -(2.0**31) < value < 2.0**31:
            raise Unspecified("a float that no integer holds")
        return wrapped(int(value), target)
    return stored(rounded(float(value), target), target)


def literal_type(expr) -> str:
    """Return the dtype of an untyped literal that nothing else gives one."""
    return "float32" if any(isinstance(node, tree.FloatImm) for node in walk(expr)) else "int64"


def untyped(expr, wanted: str) -> str:
    """Return the dtype that literals take where one is wanted: no float for an operation of integers alone."""
    return "int64" if wanted in FLOATS and is_of_integers(expr) else wanted


def is_of_integers(expr) -> bool:
    """Return whether an expression of untyped literals has an operation that floats do not have."""
    if isinstance(expr, tree.Select):
        return is_of_integers(expr.true_value) or is_of_integers(expr.false_value)
    if isinstance(expr, tree.PrimCall):
        args = expr.args[1:] if expr.name == "if_then_else" else expr.args
        return expr.name in ("popcount", "clz") or any(map(is_of_integers, args))
    if isinstance(expr, tree.Neg):
        return is_of_integers(expr.a)
    if isinstance(
        expr, tree.Add | tree.Sub | tree.Mul | tree.Div | tree.FloorDiv | tree.FloorMod | tree.Min | tree.Max
    ):
        return is_of_integers(expr.a) or is_of_integers(expr.b)
    bits = tree.BitNot | tree.BitAnd | tree.BitOr | tree.BitXor | tree.ShiftLeft | tree.ShiftRight
    return isinstance(expr, bits) and not isinstance(expr.a, tree.BoolImm)


def literal(expr, dtype: str):
    """Return the value of a literal that has a dtype, or takes one."""
    if isinstance(expr, tree.BoolImm):
        return expr.value
    if isinstance(expr, tree.TypeLimit):
        return limit(expr)
    if is_integer(dtype):
        return wrapped(expr.value, dtype)
    return stored(rounded(float(expr.value), dtype), dtype)


def limit(expr):
    """Return the value of `min_value(int8)` and the like."""
    name, highest = expr.dtype.name, expr.name == "max_value"
    if name == "bool":
        return highest
    if not is_integer(name):
        raise Unspecified("the limits of floats")
    bits, signed = WIDTHS[name]
    if not signed:
        return (1 << bits) - 1 if highest else 0
    return (1 << bits - 1) - 1 if highest else -(1 << bits - 1)
