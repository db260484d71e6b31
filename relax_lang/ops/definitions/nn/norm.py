"""Normalization. The result has the shape and dtype of `data`; halves are computed in float32."""

from __future__ import annotations

from operator import methodcaller

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.definitions.tensor.reduce import average
from relax_lang.ops.numpy_kernels.compute_dtype import constant, wide_dtype, widened
from relax_lang.ops.numpy_kernels.shape_checks import elements, many_axes, one_axis, same_dtype
from relax_lang.ops.shape_rules.nn import norm as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run1, Run2, Run3, TensorSpec

    Axes = int | Sequence[int]

family = Family(__name__, "Neural networks: normalization", rows="over axes")

_AFFINE = "gamma: tensor(1-d float), beta: tensor(1-d float)"
_TAIL = "epsilon: float = 1e-05, center: bool = true, scale: bool = true"


def _check(data: TensorSpec, parameter: TensorSpec, name: str, axes: Sequence[int]) -> None:
    """Require a parameter with one axis for each of those, in their order and of their extents."""
    same_dtype(data, parameter, ("data", name))
    if parameter.ndim != len(axes):
        raise bad_argument(f"`{name}` must have rank {len(axes)}, not {parameter.ndim}", argument=name)
    for place, axis in enumerate(axes):
        if parameter.shape[place] != data.shape[axis]:
            there, given = data.shape[axis], parameter.shape[place]
            reason = f"axis {axis} of `data` is {there}, axis {place} of `{name}` is {given}"
            raise bad_shape(data.shape, parameter.shape, reason)


def _parameter(data: TensorSpec, parameter: TensorSpec, name: str, axes: Sequence[int]) -> Run1:
    """Check a parameter, and return what shapes it to multiply `data`: its axis d lies along `axes[d]`."""
    _check(data, parameter, name, axes)
    order = sorted(range(len(axes)), key=axes.__getitem__)
    # Broadcasting puts the last axes where they belong.
    places = range(min(axes, default=data.ndim), data.ndim)
    shape = tuple([data.shape[axis] if axis in axes else 1 for axis in places])
    if order != sorted(order):
        return lambda parameter: parameter.transpose(order).reshape(shape)
    return _as_it_is if shape == parameter.shape else methodcaller("reshape", shape)


def _as_it_is(x: Any) -> Any:
    return x


def _standardizing(shape: tuple[int, ...], axes: tuple[int, ...], epsilon: float, dtype: Any) -> Run1:
    """Plan what gives arrays of a shape and dtype the mean 0 and the variance 1 over the axes together."""
    width = elements(shape[len(shape) - len(axes) :])
    if (
        axes == tuple(range(len(shape) - len(axes), len(shape)))
        and width >= 128
        and elements(shape) >= 1 << 14
    ):
        return _standardizing_rows(shape, width, epsilon, dtype)
    mean_of, least = average(shape, axes, dtype, keepdims=True), constant(epsilon, dtype)
    sqrt, asarray = np.sqrt, np.asarray

    def run(x: Any) -> Any:
        result = asarray(x - mean_of(x))
        variance = asarray(mean_of(result * result))
        variance += least
        result /= sqrt(variance, variance)
        return result

    return run


def _standardizing_rows(shape: tuple[int, ...], width: int, epsilon: float, dtype: Any) -> Run1:
    """Plan the same over the last axes, for long rows: BLAS sums these several times as fast as `add.reduce`."""
    ones, count, least = np.ones(width, dtype), constant(width, dtype), constant(epsilon, dtype)
    rows = elements(shape) // width
    matmul, sqrt, reciprocal = np.matmul, np.sqrt, np.reciprocal

    def run(x: Any) -> Any:
        x = x.reshape(rows, width)
        mean = x.dot(ones)
        mean /= count
        result = x - mean.reshape(rows, 1)
        spread = matmul(result.reshape(rows, 1, width), result.reshape(rows, width, 1)).reshape(rows, 1)
        spread /= count
        spread += least
        reciprocal(sqrt(spread, spread), spread)
        result *= spread
        return result.reshape(shape)

    return run


@family.planned(
    "nn.layer_norm",
    "data: tensor(float), gamma: tensor(float), beta: tensor(float)",
    f"axes: int|list[int], {_TAIL}",
    infer=rules.over_axes,
    also=("onnx.LayerNormalization",),
    example="nn.layer_norm(const([[1.0, 3.0]]), const([1.0, 1.0]), const([0.0, 0.0]), axes=-1)",
)
def layer_norm(data: TensorSpec, gamma: TensorSpec, beta: TensorSpec, **options: Any) -> Run3:
    """Normalize over some axes together: `(data - mean) / sqrt(variance + epsilon) * gamma + beta`.

    `gamma` and `beta` have one axis per entry of `axes`, in that order, and its extent. Without `scale` gamma
    is left out, without `center` beta. The result has the shape and dtype of `data`.
    """
    axes = many_axes(options["axes"], data.ndim)
    return _normalized(data, (gamma, beta), axes, (data.shape, axes), options)


def _normalized(
    data: TensorSpec,
    parameters: tuple[TensorSpec, TensorSpec],
    axes: tuple[int, ...],
    over: tuple[tuple[int, ...], tuple[int, ...]],
    options: dict[str, Any],
) -> Run3:
    """Plan to normalize in some shape over axes of it, then to apply gamma and beta along `axes` of `data`."""
    factor, shift = [
        _parameter(data, each, name, axes) for each, name in zip(parameters, ("gamma", "beta"), strict=True)
    ]
    shape, (split, moved) = data.shape, over
    standardized = _standardizing(split, moved, options["epsilon"], wide_dtype(data.dtype))
    scale, center = options["scale"], options["center"]

    def run(data: Any, gamma: Any, beta: Any) -> Any:
        result = standardized(data) if split == shape else standardized(data.reshape(split)).reshape(shape)
        if scale:
            result *= factor(gamma)
        if center:
            result += shift(beta)
        return result

    return widened(data.dtype, run)


@family.planned(
    "nn.rms_norm",
    "data: tensor(float), weight: tensor(float)",
    "axes: int|list[int] = -1, epsilon: float = 1e-05",
    infer=rules.over_axes,
    since="later",
    also=("onnx.RMSNormalization",),
    example="nn.rms_norm(const([[3.0, 4.0]]), const([1.0, 1.0]))",
)
def rms_norm(data: TensorSpec, weight: TensorSpec, axes: Axes, epsilon: float) -> Run2:
    """Divide by the root of the mean square over some axes: `data / sqrt(mean(data²) + epsilon) * weight`.

    `weight` has one axis per entry of `axes`, in that order, and its extent. The result has the shape and
    dtype of `data`.
    """
    places = many_axes(axes, data.ndim)
    factor = _parameter(data, weight, "weight", places)
    wide = wide_dtype(data.dtype)
    mean_of, least = average(data.shape, places, wide, keepdims=True), constant(epsilon, wide)
    asarray, divide, sqrt = np.asarray, np.divide, np.sqrt

    def run(data: Any, weight: Any) -> Any:
        result = asarray(data * data)
        root = asarray(mean_of(result))
        root += least
        divide(data, sqrt(root, root), result)
        result *= factor(weight)
        return result

    return widened(data.dtype, run)


@family.planned(
    "nn.batch_norm",
    f"data: tensor(float), {_AFFINE}, moving_mean: tensor(1-d float), moving_var: tensor(1-d float)",
    f"axis: int, {_TAIL}, momentum: float = 0.1, training: bool = false",
    infer=rules.batch_norm,
    rows="batch norm",
    also=("onnx.BatchNormalization",),
    example="nn.batch_norm(const([[1.0, 3.0]]), const([1.0, 1.0]), const([0.0, 0.0]), const([0.0, 0.0]), "
    "const([1.0, 1.0]), axis=1)",
)
def batch_norm(
    data: TensorSpec,
    gamma: TensorSpec,
    beta: TensorSpec,
    moving_mean: TensorSpec,
    moving_var: TensorSpec,
    **options: Any,
) -> Run:
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
    for name, each in given:
        _check(data, each, name, (at,))
    wide = wide_dtype(data.dtype)
    normalized = _normalizing(data.shape, at, wide, options)
    measured = _measuring(data.shape, at, wide, options["momentum"]) if options["training"] else None

    def run(data: Any, gamma: Any, beta: Any, mean: Any, variance: Any) -> tuple[Any, Any, Any]:
        if measured is None:
            return normalized(data, mean, variance, gamma, beta), mean.copy(), variance.copy()
        own_mean, own_variance, mixed_mean, mixed_variance = measured(data, mean, variance)
        return normalized(data, own_mean, own_variance, gamma, beta), mixed_mean, mixed_variance

    return widened(data.dtype, run)


def _measuring(shape: tuple[int, ...], at: int, dtype: Any, momentum: float) -> Run3:
    """Plan the mean and variance of an array per place of an axis, and the moving ones mixed with them."""
    others = tuple([axis for axis in range(len(shape)) if axis != at])
    mean_of = average(shape, others, dtype, keepdims=True)
    share, rest = constant(momentum, dtype), constant(1, dtype) - constant(momentum, dtype)

    def run(x: Any, mean: Any, variance: Any) -> tuple[Any, Any, Any, Any]:
        means = mean_of(x)
        own_mean, own_variance = means.reshape(-1), mean_of(np.square(x - means)).reshape(-1)
        return own_mean, own_variance, mean * rest + own_mean * share, variance * rest + own_variance * share

    return run


_SHORT, _FEW = 64, 1 << 14
"""NumPy takes long to begin anew for so few elements after the axis; a few parameters are rather repeated for each."""
_FAR = 4
"""A mean of more standard deviations than this costs accuracy if it is subtracted last."""


def _normalizing(shape: tuple[int, ...], at: int, dtype: Any, options: dict[str, Any]) -> Run:
    """Plan (x - mean) / sqrt(variance + epsilon) * gamma + beta with four parameters of rank 1 for an axis."""
    behind = elements(shape[at + 1 :])
    if 1 < behind < _SHORT and shape[at] * behind <= _FEW:
        viewed, spread = (*shape[:at], shape[at] * behind), methodcaller("repeat", behind)
    else:
        viewed, spread = shape, methodcaller("reshape", (-1, *(1,) * (len(shape) - at - 1)))
    one, least = constant(1, dtype), constant(options["epsilon"], dtype)
    absolute, divide, multiply, sqrt = np.abs, np.divide, np.multiply, np.sqrt
    with_gamma, with_beta = options["scale"], options["center"]

    def run(x: Any, mean: Any, variance: Any, gamma: Any, beta: Any) -> Any:
        root = variance + least
        sqrt(root, root)
        far = mean / root
        absolute(far, far)
        scale = divide(gamma if with_gamma else one, root, root)
        if not far.size or far.item(far.argmax()) < _FAR:
            # Then multiplying first loses nothing, and saves a pass.
            offset = multiply(mean, scale, far)
            result = x.reshape(viewed) * spread(scale)
            result += spread(beta - offset if with_beta else -offset)
        else:
            result = x.reshape(viewed) - spread(mean)
            result *= spread(scale)
            if with_beta:
                result += spread(beta)
        return result.reshape(shape)

    return run


@family.planned(
    "nn.group_norm",
    f"data: tensor(float), {_AFFINE}",
    f"num_groups: int>0, channel_axis: int, axes: int|list[int], {_TAIL}",
    infer=rules.per_channel,
    since="later",
    also=("onnx.GroupNormalization",),
    example="nn.group_norm(const([[[1.0, 3.0], [2.0, 6.0]]]), const([1.0, 1.0]), const([0.0, 0.0]), "
    "num_groups=1, channel_axis=1, axes=[2])",
)
def group_norm(data: TensorSpec, gamma: TensorSpec, beta: TensorSpec, **options: Any) -> Run3:
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
    split = (*data.shape[:channel], groups, channels // groups, *data.shape[channel + 1 :])
    moved = (channel + 1, *[axis + (axis > channel) for axis in axes])
    return _normalized(data, (gamma, beta), (channel,), (split, moved), options)


@family.planned(
    "nn.instance_norm",
    f"data: tensor(float), {_AFFINE}",
    f"channel_axis: int, axes: list[int], {_TAIL}",
    infer=rules.per_channel,
    since="later",
    also=("onnx.InstanceNormalization",),
    example="nn.instance_norm(const([[[1.0, 3.0]]]), const([1.0]), const([0.0]), channel_axis=1, axes=[2])",
)
def instance_norm(data: TensorSpec, gamma: TensorSpec, beta: TensorSpec, **options: Any) -> Run3:
    """Normalize every instance and channel by itself, over `axes`, then apply gamma and beta per channel.

    `gamma` and `beta` have one element per channel. Without `scale` gamma is left out, without `center` beta.
    The result has the shape and dtype of `data`.
    """
    channel = one_axis(options["channel_axis"], data.ndim)
    axes = _other_axes(options["axes"], data.ndim, channel)
    return _normalized(data, (gamma, beta), (channel,), (data.shape, axes), options)


def _other_axes(axes: Axes, ndim: int, channel: int) -> tuple[int, ...]:
    places = many_axes(axes, ndim)
    if channel in places:
        raise bad_attribute("axes", f"axis {channel} is the channel axis")
    return places
