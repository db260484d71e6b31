"""Rules of normalization: the result is like `data`; parameters lie along the axes that are named. [OP.5-OP.7]"""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.axes import many_axes, one_axis
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype
from relax_lang.ops.shape_rules.shared.extents import must_divide
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.inference import Inference, Known

    Dim = tree.PrimExpr

    Axes = int | Sequence[int]


def over_axes(call: Inference) -> tree.StructInfo:
    """Infer a normalization over `axes`, along which all further arguments lie."""
    data, axes = call.tensor(0), call.attrs["axes"]
    places = many_axes(call, axes, data.rank, "axes")
    count = 1 if isinstance(axes, int) else len(axes)
    for index in range(1, len(call.operator.params)):
        _parameter(call, data, index, places, count)
    return call.like(data, data.dtype)


def batch_norm(call: Inference) -> tree.StructInfo:
    """Infer the data, normalized along one axis, with a mean and a variance for every place of it."""
    data = call.tensor(0)
    at = None if data.rank is None else one_axis(call, call.attrs["axis"], data.rank)
    for index in range(1, 5):
        _parameter(call, data, index, None if at is None else (at,), 1)
    fields = [call.like(data, data.dtype)]
    for index in (3, 4):
        moving = call.tensor(index)
        if moving.dims is None and at is not None and data.dims is not None:
            fields.append(call.tensor_of((data.dims[at],), moving.dtype))
        else:
            fields.append(
                call.of_rank(1, moving.dtype) if moving.rank is None else call.like(moving, moving.dtype)
            )
    return call.tuple_of(fields)


def per_channel(call: Inference) -> tree.StructInfo:
    """Infer a normalization over `axes`, with parameters along the channel axis, which is none of them."""
    data = call.tensor(0)
    channel = None
    axes = many_axes(call, call.attrs["axes"], data.rank, "axes")
    if data.rank is not None:
        channel = one_axis(call, call.attrs["channel_axis"], data.rank, "channel_axis")
    if channel is not None and axes is not None and channel in axes:
        call.bad_attribute("axes", f"axis {channel} is the channel axis")
    for index in (1, 2):
        _parameter(call, data, index, None if channel is None else (channel,), 1)
    groups = call.attrs.get("num_groups")
    if groups is not None and channel is not None and data.dims is not None:
        channels = data.dims[channel]
        must_divide(
            call,
            tree.IntImm(groups),
            channels,
            0,
            lambda: f"{call.text(channels)} channels (axis {channel}) cannot be divided into {groups} groups",
        )
    return call.like(data, data.dtype)


def _parameter(call: Inference, data: Known, index: int, axes: tuple[int, ...] | None, count: int) -> None:
    """Check a parameter whose axis d lies along `axes[d]`; without `axes` only its rank."""
    given = call.tensor(index)
    same_dtype(call, data, given, 0, index)
    if given.rank is not None and given.rank != count:
        call.bad_argument(index, f"a tensor of rank {count}")
    elif axes is not None and data.dims is not None and given.dims is not None:
        for place, axis in enumerate(axes):
            there, here = data.dims[axis], given.dims[place]

            def reason(axis: int = axis, place: int = place, there: Dim = there, here: Dim = here) -> str:
                return (
                    f"axis {axis} of `data` is {call.text(there)}, "
                    f"axis {place} of {call.name(index)} is {call.text(here)}"
                )

            if call.clash(there, here, (0, index), reason):
                return
