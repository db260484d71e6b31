"""Legal forms of reshaping: copies in another shape."""

from __future__ import annotations

from relax_lang import topi
from relax_lang.te.literals import literal_value
from relax_lang.topi.core import is_same, many_axes, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.tensor import Tensor


def reshaped(call: Legal) -> Tensor:
    """Take the elements of the first argument row by row in the shape of the result."""
    x: Tensor = call.args[0]
    if is_same(size_of(x.shape), size_of(call.shape)) is not True:
        call.require_equal(
            size_of(x.shape), size_of(call.shape), "the shapes have different numbers of elements"
        )
    return topi.reshape(x, call.shape)


def _reshape(call: Legal) -> Tensor:
    """Reshape; a dimension of -1 is not known where the others are 0."""
    given = call.args[1]
    unknown = [at for at, dim in enumerate(given) if literal_value(dim.node) == -1]
    if unknown:
        others = [dim for at, dim in enumerate(call.shape) if at not in unknown]
        if any(not literal_value(dim.node) for dim in others):
            call.require(size_of(others) > 0, "-1 cannot be found where another dimension is 0")
    return reshaped(call)


def _permuted(call: Legal) -> Tensor:
    return topi.transpose(call.args[0], call.attrs["axes"])


def _squeezed(call: Legal) -> Tensor:
    x, axes = call.args[0], call.attrs["axis"]
    for at in range(x.ndim) if axes is None else many_axes(axes, x.ndim):
        if axes is not None:
            call.require_equal(x.shape[at], x.shape[at] * 0 + 1, f"axis {at} is not 1")
    return topi.reshape(x, call.shape)


FORMS: dict[str, Form] = {
    "expand_dims": reshaped,
    "flatten": reshaped,
    "permute_dims": _permuted,
    "reshape": _reshape,
    "squeeze": _squeezed,
}

WITHOUT = {"memory.view": "its result is the memory of its argument"}
