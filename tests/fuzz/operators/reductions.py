"""Reductions, running totals, linear algebra, quantization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.operators.drawing import (
    KINDS,
    Call,
    Draw,
    Drawer,
    T,
    Word,
    axes_of,
    axis_of,
    broadcast,
    call,
    data,
    fits,
    is_kind,
    need,
    number,
    product,
    same_dtype,
    without,
)

AVERAGES = ("mean", "std", "variance")
"""Of no float they are nan, of no integer there is none."""


def _reduction(word: str, kind: str, compute: Callable[..., Any] | None, *, of_none: bool) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor(kind=kind)
        axis = source.one(source.axis(x.rank), source.axes(x.rank), None)
        attrs = source.some(axis=axis, keepdims=source.one(True, False))
        axis, keep = attrs.get("axis"), attrs.get("keepdims", False)

        def rule(a: T) -> T:
            is_kind(a, kind)
            places = axes_of(axis, a.rank)
            shape = without(a.shape, places, keepdims=keep)
            if not (of_none or (word in AVERAGES and a.dtype in KINDS["float"])):
                counted = product([a.shape[at] for at in places])
                data(counted > 0 or not product(shape), "the largest or the average of nothing")
            return T(shape, a.dtype)

        def values(a: np.ndarray) -> Any:
            assert compute is not None
            wide = a.astype(np.float64) if a.dtype.kind == "f" else a
            places = tuple(axis) if isinstance(axis, list) else axis
            if not a.size and not of_none:
                return np.sum(wide, axis=places, keepdims=keep)
            return compute(wide, axis=places, keepdims=keep)

        return call(word, [x], attrs, rule, values=values if compute else None)

    return draw


def _of_dtype(compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, **attrs: compute(a, dtype=a.dtype, **attrs)


def _median(source: Draw) -> Call:
    x = source.tensor(kind="number")
    axis = source.one(source.axis(x.rank), [source.axis(x.rank)], None)
    if source.slip() and x.rank > 1:
        axis = [0, 1]
    attrs = source.some(axis=axis, keepdims=source.one(True, False))
    axis, keep = attrs.get("axis"), attrs.get("keepdims", False)

    def rule(a: T) -> Any:
        is_kind(a, "number")
        if axis is None:
            data(product(a.shape) > 0)
            return T((1,) * a.rank if keep else (), a.dtype)
        places = axes_of(axis, a.rank)
        need(len(places) == 1)
        shape = without(a.shape, places, keepdims=keep)
        data(a.shape[places[0]] > 0 or not product(shape))
        return T(shape, a.dtype), T(shape, "int64")

    return call("median", [x], attrs, rule)


def _scan(word: str, compute: Callable[..., Any]) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        attrs = source.some(axis=source.one(source.axis(x.rank), None), exclusive=source.one(True, False))
        attrs |= source.some(dtype=source.one(Word(source.dtype("number")), None))
        axis, to = attrs.get("axis"), attrs.get("dtype")

        def rule(a: T) -> T:
            need((to or a.dtype) != "bool")
            if axis is None:
                return T((product(a.shape),), to or a.dtype)
            axis_of(axis, a.rank)
            return T(a.shape, to or a.dtype)

        plain = to is None and not attrs.get("exclusive")
        return call(
            word, [x], attrs, rule, values=(lambda a: compute(a, axis, dtype=a.dtype)) if plain else None
        )

    return draw


# linear algebra


def _matmul(source: Draw) -> Call:
    n, k, m = source.dim(), source.dim(), source.dim()
    left: list[Any] = [k] if source.chance(0.2) else [n, k]
    right: list[Any] = [k] if source.chance(0.2) else [k, m]
    if source.slip(0.3) or (source.symbolic and source.chance(0.2)):
        right[0] = source.other(k)
    batch = source.dims(0, 2)
    if len(left) > 1 and source.chance(0.6):
        left = [*batch, *left]
    if len(right) > 1 and source.chance(0.6):
        right = [*source.broadcastable(batch), *right]
    if source.slip(0.1):
        left = []
    x = source.tensor(left, kind="number")
    y = source.tensor(right, source.dtype() if source.slip(0.1) else source.params[0].dtype)
    attrs = (
        source.some(out_dtype=source.one(Word(source.dtype("number")), None)) if source.chance(0.4) else {}
    )
    to = attrs.get("out_dtype")

    def rule(a: T, b: T) -> T:
        is_kind(a, "number")
        is_kind(b, "number")
        if to is None:
            same_dtype(a, b)
        else:
            need(to in KINDS["number"])
        return T(_product_shape(a.shape, b.shape), to or a.dtype)

    return call(
        "matmul",
        [x, y],
        attrs,
        rule,
        values=(lambda a, b: np.matmul(a.astype(np.float64), b.astype(np.float64)))
        if source.params[0].dtype[0] == "f" and to is None
        else None,
    )


def _product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    need(bool(a) and bool(b), "rank 0")
    fits(a[-1] == b[-2 if len(b) > 1 else 0])
    lead = broadcast(a[:-2], b[:-2])
    return (*lead, *(a[-2:-1] if len(a) > 1 else ()), *(b[-1:] if len(b) > 1 else ()))


def _linear(source: Draw) -> Call:
    k, out = source.dim(), source.dim()
    x = source.tensor([*source.dims(0, 2), k], kind="number")
    weight = [source.other(k) if source.slip(0.2) else k]
    if source.chance(0.8):
        weight = [out, *weight]
    dtype = source.params[0].dtype
    w = source.tensor(weight, source.dtype() if source.slip(0.1) else dtype)
    bias = None
    if source.chance(0.5):
        bias = source.tensor(source.dims(0, 2) if source.slip(0.2) else [out] * (len(weight) - 1), dtype)

    def rule(a: T, b: T, c: T | None) -> T:
        is_kind(a, "number")
        same_dtype(a, b, *([] if c is None else [c]))
        shape = _product_shape(a.shape, b.shape[::-1])
        if c is not None:
            shape = broadcast(shape, c.shape)
        return T(shape, a.dtype)

    return call("linear", [x, w, bias], {}, rule)


def _outer(source: Draw) -> Call:
    x = source.tensor(source.dims() if source.slip(0.1) else source.dims(1, 1), kind="number")
    y = source.tensor(source.dims(1, 1), source.dtype() if source.slip(0.1) else source.params[0].dtype)

    def rule(a: T, b: T) -> T:
        is_kind(a, "number")
        same_dtype(a, b)
        need(a.rank == b.rank == 1)
        return T((a.shape[0], b.shape[0]), a.dtype)

    return call("outer", [x, y], {}, rule, values=np.outer)


SUBSCRIPTS = (
    "ij,jk->ik",
    "ij,jk",
    "ij->ji",
    "ii->i",
    "ii",
    "i,j->ij",
    "ij,ij->",
    "bij,bjk->bik",
    "ba",
    "ijk->",
    "i,i,i->i",
)


def _einsum(source: Draw) -> Call:
    text = source.one(*SUBSCRIPTS)
    left, _, right = text.partition("->")
    letters = {one: source.dim() for one in set(left) - {","}}
    dtype = source.dtype("number")
    args = []
    for word in left.split(","):
        dims = [letters[one] for one in word]
        if dims and (source.slip(0.2) or source.chance(0.1)):
            dims[source.int(0, len(dims) - 1)] = source.one(number(1), source.dim())
        args.append(source.tensor(dims, source.dtype() if source.slip(0.1) else dtype))
    if "->" not in text:
        right = "".join(sorted(one for one in letters if left.count(one) == 1))

    def rule(given: tuple[T, ...]) -> T:
        same_dtype(*given)
        is_kind(given[0], "number")
        extents: dict[str, int] = {}
        for word, one in zip(left.split(","), given, strict=True):
            need(len(word) == one.rank)
            mine: dict[str, int] = {}
            for letter, extent in zip(word, one.shape, strict=True):
                fits(mine.setdefault(letter, extent) == extent)
            for letter, extent in mine.items():
                known = extents.get(letter, 1)
                fits(1 in (known, extent) or known == extent)
                extents[letter] = extent if known == 1 else known
        return T(tuple([extents[one] for one in right]), given[0].dtype)

    def values(*arrays: np.ndarray) -> Any:
        return np.einsum(text, *[one.astype(np.float64) for one in arrays])

    return call(
        "einsum",
        [source.tuple(args)],
        {"subscripts": text},
        rule,
        values=values if dtype[0] == "f" else None,
    )


# quantization


def _quantized(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        dims = source.dims(0, 3)
        if word == "quantize":
            x = source.tensor(dims, source.dtype("float"))
        else:
            x = source.tensor(dims, source.dtype("number"))
        axis = source.axis(len(dims))
        per_place = source.chance(0.5) and bool(dims)
        at = axis if -len(dims) <= axis < len(dims) else 0
        places: Any = [dims[at]] if per_place else []
        if source.slip(0.2):
            places = source.dims(1, 2)
        scale = source.tensor(places, source.dtype("float") if source.slip() else "float32", "ones")
        zero = source.tensor([] if source.chance(0.3) else places, source.one("int32", "int8"), "ones")
        made = ("int8", "uint8", "int16") if word == "quantize" else ("float32", "float16")
        attrs = source.some(out_dtype=Word(source.dtype() if source.slip() else source.one(*made)))
        attrs["axis"] = axis
        to = str(attrs.get("out_dtype", made[0]))
        bits16 = ("int8", "uint8", "int16", "uint16")

        def rule(a: T, b: T, c: T) -> T:
            if word == "quantize":
                need(a.dtype in ("float32", "float16") and b.dtype in ("float32", "float16") and to in bits16)
            else:
                need(
                    a.dtype not in ("float64", "int64", "uint64", "uint32", "bool")
                    and to in ("float32", "float16")
                )
                need(b.dtype in ("float32", "float16"))
            place = axis_of(axis, max(a.rank, 1))
            for one in (b, c):
                if one.shape in ((), (1,)):
                    continue
                if one.rank != 1:
                    fits(product(one.shape) == 1)
                    continue
                fits(one.shape[0] == (a.shape or (1,))[place])
            return T(a.shape, to)

        return call(word, [x, scale, zero], attrs, rule)

    return draw


DRAWERS: dict[str, Drawer] = {
    "sum": _reduction("sum", "any", _of_dtype(np.sum), of_none=True),
    "prod": _reduction("prod", "any", _of_dtype(np.prod), of_none=True),
    "max": _reduction("max", "any", np.max, of_none=False),
    "min": _reduction("min", "any", np.min, of_none=False),
    **{word: _reduction(word, "number", None, of_none=False) for word in AVERAGES},
    "median": _median,
    "cumsum": _scan("cumsum", np.cumsum),
    "cumprod": _scan("cumprod", np.cumprod),
    "matmul": _matmul,
    "linear": _linear,
    "outer": _outer,
    "einsum": _einsum,
    "quantize": _quantized("quantize"),
    "dequantize": _quantized("dequantize"),
}
