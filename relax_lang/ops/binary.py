"""Operators of two or three tensors, element by element, after broadcasting. [OP.6-OP.8]

Broadcasting aligns shapes at the last axis; two extents go together if they are equal or one of them is 1.
Dtypes are never converted: they must be the same, except in comparisons.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_bfloat16, is_float, is_half, widen, widen_bfloat16
from relax_lang.ops.refusal import bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules.broadcast import (
    binary,
    broadcast_all,
    broadcast_info,
    comparison,
    most_known,
    same_shape,
)
from relax_lang.ops.rules.broadcast import same_dtype as one_dtype
from relax_lang.ops.shapes import broadcast, elements, same_dtype, same_extents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.inference import Inference
    from relax_lang.syntax import tree

    Binary = Callable[[Any, Any], Any]

family = Family("binary", "Operators of several tensors, element by element")

_SHAPE = "The shapes of `x1` and `x2` are broadcast; both have the same dtype, which is that of the result."


def _arithmetic(compute: Binary) -> Binary:
    """Check dtypes and shapes; compute bfloat16 in float32, as NumPy does with float16 by itself."""

    def kernel(x1: Any, x2: Any) -> Any:
        same_dtype(x1, x2)
        if x1.shape != x2.shape:
            broadcast(x1.shape, x2.shape)
        if is_bfloat16(x1.dtype):
            return compute(x1.astype(np.float32), x2.astype(np.float32)).astype(x1.dtype)
        return compute(x1, x2)

    return kernel


def _ufunc(name: str) -> Binary:
    def compute(x1: Any, x2: Any) -> Any:
        return getattr(np, name)(x1, x2)

    return compute


def _no_zero(x1: Any, x2: Any) -> None:
    """Refuse an integer division by zero, if anything is divided at all. [OP.9]"""
    if not x2.all() and elements(broadcast(x1.shape, x2.shape)):
        raise bad_value("integer division by zero in `x2`")


def _dividing(compute: Binary) -> Binary:
    def kernel(x1: Any, x2: Any) -> Any:
        if not is_float(x1.dtype):
            _no_zero(x1, x2)
        return compute(x1, x2)

    return kernel


def _divide(x1: Any, x2: Any) -> Any:
    if x1.dtype.kind == "f":
        return np.true_divide(x1, x2)
    quotient = np.floor_divide(x1, x2)
    if x1.dtype.kind == "u":
        return quotient
    inexact = quotient * x2 != x1
    return quotient + (inexact & ((x1 < 0) != (x2 < 0))).astype(x1.dtype)


def _power(x1: Any, x2: Any) -> Any:
    if x1.dtype.kind == "i" and (x2 < 0).any() and elements(broadcast(x1.shape, x2.shape)):
        raise bad_value("an integer to a negative power; `x2` has a negative element")
    return np.power(x1, x2)


# name, kernel, dtypes, tier, since, example, what it is
_ARITHMETIC: tuple[tuple[str, Binary, str, int, str, str, str], ...] = (
    ("add", _ufunc("add"), "", 1, "spec", "const([1.0, 2.0]), const([10.0])",
     "`x1 + x2`. Integers wrap; of bool it is the logical or."),
    ("subtract", _ufunc("subtract"), "number", 1, "spec", "const([1.0, 2.0]), const([10.0])",
     "`x1 - x2`. Integers wrap."),
    ("multiply", _ufunc("multiply"), "", 1, "spec", "const([1.0, 2.0]), const([10.0])",
     "`x1 * x2`. Integers wrap; of bool it is the logical and."),
    ("divide", _dividing(_divide), "number", 1, "spec", "const([7, -7]), const([2])",
     """`x1 / x2`. Floats divide as IEEE says; integers round toward zero, and a zero in `x2` ends the
     program."""),
    ("floor_divide", _dividing(_ufunc("floor_divide")), "number", 1, "spec", "const([7, -7]), const([2])",
     "`x1 // x2`, the quotient rounded down. A zero in an integer `x2` ends the program."),
    ("mod", _dividing(_ufunc("fmod")), "number", 1, "later", "const([7, -7]), const([2])",
     """The remainder with the sign of `x1`, which belongs to a quotient rounded toward zero. A zero in an
     integer `x2` ends the program."""),
    ("floor_mod", _dividing(_ufunc("mod")), "number", 1, "later", "const([7, -7]), const([2])",
     """`x1 % x2`, the remainder with the sign of `x2`, which belongs to `//`. A zero in an integer `x2`
     ends the program."""),
    ("power", _power, "number", 1, "later", "const([2.0, 3.0]), const([3.0])",
     "`x1 ** x2`. Integers wrap; a negative integer exponent ends the program."),
    ("maximum", _ufunc("maximum"), "", 1, "later", "const([1.0, nan]), const([0.0])",
     "The larger of both; nan if either is nan."),
    ("minimum", _ufunc("minimum"), "", 1, "later", "const([1.0, nan]), const([0.0])",
     "The smaller of both; nan if either is nan."),
    ("atan2", _ufunc("arctan2"), "float", 2, "later", "const([1.0]), const([-1.0])",
     "The angle of the point (`x2`, `x1`), from -π to π."),
    ("log_add_exp", _ufunc("logaddexp"), "float", 2, "later", "const([1000.0]), const([1000.0])",
     "`log(exp(x1) + exp(x2))`, computed so that nothing overflows."),
    ("logical_and", _ufunc("logical_and"), "bool", 1, "later", "const([true, true]), const([true, false])",
     "`x1 && x2` of bool tensors. Both sides are always evaluated."),
    ("logical_or", _ufunc("logical_or"), "bool", 1, "later", "const([true, false]), const([false, false])",
     "`x1 || x2` of bool tensors. Both sides are always evaluated."),
    ("logical_xor", _ufunc("logical_xor"), "bool", 2, "later", "const([true, false]), const([true, true])",
     "Whether exactly one of two bools is true."),
    ("bitwise_and", _ufunc("bitwise_and"), "bits", 2, "later", "const([6]), const([3])",
     "The bits that are set in both."),
    ("bitwise_or", _ufunc("bitwise_or"), "bits", 2, "later", "const([6]), const([3])",
     "The bits that are set in either."),
    ("bitwise_xor", _ufunc("bitwise_xor"), "bits", 2, "later", "const([6]), const([3])",
     "The bits that are set in exactly one."),
)  # fmt: skip

_COMPARISONS = (
    ("equal", "==", "equal to"),
    ("not_equal", "!=", "different from"),
    ("less", "<", "less than"),
    ("less_equal", "<=", "less than or equal to"),
    ("greater", ">", "greater than"),
    ("greater_equal", ">=", "greater than or equal to"),
)


def _comparison(name: str) -> Binary:
    def kernel(x1: Any, x2: Any) -> Any:
        if x1.shape != x2.shape:
            broadcast(x1.shape, x2.shape)
        return getattr(np, name)(widen_bfloat16(x1), widen_bfloat16(x2))

    return kernel


def _shift(name: str) -> Binary:
    def kernel(x1: Any, x2: Any) -> Any:
        bits = x1.dtype.itemsize * 8
        if x2.size and (int(x2.max()) >= bits or int(x2.min()) < 0):
            raise bad_value(f"the shift `x2` must be from 0 to {bits - 1}")
        return getattr(np, name)(x1, x2)

    return kernel


def _declare() -> None:
    for name, compute, dtypes, tier, since, example, what in _ARITHMETIC:
        kind = f"tensor({dtypes})" if dtypes else "tensor"
        family.declare(
            name,
            f"x1: {kind}, x2: {kind}",
            infer=binary,
            kernel=_arithmetic(compute),
            doc=f"{what} {_SHAPE}",
            example=f"{name}({example})",
            tier=tier,
            since=since,
        )
    for name, sign, words in _COMPARISONS:
        doc = f"""`x1 {sign} x2`: whether an element of `x1` is {words} that of `x2`. The shapes are
            broadcast; the result is bool. Operands of different dtypes are compared in a dtype that holds
            both. A comparison with nan is {"true" if name == "not_equal" else "false"}."""
        example = f"{name}(const([1.0, 2.0]), const([2.0]))"
        family.declare(
            name,
            "x1: tensor, x2: tensor",
            infer=comparison,
            kernel=_comparison(name),
            doc=doc,
            example=example,
        )
    for name, words in (
        ("left_shift", "left; bits that leave the dtype are lost"),
        ("right_shift", "right; the sign stays"),
    ):
        doc = f"""The bits of the integers `x1` shifted {words}. A shift that is negative or as wide as the
            dtype ends the program. {_SHAPE}"""
        example = f"{name}(const([5]), const([1]))"
        params = "x1: tensor(integer), x2: tensor(integer)"
        kernel = _arithmetic(_shift(name))
        family.declare(
            name, params, infer=binary, kernel=kernel, doc=doc, example=example, tier=2, since="later"
        )


_declare()


def infer_where(call: Inference) -> tree.StructInfo:
    """Broadcast three tensors; two of them have one dtype."""
    condition, x1, x2 = call.tensor(0), call.tensor(1), call.tensor(2)
    return broadcast_all(call, ((x1, 1), (x2, 2), (condition, 0)), one_dtype(call, x1, x2, 1, 2))


@family.operator(
    "where",
    "condition: tensor(bool), x1: tensor, x2: tensor",
    infer=infer_where,
    example="where(const([true, false]), const([1.0, 2.0]), const([0.0]))",
)
def where(condition: Any, x1: Any, x2: Any) -> Any:
    """Take from `x1` where `condition` is true, from `x2` elsewhere.

    The three shapes are broadcast together; `x1` and `x2` have the same dtype, which is that of the result.
    Both are always evaluated.
    """
    same_dtype(x1, x2)
    if x1.shape == x2.shape == condition.shape:
        return _chosen_bits(condition, x1, x2) if x1.size > _MANY else np.where(condition, x1, x2)
    broadcast(broadcast(x1.shape, x2.shape), condition.shape, ("x1", "condition"))
    return np.where(condition, x1, x2)


_MANY = 1 << 14


def _chosen_bits(condition: Any, x1: Any, x2: Any) -> Any:
    """Return `np.where` of three arrays of one shape: (x1 ^ x2) & mask ^ x2, so that no element has to be guessed."""
    bits = np.dtype(f"i{x1.dtype.itemsize}")
    mask = np.negative(condition.view(np.int8)).astype(bits, copy=False)  # true is -1: all bits
    first, second = x1.view(bits), x2.view(bits)
    result = np.bitwise_xor(first, second)
    result &= mask
    result ^= second
    return result.view(x1.dtype)


def infer_fma(call: Inference) -> tree.StructInfo:
    """Three tensors of one shape and dtype give another such."""
    tensors = x1, x2, x3 = call.tensor(0), call.tensor(1), call.tensor(2)
    dtypes = [one_dtype(call, a, b, i, j) for a, b, i, j in ((x1, x2, 0, 1), (x1, x3, 0, 2))]
    if same_shape(call, x1, x2, 0, 1) and same_shape(call, x1, x3, 0, 2):
        same_shape(call, x2, x3, 1, 2)
    return call.like(most_known(tensors), None if None in dtypes else dtypes[0])


@family.operator(
    "ewise_fma",
    "x1: tensor(number), x2: tensor(number), x3: tensor(number)",
    infer=infer_fma,
    tier=2,
    example="ewise_fma(const([1.0, 2.0]), const([3.0, 4.0]), const([5.0, 6.0]))",
)
def ewise_fma(x1: Any, x2: Any, x3: Any) -> Any:
    """Compute `x1 * x2 + x3` of three tensors of one shape and dtype, which are the result's; nothing is
    broadcast.
    """
    for name, other in (("x2", x2), ("x3", x3)):
        same_dtype(x1, other, ("x1", name))
        same_extents(x1.shape, other.shape, ("x1", name))
    if is_half(x1.dtype):
        return (widen(x1) * widen(x2) + widen(x3)).astype(x1.dtype)
    return x1 * x2 + x3


def infer_masked_fill(call: Inference) -> tree.StructInfo:
    """Broadcast a tensor and a mask; the dtype is that of the tensor."""
    x = call.tensor(0)
    return broadcast_info(call, x, call.tensor(1), x.dtype, 0, 1)


@family.operator(
    "masked_fill",
    "x: tensor, mask: tensor(bool), value: tensor(0-d)",
    infer=infer_masked_fill,
    tier=2,
    since="later",
    example="masked_fill(const([1.0, 2.0]), const([true, false]), 0.0)",
)
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """Replace the elements of `x` where `mask` is true by `value`, converted to the dtype of `x`.

    The same as `where(mask, full_like(x, value), x)`: the shapes of `x` and `mask` are broadcast.
    """
    broadcast(x.shape, mask.shape, ("x", "mask"))
    return np.where(mask, value.astype(x.dtype), x)
