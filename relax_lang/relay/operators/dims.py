"""What lowerings share: extents, which are numbers or expressions, and tensors of positions."""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Dim, Emitter, Value


MOST_AXES = 64
"""As many as an operator may add: no tensor of NumPy has more."""


def ints(value: Any) -> list[int]:
    """Return an attribute that is a number or a list of numbers as a list."""
    return [value] if isinstance(value, int) else list(value)


def repeated(value: Any, count: int, attribute: str) -> list[int]:
    """Return an attribute that has one number for each of `count` axes, or one for all. Raises Refused."""
    found = ints(value)
    if len(found) == 1:
        return found * count
    if len(found) != count:
        message = f"`{attribute}` has {len(found)} numbers for {count} axes"
        raise Refused(message, attribute=attribute, rule="attribute_value")
    return found


def product(dims: Sequence[Dim]) -> int | None:
    """Return how many elements there are; None if that is not known."""
    count = 1
    for dim in dims:
        if not isinstance(dim, int):
            return None
        count *= dim
    return count


def times(left: Dim, right: Dim) -> Dim:
    """Return the product of two extents."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if isinstance(left, int):
        return right if left == 1 else tree.Mul(right, tree.IntImm(left))
    if isinstance(right, int):
        return left if right == 1 else tree.Mul(left, tree.IntImm(right))
    return tree.Mul(left, right)


def known(dims: Sequence[Dim], what: str = "all extents") -> list[int]:
    """Return extents that are numbers. Raises NotLowered."""
    found = [dim for dim in dims if isinstance(dim, int)]
    if len(found) != len(dims):
        raise NotLowered(f"{what} have to be known")
    return found


def ranked(to: Emitter, value: Value, rank: int, name: str, argument: int) -> list[Dim]:
    """Return the extents of an argument that has to have `rank` axes. Raises Refused."""
    dims = to.dims(value)
    if len(dims) != rank:
        axes = f"{rank} axis" if rank == 1 else f"{rank} axes"
        raise Refused(f"`{name}` has to have {axes}, not {len(dims)}", argument=argument)
    return dims


def differ(left: Dim, right: Dim) -> bool:
    """Return whether two extents are known to differ."""
    return isinstance(left, int) and isinstance(right, int) and left != right


def axis_of(axis: int, rank: int, attribute: str = "axis") -> int:
    """Return an axis counted from the front. Raises Refused."""
    if not -rank <= axis < rank:
        message = f"axis {axis} is not among the {rank} axes of `data`"
        raise Refused(message, attribute=attribute, rule="attribute_value")
    return axis % rank


def cast(to: Emitter, value: Value, dtype: str) -> Value:
    """Return a tensor in another dtype."""
    return value if to.dtype(value) == dtype else to.call("astype", value, dtype=dtype)


def reshaped(to: Emitter, value: Value, dims: Sequence[Dim]) -> Value:
    """Return a tensor in another shape."""
    return to.call("reshape", value, to.shape(dims))


def positions(to: Emitter, count: Dim, dtype: str = "int64") -> Value:
    """Return the numbers from 0 up to an extent."""
    return cast(to, to.call("arange", to.prim(0), to.prim(count), dtype="int64"), dtype)


def extent(to: Emitter, dim: Dim, dtype: str = "int64") -> Value:
    """Return an extent as a tensor of rank 0."""
    if isinstance(dim, int):
        return to.const(dim, dtype)
    return cast(to, to.call("scalar", to.prim(dim)), dtype)


def permuted(to: Emitter, value: Value, axes: Sequence[int]) -> Value:
    """Return a tensor with its axes in another order."""
    if list(axes) == list(range(len(axes))):
        return value
    return to.call("permute_dims", value, axes=list(axes))


def element(to: Emitter, vector: Value, index: int) -> Value:
    """Return an element of a tensor of rank 1, as one of rank 0."""
    parts = [to.prims([one]) for one in (0, index, index + 1, 1)]
    return to.call("squeeze", to.call("strided_slice", vector, *parts), axis=[0])
