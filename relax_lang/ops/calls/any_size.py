"""Calls of planned operators that need no plan for each size: of their arguments dtypes and ranks are certain. [X.O4]

A plan for some sizes is one for all sizes where it depends on dtypes, ranks and attributes alone, and NumPy refuses
what the operator refuses. So a tensor that grows with every call costs no more than one that does not.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.specialization import TensorSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator

    Call = Callable[..., Any]

OF_ANY_SIZE = (
    "concat",
    "nn.gelu_tanh",
    "nn.leakyrelu",
    "nn.log_softmax",
    "nn.selu",
    "nn.softmax",
    "nn.softplus",
    "permute_dims",
    "rsqrt",
)
"""Operators whose plans depend on dtypes, ranks and attributes alone, if no axis is empty."""
_PRODUCT = "matmul"
_FLOATS = "fd"
"""NumPy's characters of float32 and float64."""
_SOME_SIZE = 2


def may_be_of_any_size(operator: Operator) -> bool:
    """Return whether there is such a function for some tensors."""
    return operator.name == _PRODUCT or operator.name in OF_ANY_SIZE


def run_of_any_size(
    operator: Operator, ranks: Sequence[Any], dtypes: Sequence[Any], options: Mapping[str, Any]
) -> Call | None:
    """Return what runs calls on tensors of some dtypes and ranks, one of each for each tensor; None if nothing does.

    For an operator that takes a tuple of tensors they are those of its fields. It raises an exception where sizes do
    not go together, and possibly where they do.
    """
    if min(ranks, default=0) < 1:
        return None
    if operator.name == _PRODUCT:
        is_plain = dtypes[0] is dtypes[1] and dtypes[0].char in _FLOATS and options["out_dtype"] is None
        return _product(*ranks) if is_plain and max(ranks) > 1 else None
    if operator.name not in OF_ANY_SIZE or operator.kernel is None:
        return None
    specs = [TensorSpec(dtype, (_SOME_SIZE,) * rank) for rank, dtype in zip(ranks, dtypes, strict=True)]
    given = [tuple(specs)] if operator.params[0].kind == "tensors" else specs
    try:
        return operator.kernel(*given, **options)
    except Exception:  # whatever it is, the program reports it when it gets there
        return None


def _product(left: int, right: int) -> Call:
    """Multiply float tensors of some ranks, one by one as `matrix_product` does those of certain shapes."""
    dot, matmul = np.ndarray.dot, np.matmul

    def multiply(x1: Any, x2: Any) -> Any:
        return dot(x1, x2) if x1.size > 1 and x2.size > 1 else matmul(x1, x2)

    def multiply_rows(x1: Any, x2: Any) -> Any:
        if x1.size <= 1 or x2.size <= 1:
            return matmul(x1, x2)
        *leading, terms = x1.shape
        return dot(x1.reshape(-1, terms), x2).reshape(*leading, x2.shape[1])

    if max(left, right) <= 2:
        return multiply
    return multiply_rows if right == 2 else matmul


def unless_refused(run: Call, call: Call, most_bytes: int | None) -> Call:
    """Return what runs a call by `run`, and by `call` with all checks where that raises.

    Of a product whose result could have more than `most_bytes` all checks are made before.
    """

    def run_one(x: Any) -> Any:
        try:
            return run(x)
        except Exception:  # `call` reports it
            return call(x)

    def run_two(x1: Any, x2: Any) -> Any:
        # With a term in each sum there are no more results than pairs of elements.
        if 0 < x1.size * x2.size * x1.itemsize <= most:
            try:
                return run(x1, x2)
            except Exception:  # `call` reports it
                pass
        return call(x1, x2)

    most = most_bytes or 0
    return run_one if most_bytes is None else run_two
