"""Normalizations as means, differences and products."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.ops.core.terms import Term, apply, shape
from relax_lang.ops.decompose.core import narrowed, wide
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.call_terms import CallTerms
    from relax_lang.ops.decompose.core import Rule


def _normalized(x: Term, axes: Sequence[int], epsilon: float) -> Term:
    """Return a tensor of mean 0 and variance 1 over axes."""
    distance = x - apply("mean", x, axis=list(axes), keepdims=True)
    spread = apply("mean", distance * distance, axis=list(axes), keepdims=True)
    return distance / apply("sqrt", spread + epsilon)


def _placed(parameter: Term, axes: Sequence[int], ndim: int) -> Term:
    """Return a parameter, whose axes are those of the data, with axes of extent 1 for the others."""
    order = sorted(range(len(axes)), key=lambda at: axes[at])
    found = wide(parameter)
    if order != list(range(len(order))):
        found = apply("permute_dims", found, axes=order)
    others = [at for at in range(ndim) if at not in axes]
    return apply("expand_dims", found, axis=others) if others else found


def _affine(call: CallTerms, found: Term, axes: Sequence[int], ndim: int) -> Term:
    """Apply scale and shift, where they are wanted."""
    if call.attrs["scale"]:
        found = found * _placed(call.args[1], axes, ndim)
    if call.attrs["center"]:
        found = found + _placed(call.args[2], axes, ndim)
    return found


def _layer_norm(call: CallTerms) -> Term:
    x: Term = call.args[0]
    ndim = call.rank(x)
    axes = call.axes(call.attrs["axes"], ndim)
    found = _normalized(wide(x), axes, float(call.attrs["epsilon"]))
    return narrowed(_affine(call, found, axes, ndim), x)


def _instance_norm(call: CallTerms) -> Term:
    x: Term = call.args[0]
    ndim = call.rank(x)
    [channel] = call.axes(call.attrs["channel_axis"], ndim)
    found = _normalized(wide(x), call.axes(call.attrs["axes"], ndim), float(call.attrs["epsilon"]))
    return narrowed(_affine(call, found, [channel], ndim), x)


def _group_norm(call: CallTerms) -> Term:
    x: Term = call.args[0]
    dims = list(call.dims(x))
    [channel] = call.axes(call.attrs["channel_axis"], len(dims))
    groups = tree.IntImm(call.attrs["num_groups"])
    size = simplified(tree.FloorDiv(dims[channel], groups))
    split = [*dims[:channel], groups, size, *dims[channel + 1 :]]
    moved = [axis + (axis > channel) for axis in call.axes(call.attrs["axes"], len(dims))]
    parts = apply("reshape", wide(x), shape(split))
    found = _normalized(parts, sorted([channel + 1, *moved]), float(call.attrs["epsilon"]))
    whole = apply("reshape", found, shape(dims))
    return narrowed(_affine(call, whole, [channel], len(dims)), x)


def _rms_norm(call: CallTerms) -> Term:
    x, weight = call.args
    ndim = call.rank(x)
    axes = call.axes(call.attrs["axes"], ndim)
    given = wide(x)
    length = apply(
        "sqrt", apply("mean", given * given, axis=axes, keepdims=True) + float(call.attrs["epsilon"])
    )
    return narrowed(given / length * _placed(weight, axes, ndim), x)


def _batch_norm(call: CallTerms) -> tuple[Term, ...]:
    x, _, _, moving_mean, moving_variance = call.args
    ndim = call.rank(x)
    [axis] = call.axes(call.attrs["axis"], ndim)
    others = [at for at in range(ndim) if at != axis]
    given, old_mean, old_variance = wide(x), wide(moving_mean), wide(moving_variance)
    if not call.attrs["training"]:
        return narrowed(_scaled_and_shifted(call, given, axis, ndim), x), moving_mean, moving_variance
    mean, variance = given, given - given
    if others:
        mean = apply("mean", given, axis=others)
        distance = given - _placed(mean, [axis], ndim)
        variance = apply("mean", distance * distance, axis=others)
    share = float(call.attrs["momentum"])
    new_mean = narrowed(old_mean * (1 - share) + mean * share, moving_mean)
    new_variance = narrowed(old_variance * (1 - share) + variance * share, moving_variance)
    spread = apply("sqrt", _placed(variance, [axis], ndim) + float(call.attrs["epsilon"]))
    found = (given - _placed(mean, [axis], ndim)) / spread
    return narrowed(_affine(call, found, [axis], ndim), x), new_mean, new_variance


def _scaled_and_shifted(call: CallTerms, given: Term, axis: int, ndim: int) -> Term:
    """Return a product and a sum: of parameters and statistics that are constants, nothing else is left to compute."""
    _, gamma, beta, moving_mean, moving_variance = call.args
    spread = apply("sqrt", wide(moving_variance) + float(call.attrs["epsilon"]))
    scale = (wide(gamma) if call.attrs["scale"] else 1.0) / spread
    moved = wide(moving_mean) * scale
    shift = wide(beta) - moved if call.attrs["center"] else -moved
    return given * _placed(scale, [axis], ndim) + _placed(shift, [axis], ndim)


DECOMPOSITIONS: dict[str, Rule] = {
    "nn.batch_norm": _batch_norm,
    "nn.group_norm": _group_norm,
    "nn.instance_norm": _instance_norm,
    "nn.layer_norm": _layer_norm,
    "nn.rms_norm": _rms_norm,
}
