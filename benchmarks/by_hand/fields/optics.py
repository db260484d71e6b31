"""NumPy by hand: optics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def ray_spheres(d: Array, s: Array, t: Array) -> None:
    """Find the nearest sphere that a ray from the origin meets."""
    b = d @ s[:, :3].T
    room = b * b - ((s[:, :3] ** 2).sum(1) - s[:, 3] ** 2)
    met = (room > 0) & (b > 0)
    far = np.where(met, b - np.sqrt(np.where(met, room, 0.0)), np.inf)
    np.minimum(t, far.min(1), out=t)
