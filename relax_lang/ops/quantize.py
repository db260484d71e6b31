"""Conversion between floats and small integers with a scale and a zero point."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import name_of, numpy_dtype
from relax_lang.ops.refusal import bad_attribute, bad_dtype, bad_shape
from relax_lang.ops.registry import Family
from relax_lang.ops.shapes import elements, one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("quantize", "Quantization", tier=2, since="later")

_QUANTIZED = ("int8", "uint8", "int16", "uint16")
_FLOAT = ("float16", "float32")
_ZERO_POINTS = (*_QUANTIZED, "int32", "uint32", "float16")


@family.operator(
    "quantize",
    "data: tensor(float), scale: tensor(float), zero_point: tensor(number)",
    "axis: int = -1, out_dtype: dtype(integer) = int8",
    example="quantize(const([0.0, 1.0, 100.0]), const(0.5, float32), const(3, int8))",
)
def quantize(data: Any, scale: Any, zero_point: Any, axis: int, out_dtype: str) -> Any:
    """Compute `round(data / scale) + zero_point`, halves to even, and limit it to the range of
    `out_dtype`.

    `data` and `scale` are float32 or float16, `zero_point` is an integer of at most 32 bits or float16. Scale
    and zero point are one number each, or one per place of `axis`. The result has the shape of `data`;
    `out_dtype` has 8 or 16 bits.
    """
    _check_dtypes(
        (("data", data, _FLOAT), ("scale", scale, _FLOAT), ("zero_point", zero_point, _ZERO_POINTS))
    )
    if out_dtype not in _QUANTIZED:
        raise bad_attribute("out_dtype", f"{out_dtype} is none of {', '.join(_QUANTIZED)}")
    wanted = numpy_dtype(out_dtype)
    limits = np.iinfo(wanted)
    wide = data.astype(np.float32) / _along_axis(data, scale, axis, "scale").astype(np.float32)
    if data.dtype == np.float16:  # the quotient is data's, and rounds as such
        wide = wide.astype(np.float16).astype(np.float32)
    shifted = np.rint(wide).astype(np.float64) + _along_axis(data, zero_point, axis, "zero_point").astype(
        np.float64
    )
    return np.nan_to_num(np.clip(shifted, limits.min, limits.max)).astype(wanted)


@family.operator(
    "dequantize",
    "data: tensor(number), scale: tensor(float), zero_point: tensor(number)",
    "axis: int = -1, out_dtype: dtype(float) = float32",
    example="dequantize(const([3, 5, 127], int8), const(0.5, float32), const(3, int8))",
)
def dequantize(data: Any, scale: Any, zero_point: Any, axis: int, out_dtype: str) -> Any:
    """Compute `(data - zero_point) * scale`, the reverse of `quantize`.

    `data` has at most 32 bits. Scale and zero point are one number each, or one per place of `axis`. The
    result has the shape of `data` and the dtype `out_dtype`, float32 or float16, which limits it to ±65504.
    """
    taken = (*_QUANTIZED, "int32", *_FLOAT)
    _check_dtypes((("data", data, taken), ("scale", scale, _FLOAT), ("zero_point", zero_point, _ZERO_POINTS)))
    if out_dtype not in _FLOAT:
        raise bad_attribute("out_dtype", f"{out_dtype} is none of {', '.join(_FLOAT)}")
    wide = np.float32 if data.dtype.kind == "f" or zero_point.dtype.kind == "f" else np.int64
    offset = data.astype(wide) - _along_axis(data, zero_point, axis, "zero_point").astype(wide)
    result = offset.astype(np.float32) * _along_axis(data, scale, axis, "scale").astype(np.float32)
    if out_dtype == "float16":
        result = np.clip(result, -65504, 65504)
    return result.astype(numpy_dtype(out_dtype))


def _check_dtypes(tensors: tuple[tuple[str, Any, tuple[str, ...]], ...]) -> None:
    for name, x, taken in tensors:
        dtype = name_of(x.dtype)
        if dtype not in taken:
            raise bad_dtype(dtype, f"one of {', '.join(taken)}", name)


def _along_axis(data: Any, parameter: Any, axis: int, name: str) -> Any:
    """Return a scale or zero point shaped to go with the data."""
    if elements(parameter.shape) == 1:
        return parameter.reshape(())
    at = one_axis(axis, data.ndim)
    if parameter.shape != (data.shape[at],):
        reason = f"axis {at} of `data` is {data.shape[at]}, and `{name}` must have one element or as many"
        raise bad_shape(data.shape, parameter.shape, reason)
    return parameter.reshape([-1 if place == at else 1 for place in range(data.ndim)])
