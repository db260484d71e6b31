"""Normalization, losses, attention, boxes."""

from __future__ import annotations

from typing import Any

from tests.fuzz.operators.drawing import (
    Call,
    Dim,
    Draw,
    Drawer,
    T,
    axes_of,
    axis_of,
    call,
    fits,
    is_kind,
    need,
    number,
    same_dtype,
)


def may(source: Draw, dim: Dim) -> Dim:
    """Return an extent, or another one that may not fit."""
    return source.other(dim) if source.slip(0.2) or (source.symbolic and source.chance(0.08)) else dim


def dtype_of(source: Draw) -> str:
    """Return the dtype of the first parameter, or by mistake another one."""
    return source.dtype() if source.slip(0.1) else source.params[0].dtype


def _channels(source: Draw, x: Any, axis: int, count: int) -> list[Any]:
    dims = source.params[0].dims
    inside = -len(dims) <= axis < len(dims)
    extent = dims[axis] if inside else source.dim()
    del x
    return [source.tensor([may(source, extent)], dtype_of(source)) for _ in range(count)]


def _batch_norm(source: Draw) -> Call:
    x = source.tensor(source.dims(0 if source.slip() else 1, 4), kind="float")
    axis = source.axis(x.rank)
    others = _channels(source, x, axis, 4)
    attrs = {"axis": axis, **source.some(center=source.one(True, False), training=source.one(True, False))}

    def rule(a: T, *given: T) -> Any:
        is_kind(a, "float")
        same_dtype(a, *given)
        at = axis_of(axis, a.rank)
        for one in given:
            need(one.rank == 1)
            fits(one.shape[0] == a.shape[at])
        return a, given[2], given[3]

    return call("nn.batch_norm", [x, *others], attrs, rule, may_fail=True)


def _group_norm(source: Draw) -> Call:
    groups = source.one(1, 2)
    channels = source.one(
        number(source.int(1, 2) * groups), Dim(f"n * {groups}", lambda at: at["n"] * groups)
    )
    if source.slip(0.2):
        channels = source.dim()
    rest = source.dims(1, 2)
    x = source.tensor([source.dim(), channels, *rest], kind="float")
    others = _channels(source, x, 1, 2)
    axes = [at + 2 for at in range(len(rest))]
    if source.slip(0.2):
        axes = source.one([1, *axes], [*axes, 7], [*axes, axes[0]])
    attrs = {"num_groups": groups, "channel_axis": 1, "axes": axes}

    def rule(a: T, *given: T) -> T:
        is_kind(a, "float")
        same_dtype(a, *given)
        places = axes_of(axes, a.rank)
        channel = axis_of(1, a.rank)
        need(channel not in places)
        for one in given:
            need(one.rank == 1)
            fits(one.shape[0] == a.shape[channel])
        fits(a.shape[channel] % groups == 0)
        return a

    return call("nn.group_norm", [x, *others], attrs, rule, may_fail=True)


def _instance_norm(source: Draw) -> Call:
    x = source.tensor(source.dims(2, 4), kind="float")
    axis = source.axis(x.rank)
    others = _channels(source, x, axis, 2)
    channel = axis % x.rank if x.rank else 0
    axes = [at for at in range(x.rank) if at != channel and at]
    if source.slip(0.1):
        axes = [*axes, x.rank]
    attrs = {"channel_axis": axis, "axes": axes}

    def rule(a: T, *given: T) -> T:
        is_kind(a, "float")
        same_dtype(a, *given)
        axes_of(axes, a.rank)
        at = axis_of(axis, a.rank)
        for one in given:
            need(one.rank == 1)
            fits(one.shape[0] == a.shape[at])
        return a

    return call("nn.instance_norm", [x, *others], attrs, rule, may_fail=True)


def _by_axes(word: str, count: int) -> Drawer:
    """Norms whose parameters have one axis for each axis that is normalized."""

    def draw(source: Draw) -> Call:
        x = source.tensor(source.dims(1, 4), kind="float")
        axes: Any = source.one(source.axis(x.rank), source.axes(x.rank, 1))
        dims = source.params[0].dims
        places = [axes] if isinstance(axes, int) else axes
        wanted = [may(source, dims[one] if -len(dims) <= one < len(dims) else source.dim()) for one in places]
        others = [source.tensor(wanted, dtype_of(source)) for _ in range(count)]

        def rule(a: T, *given: T) -> T:
            is_kind(a, "float")
            same_dtype(a, *given)
            at = axes_of(axes, a.rank)
            for one in given:
                need(one.rank == len(at))
                fits(one.shape == tuple([a.shape[place] for place in at]))
            return a

        return call(word, [x, *others], {"axes": axes}, rule, may_fail=True)

    return draw


def _cross_entropy(source: Draw) -> Call:
    dims = source.dims(0, 3)
    x = source.tensor(dims, kind="float")
    y = source.tensor([may(source, one) for one in dims], dtype_of(source))

    def rule(a: T, b: T) -> T:
        is_kind(a, "float")
        same_dtype(a, b)
        need(a.rank == b.rank)
        fits(a.shape == b.shape)
        return T((), a.dtype)

    return call("nn.cross_entropy_with_logits", [x, y], {}, rule, may_fail=True)


def _nll(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        classes = source.dim(positive=True)
        rest = source.dims(0, 2)
        is_plain = source.chance(0.2)
        lead = [] if is_plain else [source.dim()]
        rest = () if is_plain else rest
        reduction = source.one("mean", "sum", "none")
        dtype = source.dtype("float")
        args: list[Any] = []
        targets = [may(source, one) for one in (*lead, *rest)]
        if word != "nn.nll_loss":
            args.append(source.tensor(targets if reduction == "none" else [], dtype))
        args.append(source.tensor([*lead, classes, *rest], source.dtype() if source.slip(0.1) else dtype))
        args.append(source.tensor(targets, source.dtype("integer"), "zeros"))
        if source.chance(0.5):
            args.append(source.tensor([may(source, classes)], source.dtype() if source.slip(0.1) else dtype))

        def rule(*given: Any) -> T:
            made = list(given)
            grad = made.pop(0) if word != "nn.nll_loss" else None
            x, y, weights = (*made, None)[:3]
            is_kind(x, "float")
            is_kind(y, "integer")
            need(x.rank > 0 and y.rank == max(x.rank - 1, 0))
            wanted = (*x.shape[:1], *x.shape[2:]) if x.rank > 1 else ()
            fits(y.shape == wanted)
            count = x.shape[1 if x.rank > 1 else 0]
            if weights is not None:
                same_dtype(x, weights)
                need(weights.rank == 1)
                fits(weights.shape[0] == count)
            shape = y.shape if reduction == "none" else ()
            if grad is None:
                return T(shape, x.dtype)
            same_dtype(grad, x)
            need(grad.rank == len(shape))
            fits(grad.shape == shape)
            return x

        return call(word, args, {"reduction": reduction}, rule, may_fail=True)

    return draw


def _take_backward(source: Draw) -> Call:
    dims = list(source.dims(1, 3))
    axis: int | None = None if len(dims) == 1 and source.chance(0.5) else source.int(0, len(dims) - 1)
    indices = source.dims(0, 2)
    at = axis or 0
    dtype = source.dtype("number")
    grad = source.tensor([may(source, one) for one in (*dims[:at], *indices, *dims[at + 1 :])], dtype)
    x = source.tensor(dims, source.dtype() if source.slip(0.1) else dtype)
    places = source.tensor(indices, source.dtype("integer"), "zeros")

    def rule(a: T, b: T, c: T) -> T:
        is_kind(a, "number")
        same_dtype(a, b)
        is_kind(c, "integer")
        need(axis is not None or b.rank == 1)
        place = axis_of(at, b.rank)
        wanted = (*b.shape[:place], *c.shape, *b.shape[place + 1 :])
        need(a.rank == len(wanted))
        fits(a.shape == wanted)
        return b

    return call(
        "grad.take_backward", [grad, x, places], {} if axis is None else {"axis": axis}, rule, may_fail=True
    )


DRAWERS: dict[str, Drawer] = {
    "nn.batch_norm": _batch_norm,
    "nn.group_norm": _group_norm,
    "nn.instance_norm": _instance_norm,
    "nn.layer_norm": _by_axes("nn.layer_norm", 2),
    "nn.rms_norm": _by_axes("nn.rms_norm", 1),
    "nn.cross_entropy_with_logits": _cross_entropy,
    "nn.nll_loss": _nll("nn.nll_loss"),
    "grad.nll_loss_backward": _nll("grad.nll_loss_backward"),
    "grad.take_backward": _take_backward,
}
