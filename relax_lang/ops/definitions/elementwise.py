"""Functions of one tensor, element by element; the result has the argument's shape.

float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math

from relax_lang.ops.core.dtypes import is_half, name_of, widen, widen_bfloat16
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.registry import Family
from relax_lang.ops.numpy_kernels import lazy_numpy as np
from relax_lang.ops.numpy_kernels.compute_dtype import computed_wide, constant, wide_dtype, widened
from relax_lang.ops.numpy_kernels.logistic import logistic
from relax_lang.ops.shape_rules.shared import unary
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.calls.specialization import Run1, TensorSpec
    from relax_lang.ops.shape_rules.shared.call_info import Inference

    Unary = Callable[[Any], Any]

family = Family("elementwise", "Functions of one tensor, element by element")

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


def rsqrt(x: TensorSpec) -> Run1:
    """Plan 1/sqrt(x)."""
    return computed_wide(x, _rsqrt)


def _rsqrt(dtype: Any) -> Run1:
    one, divide, sqrt = constant(1, dtype), np.divide, np.sqrt

    def run(x: Any) -> Any:
        root = sqrt(x)
        return divide(one, root, root)

    return run


def sigmoid(x: TensorSpec) -> Run1:
    """Plan 1/(1+exp(-x))."""
    return logistic(x, times_x=False)


def erf(x: TensorSpec) -> Run1:
    """Plan the error function."""
    from relax_lang.ops.numpy_kernels import erf as erf_kernel  # only programs that use it need its tables

    return computed_wide(x, lambda dtype: erf_kernel.erf(dtype, x.size))


_PLANNED = frozenset(("erf", "rsqrt", "sigmoid"))


def _square(x: Any) -> Any:
    wide = widen(x)
    return (wide * wide).astype(x.dtype, copy=False)


_ANGLES = "`x` must be float; outside of the function's domain the result is nan."

# name, kernel, dtypes, tier, since, example, what it is
_FUNCTIONS: tuple[tuple[str, Unary, str, int, str, str, str], ...] = (
    ("abs", _ufunc("abs"), "number", 1, "spec", "[-1.5, 2.0]",
     "The absolute value; that of the least integer of a dtype wraps to itself."),
    ("acos", _ufunc("arccos"), "float", 2, "spec", "[1.0, 0.0]", f"The inverse cosine. {_ANGLES}"),
    ("acosh", _ufunc("arccosh"), "float", 2, "spec", "[1.0, 2.0]",
     f"The inverse hyperbolic cosine. {_ANGLES}"),
    ("asin", _ufunc("arcsin"), "float", 2, "spec", "[1.0, 0.0]", f"The inverse sine. {_ANGLES}"),
    ("asinh", _ufunc("arcsinh"), "float", 2, "spec", "[1.0, 0.0]", f"The inverse hyperbolic sine. {_ANGLES}"),
    ("atan", _ufunc("arctan"), "float", 2, "spec", "[1.0, 0.0]", f"The inverse tangent. {_ANGLES}"),
    ("atanh", _ufunc("arctanh"), "float", 2, "spec", "[0.5, 0.0]",
     f"The inverse hyperbolic tangent. {_ANGLES}"),
    ("ceil", _keeps_integers(_ufunc("ceil")), "", 1, "spec", "[1.2, -1.2]",
     "The least whole number not below `x`. Integers and bool stay as they are."),
    ("cos", _ufunc("cos"), "float", 1, "spec", "[0.0, 1.0]", f"The cosine of an angle in radians. {_ANGLES}"),
    ("cosh", _ufunc("cosh"), "float", 2, "spec", "[0.0, 1.0]", f"The hyperbolic cosine. {_ANGLES}"),
    ("erf", erf, "float", 1, "later", "[0.0, 1.0]",
     "The error function, to the accuracy of the dtype. `x` must be float."),
    ("exp", _ufunc("exp"), "float", 1, "spec", "[0.0, 1.0]",
     "e to the power of `x`, which must be float; too large results are inf."),
    ("floor", _keeps_integers(_ufunc("floor")), "", 1, "spec", "[1.2, -1.2]",
     "The greatest whole number not above `x`. Integers and bool stay as they are."),
    ("log", _ufunc("log"), "float", 1, "spec", "[1.0, 2.0]",
     "The natural logarithm of `x`, which must be float: -inf at 0, nan below."),
    ("negative", _ufunc("negative"), "number", 1, "spec", "[1.0, -2.0]",
     "`0 - x`. Integers wrap, so unsigned ones turn into their complement to 2ⁿ."),
    ("round", _keeps_integers(_ufunc("rint")), "", 1, "spec", "[0.5, 1.5, -1.2]",
     "The nearest whole number, halves to the even one. Integers and bool stay as they are."),
    ("rsqrt", rsqrt, "float", 1, "later", "[4.0, 0.25]",
     "One divided by the square root of `x`, which must be float: inf at 0, nan below."),
    ("sigmoid", sigmoid, "float", 1, "spec", "[0.0, 2.0]",
     "`1 / (1 + exp(-x))` of a float `x`, computed so that nothing overflows."),
    ("sign", _ufunc("sign"), "number", 1, "spec", "[3.0, 0.0, -2.0]",
     "-1, 0 or 1, as `x` is below, at or above 0; nan stays nan."),
    ("sin", _ufunc("sin"), "float", 1, "spec", "[0.0, 1.0]", f"The sine of an angle in radians. {_ANGLES}"),
    ("sinh", _ufunc("sinh"), "float", 2, "spec", "[0.0, 1.0]", f"The hyperbolic sine. {_ANGLES}"),
    ("sqrt", _ufunc("sqrt"), "float", 1, "spec", "[4.0, 2.0]",
     "The square root of `x`, which must be float; nan below 0."),
    ("square", _square, "", 1, "spec", "[3.0, -2.0]", "`x` times itself. Integers wrap."),
    ("tan", _ufunc("tan"), "float", 2, "spec", "[0.0, 1.0]",
     f"The tangent of an angle in radians. {_ANGLES}"),
    ("tanh", _ufunc("tanh"), "float", 1, "spec", "[0.0, 1.0]", f"The hyperbolic tangent. {_ANGLES}"),
    ("trunc", _keeps_integers(_ufunc("trunc")), "", 2, "later", "[1.7, -1.7]",
     "The whole part of `x`. Integers and bool stay as they are."),
    ("logical_not", _ufunc("logical_not"), "bool", 1, "later", "[true, false]",
     "Whether `x`, which must be bool, is false."),
    ("bitwise_not", _ufunc("invert"), "bits", 2, "later", "[1, -1]",
     "Every bit of an integer turned over; the logical not of a bool."),
)  # fmt: skip


def _float_test(name: str) -> Unary:
    """Return a predicate of floats; integers and bool are always finite."""

    def kernel(x: Any) -> Any:
        if x.dtype.kind in "iub":
            return np.full(x.shape, name == "isfinite")
        return getattr(np, name)(widen_bfloat16(x))

    return kernel


_TESTS = (
    ("isfinite", "neither infinite nor nan"),
    ("isinf", "inf or -inf"),
    ("isnan", "nan"),
)


def _declare() -> None:
    for name, kernel, dtypes, tier, since, example, what in _FUNCTIONS:
        params = f"x: tensor({dtypes})" if dtypes else "x: tensor"
        shown = f"{name}(const({example}))"
        family.declare(
            name,
            params,
            infer=unary.same,
            kernel=kernel,
            planned=name in _PLANNED,
            doc=f"{what} {_SHAPE}",
            example=shown,
            tier=tier,
            since=since,
        )
    for name, what in _TESTS:
        doc = f"Whether an element is {what}. The result has the shape of `x` and is bool, for every dtype."
        shown = f"{name}(const([1.0, inf, nan]))"
        family.declare(
            name,
            "x: tensor",
            infer=unary.predicate,
            kernel=_float_test(name),
            doc=doc,
            example=shown,
            tier=2,
        )


_declare()


def infer_clip(call: Inference) -> tree.StructInfo:
    """Keep shape and dtype; nan limits no integer."""
    x = call.tensor(0)
    for index in (1, 2):
        bound = call.scalar(index)
        if isinstance(bound, tree.FloatImm) and math.isnan(bound.value) and x.dtype in INTEGERS:
            call.bad_scalar(index, f"nan is no bound for {x.dtype}")
    return call.like(x, x.dtype)


@family.planned(
    "clip",
    "x: tensor(number), min: prim, max: prim",
    infer=infer_clip,
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
        raise bad_value(f"nan is no bound for {name_of(dtype)}")
    limits = np.iinfo(dtype)
    if value in (float("inf"), float("-inf")):
        return dtype.type(limits.max if value > 0 else limits.min)
    return dtype.type(min(max(int(value), int(limits.min)), int(limits.max)))
