"""Moving elements: views, repetition, joining, splitting, padding, reading and writing by index; shapes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relax_lang.values import ShapeValue
from tests.ops.reference.base import Index, axes_of, broadcast, get, indices, made, replaced


def _in_order(x: Any, shape: Sequence[int]) -> Any:
    """Return the elements in another shape, the last axis fastest."""
    values = iter([get(x, index) for index in indices(x.shape)])
    return made(shape, x.dtype, lambda index: next(values))


def reshape(x: Any, shape: Any) -> Any:
    known = math.prod([extent for extent in shape.values if extent >= 0])
    return _in_order(x, [x.size // known if extent < 0 else extent for extent in shape.values])


def expand_dims(x: Any, axis: Any) -> Any:
    places = axes_of(axis, x.ndim + (1 if isinstance(axis, int) else len(axis)))
    shape = list(x.shape)
    for place in sorted(places):
        shape.insert(place, 1)
    return _in_order(x, shape)


def squeeze(x: Any, axis: Any) -> Any:
    dropped = [at for at, e in enumerate(x.shape) if e == 1] if axis is None else axes_of(axis, x.ndim)
    return _in_order(x, [extent for at, extent in enumerate(x.shape) if at not in dropped])


def permute_dims(x: Any, axes: Any) -> Any:
    order = list(reversed(range(x.ndim))) if axes is None else axes_of(axes, x.ndim)

    def source(index: Index) -> Index:
        return tuple([index[order.index(axis)] for axis in range(x.ndim)])

    return made([x.shape[axis] for axis in order], x.dtype, lambda index: get(x, source(index)))


def broadcast_to(x: Any, shape: Any) -> Any:
    return made(shape.values, x.dtype, lambda index: get(x, index))


def repeat(data: Any, repeats: int, axis: int | None) -> Any:
    x = data.reshape(-1) if axis is None else data
    (at,) = axes_of(axis or 0, x.ndim)
    shape = replaced(x.shape, at, x.shape[at] * repeats)
    return made(shape, x.dtype, lambda i: get(x, replaced(i, at, i[at] // repeats)))


def tile(data: Any, repeats: Any) -> Any:
    counts = [repeats] if isinstance(repeats, int) else list(repeats)
    rank = max(len(counts), data.ndim)
    counts = [1] * (rank - len(counts)) + counts
    x = data.reshape((1,) * (rank - data.ndim) + data.shape)
    shape = [count * extent for count, extent in zip(counts, x.shape, strict=True)]
    return made(
        shape, x.dtype, lambda i: get(x, tuple([at % extent for at, extent in zip(i, x.shape, strict=True)]))
    )


def flip(data: Any, axis: int) -> Any:
    (at,) = axes_of(axis, data.ndim)
    return made(data.shape, data.dtype, lambda i: get(data, replaced(i, at, data.shape[at] - 1 - i[at])))


def pad(data: Any, pad_width: Sequence[int], pad_mode: str | None, pad_value: float | None) -> Any:
    before = pad_width[::2]
    shape = [extent + sum(pad_width[2 * at : 2 * at + 2]) for at, extent in enumerate(data.shape)]

    def source(at: int, extent: int) -> int | None:
        if 0 <= at < extent:
            return at
        if pad_mode == "circular":
            return at % extent
        if pad_mode == "replicate":
            return min(max(at, 0), extent - 1)
        if pad_mode == "reflect":
            at %= 2 * (extent - 1)
            return min(at, 2 * (extent - 1) - at)
        return None

    def element(index: Index) -> Any:
        place = [source(at - low, e) for at, low, e in zip(index, before, data.shape, strict=True)]
        return (pad_value or 0) if None in place else get(data, tuple([at for at in place if at is not None]))

    return made(shape, data.dtype, element)


def concat(tensors: tuple[Any, ...], axis: int | None) -> Any:
    (at,) = axes_of(axis or 0, tensors[0].ndim)
    places = [(tensor, place) for tensor in tensors for place in range(tensor.shape[at])]
    shape = replaced(tensors[0].shape, at, len(places))

    def element(index: Index) -> Any:
        tensor, place = places[index[at]]
        return get(tensor, replaced(index, at, place))

    return made(shape, tensors[0].dtype, element)


def stack(tensors: tuple[Any, ...], axis: int | None) -> Any:
    (at,) = axes_of(axis or 0, tensors[0].ndim + 1)
    shape = (*tensors[0].shape[:at], len(tensors), *tensors[0].shape[at:])
    return made(shape, tensors[0].dtype, lambda i: get(tensors[i[at]], (*i[:at], *i[at + 1 :])))


def split(x: Any, indices_or_sections: Any, axis: int) -> Any:
    (at,) = axes_of(axis, x.ndim)
    extent = x.shape[at]
    if isinstance(indices_or_sections, int):
        size = math.ceil(extent / indices_or_sections)
        bounds = [min(size * piece, extent) for piece in range(indices_or_sections)] + [extent]
    else:
        bounds = [0, *[min(max(cut, 0), extent) for cut in indices_or_sections], extent]

    def piece(low: int, high: int) -> Any:
        return made(
            replaced(x.shape, at, high - low), x.dtype, lambda i: get(x, replaced(i, at, i[at] + low))
        )

    return tuple([piece(low, high) for low, high in itertools.pairwise(bounds)])


def meshgrid(tensors: tuple[Any, ...], indexing: str | None) -> Any:
    order = list(range(len(tensors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = [tensors[at].size for at in order]
    return tuple(
        [
            made(shape, x.dtype, lambda i, x=x, at=at: get(x, (i[order.index(at)],)))
            for at, x in enumerate(tensors)
        ]
    )


def take(x: Any, indices: Any, axis: int | None, mode: str) -> Any:
    (at,) = axes_of(axis or 0, x.ndim)
    extent, rank = x.shape[at], indices.ndim

    def element(index: Index) -> Any:
        place = get(indices, index[at : at + rank])
        if mode == "nan" and not 0 <= place < extent:
            return math.nan
        place = place % extent if mode == "wrap" else min(max(place, 0), extent - 1)
        return get(x, (*index[:at], place, *index[at + rank :]))

    return made((*x.shape[:at], *indices.shape, *x.shape[at + 1 :]), x.dtype, element)


def strided_slice(x: Any, axes: Any, begin: Any, end: Any, strides: Any, assume_inbound: bool) -> Any:
    places: list[Sequence[int]] = [range(extent) for extent in x.shape]
    steps = strides or (1,) * len(axes)
    for axis, low, high, step in zip(axes_of(axes, x.ndim), begin, end, steps, strict=True):
        # Within the bounds, -1 is the place before the first, not the last.
        places[axis] = (
            range(low, high, step) if assume_inbound else list(range(x.shape[axis]))[slice(low, high, step)]
        )
    shape = [len(each) for each in places]
    return made(
        shape, x.dtype, lambda i: get(x, tuple([each[at] for each, at in zip(places, i, strict=True)]))
    )


def dynamic_strided_slice(x: Any, begin: Any, end: Any, strides: Any) -> Any:
    bounds = [tuple([get(each, (at,)) for at in range(x.ndim)]) for each in (begin, end, strides)]
    return strided_slice(x, list(range(x.ndim)), *bounds, assume_inbound=False)


def gather_elements(data: Any, indices: Any, axis: int) -> Any:
    (at,) = axes_of(axis, data.ndim)
    return made(
        indices.shape, data.dtype, lambda i: get(data, replaced(i, at, get(indices, i) % data.shape[at]))
    )


def gather_nd(data: Any, indices: Any, batch_dims: int) -> Any:
    depth = indices.shape[-1]
    rank = indices.ndim - 1

    def element(index: Index) -> Any:
        place = [get(indices, (*index[:rank], at)) % data.shape[batch_dims + at] for at in range(depth)]
        return get(data, (*index[:batch_dims], *place, *index[rank:]))

    return made((*indices.shape[:-1], *data.shape[batch_dims + depth :]), data.dtype, element)


def index_tensor(data: Any, indices: tuple[Any, ...]) -> Any:
    shape = broadcast(*[each.shape for each in indices])
    rank = len(shape)

    def element(index: Index) -> Any:
        place = [get(each, index[:rank]) % data.shape[at] for at, each in enumerate(indices)]
        return get(data, (*place, *index[rank:]))

    return made((*shape, *data.shape[len(indices) :]), data.dtype, element)


_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": lambda old, new: min(old, new) if old == old and new == new else math.nan,
    "max": lambda old, new: max(old, new) if old == old and new == new else math.nan,
}


def written(data: Any, writes: list[tuple[Index, Any]], reduction: str) -> Any:
    values = {index: get(data, index) for index in indices(data.shape)}
    for index, value in writes:
        values[index] = _COMBINE[reduction](values[index], value)
    return made(data.shape, data.dtype, lambda index: values[index])


def scatter_elements(data: Any, indices_: Any, updates: Any, axis: int, reduction: str) -> Any:
    (at,) = axes_of(axis, data.ndim)
    writes = [
        (replaced(i, at, get(indices_, i) % data.shape[at]), get(updates, i)) for i in indices(indices_.shape)
    ]
    return written(data, writes, reduction)


def scatter_nd(data: Any, indices_: Any, updates: Any, reduction: str) -> Any:
    depth, rank = indices_.shape[-1], indices_.ndim - 1
    writes: list[tuple[Index, Any]] = []
    for i in indices(updates.shape):
        place = [get(indices_, (*i[:rank], at)) % data.shape[at] for at in range(depth)]
        writes.append(((*place, *i[rank:]), get(updates, i)))
    return written(data, writes, reduction)


def slice_scatter(target: Any, src: Any, start: int, end: int, step: int, axis: int) -> Any:
    (at,) = axes_of(axis, target.ndim)
    writes = [(replaced(i, at, start + i[at] * step), get(src, i)) for i in indices(src.shape)]
    return written(target, writes, "update")


def shape_to_tensor(shape: Any) -> Any:
    return made((len(shape.values),), "int64", lambda index: shape.values[index[0]])


REFERENCE: dict[str, Any] = {
    "reshape": reshape,
    "flatten": lambda x: _in_order(x, (x.size,)),
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "permute_dims": permute_dims,
    "broadcast_to": broadcast_to,
    "repeat": repeat,
    "tile": tile,
    "flip": flip,
    "nn.pad": pad,
    "nn.batch_flatten": lambda data: _in_order(data, (data.shape[0], math.prod(data.shape[1:]))),
    "concat": concat,
    "stack": stack,
    "split": split,
    "meshgrid": meshgrid,
    "take": take,
    "strided_slice": strided_slice,
    "dynamic_strided_slice": dynamic_strided_slice,
    "gather_elements": gather_elements,
    "gather_nd": gather_nd,
    "index_tensor": index_tensor,
    "scatter_elements": scatter_elements,
    "scatter_nd": scatter_nd,
    "slice_scatter": slice_scatter,
    "shape_of": lambda x: ShapeValue(tuple(x.shape)),
    "tensor_to_shape": lambda x: ShapeValue(tuple([get(x, (at,)) for at in range(x.size)])),
    "shape_to_tensor": shape_to_tensor,
    "shape_equals": lambda shape1, shape2: np.asarray(list(shape1.values) == list(shape2.values)),
    "size": lambda x: np.asarray(math.prod(x.shape), np.int64),
    # What is done is the effect; the tests of the runtime look at that.
    "assert_op": lambda *_values, **_attrs: (),
    "null_value": lambda: None,
    "print": lambda *_values, **_attrs: (),
}
