"""Conversion between floats and small integers with a scale and a zero point."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import name_of, numpy_dtype
from relax_lang.ops.refusal import bad_attribute, bad_dtype, bad_shape
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import axes as rule_axes
from relax_lang.ops.rules.dims import number
from relax_lang.ops.shapes import elements, one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.inference import Inference
    from relax_lang.syntax import tree

family = Family("quantize", "Quantization", tier=2, since="later")

_QUANTIZED = ("int8", "uint8", "int16", "uint16")
_FLOAT = ("float16", "float32")
_ZERO_POINTS = (*_QUANTIZED, "int32", "uint32", "float16")
_DEQUANTIZED = (*_QUANTIZED, "int32", *_FLOAT)


def infer_quantize(call: Inference) -> tree.StructInfo:
    """Keep the shape; float becomes a small integer."""
    return _infer(call, (_FLOAT, _FLOAT, _ZERO_POINTS), _QUANTIZED)


def infer_dequantize(call: Inference) -> tree.StructInfo:
    """Keep the shape; an integer becomes float."""
    return _infer(call, (_DEQUANTIZED, _FLOAT, _ZERO_POINTS), _FLOAT)


def _infer(call: Inference, taken: tuple[tuple[str, ...], ...], made: tuple[str, ...]) -> tree.StructInfo:
    for index, dtypes in enumerate(taken):
        dtype = call.tensor(index).dtype
        if dtype is not None and dtype not in dtypes:
            call.bad_dtype(index, f"one of {', '.join(dtypes)}")
    if call.attrs["out_dtype"] not in made:
        call.bad_attribute("out_dtype", f"{call.attrs['out_dtype']} is none of {', '.join(made)}")
    for index in (1, 2):
        _check_parameter(call, index)
    return call.like(call.tensor(0), call.attrs["out_dtype"])


def _check_parameter(call: Inference, index: int) -> None:
    """Note that a scale or zero point provably is neither one number nor one per place of the axis. [OP.5] [OP.6]"""
    data, given = call.tensor(0), call.tensor(index)
    if given.dims is None or not any(call.different(dim, number(1)) for dim in given.dims):
        return
    at = None if data.rank is None else rule_axes.one_axis(call, call.attrs["axis"], data.rank)
    if at is None:
        if data.rank is None and len(given.dims) != 1:
            call.bad_shape(f"{call.name(index)} must have one element or rank 1", index)
        return
    extent = None if data.dims is None else data.dims[at]
    if len(given.dims) != 1 or (extent is not None and call.different(given.dims[0], extent)):
        shown = "unknown" if extent is None else call.text(extent)
        call.bad_shape(_unfit(at, shown, call.name(index)), 0, index)


def _unfit(axis: int, extent: object, name: str) -> str:
    return f"axis {axis} of `data` is {extent}, and {name} must have one element or as many"


@family.operator(
    "quantize",
    "data: tensor(float), scale: tensor(float), zero_point: tensor(number)",
    "axis: int = -1, out_dtype: dtype(integer) = int8",
    infer=infer_quantize,
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
    infer=infer_dequantize,
    example="dequantize(const([3, 5, 127], int8), const(0.5, float32), const(3, int8))",
)
def dequantize(data: Any, scale: Any, zero_point: Any, axis: int, out_dtype: str) -> Any:
    """Compute `(data - zero_point) * scale`, the reverse of `quantize`.

    `data` has at most 32 bits. Scale and zero point are one number each, or one per place of `axis`. The
    result has the shape of `data` and the dtype `out_dtype`, float32 or float16, which limits it to ±65504.
    """
    _check_dtypes(
        (("data", data, _DEQUANTIZED), ("scale", scale, _FLOAT), ("zero_point", zero_point, _ZERO_POINTS))
    )
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
        raise bad_shape(data.shape, parameter.shape, _unfit(at, data.shape[at], f"`{name}`"))
    return parameter.reshape([-1 if place == at else 1 for place in range(data.ndim)])
