"""Gradients of reading by index: every element goes back to where it was read."""

from __future__ import annotations

from relax_lang.ops.core.call_terms import Refused, plain
from relax_lang.ops.core.terms import Term, apply, prim, shape
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _take(call: Backward) -> list[Term | None]:
    x, indices = call.args
    axis, mode = call.attrs["axis"], call.attrs["mode"]
    if mode == "nan":
        raise Refused('the mode is "nan"')
    if mode != "fast":
        extent = call.count([call.dims(x)[axis or 0]], indices)
        if mode == "wrap":
            indices = apply("floor_mod", indices, extent)
        else:
            indices = apply("minimum", apply("maximum", indices, 0), extent - 1)
    return [apply("grad.take_backward", call.grad, x, indices, axis=axis, dtype=x.dtype), None]


def _gather_elements(call: Backward) -> list[Term | None]:
    data, indices = call.args
    zeros, axis = call.zeros_like(data), call.attrs["axis"]
    return [apply("scatter_elements", zeros, indices, call.grad, axis=axis, reduction="add"), None]


def _gather_nd(call: Backward) -> list[Term | None]:
    data, indices = call.args
    if call.attrs["batch_dims"]:
        raise Refused("`batch_dims` is not 0")
    if call.rank(data) == 0 or call.dims(indices)[-1:] == () or plain(call.dims(indices)[-1]) == 0:
        raise Refused("it picks the whole tensor")
    return [apply("scatter_nd", call.zeros_like(data), indices, call.grad, reduction="add"), None]


def _index_tensor(call: Backward) -> list[Term | None]:
    data, indices = call.args
    ndim = call.rank(data)
    if len(indices) == ndim:
        return [apply("index_put", call.zeros_like(data), indices, call.grad, accumulate=True), None]
    found = call.dims(call.result)
    places = shape(found[: len(found) - (ndim - len(indices))])
    wide = [apply("astype", one, dtype_="int64") for one in indices]
    rows = apply("stack", tuple([apply("broadcast_to", one, places) for one in wide]), axis=-1)
    return [apply("scatter_nd", call.zeros_like(data), rows, call.grad, reduction="add"), None]


def _strided_slice(call: Backward) -> list[Any]:
    """Write the gradient into zeros, one axis after the other, the last one first."""
    x, axes, begins, _, strides = call.args
    dims, out = call.dims(x), call.dims(call.result)
    count = len(_fields(axes))
    steps = [1] * count if strides is None else [_number(one) for one in _fields(strides)]
    chosen = [_number(one) % len(dims) for one in _fields(axes)]
    found = call.grad
    for at in reversed(range(count)):
        axis, step = chosen[at], steps[at]
        if step < 1:
            raise Refused("a stride is not positive")
        start, size = _bound(_fields(begins)[at], dims[axis]), out[axis]
        end = tree.Add(start, tree.Mul(tree.Sub(size, tree.IntImm(1)), tree.IntImm(step)))
        end = tree.Add(end, tree.IntImm(1))
        if isinstance(size, tree.IntImm) and size.value == 0:
            end = start
        target = [out[each] if each in chosen[:at] else dims[each] for each in range(len(dims))]
        zeros = apply("zeros", shape(target), dtype_=x.dtype)
        bounds = [prim(_simple(one)) for one in (start, end)]
        found = apply("slice_scatter", zeros, found, *bounds, prim(step), axis=axis, dtype=x.dtype)
    return [found, None, None, None, None]


def _simple(value: tree.PrimExpr) -> tree.PrimExpr:
    from relax_lang.arith.printing import simplified

    return simplified(value)


def _fields(node: Any) -> tuple[Any, ...]:
    if not isinstance(node, tree.Tuple):
        raise Refused("the bounds are not written out")
    return node.fields


def _number(node: Any) -> int:
    found = plain(node)
    if not isinstance(found, int):
        raise Refused("an axis or a stride is not a number")
    return found


def _bound(node: Any, extent: tree.PrimExpr) -> tree.PrimExpr:
    """Return where a slice begins: from 0, and within the axis."""
    found = plain(node)
    if found is None:
        raise Refused("where the slice begins is not a number")
    if isinstance(extent, tree.IntImm):
        start = found + extent.value if found < 0 else found
        return tree.IntImm(int(min(max(start, 0), extent.value)))
    if found < 0:
        raise Refused("the slice begins at an index that counts from the end of an axis of unknown extent")
    return tree.Min(tree.IntImm(int(found)), extent) if found else tree.IntImm(0)


GRADIENTS: dict[str, Rule] = {
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
    "index_tensor": _index_tensor,
    "strided_slice": _strided_slice,
    "take": _take,
}
WITHOUT: dict[str, str] = {
    "dynamic_strided_slice": "its bounds are values, so that the extents are not known"
}
