"""Legal forms of operators on images."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.attribute_syntax.windows import SPATIAL, region
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.legal.sampling import Sampler, coordinates, resized, sampled
from relax_lang.ops.legal.windows import canonical_shape, canonical_view, in_layout, order_of
from relax_lang.syntax import dtypes
from relax_lang.te.expr import constant_value
from relax_lang.te.tensor import compute
from relax_lang.topi.core import FLOAT32, FLOAT64, as_dtype, stored, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _affine_grid(call: Legal) -> Tensor:
    data, size = call.args
    n, wide = len(size), wide_dtype(call.dtype)
    given = as_dtype(data, wide)
    for extent in size:
        call.require(extent >= 1, "the size has an extent below 1")

    def along(place: Expr, extent: Expr) -> Expr:
        """Return the coordinate of a place: of the centre of its cell, or of the first and the last at -1 and 1."""
        at, whole = te.cast(place, FLOAT64), te.cast(extent, FLOAT64)
        two, one = te.const(2.0, FLOAT64), te.const(1.0, FLOAT64)
        if not call.attrs["align_corners"]:
            return te.cast((two * at + one) / whole - one, wide)
        steps = te.maximum(whole - one, one)
        return te.cast(at * (two / steps) - one, wide)

    def each(image: Expr, row: Expr, *at: Expr) -> Expr:
        total: Expr | None = None
        for number in range(n):  # x, the last axis, comes first
            axis = n - 1 - number
            part = given[(image, row, te.const(number, "int64"))] * along(at[axis], size[axis])
            total = part if total is None else total + part
        assert total is not None
        return te.cast(total + given[(image, row, te.const(n, "int64"))], call.dtype)

    return compute(call.shape, each, "grid")


def resizing(n: int) -> Form:
    """Return the form of a resizing of n spatial axes: one axis after the other, the last one first."""
    letters = "NC" + SPATIAL[n]

    def form(call: Legal) -> Tensor:
        attrs, data = call.attrs, call.args[0]
        order = order_of(attrs["layout"], letters, "layout")
        shape = canonical_shape(call.shape, order)
        x = canonical_view(data, order)
        roi = region(attrs["roi"], n)
        mode = attrs["coordinate_transformation_mode"]
        if attrs["method"] == "cubic" and not dtypes.is_float(call.dtype):
            raise Refused("what a cubic overshoots to need not fit into integers")
        sources = x.shape[2:]
        for source, target in zip(sources, shape[2:], strict=True):
            _require_elements(call, source, target)

        where = [
            coordinates(source, shape[2 + at], mode, (roi[at], roi[at + n]))
            for at, source in enumerate(sources)
        ]
        for at in reversed(range(n)):
            x = resized(x, at + 2, shape[2 + at], where[at], attrs)
        if mode == "tf_crop_and_resize":
            value = te.cast(te.const(attrs["extrapolation_value"], FLOAT64), x.dtype)
            x = _extrapolated(x, where, sources, value)
        return in_layout(stored(x, call.dtype), order)

    return form


def _require_elements(call: Legal, source: Expr, target: Expr) -> None:
    known, wanted, why = (
        constant_value(source),
        constant_value(target),
        "an axis without elements cannot be resized",
    )
    if known == 0 and wanted != 0:
        raise Refused(why)
    if known is None and wanted != 0:
        has_some = source >= 1
        call.require(has_some if wanted else has_some | (target == 0), why)


def _extrapolated(x: Tensor, where: Sequence[Tensor], sources: Sequence[Expr], value: Expr) -> Tensor:
    """Return an image with a value where the coordinates lie outside of the source."""

    def each(*at: Expr) -> Expr:
        found, zero = x[at], te.const(0, FLOAT32)
        for axis, (places, extent) in enumerate(zip(where, sources, strict=True), 2):
            place = places[at[axis]]
            beyond = place > te.cast(extent, FLOAT32) - te.const(1, FLOAT32)
            found = te.select((place < zero) | beyond, value, found)
        return found

    return compute(x.shape, each, "cropped")


def _grid_sample(call: Legal) -> Tensor:
    data, grid = call.args
    attrs, n = call.attrs, data.ndim - 2
    wide = wide_dtype(call.dtype)
    if attrs["method"] == "bicubic" and n == 3:
        raise Refused('"bicubic" needs the layout NCHW')
    call.require_equal(data.shape[0], grid.shape[0], "the grid has another number of images")
    call.require_equal(grid.shape[1], te.const(n, "int64"), "the grid has another number of coordinates")
    for extent in data.shape[2:]:
        if constant_value(extent) is None:
            call.require(extent >= 1, "the image has an axis of extent 0")
    sampler = Sampler(attrs, wide)
    tables = [sampler.table(grid, n - 1 - axis, extent) for axis, extent in enumerate(data.shape[2:])]
    return stored(sampled(data, tables, call.shape, wide), call.dtype)


FORMS: dict[str, Form] = {
    "image.affine_grid": _affine_grid,
    "image.grid_sample": _grid_sample,
    "image.resize2d": resizing(2),
    "image.resize3d": resizing(3),
}
