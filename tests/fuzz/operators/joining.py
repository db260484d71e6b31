"""Operators that join and split."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tests.fuzz.operators.drawing import (
    Arg,
    Call,
    Draw,
    Drawer,
    T,
    axis_of,
    call,
    fits,
    need,
    replaced,
    same_dtype,
    without,
)


def _concat(source: Draw) -> Call:
    dims = list(source.dims(0 if source.slip() else 1, 3))
    rank = len(dims)
    axis: int | None = source.axis(rank) if source.chance(0.7) else 0
    if (rank == 1 and source.chance(0.3)) or source.slip(0.1):
        axis = None
    args: list[Arg] = []
    dtype = source.dtype()
    for _ in range(source.int(1, 3)):
        mine = list(dims)
        if axis is not None and -rank <= axis < rank:
            mine[axis] = source.dim()
        elif mine and axis is None:
            mine[0] = source.dim()
        if mine and (source.slip(0.3) or (source.symbolic and source.chance(0.1))):
            mine[source.int(0, rank - 1)] = source.dim()
        args.append(source.tensor(mine, source.dtype() if source.slip(0.1) else dtype))

    def rule(given: tuple[T, ...]) -> T:
        same_dtype(*given)
        need(len({one.rank for one in given}) == 1)
        need(axis is not None or given[0].rank == 1)
        at = axis_of(axis or 0, given[0].rank)
        for one in given:
            fits(without(one.shape, [at]) == without(given[0].shape, [at]))
        return T(replaced(given[0].shape, at, sum(one.shape[at] for one in given)), given[0].dtype)

    return call(
        "concat",
        [source.tuple(args)],
        {} if axis == 0 and source.chance(0.5) else {"axis": axis},
        rule,
        values=lambda *arrays: np.concatenate(arrays, axis or 0),
    )


def _stack(source: Draw) -> Call:
    dims = source.dims(0, 3)
    axis = source.axis(len(dims) + 1)
    dtype = source.dtype()
    args = [
        source.tensor(
            source.dims() if source.slip(0.2) else dims, source.dtype() if source.slip(0.1) else dtype
        )
        for _ in range(source.int(1, 3))
    ]

    def rule(given: tuple[T, ...]) -> T:
        same_dtype(*given)
        need(len({one.rank for one in given}) == 1)
        at = axis_of(axis, given[0].rank + 1)
        fits(len({one.shape for one in given}) == 1)
        shape = given[0].shape
        return T((*shape[:at], len(given), *shape[at:]), given[0].dtype)

    return call(
        "stack", [source.tuple(args)], {"axis": axis}, rule, values=lambda *arrays: np.stack(arrays, axis)
    )


def _meshgrid(source: Draw) -> Call:
    dtype = source.dtype()
    args = [
        source.tensor(
            source.dims() if source.slip(0.1) else source.dims(1, 1),
            source.dtype() if source.slip(0.1) else dtype,
        )
        for _ in range(source.int(1, 3))
    ]
    attrs = source.some(indexing=source.one("ij", "xy", None))
    order = attrs.get("indexing") or "ij"

    def rule(given: tuple[T, ...]) -> tuple[T, ...]:
        need(all(one.rank == 1 for one in given))
        same_dtype(*given)
        shape = [one.shape[0] for one in given]
        if order == "xy" and len(shape) > 1:
            shape[:2] = shape[1::-1]
        return tuple([T(tuple(shape), one.dtype) for one in given])

    return call(
        "meshgrid",
        [source.tuple(args)],
        attrs,
        rule,
        values=lambda *arrays: tuple(np.meshgrid(*arrays, indexing=order)),
    )


def _split(source: Draw) -> Call:
    x = source.tensor(source.dims(0 if source.slip() else 1, 3))
    axis = source.axis(x.rank)
    if source.chance(0.5):
        cuts: Any = source.one(1, 2, 3, 4, 0 if source.slip() else 1)
    else:
        cuts = sorted(source.int(0, 5) for _ in range(source.int(0, 3)))
        if source.slip() and len(cuts) > 1:
            cuts[0], cuts[-1] = cuts[-1], cuts[0]

    def rule(a: T) -> tuple[T, ...]:
        at = axis_of(axis, a.rank)
        extent = a.shape[at]
        if isinstance(cuts, int):
            need(cuts > 0)
            step = -(-extent // cuts)
            places = [min(extent, step * one) for one in range(1, cuts)]
        else:
            need(cuts == sorted(cuts))
            places = [min(extent, one) for one in cuts]
        bounds = [0, *places, extent]
        return tuple(
            [T(replaced(a.shape, at, high - low), a.dtype) for low, high in itertools.pairwise(bounds)]
        )

    return call("split", [x], {"indices_or_sections": cuts, "axis": axis}, rule)


DRAWERS: dict[str, Drawer] = {
    "concat": _concat,
    "stack": _stack,
    "meshgrid": _meshgrid,
    "split": _split,
}
