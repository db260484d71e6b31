"""Rules of `definitions.nn.rearrange`."""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.dims import add, multiply, number, product
from relax_lang.ops.shape_rules.shared.extents import at_least_rank, below, must_divide, quotient, text
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference

    Dim = tree.PrimExpr
    Dims = tuple[Dim, ...]


def batch_flatten(call: Inference) -> tree.StructInfo:
    """Infer `nn.batch_flatten`: the first axis, and one of all the others."""
    data = call.tensor(0)
    at_least_rank(call, data, 0, 2)
    if data.rank == 2:
        return call.like(data, data.dtype)
    if data.dims is None or call.findings:
        return call.of_rank(2, data.dtype)
    return call.tensor_of([data.dims[0], product(call, data.dims[1:])], data.dtype)


def pad(call: Inference) -> tree.StructInfo:
    """Infer `nn.pad`: every extent and two widths. [OP.4]"""
    data, widths, mode = call.tensor(0), call.attrs["pad_width"], call.attrs["pad_mode"]
    rank = data.rank
    if rank is None and len(widths) % 2:
        call.bad_attribute("pad_width", f"{len(widths)} numbers; two per axis are needed")
        return call.of_rank(None, data.dtype)
    if rank is not None and len(widths) != 2 * rank:
        reason = f"{len(widths)} numbers for a tensor of rank {rank}; two per axis are needed"
        call.bad_attribute("pad_width", reason)
        return call.of_rank(rank, data.dtype)
    if data.dims is None:
        return call.of_rank(len(widths) // 2, data.dtype)
    if mode not in (None, "constant"):
        _check_mirrored(call, data.dims, widths, 2 if mode == "reflect" else 1)
    dims = [
        add(call, dim, number(widths[2 * axis] + widths[2 * axis + 1])) for axis, dim in enumerate(data.dims)
    ]
    return call.tensor_of(dims, data.dtype)


def _check_mirrored(call: Inference, dims: Dims, widths: list[int], least: int) -> None:
    """Note an axis too short to take cells from for its padding."""
    for axis, dim in enumerate(dims):
        if widths[2 * axis] + widths[2 * axis + 1] and below(call, dim, number(least)):
            mode = call.attrs["pad_mode"]
            call.bad_shape(f'axis {axis} has extent {text(dim)}; "{mode}" needs at least {least}', 0)


def pixel_shuffle(call: Inference) -> tree.StructInfo:
    """Infer `nn.pixel_shuffle`: (…, C · r², H, W) becomes (…, C, H · r, W · r)."""
    data, r = call.tensor(0), call.attrs["upscale_factor"]
    at_least_rank(call, data, 0, 3)
    if data.dims is None or call.findings:
        return call.of_rank(data.rank, data.dtype)
    *batch, channels, height, width = data.dims
    axis = len(data.dims) - 3
    must_divide(
        call,
        number(r * r),
        channels,
        0,
        lambda: f"{text(channels)} channels (axis {axis}) cannot be divided by {r}² = {r * r}",
    )
    fewer = quotient(call, channels, number(r * r))
    larger = [multiply(call, height, number(r)), multiply(call, width, number(r))]
    return call.tensor_of([*batch, fewer, *larger], data.dtype)
