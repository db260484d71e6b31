"""Legal forms of the operators of three tensors, element by element."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.legal.tensor.binary import combined
from relax_lang.topi.core import as_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.tensor import Tensor


def _where(call: Legal) -> Tensor:
    return combined(call, te.select, list(call.args))


def _fma(call: Legal) -> Tensor:
    return combined(call, lambda a, b, c: a * b + c, list(call.args))


def _masked_fill(call: Legal) -> Tensor:
    x, mask, value = call.args
    return combined(
        call, lambda v, hidden, other: te.select(hidden, other, v), [x, mask, as_dtype(value, x.dtype)]
    )


FORMS: dict[str, Form] = {"where": _where, "ewise_fma": _fma, "masked_fill": _masked_fill}
