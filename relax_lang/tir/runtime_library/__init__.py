"""Functions that NumPy lacks, on arrays and NumPy scalars: intrinsics, and the integer arithmetic of TIR.

The interpreter calls them, and compiled modules contain the text of those they use, so both compute the same.
Every function is self-contained: it uses `np`, its arguments, other functions of this library, and nothing else.
"""

from __future__ import annotations

from types import FunctionType

from relax_lang.tir.runtime_library import arithmetic, guards, products, running_steps, scans, views

MODULES = (guards, arithmetic, views, scans, running_steps, products)
"""The parts of the library, in the order in which compiled modules contain their functions."""

FUNCTIONS = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, FunctionType | type) and value.__module__ == module.__name__
}
"""All functions and classes of the library, by name."""

_NUMPY_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "round": "rint", "nearbyint": "rint", "pow": "power",
}  # fmt: skip
"""The math functions that NumPy has by other names."""


def function_name(intrinsic: str) -> str:
    """Return the function that computes a math function: one of this library, or one of NumPy (`np.exp`)."""
    return intrinsic if intrinsic in FUNCTIONS else f"np.{_NUMPY_NAMES.get(intrinsic, intrinsic)}"
