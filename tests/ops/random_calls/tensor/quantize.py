"""Random calls of the conversions between floats and small integers."""

from __future__ import annotations

from typing import Any

from tests.ops.strategies import Call, Draw

FLOATS = ("float32", "float16")
SMALL = ("int8", "uint8", "int16", "uint16")


def _parameter(draw: Draw, shape: tuple[int, ...], axis: int, dtype: str) -> Any:
    extents = [(), (1,), (1, 1)]
    if shape:
        extents += [(shape[axis],)] * 3
    return draw.tensor(draw.one_of(*extents), dtype)


def _quantize(draw: Draw) -> Call:
    return _convert(draw, FLOATS, SMALL)


def _dequantize(draw: Draw) -> Call:
    return _convert(draw, (*SMALL, *FLOATS), FLOATS)


def _convert(draw: Draw, taken: tuple[str, ...], made: tuple[str, ...]) -> Call:
    shape = draw.shape()
    attrs = draw.some(axis=draw.axis(len(shape)) if shape else -1, out_dtype=_named(draw.one_of(*made)))
    axis = attrs.get("axis", -1)
    zero_point = _parameter(draw, shape, axis, draw.one_of(*SMALL, "int32", "float16"))
    return [
        draw.tensor(shape, draw.one_of(*taken)),
        _parameter(draw, shape, axis, draw.one_of(*FLOATS)),
        zero_point,
    ], attrs


def _named(dtype: str) -> Any:
    from relax_lang.ops.core.signature import DTypeName

    return DTypeName(dtype)


CALLS: dict[str, Any] = {"quantize": _quantize, "dequantize": _dequantize}
