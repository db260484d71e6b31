"""Conversion between floats and small integers with a scale and a zero point."""

from __future__ import annotations

import math
from functools import partial
from operator import methodcaller

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import name_of, numpy_dtype
from relax_lang.ops.core.errors import bad_attribute, bad_dtype, bad_shape
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import constant
from relax_lang.ops.numpy_kernels.shape_checks import one_axis
from relax_lang.ops.shape_rules.shared import axes as rule_axes
from relax_lang.ops.shape_rules.shared.extents import ONE, one_or

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.ops.core.specialization import Run1, Run3, TensorSpec
    from relax_lang.syntax import tree

family = Family(__name__, "Quantization", since="later", rows="per channel")

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
    data = call.tensor(0)
    at = None if data.rank is None else rule_axes.one_axis(call, call.attrs["axis"], data.rank or 1)
    if data.rank is None or at is not None:
        for index in (1, 2):
            _check_parameter(call, at, index)
    return call.like(data, call.attrs["out_dtype"])


def _check_parameter(call: Inference, at: int | None, index: int) -> None:
    """Require a scale or zero point to be one number or one per place of the axis. [OP.6]"""
    data, given = call.tensor(0), call.tensor(index)
    if given.dims is None:
        return
    if not any(call.different(dim, ONE) for dim in given.dims):
        _may_be_one(call, at, index)
        return
    if at is None:
        if len(given.dims) != 1:
            call.bad_shape(f"{call.name(index)} must have one element or rank 1", index)
        return
    extent = _extent(data, at)
    shown = "unknown" if extent is None else call.text(extent)
    if len(given.dims) != 1:
        call.bad_shape(_unfit(at, shown, call.name(index)), 0, index)
    elif extent is not None:
        call.clash(given.dims[0], extent, (0, index), partial(_unfit, at, shown, call.name(index)))


def _extent(data: Known, at: int) -> tree.PrimExpr | None:
    return None if data.dims is None else (data.dims or (ONE,))[at]


def _may_be_one(call: Inference, at: int | None, index: int) -> None:
    """Note where a scale or zero point of symbolic extents may be more than one number. [OP.6]"""
    given = call.tensor(index).dims or ()
    extent = None if at is None else _extent(call.tensor(0), at)
    if len(given) == 1:
        if extent is not None:
            shown = call.text(extent)
            one_or(call, given[0], extent, (0, index), partial(_unfit, at, shown, call.name(index)))
        return
    for dim in given:
        call.clash(dim, ONE, (index,), lambda: f"{call.name(index)} must have one element or rank 1")


def _unfit(axis: int | None, extent: object, name: str) -> str:
    return f"axis {axis} of `data` is {extent}, and {name} must have one element or as many"


@family.planned(
    "quantize",
    "data: tensor(float), scale: tensor(float), zero_point: tensor(number)",
    "axis: int = -1, out_dtype: dtype(integer) = int8",
    infer=infer_quantize,
    also=("torch.quantize_per_tensor", "onnx.QuantizeLinear"),
    example="quantize(const([0.0, 1.0, 100.0]), const(0.5, float32), const(3, int8))",
)
def quantize(data: TensorSpec, scale: TensorSpec, zero_point: TensorSpec, axis: int, out_dtype: str) -> Run3:
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
    factor, offset = [
        _along_axis(data, each, axis, name) for each, name in ((scale, "scale"), (zero_point, "zero_point"))
    ]
    wanted, is_half, narrow = numpy_dtype(out_dtype), data.dtype.itemsize == 2, np.dtype(np.float32)
    wide = narrow if _is_small(zero_point) else np.dtype(np.float64)
    least, most = [constant(limit, wide) for limit in (np.iinfo(wanted).min, np.iinfo(wanted).max)]
    rint = np.rint
    shape, given = data.shape or (1,), data.shape

    def run(data: Any, scale: Any, zero_point: Any) -> Any:
        result = data.reshape(shape).astype(narrow, copy=False) / factor(scale).astype(narrow, copy=False)
        if is_half:  # the quotient is data's, and rounds as such
            result = result.astype(np.float16).astype(narrow)
        result = rint(result, result).astype(wide, copy=False)
        result += offset(zero_point).astype(wide)
        result.clip(least, most, result)
        if result.size and math.isnan(result.item(result.argmin())):  # argmin finds nan before all numbers
            result[result != result] = 0
        return result.astype(wanted).reshape(given)

    return run


@family.planned(
    "dequantize",
    "data: tensor(number), scale: tensor(float), zero_point: tensor(number)",
    "axis: int = -1, out_dtype: dtype(float) = float32",
    infer=infer_dequantize,
    also=("onnx.DequantizeLinear",),
    example="dequantize(const([3, 5, 127], int8), const(0.5, float32), const(3, int8))",
)
def dequantize(
    data: TensorSpec, scale: TensorSpec, zero_point: TensorSpec, axis: int, out_dtype: str
) -> Run3:
    """Compute `(data - zero_point) * scale`, the reverse of `quantize`.

    `data` is an integer of at most 32 bits (but not uint32), float16 or float32. Scale and zero point are one
    number each, or one per place of `axis`. The result has the shape of `data` and the dtype `out_dtype`, float32
    or float16, which limits it to ±65504.
    """
    _check_dtypes(
        (("data", data, _DEQUANTIZED), ("scale", scale, _FLOAT), ("zero_point", zero_point, _ZERO_POINTS))
    )
    if out_dtype not in _FLOAT:
        raise bad_attribute("out_dtype", f"{out_dtype} is none of {', '.join(_FLOAT)}")
    factor, offset = [
        _along_axis(data, each, axis, name) for each, name in ((scale, "scale"), (zero_point, "zero_point"))
    ]
    wanted, narrow, is_half = numpy_dtype(out_dtype), np.dtype(np.float32), out_dtype == "float16"
    is_exact = (_is_small(data) and _is_small(zero_point)) or "f" in (data.dtype.kind, zero_point.dtype.kind)
    wide = narrow if is_exact else np.dtype(np.int64)
    shape, given = data.shape or (1,), data.shape
    if given and is_exact and wanted == narrow == scale.dtype:

        def run_in_float32(data: Any, scale: Any, zero_point: Any) -> Any:
            result = data.astype(narrow)
            result -= offset(zero_point).astype(narrow)
            result *= factor(scale)
            return result

        return run_in_float32

    def run(data: Any, scale: Any, zero_point: Any) -> Any:
        shifted = data.reshape(shape).astype(wide)
        shifted -= offset(zero_point).astype(wide, copy=False)
        result = shifted.astype(narrow, copy=False)
        result *= factor(scale).astype(narrow, copy=False)
        if is_half:
            result = np.clip(result, -65504, 65504)
        return result.astype(wanted, copy=False).reshape(given)

    return run


def _is_small(x: TensorSpec) -> bool:
    """Return whether differences of such integers, and sums that are limited to 16 bits, are exact in float32."""
    return x.dtype.kind in "iu" and x.dtype.itemsize <= 2


def _check_dtypes(tensors: tuple[tuple[str, Any, tuple[str, ...]], ...]) -> None:
    for name, x, taken in tensors:
        dtype = name_of(x.dtype)
        if dtype not in taken:
            raise bad_dtype(dtype, f"one of {', '.join(taken)}", name)


def _along_axis(data: TensorSpec, parameter: TensorSpec, axis: int, name: str) -> Run1:
    """Check a scale or zero point, and return what shapes it to go with the data; a number has an axis, too."""
    at = one_axis(axis, data.ndim or 1)
    extent = (data.shape or (1,))[at]
    if parameter.size != 1 and parameter.shape != (extent,):
        raise bad_shape(data.shape, parameter.shape, _unfit(at, extent, f"`{name}`"))
    shape = () if parameter.size == 1 else (-1, *(1,) * (data.ndim - at - 1))
    return methodcaller("reshape", shape)
