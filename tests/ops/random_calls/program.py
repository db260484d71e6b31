"""Random calls of output, assertions, devices and memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.signature import DTypeName
from relax_lang.values import ShapeValue, Storage
from tests.ops.strategies import Call, Draw


def _print(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype()) for _ in range(draw.random.randint(0, 2))], {}


def _assert(draw: Draw) -> Call:
    return [np.asarray(True), *_print(draw)[0]], {}


def _null(_draw: Draw) -> Call:
    return [], {}


def _device(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {"dst_vdevice": "cpu"}


def _any_tensor(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {}


def _gathered(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(1), draw.dtype())], {"num_workers": 1}


def _scattered(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(1), draw.dtype())
    return [x], {"num_workers": 1, "axis": draw.axis(x.ndim)}


def _sharded(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {"device_mesh": "mesh[2]", "placement": "S[0]"}


def _one_axis(draw: Draw) -> Call:
    shape = draw.shape(1)
    return [draw.tensor(shape, draw.dtype()), draw.random.randrange(len(shape))], {}


def _wrap_param(draw: Draw) -> Call:
    return [draw.whole(draw.shape(), 0, 1, draw.dtype())], {"dtype": draw.dtype()}


def _storage(draw: Draw) -> Call:
    return [ShapeValue(draw.shape(1)), 0], draw.some(dtype=draw.dtype(), storage_scope="global")


def _in_storage(draw: Draw) -> Call:
    shape, dtype = draw.shape(), draw.dtype()
    itemsize = numpy_dtype(dtype).itemsize
    offset = itemsize * draw.random.randrange(3)
    octets = np.zeros(offset + math.prod(shape) * itemsize + draw.random.randrange(3), np.uint8)
    return [Storage(octets), offset, ShapeValue(shape)], {"dtype": dtype}


def _in_storage_at(draw: Draw) -> Call:
    (storage, offset, shape), attrs = _in_storage(draw)
    return [storage, ShapeValue((offset,)), shape], attrs


def _killed(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {}


def _heap(draw: Draw) -> Call:
    return [], {"size": draw.random.randrange(4)}


def _matched(draw: Draw) -> Call:
    shape = draw.shape()
    heap = np.array([*shape, *shape], np.int64)
    pairs = [
        draw.one_of(("store", at), ("slot", at), ("number", size), ("any", 0))
        for at, size in enumerate(shape)
    ]
    value = draw.one_of(ShapeValue(shape), draw.tensor(shape, draw.dtype()))
    return [value, heap], {"codes": [code for code, _ in pairs], "operands": [at for _, at in pairs]}


def _made(draw: Draw) -> Call:
    heap = np.array(draw.shape(2), np.int64)
    pairs = [
        draw.one_of(("slot", draw.random.randrange(2)), ("number", 3))
        for _ in range(draw.random.randrange(3))
    ]
    return [heap], {"codes": [code for code, _ in pairs], "operands": [at for _, at in pairs]}


def _slot(draw: Draw) -> Call:
    heap = np.array(draw.shape(2), np.int64)
    return [heap], {"slot": draw.random.randrange(2), **draw.some(dtype=DTypeName("float32"))}


def _tensor_info(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(), draw.dtype())
    return [x], draw.some(ndim=x.ndim, dtype=DTypeName(x.dtype.name))


def _shape_info(draw: Draw) -> Call:
    shape = draw.shape()
    return [ShapeValue(shape)], draw.some(ndim=len(shape))


def _tuple_info(draw: Draw) -> Call:
    fields = tuple(_print(draw)[0])
    return [fields], {"size": len(fields)}


CALLS: dict[str, Any] = {
    **dict.fromkeys(("memory.alloc_storage", "vm.alloc_storage"), _storage),
    **dict.fromkeys(("memory.alloc_tensor", "vm.alloc_tensor"), _in_storage),
    **dict.fromkeys(("memory.kill_storage", "memory.kill_tensor", "vm.kill_object"), _killed),
    "vm.alloc_tensor_at": _in_storage_at,
    "vm.alloc_shape_heap": _heap,
    **dict.fromkeys(("vm.make_prim_value", "vm.make_scalar"), _slot),
    "vm.match_shape": _matched,
    "vm.make_shape": _made,
    "vm.check_tensor_info": _tensor_info,
    "vm.check_shape_info": _shape_info,
    "vm.check_tuple_info": _tuple_info,
    "print": _print,
    "assert_op": _assert,
    "null_value": _null,
    **dict.fromkeys(
        (
            "grad.no_grad",
            "ccl.allreduce",
            "ccl.broadcast_from_worker0",
            "grad.start_checkpoint",
            "grad.end_checkpoint",
            "builtin.stop_lift_params",
            "memory.ensure_zero_offset",
            "inspect.tensor_dtype_code",
            "inspect.tensor_dtype_bits",
            "inspect.tensor_dtype_lanes",
            "inspect.tensor_ndim",
            "inspect.tensor_byte_offset",
            "inspect.tensor_elem_offset",
        ),
        _any_tensor,
    ),
    **dict.fromkeys(("dist.annotate_sharding", "dist.redistribute"), _sharded),
    "ccl.allgather": _gathered,
    **dict.fromkeys(("ccl.scatter_from_worker0", "dist.redistribute_replica_to_shard"), _scattered),
    **dict.fromkeys(("inspect.tensor_shape_i", "inspect.tensor_stride_i"), _one_axis),
    "wrap_param": _wrap_param,
    "hint_on_device": _device,
    "to_vdevice": _device,
}
