"""The logistic function, for `sigmoid` and `nn.silu`."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.numpy_kernels.compute_dtype import computed_wide, constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, TensorSpec

_FEW = 1 << 14
"""Up to this number of elements `argmax` is faster than `maximum.reduce`, which has a high fixed cost."""


def logistic(x: TensorSpec, *, times_x: bool) -> Run1:
    """Plan 1/(1+exp(-x)), or x/(1+exp(-x)), without losing what is small where exp(-x) would overflow."""
    return computed_wide(x, lambda dtype: _logistic(dtype, times_x, x.size))


def _logistic(dtype: Any, times_x: bool, size: int) -> Run1:
    if size == 0:
        return np.ndarray.copy
    one, limit = constant(1, dtype), -80 if dtype == np.float32 else -700
    negative, exp, divide, greatest = np.negative, np.exp, np.divide, np.maximum.reduce

    def run(x: Any) -> Any:
        result = negative(x)
        # Of the negated elements, which lie in a row even where those of `x` do not.
        most = result.item(result.argmax()) if size < _FEW else greatest(result, None)
        exp(result, result)
        result += one
        divide(x if times_x else one, result, result)
        if not most <= -limit:  # so nan is looked at, too
            small = x < limit
            result[small] = exp(x[small]) * (x[small] if times_x else one)
        return result

    return run
