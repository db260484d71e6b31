"""Broadcasting: shapes aligned at the last axis; extents are compatible if they are equal or one of them is 1. [OP.6]

Also arguments that must have the same shape.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EITHER, EQUAL
from relax_lang.base.python.plain_functions import partial
from relax_lang.ops.shape_rules.shared.dims import number, value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.inference import Inference, Known, Where

    Dims = tuple[tree.PrimExpr, ...]
    Clash = tuple[int, tree.PrimExpr, tree.PrimExpr]  # an axis, and what it is on either side

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
) -> tree.TensorStructInfo:
    """Return the info of a tensor with the shape that two arguments broadcast to. [OP.6]"""
    if a.dims is not None and b.dims is not None:
        dims = broadcast_dims(call, a.dims, b.dims, i, j)
        if dims is not None:
            return call.tensor_of(dims, dtype)
    return _unshaped(call, (a, b), dtype)


def broadcast_all(
    call: Inference, tensors: Sequence[tuple[Known, Where]], dtype: str | None
) -> tree.TensorStructInfo:
    """Return the info of a tensor with the shape that several arguments broadcast to together. [OP.6]

    They are compatible if each two of them are.
    """
    found = len(call.findings)
    for at, (b, j) in enumerate(tensors):
        for a, i in tensors[:at]:
            if a.dims is not None and b.dims is not None:
                _note_clash(call, a.dims, b.dims, i, j)
    shapes = [known.dims for known, _ in tensors if known.dims is not None]
    if len(shapes) == len(tensors) and len(call.findings) == found:
        dims = joined(call, shapes)
        if dims is not None:
            return call.tensor_of(dims, dtype)
    return _unshaped(call, [known for known, _ in tensors], dtype)


def _unshaped(call: Inference, tensors: Sequence[Known], dtype: str | None) -> tree.TensorStructInfo:
    """Return the info of what tensors broadcast to where their dimensions do not determine it."""
    ranks = [known.rank for known in tensors if known.rank is not None]
    rank = max(ranks) if len(ranks) == len(tensors) else None
    opaque = [known for known in tensors if known.variable is not None]
    if opaque:
        # One opaque shape, and nothing that could change it.
        kept = opaque[0]
        for other in tensors:
            if other.variable != kept.variable and not _changes_nothing(other, kept):
                return call.of_rank(rank, dtype)
        return call.like(kept, dtype)
    return call.of_rank(rank, dtype)


def _changes_nothing(other: Known, kept: Known) -> bool:
    """Return whether broadcasting with a shape of ones, none of them beyond the other's rank, changes nothing."""
    if not other.dims:
        return other.dims is not None
    ones = [dim for dim in other.dims if value_of(dim) == 1]
    return len(ones) == len(other.dims) and kept.rank is not None and len(ones) <= kept.rank


def broadcast_dims(call: Inference, left: Dims, right: Dims, i: Where, j: Where) -> Dims | None:
    """Return the dimensions that two shapes broadcast to; None if they depend on what is not known, or on an error."""
    if len(left) == len(right):
        relation = call.context.relation
        for a, b in zip(left, right, strict=True):
            if relation(a, b) != EQUAL:
                break
        else:  # the usual case
            return left
    return None if _note_clash(call, left, right, i, j) else joined(call, (left, right))


def _note_clash(call: Inference, left: Dims, right: Dims, i: Where, j: Where) -> bool:
    return clashes(call, left, right, (i, j), (call.name(i), call.name(j)))


def clashes(
    call: Inference,
    left: Dims,
    right: Dims,
    arguments: tuple[Where, ...],
    names: tuple[str, str],
    *,
    further: int = 0,
    prefix: str = "",
) -> bool:
    """Report the first axis on which two shapes provably cannot be broadcast, and note those that may not. [OP.6]

    Axes are counted from the front if both have one rank, else from the back, below zero; `further` axes follow.
    """
    n = min(len(left), len(right))
    for at in range(-n, 0):
        a, b = left[at], right[at]
        clash = (at + n if len(left) == len(right) else at - further), a, b

        def reason(clash: Clash = clash) -> str:
            return prefix + clash_text(clash, *names)

        if call.clash(a, b, arguments, reason, or_one=EITHER):
            return True
    return False


def clash_text(clash: Clash, left: str, right: str) -> str:
    """Describe on which axis two shapes cannot be broadcast: `axis 1 is 3 in `x1` and 4 in `x2``."""
    from relax_lang.format.printer import show  # only where there is something to report

    axis, a, b = clash
    return f"axis {axis} is {show(a)} in {left} and {show(b)} in {right}"


def joined(call: Inference, shapes: Sequence[Dims]) -> Dims | None:
    """Return the dimensions that shapes broadcast to, which are known to be compatible; None if that is open."""
    result: list[tree.PrimExpr] = []
    for at in range(-max([len(shape) for shape in shapes]), 0):
        extent = joined_extent(call, [shape[at] for shape in shapes if len(shape) >= -at])
        if extent is None:
            return None
        result.append(extent)
    return tuple(result)


def joined_extent(call: Inference, extents: Sequence[tree.PrimExpr]) -> tree.PrimExpr | None:
    """Return what the extents of one axis broadcast to; None if that is open."""
    wide = [extent for extent in extents if value_of(extent) != 1]
    if not wide:
        return _ONE
    equal = [extent for extent in wide if call.relation(extent, wide[0]) == EQUAL]
    if len(equal) == len(wide):
        return wide[0]
    # One that cannot be 1 is the result: the others are equal or 1, which the run checks.
    numbers = [extent for extent in wide if type(extent) is tree.IntImm]
    for extent in numbers or wide:
        if call.relation(extent, _ONE) == DIFFERENT:
            return extent
    return None


def same_shape(call: Inference, a: Known, b: Known, i: Where, j: Where) -> bool:
    """Return whether two arguments may have one shape; note where they provably have not. [OP.6]"""
    if a.rank is not None and b.rank is not None and a.rank != b.rank:
        call.bad_shape(f"{call.name(i)} has rank {a.rank}, {call.name(j)} has rank {b.rank}", i, j)
        return False
    for axis, (left, right) in enumerate(zip(a.dims or (), b.dims or (), strict=False)):
        clash = axis, left, right
        if call.clash(left, right, (i, j), partial(clash_text, clash, call.name(i), call.name(j))):
            return False
    return True


def most_known(tensors: Sequence[Known]) -> Known:
    """Return the tensor of which most is known, of several that have one shape."""
    for known in tensors:
        if known.dims is not None:
            return known
    for known in tensors:
        if known.variable is not None:
            return known
    for known in tensors:
        if known.rank is not None:
            return known
    return tensors[0]
