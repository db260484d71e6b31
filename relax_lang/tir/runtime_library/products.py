"""Products of matrices: of integers as floats, of small types a part at a time, into arrays of any layout."""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

from relax_lang.tir.runtime_library.arithmetic import to_integer
from relax_lang.tir.runtime_library.guards import all_finite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def product_into(a: Any, b: Any, out: Any) -> None:
    """Store a @ b, whose last two dimensions may each stand for several of the target."""
    if out.flags.c_contiguous:
        batch = () if a.ndim == b.ndim == 2 else np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        np.matmul(a, b, out=out.reshape(*batch, a.shape[-2], b.shape[-1]))
    else:
        out[...] = np.matmul(a, b).reshape(out.shape)


def products_of_columns(a: Any, b: Any, out: Any = None) -> Any:
    """Return the sums of products along the first axis: of large arrays in the order in which rows lie."""
    if a.size < 1 << 13:
        vecdot: Any = np.vecdot
        return vecdot(a, b, axis=0, out=out)
    return np.einsum("a...,a...->...", a, b, out=out)


def magnitude(x: Any, zero: Any = None) -> int:
    """Return a bound of the absolute values of integers, less others: at least 1. Of small types the limits are taken,
    else the least and the greatest number.
    """
    bits = 8 * x.itemsize
    if x.dtype == np.bool_ or not x.size:
        low, high = 0, 1
    elif bits > 16:
        low, high = int(x.min()), int(x.max())
    elif x.dtype.kind == "u":
        low, high = 0, (1 << bits) - 1
    else:
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    if zero is not None and zero.size:
        low, high = low - int(zero.max()), high - int(zero.min())
    return max(1, -low, high)


def even_step(total: int, most: int) -> int:
    """Return the step that goes through a number in as few parts as steps of `most` do, all about equal."""
    parts = max(1, -(-total // max(1, most)))
    return max(1, min(most, -(-total // (16 * parts)) * 16))


def product_steps(shape: Any, deepest: int, room: int, costs: Any) -> tuple[int, int, int, int]:
    """Return how much of some products to compute at a time, so that temporary arrays have about `room` elements: how
    many products, rows, columns, and how deep. `costs` say what needs such an array: the factors, the result.
    """
    count, rows, columns, depth = shape
    first, second, result = costs
    deepest = min(deepest, max(256, room >> 8)) if first or second else deepest
    deep = even_step(depth, deepest)
    size = first * rows * deep + second * deep * columns + result * rows * columns
    if size <= room:
        return max(1, min(count, room // max(1, size))), rows, columns, deep
    if min(rows, columns) < 32:
        room = min(room, 1 << 18)  # little is done with each element: better while it is in the cache
    across = even_step(columns, max(64, 2 * room // (3 * deep))) if second else columns
    left = max(0, room - 1024 - second * deep * across)  # the arrays are not all that needs memory
    down = even_step(rows, max(32, left // max(1, first * deep + result * across)))
    if down == rows and second:
        left = max(0, room - first * rows * deep)
        across = even_step(columns, max(64, left // (deep + result * rows)))
    return 1, down, across, deep


class Factor:
    """A stack of matrices that is multiplied as another type, less others (`zero`): a part at a time, for which one
    array is used again and again.
    """

    def __init__(self, matrices: Any, zero: Any, wide: Any) -> None:
        self.matrices = matrices
        self.zero = zero
        self.wide = wide
        self.is_copied = matrices.dtype != wide or zero is not None
        self.room: Any = None

    def part(self, *box: slice) -> Any:
        """Return some of the matrices; one for all stands for each of them."""
        part = self.matrices[self.places(self.matrices, box)]
        if not self.is_copied:
            return part
        if self.room is None:
            self.room = np.empty_like(part, self.wide)
        copy = self.room[tuple([slice(size) for size in part.shape])]
        copy[...] = part
        if self.zero is not None:
            np.subtract(copy, self.zero[self.places(self.zero, box)].astype(self.wide), out=copy)
        return copy

    def part_of_zero(self, axis: int, some: slice) -> Any:
        """Return what of `zero` belongs to some along an axis."""
        if self.zero is None or self.zero.shape[axis] == 1:
            return self.zero
        return self.zero[(slice(None),) * axis + (some,)]

    def places(self, array: Any, box: Any) -> Any:
        """Return what belongs to a part in an array that may have but one element along a dimension."""
        return tuple([some if size > 1 else slice(None) for size, some in zip(array.shape, box, strict=True)])


def add_product(out: Any, product: Any, sign: int, fits: bool) -> None:
    """Store a product (sign 0), add it to what is there, or subtract it. Floats may be integers that fit the type."""
    if product.dtype.kind == "f" and out.dtype.kind in "iu":
        if not fits:
            product = to_integer(product, out.dtype)
        elif sign:
            product = product.astype(out.dtype)
    if not sign:
        out[...] = product
    elif product.dtype != out.dtype:  # halves: rounded once
        out[...] = out.astype(product.dtype) + sign * product
    else:
        (np.add if sign > 0 else np.subtract)(out, product, out=out)


def blocked_product(out: Any, first: Factor, second: Factor, sign: int, deepest: int, fits: bool) -> None:
    """Combine stacks of matrices with the products of others: some rows and columns at a time, so that copies need
    half of the memory of the arrays at most, and no sum of floats has more than `deepest` terms.
    """
    a, b, wide = first.matrices, second.matrices, first.wide
    shape = *out.shape, a.shape[-1]
    depth = shape[-1]
    if not depth and not sign:
        out.fill(0)
    inside = not sign and depth <= deepest and out.itemsize == wide.itemsize and out.flags.c_contiguous
    room = max(1 << 18, min(1 << 24, (a.nbytes + b.nbytes + out.nbytes) // 2)) // wide.itemsize
    steps = product_steps(shape, deepest, room, (first.is_copied, second.is_copied, not inside))
    inside = inside and steps[3] >= depth
    floats = out.view(wide) if inside else out
    cuts = [
        [slice(at, at + step) for at in range(0, size, step)] for size, step in zip(shape, steps, strict=True)
    ]
    for deep in cuts[3]:
        for some in cuts[0]:
            for across in cuts[2]:
                right = second.part(some, deep, across)
                for down in cuts[1]:
                    left = first.part(some, down, deep)
                    if inside:
                        np.matmul(left, right, out=floats[some, down, across])
                    else:
                        add_product(out[some, down, across], np.matmul(left, right), sign, fits)
        sign = sign or 1
    if inside and out.dtype != wide:
        add_product(out.reshape(-1), floats.reshape(-1), 0, fits)


def stack(x: Any) -> Any:
    """Return a matrix, or a stack of them, with three dimensions."""
    return x.reshape((1,) * (3 - x.ndim) + x.shape)


def stacked_product(
    out: Any, a: Any, b: Any, sign: int, wide: Any, deepest: int, fits: bool, zeros: Any
) -> None:
    """Combine an array with a @ b, whose last two dimensions may each stand for several of it."""
    if a.size + b.size + out.size < 1 << 15 and a.shape[-1] <= deepest:
        a, b = [
            x.astype(wide, copy=False) if zero is None else x.astype(wide) - zero.astype(wide)
            for x, zero in zip((a, b), zeros, strict=True)
        ]
        add_product(out, np.matmul(a, b).reshape(out.shape), sign, fits)
        return
    first, second = Factor(stack(a), zeros[0], wide), Factor(stack(b), zeros[1], wide)
    counts = len(first.matrices), len(second.matrices)
    shape = min(counts) and max(counts), first.matrices.shape[1], second.matrices.shape[2]
    if not out.size:
        return
    if lies_as(out, shape):
        blocked_product(out.reshape(shape), first, second, sign, deepest, fits)
    else:
        cut_product(out, shape, (first, second), sign, deepest, fits)


def lies_as(array: Any, shape: Any) -> bool:
    """Return whether an array can have another shape, of fewer dimensions, without a copy; it is not empty."""
    dims = [(size, stride) for size, stride in zip(array.shape, array.strides, strict=True) if size != 1]
    for wanted in reversed(shape):
        found, inner = 1, 0
        while found < wanted:
            if not dims:
                return False
            size, stride = dims.pop()
            if found == 1:
                inner = stride
            elif stride != inner * found:
                return False
            found *= size
        if found != wanted:
            return False
    return True


def cut_product(out: Any, shape: Any, factors: Any, sign: int, deepest: int, fits: bool) -> None:
    """Combine an array that is not a stack of matrices in memory with products: some along its first axis at a time,
    which is one of those of the stack, or of the rows of a single matrix.
    """
    first, second = factors
    count, rows, columns = shape
    kind = out.dtype if out.dtype.kind in "iu" else first.wide
    at = 0 if count > 1 else 1
    step, (each, rest) = len(out), divmod((count, rows)[at], len(out))  # matrices, or rows, for each element
    if not rest:  # else there is one row, and the first dimension is one of the columns
        step = max(1, min(len(out), (1 << 18) * len(out) // out.size))
    for start in range(0, len(out), step):
        part = out[start : start + step]
        some = slice(start * each, (start + len(part)) * each)
        parts = [
            Factor(x.matrices[(slice(None),) * at + (some,)], x.part_of_zero(at, some), x.wide)
            if step < len(out) and (x is first or not at) and x.matrices.shape[at] > 1
            else x
            for x in (first, second)
        ]
        size = [count, rows, columns]
        if not rest:
            size[at] = len(part) * each
        product = np.empty(size, kind)
        blocked_product(product, parts[0], parts[1], 0, deepest, fits)
        add_product(part, product.reshape(part.shape), sign, True)


def float_product(
    out: Any, a: Any, b: Any, sign: int, wide: Any, a_zero: Any = None, b_zero: Any = None
) -> None:
    """Store (a - a_zero) @ (b - b_zero) as floats (sign 0), or add it to what is there (1), or subtract it (-1)."""
    if a_zero is None and b_zero is None and a.dtype == b.dtype == out.dtype == wide and out.size < 1 << 15:
        add_product(out, np.matmul(a, b).reshape(out.shape), sign, True)
        return
    zeros = [None if zero is None else stack(np.asarray(zero)) for zero in (a_zero, b_zero)]
    stacked_product(out, a, b, sign, np.dtype(wide), 1 << 62, True, zeros)


def masked_product(a: Any, b: Any, mask: Any, wide: Any, of_second: bool = False) -> Any:
    """Return a @ b without the elements of a, or of b, for which a mask does not hold."""
    if of_second:
        a, b, mask = [np.swapaxes(x, -1, -2) for x in (a, b, mask)]
        return np.swapaxes(masked_product(b, a, mask, wide), -1, -2)
    a = np.where(mask, a, a.dtype.type(0))
    if np.dtype(wide).kind in "iu":
        return integer_matmul(a, b, wide)
    product = np.matmul(a.astype(wide, copy=False), b.astype(wide, copy=False))
    if all_finite(product):
        return product
    batch = product.shape[:-2]  # 0 times infinity may have got in
    a, mask, b = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, mask, b)]
    for at in np.ndindex(product.shape[:-1]):
        some = mask[at]
        product[at] = np.matmul(a[at][some].astype(wide), b[at[:-1]][some].astype(wide))
    return product


def integer_product(out: Any, a: Any, b: Any, sign: int = 0, a_zero: Any = None, b_zero: Any = None) -> None:
    """Store (a - a_zero) @ (b - b_zero) as integers that wrap around (sign 0), or add it (1), or subtract it (-1).

    Floats multiply matrices much faster, so the type is one in which sums of so many terms are exact.
    """
    zeros = [None if zero is None else stack(np.asarray(zero)) for zero in (a_zero, b_zero)]
    greatest = magnitude(a, zeros[0]) * magnitude(b, zeros[1])
    depth = a.shape[-1]
    wide, deepest = np.dtype(np.float32), (1 << 24) // greatest
    if deepest < min(depth, 64):
        wide, deepest = np.dtype(np.float64), (1 << 53) // greatest
    if deepest < min(depth, 64):
        wide, deepest = out.dtype, max(1, depth)
    fits = out.dtype.kind == "i" and min(depth, deepest) * greatest < 1 << (8 * out.itemsize - 1)
    stacked_product(out, a, b, sign, wide, deepest, fits, zeros)


def integer_matmul(a: Any, b: Any, dtype: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
    """Return (a - a_zero) @ (b - b_zero) in an integer type."""
    out = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), dtype)
    integer_product(out, a, b, 0, a_zero, b_zero)
    return out


def combine_convolutions(out: Any, first: Any, second: Any, combine: Any) -> None:
    """Add the convolutions of the rows of two arrays to those of another one, or subtract them."""
    if out.ndim == 1:
        combine(out, np.convolve(first, second), out=out)
        return
    if first.shape[-1] < second.shape[-1]:
        first, second = second, first
    length, steps = first.shape[-1], second.shape[-1]
    rows = out.shape[:-1]
    if out[..., 0].size <= steps or length * steps > 4096:
        first, second = np.broadcast_to(first, (*rows, length)), np.broadcast_to(second, (*rows, steps))
        for row in np.ndindex(rows):
            combine(out[row], np.convolve(first[row], second[row]), out=out[row])
        return
    for at in range(steps):  # of short rows many at once
        part = out[..., at : at + length]
        combine(part, first * second[..., at : at + 1], out=part)


def correlate_into(out: Any, values: Any, weights: Any, sign: int) -> None:
    """Store the sums of products of weights with values from each on (sign 0), add them (1), or subtract them (-1)."""
    if not out.size or not weights.size:
        if not sign:
            out.fill(0)
        return
    found = np.correlate(values, weights)
    if not sign:
        out[...] = found
    else:
        (np.add if sign > 0 else np.subtract)(out, found, out=out)
