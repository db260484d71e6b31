"""Legal forms of reductions and running totals."""

from __future__ import annotations

from relax_lang import topi
from relax_lang.ops.legal.core import Refused
from relax_lang.syntax import dtypes
from relax_lang.topi.core import many_axes
from relax_lang.topi.moving import cumulative, reshape
from relax_lang.topi.reduction import integer_mean, variance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.tensor import Tensor


def reduction(function: Any, *, of_something: bool = False) -> Form:
    """Return the form of a reduction; with `of_something` one over no element has no value."""

    def form(call: Legal) -> Tensor:
        if of_something:
            require_elements(call)
        return function(call.args[0], call.attrs["axis"], call.attrs["keepdims"])

    return form


def require_elements(call: Legal) -> None:
    """Require that there is something on the axes that are reduced, where that is not known and there is a result."""
    x: Tensor = call.args[0]
    if any(bool_of(extent == 0) for extent in call.shape):
        return
    for at in many_axes(call.attrs["axis"], x.ndim):
        if bool_of(x.shape[at] == 0) is not False:
            condition = x.shape[at] > 0
            for extent in call.shape:
                if bool_of(extent == 0) is None:
                    condition = condition | (extent == 0)
            call.require(condition, "there is no element")


def bool_of(condition: Any) -> bool | None:
    """Return whether an equation of sizes holds; None if that is not known."""
    from relax_lang.base.relax_error import RelaxError

    try:
        return bool(condition)
    except RelaxError:
        return None


def _mean(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    if dtypes.is_float(x.dtype):
        return topi.mean(x, call.attrs["axis"], call.attrs["keepdims"])
    require_elements(call)
    return integer_mean(x, call.attrs["axis"], call.attrs["keepdims"])


def _spread(*, root: bool) -> Form:
    def form(call: Legal) -> Tensor:
        x: Tensor = call.args[0]
        if not dtypes.is_float(x.dtype):
            require_elements(call)
        return variance(x, call.attrs["axis"], call.attrs["keepdims"], root=root)

    return form


def _scan(*, product: bool) -> Form:
    def form(call: Legal) -> Tensor:
        x, axis = call.args[0], call.attrs["axis"]
        if call.dtype in dtypes.HALVES:
            raise Refused("running totals of halves are rounded once, those of PrimFuncs at each step")
        if axis is None:
            x, axis = reshape(x, call.shape), 0
        return cumulative(x, axis, call.dtype, product=product, exclusive=call.attrs["exclusive"])

    return form


FORMS: dict[str, Form] = {
    "cumprod": _scan(product=True),
    "cumsum": _scan(product=False),
    "max": reduction(topi.max, of_something=True),
    "mean": _mean,
    "min": reduction(topi.min, of_something=True),
    "prod": reduction(topi.prod),
    "std": _spread(root=True),
    "sum": reduction(topi.sum),
    "variance": _spread(root=False),
}

WITHOUT = {"median": "it sorts"}
