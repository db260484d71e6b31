"""Legal forms of pooling."""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.windows import SPATIAL, paddings, per_axis
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.legal.windows import canonical_shape, canonical_view, in_layout, order_of
from relax_lang.syntax import dtypes
from relax_lang.topi.windows import adaptive_average, pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.tensor import Tensor


def pooling(n: int, kind: str) -> Form:
    """Return the form of a pooling over n spatial axes."""
    letters = "NC" + SPATIAL[n]

    def form(call: Legal) -> Tensor:
        attrs, data = call.attrs, call.args[0]
        if kind == "avg" and not dtypes.is_float(data.dtype):
            raise Refused("averages of integers are exact, and cut off")
        if data.dtype == "bool":
            raise Refused("bool has no least value to be outside of the windows")
        x = canonical_view(data, order_of(attrs["layout"], letters, "layout"))
        out = order_of(attrs["out_layout"] or attrs["layout"], letters, "out_layout")
        if attrs["ceil_mode"] and attrs["count_include_pad"] and kind == "avg":
            raise Refused("windows that reach beyond the padding count what is in it")
        pads = paddings(attrs["padding"], n)
        window = (
            per_axis(attrs["pool_size"], n, "pool_size"),
            per_axis(attrs["strides"], n, "strides"),
            per_axis(attrs["dilation"], n, "dilation"),
            [pair[0] for pair in pads],
        )
        shape = canonical_shape(call.shape, out)
        return in_layout(pool(x, shape, window, kind, count_include_pad=attrs["count_include_pad"]), out)

    return form


def adaptive(n: int) -> Form:
    """Return the form of an adaptive average over n spatial axes."""
    letters = "NC" + SPATIAL[n]

    def form(call: Legal) -> Tensor:
        attrs, data = call.attrs, call.args[0]
        if not dtypes.is_float(data.dtype):
            raise Refused("averages of integers are exact, and cut off")
        x = canonical_view(data, order_of(attrs["layout"], letters, "layout"))
        out = order_of(attrs["out_layout"] or attrs["layout"], letters, "out_layout")
        found = adaptive_average(x, canonical_shape(call.shape, out), range(2, n + 2))
        return in_layout(found, out)

    return form


FORMS: dict[str, Form] = {
    **{f"nn.{kind}_pool{n}d": pooling(n, kind) for n in (1, 2, 3) for kind in ("max", "avg")},
    **{f"nn.adaptive_avg_pool{n}d": adaptive(n) for n in (1, 2, 3)},
}
