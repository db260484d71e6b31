"""Explicit memory: what a compiler inserts when it decides where tensors are.

A storage is a number of bytes, a value of its own. Tensors that are made in it share its memory, and keep it: to end
the life of a storage or a tensor is a statement about its uses, which the checker holds the program to.
"""

from __future__ import annotations

import math

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.errors import OpError, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.shared import fixed
from relax_lang.syntax.dtypes import bytes_of
from relax_lang.values import Storage, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Explicit memory", since="later")

ALLOCATING = ("memory.alloc_storage", "vm.alloc_storage")
"""Operators that make a storage; the first argument has its size."""
PLACING = ("memory.alloc_tensor", "vm.alloc_tensor", "vm.alloc_tensor_at")
"""Operators that make a tensor in a storage, at an offset, of a shape."""
KILLING = ("memory.kill_storage", "memory.kill_tensor", "vm.kill_object")
"""Operators that end the life of their argument."""

_IN_STORAGE = "storage: any, offset: prim(int), shape: shape, runtime_device_index: prim(int)?"
_EXAMPLE = "(memory.alloc_storage(shape(16), 0, dtype=uint8), 0, shape(2, 2), dtype=float32)"


def _placed(call: Inference) -> tree.StructInfo:
    """Infer a tensor of the shape that is argument 2 and of the dtype of the attribute `dtype`."""
    from relax_lang.syntax import tree

    if not isinstance(call.infos[0], tree.ObjectStructInfo | None):
        call.bad_argument(0, "a storage")
    return call.like(call.tensor(2), call.attrs["dtype"])


def _storage(size: tuple[int, ...], _index: int, **_attrs: object) -> Storage:
    return Storage(np.zeros(math.prod(size), np.uint8))


def _tensor(
    storage: Any, offset: int, shape: tuple[int, ...], runtime_device_index: int | None, dtype: str
) -> Any:
    if not isinstance(storage, Storage):
        raise bad_value(f"`storage` must be a storage, not {kind_of(storage)}")
    wanted = numpy_dtype(dtype)
    size = math.prod(shape) * wanted.itemsize
    end = offset + size
    if not 0 <= offset <= end <= storage.size:
        raise OpError("storage-exceeded", beyond(offset, size, storage.size))
    if offset % wanted.itemsize:
        raise bad_value(misaligned(offset, dtype))
    return storage.octets[offset:end].view(wanted).reshape(shape)


def beyond(offset: int, size: int, available: int) -> str:
    """Say that a tensor is not within its storage."""
    if offset < 0:
        return f"offset {offset} is before the start of the storage"
    return f"the tensor needs bytes {offset} to {offset + size}, the storage has {available}"


def misaligned(offset: int, dtype: str) -> str:
    """Say that a tensor would begin between two of its elements."""
    return f"offset {offset} is not a multiple of {bytes_of(dtype)}, the size of an element of {dtype}"


def _killed(_value: object) -> tuple[()]:
    return ()


def _declare_both(
    suffix: str, params: tuple[str, str], attrs: str, kernel: Callable[..., Any], **more: Any
) -> None:
    """Declare an operator under its names before and after memory is that of the machine."""
    doc, example, tvm = more.pop("doc"), more.pop("example", ""), more.pop("tvm", "")
    for prefix, given in zip(("memory", "vm"), params, strict=True):
        family.declare(
            f"{prefix}.{suffix}",
            given,
            attrs,
            kernel=kernel,
            since="spec",
            doc=doc if prefix == "memory" else f"{doc} The name of it in a program for the virtual machine.",
            example=f"{prefix}.{suffix}{example}",
            tvm=tvm
            if prefix == "memory"
            else tvm.replace(
                "size virtual_device_index storage_scope dtype",
                "shape runtime_device_index dtype storage_scope",
            ),
            **more,
        )


_declare_both(
    "alloc_storage",
    ("total_space: shape, virtual_device_index: prim(int)", "size: shape, runtime_device_index: prim(int)"),
    'storage_scope: str = "global", dtype: dtype = uint8',
    _storage,
    infer=fixed.any_object,
    tvm="size virtual_device_index storage_scope dtype",
    example="(shape(16), 0)",
    doc="""Allocate a storage: the bytes of a shape (the product of its dimensions), for tensors of any dtype. There is
     one device and one kind of memory, so that the device, `storage_scope` and `dtype` are ignored.""",
)
_declare_both(
    "alloc_tensor",
    (_IN_STORAGE, _IN_STORAGE),
    "dtype: dtype",
    _tensor,
    infer=_placed,
    aliases=("storage",),
    tvm="storage offset shape dtype runtime_device_ind",
    example=_EXAMPLE,
    doc="""Make a tensor in a storage: its memory is that of the storage from byte `offset` on, with whatever is there.
     It must be within the storage, and `offset` a multiple of the size of an element.""",
)


@family.operator(
    "vm.alloc_tensor_at",
    "storage: any, offset: shape, shape: shape",
    "dtype: dtype",
    infer=_placed,
    aliases=("storage",),
    since="later",
    example="vm.alloc_tensor_at(memory.alloc_storage(shape(16), 0), shape(4), shape(2), dtype=float32)",
)
def alloc_tensor_at(storage: Any, offset: tuple[int, ...], shape: tuple[int, ...], dtype: str) -> Any:
    """Make a tensor in a storage as `vm.alloc_tensor` does, from the byte that is the one dimension of `offset`.

    A size out of a shape heap is a dimension of a shape, so that an offset that is computed is one too.
    """
    if len(offset) != 1:
        raise bad_value(f"`offset` must have 1 dimension, not {len(offset)}")
    return _tensor(storage, offset[0], shape, None, dtype)


for _name, _param, _doc in (
    (
        "memory.kill_storage",
        "storage: any",
        "End the life of a storage: no tensor is made in it from here on.",
    ),
    ("memory.kill_tensor", "tensor: tensor", "End the life of a tensor: it is not used from here on."),
    ("vm.kill_object", "obj: any", "End the life of a value: it is not used from here on."),
):
    family.declare(
        _name,
        _param,
        kernel=_killed,
        pure=False,
        since="spec" if _name != "vm.kill_object" else "later",
        infer=fixed.unit,
        example=f"{_name}(const([1, 2]))",
        doc=f"{_doc} Returns the unit.",
    )
