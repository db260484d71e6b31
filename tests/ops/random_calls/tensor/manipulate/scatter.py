"""Random calls of the operators that write into a copy of a tensor by index."""

from __future__ import annotations

from tests.ops.random_calls.tensor.manipulate.index import indices_of
from tests.ops.strategies import Call, Draw


def _reduction(draw: Draw, dtype: str) -> dict[str, str]:
    return {} if dtype == "bool" else draw.some(reduction=draw.one_of("update", "add", "mul", "min", "max"))


def _scatter_elements(draw: Draw) -> Call:
    shape, dtype = draw.shape(1, 4, 1), draw.dtype()
    axis = draw.axis(len(shape))
    places = [draw.random.randint(0, extent) for extent in shape]
    places[axis] = draw.extent()
    indices = draw.whole(tuple(places), -shape[axis], shape[axis] - 1)
    args = [draw.tensor(shape, dtype), indices, draw.tensor(tuple(places), dtype)]
    return args, {"axis": axis, **_reduction(draw, dtype)}


def _scatter_nd(draw: Draw) -> Call:
    shape, dtype = draw.shape(1, 4, 1), draw.dtype()
    depth = draw.random.randint(1, len(shape))
    places = draw.shape(0, 2)
    least = min(shape)
    indices = draw.whole((*places, depth), -least, least - 1)
    args = [draw.tensor(shape, dtype), indices, draw.tensor((*places, *shape[depth:]), dtype)]
    return args, _reduction(draw, dtype)


def _index_put(draw: Draw) -> Call:
    shape, dtype = draw.shape(1, 3, 1), draw.dtype()
    indices = indices_of(draw, shape, len(shape))
    rank = max([index.ndim for index in indices])
    places = [max([index.shape[at] for index in indices if index.ndim >= -at]) for at in range(-rank, 0)]
    if 0 in places:  # where one index is 1 and another 0 there is no place
        places = [
            0 if 0 in [i.shape[at] for i in indices if i.ndim >= -at] else places[at]
            for at in range(-rank, 0)
        ]
    values = tuple([1 if draw.chance(0.2) else extent for extent in places][draw.random.randint(0, rank) :])
    attrs = {} if dtype == "bool" else draw.some(accumulate=draw.chance(0.5))
    return [draw.tensor(shape, dtype), indices, draw.tensor(values, dtype)], attrs


def _slice_scatter(draw: Draw) -> Call:
    shape, dtype = draw.shape(1), draw.dtype()
    axis, step = draw.axis(len(shape)), draw.one_of(1, 1, 2, 3)
    extent = shape[axis]
    start, end = sorted([draw.random.randint(0, extent), draw.random.randint(0, extent)])
    if draw.chance(0.3):
        start, end = 0, extent
    source = list(shape)
    source[axis] = len(range(start, end, step))
    args = [draw.tensor(shape, dtype), draw.tensor(tuple(source), dtype), start, end, step]
    return args, {"axis": axis}


CALLS = {
    "index_put": _index_put,
    "scatter_elements": _scatter_elements,
    "scatter_nd": _scatter_nd,
    "slice_scatter": _slice_scatter,
}
