"""Random calls of normalizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.ops.strategies import Call, Draw


def _over_axes(parameters: int) -> Callable[[Draw], Call]:
    def make(draw: Draw) -> Call:
        shape, dtype = draw.shape(1), draw.dtype("float")
        axes: Any = draw.axes(len(shape)) if draw.chance(0.6) else draw.axis(len(shape))
        extents = tuple([shape[axis] for axis in ([axes] if isinstance(axes, int) else axes)])
        args = [draw.tensor(each, dtype) for each in (shape, *[extents] * parameters)]
        return args, {"axes": axes}

    return make


def _batch_norm(draw: Draw) -> Call:
    shape, dtype = draw.shape(1), draw.dtype("float")
    axis = draw.axis(len(shape))
    args = [draw.tensor(each, dtype) for each in (shape, *[(shape[axis],)] * 4)]
    return args, {"axis": axis, **draw.some(training=draw.chance(0.5), center=False)}


def _group_norm(draw: Draw) -> Call:
    args, attrs = _instance_norm(draw)
    channels = args[1].shape[0]
    groups = draw.one_of(*[count for count in (1, 2, 3, 4) if channels % count == 0])
    return args, {**attrs, "num_groups": groups}


def _instance_norm(draw: Draw) -> Call:
    shape, dtype = draw.shape(1), draw.dtype("float")
    channel = draw.axis(len(shape))
    axes = [axis for axis in draw.axes(len(shape)) if axis % len(shape) != channel % len(shape)]
    args = [draw.tensor(each, dtype) for each in (shape, *[(shape[channel],)] * 2)]
    return args, {"channel_axis": channel, "axes": axes}


CALLS: dict[str, Any] = {
    "nn.layer_norm": _over_axes(2),
    "nn.rms_norm": _over_axes(1),
    "nn.batch_norm": _batch_norm,
    "nn.group_norm": _group_norm,
    "nn.instance_norm": _instance_norm,
}
