"""Broadcasting: shapes aligned at the last axis; extents go together if they are equal or one of them is 1. [OP.6]"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL
from relax_lang.ops.rules.dims import number, value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.inference import Inference, Known, Where

    Dims = tuple[tree.PrimExpr, ...]

_ONE = number(1)


def binary(call: Inference) -> tree.StructInfo:
    """Infer an operator of two tensors of one dtype, which is the result's. [OP.6] [OP.7]"""
    x1, x2 = call.tensor(0), call.tensor(1)
    return broadcast_info(call, x1, x2, same_dtype(call, x1, x2, 0, 1), 0, 1)


def comparison(call: Inference) -> tree.StructInfo:
    """Infer an operator of two tensors of any dtypes whose result is bool. [OP.6]"""
    return broadcast_info(call, call.tensor(0), call.tensor(1), "bool", 0, 1)


def same_dtype(call: Inference, a: Known, b: Known, i: Where, j: Where) -> str | None:
    """Return the dtype that two arguments have to share: None if either is unknown, or they differ. [OP.7]"""
    if a.dtype is None or b.dtype is None:
        return None
    if a.dtype != b.dtype:
        call.different_dtypes(i, j)
        return None
    return a.dtype


def broadcast_info(
    call: Inference, a: Known, b: Known, dtype: str | None, i: Where, j: Where
) -> tree.StructInfo:
    """Return the info of a tensor with the shape that two arguments broadcast to. [OP.6]"""
    if a.dims is not None and b.dims is not None:
        dims = broadcast_dims(call, a.dims, b.dims, i, j)
        return (
            call.of_rank(max(len(a.dims), len(b.dims)), dtype)
            if dims is None
            else call.tensor_of(dims, dtype)
        )
    if a.variable is not None and a.variable == b.variable:
        return call.like(a, dtype)
    # A tensor of rank 0 changes nothing.
    if a.dims == ():
        return call.like(b, dtype)
    if b.dims == ():
        return call.like(a, dtype)
    return call.of_rank(None if a.rank is None or b.rank is None else max(a.rank, b.rank), dtype)


def broadcast_dims(call: Inference, left: Dims, right: Dims, i: Where, j: Where) -> Dims | None:
    """Return the dimensions that two shapes broadcast to; None if they depend on what is not known, or on an error."""
    if left is right:
        return left
    n = max(len(left), len(right))
    result: list[tree.PrimExpr] = []
    known = True
    for axis in range(n):
        a = left[axis - n + len(left)] if axis >= n - len(left) else _ONE
        b = right[axis - n + len(right)] if axis >= n - len(right) else _ONE
        dim = _one(call, a, b)
        if dim is _CLASH:
            shown = axis if len(left) == len(right) else axis - n
            call.bad_shape(_clash(shown, a, b, call, i, j), i, j)
            return None
        if dim is None:
            known = False
        else:
            result.append(dim)
    return tuple(result) if known else None


_CLASH = tree.IntImm(-1)


def _one(call: Inference, a: tree.PrimExpr, b: tree.PrimExpr) -> tree.PrimExpr | None:
    """Return what two extents broadcast to: an extent, None if that is open, or `_CLASH`."""
    if value_of(a) == 1:
        return b
    if value_of(b) == 1:
        return a
    answer = call.relation(a, b)
    if answer == EQUAL:
        return a
    if answer == DIFFERENT and call.different(a, _ONE) and call.different(b, _ONE):
        return _CLASH
    # One that cannot be 1 is the result, if there is any: the other is equal or 1, which the run checks.
    if call.different(a, _ONE):
        return a
    return b if call.different(b, _ONE) else None


def _clash(axis: int, a: tree.PrimExpr, b: tree.PrimExpr, call: Inference, i: Where, j: Where) -> str:
    from relax_lang.fmt.printer import show  # only where there is something to report

    return f"axis {axis} is {show(a)} in {call.name(i)} and {show(b)} in {call.name(j)}"
