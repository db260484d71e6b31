"""Numbers and arrays of Python as constants of a program. [G.22]"""

from __future__ import annotations

from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import diagnostics as diag
from relax_lang.syntax import dtypes, tree
from relax_lang.syntax.constants import bare_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_ELEMENTS = 1 << 22
"""Elements of an array that are written out; larger ones would be texts of many megabytes."""


def number(value: Any, like: str | None) -> tree.Constant:
    """Return a Python number in the dtype of the other operand, if there is one. Raises RelaxError if it has none."""
    data = _literal(value)
    if like is None or like == bare_dtype(data):
        return tree.Constant(data, None)
    if dtypes.is_float(like):
        return tree.Constant(tree.FloatLit(float(value)), None if like == "float32" else tree.DType(like))
    if isinstance(value, float) or (like == "bool") is not isinstance(value, bool):
        raise refused(diag.number_does_not_fit, value, like)
    if like != "bool" and not _fits(value, like):
        raise refused(diag.number_does_not_fit, value, like)
    return tree.Constant(data, tree.DType(like))


def _fits(value: int, dtype: str) -> bool:
    import numpy as np  # here and below: only for programs that are built in Python

    limits = np.iinfo(dtype)
    return int(limits.min) <= value <= int(limits.max)


def array(value: Any) -> tree.Constant:
    """Return an array of NumPy as a constant of its dtype. Raises RelaxError if the language has no such dtype."""
    import numpy as np

    from relax_lang.ops.core.dtypes import name_of  # imports no more than NumPy itself

    given = np.asarray(value)
    try:
        dtype = name_of(given.dtype)
    except (KeyError, TypeError, ValueError):
        dtype = ""
    if dtype not in dtypes.DTYPES:
        raise refused(diag.no_dtype_of_array, str(given.dtype))
    if given.size > MOST_ELEMENTS:
        raise refused(diag.array_too_large, int(given.size), MOST_ELEMENTS)
    if dtype in dtypes.HALVES:
        given = given.astype(np.float32)
    data = _nested(given.tolist())
    return tree.Constant(data, tree.DType(dtype))


def _nested(value: Any) -> tree.Literal:
    if is_sequence(value):
        return tree.ListLit(tuple([_nested(one) for one in value]))
    return _literal(value)


def _literal(value: Any) -> tree.Literal:
    if isinstance(value, bool):
        return tree.BoolLit(value)
    return tree.IntLit(value) if isinstance(value, int) else tree.FloatLit(float(value))
