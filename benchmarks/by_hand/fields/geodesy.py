"""NumPy by hand: geodesy."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def earth_centred(g: Array, x: Array) -> None:
    """Turn latitudes, longitudes and heights into coordinates."""
    latitude, longitude, height = g.T
    s, c = np.sin(latitude), np.cos(latitude)
    v = 6378137.0 / np.sqrt(1.0 - 0.0066943799901413165 * s * s)
    across = (v + height) * c
    np.multiply(across, np.cos(longitude), out=x[:, 0])
    np.multiply(across, np.sin(longitude), out=x[:, 1])
    np.multiply(v * (1.0 - 0.0066943799901413165) + height, s, out=x[:, 2])


def polygon_areas(x: Array, y: Array, a: Array) -> None:
    """Sum trapezoids."""
    a += (x * np.roll(y, -1, 1) - np.roll(x, -1, 1) * y).sum(1)
    np.abs(a, out=a)
    a /= 2.0
