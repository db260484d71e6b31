"""Running operations, where the greatest or the least value is, and counts of values by their order."""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

from relax_lang.tir.runtime_library.guards import all_finite
from relax_lang.tir.runtime_library.views import copy_transposed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def best_of(values: Any, greatest: bool, last: bool) -> tuple[Any, Any]:
    """Return where along the last axis the greatest (or least) value is, the first one or the last, and the value. A
    nan is none; where there is nothing else, any place may be returned.
    """
    place = place_of_best(values, greatest, last)
    best = at_last_axis(values, place)
    if values.dtype.kind == "f" and np.isnan(best).any():  # NumPy finds a nan first
        without = np.where(np.isnan(values), -np.inf if greatest else np.inf, values)
        place = place_of_best(without, greatest, last)
        best = at_last_axis(values, place)
    return place, best


def place_of_best(values: Any, greatest: bool, last: bool) -> Any:
    """Return where along the last axis the greatest (or least) value is: the first one, or the last."""
    if values.ndim > 1 and abs(values.strides[-1]) > abs(values.strides[-2]):
        rows = np.moveaxis(values, -1, 0)
        best = rows.max(axis=0) if greatest else rows.min(axis=0)
        equal = rows == best
        if np.count_nonzero(equal) <= 4 * best.size + 64:
            place = np.full(best.size, -1)
            found = np.flatnonzero(equal) if last else np.flatnonzero(equal)[::-1]
            place[found % best.size] = found // best.size
            if place.min() >= 0:  # where there is a nan no place was found
                return place.reshape(best.shape)
    if last:
        values = values[..., ::-1]
    place = values.argmax(axis=-1) if greatest else values.argmin(axis=-1)
    return values.shape[-1] - 1 - place if last else place


def at_last_axis(values: Any, place: Any) -> Any:
    """Return the elements at one place each along the last axis."""
    if values.ndim == 1:
        return values[place]
    if values.flags.c_contiguous:
        starts = np.arange(0, values.size, values.shape[-1]).reshape(values.shape[:-1])
        return values.reshape(-1)[starts + place]
    if values.ndim == 2:
        return values[np.arange(len(values)), place]
    return np.take_along_axis(values, np.asarray(place)[..., None], axis=-1)[..., 0]


def rows_at_once(rows: int, width: int, length: int, copies: int) -> int:
    """Return how many rows are transposed at once, for scans along them: steps should be long, and copies small.

    A row has `width` runs of `length` elements; of these there are so many copies.
    """
    wanted = max(1024, (1 << 20) // max(1, length)) // copies
    blocks = (rows * width + wanted // 2) // wanted
    return max(1, -(-rows // max(1, blocks)))


def accumulate(combine: Any, array: Any) -> None:
    """Store running results from the first element on."""
    combine.accumulate(array, 0, None, array)


def running(combine: Any, values: Any, out: Any, first: Any) -> None:
    """Store the running results of an operation along the last axis, in order. `first` is what it starts from: a
    number, or for each row the element before, or some of them if each result begins with one further back.

    Each result waits for the one before. Where that takes time and there are many rows, one step is taken for all
    of them, on a copy of some columns with the last axis first.
    """
    if out.ndim == 1:
        if not isinstance(first, np.ndarray):
            accumulated(combine, values, out)
            return
        if first.size > 1:
            running_apart(combine, values, out, first)
            return
    length = out.shape[-1]
    rows = out.size // max(1, length)
    slow = out.dtype.kind == "f" or combine in (np.maximum, np.minimum)
    if np.ndim(first) and out.ndim > 1 and np.may_share_memory(values, out):
        values = values.copy()  # elements of other rows, as they were before
    if np.ndim(first) and first.shape[-1] > 1:
        running_apart(combine, values, out, first)
        return
    if rows < 512 or not slow:
        if np.ndim(first):
            out[...] = values
            combine(first, out[..., :1], out=out[..., :1])
            combine.accumulate(out, axis=-1, out=out)
            return
        accumulated(combine, values, out)
        return
    step = rows_at_once(len(out), rows // len(out), length, 1)
    columns = max(64, (1 << 19) // (step * rows // len(out)))
    scratch = np.empty((columns + 1, step + 16, *out.shape[1:-1]), out.dtype)
    for start in range(0, len(out), step):
        part = slice(start, min(start + step, len(out)))
        scratch[0, : part.stop - start] = first[part, ..., 0] if np.ndim(first) else first
        for left in range(0, length, columns):
            some = (part, ..., slice(left, left + columns))
            transposed = scratch[: min(columns, length - left) + 1, : part.stop - start]
            copy_transposed(transposed[1:], np.moveaxis(values[some], -1, 0))
            before = transposed[0]
            for now in transposed[1:]:
                combine(before, now, out=now)
                before = now
            copy_transposed(out[some], np.moveaxis(transposed[1:], 0, -1))
            transposed[0] = before


def accumulated(combine: Any, values: Any, out: Any) -> None:
    """Store the running results of an operation along the last axis, from what changes nothing."""
    combine.accumulate(values, -1, out.dtype, out)
    if (
        combine is np.add
        and out.dtype.kind == "f"
        and np.count_nonzero(first := values[..., :1]) < first.size
    ):
        np.add(out, 0, out=out)  # what starts from 0 does not become -0


def summed_area(values: Any, out: Any) -> None:
    """Store the sums of values above and to the left, beside the first row and the first column of an array.

    Long rows are summed up one after the other, while they are in the cache; so are those of which something is not
    finite, as their difference is no number.
    """
    rows, inner = out[..., 1:, :], out[..., 1:, 1:]
    if inner.shape[-1] < 512:
        np.add.accumulate(values, -2, out.dtype, inner)
        inner += out[..., :1, 1:] - out[..., :1, :-1]
        np.add.accumulate(rows, -1, out.dtype, rows)
        if out.dtype.kind != "f" or all_finite(rows[..., -1]):
            return
    for at in range(inner.shape[-2]):
        before, row = out[..., at, :], out[..., at + 1, :]
        np.add(values[..., at, :], before[..., 1:], out=row[..., 1:])
        np.subtract(row[..., 1:], before[..., :-1], out=row[..., 1:])
        np.add.accumulate(row, -1, out.dtype, row)


def running_apart(combine: Any, values: Any, out: Any, first: Any) -> None:
    """Store running results along the last axis that each begin with one some places before."""
    length, step = out.shape[-1], first.shape[-1]
    if step >= 512 or length <= 2 * step or (8 * step >= length and out.ndim > 1):
        for start in range(0, length, step):
            part = slice(start, min(start + step, length))
            combine(first[..., : part.stop - start], values[..., part], out=out[..., part])
            first = out[..., part]
        return
    count = -(-length // step) + 1
    flat = np.zeros((*out.shape[:-1], count * step), out.dtype)
    flat[..., :step] = first
    flat[..., step : step + length] = values
    table = flat.reshape(*out.shape[:-1], count, step)
    combine.accumulate(table, -2, None, table)
    out[...] = flat[..., step : step + length]


def counts_by_order(values: Any, keys: Any, less: int, place: int, upto: int, every: int, one: int) -> Any:
    """Return for each key a sum of: how many values are less, which place the key has among the values if these are the
    keys, how many are not greater, how many there are, and 1, each so many times. A nan counts nothing.
    """
    last = values.size
    order = values.argsort(kind="stable") if place else None
    ordered = values
    if order is None:
        ordered = np.sort(values)
    elif less or upto or (values.dtype.kind == "f" and last and values[order[-1]] != values[order[-1]]):
        ordered = values[order]
    if values.dtype.kind == "f" and last and np.isnan(ordered[-1]):
        last = int(ordered.searchsorted(np.nan))
    if order is None:
        result = np.full(keys.size, one + every * last)
    else:
        result = np.empty(keys.size, np.int64)
        places = np.arange(order.size)
        if place != 1 or one or every:
            places = places * place + (one + every * last)
        result[order] = places
    if less:
        result += less * ordered.searchsorted(keys)
    if upto:
        result += upto * ordered.searchsorted(keys, "right")
    if keys.dtype.kind == "f" and (keys is not values or last < values.size):
        result[np.isnan(keys)] = 0
    return result


def running_by_key(keys: Any, values: Any, before: Any, adds: bool) -> None:
    """Store what earlier places with the same key have left in an element: what is in `before` and the sum of their
    values if it `adds`, else the value of the last one, if there is one.
    """
    if not keys.size:
        return
    if keys.size >= 64 and keys.item(keys.argmax()) < 1 << 16 and keys.item(keys.argmin()) >= 0:
        keys = keys.astype(np.uint16)  # which are sorted by their digits
    order = keys.argsort(kind="stable")
    keys = keys[order]
    values = values[order]
    changes = keys[1:] != keys[:-1]
    if adds:
        sums = values.cumsum(dtype=values.dtype)
        sums -= values
        starts = np.concatenate(([0], changes.nonzero()[0] + 1))
        sums -= sums[starts].repeat(np.diff(starts, append=keys.size))
        before[order] += sums
    else:
        follows = (~changes).nonzero()[0]
        before[order[follows + 1]] = values[follows]
