"""Struct info rules of operators that are known and not evaluated, where the rule is simple; see `ops.later`.

Operators of devices, training and object detection whose result is hard to say have no rule: it is an object.
"""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.axes import one_axis
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype
from relax_lang.ops.shape_rules.shared.dims import multiply, number
from relax_lang.ops.shape_rules.shared.extents import divides, integer, quotient, text
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.shape_rules.shared.call_info import Inference

    Rule = Callable[[Inference], tree.StructInfo]


def _same_as(index: int) -> Rule:
    """Return the rule of an operator whose result has the shape and dtype of an argument."""

    def rule(call: Inference) -> tree.StructInfo:
        x = call.tensor(index)
        return call.like(x, x.dtype)

    return rule


def _converted(call: Inference) -> tree.StructInfo:
    return call.like(call.tensor(0), call.attrs["dtype"])


def _allocated(call: Inference) -> tree.StructInfo:
    return call.like(call.tensor(2), call.attrs["dtype"])


def _object(call: Inference) -> tree.StructInfo:
    return tree.ObjectStructInfo(call.call.pos, call.call.end)


def _unit(call: Inference) -> tree.StructInfo:
    return call.tuple_of(())


def _declared(call: Inference) -> tree.StructInfo:
    """The result is what `->` says, without it an object. [E.3]"""
    return call.call.struct_info or _object(call)


def _declared_or_unit(call: Inference) -> tree.StructInfo:
    return call.call.struct_info or _unit(call)


def _scalar(dtype: str) -> Rule:
    """Return the rule of an operator that gives one number."""

    def rule(call: Inference) -> tree.StructInfo:
        return call.tensor_of((), dtype)

    return rule


def _of_one_axis(call: Inference) -> tree.StructInfo:
    """One number about an axis, which counts from the front. [OP.5]"""
    rank, axis = call.tensor(0).rank, call.scalar(1)
    at = None if axis is None else integer(axis)
    if at is not None and (at < 0 or (rank is not None and at >= rank)):
        highest = "" if rank is None else f" and less than {rank}"
        call.bad_scalar(1, f"the axis is {at}; it must be at least 0{highest}")
    return call.tensor_of((), "int64")


def _gathered(call: Inference) -> tree.StructInfo:
    """The first axis of all workers, end to end."""
    x = call.tensor(0)
    if x.dims is None:
        return call.of_rank(x.rank, x.dtype)
    if not x.dims:
        call.bad_argument(0, "a tensor of rank 1 or more")
        return call.like(x, x.dtype)
    first = multiply(call, x.dims[0], number(call.attrs["num_workers"]))
    return call.tensor_of((first, *x.dims[1:]), x.dtype)


def _scattered(call: Inference) -> tree.StructInfo:
    """A worker's part of an axis, which they share evenly. [OP.5]"""
    x, workers = call.tensor(0), number(call.attrs["num_workers"])
    at = None if x.rank is None else one_axis(call, call.attrs["axis"], x.rank)
    if at is None or x.dims is None:
        return call.of_rank(x.rank, x.dtype)
    if divides(call, workers, x.dims[at]) is False:
        call.bad_shape(f"axis {at} is {text(x.dims[at])}, which {workers.value} workers do not divide", 0)
    part = quotient(call, x.dims[at], workers)
    return call.tensor_of((*x.dims[:at], part, *x.dims[at + 1 :]), x.dtype)


def _attention(call: Inference) -> tree.StructInfo:
    """The queries, with the last axis of the values."""
    query, key, value = call.tensor(0), call.tensor(1), call.tensor(2)
    same_dtype(call, query, key, 0, 1)
    same_dtype(call, query, value, 0, 2)
    if query.dims is None or value.dims is None:
        return call.of_rank(4, query.dtype)
    return call.tensor_of((*query.dims[:3], value.dims[3]), query.dtype)


def _valid_counts(call: Inference) -> tree.StructInfo:
    """How many boxes are valid, the boxes in order, and where each was."""
    data = call.tensor(0)
    if data.dims is None:
        parts = call.of_rank(1, "int32"), call.of_rank(2, "int32")
    else:
        parts = call.tensor_of(data.dims[:1], "int32"), call.tensor_of(data.dims[:2], "int32")
    return call.tuple_of([parts[0], call.like(data, data.dtype), parts[1]])


def _regions(call: Inference) -> tree.StructInfo:
    """One image of the pooled size for every region. [OP.4]"""
    data, regions = call.tensor(0), call.tensor(1)
    size, layout = call.attrs["pooled_size"], call.attrs["layout"]
    sizes = [size, size] if isinstance(size, int) else size
    if len(sizes) != 2 or min(sizes) < 1:
        call.bad_attribute("pooled_size", "one or two positive numbers are needed")
    if layout not in ("NCHW", "NHWC"):
        call.bad_attribute("layout", f'"{layout}" is neither NCHW nor NHWC')
    if data.dims is None or regions.dims is None or call.findings:
        return call.of_rank(4, data.dtype)
    spatial = [number(extent) for extent in sizes]
    if layout == "NCHW":
        return call.tensor_of((regions.dims[0], data.dims[1], *spatial), data.dtype)
    return call.tensor_of((regions.dims[0], *spatial, data.dims[3]), data.dtype)


RULES: dict[str, Rule] = {
    "wrap_param": _converted,
    "memory.alloc_storage": _object,
    "vm.alloc_storage": _object,
    "memory.alloc_tensor": _allocated,
    "vm.alloc_tensor": _allocated,
    "call_py_func": _declared,
    "call_builtin_with_ctx": _declared_or_unit,
    "dist.call_tir_local_view": _declared,
    "nn.attention_var_len": _attention,
    "ccl.allgather": _gathered,
    "ccl.scatter_from_worker0": _scattered,
    "dist.redistribute_replica_to_shard": _scattered,
    "inspect.tensor_dtype_code": _scalar("uint8"),
    "inspect.tensor_dtype_bits": _scalar("uint8"),
    "inspect.tensor_dtype_lanes": _scalar("uint16"),
    "inspect.tensor_ndim": _scalar("int32"),
    "inspect.tensor_byte_offset": _scalar("uint64"),
    "inspect.tensor_elem_offset": _scalar("uint64"),
    "inspect.tensor_shape_i": _of_one_axis,
    "inspect.tensor_stride_i": _of_one_axis,
    "vision.get_valid_counts": _valid_counts,
    "vision.roi_align": _regions,
    "vision.roi_pool": _regions,
}
"""Operator: its rule."""

for _name in ("memory.kill_storage", "memory.kill_tensor", "vm.kill_object", "vm.call_tir_dyn"):
    RULES[_name] = _unit
for _name in (
    "builtin.stop_lift_params",
    "memory.ensure_zero_offset",
    "grad.no_grad",
    "grad.start_checkpoint",
    "grad.end_checkpoint",
    "ccl.allreduce",
    "ccl.broadcast_from_worker0",
    "dist.annotate_sharding",
    "dist.redistribute",
):
    RULES[_name] = _same_as(0)
for _name in (
    "grad.nll_loss_backward",
    "grad.max_pool2d_backward",
    "grad.avg_pool2d_backward",
    "grad.take_backward",
):
    RULES[_name] = _same_as(1)
