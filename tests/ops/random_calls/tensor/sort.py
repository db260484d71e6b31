"""Random calls of the operators that sort."""

from __future__ import annotations

from typing import Any

from tests.ops.strategies import Call, Draw


def _sort(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(1), draw.dtype())
    return [x], draw.some(axis=draw.axis(x.ndim), descending=draw.chance(0.5))


def _argsort(draw: Draw) -> Call:
    args, attrs = _sort(draw)
    return args, {**attrs, **draw.some(dtype=draw.dtype("integer"))}


def _topk(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(1), draw.dtype())
    attrs = draw.some(
        k=draw.one_of(-1, 0, 1, 2, 3, 9),
        axis=draw.axis(x.ndim),
        ret_type=draw.one_of("both", "values", "indices"),
        largest=draw.chance(0.5),
        dtype=draw.dtype("integer"),
    )
    return [x], attrs


CALLS: dict[str, Any] = {"sort": _sort, "argsort": _argsort, "topk": _topk}
