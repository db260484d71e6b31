"""Gradients of images: resizing an axis is a product with a matrix, and its gradient one with the same matrix."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.attribute_syntax.windows import region as region_of
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, prim, shape
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
        if isinstance(source, tree.IntImm) and isinstance(target, tree.IntImm):
            rows = _matrix(call.attrs, source.value, target.value, number, len(spatial))
            matrix = constant_matrix(rows, x.dtype)
        elif call.attrs["coordinate_transformation_mode"] == "tf_crop_and_resize":
            raise Refused(f"axis {axis}, which is resized, has an extent that is not a number")
        else:
            matrix = _computed_matrix(call, source, target, len(spatial))
        last = len(layout) - 1
        turned = [*[at for at in range(last + 1) if at != axis], axis]
        back = [*range(axis), last, *range(axis, last)]
        mixed = apply("matmul", _permuted(grad, turned), matrix)
        grad = _permuted(mixed, back)
    return [grad, None]


def _permuted(x: Term, axes: list[int]) -> Term:
    return x if axes == sorted(axes) else apply("permute_dims", x, axes=axes)


def _matrix(options: dict[str, Any], source: int, target: int, number: int, n: int) -> list[list[float]]:
    """Return what every place of the result takes of every place of the source, along one axis."""
    mode, region = options["coordinate_transformation_mode"], options["roi"]
    given = [float(one) for one in region_of(region, n)]
    at = resize.coordinates(mode, source, target, (given[number], given[number + n]))
    alone = np.eye(source, dtype=np.float32)
    if options["method"] == "nearest_neighbor":
        taken = resize.nearest(0, source, at, options)(alone)
    else:
        taken = resize.mixed(0, source, at, options, 2)(alone)
    if mode == "tf_crop_and_resize":
        taken[resize.outside(at, source)] = 0  # there the result is `extrapolation_value`
    return taken.tolist()


def _computed_matrix(call: Backward, source: tree.PrimExpr, target: tree.PrimExpr, n: int) -> Term:
    """Return the same matrix over extents that a run knows: what the operator makes of a column for each place."""
    dtype = call.args[0].dtype
    same = apply("eye", prim(source), prim(source), prim(0), dtype_=dtype)
    columns = apply("reshape", same, shape([source, 1, source, *[1] * (n - 1)]))
    options = {name: value for name, value in call.attrs.items() if name in _AXIS_BY_AXIS}
    size = shape([target, *[1] * (n - 1)])
    resized = apply(call.operator.name, columns, size, layout="NCHW" if n == 2 else "NCDHW", **options)
    return apply("permute_dims", apply("reshape", resized, shape([source, target])), axes=[1, 0])


_AXIS_BY_AXIS = (
    "method",
    "coordinate_transformation_mode",
    "rounding_method",
    "cubic_alpha",
    "cubic_exclude",
)


def _affine_grid(call: Backward) -> list[Term | None]:
    """The grid is the product of every map with the places, which the map that changes nothing gives."""
    x: Term = call.args[0]
    batch, n, *size = call.dims(call.result)
    if not isinstance(n, tree.IntImm):
        raise Refused("the number of coordinates is not known")
    count = n.value
    same = [[float(row == column) for column in range(count + 1)] for row in range(count)]
    maps = apply("expand_dims", constant_matrix(same, x.dtype), axis=0)
    corners = call.attrs["align_corners"]
    grid = apply("image.affine_grid", maps, shape(size), align_corners=corners)
    places = apply("reshape", grid, shape([count, _product(size)]))
    ones = apply("ones", shape([1, _product(size)]), dtype_=x.dtype)
    whole = apply("concat", (places, ones), axis=0)
    grads = apply("reshape", call.grad, shape([batch, count, _product(size)]))
    return [apply("matmul", grads, apply("permute_dims", whole, axes=[1, 0])), None]


def _product(dims: list[tree.PrimExpr]) -> tree.PrimExpr:
    made = dims[0]
    for one in dims[1:]:
        made = tree.Mul(made, one)
    return simplified(made)


GRADIENTS: dict[str, Rule] = {
    "image.affine_grid": _affine_grid,
    "image.resize2d": _resize,
    "image.resize3d": _resize,
}
WITHOUT: dict[str, str] = {"image.grid_sample": "where it reads is computed: it has no rule yet"}
