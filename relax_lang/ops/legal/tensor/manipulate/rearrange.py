"""Legal forms of the operators that repeat, reverse and collapse."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.legal.tensor.binary import broadcasted
from relax_lang.syntax import tree
from relax_lang.te.tensor import compute
from relax_lang.topi.core import INT64, is_same, one_axis, stored, wide
from relax_lang.topi.moving import reshape
from relax_lang.topi.reduction import reduced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _broadcast_to(call: Legal) -> Tensor:
    return stored(broadcasted(call, [call.args[0]])[0])


def _collapsed(call: Legal) -> Tensor:
    x, shape = call.args[0], call.shape
    skipped = x.ndim - len(shape)
    axes = list(range(skipped))
    for at, extent in enumerate(shape):
        whole = x.shape[skipped + at]
        if is_same(extent, whole):
            continue
        if is_same(extent, 1):
            axes.append(skipped + at)
        else:
            call.require_equal(extent, whole, f"axis {at} of the shape does not fit")
    if not axes:
        return stored(x)
    total = reduced(te.sum, wide(x), axes, True, "total")
    rest = [te.const(0, INT64)] * skipped
    return compute(shape, lambda *at: te.cast(total[(*rest, *at)], x.dtype), "collapse_sum")


def _repeat(call: Legal) -> Tensor:
    x, repeats, axis = call.args[0], call.attrs["repeats"], call.attrs["axis"]
    if axis is None:
        x, axis = reshape(x, (call.shape[0] if repeats == 1 else _elements(x),)), 0
    at_axis = one_axis(axis, x.ndim)
    count = max(repeats, 1)
    return compute(
        call.shape, lambda *at: x[(*at[:at_axis], at[at_axis] // count, *at[at_axis + 1 :])], "repeat"
    )


def _elements(x: Tensor) -> Expr:
    from relax_lang.topi.core import size_of

    return size_of(x.shape)


def _reverse_sequence(call: Legal) -> Tensor:
    x, lengths = call.args
    seq, batch = one_axis(call.attrs["seq_axis"], x.ndim), one_axis(call.attrs["batch_axis"], x.ndim)
    call.require_equal(
        lengths.shape[0], x.shape[batch], "there is no length for each place of the batch axis"
    )

    def each(*at: Expr) -> Expr:
        length = te.minimum(te.cast(lengths[at[batch]], INT64), x.shape[seq])
        place = te.select(at[seq] < length, length - at[seq] - 1, at[seq])
        return x[(*at[:seq], place, *at[seq + 1 :])]

    return compute(x.shape, each, "reverse_sequence")


_OPERATIONS: dict[type[tree.PrimExpr], Callable[[Expr, Expr], Expr]] = {
    tree.Add: lambda a, b: a + b,
    tree.Sub: lambda a, b: a - b,
    tree.Mul: lambda a, b: a * b,
    tree.FloorDiv: lambda a, b: a // b,
    tree.FloorMod: lambda a, b: a % b,
    tree.Min: te.minimum,
    tree.Max: te.maximum,
}


def _layout_transform(call: Legal) -> Tensor:
    from relax_lang.ops.attribute_syntax.index_map import read_index_map  # only this operator has one

    x, st = call.args[0], te.statements
    moved = read_index_map(call.attrs["index_map"], x.ndim)
    padding = te.const(call.attrs["pad_value"] or 0, call.dtype)

    def sent(node: Any, values: dict[str, Expr]) -> Expr:
        """Return an expression of the map, of the place of an element."""
        if isinstance(node, tree.IntImm):
            return te.const(node.value, INT64)
        if isinstance(node, tree.PrimVar):
            return values[node.name]
        return _OPERATIONS[type(node)](sent(node.a, values), sent(node.b, values))

    def body(out: Tensor) -> list[tree.Stmt]:
        def move(*at: Expr) -> list[tree.Stmt]:
            values = dict(zip(moved.names, at, strict=True))
            return [st.store(out, [sent(one, values) for one in moved.exprs], x[at])]

        def fill(*at: Expr) -> list[tree.Stmt]:
            return [st.store(out, at, padding)]

        return [*st.grid(out.shape, fill), *st.grid(x.shape, move, moved.names)]

    return te.extern([(call.shape, call.dtype)], [x], body, "layout_transform")[0]


FORMS: dict[str, Form] = {
    "broadcast_to": _broadcast_to,
    "collapse_sum_like": _collapsed,
    "collapse_sum_to": _collapsed,
    "layout_transform": _layout_transform,
    "flip": lambda call: topi.flip(call.args[0], call.attrs["axis"]),
    "repeat": _repeat,
    "reverse_sequence": _reverse_sequence,
    "tile": lambda call: topi.tile(call.args[0], call.shape),
}
