"""Random calls of attention."""

from __future__ import annotations

from typing import Any

from tests.ops.strategies import Call, Draw


def _attention(draw: Draw) -> Call:
    dtype = draw.dtype("float")
    b, s, t, d, e = [draw.extent() for _ in range(5)]
    groups, shared = draw.extent(1), draw.one_of(1, 2)
    shapes = [(b, s, groups * shared, d), (b, t, groups, d), (b, t, groups, e)]
    attrs = draw.some(scale=draw.one_of(None, 0.5), causal_mask=draw.one_of(None, "TopLeft", "BottomRight"))
    return [draw.tensor(shape, dtype) for shape in shapes], attrs


def _attention_bias(draw: Draw) -> Call:
    args, attrs = _attention(draw)
    query, key = args[:2]
    b, s, h, _ = query.shape
    shape = [draw.one_of(1, extent) for extent in (b, h, s)]
    bias = draw.tensor((*shape, key.shape[1])).astype(query.dtype)
    return [*args, bias], attrs


CALLS: dict[str, Any] = {"nn.attention": _attention, "nn.attention_bias": _attention_bias}
