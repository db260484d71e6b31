"""Calls of operators that move elements and make tensors, each with what `docs/operators.md` says that it computes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.whole_programs.source import Drawn, Rule, Source, axis_of, tensor_at
from tests.fuzz.whole_programs.values import (
    Dim,
    Fails,
    Frame,
    Scalar,
    Sizes,
    Value,
    guarded,
    multiplied,
    pieces,
    reshaped,
)


def _concat(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0)
    if a is None:
        return None
    first = source.value(a)
    axis = axis_of(source, first.ndim)

    def fits(other: np.ndarray) -> bool:
        return other.dtype == first.dtype and other.ndim == first.ndim

    names = [a] + [source.tensor(fits) or a for _ in range(source.random.choice((0, 1, 1, 2)))]

    def run(frame: Frame) -> Value:
        parts = [tensor_at(frame, name) for name in names]
        if len({one.dtype for one in parts}) > 1:
            raise Fails("dtype")
        return guarded(lambda: np.concatenate(parts, axis))

    return Drawn(f"concat(({', '.join(names)},), axis={axis})", run)


def _stack(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    if a is None:
        return None
    first = source.value(a)
    b = source.tensor(lambda other: other.dtype == first.dtype and other.shape == first.shape) or a
    axis = axis_of(source, first.ndim + 1)

    def run(frame: Frame) -> Value:
        x, y = tensor_at(frame, a), tensor_at(frame, b)
        if x.dtype != y.dtype:
            raise Fails("dtype")
        return guarded(lambda: np.stack((x, y), axis))

    return Drawn(f"stack(({a}, {b}), axis={axis})", run)


def _split(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0)
    if a is None:
        return None
    axis, count = axis_of(source, source.value(a).ndim), source.random.choice((1, 2, 2, 3))
    return Drawn(
        f"split({a}, indices_or_sections={count}, axis={axis})",
        lambda frame: pieces(tensor_at(frame, a), count, axis),
    )


def _matmul(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0 and value.dtype.kind in "fi")
    if a is None:
        return None
    first = source.value(a)

    def fits(other: np.ndarray) -> bool:
        inner = other.ndim and other.shape[max(other.ndim - 2, 0)]
        return other.dtype == first.dtype and other.ndim > 0 and inner == first.shape[-1]

    b = source.tensor(fits) or a
    return Drawn(f"matmul({a}, {b})", lambda frame: multiplied(tensor_at(frame, a), tensor_at(frame, b)))


def _shape_with(source: Source, total: int) -> tuple[str, Callable[[Frame], tuple[int, ...]]]:
    """Draw the argument of a reshape that has so many elements, in this run."""
    draw = source.random
    extents = [total]
    for _ in range(draw.randrange(3)):
        at = draw.randrange(len(extents))
        divisors = [one for one in range(1, 7) if extents[at] % one == 0] or [1]
        by = draw.choice(divisors)
        extents[at : at + 1] = [by, extents[at] // by] if draw.random() < 0.5 else [extents[at] // by, by]
    dims = [source.dim_near(size) for size in extents]
    if draw.random() < 0.4:
        at = draw.randrange(len(dims))
        dims[at] = Dim("-1", lambda _: -1)

    def of(frame: Frame) -> tuple[int, ...]:
        return tuple(-1 if dim.text == "-1" else dim.size(frame.sizes) for dim in dims)

    return f"shape({', '.join(dim.text for dim in dims)})", of


def _reshape(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    if a is None:
        return None
    text, of = _shape_with(source, source.value(a).size)
    return Drawn(f"reshape({a}, {text})", lambda frame: reshaped(tensor_at(frame, a), of(frame)))


def _permute(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    if a is None:
        return None
    rank = source.value(a).ndim
    if source.random.random() < 0.3:
        return Drawn(f"permute_dims({a})", lambda frame: tensor_at(frame, a).T)
    axes = source.random.sample(range(rank), rank)
    shown = [one - rank if source.random.random() < 0.3 else one for one in axes]
    return Drawn(f"permute_dims({a}, axes={shown})", lambda frame: tensor_at(frame, a).transpose(axes))


def _expand(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    if a is None:
        return None
    axis = axis_of(source, source.value(a).ndim + 1)
    return Drawn(f"expand_dims({a}, axis={axis})", lambda frame: np.expand_dims(tensor_at(frame, a), axis))


def _squeeze(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: 1 in value.shape)
    if a is None:
        return None
    axis = source.value(a).shape.index(1)
    return Drawn(
        f"squeeze({a}, axis={axis})", lambda frame: guarded(lambda: np.squeeze(tensor_at(frame, a), axis))
    )


def _broadcast(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    if a is None:
        return None
    shape = [source.random.choice((1, 2, 3)) if one == 1 else one for one in source.value(a).shape]
    shape = [source.random.choice((1, 2, 3)) for _ in range(source.random.randrange(2))] + shape
    dims = [source.dim_near(size) for size in shape]

    def run(frame: Frame) -> Value:
        extents = tuple(dim.size(frame.sizes) for dim in dims)
        return guarded(lambda: np.broadcast_to(tensor_at(frame, a), extents))

    return Drawn(f"broadcast_to({a}, shape({', '.join(dim.text for dim in dims)}))", run)


def _filled(source: Source) -> Drawn | None:
    dims = [source.dim(source.random.randrange(2)) for _ in range(source.random.randrange(3))]
    word, dtype = source.random.choice(("zeros", "ones")), source.random.choice(("float32", "int64", "bool"))

    def run(frame: Frame) -> Value:
        extents = tuple(dim.size(frame.sizes) for dim in dims)
        return np.full(extents, word == "ones", dtype)

    return Drawn(f"{word}(shape({', '.join(dim.text for dim in dims)}), dtype={dtype})", run)


def _arange(source: Source) -> Drawn | None:
    a, b = source.dim(1), source.dim(1)
    step = source.random.choice((1, 1, 2, 3))
    return Drawn(
        f"arange({a.text}, {b.text}, {step})",
        lambda frame: np.arange(a.of(frame.sizes), b.of(frame.sizes), step, dtype=np.int64),
    )


def _slice(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0)
    if a is None:
        return None
    axis = axis_of(source, source.value(a).ndim)
    begin, end = source.dim(1), source.dim(1)
    back = source.random.random() < 0.15
    first, last = ("-1", "-9223372036854775807") if back else (begin.text, end.text)
    step = source.random.choice((-1, -2) if back else (1, 1, 1, 2, 3))
    if not back and source.random.random() < 0.3:
        last = "9223372036854775807"

    def run(frame: Frame) -> Value:
        x = tensor_at(frame, a)
        if back:
            cut = slice(None, None, step)
        else:
            cut = slice(begin.of(frame.sizes), None if last[0] == "9" else end.of(frame.sizes), step)
        at = [slice(None)] * x.ndim
        at[axis] = cut
        return x[tuple(at)]

    return Drawn(f"strided_slice({a}, ({axis},), ({first},), ({last},), ({step},))", run)


def _take(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0)
    if a is None:
        return None
    axis = axis_of(source, source.value(a).ndim)
    at = [source.random.randrange(2) for _ in range(source.random.choice((1, 2)))]

    def run(frame: Frame) -> Value:
        x = tensor_at(frame, a)
        if max(at) >= x.shape[axis]:
            raise Fails("data")
        return np.take(x, at, axis)

    return Drawn(f"take({a}, const({at}), axis={axis})", run)


def _repeat(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0)
    if a is None:
        return None
    axis, count = axis_of(source, source.value(a).ndim), source.random.choice((0, 1, 2, 2))
    if source.random.random() < 0.5:
        return Drawn(f"repeat({a}, repeats={count})", lambda frame: np.repeat(tensor_at(frame, a), count))
    return Drawn(
        f"repeat({a}, repeats={count}, axis={axis})",
        lambda frame: np.repeat(tensor_at(frame, a), count, axis),
    )


def _tile(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    if a is None:
        return None
    counts = [source.random.choice((1, 2)) for _ in range(source.random.randrange(1, 3))]
    return Drawn(f"tile({a}, repeats={counts})", lambda frame: np.tile(tensor_at(frame, a), counts))


def _astype(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    dtype = source.random.choice(("float32", "int64", "int32"))
    return (
        None
        if a is None
        else Drawn(f"astype({a}, dtype={dtype})", lambda frame: tensor_at(frame, a).astype(dtype))
    )


def _unique(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.dtype.kind == "i")
    return None if a is None else Drawn(f"unique({a})", lambda frame: np.unique(tensor_at(frame, a)))


def _nonzero(source: Source) -> Drawn | None:
    a = source.tensor(lambda value: value.ndim > 0)
    return (
        None
        if a is None
        else Drawn(f"nonzero({a})", lambda frame: np.stack(np.nonzero(tensor_at(frame, a))).astype(np.int64))
    )


def _shape_of(source: Source) -> Drawn | None:
    a = source.tensor(lambda _: True)
    return None if a is None else Drawn(f"shape_of({a})", lambda frame: Sizes(tensor_at(frame, a).shape))


def _shape(source: Source) -> Drawn | None:
    dims = [source.dim(2) for _ in range(source.random.randrange(1, 4))]
    return Drawn(
        f"shape({', '.join(dim.text for dim in dims)})",
        lambda frame: Sizes(dim.size(frame.sizes) for dim in dims),
    )


def _as_shape(source: Source) -> Drawn | None:
    """Reshape or broadcast to a shape that is a value."""
    shapes = [name for name, value in source.frame.values.items() if isinstance(value, Sizes)]
    if not shapes:
        return None
    s = source.random.choice(shapes)
    chance = source.random.random()
    if chance < 0.3:
        return Drawn(f"shape_to_tensor({s})", lambda frame: np.array(frame.values[s], np.int64).reshape(-1))
    if chance < 0.5:

        def zeros(frame: Frame) -> Value:
            return np.zeros(frame.values[s], np.float32)

        return Drawn(f"zeros({s}, dtype=float32)", zeros)
    a = source.tensor(lambda value: value.size == int(np.prod(source.frame.values[s])))
    return (
        None
        if a is None
        else Drawn(f"reshape({a}, {s})", lambda frame: reshaped(tensor_at(frame, a), tuple(frame.values[s])))
    )


def _scalar(source: Source) -> Drawn | None:
    dim = source.dim(2)
    if source.random.random() < 0.5:
        return Drawn(f"prim_value({dim.text})", lambda frame: Scalar(np.int64(dim.of(frame.sizes))))
    return Drawn(f"scalar({dim.text})", lambda frame: np.asarray(dim.of(frame.sizes), np.int64))


SHAPING: tuple[Rule, ...] = (
    *(_concat, _stack, _split, _matmul, _matmul, _reshape, _reshape, _permute, _expand, _squeeze),
    *(_broadcast, _filled, _arange, _slice, _slice, _take, _repeat, _tile, _astype, _unique, _nonzero),
    *(_shape_of, _shape, _as_shape, _as_shape, _scalar),
)
