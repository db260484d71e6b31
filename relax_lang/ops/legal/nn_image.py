"""Legal forms of operators on images."""

from __future__ import annotations

from relax_lang import te
from relax_lang.te.tensor import compute
from relax_lang.topi.core import FLOAT64, as_dtype, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
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


FORMS: dict[str, Form] = {"image.affine_grid": _affine_grid}

WITHOUT = {
    "image.grid_sample": "it has no form yet: it reads at places with fractions, in three ways",
    "": "it has no form yet: the ways to place and round what is read are many",
}
