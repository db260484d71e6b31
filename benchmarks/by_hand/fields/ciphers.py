"""NumPy by hand: ciphers and checksums."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def xor_stream(x: Array, k: Array, y: Array) -> None:
    """Apply a key again and again."""
    np.bitwise_xor(x, np.resize(k, len(x)), out=y)


def adler(x: Array, s: Array) -> None:
    """Sum sums."""
    sums = s[0] + np.cumsum(x, dtype=np.int64)
    s[1] = (s[1] + int(sums.sum())) % 65521
    s[0] = sums[-1] % 65521


def rotate_words(x: Array, k: Array, y: Array) -> None:
    """Rotate bits, and mix."""
    np.bitwise_xor((x << np.uint32(7)) | (x >> np.uint32(25)), k, out=y)


def checksum(x: Array, t: Array, c: Array) -> None:
    """Go through a table byte by byte, in plain Python."""
    table, state = t.tolist(), int(c[0])
    for byte in x.tolist():
        state = table[(state ^ byte) & 255] ^ (state >> 8)
    c[0] = state


def substitute(x: Array, k: Array, s: Array, y: Array) -> None:
    """Move, mix and replace bytes."""
    y[...] = s[x[:, np.arange(16) * 5 % 16] ^ k]
