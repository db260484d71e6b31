"""The operations of the array IR as NumPy has them."""

from __future__ import annotations

import ast

import numpy as np

from relax_lang.syntax import dtypes
from relax_lang.tir.runtime_library import function_name

COMBINED = {
    "+": "np.add", "*": "np.multiply", "min": "np.minimum", "max": "np.maximum", "&&": "np.logical_and",
    "||": "np.logical_or", "&": "np.bitwise_and", "|": "np.bitwise_or", "^": "np.bitwise_xor",
}  # fmt: skip
"""The associative operations."""
UFUNCS = {
    **COMBINED, "-": "np.subtract", "neg": "np.negative", "~": "np.invert", "!": "np.logical_not", "==": "np.equal",
    "!=": "np.not_equal", "<": "np.less", "<=": "np.less_equal", ">": "np.greater", ">=": "np.greater_equal",
    "<<": "np.left_shift", ">>": "np.right_shift", "//": "np.floor_divide", "%": "np.remainder",
}  # fmt: skip
"""The operators of the language that are one function of NumPy."""

INFIX: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "//": ast.FloorDiv, "%": ast.Mod, "&&": ast.BitAnd, "||": ast.BitOr,
    "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor, "<<": ast.LShift, ">>": ast.RShift,
}  # fmt: skip
SCALAR_INFIX: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "//": ast.FloorDiv, "%": ast.Mod,
}  # fmt: skip
"""The arithmetic operators on plain numbers."""
COMPARED: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip

FUNCTIONS = {
    "all": "np.all", "share_memory": "np.may_share_memory", "contiguous": "np.ascontiguousarray",
    "indices": "np.indices", "places": "np.nonzero", "int": "int", "bool": "bool", "array": "np.array",
    "copied": "np.array", "count": "np.count_nonzero", "slice": "slice",
}  # fmt: skip
"""The functions of the array IR."""

LOOKED_UP = frozenset({
    "np.add", "np.subtract", "np.multiply", "np.divide", "np.maximum", "np.minimum", "np.negative", "np.tanh",
    "np.exp", "np.matmul",
})  # fmt: skip
"""The functions that get a name before a loop with many small steps: looking them up takes time."""


def function_of(op: str, dtype: str) -> str:
    """Return the function of an operation with results of a dtype: one of NumPy or of the runtime library."""
    if op == "/":
        return "np.divide" if dtypes.is_float(dtype) else "truncated_quotient"
    return UFUNCS.get(op) or function_name(op)


_BY_NAME = frozenset({"np.maximum", "np.minimum"})
"""The functions that NumPy (2.4) warns about if they are given an array for their results by position."""


def takes_target_last(name: str) -> bool:
    """Return whether a function is one of NumPy that takes an array for its results after its arguments."""
    if name in _BY_NAME or not name.startswith("np."):
        return False
    return isinstance(getattr(np, name.removeprefix("np."), None), np.ufunc)


def dtype_name(dtype: str) -> str:
    """Return a dtype as Python has it."""
    if dtype == "bfloat16":
        return "ml_dtypes.bfloat16"
    return "np.bool_" if dtype == dtypes.BOOL else f"np.{dtype}"
