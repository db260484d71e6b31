"""NumPy by hand: control."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def pid_loops(r: Array, k: Array, i: Array, e: Array, x: Array, u: Array) -> None:
    """Step control loops with limits."""
    for s in range(len(r)):
        error = r[s] - x
        i += error
        np.clip(i, -10, 10, out=i)
        np.clip(k[0] * error + k[1] * i + k[2] * (error - e), -1, 1, out=u[s])
        e[:] = error
        x += 0.1 * (u[s] - x)


def riccati(a: Array, b: Array, p: Array, g: Array) -> None:
    """Step a Riccati equation and find the gain."""
    for _ in range(5):
        m = p @ a
        h = b @ m
        g[:] = h / (1 + b @ p @ b)
        p[:] = a.T @ m
        p -= np.outer(h, g)
        p.ravel()[:: len(p) + 1] += 1


def state_space(a: Array, b: Array, c: Array, u: Array, x: Array, y: Array) -> None:
    """Run a linear system."""
    steps = len(u)
    for s in range(steps):
        np.add(a @ x[s], b * u[s], out=x[s + 1])
    np.matmul(x[:-1], c, out=y)


def thermostat(t: Array, s: Array, c: Array) -> None:
    """Switch a heater on and off, and count how often."""
    n = len(t)
    on = t < 19
    decided = on | (t > 21)
    at = np.maximum.accumulate(np.where(decided, np.arange(1, n + 1), 0))
    s[1:] = np.concatenate([s[:1], on])[at]
    c[0] += np.count_nonzero(s[1:] != s[:-1])
