"""NumPy by hand: linguistics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def tf_idf(c: Array, s: Array, f: Array, y: Array) -> None:
    """Weigh words by how few documents they are in."""
    s += c.sum(1)
    f += np.count_nonzero(c > 0, axis=0)
    np.multiply(c / np.maximum(s, 1)[:, None], np.log(np.float32(len(c)) / (1 + f)), out=y)


def longest_run(v: Array, r: Array, b: Array) -> None:
    """Find the longest run of what is marked."""
    at = np.arange(1, len(v) + 1)
    np.subtract(at, np.maximum.accumulate(np.where(v, 0, at)), out=r)
    b[0] = max(b[0], r.max(initial=0))


def sound_codes(x: Array, t: Array, y: Array) -> None:
    """Code letters by their sound, and leave out what is said twice."""
    codes = t[x]
    y[:1] = codes[:1]
    np.multiply(codes[1:], codes[1:] != codes[:-1], out=y[1:])


def cosines(a: Array, b: Array, y: Array) -> None:
    """Compare vectors by their angles."""
    np.matmul(a, b.T, out=y)
    y /= np.sqrt((a * a).sum(1))[:, None] * np.sqrt((b * b).sum(1))
