"""Legal forms of the operators that make tensors."""

from __future__ import annotations

import math

from relax_lang import te
from relax_lang.ops.legal.core import Refused
from relax_lang.syntax import dtypes
from relax_lang.te.expr import constant_value
from relax_lang.te.tensor import compute
from relax_lang.topi.core import FLOAT64, INT64, as_dtype, stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def filled(value: float) -> Form:
    """Return the form of a tensor of one number."""
    return lambda call: compute(call.shape, lambda *_: te.const(value, call.dtype), "filled")


def _full(call: Legal) -> Tensor:
    value = as_dtype(call.args[1], call.dtype)
    return compute(call.shape, lambda *_: value[()], "full")


def _astype(call: Legal) -> Tensor:
    return stored(call.args[0], call.dtype)


def _hamming_window(call: Legal) -> Tensor:
    size, periodic, alpha, beta = call.args
    count, flag = constant_value(size), True if periodic is None else constant_value(periodic)
    if count is None or flag is None:
        raise Refused("the size of the window is not a number")
    if count == 1:
        return compute(call.shape, lambda *_: te.const(1, call.dtype), "window")
    turn = 2 * math.pi / (count - (not flag))
    middle = te.const(0.54, FLOAT64) if alpha is None else te.cast(alpha, FLOAT64)
    swing = te.const(0.46, FLOAT64) if beta is None else te.cast(beta, FLOAT64)

    def each(i: Expr) -> Expr:
        return te.cast(middle - swing * te.cos(te.cast(i, FLOAT64) * te.const(turn, FLOAT64)), call.dtype)

    return compute(call.shape, each, "window")


def _arange(call: Legal) -> Tensor:
    start, end, step = call.args
    if end is None:
        start, end = te.const(0, INT64), start
    step = te.const(1, INT64) if step is None else step
    if any(one.dtype != INT64 for one in (start, step)) or dtypes.is_float(call.dtype):
        raise Refused("numbers with fractions are counted in float64")
    return compute(call.shape, lambda *at: te.cast(start + at[0] * step, call.dtype), "arange")


def _eye(at: int) -> Form:
    def form(call: Legal) -> Tensor:
        k = call.args[at] if call.args[at] is not None else te.const(0, INT64)
        one, zero = te.const(1, call.dtype), te.const(0, call.dtype)
        return compute(call.shape, lambda *at: te.select(at[1] - at[0] == k, one, zero), "eye")

    return form


def _triangle(*, upper: bool) -> Form:
    def form(call: Legal) -> Tensor:
        x, k = call.args
        k = te.const(0, INT64) if k is None else k
        number = constant_value(k)
        if number is not None and abs(number) > 1 << 40:
            raise Refused("the diagonal is far outside")
        zero = te.const(0, x.dtype)

        def each(*at: Expr) -> Expr:
            apart = at[-1] - at[-2]
            return te.select(apart >= k if upper else apart <= k, x[at], zero)

        return compute(x.shape, each, "triangle")

    return form


FORMS: dict[str, Form] = {
    "arange": _arange,
    "astype": _astype,
    "eye": _eye(2),
    "eye_like": _eye(1),
    "full": _full,
    "full_like": _full,
    "hamming_window": _hamming_window,
    "ones": filled(1),
    "ones_like": filled(1),
    "tril": _triangle(upper=False),
    "triu": _triangle(upper=True),
    "zeros": filled(0),
    "zeros_like": filled(0),
}

WITHOUT = {"builtin.alloc_tensor": "it is memory, not numbers"}
