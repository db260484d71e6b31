"""NumPy by hand: graphics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def depth_test(z: Array, c: Array, t: Array, d: Array) -> None:
    """Draw what is nearer."""
    nearer = t < z
    z[nearer] = t[nearer]
    c[nearer] = d[nearer]


def alpha_over(a: Array, b: Array, y: Array) -> None:
    """Put one picture over another one."""
    np.multiply(b, 1 - a[..., 3:], out=y)
    y += a


def dither(x: Array, b: Array, y: Array) -> None:
    """Compare with a pattern that repeats."""
    n, m = x.shape
    y[...] = x > np.tile(b, (n // 4 + 1, m // 4 + 1))[:n, :m]


def face_normals(v: Array, f: Array, out: Array) -> None:
    """Compute normals of triangles."""
    a, b, c = v[f[:, 0]], v[f[:, 1]], v[f[:, 2]]
    out[...] = np.cross(b - a, c - a)


def sharpen(x: Array, y: Array) -> None:
    """Sharpen; borders are repeated."""
    p = np.pad(x, 1, mode="edge")
    y[...] = 5 * x - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
