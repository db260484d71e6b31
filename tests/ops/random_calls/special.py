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


CALLS: dict[str, Any] = {
    "print": _print,
    "assert_op": _assert,
    "null_value": _null,
    "hint_on_device": _device,
    "to_vdevice": _device,
}
