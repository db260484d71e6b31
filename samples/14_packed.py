"""Packed functions of 14_packed.rlx; `--packed samples/14_packed.py` loads this file.

Tensors arrive as `numpy.ndarray`, tuples as Python tuples; what is returned goes the same way.
"""

import numpy as np

from relax_lang import register_packed_func


@register_packed_func("sample.log")
def log(x: np.ndarray) -> np.ndarray:
    """Print the array and pass it on: an effect."""
    print(f"log: {x}")
    return x


@register_packed_func("sample.absolute")
def absolute(x: np.ndarray) -> np.ndarray:
    """Return the absolute values."""
    return np.abs(x)


@register_packed_func("sample.positive")
def positive(x: np.ndarray) -> np.ndarray:
    """Return the positive elements; how many there are only this function knows."""
    return x[x > 0]


@register_packed_func("sample.scale")
def scale(x: np.ndarray, factor: int) -> None:
    """Multiply the array in place."""
    x *= factor


@register_packed_func("sample.stack")
def stack(first: np.ndarray, second: np.ndarray, result: np.ndarray) -> None:
    """Write both arrays into the rows of `result`, which the caller has allocated."""
    result[0] = first
    result[1] = second
