"""Gradients of images: resizing an axis is a product with a matrix, and its gradient one with the same matrix."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply
from relax_lang.ops.gradient.core import constant_matrix
from relax_lang.ops.numpy_kernels import resize
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _resize(call: Backward) -> list[Term | None]:
    x: Term = call.args[0]
    layout: str = call.attrs["layout"]
    sources, targets = call.dims(x), call.dims(call.result)
    if any(isinstance(one, tree.IntImm) and one.value == 0 for one in targets):
        return [call.zeros_like(x), None]
    spatial = [letter for letter in "DHW" if letter in layout]
    grad = call.grad if call.grad.dtype == x.dtype else apply("astype", call.grad, dtype_=x.dtype)
    for number, letter in enumerate(spatial):
        axis = layout.index(letter)
        source, target = sources[axis], targets[axis]
        if not isinstance(source, tree.IntImm) or not isinstance(target, tree.IntImm):
            raise Refused(f"axis {axis}, which is resized, has an extent that is not a number")
        rows = _matrix(call.attrs, source.value, target.value, number, len(spatial))
        last = len(layout) - 1
        turned = [*[at for at in range(last + 1) if at != axis], axis]
        back = [*range(axis), last, *range(axis, last)]
        mixed = apply("matmul", _permuted(grad, turned), constant_matrix(rows, x.dtype))
        grad = _permuted(mixed, back)
    return [grad, None]


def _permuted(x: Term, axes: list[int]) -> Term:
    return x if axes == sorted(axes) else apply("permute_dims", x, axes=axes)


def _matrix(options: dict[str, Any], source: int, target: int, number: int, n: int) -> list[list[float]]:
    """Return what every place of the result takes of every place of the source, along one axis."""
    mode, region = options["coordinate_transformation_mode"], options["roi"]
    given = resize.whole_region(n) if region is None else [float(one) for one in region]
    at = resize.coordinates(mode, source, target, (given[number], given[number + n]))
    alone = np.eye(source, dtype=np.float32)
    if options["method"] == "nearest_neighbor":
        taken = resize.nearest(0, source, at, options)(alone)
    else:
        taken = resize.mixed(0, source, at, options, 2)(alone)
    if mode == "tf_crop_and_resize":
        taken[resize.outside(at, source)] = 0  # there the result is `extrapolation_value`
    return taken.tolist()


GRADIENTS: dict[str, Rule] = {"image.resize2d": _resize, "image.resize3d": _resize}
WITHOUT: dict[str, str] = dict.fromkeys(
    ("image.affine_grid", "image.grid_sample"), "where it reads is computed: it has no rule yet"
)
