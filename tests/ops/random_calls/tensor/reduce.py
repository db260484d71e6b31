"""Random calls of reductions and running totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.ops.strategies import Call, Draw


def _axis(draw: Draw, rank: int) -> Any:
    if not rank or draw.chance(0.2):
        return None
    return draw.axis(rank) if draw.chance(0.5) else draw.axes(rank)


def _reduce(dtypes: str, extent: int = 0) -> Callable[[Draw], Call]:
    def make(draw: Draw) -> Call:
        x = draw.tensor(draw.shape(extent=extent if draw.chance(0.8) else 0), draw.dtype(dtypes))
        return [x], draw.some(axis=_axis(draw, x.ndim), keepdims=draw.chance(0.5))

    return make


def _median(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(extent=draw.one_of(0, 1, 1)), draw.dtype("number"))
    attrs = draw.some(axis=draw.axis(x.ndim) if x.ndim else None, keepdims=draw.chance(0.5))
    if draw.chance(0.3) and attrs.get("axis") is not None:
        attrs["axis"] = [attrs["axis"]]
    return [x], attrs


def _scan(draw: Draw) -> Call:
    dtype = draw.dtype()
    x = draw.tensor(draw.shape(), dtype)
    attrs = draw.some(axis=draw.axis(x.ndim) if x.ndim else None, exclusive=draw.chance(0.5))
    if dtype == "bool" or draw.chance(0.3):
        attrs["dtype"] = draw.dtype("number")
    return [x], attrs


CALLS: dict[str, Any] = {
    "sum": _reduce(""),
    "prod": _reduce(""),
    "max": _reduce("", 1),
    "min": _reduce("", 1),
    "mean": _reduce("number", 1),
    "variance": _reduce("number", 1),
    "std": _reduce("number", 1),
    "median": _median,
    "cumsum": _scan,
    "cumprod": _scan,
}
