"""Functions that NumPy lacks, on arrays and NumPy scalars: intrinsics, and the integer arithmetic of TIR.

The interpreter calls them, and compiled modules contain the text of those they use, so both compute the same.
Every function stands alone: it uses `np`, its arguments, other functions of this library, and nothing else.
"""

from __future__ import annotations

from types import FunctionType

from relax_lang.tir.runtime_library import arithmetic, guards, products, scans, views

MODULES = (guards, arithmetic, views, scans, products)
"""The parts of the library, in the order in which compiled modules contain their functions."""

FUNCTIONS = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, FunctionType | type) and value.__module__ == module.__name__
}
"""All functions and classes of the library, by name."""
