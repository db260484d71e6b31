"""Random calls of output, assertions and devices."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def _sharded(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {"device_mesh": "mesh[2]", "placement": "S[0]"}


def _one_axis(draw: Draw) -> Call:
    shape = draw.shape(1)
    return [draw.tensor(shape, draw.dtype()), draw.random.randrange(len(shape))], {}


def _wrap_param(draw: Draw) -> Call:
    return [draw.whole(draw.shape(), 0, 1, draw.dtype())], {"dtype": draw.dtype()}


CALLS: dict[str, Any] = {
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
    **dict.fromkeys(("inspect.tensor_shape_i", "inspect.tensor_stride_i"), _one_axis),
    "wrap_param": _wrap_param,
    "hint_on_device": _device,
    "to_vdevice": _device,
}
