"""What back ends and passes need to know of the operations on elements: properties, not the names of a library."""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.ir.intrinsics import REINTERPRET

OPERATORS = frozenset((
    "+", "-", "*", "/", "//", "%", "neg", "min", "max", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!",
    "&", "|", "^", "~", "<<", ">>",
))  # fmt: skip
"""The operators of the language: they take plain numbers beside arrays, and compute in the dtype of the arrays."""

_IN_STEPS = frozenset(("exp10", "rsqrt", "ldexp", "popcount", "clz"))
"""The math functions that are computed in several steps, each of which makes an array."""


_TESTS = frozenset(("isnan", "isinf", "isfinite"))
"""NumPy (2.4) stores wrong results of these where elements of the result do not lie next to each other."""


def takes_plain_numbers(op: str) -> bool:
    """Return whether an operation takes plain numbers beside arrays, and computes in the dtype of the arrays."""
    return op in OPERATORS


def takes_destination(op: str, dtype: str) -> bool:
    """Return whether an operation with results of a dtype can write them to an array that is there already."""
    if op == "/":  # rounded toward zero in several steps
        return dtypes.is_float(dtype)
    return op not in _IN_STEPS and op not in _TESTS and not op.startswith(REINTERPRET)
