"""Legal forms of convolutions and their transposes."""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.windows import SPATIAL, paddings, per_axis
from relax_lang.ops.legal.windows import canonical_shape, canonical_view, in_layout, order_of
from relax_lang.topi.windows import conv, conv_transpose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.tensor import Tensor


def convolution(n: int, *, transposed: bool) -> Form:
    """Return the form of a convolution over n spatial axes."""
    letters = SPATIAL[n]

    def form(call: Legal) -> Tensor:
        attrs = call.attrs
        data, weight = call.args
        kernel = ("IO" if transposed else "OI") + letters
        x = canonical_view(data, order_of(attrs["data_layout"], "NC" + letters, "data_layout"))
        w = canonical_view(weight, order_of(attrs["kernel_layout"], kernel, "kernel_layout"))
        out = order_of(attrs["out_layout"] or attrs["data_layout"], "NC" + letters, "out_layout")
        strides = per_axis(attrs["strides"], n, "strides")
        dilation = per_axis(attrs["dilation"], n, "dilation")
        pads = paddings(attrs["padding"], n)
        before, after = [pair[0] for pair in pads], [pair[1] for pair in pads]
        groups = attrs["groups"]
        if transposed:
            call.require_equal(x.shape[1], w.shape[0], "the kernel has another number of channels")
            shape = canonical_shape(call.shape, out)
            return in_layout(conv_transpose(x, w, shape, strides, before, dilation, groups, call.dtype), out)
        call.require_equal(x.shape[1], w.shape[1] * groups, "the kernel has another number of channels")
        return in_layout(conv(x, w, strides, (before, after), dilation, groups, call.dtype), out)

    return form


FORMS: dict[str, Form] = {
    f"nn.conv{n}d{'_transpose' if transposed else ''}": convolution(n, transposed=transposed)
    for n in (1, 2, 3)
    for transposed in (False, True)
}
