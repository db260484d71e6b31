"""Arithmetic of the scalar interpreter on plain Python values, exact for every dtype. [TIR.14]

Integers are `int`s that wrap around to their type, floats are `float`s that are rounded to theirs after every
operation (float16 and bfloat16 to float32: they are rounded themselves only when stored or cast), bools `bool`s.
Division by zero is the caller's business for integers and IEEE for floats.
"""

from __future__ import annotations

import math
from ctypes import c_float

import numpy as np

from relax_lang.arith.evaluate import truncated_quotient
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import dtypes
from relax_lang.tir import runtime_library
from relax_lang.tir.ir import intrinsics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Unary = Callable[[Any], Any]
    Binary = Callable[[Any, Any], Any]

INT64_LEAST = -(1 << 63)


def wrapper(dtype: str) -> Callable[[int], int]:
    """Return the function that wraps an integer around to a type."""
    least, greatest = dtypes.INT_RANGES[dtype]
    mask = greatest - least

    def wrap(value: int) -> int:
        if least <= value <= greatest:
            return value
        return ((value - least) & mask) + least

    return wrap


def to_float32(value: float) -> float:
    """Round to float32; what is too large becomes infinite."""
    return c_float(value).value


def rounder(dtype: str) -> Unary:
    """Return the function that brings the exact result of an operation into the type it is computed in."""
    if dtypes.is_integer(dtype):
        return wrapper(dtype)
    if dtypes.computed_in(dtype) == dtypes.FLOAT32:
        return to_float32
    return lambda value: value


def divide(a: float, b: float) -> float:
    """Divide floats as IEEE does: by zero too."""
    if b:
        return a / b
    if a != a or a == 0:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def minimum(a: float, b: float) -> float:
    """Return the lesser number, or nan if there is one, as `np.minimum` does."""
    return a if a <= b or a != a else b


def maximum(a: float, b: float) -> float:
    """Return the greater number, or nan if there is one, as `np.maximum` does."""
    return a if a >= b or a != a else b


def typed(dtype: str) -> Unary:
    """Return the constructor of NumPy scalars of the type in which `dtype` is computed."""
    constructor: Unary = named_dtype(dtypes.computed_in(dtype)).type
    return constructor


def through_numpy(function: Any, dtype: str) -> Binary:
    """Return a binary function that calls one of NumPy on scalars of a type."""
    make = typed(dtype)
    return lambda a, b: function(make(a), make(b)).item()


def shifter(left: bool, dtype: str) -> Binary:
    """Return the shift of a type; an amount below 0 or beyond the width shifts everything out, as in NumPy."""
    width = dtypes.INTEGERS[dtype]
    wrap = wrapper(dtype)
    if left:
        return lambda a, b: wrap(a << b) if 0 <= b < width else 0
    return lambda a, b: a >> b if 0 <= b < width else (-1 if a < 0 else 0)


def integer_division(kind: str, dtype: str) -> Binary:
    """Return `/`, `//` or `%` of an integer type, for divisors other than 0."""
    wrap = wrapper(dtype)
    if kind == "/":
        return lambda a, b: wrap(truncated_quotient(a, b))
    if kind == "//":
        return lambda a, b: wrap(a // b)
    return lambda a, b: a % b


def float_division(kind: str, dtype: str) -> Binary:
    """Return `/` as IEEE, or `//` and `%` as Python and NumPy define them for floats."""
    if kind == "/":
        fit = rounder(dtype)
        return lambda a, b: fit(divide(a, b))
    return through_numpy(np.floor_divide if kind == "//" else np.remainder, dtype)


def intrinsic_function(row: intrinsics.Intrinsic) -> Any:
    """Return the function on NumPy values that computes a math function."""
    name = runtime_library.function_name(row.name)
    return (
        getattr(np, name.removeprefix("np.")) if name.startswith("np.") else runtime_library.FUNCTIONS[name]
    )


def converter(source: str, target: str) -> Unary:
    """Return the cast between two types; a half as target is rounded to, here too. [TIR.5]"""
    if source == target and source not in dtypes.HALVES:
        return lambda value: value
    if target == dtypes.BOOL:
        return bool
    if dtypes.is_integer(target):
        wrap = wrapper(target)
        return _float_to_integer(wrap) if dtypes.is_float(source) else lambda value: wrap(int(value))
    if target in dtypes.HALVES:
        return _to_half(source, target)
    if dtypes.is_float(source):
        return to_float32 if target == dtypes.FLOAT32 else lambda value: value
    return _integer_to_float(source, target)


def _float_to_integer(wrap: Callable[[int], int]) -> Unary:
    def convert(value: float) -> int:
        # What int64 cannot hold becomes its least value, as on common processors; then everything wraps.
        if not -9.3e18 < value < 9.2233720368547758e18:
            return wrap(INT64_LEAST)
        return wrap(max(int(value), INT64_LEAST))

    return convert


def _integer_to_float(source: str, target: str) -> Unary:
    if target == "float64":
        return float
    make = named_dtype(source).type

    def convert(value: int) -> float:
        if -(1 << 53) <= value <= 1 << 53:
            return c_float(value).value
        return float(make(value).astype(np.float32))  # in one rounding, not through float64

    return convert


def _to_half(source: str, target: str) -> Unary:
    make, half = typed(source), named_dtype(target)
    return lambda value: float(make(value).astype(half))


def literal(value: float, dtype: str) -> float | int:
    """Return the value of a literal in its type; a fraction is rounded."""
    if dtypes.is_integer(dtype):
        return int(value)
    if dtype in dtypes.HALVES:
        return float(named_dtype(dtype).type(value))
    if dtypes.computed_in(dtype) == dtypes.FLOAT32:
        return to_float32(float(value))
    return float(value)


def type_limit(name: str, dtype: str) -> float | int | bool:
    """Return `min_value(dtype)` or `max_value(dtype)`."""
    highest = name == "max_value"
    if dtype == dtypes.BOOL:
        return highest
    if dtypes.is_integer(dtype):
        return dtypes.INT_RANGES[dtype][1 if highest else 0]
    largest = dtypes.FLOAT_LIMITS[dtype]
    return largest if highest else -largest
