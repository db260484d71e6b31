"""Operators between tensors and shapes."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.tensor import shape as rules
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run1, TensorSpec

family = Family(__name__, "Shapes as values")


@family.planned(
    "shape_of",
    "input: tensor",
    tvm="expr",
    infer=rules.shape_of,
    rows="shape of",
    also=("np.shape", "torch.shape", "torch.size", "onnx.Shape"),
    example="shape_of(const([[1, 2, 3]]))",
)
def shape_of(x: TensorSpec) -> Run1:
    """Return the shape of a tensor as a shape value, of as many dimensions as the tensor has axes."""
    shape = ShapeValue(x.shape)
    return lambda x: shape


@family.planned(
    "size",
    "input: tensor",
    tvm="expr",
    infer=rules.size,
    since="later",
    also=("torch.numel",),
    example="size(const([[1, 2, 3]]))",
)
def size(x: TensorSpec) -> Run1:
    """Count the elements of a tensor: an int64 tensor of rank 0."""
    count, asarray = x.size, np.asarray
    return lambda x: asarray(count)


@family.planned(
    "tensor_to_shape",
    "input: tensor(1-d integer)",
    tvm="expr",
    infer=rules.tensor_to_shape,
    since="later",
    example="tensor_to_shape(const([2, 3], int64))",
)
def tensor_to_shape(x: TensorSpec) -> Run1:
    """Turn a tensor of rank 1 of integers, none of them negative, into a shape of as many dimensions."""
    rank = x.size

    def run(x: Any) -> ShapeValue:
        extents = tuple(x.tolist())
        if rank and min(extents) < 0:
            place, extent = next((place, extent) for place, extent in enumerate(extents) if extent < 0)
            raise bad_value(f"element {place} of `input` is {extent}; a dimension is never negative")
        return ShapeValue(extents)

    return run


@family.planned(
    "shape_to_tensor",
    "input: shape",
    tvm="expr",
    infer=rules.shape_to_tensor,
    since="later",
    example="shape_to_tensor(shape(2, 3))",
)
def shape_to_tensor(shape: tuple[int, ...]) -> Run:
    """Turn a shape into an int64 tensor of rank 1, one element per dimension."""
    return np.asarray(shape, np.int64).copy


@family.planned(
    "shape_equals",
    "shape1: shape, shape2: shape",
    infer=rules.shape_equals,
    example="shape_equals(shape(2, 3), shape(2, 3))",
)
def shape_equals(shape1: tuple[int, ...], shape2: tuple[int, ...]) -> Run:
    """Whether two shapes have the same dimensions: a bool tensor of rank 0."""
    return np.asarray(shape1 == shape2).copy
