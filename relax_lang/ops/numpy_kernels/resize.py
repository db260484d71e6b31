"""Plans for resizing one axis of an array: where every place of the result lies in the source, and what is there."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.numpy_kernels.compute_dtype import held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.specialization import Run1


def coordinates(mode: str, source: int, target: int, roi: tuple[float, float]) -> Any:
    """Return the float32 coordinate in the source of every place of the result."""
    places = np.arange(target, dtype=np.float32)
    scale = np.float32(source) / np.float32(target) if target else np.float32(1)
    half = np.float32(0.5)
    if mode == "align_corners":
        return places * (np.float32(source - 1) / np.float32(max(1, target - 1)))
    if mode == "asymmetric":
        return places * scale
    if mode == "tf_half_pixel_for_nn":
        return (places + half) * scale
    if mode == "pytorch_half_pixel" and target == 1:
        return np.zeros(1, np.float32)
    if mode == "tf_crop_and_resize":
        start, end = np.float32(roi[0]), np.float32(roi[1])
        if target == 1:
            return half * (start + end) * np.full(1, source - 1, np.float32)
        return start * np.float32(source - 1) + places * (
            (end - start) * np.float32(source - 1) / np.float32(target - 1)
        )
    return (places + half) * scale - half


_ROUND: dict[str, Callable[[Any], Any]] = {
    "round": lambda x: x.round(),
    "round_prefer_floor": lambda x: np.ceil(x - np.float32(0.5)),
    "round_prefer_ceil": lambda x: np.floor(x + np.float32(0.5)),
    # The small amounts keep a coordinate that should be whole from falling to the other side.
    "floor": lambda x: np.floor(x + np.float32(1e-5)),
    "ceil": lambda x: np.ceil(x - np.float32(1e-5)),
}


def nearest(axis: int, extent: int, where: Any, options: dict[str, Any]) -> Run1:
    """Plan to take the elements next to the given coordinates along one axis."""
    how = options["rounding_method"]
    if not how:
        how = "round" if options["coordinate_transformation_mode"] == "align_corners" else "floor"
    index = held(lambda: _ROUND[how](where).clip(0, extent - 1).astype(np.intp))
    times = _repeats(index(), extent)

    def run(x: Any) -> Any:
        if x.size < _FEW or times == 1:
            return x.take(index(), axis)
        return _repeated(x, axis, times)

    return run


_FEW = 4096
"""Elements below which one call is faster than several, whatever it does."""
_MOST_REPEATS = 8


def _repeats(index: Any, extent: int) -> int:
    """Return how often each element of an axis is taken if that is equally often and in order, else 1."""
    times = index.size // max(1, extent)
    whole = 1 < times <= _MOST_REPEATS and np.array_equal(index, np.arange(extent).repeat(times))
    return times if whole else 1


def _repeated(x: Any, axis: int, times: int) -> Any:
    """Return an array with each element of an axis so many times: a copy for each, which needs no index."""
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    made = np.empty((*before, x.shape[axis], times, *after), x.dtype)
    places = (slice(None),) * (axis + 1)
    for at in range(times):
        made[(*places, at)] = x
    return made.reshape(*before, x.shape[axis] * times, *after)


def mixed(axis: int, extent: int, where: Any, options: dict[str, Any], rank: int) -> Run1:
    """Plan to mix the elements around the given coordinates along one axis of float32 arrays of some rank."""
    shape = (where.size,) + (1,) * (rank - 1 - axis)
    taps = held(lambda: [(at, weight.reshape(shape)) for at, weight in _taps(extent, where, options)])

    def run(x: Any) -> Any:
        result: Any = None
        for at, weight in taps():
            part = x.take(at, axis)
            part *= weight
            if result is None:
                result = part
            else:
                result += part
        return result

    return run


def _taps(extent: int, where: Any, options: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return the places and the weights of what is mixed, a pair for every neighbour."""
    first = np.floor(where)
    share = where - first
    is_linear = options["method"] == "linear"
    weights = _linear(share) if is_linear else cubic_weights(share, options["cubic_alpha"])
    places = [first.astype(np.intp) + (0 if is_linear else -1) + tap for tap in range(len(weights))]
    if options["cubic_exclude"] and not is_linear:
        weights = [
            np.where((at >= 0) & (at < extent), weight, np.float32(0))
            for at, weight in zip(places, weights, strict=True)
        ]
        total = weights[0] + weights[1] + weights[2] + weights[3]
        weights = [weight / total for weight in weights]
    return [(at.clip(0, extent - 1), weight) for at, weight in zip(places, weights, strict=True)]


def _linear(share: Any) -> list[Any]:
    return [np.float32(1) - share, share]


def cubic_weights(t: Any, alpha: float) -> list[Any]:
    """Return the weights of four neighbours for a place `t` between the middle two: the cubic kernel of
    `alpha`.
    """
    a = np.float32(alpha)

    def near(d: Any) -> Any:
        return ((a + np.float32(2)) * d - (a + np.float32(3))) * d * d + np.float32(1)

    def far(d: Any) -> Any:
        return ((a * d - np.float32(5) * a) * d + np.float32(8) * a) * d - np.float32(4) * a

    one = np.float32(1)
    return [far(t + one), near(t), near(one - t), far(np.float32(2) - t)]


def outside(where: Any, extent: int) -> Any:
    """Return which coordinates lie outside of the source."""
    return (where < 0) | (where > extent - 1)
