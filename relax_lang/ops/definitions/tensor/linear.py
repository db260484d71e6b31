"""Products of matrices. All of them reach BLAS where an exact result allows it; see `numpy_kernels.contraction`."""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.einsum import parse
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_float, is_half, numpy_dtype
from relax_lang.ops.core.errors import OpError, bad_argument, bad_shape
from relax_lang.ops.core.operator import Family
from relax_lang.ops.core.specialization import TensorSpec
from relax_lang.ops.numpy_kernels.compute_dtype import constant, wide_dtype, widened
from relax_lang.ops.numpy_kernels.contraction import as_product, in_arithmetic, matrix_product
from relax_lang.ops.numpy_kernels.shape_checks import broadcast, same_dtype
from relax_lang.ops.shape_rules.tensor import linear as rules
from relax_lang.ops.shape_rules.tensor.einsum import einsum as infer_einsum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.attribute_syntax.einsum import Subscripts
    from relax_lang.ops.core.specialization import Run1, Run2, Run3

family = Family(__name__, "Linear algebra")


@family.planned(
    "matmul",
    "x1: tensor(number), x2: tensor(number)",
    "out_dtype: dtype(number)|none = none",
    infer=rules.matmul,
    rows="matmul",
    also=("np.dot", "torch.bmm", "torch.mm", "torch.mv", "torch.dot", "jax.dot", "tvm.batch_matmul"),
    example="matmul(const([[1.0, 2.0], [3.0, 4.0]]), const([[1.0], [1.0]]))",
)
def matmul(x1: TensorSpec, x2: TensorSpec, out_dtype: str | None) -> Run2:
    """Multiply matrices: the last axis of `x1` is summed against the last but one of `x2`.

    (…, n, k) by (…, k, m) gives (…, n, m); the leading axes are broadcast. A tensor of rank 1 is a row on the
    left and a column on the right, and its axis is not in the result; rank 0 is refused. Both dtypes are the
    same and the result's, unless `out_dtype` names another: then both are converted to it first.
    """
    _check_factors(x1, x2, x2.shape, ("x1", "x2"))
    dtype = _result_dtype(x1, x2, out_dtype, ("x1", "x2"))
    left, right = x1.shape, x2.shape
    return in_arithmetic(
        (x1.dtype, x2.dtype), dtype, left[-1], lambda wide: matrix_product(wide, left, right)
    )


def _result_dtype(x1: TensorSpec, x2: TensorSpec, out_dtype: str | None, names: tuple[str, str]) -> Any:
    if out_dtype is not None:
        return numpy_dtype(out_dtype)
    same_dtype(x1, x2, names)
    return x1.dtype


def _check_factors(
    x1: TensorSpec, x2: TensorSpec, right: tuple[int, ...], names: tuple[str, str]
) -> tuple[int, ...]:
    """Check two factors, and return the shape of the product.

    `right` is the shape of the second one as it is multiplied: transposed for `linear`.
    """
    left = x1.shape
    for name, x in zip(names, (x1, x2), strict=True):
        if x.ndim == 0:
            raise bad_argument(f"`{name}` has rank 0; a matrix product needs rank 1 or more", argument=name)
    at = max(len(right) - 2, 0)
    if left[-1] != right[at]:
        shown = at if right == x2.shape else len(right) - 1 - at
        reason = (
            f"axis {len(left) - 1} of `{names[0]}` is {left[-1]}, axis {shown} of `{names[1]}` is {right[at]}"
        )
        raise bad_shape(left, x2.shape, reason)
    try:
        leading = broadcast(left[:-2], right[:-2], names)
    except OpError as refusal:
        reason = f"leading axes: {refusal.message.partition(': ')[2]}"
        raise bad_shape(left, x2.shape, reason) from None
    return (*leading, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


@family.planned(
    "outer",
    "x1: tensor(1-d number), x2: tensor(1-d number)",
    infer=rules.outer,
    since="later",
    also=("torch.ger",),
    example="outer(const([1.0, 2.0]), const([3.0, 4.0]))",
)
def outer(x1: TensorSpec, x2: TensorSpec) -> Run2:
    """Multiply every element of `x1` with every element of `x2`: (n,) and (m,) of one dtype give (n, m)."""
    same_dtype(x1, x2)
    return widened(x1.dtype, np.multiply.outer)


@family.planned(
    "linear",
    "data: tensor(number), weight: tensor(number), bias: tensor?",
    "out_dtype: dtype(number)|none = none",
    infer=rules.linear,
    rows="linear",
    also=("tvm.dense",),
    example="linear(const([[1.0, 2.0]]), const([[1.0, 1.0]]), const([0.5]))",
)
def linear(data: TensorSpec, weight: TensorSpec, bias: TensorSpec | None, out_dtype: str | None) -> Run3:
    """Apply a linear layer: `matmul(data, permute_dims(weight)) + bias`, without the sum if there is no
    `bias`.

    `weight` has the shape (out, in), or (in,) for one output whose axis is not in the result; of a higher rank, all
    of its axes are reversed.
    """
    left, right = data.shape, weight.shape[::-1]
    product_shape = _check_factors(data, weight, right, ("data", "weight"))
    dtype = _result_dtype(data, weight, out_dtype, ("data", "weight"))

    def turned(wide: Any) -> Run2:
        multiply = matrix_product(wide, left, right)
        return lambda data, weight: multiply(data, weight.transpose())

    product = in_arithmetic((data.dtype, weight.dtype), dtype, left[-1], turned)
    if bias is None:
        return lambda data, weight, _: product(data, weight)
    made = TensorSpec(dtype, product_shape)
    same_dtype(made, bias, ("matmul(data, weight)", "bias"))
    shape = broadcast(made.shape, bias.shape, ("matmul(data, weight)", "bias"))
    if shape == made.shape != () and not is_half(dtype):

        def run(data: Any, weight: Any, bias: Any) -> Any:
            result = product(data, weight)
            result += bias
            return result

        return run
    added = widened(dtype, np.add)
    return lambda data, weight, bias: added(np.asarray(product(data, weight)), bias)


@family.planned(
    "einsum",
    "operands: tensors(number)",
    "subscripts: str",
    infer=infer_einsum,
    rows="einsum",
    since="later",
    example='einsum((const([[1.0, 2.0], [3.0, 4.0]]), const([1.0, 1.0])), subscripts="ij,j->i")',
)
def einsum(operands: tuple[TensorSpec, ...], subscripts: str) -> Run1:
    """Sum products over labelled axes, written as `"ij,jk->ik"`: one letter per axis, operands separated by
    commas.

    A letter that is not right of the arrow is summed over; the result has one axis per letter that is.
    Without an arrow those are the letters that occur once, in alphabetical order. The extents of a letter are
    equal, or 1. A letter twice in one operand takes the diagonal. `...` stands for any leading axes, which
    are broadcast. All operands have the same dtype, which is the result's; integers wrap.
    """
    if not operands:
        raise bad_argument("`operands` is an empty tuple; at least one tensor is needed")
    for index, other in enumerate(operands[1:], 1):
        same_dtype(operands[0], other, ("operands[0]", f"operands[{index}]"))
    dtype = operands[0].dtype
    parsed = parse(subscripts, len(operands))
    _check_extents(parsed, operands)
    product = as_product(parsed, operands)
    if product is None:
        return _by_numpy("".join(subscripts.split()), dtype, operands)
    multiply = in_arithmetic((dtype, dtype), dtype, product.terms, product.planned)
    return lambda operands: multiply(operands[0], operands[1])


def _by_numpy(subscripts: str, dtype: Any, operands: tuple[TensorSpec, ...]) -> Run1:
    # Sums modulo 2⁶⁴ are right modulo any smaller power of two.
    whole = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    wide = wide_dtype(dtype) if is_float(dtype) else whole
    path: Any = False
    if len(operands) > 2 or (len(operands) == 2 and is_float(dtype)):
        shaped = [np.broadcast_to(constant(0, wide), each.shape) for each in operands]
        path = np.einsum_path(subscripts, *shaped)[0]

    def run(operands: tuple[Any, ...]) -> Any:
        taken = [each.astype(wide, copy=False) for each in operands]
        result = np.asarray(np.einsum(subscripts, *taken, optimize=path)).astype(dtype, copy=False)
        return result.copy() if any(np.may_share_memory(result, each) for each in operands) else result

    return run


def _check_extents(subscripts: Subscripts, operands: tuple[TensorSpec, ...]) -> None:
    """Check labels against the operands: their ranks and extents. [OP.4] [OP.6]"""
    subscripts.check_ranks([operand.ndim for operand in operands])
    extents: dict[str, tuple[int, int]] = {}
    leading: tuple[int, ...] = ()
    for index, (term, operand) in enumerate(zip(subscripts.terms, operands, strict=True)):
        first, last = term.leading(operand.ndim)
        leading = broadcast(leading, operand.shape[first:last], ("...", "..."))
        own: dict[str, int] = {}
        for letter, axis in zip(term.letters, term.axes(operand.ndim), strict=True):
            extent = operand.shape[axis]
            known, there = extents.setdefault(letter, (extent, index))
            # Within one operand, where it takes the diagonal, not even 1 goes with another extent.
            if own.setdefault(letter, extent) == extent and (1 in (known, extent) or known == extent):
                extents[letter] = (known if extent == 1 else extent, there)
                continue
            reason = f"`{letter}` is {known} in operands[{there}] and {extent} in operands[{index}]"
            raise bad_shape(operands[there].shape, operand.shape, reason)
