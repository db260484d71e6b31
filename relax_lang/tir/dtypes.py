"""The scalar types of PrimFuncs as facts: kind, width, limits. Never imports numpy."""

from __future__ import annotations

BOOL = "bool"
INT64 = "int64"
FLOAT32 = "float32"

SIGNED = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
UNSIGNED = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
INTEGERS = SIGNED | UNSIGNED
FLOATS = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}
NAMES = frozenset({BOOL, *INTEGERS, *FLOATS})

HALVES = frozenset({"float16", "bfloat16"})
"""Types that are only stored: arithmetic on them is that of float32, rounded when it is stored or cast."""

LARGEST_FLOAT = {
    "float16": 65504.0,
    "bfloat16": float.fromhex("0x1.fep+127"),
    "float32": float.fromhex("0x1.fffffep+127"),
    "float64": float.fromhex("0x1.fffffffffffffp+1023"),
}


def is_integer(dtype: str) -> bool:
    """Tell whether a type holds integers; bool does not."""
    return dtype in INTEGERS


def is_float(dtype: str) -> bool:
    """Tell whether a type holds fractions."""
    return dtype in FLOATS


def is_number(dtype: str) -> bool:
    """Tell whether a type has arithmetic."""
    return dtype in INTEGERS or dtype in FLOATS


def computed_in(dtype: str) -> str:
    """Return the type in which values of `dtype` are computed."""
    return FLOAT32 if dtype in HALVES else dtype


def limits(dtype: str) -> tuple[int, int]:
    """Return the least and the greatest value of an integer type."""
    if dtype in SIGNED:
        half = 1 << (SIGNED[dtype] - 1)
        return -half, half - 1
    return 0, (1 << UNSIGNED[dtype]) - 1


def wider(a: str, b: str) -> str:
    """Return the one of two number types that values of the other are better cast to."""
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    widths = FLOATS if is_float(a) else INTEGERS
    return a if widths.get(a, 0) >= widths.get(b, 0) else b
