"""Random calls of the operators that read parts of a tensor by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.strategies import Call, Draw

INTEGERS = ("int32", "int64", "int64", "uint8", "int8")


def _take(draw: Draw) -> Call:
    mode = draw.one_of("fast", "wrap", "clip", "nan")
    shape = draw.shape(1, 3, 1)
    x = draw.tensor(shape, draw.dtype("float" if mode == "nan" else ""))
    axis = None if x.ndim == 1 and draw.chance(0.3) else draw.axis(x.ndim)
    extent = shape[axis or 0]
    low, high = (0, extent - 1) if mode == "fast" else (0, 9)
    indices = draw.whole(draw.shape(0, 2), low, high, draw.one_of(*INTEGERS))
    return [x, indices], {"axis": axis, **({} if mode == "fast" else {"mode": mode})}


def _strided_slice(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(1), draw.dtype())
    axes = draw.axes(x.ndim, 0, 3)
    begin, end, strides = [], [], []
    inbound = draw.chance(0.4)
    for axis in axes:
        extent, step = x.shape[axis], draw.one_of(1, 1, 2, 3, -1, -2)
        low = draw.random.randint(0, extent) if inbound else draw.random.randint(-7, 7)
        high = draw.random.randint(-(step < 0), extent) if inbound else draw.random.randint(-7, 7)
        if draw.chance(0.3):
            low, high = (0, extent) if step > 0 else (max(0, extent - 1), -1 if inbound else -extent - 1)
        begin, end, strides = [*begin, low], [*end, high], [*strides, step]
    args: list[Any] = [x, tuple(axes), tuple(begin), tuple(end), tuple(strides)]
    if draw.chance(0.2) and strides == [1] * len(axes):
        args.pop()
    return args, {"assume_inbound": True} if inbound else {}


def _dynamic_strided_slice(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(), draw.dtype())
    bounds = [draw.whole((x.ndim,), -7, 7) for _ in range(2)]
    return [x, *bounds, draw.whole((x.ndim,), 1, 3)], {}


def _gather_elements(draw: Draw) -> Call:
    shape = draw.shape(1, 4, 1)
    axis = draw.axis(len(shape))
    places = [draw.random.randint(0, extent) for extent in shape]
    places[axis] = draw.extent()
    indices = draw.whole(tuple(places), -shape[axis], shape[axis] - 1)
    return [draw.tensor(shape, draw.dtype()), indices], {"axis": axis}


def _gather_nd(draw: Draw) -> Call:
    shape = draw.shape(0, 4, 1)
    batch = draw.random.randint(0, min(2, len(shape)))
    depth = draw.random.randint(0, len(shape) - batch)
    places = (*shape[:batch], *draw.shape(0, 2), depth)
    least = min(shape, default=1)
    indices = draw.whole(places, -least, least - 1)
    return [draw.tensor(shape, draw.dtype()), indices], {"batch_dims": batch} if batch else {}


def indices_of(draw: Draw, shape: tuple[int, ...], count: int) -> tuple[Any, ...]:
    """Return `count` tensors of indices of compatible shapes, for the leading axes of a shape."""
    places = draw.shape(0, 3)
    found = [places[draw.random.randint(0, len(places)) :] for _ in range(count)]
    ones = [tuple([1 if draw.chance(0.2) else extent for extent in each]) for each in found]
    return tuple(
        [
            draw.whole(each, -shape[at], shape[at] - 1, draw.one_of("int32", "int64"))
            for at, each in enumerate(ones)
        ]
    )


def _index_tensor(draw: Draw) -> Call:
    shape = draw.shape(1, 4, 1)
    indices = indices_of(draw, shape, draw.random.randint(1, len(shape)))
    return [draw.tensor(shape, draw.dtype()), indices], {}


def _one_hot(draw: Draw) -> Call:
    indices = draw.whole(draw.shape(0, 3), -1, 5, draw.one_of("int32", "int64"))
    values = draw.one_of((1, 0), (1.0, 0.0), (2.5, -1.5), (True, False))
    return [indices, *values], {
        "depth": draw.random.randint(1, 5),
        **draw.some(axis=draw.axis(np.ndim(indices) + 1)),
    }


CALLS = {
    "dynamic_strided_slice": _dynamic_strided_slice,
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
    "index_tensor": _index_tensor,
    "one_hot": _one_hot,
    "strided_slice": _strided_slice,
    "take": _take,
}
