"""Operators of two or three tensors, element by element, after broadcasting. [OP.6-OP.8]

Broadcasting aligns shapes at the last axis; two extents are compatible if they are equal or one of them is 1.
Dtypes are never converted: they must be the same, except in comparisons.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_bfloat16, widen_bfloat16
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import broadcast, elements, same_dtype
from relax_lang.ops.shape_rules.shared.broadcast import binary, comparison

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.specialization import Run2, TensorSpec

    Names = tuple[str, ...]
    Binary = Callable[[TensorSpec, TensorSpec], Run2]
    Compute = Callable[[Any, int], Run2]
    """From the dtype, and the number of elements of the result, to what computes it."""

family = Family(__name__, "Operators of several tensors, element by element", rows="elementwise")

_SHAPE = "The shapes of `x1` and `x2` are broadcast; both have the same dtype, which is that of the result."


def _same_dtype(compute: Compute) -> Binary:
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


def _compare(name: str) -> Binary:
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


def _arithmetic(
    name: str,
    compute: Compute,
    *,
    dtypes: str = "",
    since: str = "spec",
    also: Names = (),
    example: str,
    doc: str,
) -> None:
    """Declare an operator of two tensors of one dtype, which is the result's."""
    kind = f"tensor({dtypes})" if dtypes else "tensor"
    family.declare(
        name,
        f"x1: {kind}, x2: {kind}",
        infer=binary,
        kernel=_same_dtype(compute),
        planned=True,
        doc=f"{doc} {_SHAPE}",
        example=f"{name}({example})",
        since=since,
        also=also,
    )


_BY_ZERO = "A zero in an integer `x2` ends the program."

_arithmetic(
    "add",
    _ufunc("add"),
    example="const([1.0, 2.0]), const([10.0])",
    doc="`x1 + x2`. Integers wrap; of bool it is the logical or.",
)
_arithmetic(
    "subtract",
    _ufunc("subtract"),
    dtypes="number",
    also=("torch.sub", "jax.sub", "onnx.Sub"),
    example="const([1.0, 2.0]), const([10.0])",
    doc="`x1 - x2`. Integers wrap.",
)
_arithmetic(
    "multiply",
    _ufunc("multiply"),
    also=("torch.mul", "jax.mul", "onnx.Mul"),
    example="const([1.0, 2.0]), const([10.0])",
    doc="`x1 * x2`. Integers wrap; of bool it is the logical and.",
)
_arithmetic(
    "divide",
    _dividing(_divide),
    dtypes="number",
    also=("np.true_divide", "torch.div", "torch.true_divide", "jax.div", "onnx.Div"),
    example="const([7, -7]), const([2])",
    doc="`x1 / x2`. Floats divide as in IEEE 754; integers round toward zero, and a zero in `x2` ends the program.",
)
_arithmetic(
    "floor_divide",
    _dividing(_ufunc("floor_divide")),
    dtypes="number",
    also=("tvm.floordiv",),
    example="const([7, -7]), const([2])",
    doc="`x1 // x2`, the quotient rounded down. A zero in an integer `x2` ends the program.",
)
_arithmetic(
    "mod",
    _dividing(_ufunc("fmod")),
    dtypes="number",
    since="later",
    also=("np.fmod", "torch.fmod", "jax.rem"),
    example="const([7, -7]), const([2])",
    doc=f"The remainder with the sign of `x1`, which belongs to a quotient rounded toward zero. {_BY_ZERO}",
)
_arithmetic(
    "floor_mod",
    _dividing(_ufunc("mod")),
    dtypes="number",
    since="later",
    also=("np.mod", "np.remainder", "torch.remainder", "onnx.Mod"),
    example="const([7, -7]), const([2])",
    doc=f"`x1 % x2`, the remainder with the sign of `x2`, which belongs to `//`. {_BY_ZERO}",
)
_arithmetic(
    "power",
    _power,
    dtypes="number",
    since="later",
    also=("np.pow", "torch.pow", "jax.pow", "onnx.Pow"),
    example="const([2.0, 3.0]), const([3.0])",
    doc="`x1 ** x2`. Integers wrap; a negative integer exponent ends the program.",
)
_arithmetic(
    "maximum",
    _ufunc("maximum"),
    since="later",
    also=("jax.max", "onnx.Max"),
    example="const([1.0, nan]), const([0.0])",
    doc="The larger of both; nan if either is nan. Of 0.0 and -0.0 it may be either.",
)
_arithmetic(
    "minimum",
    _ufunc("minimum"),
    since="later",
    also=("jax.min", "onnx.Min"),
    example="const([1.0, nan]), const([0.0])",
    doc="The smaller of both; nan if either is nan. Of 0.0 and -0.0 it may be either.",
)
_arithmetic(
    "atan2",
    _ufunc("arctan2"),
    dtypes="float",
    since="later",
    also=("np.arctan2",),
    example="const([1.0]), const([-1.0])",
    doc="The angle of the point (`x2`, `x1`), from -π to π.",
)
_arithmetic(
    "log_add_exp",
    _ufunc("logaddexp"),
    dtypes="float",
    since="later",
    example="const([1000.0]), const([1000.0])",
    doc="`log(exp(x1) + exp(x2))`, computed so that nothing overflows.",
)
_arithmetic(
    "logical_and",
    _ufunc("logical_and"),
    dtypes="bool",
    since="later",
    also=("onnx.And",),
    example="const([true, true]), const([true, false])",
    doc="`x1 && x2` of bool tensors. Both sides are always evaluated.",
)
_arithmetic(
    "logical_or",
    _ufunc("logical_or"),
    dtypes="bool",
    since="later",
    also=("onnx.Or",),
    example="const([true, false]), const([false, false])",
    doc="`x1 || x2` of bool tensors. Both sides are always evaluated.",
)
_arithmetic(
    "logical_xor",
    _ufunc("logical_xor"),
    dtypes="bool",
    since="later",
    also=("onnx.Xor",),
    example="const([true, false]), const([true, true])",
    doc="Whether exactly one of two bools is true.",
)
_arithmetic(
    "bitwise_and",
    _ufunc("bitwise_and"),
    dtypes="bits",
    since="later",
    example="const([6]), const([3])",
    doc="The bits that are set in both.",
)
_arithmetic(
    "bitwise_or",
    _ufunc("bitwise_or"),
    dtypes="bits",
    since="later",
    example="const([6]), const([3])",
    doc="The bits that are set in either.",
)
_arithmetic(
    "bitwise_xor",
    _ufunc("bitwise_xor"),
    dtypes="bits",
    since="later",
    example="const([6]), const([3])",
    doc="The bits that are set in exactly one.",
)


def _comparison(name: str, *, operator: str, relation: str, also: Names) -> None:
    """Declare a comparison of two tensors of any dtypes, whose result is bool."""
    nan = "true" if name == "not_equal" else "false"
    family.declare(
        name,
        "x1: tensor, x2: tensor",
        infer=comparison,
        kernel=_compare(name),
        planned=True,
        doc=f"""`x1 {operator} x2`: whether an element of `x1` is {relation} that of `x2`. The shapes are
            broadcast; the result is bool. Operands of different dtypes are compared in a dtype that holds
            both. A comparison with nan is {nan}.""",
        example=f"{name}(const([1.0, 2.0]), const([2.0]))",
        also=also,
    )


_comparison("equal", operator="==", relation="equal to", also=("torch.eq", "jax.eq"))
_comparison("not_equal", operator="!=", relation="different from", also=("torch.ne", "jax.ne"))
_comparison("less", operator="<", relation="less than", also=("torch.lt", "jax.lt"))
_comparison(
    "less_equal",
    operator="<=",
    relation="less than or equal to",
    also=("torch.le", "jax.le", "onnx.LessOrEqual"),
)
_comparison("greater", operator=">", relation="greater than", also=("torch.gt", "jax.gt"))
_comparison(
    "greater_equal",
    operator=">=",
    relation="greater than or equal to",
    also=("torch.ge", "jax.ge", "onnx.GreaterOrEqual"),
)

_SHIFT = "A shift that is negative or as wide as the dtype ends the program."

_arithmetic(
    "left_shift",
    _shift("left_shift"),
    dtypes="integer",
    since="later",
    also=("np.bitwise_left_shift", "torch.bitwise_left_shift", "jax.shift_left"),
    example="const([5]), const([1])",
    doc=f"The bits of the integers `x1` shifted left; bits that leave the dtype are lost. {_SHIFT}",
)
_arithmetic(
    "right_shift",
    _shift("right_shift"),
    dtypes="integer",
    since="later",
    also=("np.bitwise_right_shift", "torch.bitwise_right_shift", "jax.shift_right_arithmetic"),
    example="const([5]), const([1])",
    doc=f"The bits of the integers `x1` shifted right; the sign stays. {_SHIFT}",
)
