"""NumPy by hand: learning."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def rotary(x: Array, c: Array, s: Array, y: Array) -> None:
    """Rotate pairs of elements by the angles of their positions."""
    even, odd = x[..., ::2], x[..., 1::2]
    c, s = c[:, None], s[:, None]
    np.subtract(even * c, odd * s, out=y[..., ::2])
    np.add(even * s, odd * c, out=y[..., 1::2])


def alibi(q: Array, k: Array, m: Array, s: Array) -> None:
    """Find attention scores with a penalty for distance."""
    n, d = q.shape[1:]
    np.matmul(q, k.swapaxes(1, 2), out=s)
    s /= np.sqrt(np.float32(d))
    at = np.arange(n, dtype=np.float32)
    s -= m[:, None, None] * (at[:, None] - at)
    np.copyto(s, np.float32(-10000), where=at[:, None] < at)


def experts(g: Array, e: Array, n: Array, p: Array) -> None:
    """Choose an expert for each token, and its place in the expert's queue."""
    e[:] = np.argmax(g, axis=1)
    order = np.argsort(e, kind="stable")
    counts = np.bincount(e, minlength=len(n))
    begin = np.cumsum(counts) - counts
    p[order] = np.arange(len(e)) - np.repeat(begin - n, counts)
    p[p >= 100] = -1
    n += counts


def fake_quantize(w: Array, s: Array, y: Array) -> None:
    """Round weights to eight bits in each row."""
    np.max(np.abs(w), axis=1, out=s, initial=0.0)
    s /= np.float32(127)
    np.maximum(s, np.float32(0.000001), out=s)
    scale = s[:, None]
    np.divide(w, scale, out=y)
    np.round(y, out=y)
    np.clip(y, -127, 127, out=y)
    y *= scale
