"""Random calls of the operators between tensors and shapes."""

from __future__ import annotations

from typing import Any

from relax_lang.values import ShapeValue
from tests.ops.strategies import Call, Draw


def _tensor(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {}


def _tensor_to_shape(draw: Draw) -> Call:
    return [draw.whole((draw.extent(),), 0, 4, draw.dtype("integer"))], {}


def _shape(draw: Draw) -> Call:
    return [ShapeValue(draw.shape())], {}


def _equals(draw: Draw) -> Call:
    shape = draw.shape()
    return [ShapeValue(shape), ShapeValue(draw.one_of(shape, draw.shape()))], {}


CALLS: dict[str, Any] = {
    "shape_of": _tensor,
    "size": _tensor,
    "tensor_to_shape": _tensor_to_shape,
    "shape_to_tensor": _shape,
    "shape_equals": _equals,
}
