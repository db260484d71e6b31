"""Gradients of reductions and running sums."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply, number, prim, prims, shape, where
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _axes(call: Backward) -> list[int]:
    return call.axes(call.attrs["axis"], call.rank(call.args[0]))


def _kept(call: Backward, term: Term) -> Term:
    """Return what has the shape of the result with the axes that were reduced, of extent 1."""
    return call.expanded(term, _axes(call), keepdims=call.attrs["keepdims"])


def _spread(call: Backward, term: Term) -> Term:
    """Return what has the shape of the result for every element of the operand."""
    x: Term = call.args[0]
    if call.attrs["axis"] is None and not call.attrs["keepdims"]:
        return apply("broadcast_to", term, call.shape_of(x))
    return apply("broadcast_to", _kept(call, term), call.shape_of(x))


def _count(call: Backward) -> Term:
    """Return how many elements each element of the result comes from."""
    x: Term = call.args[0]
    if x.dims is not None:
        return call.count([x.dims[axis] for axis in _axes(call)], x)
    return apply("sum", apply("ones_like", x), axis=call.attrs["axis"], keepdims=call.attrs["keepdims"])


def _sum(call: Backward) -> list[Term]:
    return [_spread(call, call.grad)]


def _mean(call: Backward) -> list[Term]:
    return [_spread(call, call.grad / _count(call))]


def _centered(call: Backward) -> Term:
    x: Term = call.args[0]
    return x - apply("mean", x, axis=call.attrs["axis"], keepdims=True)


def _variance(call: Backward) -> list[Term]:
    return [_kept(call, call.grad * 2.0 / _count(call)) * _centered(call)]


def _std(call: Backward) -> list[Term]:
    slope = call.grad / (call.result * _count(call))
    slope = where(apply("equal", call.result, 0.0), 0.0, slope)  # all elements are the mean
    return [_kept(call, slope) * _centered(call)]


def extreme(call: Backward) -> list[Term]:
    """Give every element that is the result an equal share."""
    x: Term = call.args[0]
    chosen = apply("equal", x, _kept(call, call.result))
    weights = apply("astype", chosen, dtype_=x.dtype)
    total = apply("sum", weights, axis=call.attrs["axis"], keepdims=True)
    return [where(chosen, _kept(call, call.grad) / total, 0.0)]


def _prod(call: Backward) -> list[Term]:
    """Multiply with the other factors, which no division leaves out: one may be zero."""
    x: Term = call.args[0]
    found = _kept(call, call.grad)
    rest = x
    for axis in _axes(call):
        before = apply("cumprod", rest, axis=axis, exclusive=True)
        flipped = apply("cumprod", apply("flip", rest, axis=axis), axis=axis, exclusive=True)
        found = found * (before * apply("flip", flipped, axis=axis))
        rest = apply("prod", rest, axis=axis, keepdims=True)
    return [found]


def _backwards(call: Backward, term: Term) -> Term:
    """Return the sums of what is at an index and behind it."""
    axis = call.attrs["axis"] or 0
    flipped = apply("flip", term, axis=axis)
    summed = apply("cumsum", flipped, axis=axis, exclusive=call.attrs["exclusive"])
    return apply("flip", summed, axis=axis)


def _as_operand(call: Backward, term: Term) -> Term:
    """Return a running sum in the dtype and shape of the operand, which was flattened without an axis."""
    x: Term = call.args[0]
    if call.result.dtype != x.dtype:
        term = apply("astype", term, dtype_=x.dtype)
    if call.attrs["axis"] is None and x.ndim != 1:
        term = apply("reshape", term, call.shape_of(x))
    return term


def _cumsum(call: Backward) -> list[Term]:
    return [_as_operand(call, _backwards(call, call.grad))]


def _cumprod(call: Backward) -> list[Term]:
    """Multiply what comes before with the sum of the products behind, which no division finds: one may be zero.

    The sum is `s[i] = g[i] + x[i + 1] * s[i + 1]`, computed for twice as many indices in each step.
    """
    x: Term = call.args[0]
    flat, axis = x, call.attrs["axis"]
    if axis is None:
        flat, axis = x if x.ndim == 1 else apply("flatten", x), 0
    dims = call.dims(call.result)
    [axis] = call.axes(axis, len(dims))
    extent = dims[axis]
    values = flat if call.result.dtype == x.dtype else apply("astype", flat, dtype_=call.result.dtype)
    before = apply("cumprod", values, axis=axis, exclusive=True)
    if not isinstance(extent, tree.IntImm):
        return [_as_operand(call, before * _behind(call, values, axis, dims))]

    def moved(term: Term, by: int, fill: float) -> Term:
        """Return what is `by` places further on, and `fill` beyond the end."""
        if by >= extent.value:
            return apply("full", shape(list(dims)), number(fill, term.dtype), dtype=term.dtype)
        begin, end = prims([tree.IntImm(by)]), prims([extent])
        kept = apply("strided_slice", term, prims([tree.IntImm(axis)]), begin, end)
        widths = [0] * (2 * len(dims))
        widths[2 * axis + 1] = by
        return apply("nn.pad", kept, pad_width=widths, pad_value=fill)

    factors, total = moved(values, 1, 1.0), call.grad
    if call.attrs["exclusive"]:
        total = moved(total, 1, 0.0)
    step = 1
    while step < extent.value:
        total = total + factors * moved(total, step, 0.0)
        factors = factors * moved(factors, step, 1.0)
        step *= 2
    return [_as_operand(call, before * total)]


def _behind(call: Backward, values: Term, axis: int, dims: Sequence[tree.PrimExpr]) -> Term:
    """Return the sums of the products behind each element of an axis whose extent is not known: of all pairs."""
    exclusive, last = call.attrs["exclusive"], len(dims) - 1
    order = [*[at for at in range(len(dims)) if at != axis], axis]
    rows, grads = values, call.grad
    if axis != last:
        rows, grads = [apply("permute_dims", one, axes=order) for one in (rows, grads)]
    square = apply("ones", shape([dims[axis], dims[axis]]), dtype_=values.dtype)
    behind = apply("greater", apply("triu", square, prim(1)), 0.0)
    counted = behind if exclusive else apply("greater", apply("triu", square), 0.0)
    factors = where(behind, apply("expand_dims", rows, axis=last), 1.0)
    factors.dtype = values.dtype
    products = apply("cumprod", factors, axis=last + 1, exclusive=exclusive)
    parts = where(counted, products * apply("expand_dims", grads, axis=last), 0.0)
    parts.dtype = values.dtype
    total = apply("sum", parts, axis=-1)
    if axis == last:
        return total
    return apply("permute_dims", total, axes=[order.index(at) for at in range(len(dims))])


def _median(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    if len(call.grads) < 2:
        return extreme(call)
    axis: Any = call.attrs["axis"]
    axis = axis if isinstance(axis, int) else axis[0]
    values, places = call.field_grad(0), call.result[1]
    if not call.attrs["keepdims"]:
        values, places = [apply("expand_dims", one, axis=axis) for one in (values, places)]
    return [apply("scatter_elements", call.zeros_like(x), places, values, axis=axis, reduction="add")]


GRADIENTS: dict[str, Rule] = {
    "cumprod": _cumprod,
    "cumsum": _cumsum,
    "max": extreme,
    "mean": _mean,
    "median": _median,
    "min": extreme,
    "prod": _prod,
    "std": _std,
    "sum": _sum,
    "variance": _variance,
}
