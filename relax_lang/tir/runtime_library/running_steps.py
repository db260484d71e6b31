"""Running operations that start again or have a bound: whole chains of steps as a few running sums and extremes.

All run along the last axis of `out`; what a step does is an array of the shape of `out`, or a number for all steps.
`first` is what the first step begins with, for all rows or for each, in an axis of size 1.
"""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def carried(keeps: Any, values: Any, out: Any, first: Any) -> None:
    """Store the last value before which the steps keep what there was; `first` where there is none."""
    if out.ndim > 1:
        first = for_each_row(first, out)
        if is_tall(out):
            for at in range(out.shape[-1]):
                first = np.where(step_of(keeps, at), first, step_of(values, at))
                out[..., at] = first
            return
        for row in np.ndindex(first.shape):
            carried(row_of(keeps, row), row_of(values, row), out[row], first[row])
        return
    kept = kept_first(keeps)
    if np.ndim(values):
        np.take(values, restarts(keeps), out=out, mode="clip")
    else:
        out[...] = values
    out[:kept] = first


def restarted(keeps: Any, added: Any, values: Any, out: Any, first: Any) -> None:
    """Store running sums of what is added, that start again with other values where a step does not keep them. Integers
    wrap around, so that sums since a step are differences of sums from the first one on.
    """
    if out.ndim > 1:
        first = for_each_row(first, out)
        if is_tall(out):
            for at in range(out.shape[-1]):
                first = np.where(step_of(keeps, at), first + step_of(added, at), step_of(values, at))
                out[..., at] = first
            return
        for row in np.ndindex(first.shape):
            kept, more, value = [row_of(part, row) for part in (keeps, added, values)]
            restarted(kept, more, value, out[row], first[row])
        return
    if np.ndim(added):
        kept, since = kept_first(keeps), restarts(keeps)
        sums = np.add.accumulate(added, dtype=out.dtype)
        np.take(values - sums, since, out=out, mode="clip")
        out[:kept] = first
        np.add(out, sums, out=out)
    elif np.ndim(values):
        kept, since = kept_first(keeps), restarts(keeps)
        np.subtract(np.arange(out.size), since, out=out, casting="unsafe")
        out[:kept] += out.dtype.type(1)
        if added != 1:
            np.multiply(out, added, out=out)
        started = values.take(since, mode="clip")
        started[:kept] = first
        np.add(out, started, out=out)
    else:
        steps = np.arange(1, out.size + 1)
        ended = steps * ~keeps  # as if the steps before the first one had ended with the same value
        np.maximum.accumulate(ended, out=ended)
        np.subtract(steps, ended, out=out, casting="unsafe")
        if added != 1:
            np.multiply(out, added, out=out)
        if values != 0:
            np.add(out, values, out=out)
        if first != values:
            out[: kept_first(keeps)] += np.subtract(first, values, dtype=out.dtype)


def bounded(combine: Any, added: Any, bounds: Any, out: Any, first: Any, then: Any = 0) -> None:
    """Store running sums that are, in each step, the greater (or lesser) one of the sum and a bound, to which something
    else may then be added. Where no sum can wrap around, they are sums without bounds and a running extreme of what
    is missing to these; else each step is taken.
    """
    if out.ndim > 1:
        first = for_each_row(first, out)
        if is_tall(out):
            for at in range(out.shape[-1]):
                first = combine(first + step_of(added, at), step_of(bounds, at)) + step_of(then, at)
                out[..., at] = first
            return
        for row in np.ndindex(first.shape):
            more, bound, last = [row_of(part, row) for part in (added, bounds, then)]
            bounded(combine, more, bound, out[row], first[row], last)
        return
    start = int(first.item()) if isinstance(first, np.ndarray) else int(first)
    most = (largest(added) + largest(then)) * out.size + largest(bounds) + abs(start)
    if most >= 1 << 62 or not bounded_at_once(combine, added, bounds, out, start, then):
        bounded_by_steps(combine, added, bounds, out, start, then)


def bounded_at_once(combine: Any, added: Any, bounds: Any, out: Any, start: int, then: Any) -> bool:
    """Store bounded sums that do not wrap around as 64-bit integers; return whether they do not in their own dtype."""
    later = np.ndim(then) or then != 0
    if np.ndim(added) or np.ndim(then):
        steps = np.add(added, then, dtype=np.int64) if later else added
        sums = np.add.accumulate(steps, dtype=np.int64)
    else:
        sums = np.arange(1, out.size + 1) * (int(added) + int(then))
    if later:
        bounds = np.add(bounds, then, dtype=np.int64)
    missing = np.subtract(bounds, sums, dtype=np.int64)
    combine.accumulate(missing, out=missing)
    combine(missing, start, out=missing)
    sums += missing
    if out.itemsize < 8:
        limits = np.iinfo(out.dtype)
        missing[0] = start
        missing[1:] = sums[:-1]
        missing += added
        least, most = min(sums.min(), missing.min()), max(sums.max(), missing.max())
        if least < limits.min or most > limits.max:
            return False
    out[...] = sums
    return True


def bounded_by_steps(combine: Any, added: Any, bounds: Any, out: Any, start: int, then: Any) -> None:
    """Store bounded sums one after the other; they wrap around."""
    best = max if combine is np.maximum else min
    half = 1 << (8 * out.itemsize - 1)
    steps = [np.broadcast_to(part, out.shape).tolist() for part in (added, bounds, then)]
    before = start
    results = []
    for more, bound, last in zip(*steps, strict=True):
        before = best((before + more + half) % (2 * half) - half, bound)
        before = (before + last + half) % (2 * half) - half
        results.append(before)
    out[...] = results


def largest(value: Any) -> int:
    """Return how large integers are at most, whatever their sign."""
    if not np.ndim(value):
        return abs(int(value))
    return max(abs(int(value.max())), abs(int(value.min())))


def restarts(keeps: Any) -> Any:
    """Return for each step the last one up to it that does not keep the value before; 0 if there is none."""
    since = np.arange(keeps.size)
    since *= ~keeps
    return np.maximum.accumulate(since, out=since)


def kept_first(keeps: Any) -> int:
    """Return how many steps keep the value before until the first one that does not."""
    first = int(keeps.argmin())
    return keeps.size if keeps[first] else first


def is_tall(out: Any) -> bool:
    """Return whether there are so many rows that one step of all of them is better than all steps of one."""
    return 4 * out.size > out.shape[-1] ** 2


def step_of(part: Any, at: int) -> Any:
    """Return one step of all rows."""
    return part[..., at] if np.ndim(part) else part


def row_of(part: Any, row: tuple[int, ...]) -> Any:
    """Return the steps of one row."""
    return part[row] if np.ndim(part) else part


def for_each_row(first: Any, out: Any) -> Any:
    """Return what the first step of each row begins with."""
    return np.broadcast_to(first, (*out.shape[:-1], 1))[..., 0]
