"""NumPy by hand: molecules."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def tanimoto(a: Array, b: Array, t: Array) -> None:
    """Compare fingerprints."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    both = a @ b.T
    np.divide(both, np.maximum(a.sum(1)[:, None] + b.sum(1) - both, 1), out=t)


def partial_charges(a: Array, b: Array, x: Array, q: Array) -> None:
    """Let charge move along bonds."""
    for k in range(4):
        electronegativity = x + 2 * q
        moved = (electronegativity[b] - electronegativity[a]) * 0.5 ** (k + 2)
        q += np.bincount(a, moved, len(q)) - np.bincount(b, moved, len(q))


def atom_codes(n: Array, h: Array, g: Array) -> None:
    """Mix the codes of atoms with those of their neighbours."""
    squares = np.append(h * h, np.uint32(0))
    g[...] = h * np.uint32(31) + np.uint32(7) + squares[n].sum(1, dtype=np.uint32)
    g ^= g >> np.uint32(15)


def coulomb_matrix(z: Array, x: Array, m: Array) -> None:
    """Describe a molecule by the charges and distances of its atoms."""
    apart = np.zeros((len(z), len(z)))
    for one in x.T:
        between = one[:, None] - one
        between *= between
        apart += between
    np.fill_diagonal(apart, 1)
    np.divide(np.multiply.outer(z, z), np.sqrt(apart, out=apart), out=m)
    np.fill_diagonal(m, 0.5 * z**2.4)
