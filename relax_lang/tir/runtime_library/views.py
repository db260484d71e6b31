"""Views, copies and stores that are not one call of NumPy."""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

from relax_lang.tir.runtime_library.guards import NotVectorized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def affine_view(array: Any, starts: Any, extents: Any, steps: Any) -> Any:
    """Return a view: along dimension l, index d of the array goes from starts[d] by steps[l][d].

    The caller has made sure that no element of it lies outside, or looks at none.
    """
    if 0 in extents:
        return np.empty(extents, array.dtype)
    if len(starts) == 2 and len(steps) == 1 and array.flags.c_contiguous:
        width, ((row, column),) = array.shape[1], steps  # a diagonal of a matrix is a slice of its elements
        first, step = starts[0] * width + starts[1], row * width + column
        if step > 0:
            return array.reshape(-1)[first : first + extents[0] * step : step]
    strides = [sum(map(int.__mul__, row, array.strides)) for row in steps]
    offset = sum(map(int.__mul__, starts, array.strides))
    if array.flags.c_contiguous and array.dtype.kind != "V":  # ten times as fast as what follows
        try:
            return np.ndarray(extents, array.dtype, array, offset, strides)
        except ValueError:
            pass  # it lies outside
    corner = array[tuple([slice(start, start + 1) for start in starts])]
    return np.lib.stride_tricks.as_strided(corner, extents, strides)


def row_major(array: Any) -> Any:
    """Return an array whose elements are in row-major order: itself, or a copy."""
    return array if array.flags.c_contiguous else array.copy()


def put_rows_back(array: Any, rows: Any) -> None:
    """Store what was stored to a copy of an array, if that was necessary."""
    if rows is not array:
        array[...] = rows


def from_run(run: Any, extents: Any, steps: Any) -> Any:
    """Return the view of a flat array whose dimensions go by so many elements."""
    strides = [step * run.itemsize for step in steps]
    return np.ndarray(extents, run.dtype, run, 0, strides)


def scatter(target: Any, places: Any, values: Any, shape: Any, combine: Any = None) -> None:
    """Store values at places in row-major order, so that the last of two for one element wins; or combine all.

    `places` has one array of indices, or one number, for each dimension; they and the values fill out `shape`.
    """
    if 0 in shape:
        return
    if combine is not None and are_few(places, shape):
        combine.at(target, places if len(places) > 1 else places[0], values)
        return
    if len(places) == target.ndim == 1 and combine is not None:
        combine_at(target, filled(places[0], shape), values, shape, combine)
        return
    lists = [filled(place, shape) for place in places]
    if not lists:
        target, lists = target.reshape(1), [np.zeros(shape, np.int64).reshape(-1)]
    is_array = isinstance(values, np.ndarray)
    counted = combine is not None and not is_array and is_counted(target, lists[0], values, combine)
    if len(lists) > 1 and (counted or target.flags.c_contiguous):
        lists = [in_row_major_order(lists, target.shape)]  # one index each is three times as fast
    if counted:
        add_counts(target, lists[0], values, combine)
        return
    if is_array:
        values = filled(values, shape)
    if len(lists) == 1 and target.ndim > 1:
        target = target.reshape(-1)
    if combine is None:
        lists[0] = np.ascontiguousarray(
            lists[0]
        )  # NumPy goes backwards along several lists and values that all do
        target[tuple(lists)] = values
    elif len(lists) > 1:
        combine.at(target, tuple(lists), values)
    elif not is_array or not combined_runs(target, lists[0], values, combine):
        combine.at(target, lists[0], values)


def are_few(places: Any, shape: Any) -> bool:
    """Return whether lists of places are so short that it costs less to combine their elements one by one than to find
    out what would be faster.
    """
    if len(shape) != 1 or shape[0] >= 64 or not places:
        return False
    return all(isinstance(place, np.ndarray) and place.shape == shape for place in places)


def in_row_major_order(lists: Any, sizes: Any) -> Any:
    """Return the places of elements in the order in which they lie in memory, from those along each dimension."""
    flat = lists[0]
    for place, size in zip(lists[1:], sizes[1:], strict=True):
        flat = flat * size
        flat += place
    return flat


def combine_few(target: Any, places: Any, values: Any, combine: Any) -> None:
    """Combine elements of an array of one dimension with values at a list of few places."""
    combine.at(target, places, values)


def combine_at(target: Any, places: Any, values: Any, shape: Any, combine: Any) -> None:
    """Combine elements of an array of one dimension with values at a list of places."""
    if isinstance(values, np.ndarray):
        values = filled(values, shape)
        if not combined_runs(target, places, values, combine):
            combine.at(target, places, values)
    elif is_counted(target, places, values, combine):
        add_counts(target, places, values, combine)
    else:
        combine.at(target, places, values)


def combined_runs(target: Any, places: Any, values: Any, combine: Any) -> bool:
    """Combine values with elements whose places come in order, as those of rows that are listed one after the other do:
    the values for each element first. Return whether it was done.
    """
    if places.size < 3000 or values.dtype != target.dtype:  # fewer take less time one by one
        return False
    if combine is not np.add and combine is not np.maximum and combine is not np.minimum:
        return False
    some = places[:: places.size >> 3].tolist()  # most lists that are not in order show it here
    if some != sorted(some) or not (places[1:] >= places[:-1]).all():
        return False
    starts = np.concatenate(([0], np.flatnonzero(places[1:] != places[:-1]) + 1))
    if starts.size > places.size >> 6:
        return False  # a run of few values costs as much as it saves
    places = places[starts]
    target[places] = combine(target[places], combine.reduceat(values, starts))
    return True


def filled(values: Any, shape: Any) -> Any:
    """Return values that are repeated to a shape, in row-major order."""
    if not isinstance(values, np.ndarray) or values.shape != shape:
        values = np.broadcast_to(values, shape)
    return values if values.ndim == 1 else values.ravel()


def is_counted(target: Any, places: Any, values: Any, combine: Any) -> bool:
    """Return whether adding one integer again and again is counting: then that is two times as fast."""
    if combine is not np.add and combine is not np.subtract:
        return False
    if not isinstance(values, np.generic) or target.dtype.kind not in "iu" or values.dtype != target.dtype:
        return False
    return target.size <= 4 * places.size + 1024


def add_counts(target: Any, places: Any, number: Any, combine: Any) -> None:
    """Add a number to elements as often as their places are listed."""
    counts = np.bincount(places, None, target.size)
    if counts.dtype != target.dtype:
        counts = counts.astype(target.dtype)
    if number != 1:
        counts *= number
    combine(target, counts if target.ndim == 1 else counts.reshape(target.shape), target)


def extents(differences: Any, *numbers: Any) -> Any:
    """Return how often loops run between bounds with some differences: 0 times where the last bound is the smaller one.

    `numbers` are what bounds are made of: where they are large, a difference below 0 may have wrapped around.
    """
    if not differences.size or differences.item(differences.argmin()) >= 0:
        return differences
    for one in numbers:
        if np.maximum.reduce(one, axis=None) >= 1 << 40 or np.minimum.reduce(one, axis=None) <= -(1 << 40):
            raise NotVectorized("bounds may be too far apart")
    return np.maximum(differences, 0)


def places_in_rows(lengths: Any) -> Any:
    """Return for each element of rows of some lengths, one row after the other, which row it is in, and where in it."""
    if lengths.size and lengths.item(lengths.argmax()) > 1 << 25:
        raise NotVectorized("a row is too long")  # bounds that are not bounds
    ends = lengths.cumsum()
    if ends.size and ends.item(-1) > 1 << 25:
        raise NotVectorized("the rows are too long")  # for lists of all elements
    rows = np.arange(ends.size).repeat(lengths)
    return rows, np.arange(rows.size) - (ends - lengths).take(rows)


def range_of_rows(starts: Any, lengths: Any) -> tuple[int, int]:
    """Return where rows begin each of which ends where the next one begins, and how long they are together."""
    if not len(lengths):
        return 0, 0
    last = int(starts[-1]) + int(lengths[-1])
    # of few numbers this takes a tenth of the time of `min`
    if lengths.item(lengths.argmin()) < 0 or starts.item(starts.argmin()) < 0 or last >= 1 << 40:
        raise NotVectorized("rows that go backwards, or end in no array")
    return int(starts[0]), last - int(starts[0])


def rows_of(lengths: Any) -> Any:
    """Return for each element of rows of some lengths, one row after the other, which row it is in."""
    if lengths.sum(dtype=np.float64) > 1 << 25:
        raise NotVectorized("the rows are too long for a list of all elements")
    return np.repeat(np.arange(len(lengths)), lengths)


def combine_rows(target: Any, values: Any, starts: Any, lengths: Any, combine: Any, negated: bool) -> None:
    """Combine elements of a target each with a row of values, which lie one after the other; or with one value as often
    as the row is long.
    """
    if not len(lengths) or (not np.ndim(values) and combine is np.add and target.dtype.kind in "iu"):
        values = lengths.astype(target.dtype, copy=False) * values
        target[...] = np.subtract(target, values) if negated else np.add(target, values)
        return
    first = starts.item(0)
    count = starts.item(-1) - first + lengths.item(-1)
    if not count:
        return
    if not np.ndim(values):
        if count > 1 << 25:  # a later index outside of its array may end the program at once
            raise NotVectorized("the rows are too long")
        values = np.broadcast_to(values, count)
    places = starts - first if first else starts
    rows = int(places.searchsorted(count))  # those behind are empty
    dtype = target.dtype if combine in (np.add, np.multiply) else values.dtype
    result = combine.reduceat(values, places[:rows], dtype=dtype)
    target, filled = target[:rows], lengths[:rows]
    if not filled.item(filled.argmin()):  # a row may be empty
        np.copyto(
            target, np.subtract(target, result) if negated else combine(target, result), where=filled > 0
        )
    elif result.dtype == target.dtype:
        (np.subtract if negated else combine)(target, result, out=target)
    else:
        target[...] = np.subtract(target, result) if negated else combine(target, result)


def combine_chosen_rows(target: Any, keys: Any, values: Any, shape: Any, combine: Any) -> None:
    """Combine rows of a matrix, one for each of the keys, with whole rows of values, which fill out `shape`.

    Where rows are chosen again and again they are sorted, in the order of the program, and combined first.
    """
    rows, columns = shape
    if columns < 8 or not rows or values.dtype != target.dtype:
        scatter(target, (np.reshape(keys, (-1, 1)), np.arange(columns)), values, shape, combine)
        return
    if values.shape != shape:
        values = np.broadcast_to(values, shape)
    if rows < 64 or rows < 2 * len(target) or combine is np.subtract:
        combine.at(target, keys, values)
        return
    order = keys.argsort(kind="stable")
    keys = keys[order]
    starts = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
    keys = keys[starts]
    target[keys] = combine(target[keys], combine.reduceat(values[order], starts, axis=0))


def copy_transposed(target: Any, source: Any) -> None:
    """Copy an array that lies in memory by other axes than the target: in strips that stay in the cache."""
    axis = source.ndim - 1
    near = min(range(source.ndim), key=lambda at: abs(source.strides[at]) or 1 << 62)
    if near == axis or source.size < 1 << 14:
        target[...] = source
        return
    strip = 8 if source.strides[axis] % 1024 == 0 else 64  # such lines share few places of the cache
    part = [slice(None)] * source.ndim
    for left in range(0, source.shape[near], 1024):
        part[near] = slice(left, left + 1024)
        for start in range(0, source.shape[axis], strip):
            part[axis] = slice(start, start + strip)
            target[tuple(part)] = source[tuple(part)]


def copy_with_edges(target: Any, source: Any, starts: Any) -> None:
    """Store what is at `start + p` along each dimension of another array; beyond its ends that is the last element."""
    if not target.size:
        return
    if not source.size:
        raise NotVectorized("an index is outside of its array")
    box: list[slice] = []
    moved: list[slice] = []
    for start, size, extent in zip(starts, source.shape, target.shape, strict=True):
        first, end = max(0, -start), min(extent, size - start)
        if first >= end:  # there are edges alone
            sizes = zip(starts, source.shape, target.shape, strict=True)
            places = [np.clip(np.arange(extent) + start, 0, size - 1) for start, size, extent in sizes]
            target[...] = source[np.ix_(*places)]
            return
        box.append(slice(first, end))
        moved.append(slice(first + start, end + start))
    target[tuple(box)] = source[tuple(moved)]
    for axis in range(
        target.ndim - 1, -1, -1
    ):  # rows last, as a whole; what they replace does not matter before
        lines = target.swapaxes(0, axis) if axis else target
        first, end = box[axis].start, box[axis].stop
        if first:
            lines[:first] = lines[first]
        if end < len(lines):
            lines[end:] = lines[end - 1]


def copy_wrapped(target: Any, source: Any, starts: Any) -> None:
    """Store what is at `start + p` along each dimension of another array, which begins again beyond its ends."""
    if not target.size:
        return
    if not source.size:
        raise NotVectorized("a remainder by zero")
    cuts: list[list[tuple[slice, slice]]] = []
    for start, size, extent in zip(starts, source.shape, target.shape, strict=True):
        pairs: list[tuple[slice, slice]] = []
        at = 0
        while at < extent:
            first = (start + at) % size
            step = min(size - first, extent - at)
            pairs.append((slice(at, at + step), slice(first, first + step)))
            at += step
        cuts.append(pairs)
    boxes: list[tuple[tuple[slice, ...], tuple[slice, ...]]] = [((), ())]
    for pairs in cuts:
        boxes = [((*box, one), (*moved, other)) for box, moved in boxes for one, other in pairs]
    for box, moved in boxes:
        target[box] = source[moved]


def blend(condition: Any, yes: Any, no: Any, shape: Any, out: Any = None) -> Any:
    """Return yes where a condition holds, else no: of large arrays bit by bit, which needs no branches. `out` may be
    one of the two.
    """
    if out is None:
        if isinstance(condition, np.ndarray) and condition.size < 1 << 14:
            out = np.where(condition, yes, no)
            if out.shape == shape:
                return out
        out = np.empty(shape, np.result_type(yes, no))
    if out.size < 1 << 14 or out.dtype.kind not in "biuf":
        out[...] = np.where(condition, yes, no)
        return out
    if out is no:
        condition, yes, no = ~condition, no, yes
    bits = np.dtype(f"i{out.dtype.itemsize}")
    a, b, into = np.asarray(yes, out.dtype).view(bits), np.asarray(no, out.dtype).view(bits), out.view(bits)
    if not b.ndim and b == 0:
        np.multiply(a, condition, out=into)
        return out
    np.bitwise_xor(a, b, out=into)
    np.multiply(into, condition, out=into)
    np.bitwise_xor(into, b, out=into)
    return out


def store_where(target: Any, values: Any, condition: Any) -> None:
    """Store values where a condition holds; they are not elements of the target."""
    if target.size < 1 << 14:
        np.copyto(target, values, where=condition, casting="unsafe")
    else:
        blend(condition, values, target, target.shape, out=target)
