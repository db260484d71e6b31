"""Bounds of the integers that vectors hold, from their dtypes, literals and operations: what `X[i] & 15` can be, which
number a literal is, and whether a divisor can be 0.
"""

from __future__ import annotations

from relax_lang.arith.constraints.intervals import interval_within
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

    Range = tuple[int, int]


def range_of(vector: Vector, *, wrapping: bool = True) -> Range | None:
    """Return bounds of integers, both included; None of floats. Those of an operation that wraps around are of what it
    would be without that, unless `wrapping`.
    """
    return _range_of(vector, {}, wrapping=wrapping)


def _range_of(vector: Vector, known: dict[int, Range | None], *, wrapping: bool = True) -> Range | None:
    """Return what `range_of` does; `known` has that of parts by their keys, as an expression may share them."""
    if dtypes.is_float(vector.dtype):
        return None
    limits = dtypes.integers_of(vector.dtype)
    if isinstance(vector, Const):
        return int(vector.value), int(vector.value)
    if isinstance(vector, Index) and vector.polynomial.value is not None:
        return vector.polynomial.value, vector.polynomial.value
    if not isinstance(vector, Apply):
        return limits
    for arg in vector.args:
        if arg.key not in known:
            known[arg.key] = _range_of(arg, known)
    found = _computed(vector, [known[arg.key] for arg in vector.args])
    if found is None:
        return limits
    if not wrapping or (limits[0] <= found[0] and found[1] <= limits[1]):
        return found
    return limits


def range_of_index(space: Space, index: Polynomial) -> Range | None:
    """Return bounds of an index that names nothing but other values; None if it names a size or the variable of a loop,
    or if computing it may wrap around.
    """
    ranges: dict[str, Range] = {}
    for name in index.names():
        known = range_of(space.atoms[name].vector) if name in space.atoms else None
        if known is None:
            return None
        ranges[name] = known
    low, high = interval_within(index, ranges)
    least, greatest = dtypes.INT_RANGES[dtypes.INT64]
    return (low, high) if least <= low and high <= greatest else None


def _computed(vector: Apply, ranges: list[Range | None]) -> Range | None:
    """Return the bounds of an operation on arguments with some bounds; None if nothing is known of it."""
    match vector.op, ranges:
        case "cast", [(low, high)]:
            return low, high
        case "select" | "if_then_else", [_, (a, b), (c, d)]:
            return min(a, c), max(b, d)
        case op, [(a, b), (c, d)] if op in _RANGES:
            return _RANGES[op](a, b, c, d)
        case _:
            return None


def _product(a: int, b: int, c: int, d: int) -> Range:
    ends = (a * c, a * d, b * c, b * d)
    return min(ends), max(ends)


def _rest(a: int, b: int, c: int, d: int) -> Range | None:
    """Return the bounds of what is left by a division rounded down."""
    if c <= 0:
        return None
    return (a, b) if a >= 0 and b < c else (0, d - 1)


def _quotient(a: int, b: int, c: int, d: int) -> Range | None:
    """Return the bounds of a quotient that is rounded down."""
    if c <= 0:
        return None
    ends = (a // c, a // d, b // c, b // d)
    return min(ends), max(ends)


def _common_bits(a: int, b: int, c: int, d: int) -> Range | None:
    """Return the bounds of the bits that two numbers have in common; a negative one may have all."""
    if a < 0 and c < 0:
        return None
    return 0, min([high for low, high in ((a, b), (c, d)) if low >= 0])


def _all_bits(a: int, b: int, c: int, d: int) -> Range | None:
    """Return the bounds of bits that one of two numbers has."""
    return None if a < 0 or c < 0 else (0, (1 << max(b, d).bit_length()) - 1)


def _shifted(a: int, b: int, c: int, d: int) -> Range | None:
    """Return the bounds of a shift to the right."""
    return None if a < 0 or c < 0 else (a >> min(d, _WIDEST), b >> min(c, _WIDEST))


_WIDEST = 64

_RANGES: dict[str, Callable[[int, int, int, int], Range | None]] = {
    "*": _product,
    "+": lambda a, b, c, d: (a + c, b + d),
    "-": lambda a, b, c, d: (a - d, b - c),
    "min": lambda a, b, c, d: (min(a, c), min(b, d)),
    "max": lambda a, b, c, d: (max(a, c), max(b, d)),
    "%": _rest,
    "//": _quotient,
    "&": _common_bits,
    "|": _all_bits,
    "^": _all_bits,
    ">>": _shifted,
}
"""Bounds of the result of an operation on numbers from a to b and from c to d."""


def number_in(vector: Vector) -> int | None:
    """Return the integer that an expression is whatever the sizes are; None if it is something else."""
    if isinstance(vector, Index):
        found = vector.polynomial.value
    else:
        found = vector.value if isinstance(vector, Const) else None
    return found if isinstance(found, int) else None


def may_fail(vector: Vector) -> bool:
    """Return whether there is a division by what may be 0 in an expression."""
    return any(may_divide_by_zero(part) for part in parts_of(vector))


def may_divide_by_zero(vector: Vector) -> bool:
    """Return whether an operation is an integer division by what may be 0."""
    if not isinstance(vector, Apply) or vector.op not in ("/", "//", "%") or dtypes.is_float(vector.dtype):
        return False
    divisor = vector.args[1]
    if isinstance(divisor, Index):
        return not divisor.polynomial.value
    return not (isinstance(divisor, Const) and divisor.value)
