"""Calls that write their result over an operand which nothing needs any more. [X.O4]

New memory for a large result is what costs most in a chain of element-wise operators, so the compiled engine passes
on which operand a call is the last to need. Whether it has the dtype and shape of the result is seen when the call
runs; where it has not, the call makes new memory as always.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.numpy_kernels.compute_dtype import LOWEST
from relax_lang.ops.numpy_kernels.ufuncs import BINARY, UNARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from relax_lang.ops.core.operator import Operator

    Call = Callable[..., Any]

LARGE = 1 << 16
"""From so many bytes on memory is used again; less is faster to allocate."""
_BOUNDED = ("clip", "nn.relu")
"""Operators that limit the elements of a tensor."""
_SOFTMAX = "nn.softmax"


def can_overwrite(operator: Operator) -> bool:
    """Return whether a call can write its result over an operand."""
    ufunc = (BINARY if len(operator.params) == 2 else UNARY).get(operator.name)
    return operator.name in (*_BOUNDED, _SOFTMAX) or (
        ufunc is not None and not ufunc.result and not ufunc.after
    )


def overwriting(
    operator: Operator, at: int, call: Call, ask: Callable[[int], object], options: Mapping[str, Any]
) -> Call:
    """Return a function that does what `call` does, and writes the result over operand number `at` if it is large.

    `ask` is called with the bytes of the result before it is computed, and may raise. `options` are the attributes of
    the call.
    """
    if operator.name in _BOUNDED:
        return _bounding(call, ask)
    if operator.name == _SOFTMAX:
        return _softmax(options["axis"], call, ask)
    ufunc = (BINARY if len(operator.params) == 2 else UNARY)[operator.name]
    function, dtypes = getattr(np, ufunc.function), {numpy_dtype(name) for name in ufunc.dtypes}
    if len(operator.params) == 1:
        return _unary(function, dtypes, call, ask)
    return _binary(function, dtypes, at, call, ask)


def _fits(target: Any) -> bool:
    return target.nbytes >= LARGE and target.flags.carray


def _unary(function: Call, dtypes: set[Any], call: Call, ask: Callable[[int], object]) -> Call:
    ndarray = np.ndarray

    def write_over(x: Any) -> Any:
        if type(x) is ndarray and x.dtype in dtypes and _fits(x):
            ask(x.nbytes)
            return function(x, out=x)
        return call(x)

    return write_over


def _binary(function: Call, dtypes: set[Any], at: int, call: Call, ask: Callable[[int], object]) -> Call:
    ndarray = np.ndarray

    def write_over(x1: Any, x2: Any) -> Any:
        if type(x1) is ndarray and type(x2) is ndarray and x1.dtype is x2.dtype:
            target = x2 if at else x1
            if target.nbytes >= LARGE and x1.dtype in dtypes and _fits(target):
                ask(target.nbytes)
                try:
                    return function(x1, x2, out=target)
                except (
                    ValueError
                ):  # the result has another shape: `call` allocates it, or reports what is wrong
                    pass
        return call(x1, x2)

    return write_over


def _bounding(call: Call, ask: Callable[[int], object]) -> Call:
    """`clip(x, least, most)`, or `nn.relu(x)`: NumPy's `clip` is several times as fast as `maximum` with a number."""
    ndarray, dtypes = np.ndarray, {numpy_dtype("float32"), numpy_dtype("float64")}

    def write_over(x: Any, *bounds: Any) -> Any:
        if type(x) is ndarray and x.dtype in dtypes and _fits(x):
            low, high = [x.dtype.type(one) for one in bounds or (0.0, np.inf)]
            if low <= high:
                ask(x.nbytes)
                return x.clip(low, high, out=x)
        return call(x, *bounds)

    return write_over


def _softmax(axis: int, call: Call, ask: Callable[[int], object]) -> Call:
    """`nn.softmax(x, axis=axis)`, step by step as the operator computes it."""
    ndarray, dtypes = np.ndarray, {numpy_dtype("float32"), numpy_dtype("float64")}
    exp, add, most = np.exp, np.add.reduce, np.maximum.reduce

    def write_over(x: Any) -> Any:
        if type(x) is ndarray and x.dtype in dtypes and _fits(x) and -x.ndim <= axis < x.ndim:
            ask(x.nbytes)
            x -= most(x, axis, None, None, True, LOWEST)
            exp(x, x)
            x /= add(x, axis, None, None, True)
            return x
        return call(x)

    return write_over
