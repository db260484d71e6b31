"""Products of matrices. All of them reach BLAS where an exact result allows it.

float16 and bfloat16 are multiplied and summed in float32. Integers are exact and wrap: they go through
float64 where all sums stay below 2⁵³, else through NumPy's own integer loops.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.contraction import as_product
from relax_lang.ops.dtypes import is_float, is_half, numpy_dtype, widen
from relax_lang.ops.refusal import Refusal, bad_argument, bad_shape
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import linear as rules
from relax_lang.ops.rules.einsum import einsum as infer_einsum
from relax_lang.ops.shapes import broadcast, same_dtype
from relax_lang.ops.subscripts import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.contraction import Product
    from relax_lang.ops.subscripts import Subscripts

family = Family("linear", "Linear algebra")


@family.operator(
    "matmul",
    "x1: tensor(number), x2: tensor(number)",
    "out_dtype: dtype(number)|none = none",
    infer=rules.matmul,
    example="matmul(const([[1.0, 2.0], [3.0, 4.0]]), const([[1.0], [1.0]]))",
)
def matmul(x1: Any, x2: Any, out_dtype: str | None) -> Any:
    """Multiply matrices: the last axis of `x1` is summed against the last but one of `x2`.

    (…, n, k) by (…, k, m) gives (…, n, m); the leading axes are broadcast. A tensor of rank 1 is a row on the
    left and a column on the right, and its axis is not in the result; rank 0 is refused. Both dtypes are the
    same and the result's, unless `out_dtype` names another: then both are converted to it first.
    """
    return product(x1, x2, out_dtype)


def product(x1: Any, x2: Any, out_dtype: str | None = None) -> Any:
    """Return the matrix product after all checks; see `matmul`."""
    if out_dtype is None and x1.dtype is x2.dtype and x1.dtype.char in "fd":
        try:
            return np.matmul(x1, x2)
        except ValueError:  # the shapes do not fit; the checks find out where
            pass
    _check_factors(x1, x2, x2.shape, ("x1", "x2"))
    if out_dtype is None:
        same_dtype(x1, x2)
    return _multiplied(x1, x2, out_dtype)


def _multiplied(x1: Any, x2: Any, out_dtype: str | None) -> Any:
    wanted = x1.dtype if out_dtype is None else numpy_dtype(out_dtype)
    if wanted.kind in "iu" and _exact_in_float32(x1, x2, x1.shape[-1]):
        result = np.matmul(x1.astype(np.float32), x2.astype(np.float32))
        return result.astype(np.int32).astype(wanted, copy=False)
    left, right = x1.astype(wanted, copy=False), x2.astype(wanted, copy=False)
    return contract(np.matmul, left, right, wanted, x1.shape[-1])


def _check_factors(x1: Any, x2: Any, right: tuple[int, ...], names: tuple[str, str]) -> None:
    """Check two factors; `right` is the shape of the second one as it is multiplied: turned round for `linear`."""
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
        broadcast(left[:-2], right[:-2], names)
    except Refusal as refusal:
        reason = f"leading axes: {refusal.message.partition(': ')[2]}"
        raise bad_shape(left, x2.shape, reason) from None


def contract(multiply: Any, x1: Any, x2: Any, dtype: Any, terms: int) -> Any:
    """Return a product that sums so many terms, in the arithmetic that is exact for the dtype and fast.

    `multiply` is called with two arrays of one dtype, float32, float64 or an integer one, and keeps it.
    """
    if is_half(dtype):
        return multiply(widen(x1), widen(x2)).astype(dtype)
    if is_float(dtype):
        return multiply(x1, x2)
    if exact_in_float64(x1, x2, terms):
        return (
            multiply(x1.astype(np.float64), x2.astype(np.float64)).astype(np.int64).astype(dtype, copy=False)
        )
    return multiply(x1, x2)


def exact_in_float64(x1: Any, x2: Any, terms: int) -> bool:
    """Tell whether sums of so many products of integers are exact in float64."""
    if x1.size == 0 or x2.size == 0:
        return True
    return terms * _largest(x1) * _largest(x2) < 2**53


def _exact_in_float32(x1: Any, x2: Any, terms: int) -> bool:
    """Tell whether sums of so many products of integers of 8 bits are exact in float32."""
    bits = [7 if x.dtype.kind == "i" else 8 for x in (x1, x2) if x.dtype.itemsize == 1]
    return len(bits) == 2 and terms << sum(bits) <= 2**24


def _largest(x: Any) -> int:
    if x.dtype.itemsize <= 2:  # reading the values would cost more than it tells
        return 1 << (x.dtype.itemsize * 8)
    return max(abs(int(x.max())), abs(int(x.min())))


@family.operator(
    "outer",
    "x1: tensor(1-d number), x2: tensor(1-d number)",
    infer=rules.outer,
    tier=2,
    since="later",
    example="outer(const([1.0, 2.0]), const([3.0, 4.0]))",
)
def outer(x1: Any, x2: Any) -> Any:
    """Multiply every element of `x1` with every element of `x2`: (n,) and (m,) of one dtype give (n, m)."""
    same_dtype(x1, x2)
    if is_half(x1.dtype):
        return np.multiply.outer(widen(x1), widen(x2)).astype(x1.dtype)
    return np.multiply.outer(x1, x2)


@family.operator(
    "linear",
    "data: tensor(number), weight: tensor(number), bias: tensor?",
    "out_dtype: dtype(number)|none = none",
    infer=rules.linear,
    example="linear(const([[1.0, 2.0]]), const([[1.0, 1.0]]), const([0.5]))",
)
def linear(data: Any, weight: Any, bias: Any, out_dtype: str | None) -> Any:
    """Apply a linear layer: `matmul(data, permute_dims(weight)) + bias`, without the sum if there is no
    `bias`.

    `weight` has the shape (out, in), or (in,) for one output whose axis is not in the result.
    """
    if out_dtype is None and data.dtype is weight.dtype and data.dtype.char in "fd":
        try:
            result = np.matmul(data, weight.transpose())
            if bias is None:
                return result
            if bias.dtype is data.dtype and result.ndim:
                result += bias
                return result
        except ValueError:  # shapes that do not fit, or a bias with more axes
            pass
    _check_factors(data, weight, weight.shape[::-1], ("data", "weight"))
    if out_dtype is None:
        same_dtype(data, weight, ("data", "weight"))
    result = _multiplied(data, weight.transpose(), out_dtype)
    if bias is None:
        return result
    same_dtype(result, bias, ("matmul(data, weight)", "bias"))
    broadcast(result.shape, bias.shape, ("matmul(data, weight)", "bias"))
    return (widen(np.asarray(result)) + widen(bias)).astype(bias.dtype, copy=False)


@family.operator(
    "einsum",
    "operands: tensors(number)",
    "subscripts: str",
    infer=infer_einsum,
    since="later",
    example='einsum((const([[1.0, 2.0], [3.0, 4.0]]), const([1.0, 1.0])), subscripts="ij,j->i")',
)
def einsum(operands: tuple[Any, ...], subscripts: str) -> Any:
    """Sum products over labelled axes, as `"ij,jk->ik"` says: one letter per axis, operands separated by
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
    key = (subscripts, *[operand.shape for operand in operands])
    plan = _plans.get(key)
    if plan is None:
        parsed = parse(subscripts, len(operands))
        _check_extents(parsed, operands)
        if len(_plans) == _MOST_PLANS:
            _plans.clear()
        plan = _plans[key] = as_product(parsed, operands) or "".join(subscripts.split())
    if not isinstance(plan, str):
        left, right = operands
        return plan.run(left, right, lambda x1, x2, terms: contract(np.matmul, x1, x2, dtype, terms))
    text = plan
    if is_float(dtype):
        wide = [widen(each) for each in operands]
    else:  # sums modulo 2⁶⁴ are right modulo any smaller power of two
        wide = [each.astype(np.uint64 if dtype.kind == "u" else np.int64) for each in operands]
    result = np.einsum(text, *wide, optimize=len(operands) > 2 or is_float(dtype))
    result = np.asarray(result).astype(dtype, copy=False)
    return result.copy() if any(np.may_share_memory(result, each) for each in operands) else result


_plans: dict[object, Product | str] = {}
"""How to compute subscripts of operands of some shapes: as one product of matrices, or, as text, by NumPy's einsum."""

_MOST_PLANS = 256


def _check_extents(subscripts: Subscripts, operands: tuple[Any, ...]) -> None:
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
