"""Dtypes and NumPy: what it calls them, and the classes of dtypes that signatures name.

bfloat16 comes from the optional package ml_dtypes; it is imported when a program first makes such a tensor.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import OpError, bad_value
from relax_lang.syntax.dtypes import DTYPES, FLOATS, HALVES, INTEGERS, SIGNED
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLASSES: dict[str, tuple[frozenset[str], str]] = {
    "": (frozenset(DTYPES), "any dtype"),
    "float": (frozenset(FLOATS), "a float dtype"),
    "int": (frozenset(SIGNED), "a signed integer dtype"),
    "integer": (frozenset(INTEGERS), "an integer dtype"),
    "number": (frozenset((*INTEGERS, *FLOATS)), "a number dtype"),
    "bits": (frozenset((*INTEGERS, "bool")), "an integer dtype or bool"),
    "bool": (frozenset(("bool",)), "bool"),
    "int64": (frozenset(("int64",)), "int64"),
    "index": (frozenset(("int32", "int64")), "int32 or int64"),
}
"""Class of dtypes, as signatures name it: its members, and how messages call it. bool is not a number."""

_NAMES: dict[Any, str] = {}
_DTYPES: dict[str, Any] = {}


def name_of(dtype: Any) -> str:
    """Return the language's name of a NumPy dtype."""
    name = _NAMES.get(dtype)
    if name is None:
        name = _NAMES[dtype] = dtype.name  # NumPy works this name out anew each time
    return name


def numpy_dtype(name: str) -> Any:
    """Return the NumPy dtype of a name of the language, for kernels. Raises OpError. [G.15]"""
    dtype = _DTYPES.get(name)
    if dtype is None:
        dtype = _DTYPES[name] = np.dtype(_bfloat16() if name == "bfloat16" else name)
    return dtype


def named_dtype(name: str) -> Any:
    """Return the NumPy dtype of a name, outside of kernels. Raises RunFailure. [G.15]"""
    try:
        return numpy_dtype(name)
    except OpError as refusal:
        raise RunFailure(refusal.slug, refusal.message, None, **refusal.facts) from None


def _bfloat16() -> Any:
    try:
        import ml_dtypes  # optional, and 5 ms
    except ImportError:
        raise bad_value(
            "bfloat16 needs the package ml_dtypes", help="pip install 'relax-lang[bfloat16]'"
        ) from None
    return ml_dtypes.bfloat16


def is_half(dtype: Any) -> bool:
    """Return whether a NumPy dtype is float16 or bfloat16."""
    return dtype.itemsize == 2 and name_of(dtype) in HALVES


def is_float(dtype: Any) -> bool:
    """Return whether a NumPy dtype is a float; NumPy does not count bfloat16 as one."""
    return dtype.kind == "f" or name_of(dtype) == "bfloat16"


def widen(x: Any) -> Any:
    """Return a float16 or bfloat16 array as float32, any other unchanged."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and is_half(x.dtype) else x


def widen_bfloat16(x: Any) -> Any:
    """Return a bfloat16 array as float32, any other unchanged.

    For single ufuncs: NumPy's own loops compute float16 in float32, and spare the conversions.
    """
    return x.astype(np.float32) if x.dtype.kind == "V" and is_bfloat16(x.dtype) else x


def is_bfloat16(dtype: Any) -> bool:
    """Return whether a NumPy dtype is bfloat16."""
    return dtype.kind == "V" and name_of(dtype) == "bfloat16"


def cast(x: Any, dtype: Any) -> Any:
    """Copy to another dtype: floats truncate toward zero, integers wrap, bool is `!= 0`."""
    return np.asarray(x).astype(dtype)


def prim_dtype(value: Any) -> Any:
    """Return the NumPy dtype of a scalar operand: integers are int64, fractions float32. [OP.7]"""
    if isinstance(value, bool):
        return numpy_dtype("bool")
    if isinstance(value, int):
        return numpy_dtype("int64")
    return value.dtype if hasattr(value, "dtype") else numpy_dtype("float32")
