"""The rules of the standard's operators, a family a module; importing this package declares them all."""

from relax_lang.onnx.operators import (
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
    "conversion",
    "creation",
    "elementwise",
    "indexing",
    "linear",
    "movement",
    "reductions",
    "shapes",
]
