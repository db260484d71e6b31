"""Operators of three tensors, element by element. [OP.6-OP.8]"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import widened
from relax_lang.ops.numpy_kernels.shape_checks import broadcast, same_dtype, same_extents
from relax_lang.ops.shape_rules.shared.broadcast import (
    broadcast_all,
    broadcast_info,
    most_known,
    same_shape,
)
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype as one_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.specialization import Run3, TensorSpec
    from relax_lang.syntax import tree

family = Family(__name__, "Operators of three tensors, element by element", rows="elementwise")


def infer_where(call: Inference) -> tree.StructInfo:
    """Broadcast three tensors; two of them have one dtype."""
    condition, x1, x2 = call.tensor(0), call.tensor(1), call.tensor(2)
    return broadcast_all(call, ((x1, 1), (x2, 2), (condition, 0)), one_dtype(call, x1, x2, 1, 2))


@family.planned(
    "where",
    "condition: tensor(bool), x1: tensor, x2: tensor",
    infer=infer_where,
    also=("jax.select",),
    example="where(const([true, false]), const([1.0, 2.0]), const([0.0]))",
)
def where(condition: TensorSpec, x1: TensorSpec, x2: TensorSpec) -> Run3:
    """Take from `x1` where `condition` is true, from `x2` elsewhere.

    The three shapes are broadcast together; `x1` and `x2` have the same dtype, which is that of the result.
    Both are always evaluated.
    """
    same_dtype(x1, x2)
    if x1.shape == x2.shape == condition.shape:
        return _choosing(condition, x1)
    broadcast(broadcast(x1.shape, x2.shape), condition.shape, ("x1", "condition"))
    return np.where


_MANY = 1 << 14


def _choosing(condition: TensorSpec, x: TensorSpec) -> Run3:
    """Plan `np.where` of arrays of one shape, of which the second may be one number of rank 0."""
    return _chosen_bits(x.dtype) if condition.size > _MANY else _chosen_elements


def _chosen_elements(condition: Any, x1: Any, x2: Any) -> Any:
    result = x2.copy()
    np.putmask(result, condition, x1)
    return result


def _chosen_bits(dtype: Any) -> Run3:
    """Plan (x1 ^ x2) * condition ^ x2, so that no element has to be guessed."""
    bits, xor, multiply = np.dtype(f"i{dtype.itemsize}"), np.bitwise_xor, np.multiply

    def run(condition: Any, x1: Any, x2: Any) -> Any:
        second = x2.view(bits)
        result = xor(x1.view(bits), second)
        multiply(result, condition, result)  # NumPy makes 1 of whatever byte a true element is
        return xor(result, second, result).view(dtype)

    return run


def infer_fma(call: Inference) -> tree.StructInfo:
    """Three tensors of one shape and dtype give another such."""
    tensors = x1, x2, x3 = call.tensor(0), call.tensor(1), call.tensor(2)
    dtypes = [one_dtype(call, a, b, i, j) for a, b, i, j in ((x1, x2, 0, 1), (x1, x3, 0, 2))]
    if same_shape(call, x1, x2, 0, 1) and same_shape(call, x1, x3, 0, 2):
        same_shape(call, x2, x3, 1, 2)
    return call.like(most_known(tensors), None if None in dtypes else dtypes[0])


@family.planned(
    "ewise_fma",
    "x1: tensor(number), x2: tensor(number), x3: tensor(number)",
    infer=infer_fma,
    example="ewise_fma(const([1.0, 2.0]), const([3.0, 4.0]), const([5.0, 6.0]))",
)
def ewise_fma(x1: TensorSpec, x2: TensorSpec, x3: TensorSpec) -> Run3:
    """Compute `x1 * x2 + x3` of three tensors of one shape and dtype, which are the result's; nothing is
    broadcast.
    """
    for name, other in (("x2", x2), ("x3", x3)):
        same_dtype(x1, other, ("x1", name))
        same_extents(x1.shape, other.shape, ("x1", name))

    def run(x1: Any, x2: Any, x3: Any) -> Any:
        result = x1 * x2
        result += x3
        return result

    return widened(x1.dtype, run)


def infer_masked_fill(call: Inference) -> tree.StructInfo:
    """Broadcast a tensor and a mask; the dtype is that of the tensor."""
    x = call.tensor(0)
    return broadcast_info(call, x, call.tensor(1), x.dtype, 0, 1)


@family.planned(
    "masked_fill",
    "x: tensor, mask: tensor(bool), value: tensor(0-d)",
    infer=infer_masked_fill,
    since="later",
    example="masked_fill(const([1.0, 2.0]), const([true, false]), 0.0)",
)
def masked_fill(x: TensorSpec, mask: TensorSpec, value: TensorSpec) -> Run3:
    """Replace the elements of `x` where `mask` is true by `value`, converted to the dtype of `x`.

    The same as `where(mask, full_like(x, value), x)`: the shapes of `x` and `mask` are broadcast.
    """
    broadcast(x.shape, mask.shape, ("x", "mask"))
    choose = _choosing(mask, x) if mask.shape == x.shape else np.where
    dtype, same = x.dtype, value.dtype == x.dtype
    return lambda x, mask, value: choose(mask, value if same else value.astype(dtype), x)
