"""Fields of DLPack tensors, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared import fixed
from relax_lang.ops.shape_rules.shared.extents import integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Inspection of tensors, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


def _of_one_axis(call: Inference) -> tree.StructInfo:
    """Infer an int64 scalar; the axis is counted from the front. [OP.5]"""
    rank, axis = call.tensor(0).rank, call.scalar(1)
    at = None if axis is None else integer(axis)
    if at is not None and (at < 0 or (rank is not None and at >= rank)):
        highest = "" if rank is None else f" and less than {rank}"
        call.bad_scalar(1, f"the axis is {at}; it must be at least 0{highest}")
    return call.tensor_of((), "int64")


_declare(
    "inspect.tensor_dtype_code",
    "tensor: tensor",
    infer=fixed.scalar("uint8"),
    doc="The DLPack code of a tensor's dtype.",
)
_declare(
    "inspect.tensor_dtype_bits",
    "tensor: tensor",
    infer=fixed.scalar("uint8"),
    doc="The bits of an element of a tensor.",
)
_declare(
    "inspect.tensor_dtype_lanes",
    "tensor: tensor",
    infer=fixed.scalar("uint16"),
    doc="The lanes of an element of a tensor.",
)
_declare("inspect.tensor_ndim", "tensor: tensor", infer=fixed.scalar("int32"), doc="The rank of a tensor.")
_declare(
    "inspect.tensor_byte_offset",
    "tensor: tensor",
    infer=fixed.scalar("uint64"),
    doc="Where a tensor starts in its memory, in bytes.",
)
_declare(
    "inspect.tensor_elem_offset",
    "tensor: tensor",
    infer=fixed.scalar("uint64"),
    doc="Where a tensor starts in its memory, in elements.",
)
_declare(
    "inspect.tensor_shape_i",
    "tensor: tensor, axis: prim(int)",
    infer=_of_one_axis,
    doc="The extent of one axis of a tensor.",
)
_declare(
    "inspect.tensor_stride_i",
    "tensor: tensor, axis: prim(int)",
    infer=_of_one_axis,
    doc="The stride of one axis of a tensor.",
)
