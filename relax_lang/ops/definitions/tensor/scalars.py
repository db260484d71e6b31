"""Scalars: numbers as tensors of rank 0, and as values of their own."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import CLASSES, name_of, numpy_dtype, prim_dtype
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.tensor import create as rules
from relax_lang.syntax.dtypes import holds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run, TensorSpec

    Number = int | float | bool

family = Family(__name__, "Scalars")


@family.planned(
    "scalar",
    "value: prim, like: tensor?",
    "",
    infer=rules.scalar,
    since="later",
    also=("torch.scalar_tensor",),
    example="scalar(3, const([0.5, 1.5]))",
)
def scalar(value: Number, like: TensorSpec | None) -> Run:
    """Make a tensor of rank 0 of a number, a dimension expression or a condition.

    An integer is int64, a fraction float32, a condition bool. With `like`, a number has the dtype of that tensor, where
    that is a float dtype, or an integer dtype and the number an integer; an integer that it does not hold is refused.
    The normal form writes it where a dimension expression is an operand: `x * n` is `multiply(x, scalar(n, x))`.
    """
    dtype = prim_dtype(value)
    if like is not None and _is_converted(dtype, like.dtype):
        dtype = like.dtype
    return _made(value, dtype)


def _is_converted(own: Any, other: Any) -> bool:
    """Return whether a number of one dtype becomes one of another."""
    is_number = own.kind in "iuf" and other.kind != "b"
    return is_number and (own.kind != "f" or name_of(other) in CLASSES["float"][0])


@family.planned(
    "prim_value",
    "value: prim",
    "dtype: dtype|none = none",
    infer=rules.prim_value,
    since="later",
    example="prim_value(3)",
)
def prim_value(value: Number, dtype: str | None) -> Run:
    """Make a scalar of a number, a dimension expression or a condition: a value of `Prim[…]`.

    An integer is int64, a fraction float32, a condition bool, unless `dtype` names another one that holds it: what a
    dtype does not hold (2.5 as an int32) is refused. A condition is 0 or 1 as a number.
    """
    if dtype is None:
        return _made(value, prim_dtype(value))
    if not holds(dtype, value):
        raise bad_value(f"{value} is not a value of {dtype}")
    return _made(value, numpy_dtype(dtype))


def _made(value: Number, dtype: Any) -> Run:
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        raise bad_value(f"{value} is not a value of {name_of(dtype)}")
    with np.errstate(over="ignore"):
        made = np.asarray(value).astype(dtype)
    return lambda *_like: made.copy()
