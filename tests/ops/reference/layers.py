"""Normalizations, pooling, resizing of images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import is_float, numpy_dtype
from tests.ops.reference.base import (
    Index,
    axes_of,
    divided,
    get,
    grouped,
    indices,
    largest,
    made,
    toward_zero,
    without,
)
from tests.ops.reference.linear import arranged, paddings, per_axis


def _moments(x: Any, axes: Sequence[int]) -> dict[Index, tuple[float, float]]:
    found: dict[Index, tuple[float, float]] = {}
    for key, values in grouped(x, axes).items():
        mean = divided(sum(values), len(values))
        found[key] = mean, divided(sum([(value - mean) ** 2 for value in values]), len(values))
    return found


def _affine(value: float, gamma: float, beta: float, options: dict[str, Any]) -> float:
    value = value * gamma if options["scale"] else value
    return value + beta if options["center"] else value


def layer_norm(data: Any, gamma: Any, beta: Any, **options: Any) -> Any:
    axes = axes_of(options["axes"], data.ndim)
    moments = _moments(data, axes)

    def element(index: Index) -> float:
        mean, variance = moments[without(index, axes)]
        place = tuple([index[axis] for axis in axes])
        value = (get(data, index) - mean) / math.sqrt(variance + options["epsilon"])
        return _affine(value, get(gamma, place), get(beta, place), options)

    return made(data.shape, data.dtype, element)


def rms_norm(data: Any, weight: Any, axes: Any, epsilon: float) -> Any:
    over = axes_of(axes, data.ndim)
    squares = {key: [value * value for value in values] for key, values in grouped(data, over).items()}

    def element(index: Index) -> float:
        values = squares[without(index, over)]
        root = math.sqrt(sum(values) / len(values) + epsilon)
        return get(data, index) / root * get(weight, tuple([index[axis] for axis in over]))

    return made(data.shape, data.dtype, element)


def batch_norm(data: Any, gamma: Any, beta: Any, mean: Any, var: Any, **options: Any) -> Any:
    (at,) = axes_of(options["axis"], data.ndim)
    places = range(data.shape[at])
    used = {place: (get(mean, (place,)), get(var, (place,))) for place in places}
    new = dict(used)
    if options["training"]:
        moments = _moments(data, [axis for axis in range(data.ndim) if axis != at])
        used = {place: moments[place,] for place in places}
        share = options["momentum"]
        new = {
            place: tuple(
                [
                    (1 - share) * old + share * batch
                    for old, batch in zip(new[place], used[place], strict=True)
                ]
            )
            for place in places
        }

    def element(index: Index) -> float:
        average, variance = used[index[at]]
        inner = variance + options["epsilon"]
        root = math.sqrt(inner) if inner >= 0 else math.nan
        value = divided(get(data, index) - average, root)
        return _affine(value, get(gamma, (index[at],)), get(beta, (index[at],)), options)

    parts = [made(mean.shape, data.dtype, lambda index, part=part: new[index[0]][part]) for part in (0, 1)]
    return made(data.shape, data.dtype, element), *parts


def group_norm(data: Any, gamma: Any, beta: Any, **options: Any) -> Any:
    (channel,) = axes_of(options["channel_axis"], data.ndim)
    axes = axes_of(options["axes"], data.ndim)
    size = data.shape[channel] // options["num_groups"]
    members: dict[Index, list[float]] = {}

    def key(index: Index) -> Index:
        group = index[channel] // size
        return tuple([group if a == channel else 0 if a in axes else at for a, at in enumerate(index)])

    for index in indices(data.shape):
        members.setdefault(key(index), []).append(get(data, index))
    moments: dict[Index, tuple[float, float]] = {}
    for group, values in members.items():
        mean = sum(values) / len(values)
        moments[group] = mean, sum([(value - mean) ** 2 for value in values]) / len(values)

    def element(index: Index) -> float:
        mean, variance = moments[key(index)]
        value = (get(data, index) - mean) / math.sqrt(variance + options["epsilon"])
        return _affine(value, get(gamma, (index[channel],)), get(beta, (index[channel],)), options)

    return made(data.shape, data.dtype, element)


def instance_norm(data: Any, gamma: Any, beta: Any, **options: Any) -> Any:
    channels = data.shape[options["channel_axis"]]
    return group_norm(data, gamma, beta, num_groups=max(1, channels), **options)


def _pool(average: bool) -> Callable[..., Any]:
    def second(data: Any, **options: Any) -> Any:
        n = data.ndim - 2
        letters = "DHW"[3 - n :]
        x = arranged(data, options["layout"], "NC" + letters)
        sizes, strides = per_axis(options["pool_size"], n), per_axis(options["strides"], n)
        dilation, pads = per_axis(options["dilation"], n), paddings(options["padding"], n)
        out: list[int] = []
        for i, k, s, d, (before, after) in zip(x.shape[2:], sizes, strides, dilation, pads, strict=True):
            room = i + before + after - d * (k - 1) - 1
            count = (math.ceil(room / s) if options["ceil_mode"] else room // s) + 1
            out.append(count - 1 if options["ceil_mode"] and (count - 1) * s >= i + before else count)

        def element(index: Index) -> Any:
            image, channel, *place = index
            inside: list[Any] = []
            padding = 0
            for tap in indices(sizes):
                at = [p * s + t * d for p, s, t, d in zip(place, strides, tap, dilation, strict=True)]
                source = [a - before for a, (before, _) in zip(at, pads, strict=True)]
                if all(0 <= a < i for a, i in zip(source, x.shape[2:], strict=True)):
                    inside.append(get(x, (image, channel, *source)))
                else:
                    ends = zip(at, pads, x.shape[2:], strict=True)
                    padding += all(a < before + i + after for a, (before, after), i in ends)
            if not average:
                return largest(inside) if inside else _least(x.dtype)
            count = max(1, len(inside) + (padding if options["count_include_pad"] else 0))
            return sum(inside) / count if is_float(x.dtype) else toward_zero(sum(inside), count)

        return arranged(
            made((*x.shape[:2], *out), x.dtype, element),
            "NC" + letters,
            options["out_layout"] or options["layout"],
        )

    return second


def _least(dtype: Any) -> Any:
    if is_float(dtype):
        return -math.inf
    return 0 if dtype.kind in "ub" else -(1 << (dtype.itemsize * 8 - 1))


def adaptive(data: Any, **options: Any) -> Any:
    n = data.ndim - 2
    letters = "DHW"[3 - n :]
    x = arranged(data, options["layout"], "NC" + letters)
    out = x.shape[2:] if options["output_size"] is None else per_axis(options["output_size"], n)

    def element(index: Index) -> Any:
        image, channel, *place = index
        spans = [
            range(math.floor(j * i / o), math.ceil((j + 1) * i / o))
            for j, i, o in zip(place, x.shape[2:], out, strict=True)
        ]
        values = [
            get(x, (image, channel, *[span[at] for span, at in zip(spans, tap, strict=True)]))
            for tap in indices([len(span) for span in spans])
        ]
        return sum(values) / len(values) if is_float(x.dtype) else toward_zero(sum(values), len(values))

    return arranged(
        made((*x.shape[:2], *out), x.dtype, element),
        "NC" + letters,
        options["out_layout"] or options["layout"],
    )


def _coordinate(mode: str, place: int, source: int, target: int) -> Any:
    """Return where a place lies in the source, in float32 as the documentation says."""
    one = np.float32
    if mode == "align_corners":
        return one(place) * (one(source - 1) / one(max(1, target - 1)))
    scale = one(source) / one(target)
    if mode == "asymmetric":
        return one(place) * scale
    return (one(place) + one(0.5)) * scale - one(0.5)


def _taps(where: Any, extent: int, options: dict[str, Any]) -> list[tuple[int, float]]:
    """Return the places in the source and their weights, the places not yet brought inside."""
    if options["method"] == "nearest_neighbor":
        how = options["rounding_method"] or (
            "round" if options["coordinate_transformation_mode"] == "align_corners" else "floor"
        )
        nearest = {
            "round": round,
            "round_prefer_floor": lambda x: math.ceil(x - 0.5),
            "round_prefer_ceil": lambda x: math.floor(x + 0.5),
            "floor": lambda x: math.floor(x + 1e-5),
            "ceil": lambda x: math.ceil(x - 1e-5),
        }[how]
        return [(nearest(float(where)), 1.0)]
    first = math.floor(where)
    share = float(where) - first
    if options["method"] == "linear":
        return [(first, 1 - share), (first + 1, share)]
    a = options["cubic_alpha"]
    taps = [(first + at, _cubic(abs(share - at), a)) for at in (-1, 0, 1, 2)]
    if options["cubic_exclude"]:
        inside = [(at, weight if 0 <= at < extent else 0.0) for at, weight in taps]
        total = sum([weight for _, weight in inside])
        taps = [(at, weight / total) for at, weight in inside]
    return taps


def _cubic(distance: float, a: float) -> float:
    d = distance
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a


def resize(data: Any, size: Any, **options: Any) -> Any:
    n = data.ndim - 2
    canonical = "NC" + "DHW"[3 - n :]
    x = arranged(data, options["layout"], canonical)
    mode = options["coordinate_transformation_mode"]
    taps = [
        [_taps(_coordinate(mode, place, source, target), source, options) for place in range(target)]
        for source, target in zip(x.shape[2:], size.values, strict=True)
    ]

    def element(index: Index) -> Any:
        image, channel, *place = index
        chosen = [each[at] for each, at in zip(taps, place, strict=True)]
        if options["method"] == "nearest_neighbor":
            return get(x, (image, channel, *_inside([taps[0][0] for taps in chosen], x.shape[2:])))
        total = 0.0
        for which in indices([len(each) for each in chosen]):
            picked = [each[at] for each, at in zip(chosen, which, strict=True)]
            source = _inside([at for at, _ in picked], x.shape[2:])
            total += get(x, (image, channel, *source)) * math.prod([weight for _, weight in picked])
        return total

    dtype = options["out_dtype"] or x.dtype
    result = made(
        (*x.shape[:2], *size.values), numpy_dtype(dtype) if options["out_dtype"] else dtype, element
    )
    return arranged(result, canonical, options["layout"])


def _inside(places: Sequence[int], extents: Sequence[int]) -> list[int]:
    return [min(max(at, 0), extent - 1) for at, extent in zip(places, extents, strict=True)]


REFERENCE: dict[str, Any] = {
    "nn.layer_norm": layer_norm,
    "nn.rms_norm": rms_norm,
    "nn.batch_norm": batch_norm,
    "nn.group_norm": group_norm,
    "nn.instance_norm": instance_norm,
    **{f"nn.max_pool{n}d": _pool(average=False) for n in (1, 2, 3)},
    **{f"nn.avg_pool{n}d": _pool(average=True) for n in (1, 2, 3)},
    **{f"nn.adaptive_avg_pool{n}d": adaptive for n in (1, 2, 3)},
    "image.resize2d": resize,
    "image.resize3d": resize,
}
