"""Numbers as scalar operands, and the dtypes that they have as tensors. Each function raises OpError."""

from __future__ import annotations

from relax_lang.ops.core.dtypes import prim_dtype
from relax_lang.ops.core.errors import bad_argument, bad_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Number = int | float | bool


def check_int64(value: Number) -> None:
    """Refuse an integer that the dtype of scalar operands cannot hold. [OP.9]"""
    if not -(2**63) <= value < 2**63:
        raise bad_value(f"{value} does not fit int64")


def scalar_tensors_dtype(left: Number, right: Number, names: tuple[str, str]) -> Any:
    """Return the dtype of two scalar operands that must have one. [OP.7]"""
    wanted = prim_dtype(left)
    for value in (left, right):
        if isinstance(value, int):
            check_int64(value)
    if prim_dtype(right) != wanted:
        raise bad_argument(
            f"`{names[0]}` and `{names[1]}` have different dtypes: {wanted.name} and {prim_dtype(right).name}"
        )
    return wanted
