"""Random calls of the operators on images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_lang.values import ShapeValue
from tests.ops.strategies import Call, Draw


def _resize(canonical: str) -> Callable[[Draw], Call]:
    n = len(canonical) - 2

    def make(draw: Draw) -> Call:
        letters = list(canonical)
        draw.random.shuffle(letters)
        attrs = draw.some(
            layout="".join(letters),
            method=draw.one_of("linear", "nearest_neighbor", "cubic"),
            out_dtype=draw.one_of(None, draw.dtype("number")),
        )
        shape, size = draw.shape(n + 2, n + 2, draw.one_of(0, 1, 1)), draw.shape(n, n)
        if 0 in shape and draw.chance(0.7):  # what is nothing can only become nothing
            size = tuple([0] * n)
        return [draw.tensor(shape, draw.dtype("number")), ShapeValue(size)], attrs

    return make


def _affine_grid(draw: Draw) -> Call:
    n = draw.one_of(2, 3)
    data = draw.tensor((draw.extent(), n, n + 1), draw.dtype("float"))
    return [data, ShapeValue(draw.shape(n, n, 1))], draw.some(align_corners=draw.chance(0.5))


def _grid_sample(draw: Draw) -> Call:
    n = draw.one_of(2, 2, 3)
    shape = draw.shape(n + 2, n + 2, draw.one_of(0, 1, 1))
    attrs = draw.some(
        method=draw.one_of("bilinear", "nearest", *(["bicubic"] if n == 2 else [])),
        padding_mode=draw.one_of("zeros", "border", "reflection"),
        align_corners=draw.chance(0.5),
    )
    grid = draw.tensor((shape[0], n, *draw.shape(n, n)), draw.dtype("float"))
    return [draw.tensor(shape, draw.dtype("float")), grid], {**attrs, "layout": "NCHW" if n == 2 else "NCDHW"}


CALLS: dict[str, Any] = {
    "image.resize2d": _resize("NCHW"),
    "image.resize3d": _resize("NCDHW"),
    "image.affine_grid": _affine_grid,
    "image.grid_sample": _grid_sample,
}
