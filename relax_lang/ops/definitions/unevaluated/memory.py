"""Memory planning: operators that a compiler inserts, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared import fixed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Memory planning, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)

STORAGE = "storage: any, offset: prim, shape: shape, runtime_device_index: prim?"


def allocated(call: Inference) -> tree.StructInfo:
    """Infer a tensor of the shape that is argument 2 and of the dtype of the attribute `dtype`."""
    return call.like(call.tensor(2), call.attrs["dtype"])


_declare(
    "memory.alloc_storage",
    "total_space: shape, virtual_device_index: prim",
    'storage_scope: str = "global", dtype: dtype',
    since="spec",
    tvm="size virtual_device_index storage_scope dtype",
    infer=fixed.any_object,
    doc="Allocates `total_space` bytes.",
)
_declare(
    "memory.alloc_tensor",
    STORAGE,
    "dtype: dtype",
    since="spec",
    tvm="storage offset shape dtype runtime_device_ind",
    infer=allocated,
    doc="Makes a tensor in allocated memory.",
)
_declare(
    "memory.kill_storage",
    "storage: any",
    pure=False,
    since="spec",
    infer=fixed.unit,
    doc="Frees allocated memory.",
)
_declare(
    "memory.kill_tensor",
    "tensor: tensor",
    pure=False,
    since="spec",
    infer=fixed.unit,
    doc="Marks a tensor as no longer used.",
)
