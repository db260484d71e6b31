"""Random calls of attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.strategies import Call, Draw


def _attention(draw: Draw) -> Call:
    dtype = draw.dtype("float")
    b, s, t, d, e = [draw.extent() for _ in range(5)]
    groups, shared = draw.extent(1), draw.one_of(1, 2)
    shapes = [(b, s, groups * shared, d), (b, t, groups, d), (b, t, groups, e)]
    attrs = draw.some(scale=draw.one_of(None, 0.5), causal_mask=draw.one_of(None, "TopLeft", "BottomRight"))
    if attrs.get("causal_mask") is not None and draw.chance(0.4):
        attrs["window_size"] = draw.one_of(1, 2, 4)
    return [draw.tensor(shape, dtype) for shape in shapes], attrs


def _attention_bias(draw: Draw) -> Call:
    args, attrs = _attention(draw)
    query, key = args[:2]
    b, s, h, _ = query.shape
    shape = [draw.one_of(1, extent) for extent in (b, h, s)]
    bias = draw.tensor((*shape, key.shape[1])).astype(query.dtype)
    return [*args, bias], attrs


def _starts(draw: Draw, count: int, extent: int) -> Any:
    """Return where sequences begin and end on an axis, most often all of it."""
    inner = sorted([draw.random.randint(0, extent) for _ in range(max(count - 1, 0))])
    first, last = (0, extent) if draw.chance(0.8) else (inner[0] if inner else 0, extent)
    return np.array([first, *inner, last], "int32")[: count + 1]


def _attention_var_len(draw: Draw) -> Call:
    (query, key, value), attrs = _attention(draw)
    parts = [np.concatenate([part, part], axis=1)[:1] if len(part) else part for part in (query, key, value)]
    count = draw.one_of(0, 1, 2, 3)
    starts = [_starts(draw, count, part.shape[1]) for part in parts[:2]]
    longest = [np.full(draw.one_of((), (1,)), part.shape[1], "int32") for part in parts[:2]]
    return [*parts, *starts, *longest], attrs


CALLS: dict[str, Any] = {
    "nn.attention": _attention,
    "nn.attention_bias": _attention_bias,
    "nn.attention_var_len": _attention_var_len,
}
