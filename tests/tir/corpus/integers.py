"""What the PrimFuncs of `integers.rlx` compute."""

from __future__ import annotations

import math
import zlib
from datetime import date, timedelta

import numpy as np

from tests.tir.cases import Case, at, between, values, wrapped

EXTREMES8 = values(-128, 127, -1, 0, 1, 100, -100)
MANY = at(n=(7, 1, 0, 20))
NO_ZERO = values(1, -1, 3, -3, 7, -8, 100)


def exactly(function, *arrays):
    """Apply a function to Python integers, which do not wrap around."""
    columns = zip(*[array.tolist() for array in arrays], strict=True)
    return np.array([function(*column) for column in columns], object)


def truncated(a, b):
    quotient = np.trunc(a[:, None] / b).astype(np.int64)
    return quotient, a[:, None] - quotient * b


def floored(a, b):
    quotient = np.floor(a[:, None] / b).astype(np.int64)
    return quotient, a[:, None] - quotient * b


def modulo(numbers, bits, signed=True):
    """Reduce exact numbers modulo a power of two."""
    numbers = numbers % 2**bits
    return np.where(numbers >= 2 ** (bits - 1), numbers - 2**bits, numbers) if signed else numbers


def wrapping(a, b, bits, signed):
    rows = [exactly(f, a, b) for f in (lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y)]
    return np.array([modulo(row, bits, signed) for row in rows]).T.reshape(len(a), 3)


def wrapping64(a, b):
    rows = [exactly(f, a, b) for f in (lambda x, y: x * y + 1, lambda x, y: -x - y)]
    return np.array([modulo(row, 64) for row in rows]).T.reshape(len(a), 2)


def by_constants(x):
    cases = [np.trunc(x / 7), np.floor(x / 7), x - 7 * np.floor(x / 7), wrapped(-x.astype(int), "int8")]
    return np.stack(cases, axis=1)


def shifts(x, u, s):
    rows = [
        modulo(exactly(lambda v: v * 8, x), 32),
        exactly(lambda v, k: v // 2**k, x, s),
        modulo(exactly(lambda k: 2**k, s), 32),
    ]
    return np.array(rows).T.reshape(len(x), 3), exactly(lambda v, k: v // 2**k, u, s)


def bits(x, width):
    return "{:0{}b}".format(x, width)


def interleaved(x, z):
    return exactly(
        lambda a, b: int("".join(q + p for p, q in zip(bits(a % 256, 8), bits(b % 256, 8), strict=True)), 2),
        x,
        z,
    )


def hashed(x):
    def one(row):
        h = 2166136261
        for byte in row:
            h = (h ^ byte) * 16777619 % 2**32
        return h

    return np.array([one(row) for row in x.tolist()], np.int64)


def mixed(x):
    def one(v):
        v = (v ^ v >> 30) * 13787848793156543929 % 2**64
        v = (v ^ v >> 27) * 10723151780598845931 % 2**64
        return v ^ v >> 31

    return exactly(one, x)


def collatz(v):
    steps = 0
    while v > 1:
        v, steps = (3 * v + 1 if v % 2 else v // 2), steps + 1
    return steps


def primes(y):
    return np.array([v > 1 and all(v % d for d in range(2, math.isqrt(v) + 1)) for v in range(len(y))])


def calendar(days):
    dates = [date(1970, 1, 1) + timedelta(days=day) for day in days.tolist()]
    return np.array([(d.year, d.month, d.day) for d in dates]).reshape(len(days), 3)


def logic(a, b):
    return np.stack([a > b, a ^ b, ~a & ~b, ~a | b], axis=1)


def guarded(a, b):
    return np.array([int(x / y) if y else 0 for x, y in zip(a.tolist(), b.tolist(), strict=True)])


def any_bits(dtype):
    info = np.iinfo(dtype)
    return lambda numbers, shape, _: numbers.integers(info.min, info.max, shape, dtype, endpoint=True)


ANY8 = {"A": any_bits("int8"), "B": EXTREMES8}
ANY64 = {"A": any_bits("int64"), "B": any_bits("int64")}

CASES = {
    "truncated_division": Case(truncated, at(n=(9, 1, 0), m=(7, 3, 2)), inputs={"B": NO_ZERO}, outputs=2),
    "floor_division": Case(floored, at(n=(9, 1, 0), m=(7, 3, 2)), inputs={"B": NO_ZERO}, outputs=2),
    "unsigned_division": Case(
        lambda a, b: (np.floor(a / b), np.mod(a.astype(int), b.astype(int))),
        MANY,
        inputs={"A": between(0, 255), "B": between(1, 255)},
        outputs=2,
    ),
    "divide_by_constants": Case(by_constants, MANY, inputs={"X": EXTREMES8}),
    "modulo_parameter": Case(lambda x, k: np.mod(x, k) * 10 + np.floor(x / k), MANY, scalars=(7,)),
    "wrapping8": Case(lambda a, b: wrapping(a, b, 8, True), MANY, inputs=ANY8),
    "wrapping_unsigned": Case(
        lambda a, b: wrapping(a, b, 16, False),
        MANY,
        inputs={"A": any_bits("uint16"), "B": any_bits("uint16")},
    ),
    "wrapping64": Case(wrapping64, MANY, inputs=ANY64),
    "shifts": Case(
        shifts, MANY, inputs={"X": any_bits("int32"), "U": any_bits("uint32"), "S": between(0, 31)}, outputs=2
    ),
    "rotate_bits": Case(
        lambda x: exactly(lambda v: int(bits(v, 32)[5:] + bits(v, 32)[:5], 2), x),
        inputs={"X": any_bits("uint32")},
    ),
    "reverse_bits": Case(
        lambda x: exactly(lambda v: int(bits(v, 32)[::-1], 2), x), inputs={"X": any_bits("uint32")}
    ),
    "gray_code": Case(lambda y: [v ^ v // 2 for v in range(len(y))], MANY, in_place=True),
    "interleave_bits": Case(interleaved, inputs={"X": any_bits("uint32"), "Z": any_bits("uint32")}),
    "pack_bits": Case(np.packbits),
    "unpack_bits": Case(lambda x: np.unpackbits(x).reshape(len(x), 8), inputs={"X": between(0, 255)}),
    "checksum": Case(lambda x: np.array([zlib.crc32(row.tobytes()) for row in x], np.int64)),
    "hash_rows": Case(hashed),
    "mix_bits": Case(mixed, inputs={"X": any_bits("uint64")}),
    "saturating_add": Case(lambda a, b: np.clip(a.astype(int) + b, -128, 127), MANY, inputs=ANY8),
    "average_down": Case(
        lambda a, b: (a.astype(np.int64) + b) // 2,
        MANY,
        inputs={"A": any_bits("int32"), "B": any_bits("int32")},
    ),
    "greatest_common_divisor": Case(np.gcd),
    "collatz_steps": Case(lambda x: exactly(collatz, x), inputs={"X": between(1, 30)}),
    "power_of": Case(np.power, inputs={"B": between(-5, 5), "E": between(0, 12)}),
    "sieve": Case(primes, at(n=(30, 3, 2, 1, 0)), in_place=True),
    "decimal_digits": Case(
        lambda x: np.array([[int(c) for c in f"{v:05d}"] for v in x]).reshape(len(x), 5),
        inputs={"X": between(0, 99999)},
    ),
    "calendar": Case(calendar, MANY, inputs={"D": between(-200_000, 200_000)}),
    "sign_and_magnitude": Case(
        lambda x: (np.sign(x), np.abs(x.astype(int))),
        MANY,
        inputs={"X": values(-32768, 32767, 0, -1, 5)},
        outputs=2,
    ),
    "casts": Case(
        lambda x: (wrapped(x, "int8"), wrapped(x, "uint16"), x != 0, wrapped(x, "int64") * 2**32),
        MANY,
        inputs={"X": values(-(2**31), 2**31 - 1, 0, 128, -129, 65536)},
        outputs=4,
    ),
    "logic": Case(logic, MANY),
    "guarded_division": Case(guarded, MANY, inputs={"B": between(-2, 2)}),
}
