"""Legal forms of the operators that are gradients of others."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.attribute_syntax.windows import SPATIAL, paddings, per_axis
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.legal.nn.loss import Classes
from relax_lang.ops.legal.tensor.manipulate.index import from_the_end
from relax_lang.ops.legal.tensor.manipulate.scatter import scattered
from relax_lang.ops.legal.windows import canonical_shape, canonical_view, in_layout, order_of
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import INT64, as_dtype, one_axis, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.syntax import tree
    from relax_lang.te.expr import Expr


def _take_backward(call: Legal) -> Tensor:
    grad, x, indices = call.args
    axis = one_axis(call.attrs["axis"] or 0, x.ndim)
    wanted = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    for at, (a, b) in enumerate(zip(wanted, grad.shape, strict=True)):
        call.require_equal(a, b, f"`output_grad` does not fit on axis {at}")

    def place(at: tuple[Expr, ...]) -> tuple[Expr, ...]:
        index = te.cast(indices[at[axis : axis + indices.ndim]], INT64)
        return (*at[:axis], from_the_end(index, x.shape[axis]), *at[axis + indices.ndim :])

    zeros = compute(x.shape, lambda *_: te.const(0, x.dtype), "zeros", inline=True)
    return scattered(zeros, [indices], grad, place, "add", "taken")


def _nll_loss_backward(call: Legal) -> Tensor:
    grad, predictions, targets, weights = call.args
    classes, axis = Classes(call, predictions, targets, weights), 0 if predictions.ndim == 1 else 1
    given = as_dtype(grad, classes.dtype)
    total = classes.total() if call.attrs["reduction"] == "mean" else None

    def each(*at: Expr) -> Expr:
        place = (*at[:axis], *at[axis + 1 :])
        outer = given[place if call.attrs["reduction"] == "none" else ()]
        value = -classes.share(place) * outer
        if total is not None:
            value = value / total[()]
        chosen = classes.is_used(place) & (classes.target(place) == at[axis])
        return te.cast(te.if_then_else(chosen, value, te.const(0, classes.dtype)), call.dtype)

    return compute(call.shape, each, "nll_loss_backward")


class _Pool:
    """The windows of a pooling over two axes, with channels first."""

    def __init__(self, call: Legal) -> None:
        attrs, letters = call.attrs, "NC" + SPATIAL[2]
        own = order_of(attrs["layout"], letters, "layout")
        outer = order_of(attrs["out_layout"] or attrs["layout"], letters, "out_layout")
        self.order, self.dtype = own, call.dtype
        self.wide = wide_dtype(call.dtype)
        self.grad = as_dtype(canonical_view(call.args[0], outer), self.wide)
        self.data = as_dtype(canonical_view(call.args[1], own), self.wide)
        self.shape = canonical_shape(call.shape, own)
        self.taps = per_axis(attrs["pool_size"], 2, "pool_size")
        self.strides = per_axis(attrs["strides"], 2, "strides")
        self.dilation = per_axis(attrs["dilation"], 2, "dilation")
        self.before = [before for before, _ in paddings(attrs["padding"], 2)]

    def sources(self, places: Sequence[Expr], taps: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """Return where an element of a window is, and whether it is there."""
        at = [
            place * stride + tap * apart - before
            for place, stride, tap, apart, before in zip(
                places, self.strides, taps, self.dilation, self.before, strict=True
            )
        ]
        inside = (at[0] >= 0) & (at[0] < self.shape[2]) & (at[1] >= 0) & (at[1] < self.shape[3])
        return at, inside

    def result(self, call: Legal, window: _Window) -> Tensor:
        """Return zeros to which each window, given its place, adds its shares."""
        st = te.statements

        def body(out: Tensor) -> list[tree.Stmt]:
            total, allocated = st.local(self.shape, self.wide, "total")
            zero = te.const(0, self.wide)
            return [
                allocated,
                *st.grid(self.shape, lambda *at: [st.store(total, at, zero)]),
                *st.grid(self.grad.shape, lambda *at: window(total, at)),
                *st.grid(self.shape, lambda *at: [st.store(out, at, te.cast(total[at], self.dtype))]),
            ]

        inputs = [call.args[0], call.args[1]]
        return in_layout(te.extern([(self.shape, self.dtype)], inputs, body, "pool_grad")[0], self.order)


if TYPE_CHECKING:
    from collections.abc import Callable

    _Window = Callable[[Tensor, tuple[Expr, ...]], list[tree.Stmt]]


def _avg_pool2d_backward(call: Legal) -> Tensor:
    pool, st = _Pool(call), te.statements
    padded = call.attrs["count_include_pad"]
    if padded and call.attrs["ceil_mode"]:
        raise Refused("windows that reach beyond the padding count what is in it")

    def window(total: Tensor, at: tuple[Expr, ...]) -> list[tree.Stmt]:
        count, allocated = st.local((), INT64, "count")

        def counted(*taps: Expr) -> list[tree.Stmt]:
            _, inside = pool.sources(at[2:], taps)
            return [st.when(inside, [st.store(count, (), count[()] + 1)])]

        def shared(*taps: Expr) -> list[tree.Stmt]:
            place, inside = pool.sources(at[2:], taps)
            to = (*at[:2], *place)
            share = pool.grad[at] / te.cast(count[()], pool.wide)
            return [st.when(inside, [st.store(total, to, total[to] + share)])]

        first = te.const(pool.taps[0] * pool.taps[1] if padded else 0, INT64)
        return [
            allocated,
            st.store(count, (), first),
            *([] if padded else st.grid(pool.taps, counted)),
            *st.grid(pool.taps, shared),
        ]

    return pool.result(call, window)


def _max_pool2d_backward(call: Legal) -> Tensor:
    pool, st = _Pool(call), te.statements

    def window(total: Tensor, at: tuple[Expr, ...]) -> list[tree.Stmt]:
        best, best_place = st.local((), pool.wide, "best")
        row, row_place = st.local((), INT64, "row")
        column, column_place = st.local((), INT64, "column")

        def better(*taps: Expr) -> list[tree.Stmt]:
            place, inside = pool.sources(at[2:], taps)
            value = pool.data[(*at[:2], *place)]
            larger = (value > best[()]) | (te.isnan(value) & ~te.isnan(best[()]))
            found = [
                st.store(best, (), value),
                st.store(row, (), place[0]),
                st.store(column, (), place[1]),
            ]
            return [st.when(inside, [st.when((row[()] < 0) | larger, found)])]

        to = (*at[:2], row[()], column[()])
        return [
            best_place,
            row_place,
            column_place,
            st.store(best, (), te.const(0, pool.wide)),
            st.store(row, (), te.const(-1, INT64)),
            st.store(column, (), te.const(0, INT64)),
            *st.grid(pool.taps, better),
            st.when(row[()] >= 0, [st.store(total, to, total[to] + pool.grad[at])]),
        ]

    return pool.result(call, window)


FORMS: dict[str, Form] = {
    "grad.avg_pool2d_backward": _avg_pool2d_backward,
    "grad.max_pool2d_backward": _max_pool2d_backward,
    "grad.nll_loss_backward": _nll_loss_backward,
    "grad.take_backward": _take_backward,
}
