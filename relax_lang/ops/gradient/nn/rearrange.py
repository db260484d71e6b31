"""Gradients of padding and rearrangement."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.core.terms import Term, apply, prims, shape
from relax_lang.ops.gradient.core import constant_indices, moved_back
from relax_lang.ops.gradient.tensor.manipulate.reshape import as_operand
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule


def _pad(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    if call.attrs["pad_mode"] not in ("constant", None):
        return [_folded(call, x, call.attrs["pad_mode"])]
    dims, widths = call.dims(x), call.attrs["pad_width"]
    begins = [tree.IntImm(one) for one in widths[::2]]
    ends = [simplified(tree.Add(begin, dim)) for begin, dim in zip(begins, dims, strict=True)]
    axes = [at for at in range(len(dims)) if widths[2 * at] or widths[2 * at + 1]]
    if not axes:
        return [call.grad]
    bounds = [prims([each[at] for at in axes]) for each in (begins, ends)]
    return [apply("strided_slice", call.grad, prims(axes), *bounds)]


def _folded(call: Backward, x: Term, mode: str) -> Term:
    """Add what each cell of a border gets to the element that it repeats, axis by axis."""
    grad, widths = call.grad, call.attrs["pad_width"]
    dims: list[tree.PrimExpr] = list(call.dims(call.result))
    for axis, dim in enumerate(call.dims(x)):
        before, after = widths[2 * axis : 2 * axis + 2]
        if not before and not after:
            continue
        if not isinstance(dim, tree.IntImm):
            return moved_back(call, lambda numbers: apply("nn.pad", numbers, pad_width=widths, pad_mode=mode))
        dims[axis] = dim
        places = [_repeated(at, dim.value, mode) for at in range(-before, dim.value + after)]
        like = apply("zeros", shape(dims), dtype_=grad.dtype)
        grad = apply("grad.take_backward", grad, like, constant_indices(places), axis=axis)
    return grad


def _repeated(at: int, extent: int, mode: str) -> int:
    """Return the place of the element that a cell of the border repeats."""
    if mode == "replicate":
        return min(max(at, 0), extent - 1)
    if mode == "circular":
        return at % extent
    period = max(2 * (extent - 1), 1)
    place = at % period
    return min(place, period - place) if extent > 1 else 0


def _pixel_shuffle(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    *outer, channels, height, width = call.dims(x)
    factor = call.attrs["upscale_factor"]
    n = len(outer)
    inner = simplified(tree.FloorDiv(channels, tree.IntImm(factor * factor)))
    parts = apply("reshape", call.grad, shape([*outer, inner, height, factor, width, factor]))
    transposed = apply("permute_dims", parts, axes=[*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return [apply("reshape", transposed, call.shape_of(x))]


GRADIENTS: dict[str, Rule] = {
    "nn.batch_flatten": as_operand,
    "nn.pad": _pad,
    "nn.pixel_shuffle": _pixel_shuffle,
}
