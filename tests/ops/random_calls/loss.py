"""Random calls of losses."""

from __future__ import annotations

from typing import Any

from tests.ops.strategies import Call, Draw


def _cross_entropy(draw: Draw) -> Call:
    shape, dtype = draw.shape(extent=draw.one_of(0, 1)), draw.dtype("float")
    return [draw.tensor(shape, dtype), draw.tensor(shape, dtype)], {}


def _nll_loss(draw: Draw) -> Call:
    classes, dtype = draw.extent(1), draw.dtype("float")
    batch = draw.shape(0, 3)
    shape = (batch[0], classes, *batch[1:]) if batch else (classes,)
    weights = draw.tensor((classes,), dtype) if draw.chance(0.5) else None
    targets = draw.whole(batch, 0, classes - 1, draw.one_of("int64", "int32", "uint8"))
    attrs = draw.some(reduction=draw.one_of("none", "none", "sum", "mean"), ignore_index=draw.one_of(-100, 0))
    return [draw.tensor(shape, dtype), targets, weights], attrs


CALLS: dict[str, Any] = {"nn.cross_entropy_with_logits": _cross_entropy, "nn.nll_loss": _nll_loss}
