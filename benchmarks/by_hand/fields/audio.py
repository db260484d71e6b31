"""NumPy by hand: audio."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def zero_crossings(x: Array, c: Array) -> None:
    """Count changes of the sign."""
    negative = x < 0
    c += np.count_nonzero(negative[:, 1:] != negative[:, :-1], axis=1).astype(np.int32)


def envelope(x: Array, e: Array) -> None:
    """Follow the loudness, column by column."""
    loud = np.abs(x)
    e[:, 0] = loud[:, 0]
    for j in range(1, x.shape[1]):
        np.maximum(loud[:, j], 0.95 * e[:, j - 1], out=e[:, j])


def mix_stereo(a: Array, b: Array, g: Array, y: Array) -> None:
    """Interleave two channels, each with a gain."""
    y[::2] = np.clip(a * g[0], -32768, 32767)
    y[1::2] = np.clip(b * g[1], -32768, 32767)


def spectral_flux(s: Array, f: Array) -> None:
    """Sum up how much spectra rise."""
    f[1:] += np.maximum(s[1:] - s[:-1], 0).sum(1)
