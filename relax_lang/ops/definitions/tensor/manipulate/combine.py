"""Operators that join tensors or take one apart."""

from __future__ import annotations

from operator import itemgetter

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_attribute
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import along, one_axis, same_dtype, same_extents
from relax_lang.ops.shape_rules.tensor.manipulate import combine as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, TensorSpec

family = Family(__name__, "Joining and splitting")


def _alike(tensors: tuple[TensorSpec, ...], skip: Sequence[int] = ()) -> None:
    """Require at least one tensor, and of all of them one dtype and the same extents but for `skip`."""
    if not tensors:
        raise bad_argument("`tensors` is an empty tuple; at least one tensor is needed")
    first = tensors[0]
    for index, other in enumerate(tensors[1:], 1):
        if other.shape == first.shape and other.dtype is first.dtype:
            continue
        pair = ("tensors[0]", f"tensors[{index}]")
        same_dtype(first, other, pair)
        same_extents(first.shape, other.shape, pair, skip)


@family.planned(
    "concat",
    "tensors: tensors",
    "axis: int|none = 0",
    infer=rules.concat,
    rows="concat",
    also=("np.concatenate", "torch.cat", "tvm.concatenate"),
    example="concat((const([1, 2]), const([3])), axis=0)",
)
def concat(tensors: tuple[TensorSpec, ...], axis: int | None) -> Run1:
    """Join tensors end to end along an axis; all other extents, the ranks and the dtypes are the same.

    The extent of the axis is the sum of theirs. With `axis=null` all tensors must have rank 1.
    """
    if axis is None:
        for tensor in tensors:
            if tensor.ndim != 1:
                raise bad_argument(f"without an axis all tensors must have rank 1, not {tensor.ndim}")
    at = one_axis(axis or 0, tensors[0].ndim) if tensors else 0
    _alike(tensors, (at,))
    concatenate = np.concatenate
    return lambda tensors: concatenate(tensors, at)


@family.planned(
    "stack",
    "tensors: tensors",
    "axis: int|none = 0",
    since="later",
    infer=rules.stack,
    rows="stack",
    example="stack((const([1, 2]), const([3, 4])), axis=0)",
)
def stack(tensors: tuple[TensorSpec, ...], axis: int | None) -> Run1:
    """Join tensors of one shape and dtype along a new axis, whose extent is their number.

    `axis` counts in the result, whose rank is one more than theirs.
    """
    _alike(tensors)
    first = tensors[0]
    at = one_axis(axis or 0, first.ndim + 1)
    shape = (*first.shape[:at], len(tensors), *first.shape[at:])
    if at == 0 and first.ndim:
        concatenate = np.concatenate
        return lambda tensors: concatenate(tensors).reshape(shape)
    places = [along(at, place) for place in range(len(tensors))]
    empty, dtype = np.empty, first.dtype

    def run(tensors: tuple[Any, ...]) -> Any:
        result = empty(shape, dtype)
        for place, tensor in zip(places, tensors, strict=True):
            result[place] = tensor
        return result

    return run


@family.planned(
    "split",
    "x: tensor",
    "indices_or_sections: int>0|list[int], axis: int = 0",
    aliases=("x",),
    infer=rules.split,
    rows="split",
    also=("np.array_split", "torch.chunk", "torch.tensor_split"),
    example="split(const([1, 2, 3, 4, 5]), indices_or_sections=2)",
)
def split(x: TensorSpec, indices_or_sections: int | Sequence[int], axis: int) -> Run1:
    """Cut a tensor along an axis into a tuple of tensors.

    A number is the number of pieces: all have the extent ceil(L / n), only the last ones get what is left. A
    list holds, in ascending order, the indices at which to cut; those beyond the extent L make empty pieces.
    The result is always a tuple, also of one piece.
    """
    at = one_axis(axis, x.ndim)
    extent = x.shape[at]
    if isinstance(indices_or_sections, int):
        size = -(-extent // indices_or_sections)
        cuts = [min(extent, size * piece) for piece in range(1, indices_or_sections)]
    else:
        if list(indices_or_sections) != sorted(indices_or_sections):
            raise bad_attribute("indices_or_sections", "the indices must ascend")
        cuts = [min(extent, max(0, index)) for index in indices_or_sections]
    places = [along(at, slice(start, stop)) for start, stop in zip((0, *cuts), (*cuts, extent), strict=True)]
    if len(places) == 1:
        return lambda x: (x[places[0]],)
    return itemgetter(*places)


@family.planned(
    "meshgrid",
    "tensors: tensors(1-d)",
    'indexing: "ij"|"xy"|none = "ij"',
    since="later",
    infer=rules.meshgrid,
    example="meshgrid((const([1, 2]), const([3, 4, 5])))",
)
def meshgrid(tensors: tuple[TensorSpec, ...], indexing: str | None) -> Run1:
    """Repeat n tensors of rank 1 and one dtype over the grid they span: n tensors of rank n.

    Their shape is (L0, L1, …), the lengths in order; with `indexing="xy"` the first two are exchanged.
    """
    if not tensors:
        raise bad_argument("`tensors` is an empty tuple; at least one tensor is needed")
    for index, other in enumerate(tensors[1:], 1):
        same_dtype(tensors[0], other, ("tensors[0]", f"tensors[{index}]"))
    order = list(range(len(tensors)))
    if indexing == "xy":
        order[:2] = reversed(order[:2])
    shape = tuple([tensors[at].size for at in order])
    # Each tensor as a column of its own axis, which NumPy repeats along all others while it copies.
    columns = [(-1, *(1,) * (len(order) - 1 - order.index(at))) for at in range(len(tensors))]
    empty, dtype = np.empty, tensors[0].dtype

    def run(tensors: tuple[Any, ...]) -> tuple[Any, ...]:
        grids = tuple([empty(shape, dtype) for _ in tensors])
        for grid, tensor, column in zip(grids, tensors, columns, strict=True):
            grid[...] = tensor.reshape(column)
        return grids

    return run
