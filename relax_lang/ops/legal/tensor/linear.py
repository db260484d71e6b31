"""Legal forms of products of matrices."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.attribute_syntax.einsum import parse
from relax_lang.ops.legal.core import Refused
from relax_lang.te.tensor import compute
from relax_lang.topi.core import INT64, as_dtype, broadcast_index, is_same, stored, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _matmul(call: Legal) -> Tensor:
    a, b = call.args
    if a.ndim and b.ndim:
        inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
        call.require_equal(a.shape[-1], inner, "the axes that are summed differ")
    return topi.matmul(a, b, call.dtype)


def _linear(call: Legal) -> Tensor:
    x, weight, bias = call.args
    inner = weight.shape[-1] if weight.ndim < 3 else weight.shape[1]
    call.require_equal(x.shape[-1], inner, "the axes that are summed differ")
    dtype = call.dtype
    turned = weight.ndim == 2
    if weight.ndim > 2:
        weight = compute(
            tuple(reversed(weight.shape)),
            lambda *at: call.args[1][tuple(reversed(at))],
            "turned",
            inline=True,
        )
    product = topi.matmul(x, weight, dtype, transposed=turned)
    if bias is None:
        return product
    computed = wide_dtype(dtype)
    first, added = as_dtype(product, computed), as_dtype(as_dtype(bias, dtype), computed)

    def each(*at: Expr) -> Expr:
        total = first[broadcast_index(first, call.shape, at)] + added[broadcast_index(added, call.shape, at)]
        return te.cast(total, dtype)

    return compute(call.shape, each, "linear")


def _outer(call: Legal) -> Tensor:
    a, b = call.args
    computed = wide_dtype(call.dtype)
    left, right = as_dtype(a, computed), as_dtype(b, computed)
    return compute(call.shape, lambda *at: te.cast(left[at[0]] * right[at[1]], call.dtype), "outer")


def _einsum(call: Legal) -> Tensor:
    operands: tuple[Tensor, ...] = call.args[0]
    subscripts = parse(call.attrs["subscripts"], len(operands))
    subscripts.check_ranks([x.ndim for x in operands])
    extents: dict[str, Expr] = {}
    lead = max([x.ndim - len(term.letters) for x, term in zip(operands, subscripts.terms, strict=True)])
    labels: list[list[str]] = []
    for x, term in zip(operands, subscripts.terms, strict=True):
        dots = [f".{at}" for at in range(lead - (x.ndim - len(term.letters)), lead)]
        labels.append([*term.before, *dots, *term.after])
        for label, extent in zip(labels[-1], x.shape, strict=True):
            known = extents.get(label)
            if known is None or is_same(known, 1):
                extents[label] = extent
            elif not is_same(extent, 1) and is_same(known, extent) is None:
                raise Refused(f"whether the extents of `{label}` are equal, or 1, is not known")
    result = subscripts.result
    outer = [*result.before, *([f".{at}" for at in range(lead)] if result.dots else []), *result.after]
    sums = {label: te.reduce_axis(extent, "k") for label, extent in extents.items() if label not in outer}
    computed = wide_dtype(call.dtype)
    given = [as_dtype(x, computed) for x in operands]

    def product(*at: Expr) -> Expr:
        places: dict[str, Expr] = {**dict(zip(outer, at, strict=True)), **sums}
        found: Expr | None = None
        for x, names in zip(given, labels, strict=True):
            index = [
                te.const(0, INT64) if is_same(extent, 1) else places[name]
                for name, extent in zip(names, x.shape, strict=True)
            ]
            value = x[tuple(index)]
            found = value if found is None else found * value
        assert found is not None
        return found

    if not sums:
        return compute(call.shape, lambda *at: te.cast(product(*at), call.dtype), "einsum")
    total = compute(call.shape, lambda *at: te.sum(product(*at), axis=tuple(sums.values())), "einsum")
    return stored(total, call.dtype)


FORMS: dict[str, Form] = {"einsum": _einsum, "linear": _linear, "matmul": _matmul, "outer": _outer}
