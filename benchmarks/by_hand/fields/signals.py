"""NumPy by hand: signals."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def fir(x: Array, h: Array, y: Array) -> None:
    """Filter."""
    y += np.correlate(x, h, "valid")


def biquad(x: Array, b: Array, y: Array) -> None:
    """Filter with feedback, in plain Python."""
    fed = (b[0] * x[2:] + b[1] * x[1:-1] + b[2] * x[:-2]).tolist()
    before, last, c, d = float(y[0]), float(y[1]), float(b[3]), float(b[4])
    out = []
    for value in fed:
        before, last = last, value - c * last - d * before
        out.append(last)
    y[2:] = out


def fourier(x: Array, re: Array, im: Array) -> None:
    """Transform by the matrix of all angles."""
    n = np.arange(len(x))
    angle = 6.283185307179586 * (np.outer(n, n) % len(x)) / len(x)
    re += np.cos(angle) @ x
    im -= np.sin(angle) @ x


def haar(x: Array, a: Array, d: Array) -> None:
    """Split into sums and differences."""
    np.multiply(x[::2] + x[1::2], 0.7071067811865476, out=a)
    np.multiply(x[::2] - x[1::2], 0.7071067811865476, out=d)


def autocorrelation(x: Array, r: Array) -> None:
    """Multiply a signal with itself, shifted."""
    for lag in range(len(r)):
        r[lag] += x[: len(x) - lag] @ x[lag:]


def frames(x: Array, w: Array, f: Array) -> None:
    """Cut overlapping frames."""
    np.multiply(np.lib.stride_tricks.sliding_window_view(x, 256)[::64], w, out=f)


def moving_average(x: Array, y: Array) -> None:
    """Smooth columns."""
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + 0.1 * x[i]
