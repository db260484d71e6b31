"""Random calls of the operators that rearrange the elements of one tensor."""

from __future__ import annotations

from typing import Any

from relax_lang.values import ShapeValue
from tests.ops.strategies import Call, Draw


def _tensor(draw: Draw, least: int = 0, most: int = 4, kind: str = "") -> Any:
    return draw.tensor(draw.shape(least, most), draw.dtype(kind))


def _broadcast_to(draw: Draw) -> Call:
    target = draw.shape()
    given = [1 if draw.chance(0.3) else extent for extent in target][draw.random.randint(0, len(target)) :]
    return [draw.tensor(tuple(given), draw.dtype()), ShapeValue(target)], {}


def _collapse_sum_to(draw: Draw) -> Call:
    (small, target), _ = _broadcast_to(draw)
    return [draw.tensor(target.values, draw.dtype("number")), ShapeValue(small.shape)], {}


def _collapse_sum_like(draw: Draw) -> Call:
    (data, shape), _ = _collapse_sum_to(draw)
    return [data, draw.tensor(shape.values, draw.dtype())], {}


def _expand_dims(draw: Draw) -> Call:
    x = _tensor(draw, 0, 3)
    if draw.chance(0.5):
        return [x], {"axis": draw.axis(x.ndim + 1)}
    count = draw.random.randint(0, 3)
    return [x], {"axis": draw.axes(x.ndim + count, count, count)}


def _squeeze(draw: Draw) -> Call:
    shape = tuple([1 if draw.chance(0.5) else extent for extent in draw.shape(1)])
    x = draw.tensor(shape, draw.dtype())
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    if draw.chance(0.3) or not ones:
        return [x], {}
    axes = draw.random.sample(ones, draw.random.randint(0, len(ones)))
    return [x], {"axis": draw.one_of(axes, ones[0], [axes[0] - len(shape)] if axes else [])}


def _flatten(draw: Draw) -> Call:
    return [_tensor(draw)], {}


def _permute_dims(draw: Draw) -> Call:
    x = _tensor(draw)
    return [x], draw.some(axes=draw.one_of(draw.axes(x.ndim, x.ndim), list(range(x.ndim)), None))


def _reshape(draw: Draw) -> Call:
    shape = list(draw.shape())
    x = draw.tensor(tuple(shape), draw.dtype())
    target = list(shape)
    draw.random.shuffle(target)
    while len(target) > 1 and draw.chance(0.4):
        target.append(target.pop() * target.pop())
    if draw.chance(0.2):
        target.insert(draw.random.randint(0, len(target)), 1)
    if target and draw.chance(0.4):
        target[draw.random.randrange(len(target))] = -1
    return [x, ShapeValue(tuple(target))], {}


def _repeat(draw: Draw) -> Call:
    x = _tensor(draw, 1)
    return [x], {"repeats": draw.random.randint(0, 3), **draw.some(axis=draw.axis(x.ndim))}


def _tile(draw: Draw) -> Call:
    repeats = [draw.random.randint(0, 3) for _ in range(draw.random.randint(0, 5))]
    return [_tensor(draw)], {"repeats": draw.one_of(repeats, draw.random.randint(0, 3))}


def _flip(draw: Draw) -> Call:
    x = _tensor(draw, 1)
    return [x], {"axis": draw.axis(x.ndim)}


def _reverse_sequence(draw: Draw) -> Call:
    x = _tensor(draw, 2)
    seq, batch = draw.axes(x.ndim, 2, 2)
    lengths = draw.whole((x.shape[batch],), 0, 5, draw.dtype("integer"))
    return [x, lengths], {"seq_axis": seq, "batch_axis": batch}


MAPS = (
    ("i -> (i // 4, i % 4)", 1),
    ("(i) -> (i * 3 + 1)", 1),
    ("(i) -> (7 - i,)", 1),
    ("(i, j) -> (i // 4, j, i % 4)", 2),
    ("(i, j) -> (j, i)", 2),
    ("(i, j) -> (i * 2 + j)", 2),
    ("(i, j) -> (max(i, j), min(i, 2) + j)", 2),
    ("(i, j) -> (i * j, i, j)", 2),
    ("(n, c, h) -> (n, c // 2, h, c % 2)", 3),
    ("(a, b, c) -> (a + b - 0 * c, 5)", 3),
)


def _layout_transform(draw: Draw) -> Call:
    text, rank = draw.one_of(*MAPS)
    dtype = draw.dtype()
    value = {"b": True, "f": 0.5, "i": 3, "u": 3}[dtype[0]]
    return [draw.tensor(draw.shape(rank, rank), dtype)], {"index_map": text, **draw.some(pad_value=value)}


def _view(draw: Draw) -> Call:
    shape = draw.shape()
    x = draw.tensor(shape, draw.one_of("float32", "int32", "int64", "float64"))
    dtype = draw.dtype()
    small = ShapeValue(tuple([extent // 2 for extent in shape]))
    return draw.one_of(
        ([x, small, draw.one_of(None, 0, 4)], draw.some(dtype=draw.one_of(None, dtype))),
        ([x, None, None], {"dtype": draw.one_of(None, dtype)}),
        ([x], {"dtype": dtype}),
        ([x, ShapeValue(shape)], {}),
    )


def _batch_flatten(draw: Draw) -> Call:
    return [_tensor(draw, 2)], {}


def _pad(draw: Draw) -> Call:
    x = _tensor(draw)
    widths = [draw.random.randint(0, 2) for _ in range(2 * x.ndim)]
    mode = draw.one_of("constant", "reflect", "replicate", "circular", None)
    return [x], {"pad_width": widths, **draw.some(pad_mode=mode, pad_value=draw.one_of(None, 1.0))}


def _pixel_shuffle(draw: Draw) -> Call:
    factor = draw.one_of(1, 2, 3)
    *batch, channels, height, width = draw.shape(3, 5)
    shape = (*batch, channels * factor * factor, height, width)
    return [draw.tensor(shape, draw.dtype())], {"upscale_factor": factor}


CALLS = {
    "broadcast_to": _broadcast_to,
    "collapse_sum_like": _collapse_sum_like,
    "collapse_sum_to": _collapse_sum_to,
    "expand_dims": _expand_dims,
    "flatten": _flatten,
    "flip": _flip,
    "layout_transform": _layout_transform,
    "memory.view": _view,
    "nn.batch_flatten": _batch_flatten,
    "nn.pad": _pad,
    "nn.pixel_shuffle": _pixel_shuffle,
    "permute_dims": _permute_dims,
    "repeat": _repeat,
    "reshape": _reshape,
    "reverse_sequence": _reverse_sequence,
    "squeeze": _squeeze,
    "tile": _tile,
}
