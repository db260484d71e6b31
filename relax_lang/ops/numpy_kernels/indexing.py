"""Places in a tensor that tensors of indices name: checked, counted from the front, as an index of NumPy.

Nothing is ever read or written outside of a tensor. Each function that takes indices raises OpError for one outside.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_shape, bad_value
from relax_lang.ops.numpy_kernels.shape_checks import broadcast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run, TensorSpec

    Shape = tuple[int, ...]
    Places = Callable[[Any, bool], tuple[Any, ...]]
    """From tensors of indices to NumPy's index; the indices are looked at if asked."""


def in_range(indices: Any, extent: int, axis: int, name: str = "indices", negative: bool = True) -> Any:
    """Return indices counted from the front; refuse those outside of the axis. [OP.9]"""
    if indices.size == 0:
        return indices.astype(np.int64)
    # For few elements `argmin` is much faster than `min`.
    low, high = indices.item(indices.argmin()), indices.item(indices.argmax())
    lowest = -extent if negative else 0
    if low < lowest or high >= extent:
        wrong = low if low < lowest else high
        reason = f"index {wrong} in `{name}` is outside of axis {axis}, whose extent is {extent}"
        raise bad_value(reason, index=wrong, axis=axis, extent=extent)
    wide = indices.astype(np.int64, copy=False)
    return np.where(wide < 0, wide + extent, wide) if low < 0 else wide


def at_places(data: TensorSpec, indices: Sequence[TensorSpec], places: Places, work: Run) -> Run:
    """Plan to work on `data` at places; NumPy itself finds indices that are outside, but for two cases.

    Where there are no elements it may look at none, and it takes uint64 for int64.
    """
    directly = data.size and not [each for each in indices if not each.size or each.dtype == np.uint64]

    def run(data: Any, indices: Any, *values: Any) -> Any:
        if directly:
            try:
                return work(data, places(indices, False), *values)
            except IndexError:  # so there is one to refuse
                pass
        return work(data, places(indices, True), *values)

    return run


def element_places(shape: Shape, indices: TensorSpec, at: int) -> Places:
    """Plan the NumPy index of the elements that `indices` names along one axis."""
    if indices.ndim != len(shape):
        raise bad_shape(
            shape, indices.shape, f"`data` has rank {len(shape)}, `indices` has rank {indices.ndim}"
        )
    for axis, (most, extent) in enumerate(zip(shape, indices.shape, strict=True)):
        if axis != at and extent > most:
            raise bad_shape(
                shape, indices.shape, f"axis {axis} is {most} in `data` and {extent} in `indices`"
            )
    grid, extent = _grid(indices.shape), shape[at]

    def places(indices: Any, checked: bool) -> tuple[Any, ...]:
        whole = grid()
        index = in_range(indices, extent, at) if checked else indices
        return (*whole[:at], index, *whole[at + 1 :])

    return places


def _grid(shape: Shape) -> Callable[[], tuple[Any, ...]]:
    """Return what gives the index of all elements of a shape, which is kept if it is small."""
    if sum(shape) > _KEPT:
        return lambda: np.indices(shape, sparse=True)
    places = np.indices(shape, sparse=True)
    return lambda: places


_KEPT = 1 << 12


def coordinate_places(shape: Shape, indices: TensorSpec, batch_dims: int = 0) -> Places:
    """Plan the NumPy index of slices whose coordinates are the last axis of `indices`, after axes of their own."""
    outer, axes = indices.shape[:-1], range(batch_dims, batch_dims + indices.shape[-1])
    grid, rest = _grid(outer[:batch_dims]), (1,) * (len(outer) - batch_dims)
    columns = [(..., axis - batch_dims) for axis in axes]

    def places(indices: Any, checked: bool) -> tuple[Any, ...]:
        index = [indices[column] for column in columns]
        if checked:
            index = [in_range(each, shape[axis], axis) for each, axis in zip(index, axes, strict=True)]
        if not batch_dims:
            return tuple(index)
        batch = [np.broadcast_to(place.reshape(place.shape + rest), outer) for place in grid()]
        return (*batch, *index)

    return places


def leading_shape(shape: Shape, indices: tuple[TensorSpec, ...]) -> Shape:
    """Return the shape that indices of the leading axes broadcast to."""
    if not indices or len(indices) > len(shape):
        raise bad_argument(
            f"`indices` has {len(indices)} fields, `data` has rank {len(shape)}", argument="indices"
        )
    together = indices[0].shape
    for index, other in enumerate(indices[1:], 1):
        together = broadcast(together, other.shape, ("indices[0]", f"indices[{index}]"))
    return together


def leading_places(shape: Shape) -> Places:
    """Plan the NumPy index for the leading axes."""

    def places(indices: tuple[Any, ...], checked: bool) -> tuple[Any, ...]:
        if not checked:
            return indices
        return tuple(
            [in_range(each, shape[axis], axis, f"indices[{axis}]") for axis, each in enumerate(indices)]
        )

    return places
