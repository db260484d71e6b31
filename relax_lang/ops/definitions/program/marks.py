"""Marks that compilers read. On one host, without gradients, they leave a value as it is."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.dtypes import cast, numpy_dtype
from relax_lang.ops.core.errors import bad_argument, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import one_axis
from relax_lang.ops.shape_rules.shared import unary, workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, TensorSpec

family = Family(__name__, "Marks on values", since="later")


def _itself(x: Any, **_attrs: Any) -> Any:
    return x


def _mark(name: str, doc: str, params: str = "x: tensor", attrs: str = "", **more: Any) -> None:
    given = ', device_mesh="mesh[2]", placement="S[0]"' if attrs else ""
    family.declare(
        name,
        params,
        attrs,
        kernel=_itself,
        infer=unary.same,
        rows="elementwise",
        aliases=(params.partition(":")[0],),
        doc=doc,
        example=f"{name}(const([1, 2]){given})",
        **more,
    )


_mark(
    "grad.no_grad",
    "Mark a value that gradients do not flow through; the result is `x` itself.",
    also=("torch.detach", "jax.stop_gradient"),
    tvm="input",
)
_mark(
    "grad.start_checkpoint",
    "Mark where recomputation for gradients starts; the result is `x` itself.",
    tvm="input",
)
_mark(
    "grad.end_checkpoint",
    "Mark where recomputation for gradients ends; the result is `x` itself.",
    tvm="input",
)
_mark("builtin.stop_lift_params", "Mark where parameters are no longer lifted; the result is `x` itself.")
_mark(
    "memory.ensure_zero_offset",
    "Make sure that a tensor starts where its memory starts, as every tensor does here; the result is `x` itself.",
    tvm="data",
)
family.declare(
    "ccl.allreduce",
    "x: tensor",
    'op_type: str = "sum", in_group: bool = true',
    kernel=_itself,
    infer=unary.same,
    aliases=("x",),
    also=("jax.psum",),
    doc="Combine a tensor over all workers. There is one worker here: the result is `x` itself.",
    example="ccl.allreduce(const([1, 2]))",
)
_mark(
    "ccl.broadcast_from_worker0",
    "Send the tensor of the first worker to all. There is one worker here: the result is `x` itself.",
)
_SHARDED = partial(_mark, params="input: tensor", attrs="device_mesh: str, placement: str")
_SHARDED(
    "dist.annotate_sharding",
    "Annotate how a tensor is laid out on a mesh of devices. There is one device here: the result is `input` itself.",
)
_SHARDED(
    "dist.redistribute",
    "Move a tensor on a mesh of devices. There is one device here: the result is `input` itself.",
)


def _of_one_worker(x: Any, num_workers: int, axis: int | None = None, **_attrs: Any) -> Any:
    if axis is not None:
        one_axis(axis, x.ndim)
    elif not x.ndim:
        raise bad_argument("`x` must have rank 1 or more, not 0", argument="x")
    if num_workers != 1:
        raise bad_value(f"there is one worker here, not {num_workers}", num_workers=num_workers)
    return x


def _between_workers(name: str, doc: str, params: str, attrs: str, given: str, **more: Any) -> None:
    """Declare an operator that moves parts of tensors, of which one worker keeps what it has."""
    family.declare(
        name,
        params,
        attrs,
        kernel=_of_one_worker,
        aliases=(params.partition(":")[0],),
        doc=f"{doc} There is one worker here: the result is the argument itself, and other numbers of workers fail.",
        example=f"{name}(const([1, 2]), {given})",
        **more,
    )


_between_workers(
    "ccl.allgather",
    "Join the tensors of all workers along the first axis.",
    "x: tensor",
    "num_workers: int>0, in_group: bool = true",
    "num_workers=1",
    infer=workers.gathered,
)
_between_workers(
    "ccl.scatter_from_worker0",
    "Send every worker its part of an axis of the first one's tensor.",
    "x: tensor",
    "num_workers: int>0, axis: int = 0",
    "num_workers=1",
    infer=workers.scattered,
)
_between_workers(
    "dist.redistribute_replica_to_shard",
    "Keep a worker's own part of an axis of a replicated tensor.",
    "input: tensor",
    "num_workers: int>0, axis: int",
    "num_workers=1, axis=0",
    infer=workers.scattered,
)


@family.planned(
    "wrap_param",
    "data: tensor",
    "dtype: dtype = float32",
    infer=unary.converted,
    rows="elementwise",
    aliases=("data",),
    example="wrap_param(const([1.0, 2.0]), dtype=float32)",
)
def wrap_param(data: TensorSpec, dtype: str) -> Run1:
    """Mark a parameter and convert its dtype, as `astype` does; a tensor that has it already is the result itself."""
    wanted = numpy_dtype(dtype)
    if data.dtype == wanted:
        return lambda data: data
    return lambda data: cast(data, wanted)
