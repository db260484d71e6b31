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


def _nll_loss_backward(draw: Draw) -> Call:
    (predictions, targets, weights), attrs = _nll_loss(draw)
    shape = targets.shape if attrs.get("reduction", "mean") == "none" else ()
    return [draw.tensor(shape, predictions.dtype.name), predictions, targets, weights], attrs


def _take_backward(draw: Draw) -> Call:
    shape, dtype = draw.shape(1, extent=1), draw.dtype("float")
    axis = draw.axis(len(shape)) if len(shape) > 1 or draw.chance(0.5) else None
    at = (axis or 0) % len(shape)
    indices = draw.whole(draw.shape(0, 2), -shape[at], shape[at] - 1, draw.one_of("int64", "int32"))
    taken = (*shape[:at], *indices.shape, *shape[at + 1 :])
    return [draw.tensor(taken, dtype), draw.tensor(shape, dtype), indices], {"axis": axis}


def _pool_backward(draw: Draw) -> Call:
    dtype, layout = draw.dtype("float"), draw.one_of("NCHW", "NHWC")
    size, strides = [draw.random.randint(1, 3) for _ in "hw"], [draw.random.randint(1, 2) for _ in "hw"]
    dilation, padding = [draw.random.randint(1, 2) for _ in "hw"], [draw.random.randint(0, 1) for _ in "hwhw"]
    needed = [d * (k - 1) + 1 for d, k in zip(dilation, size, strict=True)]
    extents = [n + draw.random.randint(0, 3) for n in needed]
    out = [
        (extent + padding[at] + padding[at + 2] - least) // stride + 1
        for at, (extent, least, stride) in enumerate(zip(extents, needed, strides, strict=True))
    ]
    around = draw.extent(), draw.extent()

    def arranged(spatial: list[int]) -> tuple[int, ...]:
        return (*around, *spatial) if layout == "NCHW" else (around[0], *spatial, around[1])

    attrs = {
        "pool_size": size,
        "strides": strides,
        "dilation": dilation,
        "padding": padding,
        "layout": layout,
    }
    attrs.update(draw.some(count_include_pad=draw.chance(0.5)))
    return [draw.tensor(arranged(out), dtype), draw.tensor(arranged(extents), dtype)], attrs


CALLS: dict[str, Any] = {
    "nn.cross_entropy_with_logits": _cross_entropy,
    "nn.nll_loss": _nll_loss,
    "grad.nll_loss_backward": _nll_loss_backward,
    "grad.take_backward": _take_backward,
    "grad.max_pool2d_backward": _pool_backward,
    "grad.avg_pool2d_backward": _pool_backward,
}
