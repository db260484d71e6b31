"""Functions of one tensor, element by element; the result has the argument's shape.

float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_half, name_of, widen, widen_bfloat16
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import computed_wide, constant, wide_dtype, widened
from relax_lang.ops.numpy_kernels.logistic import logistic
from relax_lang.ops.shape_rules.shared import unary
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.specialization import Run1, TensorSpec

    Unary = Callable[[Any], Any]
    Names = tuple[str, ...]

family = Family(__name__, "Functions of one tensor, element by element", rows="elementwise")

_SHAPE = "The result has the shape and dtype of `x`."


def _ufunc(name: str) -> Unary:
    def kernel(x: Any) -> Any:
        return getattr(np, name)(widen_bfloat16(x)).astype(x.dtype, copy=False)

    return kernel


def _keeps_integers(compute: Unary) -> Unary:
    """Return a kernel that leaves integers and bool alone."""

    def kernel(x: Any) -> Any:
        return x.copy() if x.dtype.kind in "iub" else compute(x)

    return kernel


@family.planned(
    "rsqrt", "x: tensor(float)", since="later", infer=unary.same, example="rsqrt(const([4.0, 0.25]))"
)
def rsqrt(x: TensorSpec) -> Run1:
    """One divided by the square root of `x`, which must be float: inf at 0, nan below.

    The result has the shape and dtype of `x`.
    """
    return computed_wide(x, _rsqrt)


def _rsqrt(dtype: Any) -> Run1:
    one, divide, sqrt = constant(1, dtype), np.divide, np.sqrt

    def run(x: Any) -> Any:
        root = sqrt(x)
        return divide(one, root, root)

    return run


@family.planned(
    "sigmoid",
    "x: tensor(float)",
    infer=unary.same,
    also=("jax.logistic", "tvm.logistic"),
    example="sigmoid(const([0.0, 2.0]))",
)
def sigmoid(x: TensorSpec) -> Run1:
    """`1 / (1 + exp(-x))` of a float `x`, computed so that nothing overflows.

    The result has the shape and dtype of `x`.
    """
    return logistic(x, times_x=False)


@family.planned("erf", "x: tensor(float)", since="later", infer=unary.same, example="erf(const([0.0, 1.0]))")
def erf(x: TensorSpec) -> Run1:
    """The error function, to the accuracy of the dtype. `x` must be float.

    The result has the shape and dtype of `x`.
    """
    from relax_lang.ops.numpy_kernels import erf as erf_kernel  # only programs that use it need its tables

    return computed_wide(x, lambda dtype: erf_kernel.erf(dtype, x.size))


def _square(x: Any) -> Any:
    wide = widen(x)
    return (wide * wide).astype(x.dtype, copy=False)


_ANGLES = "`x` must be float; outside of the function's domain the result is nan."


def _function(
    name: str,
    kernel: Unary,
    *,
    dtypes: str = "",
    since: str = "spec",
    also: Names = (),
    example: str,
    doc: str,
) -> None:
    """Declare a function whose result has the shape and dtype of `x`."""
    family.declare(
        name,
        f"x: tensor({dtypes})" if dtypes else "x: tensor",
        infer=unary.same,
        kernel=kernel,
        doc=f"{doc} {_SHAPE}",
        example=f"{name}(const({example}))",
        since=since,
        also=also,
    )


_function(
    "abs",
    _ufunc("abs"),
    dtypes="number",
    also=("np.absolute",),
    example="[-1.5, 2.0]",
    doc="The absolute value; that of the least integer of a dtype wraps to itself.",
)
_function(
    "acos",
    _ufunc("arccos"),
    dtypes="float",
    also=("np.arccos",),
    example="[1.0, 0.0]",
    doc=f"The inverse cosine. {_ANGLES}",
)
_function(
    "acosh",
    _ufunc("arccosh"),
    dtypes="float",
    also=("np.arccosh",),
    example="[1.0, 2.0]",
    doc=f"The inverse hyperbolic cosine. {_ANGLES}",
)
_function(
    "asin",
    _ufunc("arcsin"),
    dtypes="float",
    also=("np.arcsin",),
    example="[1.0, 0.0]",
    doc=f"The inverse sine. {_ANGLES}",
)
_function(
    "asinh",
    _ufunc("arcsinh"),
    dtypes="float",
    also=("np.arcsinh",),
    example="[1.0, 0.0]",
    doc=f"The inverse hyperbolic sine. {_ANGLES}",
)
_function(
    "atan",
    _ufunc("arctan"),
    dtypes="float",
    also=("np.arctan",),
    example="[1.0, 0.0]",
    doc=f"The inverse tangent. {_ANGLES}",
)
_function(
    "atanh",
    _ufunc("arctanh"),
    dtypes="float",
    also=("np.arctanh",),
    example="[0.5, 0.0]",
    doc=f"The inverse hyperbolic tangent. {_ANGLES}",
)
_function(
    "ceil",
    _keeps_integers(_ufunc("ceil")),
    example="[1.2, -1.2]",
    doc="The least whole number not below `x`. Integers and bool are unchanged.",
)
_function(
    "cos",
    _ufunc("cos"),
    dtypes="float",
    example="[0.0, 1.0]",
    doc=f"The cosine of an angle in radians. {_ANGLES}",
)
_function(
    "cosh", _ufunc("cosh"), dtypes="float", example="[0.0, 1.0]", doc=f"The hyperbolic cosine. {_ANGLES}"
)
_function(
    "exp",
    _ufunc("exp"),
    dtypes="float",
    example="[0.0, 1.0]",
    doc="e to the power of `x`, which must be float; too large results are inf.",
)
_function(
    "floor",
    _keeps_integers(_ufunc("floor")),
    example="[1.2, -1.2]",
    doc="The greatest whole number not above `x`. Integers and bool are unchanged.",
)
_function(
    "log",
    _ufunc("log"),
    dtypes="float",
    example="[1.0, 2.0]",
    doc="The natural logarithm of `x`, which must be float: -inf at 0, nan below.",
)
_function(
    "negative",
    _ufunc("negative"),
    dtypes="number",
    also=("torch.neg", "jax.neg", "onnx.Neg"),
    example="[1.0, -2.0]",
    doc="`0 - x`. Integers wrap, so unsigned ones turn into their complement to 2ⁿ.",
)
_function(
    "round",
    _keeps_integers(_ufunc("rint")),
    also=("np.rint", "np.around"),
    example="[0.5, 1.5, -1.2]",
    doc="The nearest whole number, halves to the even one. Integers and bool are unchanged.",
)
_function(
    "sign",
    _ufunc("sign"),
    dtypes="number",
    also=("torch.sgn",),
    example="[3.0, 0.0, -2.0]",
    doc="-1, 0 or 1, as `x` is below, at or above 0; nan stays nan.",
)
_function(
    "sin",
    _ufunc("sin"),
    dtypes="float",
    example="[0.0, 1.0]",
    doc=f"The sine of an angle in radians. {_ANGLES}",
)
_function("sinh", _ufunc("sinh"), dtypes="float", example="[0.0, 1.0]", doc=f"The hyperbolic sine. {_ANGLES}")
_function(
    "sqrt",
    _ufunc("sqrt"),
    dtypes="float",
    example="[4.0, 2.0]",
    doc="The square root of `x`, which must be float; nan below 0.",
)
_function("square", _square, example="[3.0, -2.0]", doc="`x` times itself. Integers wrap.")
_function(
    "tan",
    _ufunc("tan"),
    dtypes="float",
    example="[0.0, 1.0]",
    doc=f"The tangent of an angle in radians. {_ANGLES}",
)
_function(
    "tanh", _ufunc("tanh"), dtypes="float", example="[0.0, 1.0]", doc=f"The hyperbolic tangent. {_ANGLES}"
)
_function(
    "trunc",
    _keeps_integers(_ufunc("trunc")),
    since="later",
    also=("np.fix", "torch.fix"),
    example="[1.7, -1.7]",
    doc="The whole part of `x`. Integers and bool are unchanged.",
)
_function(
    "logical_not",
    _ufunc("logical_not"),
    dtypes="bool",
    since="later",
    also=("onnx.Not",),
    example="[true, false]",
    doc="Whether `x`, which must be bool, is false.",
)
_function(
    "bitwise_not",
    _ufunc("invert"),
    dtypes="bits",
    since="later",
    also=("np.invert", "np.bitwise_invert"),
    example="[1, -1]",
    doc="Every bit of an integer inverted; the logical not of a bool.",
)


def _float_test(name: str) -> Unary:
    """Return a predicate of floats; integers and bool are always finite."""

    def kernel(x: Any) -> Any:
        if x.dtype.kind in "iub":
            return np.full(x.shape, name == "isfinite")
        return getattr(np, name)(widen_bfloat16(x))

    return kernel


def _predicate(name: str, doc: str) -> None:
    """Declare a test of every element, whose result is bool."""
    family.declare(
        name,
        "x: tensor",
        infer=unary.predicate,
        kernel=_float_test(name),
        doc=f"{doc} The result has the shape of `x` and is bool, for every dtype.",
        example=f"{name}(const([1.0, inf, nan]))",
    )


_predicate("isfinite", doc="Whether an element is neither infinite nor nan.")
_predicate("isinf", doc="Whether an element is inf or -inf.")
_predicate("isnan", doc="Whether an element is nan.")


def infer_clip(call: Inference) -> tree.StructInfo:
    """Keep shape and dtype; nan limits no integer."""
    x = call.tensor(0)
    for index in (1, 2):
        bound = call.scalar(index)
        if isinstance(bound, tree.FloatImm) and math.isnan(bound.value) and x.dtype in INTEGERS:
            call.bad_scalar(index, f"nan cannot be a bound for {x.dtype}")
    return call.like(x, x.dtype)


@family.planned(
    "clip",
    "x: tensor(number), min: prim, max: prim",
    infer=infer_clip,
    also=("torch.clamp",),
    example="clip(const([-1.0, 0.5, 2.0]), 0.0, 1.0)",
)
def clip(x: TensorSpec, least: Any, most: Any) -> Run1:
    """Limit every element: those below `min` become `min`, those above `max` become `max`, nan stays nan.

    The result has the shape and dtype of `x`. The bounds are converted to the dtype of `x` (for integers,
    fractions are cut off and bounds beyond the dtype's range do not limit). If `min` is above `max`, every
    element becomes `min`.
    """
    wide = wide_dtype(x.dtype)
    if is_half(x.dtype):
        least, most = [x.dtype.type(float(bound)) for bound in (least, most)]
    low, high = [constant(_bound(bound, wide), wide) for bound in (least, most)]
    in_order, maximum, minimum = bool(low <= high), np.maximum, np.minimum

    def run(x: Any) -> Any:
        return x.clip(low, high) if in_order else maximum(minimum(x, high), low)

    return widened(x.dtype, run)


def _bound(value: Any, dtype: Any) -> Any:
    if dtype.kind == "f":
        return dtype.type(value)
    if math.isnan(value):
        raise bad_value(f"nan cannot be a bound for {name_of(dtype)}")
    limits = np.iinfo(dtype)
    if value in (float("inf"), float("-inf")):
        return dtype.type(limits.max if value > 0 else limits.min)
    return dtype.type(min(max(int(value), int(limits.min)), int(limits.max)))
