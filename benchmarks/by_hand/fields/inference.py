"""NumPy by hand: inference."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def nearest_centre(x: Array, c: Array, d: Array, a: Array) -> None:
    """Compute distances by a product."""
    d[...] = (x * x).sum(1)[:, None] - 2 * (x @ c.T) + (c * c).sum(1)
    d.argmin(1, out=a)


def forward_algorithm(e: Array, t: Array, s: Array) -> None:
    """Sum over all paths."""
    for at in range(len(e)):
        s[at + 1] = (s[at] @ t) * e[at][: len(t)]


def decision_tree(x: Array, f: Array, s: Array, left: Array, right: Array, y: Array) -> None:
    """Walk down with all rows at once."""
    y[...] = 0
    rows = np.arange(len(y))
    while True:
        feature = f[y]
        inner = feature >= 0
        if not inner.any():
            return
        chosen = np.where(x[rows, feature] < s[y], left[y], right[y])
        y[...] = np.where(inner, chosen, y)


def log_sum_exp(x: Array, m: Array, y: Array) -> None:
    """Sum exponentials safely."""
    x.max(1, out=m)
    y[...] = np.log(np.exp(x - m[:, None]).sum(1)) + m


def grouped_weights(x: Array, q: Array, s: Array, y: Array) -> None:
    """Multiply with weights that have a scale per group."""
    y += x @ (q.astype(np.float32) * np.repeat(s, 32, 0))
