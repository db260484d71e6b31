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


def erf(x: Any) -> Any:
    """Return the error function: of float32 to about 4e-7, of float64 to the last bit or two."""
    if x.dtype == np.float64:
        return exact_erf(x)
    if not x.ndim:
        return short_erf(np.asarray(x).reshape(1))[0]
    if x.size <= 1 << 17:
        return short_erf(x)
    result = np.empty(x.shape, x.dtype)
    source, flat = np.ascontiguousarray(x).reshape(-1), result.reshape(-1)
    for start in range(0, flat.size, 65536):
        flat[start : start + 65536] = short_erf(source[start : start + 65536])
    return result


def short_erf(x: Any) -> Any:
    """Return the error function of float32 as an odd rational function of x between -4 and 4."""
    x = np.clip(x, np.float32(-4), np.float32(4))
    z = x * x
    over = np.full_like(z, -2.72614225801306e-10)
    for value in (2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
                  -2.95459980854025e-03, -1.60960333262415e-02):  # fmt: skip
        np.multiply(over, z, out=over)
        np.add(over, np.float32(value), out=over)
    under = np.full_like(z, -1.45660718464996e-05)
    for value in (-2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02):
        np.multiply(under, z, out=under)
        np.add(under, np.float32(value), out=under)
    np.multiply(over, x, out=over)
    np.divide(over, under, out=over)
    return np.clip(over, np.float32(-1), np.float32(1), out=over)


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


def integer_quotient(a: int, b: int) -> int:
    """Return a / b rounded toward zero, for Python integers."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def overlapping(written: Any, *others: Any) -> bool:
    """Tell whether an array that is written may share memory with another one."""
    return any(np.may_share_memory(written, other) for other in others)


def affine_view(array: Any, starts: Any, extents: Any, steps: Any) -> Any:
    """Return a view: along dimension l, index d of the array goes from starts[d] by steps[l][d].

    The caller has made sure that no element of it lies outside.
    """
    if 0 in extents:
        return np.empty(extents, array.dtype)
    first = array[tuple([slice(start, start + 1) for start in starts])]
    strides = [sum([step * stride for step, stride in zip(row, array.strides, strict=True)]) for row in steps]
    return np.lib.stride_tricks.as_strided(first, extents, strides)


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


def place_of_best(values: Any, greatest: bool, last: bool) -> Any:
    """Return where along the last axis the greatest (or least) value is: the first one, or the last. A nan is none."""
    if last:
        values = values[..., ::-1]
    far = values.ndim > 1 and abs(values.strides[-1]) > abs(values.strides[-2])
    for _ in range(2):
        if far:  # where elements lie far apart in memory, bools are looked through faster
            best = values.max(axis=-1) if greatest else values.min(axis=-1)
            place = (values == best[..., None]).argmax(axis=-1)
        else:
            place = values.argmax(axis=-1) if greatest else values.argmin(axis=-1)
            best = np.take_along_axis(values, np.asarray(place)[..., None], axis=-1)
        if values.dtype.kind != "f" or not np.isnan(best).any():
            break
        values = np.where(
            np.isnan(values), -np.inf if greatest else np.inf, values
        )  # NumPy finds a nan first
    return values.shape[-1] - 1 - place if last else place


def product_into(a: Any, b: Any, out: Any) -> None:
    """Store a @ b, whose last two dimensions may each stand for several of the target."""
    if out.flags.c_contiguous:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        np.matmul(a, b, out=out.reshape(*batch, a.shape[-2], b.shape[-1]))
    else:
        out[...] = np.matmul(a, b).reshape(out.shape)


def magnitude(x: Any) -> int:
    """Return a bound of the absolute values of integers: of their type if that is small, else of all of them."""
    if x.dtype == np.bool_ or not x.size:
        return 1
    if x.itemsize <= 2:
        limits = np.iinfo(x.dtype)
        return max(-int(limits.min), int(limits.max))
    return max(-int(x.min()), int(x.max()))


def integer_matmul(a: Any, b: Any, dtype: Any) -> Any:
    """Return a @ b in an integer type: as floats where every sum is exact in them, which is much faster."""
    greatest = a.shape[-1] * magnitude(a) * magnitude(b)
    if greatest >= 1 << 53:
        return np.matmul(a.astype(dtype), b.astype(dtype))
    wide = np.float32 if greatest <= 1 << 24 else np.float64
    product = np.matmul(a.astype(wide), b.astype(wide))
    return (
        product.astype(dtype)
        if greatest < 1 << 31 and np.dtype(dtype) == np.int32
        else to_integer(product, dtype)
    )


def copy_turned(target: Any, source: Any) -> None:
    """Copy an array that lies in memory by other axes than the target: in strips that stay in the cache."""
    axis = source.ndim - 1
    near = min(range(source.ndim), key=lambda at: abs(source.strides[at]) or 1 << 62)
    if near == axis or source.size < 1 << 14:
        target[...] = source
        return
    part = [slice(None)] * source.ndim
    for left in range(0, source.shape[near], 512):
        part[near] = slice(left, left + 512)
        for start in range(0, source.shape[axis], 8):
            part[axis] = slice(start, start + 8)
            target[tuple(part)] = source[tuple(part)]


def blend(condition: Any, yes: Any, no: Any, shape: Any) -> Any:
    """Return yes where a condition holds, else no: of large arrays bit by bit, which needs no branches."""
    dtype = np.result_type(yes, no)
    condition = np.broadcast_to(condition, shape)
    if condition.size < 1 << 14 or dtype.itemsize not in (4, 8) or dtype.kind not in "iuf":
        return np.where(condition, yes, no)
    bits = np.dtype(f"i{dtype.itemsize}")
    mask = np.negative(condition.astype(bits))
    a, b = np.asarray(yes, dtype).view(bits), np.asarray(no, dtype).view(bits)
    if not b.ndim and b == 0:
        return np.bitwise_and(mask, a, out=mask).view(dtype)
    np.bitwise_and(mask, a ^ b, out=mask)
    return np.bitwise_xor(mask, b, out=mask).view(dtype)


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
