"""Legal forms of questions about shapes whose answers are tensors."""

from __future__ import annotations

from relax_lang import te
from relax_lang.te.tensor import compute
from relax_lang.topi.core import INT64, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _size(call: Legal) -> Tensor:
    count = size_of(call.args[0].shape)
    return compute((), lambda: te.cast(count, call.dtype), "size")


def _shape_to_tensor(call: Legal) -> Tensor:
    dims = call.args[0]

    def each(i: Expr) -> Expr:
        found: Expr = dims[-1]
        for at in reversed(range(len(dims) - 1)):
            found = te.select(i == at, dims[at], found)
        return te.cast(found, call.dtype)

    return compute(call.shape, each, "sizes")


def _shape_equals(call: Legal) -> Tensor:
    one, other = call.args
    if len(one) != len(other):
        return compute((), lambda: te.const(False, "bool"), "equal")

    def each() -> Expr:
        found: Expr = te.const(True, "bool")
        for a, b in zip(one, other, strict=True):
            found = found & (te.cast(a, INT64) == te.cast(b, INT64))
        return found

    return compute((), each, "equal")


FORMS: dict[str, Form] = {
    "shape_equals": _shape_equals,
    "shape_to_tensor": _shape_to_tensor,
    "size": _size,
}

WITHOUT = {"": "its result is a shape, not a tensor"}
