"""Legal forms of searches."""

from __future__ import annotations

from relax_lang import topi
from relax_lang.ops.legal.tensor_reduce import require_elements
from relax_lang.topi.core import stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.tensor import Tensor


def _place(*, least: bool) -> Form:
    def form(call: Legal) -> Tensor:
        require_elements(call)
        found = topi.argmax(call.args[0], call.attrs["axis"], call.attrs["keepdims"], least=least)
        return stored(found)

    return form


FORMS: dict[str, Form] = {"argmax": _place(least=False), "argmin": _place(least=True)}

WITHOUT = {
    "bucketize": "it is a binary search, which has no form yet",
    "multinomial_from_uniform": "it is a binary search, which has no form yet",
    "nonzero": "the shape of its result depends on data",
    "unique": "the shape of its result depends on data",
}
