"""Rules of operators on the tensors of several workers."""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.axes import one_axis
from relax_lang.ops.shape_rules.shared.dims import multiply, number
from relax_lang.ops.shape_rules.shared.extents import divides, quotient, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree


def gathered(call: Inference) -> tree.StructInfo:
    """Infer the tensors of all workers, concatenated along the first axis."""
    x = call.tensor(0)
    if x.dims is None:
        return call.of_rank(x.rank, x.dtype)
    if not x.dims:
        call.bad_argument(0, "a tensor of rank 1 or more")
        return call.like(x, x.dtype)
    first = multiply(call, x.dims[0], number(call.attrs["num_workers"]))
    return call.tensor_of((first, *x.dims[1:]), x.dtype)


def scattered(call: Inference) -> tree.StructInfo:
    """Infer one worker's part of an axis, which is divided evenly. [OP.5]"""
    x, workers = call.tensor(0), number(call.attrs["num_workers"])
    at = None if x.rank is None else one_axis(call, call.attrs["axis"], x.rank)
    if at is None or x.dims is None:
        return call.of_rank(x.rank, x.dtype)
    if divides(call, workers, x.dims[at]) is False:
        call.bad_shape(f"axis {at} is {text(x.dims[at])}, which {workers.value} workers do not divide", 0)
    part = quotient(call, x.dims[at], workers)
    return call.tensor_of((*x.dims[:at], part, *x.dims[at + 1 :]), x.dtype)
