"""Reductions: the axes that are named are left out of the shape, or become 1. [OP.5] [OP.6]"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL
from relax_lang.ops.shape_rules.shared.axes import many_axes
from relax_lang.ops.shape_rules.shared.dims import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.syntax import tree

    Axes = int | Sequence[int] | None

_ZERO = number(0)
_ONE = number(1)


def reduction(call: Inference) -> tree.StructInfo:
    """Infer an operator that reduces some axes and has a result over no element too."""
    x = call.tensor(0)
    return reduced(call, x, call.attrs["axis"], call.attrs["keepdims"], x.dtype)


def of_elements(what: str, dtype: str | None = None) -> Callable[[Inference], tree.StructInfo]:
    """Return the rule of an operator that has no result over no element: `the maximum of no element`. [OP.9]

    The result has the given dtype, or that of the argument.
    """

    def rule(call: Inference) -> tree.StructInfo:
        x = call.tensor(0)
        refuse_nothing(call, x, call.attrs["axis"], what)
        return reduced(call, x, call.attrs["axis"], call.attrs["keepdims"], dtype or x.dtype)

    return rule


def of_integers(what: str) -> Callable[[Inference], tree.StructInfo]:
    """Return the rule of an operator that over no element has a result for floats only."""
    strict = of_elements(what)

    def rule(call: Inference) -> tree.StructInfo:
        dtype = call.tensor(0).dtype
        return reduction(call) if dtype is None or "float" in dtype else strict(call)

    return rule


def reduced(
    call: Inference, x: Known, axis: Axes, keepdims: bool, dtype: str | None
) -> tree.TensorStructInfo:
    """Return the info of what is left when the axes are reduced: all for None, none for an empty list."""
    if axis is None and not keepdims:
        return call.tensor_of((), dtype)
    if isinstance(axis, list) and not axis:
        return call.like(x, dtype)
    axes = many_axes(call, axis, x.rank)
    if x.rank is None:
        return call.of_rank(None, dtype)
    if axes is None:
        # How many axes are reduced is what the author meant, even where one of them does not exist.
        return call.of_rank(x.rank if keepdims else None, dtype)
    if len(axes) == x.rank:
        return call.tensor_of([_ONE] * x.rank if keepdims else (), dtype)
    if x.dims is None:
        return call.of_rank(x.rank if keepdims else x.rank - len(axes), dtype)
    if keepdims:
        return call.tensor_of([_ONE if at in axes else dim for at, dim in enumerate(x.dims)], dtype)
    return call.tensor_of([dim for at, dim in enumerate(x.dims) if at not in axes], dtype)


def refuse_nothing(call: Inference, x: Known, axis: Axes, what: str) -> None:
    """Note that an axis of extent 0 is reduced, unless the result may be empty as well. [OP.9]"""
    if x.dims is None:
        return
    rank = len(x.dims)
    given = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    axes = [at % rank for at in given if -rank <= at < rank]
    empty = [at for at in axes if call.relation(x.dims[at], _ZERO) == EQUAL]
    kept = [dim for at, dim in enumerate(x.dims) if at not in axes]
    if empty and all(call.relation(dim, _ZERO) == DIFFERENT for dim in kept):
        call.bad_shape(f"{what} is undefined: axis {empty[0]} has extent 0", 0)
