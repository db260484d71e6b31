"""NumPy by hand: physics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def ising(s: Array, e: Array) -> None:
    """Compute energies of spins on a torus."""
    np.multiply(-s, np.roll(s, -1, 0) + np.roll(s, -1, 1), out=e)


def springs(a: Array, b: Array, x: Array, f: Array) -> None:
    """Add the forces of springs."""
    force = x[b] - x[a]
    f += np.bincount(a, force, len(f)) - np.bincount(b, force, len(f))


def heat_rod(u: Array, v: Array, k: Array) -> None:
    """Let heat flow along a rod."""
    for step in k:
        p = np.pad(u, 1, mode="edge")
        v[...] = u + step * (p[:-2] - 2 * u + p[2:])
        u[...] = v
