"""The rules of the standard's operators, a family a module; importing this package declares them all."""

from relax_lang.onnx.operators.control import control_flow, recurrence, sequences
from relax_lang.onnx.operators.nn import (
    convolution,
    detection,
    fused,
    images,
    normalization,
    pooling,
    quantization,
    signals,
)
from relax_lang.onnx.operators.tensor import (
    arithmetic,
    conversion,
    creation,
    elementwise,
    indexing,
    linear,
    movement,
    reductions,
    shapes,
)

__all__ = [
    "arithmetic",
    "control_flow",
    "conversion",
    "convolution",
    "creation",
    "detection",
    "elementwise",
    "fused",
    "images",
    "indexing",
    "linear",
    "movement",
    "normalization",
    "pooling",
    "quantization",
    "recurrence",
    "reductions",
    "sequences",
    "shapes",
    "signals",
]
