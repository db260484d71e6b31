"""NumPy by hand: cryptography."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def block_rounds(v: Array, k: Array) -> None:
    """Mix halves of all blocks, round by round."""
    a, b = v[:, 0].copy(), v[:, 1].copy()
    total = 0
    for _ in range(32):
        total = (total + 2654435769) & 0xFFFFFFFF
        added = np.uint32(total)
        a += ((b << np.uint32(4)) + k[0]) ^ (b + added) ^ ((b >> np.uint32(5)) + k[1])
        b += ((a << np.uint32(4)) + k[2]) ^ (a + added) ^ ((a >> np.uint32(5)) + k[3])
    v[:, 0], v[:, 1] = a, b


def field_products(a: Array, b: Array, log: Array, exp: Array, y: Array) -> None:
    """Multiply through tables of logarithms."""
    y[...] = np.where((a == 0) | (b == 0), 0, exp[(log[a] + log[b]) % 255])
