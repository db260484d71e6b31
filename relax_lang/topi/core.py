"""What the operators of `topi` share: halves in float32, broadcasting, axes, and conditions on sizes."""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL, NO_FACTS, compare
from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.syntax import dtypes
from relax_lang.te.diagnostics import bad_argument
from relax_lang.te.expr import Expr, cast, const, expr, select
from relax_lang.te.tensor import Compute, Tensor, compute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Dims = tuple[Expr, ...]
    Axes = int | Sequence[int] | None

FLOAT32, FLOAT64, INT64, BOOL = dtypes.FLOAT32, "float64", dtypes.INT64, dtypes.BOOL


def wide_dtype(dtype: str) -> str:
    """Return the dtype that a float is computed in: halves in float32."""
    return FLOAT32 if dtype in dtypes.HALVES else dtype


def as_dtype(x: Tensor, dtype: str) -> Tensor:
    """Return a tensor in another dtype; nothing is stored."""
    if x.dtype == dtype:
        return x
    return compute(x.shape, lambda *at: cast(x[at], dtype), x.hint, inline=True)


def wide(x: Tensor) -> Tensor:
    """Return halves as float32, and any other tensor as it is."""
    return as_dtype(x, wide_dtype(x.dtype))


def stored(x: Tensor, dtype: str | None = None) -> Tensor:
    """Return a tensor that is computed by a loop of its own, in a dtype."""
    wanted = dtype or x.dtype
    if wanted == x.dtype and isinstance(x.source, Compute):
        return x
    return compute(x.shape, lambda *at: cast(x[at], wanted), x.hint if x.source is None else "t")


def elementwise(
    function: Callable[[Expr], Expr], x: Tensor, name: str = "compute", dtype: str | None = None
) -> Tensor:
    """Return a function of each element, computed in float32 for halves; the result has the dtype of `x`."""
    inner, wanted = wide(x), dtype or x.dtype
    return compute(x.shape, lambda *at: cast(function(inner[at]), wanted), name)


def inline(shape: Dims, function: Callable[..., Expr], name: str = "t") -> Tensor:
    """Return a tensor that is never stored."""
    return compute(shape, function, name, inline=True)


def is_same(a: Expr, b: Expr | int) -> bool | None:
    """Return whether two sizes are equal; None if that is not known."""
    answer = compare(a.node, expr(b).node, NO_FACTS)
    return True if answer == EQUAL else False if answer == DIFFERENT else None


def broadcast_shape(*shapes: Dims) -> Dims:
    """Return the shape that others are broadcast to. Raises RelaxError if they certainly do not fit."""
    rank = max([len(shape) for shape in shapes], default=0)
    found: list[Expr] = []
    for at in range(-rank, 0):
        extent = expr(1)
        for shape in shapes:
            if len(shape) < -at or is_same(shape[at], 1):
                continue
            if is_same(extent, 1):
                extent = shape[at]
            elif is_same(extent, shape[at]) is False and is_same(shape[at], 1) is False:
                if is_same(extent, 1) is False:
                    raise refused(
                        bad_argument, f"axes of {extent!r} and {shape[at]!r} elements cannot be broadcast"
                    )
                extent = shape[at]
        found.append(extent)
    return tuple(found)


def broadcast_index(x: Tensor, shape: Dims, at: Sequence[Expr]) -> Dims:
    """Return the index of the element of `x` that is at a place of the shape that it is broadcast to."""
    skipped = len(shape) - x.ndim
    found: list[Expr] = []
    for axis, extent in enumerate(x.shape):
        place, whole = at[skipped + axis], shape[skipped + axis]
        if is_same(extent, whole):
            found.append(place)
        elif is_same(extent, 1):
            found.append(const(0, INT64))
        else:
            found.append(
                place if is_same(extent, 1) is False else select(extent == 1, const(0, INT64), place)
            )
    return tuple(found)


def broadcast_to(x: Tensor, shape: Dims) -> Tensor:
    """Return a tensor in a larger shape; nothing is stored."""
    if len(shape) == x.ndim and all(is_same(a, b) for a, b in zip(x.shape, shape, strict=True)):
        return x
    return inline(shape, lambda *at: x[broadcast_index(x, shape, at)])


def one_axis(axis: int, rank: int) -> int:
    """Return an axis counted from the front. Raises RelaxError if there is none."""
    if isinstance(axis, bool) or not isinstance(axis, int) or not -rank <= axis < rank:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused(bad_argument, f"axis {axis!r} of a tensor of rank {rank}")
    return axis % rank


def many_axes(axis: Axes, rank: int) -> tuple[int, ...]:
    """Return axes counted from the front: all of them for None."""
    if axis is None:
        return tuple(range(rank))
    return tuple([one_axis(one, rank) for one in axis]) if is_sequence(axis) else (one_axis(axis, rank),)  # type: ignore[arg-type]


def size_of(dims: Sequence[Expr]) -> Expr:
    """Return the number of elements of a shape."""
    total = expr(1)
    for dim in dims:
        total = total * dim
    return total


def flat_index(at: Sequence[Expr], shape: Sequence[Expr]) -> Expr:
    """Return the place of an element among all, row by row."""
    found = expr(0)
    for place, extent in zip(at, shape, strict=True):
        found = found * extent + place
    return found


def unravelled(place: Expr, shape: Sequence[Expr]) -> Dims:
    """Return the index of the element at a place among all, row by row."""
    found: list[Expr] = []
    for number, extent in enumerate(reversed(shape)):
        last = number == len(shape) - 1
        found.append(place if last else place % extent)
        place = place if last else place // extent
    return tuple(reversed(found))


def literal(value: Any, dtype: str) -> Expr:
    """Return a Python number in a dtype."""
    return const(value, dtype)
