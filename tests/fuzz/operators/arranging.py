"""Operators that repeat and reorder, and those that change shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.operators.drawing import (
    Arg,
    Call,
    Dim,
    Draw,
    Drawer,
    RefusedError,
    S,
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
    replaced,
    without,
)


def _broadcast_to(source: Draw) -> Call:
    target = source.dims()
    cut = 0 if source.chance(0.6) else source.int(0, len(target))
    given = [number(1) if source.chance(0.3) else one for one in target[cut:]]
    if given and (source.slip(0.3) or (source.symbolic and source.chance(0.2))):
        at = source.int(0, len(given) - 1)
        given[at] = source.other(given[at])
    x = source.tensor(given)

    def rule(a: T, shape: S) -> T:
        need(a.rank <= len(shape.dims))
        fits(broadcast(a.shape, shape.dims) == shape.dims)
        return T(shape.dims, a.dtype)

    return call("broadcast_to", [x, source.shape(target)], {}, rule)


def _collapse(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        dims = source.dims()
        target = (
            source.dims()
            if source.slip(0.2)
            else dims[0 if source.chance(0.5) else source.int(0, len(dims)) :]
        )
        small = [number(1) if source.chance(0.3) else one for one in target]
        x = source.tensor(dims, kind="number")
        other = source.tensor(small) if word.endswith("like") else source.shape(small)

        def rule(a: T, to: Any) -> T:
            is_kind(a, "number")
            shape = to.dims if isinstance(to, S) else to.shape
            need(len(shape) <= a.rank)
            fits(broadcast(a.shape, shape) == a.shape)
            return T(shape, a.dtype)

        return call(word, [x, other], {}, rule)

    return draw


def _flip(source: Draw) -> Call:
    x = source.tensor()
    axis = source.axis(x.rank)

    def rule(a: T) -> T:
        axis_of(axis, a.rank)
        return a

    return call("flip", [x], {"axis": axis}, rule, values=lambda a: np.flip(a, axis))


MAPS: tuple[tuple[str, int, Callable[..., tuple[int, ...]]], ...] = (
    ("(i, j) -> (j, i)", 2, lambda n, m: (m, n)),
    ("(i, j) -> (i // 4, j, i % 4)", 2, lambda n, m: (-(-n // 4), m, 4)),
    ("(i, j) -> (i * m + j,)", 2, lambda n, m: (-1,)),
    ("(i) -> (i // 2, i % 2)", 1, lambda n: (-(-n // 2), 2)),
    ("(a, b, c) -> (a, b // 2, c, b % 2)", 3, lambda a, b, c: (a, -(-b // 2), c, 2)),
)


def _layout_transform(source: Draw) -> Call:
    text, rank, to = source.one(*[one for one in MAPS if "m +" not in one[0]])
    x = source.tensor(source.dims() if source.slip() else [source.dim() for _ in range(rank)])

    def rule(a: T) -> T:
        need(a.rank == rank)
        if 0 in a.shape:
            return None  # type: ignore[return-value]
        return T(to(*a.shape), a.dtype)

    return call("layout_transform", [x], {"index_map": text}, rule)


def _repeat(source: Draw) -> Call:
    x = source.tensor()
    count = -1 if source.slip(0.1) else source.int(0, 3)
    attrs = source.some(axis=source.one(source.axis(x.rank), None))
    axis = attrs.get("axis")

    def rule(a: T) -> T:
        need(count >= 0)
        if axis is None:
            return T((product(a.shape) * count,), a.dtype)
        at = axis_of(axis, a.rank)
        return T(replaced(a.shape, at, a.shape[at] * count), a.dtype)

    return call("repeat", [x], {"repeats": count, **attrs}, rule, values=lambda a: np.repeat(a, count, axis))


def _tile(source: Draw) -> Call:
    x = source.tensor()
    count = [source.int(0, 3) for _ in range(source.int(0, 4))]
    if count and source.slip():
        count[-1] = -1
    repeats: Any = source.one(count, source.int(0, 3))

    def rule(a: T) -> T:
        times = [repeats] if isinstance(repeats, int) else list(repeats)
        need(all(one >= 0 for one in times))
        rank = max(a.rank, len(times))
        shape = (1,) * (rank - a.rank) + a.shape
        times = [1] * (rank - len(times)) + times
        return T(tuple([one * by for one, by in zip(shape, times, strict=True)]), a.dtype)

    return call("tile", [x], {"repeats": repeats}, rule, values=lambda a: np.tile(a, repeats))


def _reverse_sequence(source: Draw) -> Call:
    dims = source.dims(1 if source.slip() else 2, 4)
    x = source.tensor(dims)
    seq, batch = source.random.sample(range(len(dims)), 2) if len(dims) > 1 else (0, 0)
    if source.slip(0.1):
        batch = seq
    lengths = source.tensor(
        (source.dim(),) if source.slip(0.2) else (dims[batch],), source.dtype("index"), "ones"
    )

    def rule(a: T, b: T) -> T:
        is_kind(b, "index")
        need(b.rank == 1)
        need(axis_of(seq, a.rank) != axis_of(batch, a.rank))
        fits(b.shape[0] == a.shape[batch])
        return a

    return call("reverse_sequence", [x, lengths], {"seq_axis": seq, "batch_axis": batch}, rule)


def _expand_dims(source: Draw) -> Call:
    x = source.tensor(source.dims(0, 3))
    if source.chance(0.5):
        axis: Any = source.axis(x.rank + 1)
    else:
        count = source.int(0, 3)
        axis = source.axes(x.rank + count, count, count)

    def rule(a: T) -> T:
        count = 1 if isinstance(axis, int) else len(axis)
        places = axes_of(axis, a.rank + count)
        rest = iter(a.shape)
        return T(tuple([1 if at in places else next(rest) for at in range(a.rank + count)]), a.dtype)

    return call("expand_dims", [x], {"axis": axis}, rule)


def _flatten(source: Draw) -> Call:
    x = source.tensor()
    return call("flatten", [x], {}, lambda a: T((product(a.shape),), a.dtype), values=lambda a: a.reshape(-1))


def _permute(source: Draw) -> Call:
    x = source.tensor()
    order = source.axes(x.rank, x.rank)
    if source.slip(0.1):
        order = source.axes(x.rank)
    attrs = source.some(axes=source.one(order, None))
    axes = attrs.get("axes")

    def rule(a: T) -> T:
        if axes is None:
            return T(a.shape[::-1], a.dtype)
        places = axes_of(axes, a.rank)
        need(len(places) == a.rank)
        return T(tuple([a.shape[at] for at in places]), a.dtype)

    return call("permute_dims", [x], attrs, rule, values=lambda a: np.transpose(a, axes))


def _has_zero(target: list[Dim | None]) -> bool:
    return None in target and any(one is not None and one.text == "0" for one in target)


def _reshape(source: Draw) -> Call:
    dims = source.dims(0, 3)
    x = source.tensor(dims)
    target: list[Dim | None] = list(dims)
    source.random.shuffle(target)
    if len(target) > 1 and source.chance(0.4):
        a, b = target.pop(), target.pop()
        assert a is not None
        assert b is not None
        target.append(Dim(f"({a.text}) * ({b.text})", lambda at: a.of(at) * b.of(at)))
    if source.chance(0.3):
        target.insert(source.int(0, len(target)), number(1))
    if target and (source.slip(0.3) or (source.symbolic and source.chance(0.15))):
        target[source.int(0, len(target) - 1)] = source.dim()
    if target and source.chance(0.4):
        target[source.int(0, len(target) - 1)] = None
    text = "shape(" + ", ".join(["-1" if one is None else one.text for one in target]) + ")"
    shape = Arg(text, lambda at: [-1 if one is None else one.of(at) for one in target])

    def rule(a: T, to: list[int]) -> T:
        count = product(a.shape)
        if -1 not in to:
            fits(product(to) == count)
            return T(tuple(to), a.dtype)
        rest = -product(to)
        if rest == 0:  # any extent would do, or none
            raise RefusedError("data", "the extent does not follow")
        fits(count % rest == 0)
        return T(tuple([count // rest if one == -1 else one for one in to]), a.dtype)

    return call("reshape", [x, shape], {}, rule, may_fail=None in target, is_loose=_has_zero(target))


def _squeeze(source: Draw) -> Call:
    dims = [number(1) if source.chance(0.5) else one for one in source.dims(0, 4)]
    x = source.tensor(dims)
    ones = [at for at, one in enumerate(dims) if one.text == "1"]
    axis: Any = None
    if source.chance(0.8):
        axis = source.random.sample(ones, source.int(0, len(ones)))
        if source.slip(0.3) or (source.symbolic and source.chance(0.2)):
            axis = source.axes(len(dims))
        axis = [one - len(dims) if source.chance(0.3) else one for one in axis]
        if len(axis) == 1 and source.chance(0.5):
            axis = axis[0]
    attrs = {} if axis is None else {"axis": axis}

    def rule(a: T) -> T | None:
        if axis is None:
            return T(tuple([one for one in a.shape if one != 1]), a.dtype)
        places = axes_of(axis, a.rank)
        fits(all(a.shape[at] == 1 for at in places))
        return T(without(a.shape, places), a.dtype)

    is_loose = axis is None and any(one.is_symbolic for one in source.params[0].dims)
    return call("squeeze", [x], attrs, rule, is_loose=is_loose)


def _batch_flatten(source: Draw) -> Call:
    x = source.tensor(source.dims(0 if source.slip() else 2, 4))

    def rule(a: T) -> T:
        need(a.rank >= 2)
        return T((a.shape[0], product(a.shape[1:])), a.dtype)

    return call("nn.batch_flatten", [x], {}, rule)


def _pad(source: Draw) -> Call:
    x = source.tensor(source.dims(0, 3))
    width = [source.int(0, 2) for _ in range(2 * x.rank)]
    if source.slip():
        width = source.one(width[:-1], [*width, 1], [*width[:-1], -1] if width else [1])
    mode = source.one("constant", "reflect", "replicate", "circular", None)
    attrs = source.some(pad_mode=mode)
    mode = attrs.get("pad_mode", "constant")
    arranged = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}

    def rule(a: T) -> T:
        need(len(width) == 2 * a.rank and all(one >= 0 for one in width))
        pairs = [(width[2 * at], width[2 * at + 1]) for at in range(a.rank)]
        for extent, (low, high) in zip(a.shape, pairs, strict=True):
            if mode not in ("constant", None) and low + high:
                data(extent >= (2 if mode == "reflect" else 1))
        return T(tuple([one + low + high for one, (low, high) in zip(a.shape, pairs, strict=True)]), a.dtype)

    def values(a: np.ndarray) -> np.ndarray:
        pairs = [(width[2 * at], width[2 * at + 1]) for at in range(a.ndim)]
        return np.pad(a, pairs, mode=arranged[mode]) if a.ndim else a  # type: ignore[call-overload]

    return call(
        "nn.pad", [x], {"pad_width": width, **attrs}, rule, values=values if mode in arranged else None
    )


def _pixel_shuffle(source: Draw) -> Call:
    factor = source.one(1, 2, 3)
    channels = source.one(
        number(factor * factor * source.int(0, 3)),
        Dim(f"n * {factor * factor}", lambda at: at["n"] * factor * factor),
    )
    if source.slip(0.2):
        channels = source.dim()
    dims = [*source.dims(0, 2), channels, source.dim(), source.dim()]
    x = source.tensor(dims[source.int(1, 2) + 1 :] if source.slip(0.1) else dims)

    def rule(a: T) -> T:
        need(a.rank >= 3)
        *batch, c, h, w = a.shape
        fits(c % (factor * factor) == 0)
        return T((*batch, c // (factor * factor), h * factor, w * factor), a.dtype)

    return call("nn.pixel_shuffle", [x], {"upscale_factor": factor}, rule)


def _view(source: Draw) -> Call:
    dims = source.dims(0, 3)
    x = source.tensor(dims, source.one("float32", "int32", "int64", "float64", "uint8"))
    size = {"float32": 4, "int32": 4, "int64": 8, "float64": 8, "uint8": 1}
    kind = source.int(0, 2)
    dtype = source.one(*size) if kind == 2 else source.params[0].dtype
    shape = source.shape(source.dims(0, 2)) if kind == 1 else None
    offset = source.one(None, None, Arg(str(size[dtype]), lambda _: size[dtype])) if kind == 1 else None

    def rule(a: T, to: S | None, at: int | None) -> T | None:
        target = a.shape if to is None else to.dims
        bytes_ = product(a.shape) * size[a.dtype]
        fits((at or 0) + product(target) * size[dtype] <= bytes_)
        return T(target, dtype)

    return call("memory.view", [x, shape, offset], {"dtype": Word(dtype)} if kind == 2 else {}, rule)


DRAWERS: dict[str, Drawer] = {
    "broadcast_to": _broadcast_to,
    "collapse_sum_to": _collapse("collapse_sum_to"),
    "collapse_sum_like": _collapse("collapse_sum_like"),
    "flip": _flip,
    "layout_transform": _layout_transform,
    "repeat": _repeat,
    "tile": _tile,
    "reverse_sequence": _reverse_sequence,
    "expand_dims": _expand_dims,
    "flatten": _flatten,
    "permute_dims": _permute,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "nn.batch_flatten": _batch_flatten,
    "nn.pad": _pad,
    "nn.pixel_shuffle": _pixel_shuffle,
    "memory.view": _view,
}
