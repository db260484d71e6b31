"""NumPy by hand: manufacturing."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def control_chart(x: Array, limits: Array, m: Array, r: Array, f: Array) -> None:
    """Chart the mean and the range of samples."""
    np.divide(x.sum(1), x.shape[1], out=m)
    np.subtract(x.max(1), x.min(1), out=r)
    np.logical_or(m < limits[0], m > limits[1], out=f)


def smoothed_defects(x: Array, a: float, z: Array) -> None:
    """Smooth a series."""
    last = 0.0
    rest = 1.0 - a
    found = []
    for one in x.tolist():
        last = a * one + rest * last
        found.append(last)
    z[...] = found


def bill_of_materials(q: Array, d: Array) -> None:
    """Find what parts are needed for parts."""
    for at in range(len(d) - 1, 0, -1):
        d[:at] += q[at, :at] * d[at]


def tool_paths(x: Array, s: Array, t: Array) -> None:
    """Find when a tool is where."""
    steps = x[1:] - x[:-1]
    t[1:] = t[0] + np.cumsum(np.sqrt((steps * steps).sum(1)) / s[1:])
