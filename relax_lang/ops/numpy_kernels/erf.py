"""The error function on float32 and float64 arrays, to the accuracy of the dtype, without SciPy.

The rational approximations were computed for this module: the one for float32 by weighted least squares, the
others by interpolation at Chebyshev nodes in arithmetic of 60 digits. Their errors, as parts of the value,
are 5e-9 for float32, 1e-18 and 8e-18 for float64: rounding dominates, and float32 is computed in float64.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.numpy_kernels.compute_dtype import constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run1

_BLOCK = 32768  # elements at a time, so that the intermediate arrays stay in the cache

# erf(x) = x P(x²) / Q(x²) on [-4, 4]; beyond, erf rounds to ±1 in float32. Highest power first.
_P32 = (
    -1.3173509142883571e-08,
    4.680593835997402e-06,
    0.00037942219714825635,
    0.0038468897855164184,
    0.05430596570189499,
    0.1851451519129068,
    1.12837916944475,
)
_Q32 = (
    6.307317905430709e-05,
    0.001306780238603073,
    0.01545588704507247,
    0.11393155282986193,
    0.4974140344281989,
    1.0,
)

# erf(x) = x + x R(x²) / Q(x²) on [-1, 1].
_R_SMALL = (
    -2.07802280765619e-05,
    -0.0004966403525373908,
    -0.008822336324816778,
    -0.048371274599796295,
    -0.3169891693395489,
    0.1283791670955126,
)
_Q_SMALL = (
    2.0866484101019162e-05,
    0.0006937362332349159,
    0.010705251871973175,
    0.0938746087651241,
    0.46064498648983654,
    1.0,
)

# erf(x) = 1 - exp(-x²) P(x) / Q(x) on [1, 6]; beyond, erf rounds to ±1 in float64.
_P_LARGE = (
    0.0003303856283625327,
    0.004978896516372382,
    0.03757058056463302,
    0.1797075609580054,
    0.5886354962875683,
    1.3455554538253134,
    2.0992593823337997,
    2.061955520865204,
    1.0000000040359602,
)
_Q_LARGE = (
    0.0005855932791244992,
    0.008824864315677411,
    0.06688491638773214,
    0.32293580156458074,
    1.0763323272817893,
    2.5397866492904284,
    4.209915713927801,
    4.699166407972569,
    3.1903347308491155,
    1.0,
)


def erf(dtype: Any, size: int) -> Run1:
    """Plan the error function of every element of float32 or float64 arrays of `size` elements and of rank 1 or more.

    nan stays nan.
    """
    compute = _erf32() if dtype == np.float32 else _erf64()
    if size <= _BLOCK:
        return compute
    empty = np.empty

    def run(x: Any) -> Any:
        flat, result = x.reshape(-1), empty(size, dtype)
        for start in range(0, size, _BLOCK):
            result[start : start + _BLOCK] = compute(flat[start : start + _BLOCK])
        return result.reshape(x.shape)

    return run


def _erf32() -> Run1:
    narrow, wide, minimum, maximum = np.dtype(np.float32), np.dtype(np.float64), np.minimum, np.maximum
    low, high = constant(-4, narrow), constant(4, narrow)
    above, below = _polynomial(_P32), _polynomial(_Q32)

    def run(x: Any) -> Any:
        limited = minimum(x, high)
        limited = maximum(limited, low, out=limited).astype(wide)
        square = limited * limited
        result = above(square)
        result *= limited
        result /= below(square)
        return result.astype(narrow)

    return run


def _erf64() -> Run1:
    one, limit = constant(1, np.float64), constant(6, np.float64)
    large_above, large_below = _polynomial(_P_LARGE), _polynomial(_Q_LARGE)
    small_above, small_below = _polynomial(_R_SMALL), _polynomial(_Q_SMALL)

    def run(x: Any) -> Any:
        size = np.minimum(np.abs(x), limit)
        square = size * size
        large = one - np.exp(-square) * (large_above(size) / large_below(size))
        inside = np.minimum(square, one)
        small = size + size * (small_above(inside) / small_below(inside))
        return np.copysign(np.where(size > one, large, small), x)

    return run


def _polynomial(coefficients: Sequence[float]) -> Run1:
    """Plan a polynomial with coefficients for the highest power first, on float64 arrays."""
    first, *others, last = [constant(coefficient, np.float64) for coefficient in coefficients]
    add, multiply = np.add, np.multiply

    def run(x: Any) -> Any:
        result = x * first
        for other in others:
            add(result, other, result)
            multiply(result, x, result)
        return add(result, last, result)

    return run
