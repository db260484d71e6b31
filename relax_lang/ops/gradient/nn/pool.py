"""Gradients of pooling."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.attribute_syntax.windows import SPATIAL, paddings, per_axis
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, shape
from relax_lang.ops.gradient.core import constant_matrix
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule

_NAMES = (
    "pool_size",
    "strides",
    "padding",
    "dilation",
    "ceil_mode",
    "count_include_pad",
    "layout",
    "out_layout",
)


def _pool2d(call: Backward) -> list[Term]:
    kind = call.operator.name.removeprefix("nn.").removesuffix("2d")
    named = {name: call.attrs[name] for name in _NAMES}
    return [apply(f"grad.{kind}2d_backward", call.grad, call.args[0], **named)]


def _pool1d(call: Backward) -> list[Term]:
    """Pool over two axes, the first of which has one element."""
    layout, out_layout = call.attrs["layout"], call.attrs["out_layout"] or call.attrs["layout"]
    if not (layout.isalpha() and layout.isupper() and out_layout.isalpha() and out_layout.isupper()):
        raise Refused("its layout has blocks")
    kind = call.operator.name.removeprefix("nn.").removesuffix("1d")
    named: dict[str, Any] = {name: call.attrs[name] for name in _NAMES}
    for name in ("pool_size", "strides", "dilation"):
        named[name] = [1, *_numbers(named[name])]
    padding = _numbers(named["padding"])
    before, after = padding if len(padding) == 2 else (padding[0], padding[0])
    named["padding"] = [0, before, 0, after]
    named["layout"] = layout.replace("W", "HW")
    named["out_layout"] = out_layout.replace("W", "HW")
    own, outer = layout.index("W"), out_layout.index("W")
    wide = apply("expand_dims", call.args[0], axis=own)
    found = apply(f"grad.{kind}2d_backward", apply("expand_dims", call.grad, axis=outer), wide, **named)
    return [apply("squeeze", found, axis=own)]


def _numbers(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


def transposed(term: Term, layout: str, canonical: str) -> Term:
    """Return a tensor with its axes in canonical order. Raises Refused if the layout has blocks."""
    if sorted(layout) != sorted(canonical):
        raise Refused("its layout has blocks")
    return (
        term
        if layout == canonical
        else apply("permute_dims", term, axes=[layout.index(one) for one in canonical])
    )


def _in_order(dims: Sequence[tree.PrimExpr], layout: str, canonical: str) -> list[tree.PrimExpr]:
    return [dims[layout.index(one)] for one in canonical]


def _times(*dims: tree.PrimExpr) -> tree.PrimExpr:
    whole: tree.PrimExpr = tree.IntImm(1)
    for dim in dims:
        whole = tree.Mul(whole, dim)
    return simplified(whole)


def _pool3d(call: Backward) -> list[Term]:
    """Pool over the last two axes, and then over the first one: both averages and largest elements come apart so."""
    attrs, kind = call.attrs, call.operator.name.removeprefix("nn.").removesuffix("3d")
    canonical, layout = "NC" + SPATIAL[3], attrs["layout"]
    outer = attrs["out_layout"] or layout
    x, grad = transposed(call.args[0], layout, canonical), transposed(call.grad, outer, canonical)
    n, c, depth, height, width = _in_order(call.dims(call.args[0]), layout, canonical)
    _, _, depth_out, height_out, width_out = _in_order(call.dims(call.result), outer, canonical)
    size, strides, dilation = [per_axis(attrs[one], 3, one) for one in ("pool_size", "strides", "dilation")]
    pads = paddings(attrs["padding"], 3)
    shared = {"ceil_mode": attrs["ceil_mode"], "count_include_pad": attrs["count_include_pad"]}
    plane: dict[str, Any] = {
        "pool_size": list(size[1:]), "strides": list(strides[1:]), "dilation": list(dilation[1:]),
        "padding": [pads[1][0], pads[2][0], pads[1][1], pads[2][1]], **shared,
    }  # fmt: skip
    line: dict[str, Any] = {
        "pool_size": [size[0], 1], "strides": [strides[0], 1], "dilation": [dilation[0], 1],
        "padding": [pads[0][0], 0, pads[0][1], 0], **shared,
    }  # fmt: skip
    images = apply("reshape", x, shape([n, _times(c, depth), height, width]))
    pooled = apply(f"nn.{kind}2d", images, **plane)
    rows = apply("reshape", pooled, shape([n, c, depth, _times(height_out, width_out)]))
    grad = apply("reshape", grad, shape([n, c, depth_out, _times(height_out, width_out)]))
    grad = apply(f"grad.{kind}2d_backward", grad, rows, **line)
    grad = apply("reshape", grad, shape([n, _times(c, depth), height_out, width_out]))
    grad = apply(f"grad.{kind}2d_backward", grad, images, **plane)
    return [transposed(apply("reshape", grad, shape([n, c, depth, height, width])), canonical, layout)]


def _adaptive(n: int) -> Rule:
    """Return the rule of an average over parts of n axes: along each axis, what a matrix of shares gives back."""

    def rule(call: Backward) -> list[Term]:
        canonical, layout = "NC" + SPATIAL[n], call.attrs["layout"]
        outer = call.attrs["out_layout"] or layout
        found = transposed(call.grad, outer, canonical)
        dims = _in_order(call.dims(call.args[0]), layout, canonical)
        made = _in_order(call.dims(call.result), outer, canonical)
        for axis in range(2, n + 2):
            made[axis], given = dims[axis], made[axis]
            found = _shared(call, found, axis, (given, dims[axis]), made)
        return [transposed(found, canonical, layout)]

    return rule


def _shared(
    call: Backward,
    grad: Term,
    axis: int,
    extents: tuple[tree.PrimExpr, tree.PrimExpr],
    made: Sequence[tree.PrimExpr],
) -> Term:
    """Return the gradient of the average along one axis: `extents` after and before it, `made` the new shape."""
    after, before = extents
    if isinstance(after, tree.IntImm) and after.value == 1:
        spread = apply("broadcast_to", grad, shape(list(made)))
        return spread / call.count([before], grad)
    if not isinstance(after, tree.IntImm) or not isinstance(before, tree.IntImm):
        raise Refused("the extents before and after it are not numbers")
    o, n = after.value, before.value
    if not n:
        return apply("zeros", shape(list(made)), dtype_=grad.dtype)
    if o and n % o == 0:
        return apply("repeat", grad, repeats=n // o, axis=axis) / float(n // o)
    rows: list[list[float]] = []
    for j in range(o):
        first, last = j * n // o, -(-(j + 1) * n // o)
        rows.append([1 / (last - first) if first <= i < last else 0.0 for i in range(n)])
    letters = "abcde"[: len(made)]
    left, right = letters, letters.replace(letters[axis], "z")
    matrix = constant_matrix(rows, grad.dtype)
    return apply("einsum", (grad, matrix), subscripts=f"{left},{letters[axis]}z->{right}", dtype=grad.dtype)


GRADIENTS: dict[str, Rule] = {
    **{f"nn.adaptive_avg_pool{n}d": _adaptive(n) for n in (1, 2, 3)},
    **{f"nn.{kind}_pool1d": _pool1d for kind in ("avg", "max")},
    **{f"nn.{kind}_pool2d": _pool2d for kind in ("avg", "max")},
    **{f"nn.{kind}_pool3d": _pool3d for kind in ("avg", "max")},
}
