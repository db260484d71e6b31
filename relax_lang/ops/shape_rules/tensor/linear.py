"""Rules of products of matrices. [OP.6] [OP.7]"""

from __future__ import annotations

from relax_lang.ops.core.inference import Known
from relax_lang.ops.shape_rules.shared.broadcast import (
    broadcast_info,
    clashes,
    joined,
    same_dtype,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

    Dims = tuple[tree.PrimExpr, ...]


def matmul(call: Inference) -> tree.StructInfo:
    """Infer (…, n, k) by (…, k, m): (…, n, m), or less if one of them has rank 1."""
    return _product(call, call.tensor(1).dims)


def linear(call: Inference) -> tree.StructInfo:
    """Infer a product with a transposed weight, and the sum with a bias, if there is one."""
    weight = call.tensor(1)
    info = _product(call, None if weight.dims is None else weight.dims[::-1], flipped=True)
    if not call.given(2):
        return info
    result, bias = Known(info, call.context), call.tensor(2)
    dtype = _bias_dtype(call, result, bias)
    names = "`matmul(data, weight)`", "`bias`"
    if (
        result.dims is not None
        and bias.dims is not None
        and clashes(call, result.dims, bias.dims, (0, 1, 2), names)
    ):
        return info
    return broadcast_info(call, result, bias, dtype, 0, 2)


def _bias_dtype(call: Inference, result: Known, bias: Known) -> str | None:
    if call.attrs["out_dtype"] is None:
        return same_dtype(call, result, bias, 0, 2)
    if bias.dtype is not None and bias.dtype != result.dtype:
        call.bad_dtype(2, str(result.dtype))
    return result.dtype


def outer(call: Inference) -> tree.StructInfo:
    """Infer a matrix from two rows."""
    x1, x2 = call.tensor(0), call.tensor(1)
    dtype = same_dtype(call, x1, x2, 0, 1)
    if x1.dims is None or x2.dims is None:
        return call.of_rank(2, dtype)
    return call.tensor_of((*x1.dims, *x2.dims), dtype)


def _product(call: Inference, right: Dims | None, flipped: bool = False) -> tree.TensorStructInfo:
    """Return the info of a product of the first two arguments; `right` are the dimensions of the second factor."""
    a, b = call.tensor(0), call.tensor(1)
    dtype = call.attrs["out_dtype"] or same_dtype(call, a, b, 0, 1)
    for index, factor in enumerate((a, b)):
        if factor.rank == 0:
            call.bad_argument(index, "a tensor of rank 1 or more")
    if a.rank == 0 or b.rank == 0:
        return call.of_rank(None, dtype)
    left = a.dims
    if left is not None and right is not None:
        _check_summed(call, left, right, flipped)
    if a.rank is None or b.rank is None:
        return call.of_rank(None, dtype)
    rank = max(a.rank - 2, b.rank - 2, 0) + (a.rank > 1) + (b.rank > 1)
    # Of a factor of rank 1 no axis is left.
    rows = () if a.rank == 1 else None if left is None else left[-2:-1]
    columns = () if b.rank == 1 else None if right is None else right[-1:]
    leading = _leading(call, _batch(a.rank, left), _batch(b.rank, right), flipped)
    if rows is None or columns is None or leading is None:
        return call.of_rank(rank, dtype)
    return call.tensor_of((*leading, *rows, *columns), dtype)


def _batch(rank: int, dims: Dims | None) -> Dims | None:
    return () if rank <= 2 else None if dims is None else dims[:-2]


def _check_summed(call: Inference, left: Dims, right: Dims, flipped: bool) -> None:
    """Note that the axes that are summed against each other provably differ. [OP.6]"""
    at = max(len(right) - 2, 0)

    def reason() -> str:
        shown = len(right) - 1 - at if flipped else at
        return (
            f"axis {len(left) - 1} of {call.name(0)} is {call.text(left[-1])}, "
            f"axis {shown} of {call.name(1)} is {call.text(right[at])}"
        )

    call.clash(left[-1], right[at], (0, 1), reason)


def _leading(call: Inference, left: Dims | None, right: Dims | None, flipped: bool) -> Dims | None:
    """Return what the leading axes of two factors broadcast to; None if that is open, or after an error."""
    if left is None or right is None:
        return None
    prefix = "leading axes of the product: " if flipped else ""
    names = call.name(0), call.name(1)
    if clashes(call, left, right, (0, 1), names, further=2, prefix=prefix):
        return None
    return joined(call, (left, right))
