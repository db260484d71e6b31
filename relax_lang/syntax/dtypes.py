"""The dtypes as facts: kind, width, limits. What NumPy calls them is in `relax_lang.ops.core.dtypes`.

Never imports numpy.
"""

from __future__ import annotations

BOOL = "bool"
INT64 = "int64"
FLOAT32 = "float32"

SIGNED = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
UNSIGNED = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
INTEGERS = SIGNED | UNSIGNED
FLOATS = {"float16": 16, "float32": 32, "float64": 64, "bfloat16": 16}
"""Each with its width in bits."""

DTYPES = (BOOL, *INTEGERS, *FLOATS)
"""Every dtype of the language. [G.15]"""

HALVES = frozenset(("float16", "bfloat16"))
"""Only stored: arithmetic on them is that of float32, rounded when it is stored or cast."""

INT_RANGES: dict[str, tuple[int, int]] = {
    **{name: (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) for name, bits in SIGNED.items()},
    **{name: (0, (1 << bits) - 1) for name, bits in UNSIGNED.items()},
}
"""The integer dtypes: the least and the greatest value."""

FLOAT_LIMITS: dict[str, float] = {
    "float16": 65504.0,
    "float32": float.fromhex("0x1.fffffep+127"),
    "float64": float.fromhex("0x1.fffffffffffffp+1023"),
    "bfloat16": float.fromhex("0x1.fep+127"),
}
"""The floating point dtypes: the largest finite value."""


PRECISION = {"float16": 11, "float32": 24, "float64": 53, "bfloat16": 8}
"""The floating point dtypes: the bits of a significand."""


def bytes_of(dtype: str) -> int:
    """Return how many bytes an element takes in memory."""
    return 1 if dtype == BOOL else (INTEGERS.get(dtype) or FLOATS[dtype]) // 8


def is_integer(dtype: str) -> bool:
    """Return whether a dtype holds integers; bool does not."""
    return dtype in INTEGERS


def is_float(dtype: str) -> bool:
    """Return whether a dtype holds fractions."""
    return dtype in FLOATS


def is_number(dtype: str) -> bool:
    """Return whether a dtype has arithmetic."""
    return dtype in INTEGERS or dtype in FLOATS


def holds(dtype: str, value: float) -> bool:
    """Return whether a number is a value of a dtype; one with a fraction is one of every float dtype, rounded."""
    if dtype in FLOATS:
        return True
    low, high = integers_of(dtype)
    return low <= value <= high and value == int(value)


def integers_of(dtype: str) -> tuple[int, int]:
    """Return the least and the greatest of the integers that a dtype has without a gap."""
    if dtype in PRECISION:
        return -(1 << PRECISION[dtype]), 1 << PRECISION[dtype]
    return (0, 1) if dtype == BOOL else INT_RANGES[dtype]


def keeps_values(source: str, target: str) -> bool:
    """Return whether every value of a dtype is one of another dtype."""
    if is_float(source):
        return target in (source, "float64") or (target == FLOAT32 and source in HALVES)
    (least, greatest), (low, high) = integers_of(source), integers_of(target)
    return low <= least and greatest <= high


def computed_in(dtype: str) -> str:
    """Return the dtype in which values of `dtype` are computed."""
    return FLOAT32 if dtype in HALVES else dtype


def wider(a: str, b: str) -> str:
    """Return the one of two number dtypes that values of the other are better cast to."""
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    widths = FLOATS if is_float(a) else INTEGERS
    return a if widths.get(a, 0) >= widths.get(b, 0) else b
