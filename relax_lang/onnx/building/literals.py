"""Literals of the text from Python values and arrays."""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.onnx.values import Array

_BARE = {"int32": tree.IntLit, "float32": tree.FloatLit, "bool": tree.BoolLit}


def literal(array: Array) -> tree.Constant:
    """Return a constant that is written out; a scalar of a usual dtype without saying which."""
    dtype = array.dtype.name
    data = _data(array)
    bare = isinstance(data, _BARE.get(dtype, tree.NullLit))
    negative = bare and dtype != "bool" and _opens_negative(data)
    return tree.Constant(data, None if bare and not negative else tree.DType(dtype))


def _opens_negative(data: tree.Literal) -> bool:
    return isinstance(data, tree.IntLit | tree.FloatLit) and str(data.value).startswith("-")


def _data(array: Array) -> tree.Literal:
    if array.ndim:
        return tree.ListLit(tuple([_data(one) for one in array]))
    kind = array.dtype.kind
    if kind == "b":
        return tree.BoolLit(bool(array))
    if kind in "iu":
        return tree.IntLit(int(array), None)
    return tree.FloatLit(_shortest(array), None)


def _shortest(array: Array) -> float:
    """Return the number with the fewest digits that is the same element."""
    import numpy as np

    value = float(array)
    if value != value or value in (float("inf"), float("-inf")) or array.dtype == np.float64:
        return value
    if array.dtype == np.float32:
        return float(str(np.float32(value)))
    for digits in range(1, 9):
        short = float(f"{value:.{digits}g}")
        if np.asarray(short).astype(array.dtype) == array:
            return short
    return value


def attribute(key: str, value: Any, kind: str) -> tree.Attr:
    """Return an attribute of a call."""
    return tree.Attr(key, _literal(value, kind))


def _literal(value: Any, kind: str) -> tree.Literal:
    if value is None:
        return tree.NullLit()
    if isinstance(value, bool):
        return tree.BoolLit(value)
    if isinstance(value, int):
        return tree.IntLit(value, None)
    if isinstance(value, float):
        return tree.FloatLit(value, None)
    if isinstance(value, str):
        return tree.DType(str(value)) if "dtype" in kind else tree.StrLit(value)
    return tree.ListLit(tuple([_literal(one, kind) for one in value]))
