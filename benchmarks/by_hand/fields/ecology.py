"""NumPy by hand: ecology."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def diversity(c: Array, h: Array, r: Array) -> None:
    """Find Shannon's index and the number of species of each site."""
    share = c / c.sum(1, keepdims=True)
    found = c > 0
    h -= (share * np.log(np.where(found, share, 1.0))).sum(1)
    r += np.count_nonzero(found, axis=1)


def dissimilarities(c: Array, d: Array) -> None:
    """Compare sites by Bray and Curtis."""
    total = c.sum(1)
    for at, row in enumerate(c):
        np.abs(c - row).sum(1, out=d[at])
    d /= total[:, None] + total


def age_classes(f: Array, s: Array, p: Array) -> None:
    """Let a population of age classes grow."""
    for now, then in pairwise(p):
        then[0] += f @ now
        np.multiply(s, now[:-1], out=then[1:])


def forest_fire(a: Array, lightning: Array, b: Array) -> None:
    """Let a fire spread by one step."""
    burns = a == 2
    near = lightning.copy()
    near[1:] |= burns[:-1]
    near[:-1] |= burns[1:]
    near[:, 1:] |= burns[:, :-1]
    near[:, :-1] |= burns[:, 1:]
    b[...] = a
    b[near & (a == 1)] = 2
    b[burns] = 0
