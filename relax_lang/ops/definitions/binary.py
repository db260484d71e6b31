"""Operators of two or three tensors, element by element, after broadcasting. [OP.6-OP.8]

Broadcasting aligns shapes at the last axis; two extents go together if they are equal or one of them is 1.
Dtypes are never converted: they must be the same, except in comparisons.
"""

from __future__ import annotations

from relax_lang.ops.core.dtypes import is_bfloat16, widen_bfloat16
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.registry import Family
from relax_lang.ops.numpy_kernels import lazy_numpy as np
from relax_lang.ops.numpy_kernels.compute_dtype import widened
from relax_lang.ops.numpy_kernels.shape_checks import broadcast, elements, same_dtype, same_extents
from relax_lang.ops.shape_rules.shared.broadcast import (
    binary,
    broadcast_all,
    broadcast_info,
    comparison,
    most_known,
    same_shape,
)
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype as one_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.calls.specialization import Run2, Run3, TensorSpec
    from relax_lang.ops.shape_rules.shared.call_info import Inference
    from relax_lang.syntax import tree

    Binary = Callable[[TensorSpec, TensorSpec], Run2]
    Compute = Callable[[Any, int], Run2]
    """From the dtype, and the number of elements of the result, to what computes it."""

family = Family("binary", "Operators of several tensors, element by element")

_SHAPE = "The shapes of `x1` and `x2` are broadcast; both have the same dtype, which is that of the result."


def _arithmetic(compute: Compute) -> Binary:
    """Check dtypes and shapes; compute bfloat16 in float32, as NumPy does with float16 by itself."""

    def plan(x1: TensorSpec, x2: TensorSpec) -> Run2:
        same_dtype(x1, x2)
        count, dtype = elements(broadcast(x1.shape, x2.shape)), x1.dtype
        if not is_bfloat16(dtype):
            return compute(dtype, count)
        wide = np.dtype(np.float32)
        run = compute(wide, count)
        return lambda x1, x2: run(x1.astype(wide), x2.astype(wide)).astype(dtype)

    return plan


def _ufunc(name: str) -> Compute:
    return lambda dtype, count: getattr(np, name)


def _dividing(compute: Compute) -> Compute:
    """Refuse an integer division by zero, if anything is divided at all. [OP.9]"""

    def make(dtype: Any, count: int) -> Run2:
        divide, count_nonzero = compute(dtype, count), np.count_nonzero
        if dtype.kind == "f" or not count:
            return divide

        def run(x1: Any, x2: Any) -> Any:
            if count_nonzero(x2) < x2.size:
                raise bad_value("integer division by zero in `x2`")
            return divide(x1, x2)

        return run

    return make


def _divide(dtype: Any, _count: int) -> Run2:
    if dtype.kind == "f":
        return np.true_divide
    if dtype.kind == "u":
        return np.floor_divide
    divide, fmod = np.floor_divide, np.fmod
    return lambda x1, x2: divide(x1 - fmod(x1, x2), x2)


def _power(dtype: Any, count: int) -> Run2:
    power = np.power
    if dtype.kind != "i" or not count:
        return power

    def run(x1: Any, x2: Any) -> Any:
        if x2.item(x2.argmin()) < 0:
            raise bad_value("an integer to a negative power; `x2` has a negative element")
        return power(x1, x2)

    return run


# name, kernel, dtypes, tier, since, example, what it is
_ARITHMETIC: tuple[tuple[str, Compute, str, int, str, str, str], ...] = (
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
    def plan(x1: TensorSpec, x2: TensorSpec) -> Run2:
        broadcast(x1.shape, x2.shape)
        compare = getattr(np, name)
        if not is_bfloat16(x1.dtype) and not is_bfloat16(x2.dtype):
            return compare
        return lambda x1, x2: compare(widen_bfloat16(x1), widen_bfloat16(x2))

    return plan


def _shift(name: str) -> Compute:
    def make(dtype: Any, _count: int) -> Run2:
        bits, unsigned = dtype.itemsize * 8, np.dtype(f"u{dtype.itemsize}")
        shift = getattr(np, name)

        def run(x1: Any, x2: Any) -> Any:
            width = x2.view(unsigned)  # so that negative ones are large
            if x2.size and width.item(width.argmax()) >= bits:
                raise bad_value(f"the shift `x2` must be from 0 to {bits - 1}")
            return shift(x1, x2)

        return run

    return make


def _declare() -> None:
    for name, compute, dtypes, tier, since, example, what in _ARITHMETIC:
        kind = f"tensor({dtypes})" if dtypes else "tensor"
        family.declare(
            name,
            f"x1: {kind}, x2: {kind}",
            infer=binary,
            kernel=_arithmetic(compute),
            planned=True,
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
            planned=True,
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
        family.declare(
            name,
            params,
            infer=binary,
            kernel=_arithmetic(_shift(name)),
            planned=True,
            doc=doc,
            example=example,
            tier=2,
            since="later",
        )


_declare()


def infer_where(call: Inference) -> tree.StructInfo:
    """Broadcast three tensors; two of them have one dtype."""
    condition, x1, x2 = call.tensor(0), call.tensor(1), call.tensor(2)
    return broadcast_all(call, ((x1, 1), (x2, 2), (condition, 0)), one_dtype(call, x1, x2, 1, 2))


@family.planned(
    "where",
    "condition: tensor(bool), x1: tensor, x2: tensor",
    infer=infer_where,
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
    tier=2,
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
    tier=2,
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
