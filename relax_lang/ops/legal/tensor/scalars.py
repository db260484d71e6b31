"""Legal forms of numbers and dimensions as tensors."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.legal.core import Refused
from relax_lang.syntax import dtypes
from relax_lang.te.tensor import compute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _scalar(call: Legal) -> Tensor:
    value: Expr = call.args[0]
    if call.args[1] is not None and not dtypes.is_float(call.dtype):
        raise Refused("it is checked whether the dtype of the other tensor holds the number")
    return compute((), lambda: te.cast(value, call.dtype), "scalar")


FORMS: dict[str, Form] = {"scalar": _scalar}

WITHOUT = {"prim_value": "it is a number, not a tensor"}
