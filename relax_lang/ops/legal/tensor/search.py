"""Legal forms of searches."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.legal.tensor.reduce import require_elements
from relax_lang.syntax import dtypes
from relax_lang.topi.core import FLOAT64, INT64, as_dtype, stored, wide_dtype
from relax_lang.topi.moving import cumulative

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


def _multinomial(call: Legal) -> Tensor:
    """Count the running sums of a row that do not exceed the random number."""
    prob, uniform, indices = call.args
    (rows, categories), count, st = prob.shape, uniform.shape[0], te.statements
    call.require(categories >= 1, "there is no category")
    for one in (uniform, indices):
        call.require_equal(one.shape[0], count, "there must be a random number for each sample")
        call.require_equal(one.shape[1], te.const(1, INT64), "there must be one column")
    kept = wide_dtype(prob.dtype)
    sums, drawn, first = cumulative(prob, 1, kept), as_dtype(uniform, kept), te.const(0, INT64)

    def body(out: Tensor) -> list[tree.Stmt]:
        def draw(i: Expr) -> list[tree.Stmt]:
            below, allocated = st.local((), INT64, "below")
            row = te.cast(indices[i, first], INT64)

            def count_one(k: Expr) -> list[tree.Stmt]:
                more = st.store(below, (), below[()] + te.const(1, INT64))
                return [st.when(sums[row, k] <= drawn[i, first], [more])]

            last = te.minimum(below[()], categories - 1)
            return [
                st.require((first <= row) & (row < rows), f"{call.operator.name}: there is no such row"),
                allocated,
                st.store(below, (), first),
                st.loop(categories, count_one, "k"),
                st.store(out, (i, first), te.cast(last, call.dtype)),
            ]

        return [st.loop(count, draw, "i")]

    given = [sums, drawn, indices]
    return te.extern([((count, 1), call.dtype)], given, body, "multinomial")[0]


FORMS: dict[str, Form] = {
    "argmax": _place(least=False),
    "argmin": _place(least=True),
    "bucketize": _bucketize,
    "multinomial_from_uniform": _multinomial,
}

WITHOUT = {
    "nonzero": "the shape of its result depends on data",
    "unique": "the shape of its result depends on data",
}
