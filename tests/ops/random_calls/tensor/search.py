"""Random calls of the operators that search."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.strategies import Call, Draw


def _place(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(extent=draw.one_of(0, 1, 1)), draw.dtype())
    return [x], draw.some(axis=draw.axis(x.ndim) if x.ndim else None, keepdims=draw.chance(0.5))


def _bucketize(draw: Draw) -> Call:
    bounds = np.sort(draw.tensor((draw.extent(),), draw.one_of("float32", "int32")))
    attrs = draw.some(out_int32=draw.chance(0.5), right=draw.chance(0.5))
    return [draw.tensor(draw.shape(), draw.dtype("number")), bounds], attrs


def _unique(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(), draw.dtype())
    flags = [draw.one_of(None, False, True) for _ in range(4)]
    axis = draw.axis(x.ndim) if x.ndim and draw.chance(0.5) else None
    return [x, *flags, axis], {}


def _nonzero(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {}


def _multinomial(draw: Draw) -> Call:
    rows, categories, n = draw.extent(1), draw.extent(1), draw.extent()
    dtype = draw.one_of("int32", "int64", "uint8")
    return [
        abs(draw.tensor((rows, categories), draw.dtype("float"))),
        abs(draw.tensor((n, 1), draw.dtype("float"))),
        draw.whole((n, 1), 0, rows - 1, dtype),
    ], draw.some(dtype=draw.dtype("integer"))


CALLS: dict[str, Any] = {
    "argmax": _place,
    "argmin": _place,
    "bucketize": _bucketize,
    "unique": _unique,
    "nonzero": _nonzero,
    "multinomial_from_uniform": _multinomial,
}
