"""Functions that NumPy lacks, on arrays and NumPy scalars: intrinsics, and the integer arithmetic of TIR.

The interpreter calls them, and compiled modules contain the text of those they use, so both compute the same.
Every function stands alone: it uses `np`, its arguments, other functions of this module, and nothing else.
"""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NotVectorized(Exception):  # noqa: N818 - no error: the scalar interpreter takes over
    """The arrays at hand are outside of what the vectorized code was proved for."""


def exp10(x: Any) -> Any:
    """Return 10 to the power of x."""
    return np.power(x.dtype.type(10), x)


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x)."""
    return x.dtype.type(1) / np.sqrt(x)


def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))


def ldexp(x: Any, n: Any) -> Any:
    """Return x * 2 ** n for integers n of any type and size."""
    return np.ldexp(x, np.clip(n.astype(np.float64), -5000.0, 5000.0).astype(np.int32))


def horner(x: Any, *coefficients: float) -> Any:
    """Return the polynomial with these coefficients, the constant one first."""
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = result * x + coefficient
    return result


def erf(x: Any, out: Any = None) -> Any:
    """Return the error function: of float32 to about 4e-7, of float64 to the last bit or two. `out` may be x."""
    if x.dtype == np.float64:
        result = exact_erf(x)
        if out is None:
            return result
        out[...] = result
        return out
    if not x.ndim:
        return erf(np.asarray(x).reshape(1))[0]
    result = np.empty(x.shape, x.dtype) if out is None or not out.flags.c_contiguous else out
    source, flat = np.ascontiguousarray(x).reshape(-1), result.reshape(-1)
    parts = np.empty((3, min(flat.size, 131072)), x.dtype)
    for start in range(0, flat.size, 131072):
        part = flat[start : start + 131072]
        short_erf(source[start : start + 131072], part, *parts[:, : part.size])
    if out is not None and result is not out:
        out[...] = result
    return result if out is None else out


def short_erf(x: Any, out: Any, z: Any, over: Any, under: Any) -> None:
    """Store the error function of float32: an odd rational function of x between -4 and 4; the rest is scratch."""
    np.clip(x, np.float32(-4), np.float32(4), out=out)
    np.multiply(out, out, out=z)
    np.multiply(z, np.float32(-2.72614225801306e-10), out=over)
    for value in (2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
                  -2.95459980854025e-03):  # fmt: skip
        np.add(over, np.float32(value), out=over)
        np.multiply(over, z, out=over)
    np.add(over, np.float32(-1.60960333262415e-02), out=over)
    np.multiply(z, np.float32(-1.45660718464996e-05), out=under)
    for value in (-2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03):
        np.add(under, np.float32(value), out=under)
        np.multiply(under, z, out=under)
    np.add(under, np.float32(-1.42647390514189e-02), out=under)
    np.multiply(over, out, out=over)
    np.divide(over, under, out=over)
    np.clip(over, np.float32(-1), np.float32(1), out=out)


def exact_erf(x: Any) -> Any:
    """Return the error function to the last bit or two of float64, by the rational forms of FreeBSD's libm."""
    wide = np.asarray(x, np.float64)
    a = np.abs(wide)
    z = np.minimum(a, 0.84375) ** 2
    small = horner(
        z, 1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
        -5.77027029648944159157e-03, -2.37630166566501626084e-05,
    ) / horner(
        z, 1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
        1.32494738004321644526e-04, -3.96022827877536812320e-06,
    )  # fmt: skip
    s = np.clip(a, 0.84375, 1.25) - 1.0
    middle = 8.45062911510467529297e-01 + horner(
        s, -2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
        3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
        -2.16637559486879084300e-03,
    ) / horner(
        s, 1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
        1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02,
    )  # fmt: skip
    # erfc(a) = exp(-a*a - 0.5625 + r) / a, with two rational forms for r; above 6 it is below half a last bit.
    b = np.clip(a, 1.25, 6.0)
    t = 1.0 / (b * b)
    near = horner(
        t, -9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e01,
        -6.23753324503260060396e01, -1.62396669462573470355e02, -1.84605092906711035994e02,
        -8.12874355063065934246e01, -9.81432934416914548592e00,
    ) / horner(
        t, 1.0, 1.96512716674392571292e01, 1.37657754143519042600e02, 4.34565877475229228821e02,
        6.45387271733267880336e02, 4.29008140027567833386e02, 1.08635005541779435134e02,
        6.57024977031928170135e00, -6.04244152148580987438e-02,
    )  # fmt: skip
    far = horner(
        t, -9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e01,
        -1.60636384855821916062e02, -6.37566443368389627722e02, -1.02509513161107724954e03,
        -4.83519191608651397019e02,
    ) / horner(
        t, 1.0, 3.03380607434824582924e01, 3.25792512996573918826e02, 1.53672958608443695994e03,
        3.19985821950859553908e03, 2.55305040643316442583e03, 4.74528541206955367215e02,
        -2.24409524465858183362e01,
    )  # fmt: skip
    tail = 1.0 - np.exp(-b * b - 0.5625 + np.where(b < 1.0 / 0.35, near, far)) / b
    above = np.copysign(np.where(a < 1.25, middle, tail), wide)
    result = np.where(a < 0.84375, wide + wide * small, above)
    return np.where(np.isnan(wide), wide, result).astype(x.dtype)[()]


def bits_of(x: Any) -> Any:
    """Return the bit pattern of integers as uint64."""
    return x.astype(f"u{x.dtype.itemsize}").astype(np.uint64)


def popcount(x: Any) -> Any:
    """Return how many bits are set."""
    u = bits_of(x)
    one, two, four = np.uint64(1), np.uint64(2), np.uint64(4)
    u = u - ((u >> one) & np.uint64(0x5555555555555555))
    u = (u & np.uint64(0x3333333333333333)) + ((u >> two) & np.uint64(0x3333333333333333))
    u = (u + (u >> four)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((u * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(x.dtype)


def clz(x: Any) -> Any:
    """Return how many bits above the highest set one are clear."""
    u = bits_of(x)
    for shift in (1, 2, 4, 8, 16, 32):
        u = u | (u >> np.uint64(shift))
    return (8 * x.dtype.itemsize - popcount(u).astype(np.int64)).astype(x.dtype)


def truncated_quotient(a: Any, b: Any) -> Any:
    """Return a / b rounded toward zero, for integers; no b is 0."""
    quotient = a // b
    inexact = quotient * b != a
    return quotient + ((a < 0) != (b < 0)).astype(quotient.dtype) * inexact.astype(quotient.dtype)


def nonzero(divisor: Any) -> Any:
    """Return a divisor; if there is a 0 in it the scalar interpreter takes over, to fail where it must."""
    if not np.all(divisor):
        raise NotVectorized("division by zero")
    return divisor


def to_integer(x: Any, dtype: Any) -> Any:
    """Return floats without their fraction, wrapped into an integer type."""
    return x.astype(np.int64).astype(dtype)


def require(condition: Any) -> None:
    """Hand the call over to the scalar interpreter where a condition does not hold."""
    if not condition:
        raise NotVectorized("a condition of the vectorized code does not hold")


def wrapped(value: int) -> int:
    """Wrap a number around to int64."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def integer_quotient(a: int, b: int) -> int:
    """Return a / b rounded toward zero, for Python integers."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def affine_view(array: Any, starts: Any, extents: Any, steps: Any) -> Any:
    """Return a view: along dimension l, index d of the array goes from starts[d] by steps[l][d].

    The caller has made sure that no element of it lies outside, or looks at none.
    """
    if 0 in extents:
        return np.empty(extents, array.dtype)
    strides = [sum(map(int.__mul__, row, array.strides)) for row in steps]
    if array.flags.c_contiguous and array.dtype.kind != "V":  # ten times as fast as what follows
        try:
            return np.ndarray(
                extents, array.dtype, array, sum(map(int.__mul__, starts, array.strides)), strides
            )
        except ValueError:
            pass  # it lies outside
    first = array[tuple([slice(start, start + 1) for start in starts])]
    return np.lib.stride_tricks.as_strided(first, extents, strides)


def from_run(run: Any, extents: Any, steps: Any) -> Any:
    """Return the view of a flat array whose dimensions go by so many elements."""
    strides = [step * run.itemsize for step in steps]
    return np.ndarray(extents, run.dtype, run, 0, strides)


def inside(index: Any, size: int) -> Any:
    """Return indices; if one lies outside of a dimension the scalar interpreter takes over, to fail where it must."""
    if isinstance(index, int):
        outside = not 0 <= index < size
    else:
        outside = index.size > 0 and (index.min() < 0 or index.max() >= size)
    if outside:
        raise NotVectorized("an index is outside of its array")
    return index


def scatter(target: Any, places: Any, values: Any, shape: Any, combine: Any = None) -> None:
    """Store values at places in row-major order, so that the last of two for one element wins; or combine all.

    `places` has one array of indices, or one number, for each dimension; they and the values fill out `shape`.
    """
    values = np.broadcast_to(values, shape).reshape(-1)
    lists = tuple([np.ascontiguousarray(np.broadcast_to(place, shape)).reshape(-1) for place in places])
    if not values.size:
        return
    if not lists:
        target, lists = target.reshape(1), (np.zeros(values.size, np.int64),)
    if combine is not None:
        combine.at(target, lists, values)
    else:
        target[lists] = values


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
    if values.flags.c_contiguous:
        starts = np.arange(0, values.size, values.shape[-1]).reshape(values.shape[:-1])
        return values.reshape(-1)[starts + place]
    if values.ndim == 2:
        return values[np.arange(len(values)), place]
    return np.take_along_axis(values, np.asarray(place)[..., None], axis=-1)[..., 0]


def product_into(a: Any, b: Any, out: Any) -> None:
    """Store a @ b, whose last two dimensions may each stand for several of the target."""
    if out.flags.c_contiguous:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        np.matmul(a, b, out=out.reshape(*batch, a.shape[-2], b.shape[-1]))
    else:
        out[...] = np.matmul(a, b).reshape(out.shape)


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
    """Tell whether an array can have another shape, of fewer dimensions, without a copy; it is not empty."""
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
    """Combine an array that is no stack of matrices in memory with products: some along its first dimension at a time,
    if that is the stack, or the rows of a single matrix.
    """
    first, second = factors
    count, rows, columns = shape
    kind = out.dtype if out.dtype.kind in "iu" else first.wide
    step, at = len(out), 0 if count > 1 else 1
    if len(out) == (count, rows)[at]:
        step = max(1, min(len(out), (1 << 18) * len(out) // out.size))
    for start in range(0, len(out), step):
        some = slice(start, start + step)
        parts = [
            Factor(x.matrices[(slice(None),) * at + (some,)], x.part_of_zero(at, some), x.wide)
            if step < len(out) and (x is first or not at) and x.matrices.shape[at] > 1
            else x
            for x in (first, second)
        ]
        part = out[some]
        product = np.empty(
            (count if at else len(part), len(part) if at and step < len(out) else rows, columns), kind
        )
        blocked_product(product, parts[0], parts[1], 0, deepest, fits)
        add_product(part, product.reshape(part.shape), sign, True)


def float_product(
    out: Any, a: Any, b: Any, sign: int, wide: Any, a_zero: Any = None, b_zero: Any = None
) -> None:
    """Store (a - a_zero) @ (b - b_zero) as floats (sign 0), or add it to what is there (1), or subtract it (-1)."""
    zeros = [None if zero is None else stack(np.asarray(zero)) for zero in (a_zero, b_zero)]
    stacked_product(out, a, b, sign, np.dtype(wide), 1 << 62, True, zeros)


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


def rows_at_once(rows: int, width: int, length: int, copies: int) -> int:
    """Return how many rows are turned at once, for scans along them: steps should be long, and copies small.

    A row has `width` runs of `length` elements; of these there are so many copies.
    """
    wanted = max(1024, (1 << 20) // max(1, length)) // copies
    blocks = (rows * width + wanted // 2) // wanted
    return max(1, -(-rows // max(1, blocks)))


def running(combine: Any, values: Any, out: Any, first: Any) -> None:
    """Store the running results of an operation along the last axis, in order; `first` is what it starts from.

    Each result waits for the one before. Where that takes time and there are many rows, one step is taken for all
    of them, on a copy of some columns with the last axis first.
    """
    length = out.shape[-1]
    rows = out.size // max(1, length)
    slow = out.dtype.kind == "f" or combine in (np.maximum, np.minimum)
    if rows < 512 or not slow:
        combine.accumulate(values, axis=-1, dtype=out.dtype, out=out)
        if combine is np.add and out.dtype.kind == "f" and not np.all(values[..., :1]):
            np.add(out, 0, out=out)  # what starts from 0 does not become -0
        return
    step = rows_at_once(len(out), rows // len(out), length, 1)
    columns = max(64, (1 << 19) // (step * rows // len(out)))
    scratch = np.empty((columns + 1, step + 16, *out.shape[1:-1]), out.dtype)
    for start in range(0, len(out), step):
        part = slice(start, min(start + step, len(out)))
        scratch[0] = first
        for left in range(0, length, columns):
            some = (part, ..., slice(left, left + columns))
            turned = scratch[: min(columns, length - left) + 1, : part.stop - start]
            copy_transposed(turned[1:], np.moveaxis(values[some], -1, 0))
            before = turned[0]
            for now in turned[1:]:
                combine(before, now, out=now)
                before = now
            copy_transposed(out[some], np.moveaxis(turned[1:], 0, -1))
            turned[0] = before


def blend(condition: Any, yes: Any, no: Any, shape: Any, out: Any = None) -> Any:
    """Return yes where a condition holds, else no: of large arrays bit by bit, which needs no branches. `out` may be
    one of the two.
    """
    out = np.empty(shape, np.result_type(yes, no)) if out is None else out
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


class restored:  # noqa: N801 - used like a function, in `with restored(Y):`
    """Puts arrays back as they were if the scalar interpreter must take over in the middle."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        self.copies = [array.copy() for array in arrays]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is NotVectorized:
            for array, copy in zip(self.arrays, self.copies, strict=True):
                array[...] = copy
