"""Sorting, searching and sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.operators.drawing import (
    KINDS,
    Arg,
    Call,
    Draw,
    Drawer,
    T,
    Word,
    axis_of,
    call,
    data,
    fits,
    is_kind,
    need,
    number,
    product,
    replaced,
    without,
)


def _sorted(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        attrs = source.some(axis=source.axis(x.rank), descending=source.one(True, False))
        if word == "argsort":
            attrs |= source.some(dtype=Word(source.dtype("integer")))

        def rule(a: T) -> T:
            axis_of(attrs.get("axis", -1), a.rank)
            if word == "sort":
                return a
            to = str(attrs.get("dtype", "int32"))
            need(to in KINDS["integer"])
            return T(a.shape, to)

        is_plain = word == "sort" and not attrs.get("descending")
        return call(
            word, [x], attrs, rule, values=(lambda a: np.sort(a, attrs.get("axis", -1))) if is_plain else None
        )

    return draw


def _topk(source: Draw) -> Call:
    x = source.tensor()
    attrs = source.some(
        k=source.int(-1, 4),
        axis=source.axis(x.rank),
        ret_type=source.one("both", "values", "indices"),
        largest=source.one(True, False),
        dtype=Word(source.dtype("integer")),
    )

    def rule(a: T) -> Any:
        at = axis_of(attrs.get("axis", -1), a.rank)
        to = str(attrs.get("dtype", "int32"))
        need(to in KINDS["integer"])
        k, extent = attrs.get("k", 1), a.shape[at]
        shape = replaced(a.shape, at, extent if k < 1 else min(k, extent))
        values, places = T(shape, a.dtype), T(shape, to)
        kind = attrs.get("ret_type", "both")
        return (values, places) if kind == "both" else values if kind == "values" else places

    return call("topk", [x], attrs, rule)


def _argument(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        attrs = source.some(axis=source.one(source.axis(x.rank), None), keepdims=source.one(True, False))
        axis, keep = attrs.get("axis"), attrs.get("keepdims", False)

        def rule(a: T) -> T:
            places = list(range(a.rank)) if axis is None else [axis_of(axis, a.rank)]
            shape = without(a.shape, places, keepdims=keep)
            data(product([a.shape[at] for at in places]) > 0 or not product(shape))
            return T(shape, "int64")

        def values(a: np.ndarray) -> np.ndarray:
            compute = np.argmax if word == "argmax" else np.argmin
            return np.asarray(compute(a, axis, keepdims=keep)) if a.size else np.sum(a, axis, keepdims=keep)

        return call(word, [x], attrs, rule, values=values, may_fail=False)

    return draw


def _bucketize(source: Draw) -> Call:
    x = source.tensor(kind="number")
    bounds = source.tensor(
        source.dims() if source.slip() else source.dims(1, 1),
        source.dtype("number") if source.chance(0.3) else source.params[0].dtype,
        "rising",
    )
    attrs = source.some(out_int32=source.one(True, False), right=source.one(True, False))

    def rule(a: T, b: T) -> T:
        is_kind(a, "number")
        is_kind(b, "number")
        need(b.rank == 1)
        return T(a.shape, "int32" if attrs.get("out_int32") else "int64")

    return call("bucketize", [x, bounds], attrs, rule, may_fail=True)


def _multinomial(source: Draw) -> Call:
    n = source.dim()
    prob = source.tensor(
        [source.dim(positive=True), source.dim(positive=True)], source.dtype("float"), "ones"
    )
    one = number(1) if not source.slip(0.2) else source.dim()
    uniform = source.tensor(
        [n, one], source.dtype("float") if source.slip() else source.params[0].dtype, "zeros"
    )
    rows = source.tensor(
        [n if not source.slip(0.2) else source.dim(), number(1)], source.dtype("integer"), "zeros"
    )
    attrs = source.some(dtype=Word(source.dtype("integer")))
    to = str(attrs.get("dtype", "int64"))

    def rule(a: T, b: T, c: T) -> T:
        for given in (a, b):
            is_kind(given, "float")
            need(given.rank == 2)
        need(c.rank == 2 and to in KINDS["integer"])
        is_kind(c, "integer")
        fits(b.shape[1] == c.shape[1] == 1)
        fits(b.shape[0] == c.shape[0])
        data(product(a.shape) > 0 or not b.shape[0])
        return T(b.shape, to)

    return call("multinomial_from_uniform", [prob, uniform, rows], attrs, rule, may_fail=True)


def _nonzero(source: Draw) -> Call:
    x = source.tensor(fill="ones")
    return call(
        "nonzero",
        [x],
        {},
        lambda a: T((max(a.rank, 1), product(a.shape)), "int64"),
        is_loose=True,
    )


def _unique(source: Draw) -> Call:
    x = source.tensor(fill="ones")
    flags = [source.one(None, "true", "false") for _ in range(4)]
    axis = source.axis(x.rank) if source.chance(0.3) and x.rank else None
    args: list[Arg | None] = [None if one is None else Arg(one, lambda _: 0) for one in flags]
    if axis is not None:
        args.append(Arg(str(axis), lambda _: axis))

    def rule(a: T, *_: Any) -> Any:
        at = None if axis is None else axis_of(axis, a.rank)
        if at is None:
            count = min(1, product(a.shape))
            first, place = T((count,), a.dtype), product(a.shape)
        else:
            if product(a.shape) == 0:
                return None
            count = 1
            first, place = T(replaced(a.shape, at, 1), a.dtype), a.shape[at]
        more = [
            T((size,), "int64")
            for size, flag in zip((count, place, count), flags[1:], strict=True)
            if flag == "true"
        ]
        return (first, *more) if more else first

    return call("unique", [x, *args], {}, rule, is_loose=True)


DRAWERS: dict[str, Drawer] = {
    "sort": _sorted("sort"),
    "argsort": _sorted("argsort"),
    "topk": _topk,
    "argmax": _argument("argmax"),
    "argmin": _argument("argmin"),
    "bucketize": _bucketize,
    "multinomial_from_uniform": _multinomial,
    "nonzero": _nonzero,
    "unique": _unique,
}
