"""Legal forms of scatters: a copy, and then one update after the other, in the order of the updates."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.legal.tensor.manipulate.index import from_the_end
from relax_lang.te.expr import constant_value
from relax_lang.te.tensor import compute
from relax_lang.topi.core import INT64, as_dtype, broadcast_index, broadcast_shape, one_axis, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.syntax import tree
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor

    Dims = tuple[Expr, ...]
    Place = Callable[[Dims], Dims]
    """The place in the result of the update at a place."""

_COMBINED: dict[str, Callable[[Expr, Expr], Expr]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "min": te.minimum,
    "max": te.maximum,
}


def scattered(
    data: Tensor, inputs: Sequence[Tensor], values: Tensor, place: Place, reduction: str, name: str
) -> Tensor:
    """Return a copy of `data` in which each of the values is written at its place, or combined with what is there.

    `place` reads `inputs`. Halves are combined in float32, and rounded once.
    """
    st, combine = te.statements, _COMBINED.get(reduction)
    wide = data.dtype if combine is None else wide_dtype(data.dtype)
    given, added = as_dtype(data, wide), as_dtype(values, wide)

    def body(out: Tensor) -> list[tree.Stmt]:
        target = out
        before: list[tree.Stmt] = []
        if wide != data.dtype:
            target, allocated = st.local(data.shape, wide, "t")
            before = [allocated]

        def update(*at: Expr) -> list[tree.Stmt]:
            to = place(at)
            value = added[at] if combine is None else combine(target[to], added[at])
            return [st.store(target, to, value)]

        def copy(*at: Expr) -> list[tree.Stmt]:
            return [st.store(target, at, given[at])]

        def rounded(*at: Expr) -> list[tree.Stmt]:
            return [st.store(out, at, te.cast(target[at], out.dtype))]

        made = st.grid(data.shape, copy)
        made += st.grid(values.shape, update, [f"u{at}" for at in range(values.ndim)])
        if target is not out:
            made += st.grid(data.shape, rounded)
        return [*before, *made]

    return te.extern([(data.shape, data.dtype)], [data, *inputs, values], body, name)[0]


def _scatter_elements(call: Legal) -> Tensor:
    data, indices, updates = call.args
    axis = one_axis(call.attrs["axis"], data.ndim)
    for at, (a, b) in enumerate(zip(indices.shape, updates.shape, strict=True)):
        call.require_equal(a, b, f"`indices` and `updates` differ on axis {at}")
        if at != axis:
            call.require(a <= data.shape[at], f"`indices` is larger than `data` on axis {at}")

    def place(at: Dims) -> Dims:
        index = from_the_end(te.cast(indices[at], INT64), data.shape[axis])
        return (*at[:axis], index, *at[axis + 1 :])

    return scattered(data, [indices], updates, place, call.attrs["reduction"], "scatter")


def _scatter_nd(call: Legal) -> Tensor:
    data, indices, updates = call.args
    depth = constant_value(indices.shape[-1])
    if depth is None:
        raise Refused("how many axes are indexed is not known")
    lead = indices.ndim - 1
    wanted = (*indices.shape[:-1], *data.shape[depth:])
    for at, (a, b) in enumerate(zip(wanted, updates.shape, strict=True)):
        call.require_equal(a, b, f"`updates` does not fit on axis {at}")

    def place(at: Dims) -> Dims:
        found = [
            from_the_end(te.cast(indices[(*at[:lead], te.const(one, INT64))], INT64), data.shape[one])
            for one in range(depth)
        ]
        return (*found, *at[lead:])

    return scattered(data, [indices], updates, place, call.attrs["reduction"], "scatter")


def _index_put(call: Legal) -> Tensor:
    data, indices, values = call.args
    shape = broadcast_shape(*[one.shape for one in indices])
    if len({len(shape), values.ndim, *[one.ndim for one in indices]}) > 1:
        whole = compute(shape, lambda *at: values[broadcast_index(values, shape, at)], "t", inline=True)
    else:
        whole = values
        for at, (a, b) in enumerate(zip(shape, values.shape, strict=True)):
            if constant_value(a) != constant_value(b) or constant_value(a) is None:
                whole = compute(
                    shape, lambda *at: values[broadcast_index(values, shape, at)], "t", inline=True
                )
                call.require((b == a) | (b == 1), f"`values` does not fit on axis {at}")

    def place(at: Dims) -> Dims:
        return tuple(
            [
                from_the_end(te.cast(one[broadcast_index(one, shape, at)], INT64), data.shape[number])
                for number, one in enumerate(indices)
            ]
        )

    reduction = "add" if call.attrs["accumulate"] else "update"
    return scattered(data, indices, whole, place, reduction, "put")


def _slice_scatter(call: Legal) -> Tensor:
    data, src, start, end, step = call.args
    axis = one_axis(call.attrs["axis"], data.ndim)
    extent = data.shape[axis]
    call.require(
        (step > 0) & (start >= 0) & (start <= end) & (end <= extent), f"the range is not within axis {axis}"
    )
    call.require_equal(
        (end - start + step - 1) // step, src.shape[axis], "`src` has not the size of the slice"
    )
    for at, (a, b) in enumerate(zip(data.shape, src.shape, strict=True)):
        if at != axis:
            call.require_equal(a, b, f"`input` and `src` differ on axis {at}")

    def each(*at: Expr) -> Expr:
        from_start = at[axis] - start
        inside = (from_start >= 0) & (at[axis] < end) & (from_start % step == 0)
        return te.if_then_else(inside, src[(*at[:axis], from_start // step, *at[axis + 1 :])], data[at])

    return compute(call.shape, each, "slice_scatter")


FORMS: dict[str, Form] = {
    "index_put": _index_put,
    "scatter_elements": _scatter_elements,
    "scatter_nd": _scatter_nd,
    "slice_scatter": _slice_scatter,
}
