"""Gradients of convolutions, in any layout without blocks.

Of the data: the transposed convolution with the same kernel. Of the kernel: the convolution of the data with the
gradient, batches for channels and strides for dilations; what the stride does not reach is cut off.
"""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.windows import SPATIAL, paddings, per_axis
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, prims, shape
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


class _Windows:
    """The attributes of a convolution over n axes, and its operands with channels first."""

    def __init__(self, call: Backward, n: int, *, transposed: bool) -> None:
        attrs = call.attrs
        letters = SPATIAL[n]
        kernel = ("IO" if transposed else "OI") + letters
        self.n = n
        self.strides = per_axis(attrs["strides"], n, "strides")
        self.dilation = per_axis(attrs["dilation"], n, "dilation")
        self.pads = paddings(attrs["padding"], n)
        self.groups: int = attrs["groups"]
        self.data_layout, self.kernel_layout = attrs["data_layout"], attrs["kernel_layout"]
        out_layout = attrs["out_layout"] or self.data_layout
        self.data_order = _order(self.data_layout, "NC" + letters)
        self.kernel_order = _order(self.kernel_layout, kernel)
        self.data = _permuted(call.args[0], self.data_order)
        self.kernel = _permuted(call.args[1], self.kernel_order)
        grad = call.grad
        if call.attrs["out_dtype"] is not None and grad.dtype != call.args[0].dtype:
            grad = apply("astype", grad, dtype_=call.args[0].dtype)
        out_order = _order(out_layout, "NC" + letters)
        self.grad = _permuted(grad, out_order)
        self.data_dims = [call.dims(call.args[0])[at] for at in self.data_order]
        self.kernel_dims = [call.dims(call.args[1])[at] for at in self.kernel_order]
        self.out_dims = [call.dims(call.result)[at] for at in out_order]

    def attrs(self, **more: Any) -> dict[str, Any]:
        """Return the attributes of a convolution with channels first."""
        befores, afters = [before for before, _ in self.pads], [after for _, after in self.pads]
        return {
            "strides": list(self.strides),
            "padding": [*befores, *afters],
            "dilation": list(self.dilation),
            "groups": self.groups,
            **more,
        }

    def name(self, *, transposed: bool) -> str:
        """Return the operator for this number of axes."""
        return f"nn.conv{self.n}d" + ("_transpose" if transposed else "")


def _order(layout: str, canonical: str) -> list[int]:
    if sorted(layout) != sorted(canonical):
        raise Refused(f'the layout "{layout}" has blocks')
    return [layout.index(letter) for letter in canonical]


def _permuted(term: Term, order: list[int]) -> Term:
    return term if order == sorted(order) else apply("permute_dims", term, axes=order)


def _restored(term: Term, order: list[int]) -> Term:
    return _permuted(term, [order.index(at) for at in range(len(order))])


def _number(dim: tree.PrimExpr) -> int:
    if not isinstance(dim, tree.IntImm):
        raise Refused("an axis that windows move along has no known extent, and the stride is not 1")
    return dim.value


def conv(n: int) -> Rule:
    """Return the rule of a convolution over n axes."""

    def rule(call: Backward) -> list[Term]:
        windows = _Windows(call, n, transposed=False)
        extra = [_left_over(windows, at) for at in range(n)]
        named = windows.attrs(output_padding=extra)
        first = apply(windows.name(transposed=True), windows.grad, windows.kernel, **named)
        second = _of_kernel(windows, windows.data, windows.grad, windows.data_dims)
        return [_restored(first, windows.data_order), _restored(second, windows.kernel_order)]

    return rule


def _left_over(windows: _Windows, at: int) -> int:
    """Return how many elements at the end of an axis no window reaches."""
    stride = windows.strides[at]
    if stride == 1:
        return 0
    size, kernel = _number(windows.data_dims[2 + at]), _number(windows.kernel_dims[2 + at])
    return (size + sum(windows.pads[at]) - windows.dilation[at] * (kernel - 1) - 1) % stride


def conv_transpose(n: int) -> Rule:
    """Return the rule of a transposed convolution over n axes."""

    def rule(call: Backward) -> list[Term]:
        windows = _Windows(call, n, transposed=True)
        first = apply(windows.name(transposed=False), windows.grad, windows.kernel, **windows.attrs())
        second = _of_kernel(windows, windows.grad, windows.data, windows.out_dims)
        return [_restored(first, windows.data_order), _restored(second, windows.kernel_order)]

    return rule


def _of_kernel(
    windows: _Windows,
    data: Term,
    grad: Term,
    data_dims: Sequence[tree.PrimExpr],
) -> Term:
    """Return the gradient of the kernel (O, I / groups, …): the data is (N, I, …), the gradient (N, O, …)."""
    n, groups = windows.n, windows.groups
    spatial = [2 + at for at in range(n)]
    if groups == 1:
        images = apply("permute_dims", data, axes=[1, 0, *spatial])
    else:
        batch, channels = data_dims[0], _number(data_dims[1])
        if not isinstance(batch, tree.IntImm):
            raise Refused("the number of images is not known, and there are groups")
        parts = shape([batch, groups, channels // groups, *data_dims[2:]])
        turned = apply(
            "permute_dims", apply("reshape", data, parts), axes=[2, 1, 0, *[one + 1 for one in spatial]]
        )
        images = apply("reshape", turned, shape([channels // groups, groups * batch.value, *data_dims[2:]]))
    kernels = apply("permute_dims", grad, axes=[1, 0, *spatial])
    swapped = windows.attrs(strides=list(windows.dilation), dilation=list(windows.strides))
    found = apply(windows.name(transposed=False), images, kernels, dtype=data.dtype, **swapped)
    found = apply("permute_dims", found, axes=[1, 0, *spatial])
    sizes = windows.kernel_dims[2:]
    if all(stride == 1 for stride in windows.strides):
        return found
    return apply("strided_slice", found, prims(spatial), prims([0] * n), prims(sizes))


GRADIENTS: dict[str, Rule] = {
    **{f"nn.conv{n}d": conv(n) for n in (1, 2, 3)},
    **{f"nn.conv{n}d_transpose": conv_transpose(n) for n in (1, 2, 3)},
}
