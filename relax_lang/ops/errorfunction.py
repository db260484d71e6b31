"""The error function on float32 and float64 arrays, to the accuracy of the dtype, without SciPy.

The rational approximations were computed for this module: the one for float32 by weighted least squares, the
others by interpolation at Chebyshev nodes in arithmetic of 60 digits. Their errors, as parts of the value,
are 5e-9 for float32, 1e-18 and 8e-18 for float64: rounding dominates, and float32 is computed in float64.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

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


def erf(x: Any) -> Any:
    """Return the error function of every element of a float32 or float64 array; nan stays nan."""
    compute: Callable[[Any], Any] = _erf32 if x.dtype == np.float32 else _erf64
    if x.size <= _BLOCK:
        return compute(x)
    flat = x.reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        result[start : start + _BLOCK] = compute(flat[start : start + _BLOCK])
    return result.reshape(x.shape)


def _erf32(x: Any) -> Any:
    x = x.clip(-4, 4).astype(np.float64)
    square = x * x
    result = _polynomial(_P32, square)
    result *= x
    result /= _polynomial(_Q32, square)
    return result.astype(np.float32)


def _erf64(x: Any) -> Any:
    size = np.minimum(np.abs(x), 6.0)
    square = size * size
    large = 1.0 - np.exp(-square) * (_polynomial(_P_LARGE, size) / _polynomial(_Q_LARGE, size))
    inside = np.minimum(square, 1.0)
    small = size + size * (_polynomial(_R_SMALL, inside) / _polynomial(_Q_SMALL, inside))
    return np.copysign(np.where(size > 1.0, large, small), x)


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Evaluate a polynomial, highest power first."""
    result = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        result += coefficient
        result *= x
    result += coefficients[-1]
    return result
