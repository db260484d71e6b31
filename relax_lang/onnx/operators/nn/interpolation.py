"""Where the elements of a resized axis come from: tables of places and of weights."""

from __future__ import annotations

import math

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Array


class Axis:
    """One axis: its number, extent and new extent, the scale that was given, and the part of it that is taken."""

    __slots__ = ("axis", "extent", "region", "scale", "size")

    def __init__(self, axis: int, extent: int, size: int, scale: float, region: tuple[float, float]) -> None:
        self.axis = axis
        self.extent = extent
        self.size = size
        self.scale = scale
        self.region = region


class Sampling:
    """The attributes of a resize."""

    __slots__ = ("antialias", "coordinates", "cubic", "exclude_outside", "mode", "rounding")

    def __init__(
        self,
        coordinates: str,
        mode: str,
        rounding: str,
        cubic: float,
        *,
        antialias: bool,
        exclude_outside: bool,
    ) -> None:
        self.coordinates = coordinates
        self.mode = mode
        self.rounding = rounding
        self.cubic = cubic
        self.antialias = antialias
        self.exclude_outside = exclude_outside


def places(axis: Axis, sampling: Sampling) -> Array:
    """Return the coordinate of each new element in the old axis."""
    x = np.arange(axis.size, dtype=np.float64)
    extent, scale = axis.extent, axis.scale
    match sampling.coordinates:
        case "align_corners":
            length = scale * extent
            return x * (extent - 1) / (length - 1) if length != 1 else x * 0
        case "asymmetric":
            return x / scale
        case "tf_crop_and_resize":
            start, end = axis.region
            if axis.size > 1:
                return start * (extent - 1) + x * (end - start) * (extent - 1) / (axis.size - 1)
            return x * 0 + 0.5 * (start + end) * (extent - 1)
        case "pytorch_half_pixel":
            return (x + 0.5) / scale - 0.5 if axis.size > 1 else x * 0 - 0.5
        case "half_pixel_symmetric":
            adjustment = axis.size / (scale * extent)
            offset = extent / 2 * (1 - adjustment)
            return offset + (x + 0.5) / scale - 0.5
        case _:
            return (x + 0.5) / scale - 0.5


def outside(axis: Axis, sampling: Sampling) -> Array:
    """Return which new elements lie outside of the old axis."""
    x = places(axis, sampling)
    return (x < 0) | (x > axis.extent - 1)


def nearest(axis: Axis, sampling: Sampling) -> Array:
    """Return the old element that each new one is."""
    x = places(axis, sampling)
    match sampling.rounding:
        case "round_prefer_ceil":
            found = np.floor(x + 0.5)
        case "floor":
            found = np.floor(x)
        case "ceil":
            found = np.ceil(x)
        case _:
            found = np.ceil(x - 0.5)
    return np.clip(found, 0, axis.extent - 1).astype(np.int64)


def matrix(axis: Axis, sampling: Sampling) -> Array:
    """Return the weight of each old element in each new one."""
    made = np.zeros((axis.size, axis.extent))
    for row, x in enumerate(places(axis, sampling)):
        left = math.ceil(x) - 1  # of a whole number the element before it is the left one
        first, weights = _weights(x - left, axis.scale, sampling)
        indices = left + first + np.arange(len(weights))
        if sampling.exclude_outside:
            weights = np.where((indices < 0) | (indices >= axis.extent), 0, weights)
            weights = weights / weights.sum()
        np.add.at(made[row], np.clip(indices, 0, axis.extent - 1), weights)
    return made


def _weights(ratio: float, scale: float, sampling: Sampling) -> tuple[int, Array]:
    """Return the weights of neighbours, and where the first one is from the left neighbour."""
    reach = 2 if sampling.mode == "cubic" else 1
    shrink = min(scale, 1.0) if sampling.antialias else 1.0
    first = math.floor(-reach / shrink) + 1
    distances = np.abs((np.arange(first, 2 - first) - ratio) * shrink)
    if reach == 1:
        weights = np.clip(1 - distances, 0, 1)
    else:
        a, d = sampling.cubic, distances
        near = (a + 2) * d**3 - (a + 3) * d**2 + 1
        far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
        weights = np.where(d <= 1, near, np.where(d < 2, far, 0))
    return first, weights / weights.sum()
