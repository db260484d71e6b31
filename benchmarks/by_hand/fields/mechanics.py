"""NumPy by hand: mechanics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def principal_stresses(s: Array, p: Array, a: Array) -> None:
    """Find principal stresses and their direction."""
    x, y, shear = s.T
    c = (x + y) / 2
    d = (x - y) / 2
    r = np.sqrt(d * d + shear * shear)
    np.add(c, r, out=p[:, 0])
    np.subtract(c, r, out=p[:, 1])
    np.multiply(0.5, np.arctan2(shear, d), out=a)


def truss(x: Array, u: Array, e: Array, k: Array, t: Array, f: Array) -> None:
    """Find the tension of bars and add up the forces on joints."""
    first, second = e.T
    d = x[second] - x[first]
    d /= np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])[:, None]
    t[:] = k * ((u[second] - u[first]) * d).sum(1)
    force = t[:, None] * d
    for axis in range(2):
        f[:, axis] += np.bincount(first, force[:, axis], len(x)) - np.bincount(second, force[:, axis], len(x))


def oscillators(f: Array, w: Array, x: Array, v: Array, p: Array) -> None:
    """Step damped oscillators and find how far they go."""
    damping, stiffness = 0.1 * w, w * w
    for s in range(1, len(f)):
        v += 0.01 * (f[s] - damping * v - stiffness * x[s - 1])
        np.add(x[s - 1], 0.01 * v, out=x[s])
    np.maximum(p, np.abs(x[1:]).max(0, initial=0.0), out=p)


def beam(q: Array, v: Array, m: Array, w: Array) -> None:
    """Integrate a load to shear, moment, and deflection."""
    t = np.zeros_like(v)
    v[0] = m[0] = w[0] = 0
    np.cumsum(q * -0.1, out=v[1:])
    np.cumsum((v[:-1] + v[1:]) * 0.05, out=m[1:])
    np.cumsum((m[:-1] + m[1:]) * 0.05, out=t[1:])
    np.cumsum((t[:-1] + t[1:]) * 0.05, out=w[1:])
