"""Products of matrices. All of them reach BLAS where an exact result allows it.

float16 and bfloat16 are multiplied and summed in float32. Integers are exact and wrap: they go through
float64 where all sums stay below 2⁵³, else through NumPy's own integer loops.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_float, is_half, numpy_dtype, widen
from relax_lang.ops.refusal import Refusal, bad_argument, bad_attribute, bad_shape
from relax_lang.ops.registry import Family
from relax_lang.ops.shapes import broadcast, same_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("linear", "Linear algebra")


@family.operator(
    "matmul",
    "x1: tensor(number), x2: tensor(number)",
    "out_dtype: dtype(number)|none = none",
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
    for name, x in (("x1", x1), ("x2", x2)):
        if x.ndim == 0:
            raise bad_argument(f"`{name}` has rank 0; a matrix product needs rank 1 or more", argument=name)
    inner = (-1 if x1.ndim == 1 else x1.ndim - 1, max(x2.ndim - 2, 0))
    if x1.shape[-1] != x2.shape[inner[1]]:
        reason = (
            f"axis {x1.ndim - 1} of `x1` is {x1.shape[-1]}, axis {inner[1]} of `x2` is {x2.shape[inner[1]]}"
        )
        raise bad_shape(x1.shape, x2.shape, reason)
    try:
        broadcast(x1.shape[:-2], x2.shape[:-2])
    except Refusal as refusal:
        raise bad_shape(x1.shape, x2.shape, f"leading axes: {refusal.message.partition(': ')[2]}") from None
    if out_dtype is None:
        same_dtype(x1, x2)
        return contract(np.matmul, x1, x2, x1.dtype, x1.shape[-1])
    wanted = numpy_dtype(out_dtype)
    return contract(
        np.matmul, x1.astype(wanted, copy=False), x2.astype(wanted, copy=False), wanted, x1.shape[-1]
    )


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


def _largest(x: Any) -> int:
    if x.dtype.itemsize <= 2:  # reading the values would cost more than it tells
        return 1 << (x.dtype.itemsize * 8)
    return max(abs(int(x.max())), abs(int(x.min())))


@family.operator(
    "outer",
    "x1: tensor(1-d number), x2: tensor(1-d number)",
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
    example="linear(const([[1.0, 2.0]]), const([[1.0, 1.0]]), const([0.5]))",
)
def linear(data: Any, weight: Any, bias: Any, out_dtype: str | None) -> Any:
    """Apply a linear layer: `matmul(data, permute_dims(weight)) + bias`, without the sum if there is no
    `bias`.

    `weight` has the shape (out, in), or (in,) for one output whose axis is not in the result.
    """
    result = product(data, weight.transpose(), out_dtype)
    if bias is None:
        return result
    same_dtype(result, bias, ("matmul(data, weight)", "bias"))
    broadcast(result.shape, bias.shape, ("matmul(data, weight)", "bias"))
    return (widen(np.asarray(result)) + widen(bias)).astype(bias.dtype, copy=False)


@family.operator(
    "einsum",
    "operands: tensors(number)",
    "subscripts: str",
    since="later",
    example='einsum((const([[1.0, 2.0], [3.0, 4.0]]), const([1.0, 1.0])), subscripts="ij,j->i")',
)
def einsum(operands: tuple[Any, ...], subscripts: str) -> Any:
    """Sum products over labelled axes, as `"ij,jk->ik"` says: one letter per axis, operands separated by
    commas.

    A letter that is not right of the arrow is summed over; the result has one axis per letter that is.
    Without an arrow those are the letters that occur once, in alphabetical order. A letter twice in one
    operand takes the diagonal. `...` stands for any leading axes, which are broadcast. All operands have the
    same dtype, which is the result's; integers wrap.
    """
    if not operands:
        raise bad_argument("`operands` is an empty tuple; at least one tensor is needed")
    for index, other in enumerate(operands[1:], 1):
        same_dtype(operands[0], other, ("operands[0]", f"operands[{index}]"))
    text = "".join(subscripts.split())
    _check_subscripts(text, operands)
    dtype = operands[0].dtype
    if is_float(dtype):
        wide = [widen(each) for each in operands]
    else:  # sums modulo 2⁶⁴ are right modulo any smaller power of two
        wide = [each.astype(np.uint64 if dtype.kind == "u" else np.int64) for each in operands]
    result = np.einsum(text, *wide, optimize=len(operands) > 2 or is_float(dtype))
    result = np.asarray(result).astype(dtype, copy=False)
    return result.copy() if any(np.may_share_memory(result, each) for each in operands) else result


def _check_subscripts(text: str, operands: tuple[Any, ...]) -> None:
    """Check labels against the operands: their number, ranks and extents. [OP.4] [OP.6]"""
    left, _, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise bad_attribute("subscripts", f'"{left}" names {len(terms)} operands, {len(operands)} are given')
    extents: dict[str, tuple[int, int]] = {}
    leading: tuple[int, ...] = ()
    for index, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        before, dots, after = term.partition("...")
        labels = before + after
        if not all(letter.isascii() and letter.isalpha() for letter in labels):
            raise bad_attribute("subscripts", f'"{term}" is not made of letters')
        free = operand.ndim - len(labels)
        if free < 0 or (free and not dots):
            raise bad_attribute(
                "subscripts", f'"{term}" has {len(labels)} letters, operands[{index}] has rank {operand.ndim}'
            )
        leading = broadcast(leading, operand.shape[len(before) : len(before) + free], ("...", "..."))
        places = [*range(len(before)), *range(operand.ndim - len(after), operand.ndim)]
        for letter, axis in zip(labels, places, strict=True):
            extent = operand.shape[axis]
            known, first = extents.setdefault(letter, (extent, index))
            if 1 in (known, extent) or known == extent:
                extents[letter] = (max(known, extent), first)
                continue
            reason = f"`{letter}` is {known} in operands[{first}] and {extent} in operands[{index}]"
            raise bad_shape(operands[first].shape, operand.shape, reason)
    wanted = right.replace("...", "")
    for letter in wanted:
        if letter not in extents or wanted.count(letter) > 1:
            raise bad_attribute("subscripts", f"`{letter}` right of the arrow must name one axis on its left")
    if right.count("...") > 1 or (leading and "->" in text and "..." not in right and "..." in left):
        raise bad_attribute("subscripts", "`...` stands on one side of the arrow only")
