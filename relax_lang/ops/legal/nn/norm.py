"""Legal forms of normalization."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import many_axes, one_axis, stored, wide
from relax_lang.topi.reduction import count_of, kept_index, layer_norm, reduced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr


def _affine(call: Legal) -> tuple[Tensor | None, Tensor | None]:
    return (
        call.args[1] if call.attrs["scale"] else None,
        call.args[2] if call.attrs["center"] else None,
    )


def _fits(call: Legal, parameter: Tensor, axes: Sequence[int]) -> None:
    x: Tensor = call.args[0]
    for place, axis in enumerate(axes):
        call.require_equal(
            parameter.shape[place], x.shape[axis], f"`{parameter.hint}` does not fit axis {axis}"
        )


def _layer_norm(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    axes = many_axes(call.attrs["axes"], x.ndim)
    for parameter in call.args[1:]:
        _fits(call, parameter, axes)
    gamma, beta = _affine(call)
    return layer_norm(x, gamma, beta, axes, float(call.attrs["epsilon"]))


def _rms_norm(call: Legal) -> Tensor:
    x, weight = call.args
    _fits(call, weight, many_axes(call.attrs["axes"], x.ndim))
    return topi.rms_norm(x, weight, call.attrs["axes"], float(call.attrs["epsilon"]))


def _instance_norm(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    channel = one_axis(call.attrs["channel_axis"], x.ndim)
    for parameter in call.args[1:]:
        _fits(call, parameter, (channel,))
    gamma, beta = _affine(call)
    axes = many_axes(call.attrs["axes"], x.ndim)
    return layer_norm(x, gamma, beta, axes, float(call.attrs["epsilon"]), lambda at: (at[channel],))


def _group_norm(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    channel = one_axis(call.attrs["channel_axis"], x.ndim)
    for each in call.args[1:]:
        _fits(call, each, (channel,))
    axes = many_axes(call.attrs["axes"], x.ndim)
    groups = te.const(call.attrs["num_groups"], "int64")
    size = x.shape[channel] // groups
    call.require_equal(x.shape[channel], size * groups, "the channels cannot be divided into the groups")
    split = (*x.shape[:channel], groups, size, *x.shape[channel + 1 :])
    moved = (channel + 1, *[axis + (axis > channel) for axis in axes])
    parts = compute(
        split,
        lambda *at: x[(*at[:channel], at[channel] * size + at[channel + 1], *at[channel + 2 :])],
        "parts",
        inline=True,
    )
    gamma, beta = _affine(call)

    def parameter(at: Sequence[Expr]) -> tuple[Expr, ...]:
        return (at[channel] * size + at[channel + 1],)

    normalized = layer_norm(parts, gamma, beta, moved, float(call.attrs["epsilon"]), parameter)
    return compute(
        x.shape,
        lambda *at: normalized[(*at[:channel], at[channel] // size, at[channel] % size, *at[channel + 1 :])],
        "group_norm",
    )


def _batch_norm(call: Legal) -> tuple[Tensor, Tensor, Tensor]:
    x, gamma, beta, moving_mean, moving_var = call.args
    axis = one_axis(call.attrs["axis"], x.ndim)
    for parameter in call.args[1:]:
        _fits(call, parameter, (axis,))
    values, epsilon = wide(x), float(call.attrs["epsilon"])
    mean, variance = wide(moving_mean), wide(moving_var)
    new_mean, new_variance = stored(moving_mean), stored(moving_var)
    if call.attrs["training"]:
        others = [each for each in range(x.ndim) if each != axis]
        count = te.cast(count_of(x, others), values.dtype)
        total = reduced(te.sum, values, others, True, "total")
        distance = compute(
            x.shape, lambda *at: values[at] - total[kept_index(at, others)] / count, inline=True
        )
        squares = reduced(
            te.sum,
            compute(x.shape, lambda *at: distance[at] * distance[at], inline=True),
            others,
            True,
            "squares",
        )
        zero = te.const(0, "int64")

        def of(tensor: Tensor) -> Tensor:
            return compute(
                (x.shape[axis],),
                lambda *c: tensor[tuple([c[0] if at == axis else zero for at in range(x.ndim)])] / count,
            )

        old_mean, old_variance, share = mean, variance, float(call.attrs["momentum"])
        mean, variance = of(total), of(squares)
        keep = te.const(1.0, values.dtype) - te.const(share, values.dtype)
        own_mean, own_variance = mean, variance
        new_mean = compute(
            (x.shape[axis],), lambda *c: te.cast(old_mean[c] * keep + own_mean[c] * share, moving_mean.dtype)
        )
        new_variance = compute(
            (x.shape[axis],),
            lambda *c: te.cast(old_variance[c] * keep + own_variance[c] * share, moving_var.dtype),
        )

    def each(*at: Expr) -> Expr:
        c = at[axis]
        found = (values[at] - mean[c]) / te.sqrt(variance[c] + epsilon)
        if call.attrs["scale"]:
            found = found * wide(gamma)[c]
        if call.attrs["center"]:
            found = found + wide(beta)[c]
        return te.cast(found, x.dtype)

    return compute(x.shape, each, "batch_norm"), new_mean, new_variance


FORMS: dict[str, Form] = {
    "nn.batch_norm": _batch_norm,
    "nn.group_norm": _group_norm,
    "nn.instance_norm": _instance_norm,
    "nn.layer_norm": _layer_norm,
    "nn.rms_norm": _rms_norm,
}
