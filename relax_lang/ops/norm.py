"""Normalization. The result has the shape and dtype of `data`; halves are computed in float32."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import widen
from relax_lang.ops.reduce import average
from relax_lang.ops.refusal import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import norm as rules
from relax_lang.ops.shapes import many_axes, one_axis, same_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Axes = int | Sequence[int]

family = Family("norm", "Neural networks: normalization")

_AFFINE = "gamma: tensor(1-d float), beta: tensor(1-d float)"
_TAIL = "epsilon: float = 1e-05, center: bool = true, scale: bool = true"


def _parameter(data: Any, parameter: Any, name: str, axes: Sequence[int]) -> Any:
    """Return a parameter shaped to multiply `data`: its axis d lies along `axes[d]`."""
    if (
        len(axes) == 1
        and parameter.dtype is data.dtype
        and parameter.shape == data.shape[axes[0] : axes[0] + 1]
    ):
        after = data.ndim - axes[0] - 1
        return widen(parameter).reshape((-1,) + (1,) * after) if after else widen(parameter)
    same_dtype(data, parameter, ("data", name))
    if parameter.ndim != len(axes):
        raise bad_argument(f"`{name}` must have rank {len(axes)}, not {parameter.ndim}", argument=name)
    for place, axis in enumerate(axes):
        if parameter.shape[place] != data.shape[axis]:
            there, given = data.shape[axis], parameter.shape[place]
            reason = f"axis {axis} of `data` is {there}, axis {place} of `{name}` is {given}"
            raise bad_shape(data.shape, parameter.shape, reason)
    ordered = widen(parameter)
    if len(axes) > 1:
        ordered = ordered.transpose(sorted(range(len(axes)), key=axes.__getitem__))
    if axes and axes[0] + len(axes) == data.ndim == axes[-1] + 1:  # broadcasting puts the last axes there
        return ordered
    return ordered.reshape([extent if axis in axes else 1 for axis, extent in enumerate(data.shape)])


def _standardize(x: Any, axes: tuple[int, ...], epsilon: float) -> Any:
    """Return x with mean 0 and variance 1 over the axes together."""
    result = np.asarray(x - average(x, axes, keepdims=True))
    variance = np.asarray(average(result * result, axes, keepdims=True))
    variance += epsilon
    result /= np.sqrt(variance, out=variance)
    return result


def _affine(x: Any, gamma: Any, beta: Any, scale: bool, center: bool) -> Any:
    """Apply gamma and beta to an array that is nobody else's."""
    if scale:
        x *= gamma
    if center:
        x += beta
    return x


@family.operator(
    "nn.layer_norm",
    "data: tensor(float), gamma: tensor(float), beta: tensor(float)",
    f"axes: int|list[int], {_TAIL}",
    infer=rules.over_axes,
    example="nn.layer_norm(const([[1.0, 3.0]]), const([1.0, 1.0]), const([0.0, 0.0]), axes=-1)",
)
def layer_norm(
    data: Any, gamma: Any, beta: Any, axes: Axes, epsilon: float, center: bool, scale: bool
) -> Any:
    """Normalize over some axes together: `(data - mean) / sqrt(variance + epsilon) * gamma + beta`.

    `gamma` and `beta` have one axis per entry of `axes`, in that order, and its extent. Without `scale` gamma
    is left out, without `center` beta. The result has the shape and dtype of `data`.
    """
    places = many_axes(axes, data.ndim)
    factor, shift = _parameter(data, gamma, "gamma", places), _parameter(data, beta, "beta", places)
    result = _standardize(widen(data), places, epsilon)
    return _affine(result, factor, shift, scale, center).astype(data.dtype, copy=False)


@family.operator(
    "nn.rms_norm",
    "data: tensor(float), weight: tensor(float)",
    "axes: int|list[int] = -1, epsilon: float = 1e-05",
    infer=rules.over_axes,
    since="later",
    example="nn.rms_norm(const([[3.0, 4.0]]), const([1.0, 1.0]))",
)
def rms_norm(data: Any, weight: Any, axes: Axes, epsilon: float) -> Any:
    """Divide by the root of the mean square over some axes: `data / sqrt(mean(data²) + epsilon) * weight`.

    `weight` has one axis per entry of `axes`, in that order, and its extent. The result has the shape and
    dtype of `data`.
    """
    places = many_axes(axes, data.ndim)
    wide = widen(data)
    factor = _parameter(data, weight, "weight", places)
    result = np.multiply(wide, wide, out=np.empty_like(wide))
    root = np.asarray(average(result, places, keepdims=True))
    root += epsilon
    np.divide(wide, np.sqrt(root, out=root), out=result)
    result *= factor
    return result.astype(data.dtype, copy=False)


@family.operator(
    "nn.batch_norm",
    f"data: tensor(float), {_AFFINE}, moving_mean: tensor(1-d float), moving_var: tensor(1-d float)",
    f"axis: int, {_TAIL}, momentum: float = 0.1, training: bool = false",
    infer=rules.batch_norm,
    example="nn.batch_norm(const([[1.0, 3.0]]), const([1.0, 1.0]), const([0.0, 0.0]), const([0.0, 0.0]), "
    "const([1.0, 1.0]), axis=1)",
)
def batch_norm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, **options: Any) -> Any:
    """Normalize every place of an axis by a mean and a variance of its own, then apply gamma and beta.

    The result is a triple of the normalized data, a mean and a variance. As is right for a network in use,
    `training` is false unless it is set: the moving mean and variance are used and returned unchanged. With
    `training=true` those of the data over all other axes are used, and returned mixed into the moving ones as
    `(1 - momentum) * moving + momentum * batch`. All parameters have one element per place of the axis.
    Without `scale` gamma is left out, without `center` beta. Every result has the shape and dtype of what it
    replaces.
    """
    at = one_axis(options["axis"], data.ndim)
    given = (("gamma", gamma), ("beta", beta), ("moving_mean", moving_mean), ("moving_var", moving_var))
    factor, shift, mean, variance = [_parameter(data, each, name, (at,)) for name, each in given]
    wide = widen(data)
    new_mean, new_var = moving_mean.copy(), moving_var.copy()
    if options["training"]:
        others = tuple([axis for axis in range(data.ndim) if axis != at])
        batch_mean = average(wide, others, keepdims=True)
        batch_var = average(np.square(wide - batch_mean), others, keepdims=True)
        share = wide.dtype.type(options["momentum"])
        new_mean = (mean * (1 - share) + batch_mean * share).reshape(-1).astype(data.dtype)
        new_var = (variance * (1 - share) + batch_var * share).reshape(-1).astype(data.dtype)
        mean, variance = batch_mean, batch_var
    root = np.sqrt(variance + wide.dtype.type(options["epsilon"]))
    scale = (factor if options["scale"] else 1) / root
    result = _shifted(wide, mean, root, scale, shift if options["center"] else None)
    return result.astype(data.dtype, copy=False), new_mean, new_var


def _shifted(x: Any, mean: Any, root: Any, scale: Any, shift: Any) -> Any:
    """Return (x - mean) * scale + shift."""
    if (np.abs(mean) < 4 * root).all():  # then multiplying first loses nothing, and saves a pass
        offset = -mean * scale
        result = np.multiply(x, scale, out=np.empty_like(x))
        result += offset if shift is None else offset + shift
        return result
    result = np.subtract(x, mean, out=np.empty_like(x))
    result *= scale
    if shift is not None:
        result += shift
    return result


@family.operator(
    "nn.group_norm",
    f"data: tensor(float), {_AFFINE}",
    f"num_groups: int>0, channel_axis: int, axes: int|list[int], {_TAIL}",
    infer=rules.per_channel,
    since="later",
    example="nn.group_norm(const([[[1.0, 3.0], [2.0, 6.0]]]), const([1.0, 1.0]), const([0.0, 0.0]), "
    "num_groups=1, channel_axis=1, axes=[2])",
)
def group_norm(data: Any, gamma: Any, beta: Any, **options: Any) -> Any:
    """Split the channels into groups and normalize each over its channels and `axes`, then apply gamma and
    beta.

    The number of channels must be divisible by `num_groups`; `channel_axis` is not among `axes`. `gamma` and
    `beta` have one element per channel. Without `scale` gamma is left out, without `center` beta. The result
    has the shape and dtype of `data`.
    """
    channel = one_axis(options["channel_axis"], data.ndim)
    axes = _other_axes(options["axes"], data.ndim, channel)
    groups, channels = options["num_groups"], data.shape[channel]
    if channels % groups:
        raise bad_value(
            f"{channels} channels (axis {channel}) cannot be divided into {groups} groups", axis=channel
        )
    wide = widen(data)
    split = wide.reshape(*data.shape[:channel], groups, channels // groups, *data.shape[channel + 1 :])
    moved = (channel + 1, *[axis + (axis > channel) for axis in axes])
    result = _standardize(split, moved, options["epsilon"]).reshape(data.shape)
    return _per_channel(result, data, gamma, beta, channel, options)


@family.operator(
    "nn.instance_norm",
    f"data: tensor(float), {_AFFINE}",
    f"channel_axis: int, axes: list[int], {_TAIL}",
    infer=rules.per_channel,
    tier=2,
    since="later",
    example="nn.instance_norm(const([[[1.0, 3.0]]]), const([1.0]), const([0.0]), channel_axis=1, axes=[2])",
)
def instance_norm(data: Any, gamma: Any, beta: Any, **options: Any) -> Any:
    """Normalize every instance and channel by itself, over `axes`, then apply gamma and beta per channel.

    `gamma` and `beta` have one element per channel. Without `scale` gamma is left out, without `center` beta.
    The result has the shape and dtype of `data`.
    """
    channel = one_axis(options["channel_axis"], data.ndim)
    axes = _other_axes(options["axes"], data.ndim, channel)
    return _per_channel(
        _standardize(widen(data), axes, options["epsilon"]), data, gamma, beta, channel, options
    )


def _other_axes(axes: Axes, ndim: int, channel: int) -> tuple[int, ...]:
    places = many_axes(axes, ndim)
    if channel in places:
        raise bad_attribute("axes", f"axis {channel} is the channel axis")
    return places


def _per_channel(x: Any, data: Any, gamma: Any, beta: Any, channel: int, options: dict[str, Any]) -> Any:
    factor, shift = _parameter(data, gamma, "gamma", (channel,)), _parameter(data, beta, "beta", (channel,))
    return _affine(x, factor, shift, options["scale"], options["center"]).astype(data.dtype, copy=False)
