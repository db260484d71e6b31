"""Fields of tensors as DLPack describes them. Tensors are compact here: no offset, the last axis running fastest."""

from __future__ import annotations

import math

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import name_of, numpy_dtype
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.shared import fixed
from relax_lang.ops.shape_rules.shared.extents import integer
from relax_lang.syntax.dtypes import BOOL, FLOATS, SIGNED, UNSIGNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.specialization import Run1, TensorSpec
    from relax_lang.syntax import tree

family = Family(__name__, "Inspection of tensors", since="later")

_CODES = {
    **dict.fromkeys(SIGNED, 0),
    **dict.fromkeys(UNSIGNED, 1),
    **dict.fromkeys(FLOATS, 2),
    "bfloat16": 4,
    BOOL: 6,
}
"""The type codes of DLPack."""


def _of_one_axis(call: Inference) -> tree.StructInfo:
    """Infer an int64 scalar; the axis is counted from the front. [OP.5]"""
    rank, axis = call.tensor(0).rank, call.scalar(1)
    at = None if axis is None else integer(axis)
    if at is not None and (at < 0 or (rank is not None and at >= rank)):
        highest = "" if rank is None else f" and less than {rank}"
        call.bad_scalar(1, f"the axis is {at}; it must be at least 0{highest}")
    return call.tensor_of((), "int64")


def _declare(name: str, dtype: str, find: Callable[[TensorSpec], int], doc: str) -> None:
    def kernel(tensor: TensorSpec) -> Run1:
        value = np.array(find(tensor), numpy_dtype(dtype))
        return lambda tensor: value.copy()

    family.declare(
        f"inspect.{name}",
        "tensor: tensor",
        kernel=kernel,
        planned=True,
        infer=fixed.scalar(dtype),
        doc=doc,
        example=f"inspect.{name}(const([1, 2]))",
    )


def _declare_for_axis(name: str, find: Callable[[TensorSpec, int], int], doc: str) -> None:
    def kernel(tensor: TensorSpec, axis: int) -> Run1:
        if not 0 <= axis < tensor.ndim:
            raise bad_value(
                f"the axis is {axis}; it must be at least 0 and less than {tensor.ndim}", axis=axis
            )
        value = np.array(find(tensor, axis), np.int64)
        return lambda tensor: value.copy()

    family.declare(
        f"inspect.{name}",
        "tensor: tensor, axis: prim(int)",
        kernel=kernel,
        planned=True,
        infer=_of_one_axis,
        doc=doc,
        example=f"inspect.{name}(const([[1, 2]]), 0)",
    )


def _none(_tensor: Any) -> int:
    return 0


_declare(
    "tensor_dtype_code",
    "uint8",
    lambda tensor: _CODES[name_of(tensor.dtype)],
    """The DLPack code of a tensor's dtype: 0 for signed and 1 for unsigned integers, 2 for floats, 4 for bfloat16,
    6 for bool.""",
)
_declare(
    "tensor_dtype_bits",
    "uint8",
    lambda tensor: 8 * tensor.itemsize,
    "The bits that an element of a tensor takes; a bool takes 8.",
)
_declare("tensor_dtype_lanes", "uint16", lambda _tensor: 1, "The lanes of an element of a tensor: always 1.")
_declare("tensor_ndim", "int32", lambda tensor: tensor.ndim, "The rank of a tensor.")
_declare("tensor_byte_offset", "uint64", _none, "Where a tensor starts in its memory, in bytes: always 0.")
_declare("tensor_elem_offset", "uint64", _none, "Where a tensor starts in its memory, in elements: always 0.")
_declare_for_axis(
    "tensor_shape_i",
    lambda tensor, axis: tensor.shape[axis],
    "The extent of one axis of a tensor, from the front.",
)
_declare_for_axis(
    "tensor_stride_i",
    lambda tensor, axis: math.prod(tensor.shape[axis + 1 :]),
    "The stride of one axis of a compact tensor, in elements: the product of the extents behind it.",
)
