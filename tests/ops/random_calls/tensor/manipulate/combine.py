"""Random calls of the operators that join tensors or take one apart."""

from __future__ import annotations

from tests.ops.strategies import Call, Draw


def _concat(draw: Draw) -> Call:
    shape, dtype = list(draw.shape(1)), draw.dtype()
    axis = draw.axis(len(shape))
    count = draw.one_of(1, 2, 2, 3, 5)
    shapes: list[tuple[int, ...]] = []
    for _ in range(count):
        shape[axis] = draw.extent()
        shapes.append(tuple(shape))
    attrs = {"axis": None if len(shape) == 1 and draw.chance(0.4) else axis}
    return [tuple([draw.tensor(each, dtype) for each in shapes])], attrs


def _stack(draw: Draw) -> Call:
    shape, dtype = draw.shape(0, 3), draw.dtype()
    tensors = tuple([draw.tensor(shape, dtype) for _ in range(draw.one_of(1, 2, 2, 3))])
    return [tensors], draw.some(axis=draw.axis(len(shape) + 1))


def _split(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(1), draw.dtype())
    cuts = sorted([draw.random.randint(-1, 7) for _ in range(draw.random.randint(0, 3))])
    parts = draw.one_of(draw.random.randint(1, 5), cuts)
    return [x], {"indices_or_sections": parts, "axis": draw.axis(x.ndim)}


def _meshgrid(draw: Draw) -> Call:
    dtype = draw.dtype()
    tensors = tuple([draw.tensor(draw.shape(1, 1), dtype) for _ in range(draw.one_of(1, 2, 3))])
    return [tensors], draw.some(indexing=draw.one_of("ij", "xy", None))


CALLS = {"concat": _concat, "meshgrid": _meshgrid, "split": _split, "stack": _stack}
