"""Rules of normalization: the result is like `data`; parameters lie along the axes that are named. [OP.5-OP.7]"""

from __future__ import annotations

from relax_lang.base.wording import enumerated
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
    _parameters(call, data, range(1, len(call.operator.params)), places, count)
    return call.like(data, data.dtype)


def batch_norm(call: Inference) -> tree.StructInfo:
    """Infer the data, normalized along one axis, with a mean and a variance for every place of it."""
    data = call.tensor(0)
    at = None if data.rank is None else one_axis(call, call.attrs["axis"], data.rank)
    _parameters(call, data, range(1, 5), None if at is None else (at,), 1)
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
    _parameters(call, data, (1, 2), None if channel is None else (channel,), 1)
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


def _parameters(
    call: Inference, data: Known, indices: Sequence[int], axes: tuple[int, ...] | None, count: int
) -> None:
    """Check parameters whose axis d lies along `axes[d]`; without `axes` only their ranks.

    Nothing is reported after a wrong axis, from which it would follow. Parameters of wrong ranks, or of one wrong
    extent, are reported together, as the axis is the likely mistake then.
    """
    axes_are_wrong = bool(call.findings)
    fitting: list[int] = []
    misfits: list[int] = []
    for index in indices:
        given = call.tensor(index)
        same_dtype(call, data, given, 0, index)
        if given.rank is None or given.rank == count:
            fitting.append(index)
        elif not axes_are_wrong:
            misfits.append(index)
    if misfits:
        call.bad_arguments(misfits, f"a tensor of rank {count}")
    if axes is None or axes_are_wrong or data.dims is None:
        return
    for place, axis in enumerate(axes):
        _along(call, data.dims[axis], fitting, place, axis)


def _along(call: Inference, there: Dim, indices: Sequence[int], place: int, axis: int) -> None:
    """Require axis `place` of parameters to have the extent of an axis of `data`."""
    extents: list[tuple[Dim, list[int]]] = []
    for index in indices:
        dims = call.tensor(index).dims
        if dims is None:
            continue
        alike = next((alike for here, alike in extents if call.equal(here, dims[place])), None)
        if alike is None:
            extents.append((dims[place], [index]))
        else:
            alike.append(index)
    for here, alike in extents:

        def reason(here: Dim = here, alike: list[int] = alike) -> str:
            names = enumerated([call.name(index) for index in alike], "and")
            return (
                f"axis {axis} of `data` is {call.text(there)}, axis {place} of {names} is {call.text(here)}"
            )

        call.clash(there, here, (0, *alike), reason)
