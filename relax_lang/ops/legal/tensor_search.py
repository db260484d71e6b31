"""Legal forms of searches."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.legal.tensor_reduce import require_elements
from relax_lang.syntax import dtypes
from relax_lang.topi.core import FLOAT64, INT64, as_dtype, stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.syntax import tree
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _place(*, least: bool) -> Form:
    def form(call: Legal) -> Tensor:
        require_elements(call)
        found = topi.argmax(call.args[0], call.attrs["axis"], call.attrs["keepdims"], least=least)
        return stored(found)

    return form


def _bucketize(call: Legal) -> Tensor:
    """Count the boundaries below an element one by one; nan is above all numbers."""
    x, boundaries = call.args
    if "uint64" in (x.dtype, boundaries.dtype):
        raise Refused("there is no dtype in which uint64 is compared with others")
    is_float = dtypes.is_float(x.dtype) or dtypes.is_float(boundaries.dtype)
    common = FLOAT64 if is_float else INT64
    given, bounds = as_dtype(x, common), as_dtype(boundaries, common)
    count, st = boundaries.shape[0], te.statements

    def is_below(value: Expr, bound: Expr) -> Expr:
        if call.attrs["right"]:
            return (bound <= value) | te.isnan(value) if is_float else bound <= value
        return (bound < value) | (te.isnan(value) & ~te.isnan(bound)) if is_float else bound < value

    def body(out: Tensor) -> list[tree.Stmt]:
        def ascends(k: Expr) -> list[tree.Stmt]:
            return [st.require(~(bounds[(k + 1,)] < bounds[(k,)]), "bucketize: `boundaries` must ascend")]

        def counted(*at: Expr) -> list[tree.Stmt]:
            more = st.store(out, at, out[at] + te.const(1, call.dtype))

            def count_one(k: Expr) -> list[tree.Stmt]:
                return [st.when(is_below(given[at], bounds[(k,)]), [more])]

            return [st.store(out, at, te.const(0, call.dtype)), st.loop(count, count_one, "k")]

        return [st.loop(count - 1, ascends, "k"), *st.grid(x.shape, counted)]

    return te.extern([(x.shape, call.dtype)], [x, boundaries], body, "bucketize")[0]


FORMS: dict[str, Form] = {
    "argmax": _place(least=False),
    "argmin": _place(least=True),
    "bucketize": _bucketize,
}

WITHOUT = {
    "multinomial_from_uniform": "it is a search in running sums, which has no form yet",
    "nonzero": "the shape of its result depends on data",
    "unique": "the shape of its result depends on data",
}
