"""NumPy by hand: chemistry."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def lennard_jones(p: Array, e: Array) -> None:
    """Sum the energies of pairs that are near."""
    d = p[:, None] - p[None]
    r = np.einsum("ijk,ijk->ij", d, d)
    np.fill_diagonal(r, np.inf)
    s = 1.0 / (r * r * r)
    e += np.where(r < 6.25, 4.0 * (s * s - s), 0.0).sum(1)


def reaction_rates(a: Array, b: Array, p: Array, k: Array, c: Array, d: Array) -> None:
    """Sum what reactions take and make of each substance."""
    rate = k * c[a] * c[b]
    d += np.bincount(p, rate, len(d)) - np.bincount(a, rate, len(d)) - np.bincount(b, rate, len(d))


def structure_factors(h: Array, x: Array, f: Array, s: Array) -> None:
    """Sum waves that atoms scatter."""
    phase = 6.283185307179586 * (h @ x.T)
    s[:, 0] += np.cos(phase) @ f
    s[:, 1] += np.sin(phase) @ f
