"""Intrinsics, and the integer arithmetic of TIR."""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def exp10(x: Any) -> Any:
    """Return 10 to the power of x."""
    return np.power(x.dtype.type(10), x)


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x)."""
    return x.dtype.type(1) / np.sqrt(x)


def sigmoid(x: Any, out: Any = None) -> Any:
    """Return 1 / (1 + exp(-x)). `out` may be x. A large array is computed in parts that stay in the cache."""
    one = x.dtype.type(1)
    if x.size < 16384:
        below = one + np.exp(-x)
        return one / below if out is None else np.divide(one, below, out=out)
    source = np.ascontiguousarray(x).reshape(-1)
    result = for_parts(source, x.shape, out)
    flat = result.reshape(-1)
    for start in range(0, flat.size, 65536):
        part = flat[start : start + 65536]
        np.negative(source[start : start + 65536], out=part)
        np.exp(part, out=part)
        np.add(part, one, out=part)
        np.divide(one, part, out=part)
    if out is not None and result is not out:
        out[...] = result
    return result if out is None else out


def for_parts(source: Any, shape: Any, out: Any) -> Any:
    """Return `out`, or a new array, to store in parts what is computed of the parts of a row of elements."""
    if out is not None and out.flags.c_contiguous:
        same = out.__array_interface__["data"] == source.__array_interface__["data"]
        if same or not np.may_share_memory(out, source):  # else parts would be stored over what others read
            return out
    return np.empty(shape, source.dtype)


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
    source = np.ascontiguousarray(x).reshape(-1)
    result = for_parts(source, x.shape, out)
    flat = result.reshape(-1)
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


def reinterpret_int8(x: Any) -> Any:
    """Return the bits of numbers read as int8, in memory of their own."""
    return np.array(x).view(np.int8)[()]


def reinterpret_int16(x: Any) -> Any:
    """Return the bits of numbers read as int16, in memory of their own."""
    return np.array(x).view(np.int16)[()]


def reinterpret_int32(x: Any) -> Any:
    """Return the bits of numbers read as int32, in memory of their own."""
    return np.array(x).view(np.int32)[()]


def reinterpret_int64(x: Any) -> Any:
    """Return the bits of numbers read as int64, in memory of their own."""
    return np.array(x).view(np.int64)[()]


def reinterpret_uint8(x: Any) -> Any:
    """Return the bits of numbers read as uint8, in memory of their own."""
    return np.array(x).view(np.uint8)[()]


def reinterpret_uint16(x: Any) -> Any:
    """Return the bits of numbers read as uint16, in memory of their own."""
    return np.array(x).view(np.uint16)[()]


def reinterpret_uint32(x: Any) -> Any:
    """Return the bits of numbers read as uint32, in memory of their own."""
    return np.array(x).view(np.uint32)[()]


def reinterpret_uint64(x: Any) -> Any:
    """Return the bits of numbers read as uint64, in memory of their own."""
    return np.array(x).view(np.uint64)[()]


def reinterpret_float32(x: Any) -> Any:
    """Return the bits of numbers read as float32, in memory of their own."""
    return np.array(x).view(np.float32)[()]


def reinterpret_float64(x: Any) -> Any:
    """Return the bits of numbers read as float64, in memory of their own."""
    return np.array(x).view(np.float64)[()]


def truncated_quotient(a: Any, b: Any) -> Any:
    """Return a / b rounded toward zero, for integers; no b is 0."""
    quotient = a // b
    inexact = quotient * b != a
    return quotient + ((a < 0) != (b < 0)).astype(quotient.dtype) * inexact.astype(quotient.dtype)


def to_integer(x: Any, dtype: Any) -> Any:
    """Return floats without their fraction, wrapped into an integer type."""
    return x.astype(np.int64).astype(dtype)


def wrapped(value: int) -> int:
    """Wrap a number around to int64."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def integer_quotient(a: int, b: int) -> int:
    """Return a / b rounded toward zero, for Python integers."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient
