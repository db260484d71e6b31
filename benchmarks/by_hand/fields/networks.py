"""NumPy by hand: networks."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def waiting_times(a: Array, s: Array, w: Array) -> None:
    """Wait in a queue, in plain Python."""
    wait, out = float(w[0]), []
    for step in (s - a).tolist():
        wait = max(wait + step, 0.0)
        out.append(wait)
    w[1:] = out


def token_bucket(x: Array, b: Array, d: Array) -> None:
    """Let packets pass while there are tokens, in plain Python."""
    tokens, before = int(b[0]), []
    for wanted in x.tolist():
        before.append(tokens)
        tokens = min(max(tokens - wanted, 0) + 5, 100)
    b[:-1], b[-1] = before, tokens
    np.maximum(x - b[:-1], 0, out=d)


def page_rank(e: Array, d: Array, r: Array, out: Array) -> None:
    """Make a step of ranking pages."""
    share = 0.85 * r / np.maximum(d, 1)
    out[...] = 0.15 / len(out) + np.bincount(e[:, 1], share[e[:, 0]], len(out))
