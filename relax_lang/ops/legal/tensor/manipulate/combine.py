"""Legal forms of the operators that join tensors and cut them."""

from __future__ import annotations

from relax_lang import topi
from relax_lang.ops.legal.core import Refused
from relax_lang.te.tensor import compute
from relax_lang.topi.core import one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _concat(call: Legal) -> Tensor:
    tensors, axis = call.args[0], call.attrs["axis"] or 0
    at_axis = one_axis(axis, tensors[0].ndim)
    for other in tensors[1:]:
        for at, (a, b) in enumerate(zip(tensors[0].shape, other.shape, strict=True)):
            if at != at_axis:
                call.require_equal(a, b, f"the tensors differ on axis {at}")
    return topi.concatenate(tensors, at_axis)


def _stack(call: Legal) -> Tensor:
    tensors = call.args[0]
    for other in tensors[1:]:
        for at, (a, b) in enumerate(zip(tensors[0].shape, other.shape, strict=True)):
            call.require_equal(a, b, f"the tensors differ on axis {at}")
    return topi.stack(tensors, call.attrs["axis"] or 0)


def _split(call: Legal) -> tuple[Tensor, ...]:
    x = call.args[0]
    axis = one_axis(call.attrs["axis"], x.ndim)
    begin: Expr | int = 0
    parts: list[Tensor] = []
    for shape, _ in call.out:
        parts.append(_part(x, axis, begin, shape))
        begin = shape[axis] + begin
    return tuple(parts)


def _part(x: Tensor, axis: int, begin: Expr | int, shape: tuple[Expr, ...]) -> Tensor:
    return compute(shape, lambda *at: x[(*at[:axis], at[axis] + begin, *at[axis + 1 :])], "part")


def _meshgrid(call: Legal) -> tuple[Tensor, ...]:
    tensors = call.args[0]
    if not tensors:
        raise Refused("there is no tensor")
    swapped = call.attrs["indexing"] == "xy" and len(tensors) > 1
    found: list[Tensor] = []
    for number, (shape, _) in enumerate(call.out):
        axis = 1 - number if swapped and number < 2 else number
        found.append(_along(tensors[number], axis, shape))
    return tuple(found)


def _along(x: Tensor, axis: int, shape: tuple[Expr, ...]) -> Tensor:
    return compute(shape, lambda *at: x[at[axis]], "grid")


FORMS: dict[str, Form] = {"concat": _concat, "meshgrid": _meshgrid, "split": _split, "stack": _stack}
