"""Legal forms of quantization."""

from __future__ import annotations

from relax_lang import te
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import INT64, is_same, one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr


def _parameter(call: Legal, x: Tensor, at: Sequence[Expr], extent: Expr, place: int) -> Expr:
    if x.ndim == 0:
        return x[()]
    if not at:
        return x[te.const(0, INT64)]
    if is_same(x.shape[0], extent):
        return x[at[place]]
    if not is_same(x.shape[0], 1):
        call.require_equal(x.shape[0], extent, f"`{x.hint}` does not fit the axis")
        return x[at[place]]
    return x[te.const(0, INT64)]


def _quantize(call: Legal) -> Tensor:
    data, scale, zero = call.args
    axis = one_axis(call.attrs["axis"], data.ndim) if data.ndim else 0
    extent = data.shape[axis] if data.ndim else te.const(1, INT64)
    low, high = [te.cast(one(call.dtype), "float64") for one in (te.min_value, te.max_value)]

    def each(*at: Expr) -> Expr:
        factor = te.cast(_parameter(call, scale, at, extent, axis), "float32")
        offset = te.cast(_parameter(call, zero, at, extent, axis), "float64")
        rounded = te.cast(te.round(te.cast(data[at], "float32") / factor), "float64") + offset
        return te.cast(te.maximum(te.minimum(rounded, high), low), call.dtype)

    return compute(call.shape, each, "quantize")


def _dequantize(call: Legal) -> Tensor:
    data, scale, zero = call.args
    axis = one_axis(call.attrs["axis"], data.ndim) if data.ndim else 0
    extent = data.shape[axis] if data.ndim else te.const(1, INT64)
    exact = (data.dtype in _SMALL and zero.dtype in _SMALL) or "float" in data.dtype + zero.dtype
    shifted = "float32" if exact else INT64

    def each(*at: Expr) -> Expr:
        factor = te.cast(_parameter(call, scale, at, extent, axis), "float32")
        offset = te.cast(_parameter(call, zero, at, extent, axis), shifted)
        value = te.cast(te.cast(data[at], shifted) - offset, "float32") * factor
        if call.dtype == "float16":
            most = te.const(65504.0, "float32")
            value = te.maximum(te.minimum(value, most), -most)
        return te.cast(value, call.dtype)

    return compute(call.shape, each, "dequantize")


_SMALL = ("int8", "uint8", "int16", "uint16")

FORMS: dict[str, Form] = {"dequantize": _dequantize, "quantize": _quantize}
