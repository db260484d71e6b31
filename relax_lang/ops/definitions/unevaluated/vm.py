"""Instructions of the virtual machine, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.definitions.unevaluated.memory import STORAGE, allocated
from relax_lang.ops.shape_rules.shared import fixed

family = Family(__name__, "The virtual machine, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


_declare(
    "vm.alloc_storage",
    "size: shape, runtime_device_index: prim",
    'dtype: dtype, storage_scope: str = "global"',
    since="spec",
    tvm="shape runtime_device_index dtype storage_scope",
    infer=fixed.any_object,
    doc="Allocates `size` bytes, in a compiled program.",
)
_declare(
    "vm.alloc_tensor",
    STORAGE,
    "dtype: dtype",
    since="spec",
    tvm="storage offset shape dtype runtime_device_ind",
    infer=allocated,
    doc="Makes a tensor in allocated memory, in a compiled program.",
)
_declare(
    "vm.kill_object",
    "obj: any",
    pure=False,
    infer=fixed.unit,
    doc="Frees an object, in a compiled program.",
)
_declare(
    "vm.call_tir_dyn",
    "func: callee, args: tuple",
    pure=False,
    since="spec",
    infer=fixed.unit,
    doc="Calls a PrimFunc on buffers and scalars, in a compiled program.",
)
