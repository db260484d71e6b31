"""Gradients of products of matrices."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.attribute_syntax.einsum import parse
from relax_lang.ops.core.call_terms import Refused, same_dims
from relax_lang.ops.core.terms import Term, apply, shape
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Backward, Rule


def _turned(term: Term, ndim: int) -> Term:
    """Return a tensor with its last two axes exchanged."""
    return apply("permute_dims", term, axes=[*range(ndim - 2), ndim - 1, ndim - 2])


def _row(term: Term) -> Term:
    return apply("expand_dims", term, axis=-2)


def _column(term: Term) -> Term:
    return apply("expand_dims", term, axis=-1)


def _matmul(call: Backward) -> list[Term]:
    a, b = call.args
    return list(product(call, call.grad, a, b))


def product(call: Backward, g: Term, a: Term, b: Term) -> tuple[Term, Term]:
    """Return the gradients of both operands of `matmul`, given that of the result."""
    if a.dtype != g.dtype:
        g = apply("astype", g, dtype_=a.dtype)
    n, m = call.rank(a), call.rank(b)
    if n == 1 and m == 1:
        return g * b, g * a
    if n == 1:
        first = apply("matmul", _row(g), _turned(b, m))
        second = _column(a) * _row(g)
    elif m == 1:
        first = _column(g) * b
        second = _column(apply("matmul", _turned(a, n), _column(g)))
        second = apply("squeeze", second, axis=[-1, -2])
    else:
        first = apply("matmul", g, _turned(b, m))
        second = apply("matmul", _turned(a, n), g)
    batched = max(n, m) > 2 and (n != m or a.dims is None or b.dims is None or _differ(a, b))
    if n == 1 or m == 1 or batched:
        return _summed(call, first, a), _summed(call, second, b)
    return first, second


def _differ(a: Term, b: Term) -> bool:
    assert a.dims is not None
    assert b.dims is not None
    return not same_dims(a.dims[:-2], b.dims[:-2])


def _summed(call: Backward, term: Term, to: Term) -> Term:
    if to.dims is None:
        return apply("collapse_sum_like", term, to, dtype=term.dtype)
    return apply("collapse_sum_to", term, shape(call.dims(to)))


def _linear(call: Backward) -> list[Term | None]:
    data, weight, bias = call.args
    g = call.grad
    own = g if g.dtype == data.dtype else apply("astype", g, dtype_=data.dtype)
    if call.rank(weight) != 2:
        dims = None if weight.dims is None else tree.ShapeExpr(weight.dims[::-1])
        transposed = apply("permute_dims", weight)
        transposed.info = tree.TensorStructInfo(
            dims, tree.DType(weight.dtype or ""), weight.ndim if dims is None else None
        )
        first, second = product(call, own, data, transposed)
        second = apply("permute_dims", second)
    elif call.rank(data) == 1:
        first, second = apply("matmul", own, weight), _column(own) * data
    else:
        out, inner = call.dims(weight)
        rows = apply("reshape", own, _rows(call, data, out))
        first = apply("matmul", own, weight)
        second = apply(
            "matmul", apply("permute_dims", rows), apply("reshape", data, _rows(call, data, inner))
        )
    third = None
    if bias is not None:
        given = g if g.dtype == bias.dtype else apply("astype", g, dtype_=bias.dtype)
        third = call.collapsed(given, bias)
    return [first, second, third]


def _rows(call: Backward, data: Term, last: tree.PrimExpr) -> Term:
    """Return the shape of a matrix with a row for every vector of the data."""
    rows: tree.PrimExpr = tree.IntImm(1)
    for dim in call.dims(data)[:-1]:
        rows = tree.Mul(rows, dim)
    return shape([simplified(rows), last])


def _outer(call: Backward) -> list[Term]:
    a, b = call.args
    return [apply("matmul", call.grad, b), apply("matmul", a, call.grad)]


def _einsum(call: Backward) -> list[tuple[Term, ...]]:
    """Sum the gradient with the other operands; an extent that only this operand has is one of ones."""
    from string import ascii_letters  # loads `re`, which the documentation of operators does not need

    operands: tuple[Term, ...] = call.args[0]
    subscripts = parse(call.attrs["subscripts"], len(operands))
    ranks = [call.rank(one) for one in operands]
    free = [one for one in ascii_letters if all(one not in term.letters for term in subscripts.terms)]
    extra = [rank - len(term.letters) for rank, term in zip(ranks, subscripts.terms, strict=True)]
    dots = "".join(free[: max(extra)])
    labels = [
        term.before + dots[len(dots) - more :] + term.after
        for term, more in zip(subscripts.terms, extra, strict=True)
    ]
    result = subscripts.result
    outer = result.before + (dots if result.dots else "") + result.after
    found: list[Term] = []
    for at, own in enumerate(labels):
        if len(set(own)) < len(own):
            raise Refused("an operand has one letter twice")
        dims = call.dims(operands[at])
        others = [(call.grad, outer), *[(operands[i], one) for i, one in enumerate(labels) if i != at]]
        shapes = [call.dims(call.result), *[call.dims(one) for i, one in enumerate(operands) if i != at]]
        there = [
            pair
            for (_, names), sizes in zip(others, shapes, strict=True)
            for pair in zip(names, sizes, strict=True)
        ]
        alone = [
            (name, dim)
            for name, dim in zip(own, dims, strict=True)
            if not any(name == other and same_dims((dim,), (size,)) for other, size in there)
        ]
        if alone:
            ones = apply("ones", shape([dim for _, dim in alone]), dtype_=call.grad.dtype)
            others.append((ones, "".join([name for name, _ in alone])))
        text = ",".join([one for _, one in others]) + "->" + own
        made = apply("einsum", tuple([term for term, _ in others]), subscripts=text, dtype=call.grad.dtype)
        found.append(apply("collapse_sum_to", made, shape(dims)))
    return [tuple(found)]


GRADIENTS: dict[str, Rule] = {"einsum": _einsum, "linear": _linear, "matmul": _matmul, "outer": _outer}
