"""Rules of operators on images. [OP.3-OP.6]"""

from __future__ import annotations

from functools import partial

from relax_lang.ops.shape_rules.nn.windows import arranged, canonical_dims, layout_of
from relax_lang.ops.shape_rules.shared.dims import at_least, at_most, number, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.syntax import tree

    Dims = tuple[tree.PrimExpr, ...]

_ZERO = number(0)


def resize(canonical: str) -> Callable[[Inference], tree.StructInfo]:
    """Return the rule of a resizing: the spatial axes of `data` get the extents of `size`. [OP.4] [OP.6]"""
    n = len(canonical) - 2

    def rule(call: Inference) -> tree.StructInfo:
        data, size, layout = call.tensor(0), call.tensor(1), call.attrs["layout"]
        _check_region(call, n)
        if size.rank is not None and size.rank != n:
            call.bad_argument(1, f"a shape of {n} dimensions")
        dims = _resized(call, layout, canonical, data, None if call.findings else size.dims)
        dtype = call.attrs["out_dtype"] or data.dtype
        rank = data.rank if data.rank is not None or any(map(str.isdigit, layout)) else n + 2
        return call.of_rank(rank, dtype) if dims is None else call.tensor_of(dims, dtype)

    return rule


def _check_region(call: Inference, n: int) -> None:
    roi: float | Sequence[float] | None = call.attrs["roi"]
    if roi is not None and not isinstance(roi, int | float) and len(roi) != 2 * n:
        call.bad_attribute("roi", f"{len(roi)} numbers; {2 * n} are needed")


def _resized(
    call: Inference, text: str, canonical: str, data: Known, size: Dims | None
) -> Sequence[tree.PrimExpr] | None:
    """Return the dimensions of the result in its layout; None if they are not known, or after an error. [OP.4]"""
    layout = layout_of(call, text, canonical, "layout")
    if layout is None:
        return None
    dims = canonical_dims(call, 0, data, text, canonical, "layout")
    for at, extent in enumerate(size or (), 2):
        least = at_least(call, extent)
        if dims is not None and call.equal(dims[at], _ZERO) and least is not None and least > 0:
            axis = layout.axes.index(canonical[at])
            call.bad_shape(f"axis {axis} cannot be resized from 0 to {call.text(extent)}", 0)
            return None
    if dims is None or size is None or call.findings:
        return None
    return arranged(call, [*dims[:2], *size], layout)


_MAPS = "(N, 2, 3) goes with two extents, (N, 3, 4) with three"


def affine_grid(call: Inference) -> tree.StructInfo:
    """Infer a grid of the extents of `size`, which are two for (N, 2, 3) and three for (N, 3, 4). [OP.6]"""
    data, size = call.tensor(0), call.tensor(1)
    if size.rank is not None and (size.rank not in (2, 3) or _other_maps(call, data, size.rank)):
        call.bad_shape(_MAPS, 0, 1)
        return call.of_rank(None, data.dtype)
    if size.rank is not None and data.dims is not None:
        for extent, wanted in zip(data.dims[1:], (size.rank, size.rank + 1), strict=True):
            call.clash(extent, number(wanted), (0,), partial(str, _MAPS))
    for extent in size.dims or ():
        most = at_most(call, extent)
        if most is not None and most < 1:
            call.bad_shape(f"the size has the extent {most}, which is below 1", 1)
            break
    if size.rank is None:
        maps = None if data.dims is None else value_of(data.dims[1])
        return call.of_rank(None if maps is None else maps + 2, data.dtype)
    if data.dims is None or size.dims is None:
        return call.of_rank(size.rank + 2, data.dtype)
    return call.tensor_of((data.dims[0], number(size.rank), *size.dims), data.dtype)


def _other_maps(call: Inference, data: Known, n: int) -> bool:
    """Return whether the maps provably are not n × (n + 1) matrices."""
    return data.dims is not None and (
        call.different(data.dims[1], number(n)) or call.different(data.dims[2], number(n + 1))
    )


def grid_sample(call: Inference) -> tree.StructInfo:
    """Infer batch and channels from the image, the spatial extents from the grid. [OP.3] [OP.6]"""
    data, grid, layout = call.tensor(0), call.tensor(1), call.attrs["layout"]
    n = len(layout) - 2
    for index, known in enumerate((data, grid)):
        if known.rank is not None and known.rank != n + 2:
            call.bad_argument(index, f"a tensor of rank {n + 2} for the layout {layout}")
    if call.attrs["method"] == "bicubic" and n == 3:
        call.bad_attribute("method", '"bicubic" needs the layout NCHW')
    if call.findings:
        return call.of_rank(n + 2, data.dtype)
    if grid.dims is not None:
        _check_grid(call, data, grid.dims, n)
    if data.dims is None or grid.dims is None:
        return call.of_rank(n + 2, data.dtype)
    return call.tensor_of((*data.dims[:2], *grid.dims[2:]), data.dtype)


def _check_grid(call: Inference, data: Known, grid: Dims, n: int) -> None:
    """Note that there provably is another number of coordinates or of images, or nothing to sample. [OP.6]"""
    call.clash(
        grid[1],
        number(n),
        (1,),
        lambda: f"axis 1 of `grid` is {call.text(grid[1])}, where {n} coordinates are needed",
    )
    if data.dims is None:
        return
    images = data.dims[0]
    call.clash(
        grid[0],
        images,
        (0, 1),
        lambda: f"axis 0 is {call.text(images)} in `data` and {call.text(grid[0])} in `grid`",
    )
    empty = [axis for axis in range(2, n + 2) if call.equal(data.dims[axis], _ZERO)]
    if empty and all(call.different(extent, _ZERO) for extent in grid):
        call.bad_shape(f"the image has nothing to sample: axis {empty[0]} has extent 0", 0)
