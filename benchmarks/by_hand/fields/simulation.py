"""NumPy by hand: simulation."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def diffuse(x: Array, y: Array) -> None:
    """Make a step of diffusion on a torus."""
    y[...] = x + 0.1 * (np.roll(x, -1, 0) + np.roll(x, 1, 0) + np.roll(x, -1, 1) + np.roll(x, 1, 1) - 4 * x)


def gravity(p: Array, m: Array, a: Array) -> None:
    """Sum forces between all pairs."""
    d = p[None] - p[:, None]
    r = (d * d).sum(-1) + 0.01
    f = m / (r * np.sqrt(r))
    a += np.einsum("ij,ijk->ik", f, d)


def string_waves(u: Array) -> None:
    """Move a string."""
    for s in range(2, len(u)):
        a, b = u[s - 1], u[s - 2]
        u[s, 1:-1] = 2 * a[1:-1] - b[1:-1] + 0.25 * (a[2:] - 2 * a[1:-1] + a[:-2])


def upwind(x: Array, v: Array, y: Array) -> None:
    """Move a profile with the wind."""
    padded = np.pad(x, 1, mode="edge")
    y[...] = x - v * np.where(v > 0, x - padded[:-2], padded[2:] - x)


def random_numbers(s: Array, y: Array) -> None:
    """Draw numbers one after the other."""
    state, mask, out = int(s[0]), (1 << 64) - 1, []
    for _ in range(len(y)):
        state = (state * 6364136223846793005 + 1442695040888963407) & mask
        out.append(state >> 33)
    y[...] = out
    s[0] = state


def bins(p: Array, w: Array, c: Array, m: Array) -> None:
    """Count particles and their weights per cell."""
    cell = np.minimum((p * len(c)).astype(np.int64), len(c) - 1)
    c += np.bincount(cell, minlength=len(c))
    m += np.bincount(cell, w, len(c))
