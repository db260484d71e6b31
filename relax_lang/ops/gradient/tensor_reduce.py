"""Gradients of reductions and running sums."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply, where

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    """Divide by the element: what a zero would get is not known from the products."""
    x: Term = call.args[0]
    return [_as_operand(call, _backwards(call, call.grad * call.result)) / x]


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
