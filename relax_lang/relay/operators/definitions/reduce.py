"""Reductions, sorting and what is found by value or index. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.definitions.dynamic import one_hot
from relax_lang.relay.operators.dims import (
    axis_of,
    cast,
    differ,
    extent,
    ints,
    known,
    permuted,
    positions,
    reshaped,
    times,
)
from relax_lang.relay.operators.relations import by_lowering, checked_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value

_REDUCE = "axis: ints? = None, keepdims: bool = False, exclude: bool = False"


def axes_of(to: Emitter, data: Value, attrs: dict[str, Any]) -> list[int] | None:
    """Return the axes that are reduced; None for all."""
    axis = attrs["axis"]
    if not attrs["exclude"]:
        return None if axis is None else ints(axis)
    rank = len(to.dims(data))
    named = {one % rank for one in ints(axis)} if rank and axis is not None else set(range(rank))
    return [one for one in range(rank) if one not in named]


def _reduction(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        return reduced(to, name, args[0], attrs)

    return lower


def reduced(to: Emitter, name: str, data: Value, attrs: dict[str, Any]) -> Value:
    """Reduce as the attributes say."""
    axes = axes_of(to, data, attrs)
    if axes == []:  # nothing is left to reduce over
        return data
    more = {} if axes is None else {"axis": axes}
    return to.call(name, data, keepdims=bool(attrs["keepdims"]), **more)


for _name in ("sum", "prod", "max", "min", "mean"):
    declare(_name, "data", _REDUCE, relation=by_lowering, lower=_reduction(_name))


def _bools(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        numbers = to.call("astype", args[0], dtype="int8")
        return to.call("astype", reduced(to, name, numbers, attrs), dtype="bool")

    return lower


declare("all", "data", _REDUCE, relation=by_lowering, lower=_bools("min"))
declare("any", "data", _REDUCE, relation=by_lowering, lower=_bools("max"))


def _variance(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, mean = args
    if len(to.dims(data)) != len(to.dims(mean)):
        message = f"`mean` has {len(to.dims(mean))} axes, and has to have the {len(to.dims(data))} of `data`"
        raise Refused(message, argument=1)
    distance = to.call("subtract", data, mean)
    squares = to.call("multiply", distance, distance)
    made = reduced(to, "mean", squares, attrs)
    if not attrs["unbiased"]:
        return made
    count = 1
    dims = to.dims(data)
    axes = axes_of(to, data, attrs)
    for axis in range(len(dims)) if axes is None else axes:
        if not isinstance(dims[axis], int):
            raise NotLowered("`unbiased` needs extents that are known")
        count *= dims[axis]
    return to.call(
        "multiply", made, to.const(count / (count - 1) if count > 1 else float("nan"), to.dtype(data))
    )


declare("variance", "data mean", _REDUCE + ", unbiased: bool = False", relation=by_lowering, lower=_variance)


def _arg_reduction(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        axes = axes_of(to, args[0], attrs)
        if axes is not None and len(axes) > 1:
            raise NotLowered(f"more than one axis: {axes}")
        if attrs["select_last_index"]:
            return _last_index(to, name, args[0], axes, keepdims=bool(attrs["keepdims"]))
        more = {} if not axes else {"axis": axes[0]}
        found = to.call(name, args[0], keepdims=bool(attrs["keepdims"]), **more)
        return to.call("astype", found, dtype="int32")

    return lower


def _last_index(to: Emitter, name: str, data: Value, axes: list[int] | None, *, keepdims: bool) -> Value:
    """Search from the other end, and count from this one."""
    dims = to.dims(data)
    if not axes:
        if keepdims and len(dims) > 1:
            raise NotLowered("`select_last_index=True` over all axes with `keepdims=True`")
        data, axes = to.call("flatten", data), [0]
    axis = axis_of(axes[0], len(to.dims(data)))
    (size,) = known([to.dims(data)[axis]], "the extent of the axis")
    found = to.call(name, to.call("flip", data, axis=axis), axis=axis, keepdims=keepdims)
    return cast(to, to.call("subtract", to.const(size - 1, to.dtype(found)), found), "int32")


_ARG = "axis: ints? = None, keepdims: bool = False, select_last_index: bool = False, exclude: bool = False"
declare("argmax", "data", _ARG, relation=by_lowering, lower=_arg_reduction("argmax"))
declare("argmin", "data", _ARG, relation=by_lowering, lower=_arg_reduction("argmin"))


def _scan(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        more = {"dtype": attrs["dtype"]} if attrs["dtype"] else {}
        if attrs["axis"] is not None:
            more["axis"] = attrs["axis"]
        return to.call(name, args[0], exclusive=bool(attrs["exclusive"]), **more)

    return lower


_SCAN = 'axis: int? = None, dtype: str = "", exclusive: bool = False, attrs_type_key: str = "relay.attrs.ScanopAttrs"'
declare("cumsum", "data", _SCAN, relation=by_lowering, lower=_scan("cumsum"))
declare("cumprod", "data", _SCAN, relation=by_lowering, lower=_scan("cumprod"))


def _sort(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("sort", args[0], axis=attrs["axis"], descending=not attrs["is_ascend"])


def _argsort(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    dtype = attrs["dtype"] or "int32"
    return to.call("argsort", args[0], axis=attrs["axis"], descending=not attrs["is_ascend"], dtype=dtype)


def _topk(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    k = attrs["k"]
    return to.call(
        "topk",
        args[0],
        k=k if k is not None and k > 0 else -1,  # all of them
        axis=attrs["axis"],
        ret_type=attrs["ret_type"],
        largest=not attrs["is_ascend"],
        dtype=attrs["dtype"] or "int32",
    )


_SORT = 'axis: int = -1, is_ascend: bool = True, dtype: str = ""'
declare("sort", "data", _SORT, relation=checked_identity, lower=_sort)
declare("argsort", "data", _SORT, relation=by_lowering, lower=_argsort)
declare(
    "topk",
    "data",
    'k: int?, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str = ""',
    relation=by_lowering,
    lower=_topk,
)


def _take(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, indices = args
    axis = attrs["axis"]
    if attrs["batch_dims"]:
        return _take_in_batches(to, args, attrs)
    if axis is None:
        data, axis = to.call("flatten", data), 0
    return to.call("take", data, indices, axis=axis, mode=attrs["mode"])


def _take_in_batches(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Take along an axis, with indices of its own for each place on the first axes.

    The axis is joined to the first ones, and indices count from where the batch begins.
    """
    data, indices = args
    dims, places = to.dims(data), to.dims(indices)
    count = attrs["batch_dims"] + (len(places) if attrs["batch_dims"] < 0 else 0)
    if attrs["axis"] is None:
        raise Refused("`batch_dims` needs an `axis`", attribute="axis", rule="attribute_value")
    axis = axis_of(attrs["axis"], len(dims))
    if not 0 <= count <= min(axis, len(places)):
        message = (
            f"`batch_dims` has to be from 0 to {min(axis, len(places))}: axes of `indices`, and before `axis`"
        )
        raise Refused(message, attribute="batch_dims", rule="attribute_value")
    for own, other in zip(dims[:count], places[:count], strict=True):
        if differ(own, other):
            raise Refused(
                f"the first {count} extents of `data` and `indices` differ: {own} and {other}", argument=1
            )
    size, batches = dims[axis], 1
    for one in dims[:count]:
        batches = times(batches, one)
    index = cast(to, indices, "int64")
    length = extent(to, size)
    if attrs["mode"] == "wrap":
        index = to.call("floor_mod", index, length)
    elif attrs["mode"] == "clip":
        last = to.call("subtract", length, to.const(1, "int64"))
        index = to.call("maximum", to.call("minimum", index, last), to.const(0, "int64"))
    begin = to.call("multiply", positions(to, batches), length)
    begin = reshaped(to, begin, [*dims[:count], *[1] * (len(places) - count)])
    between, after = list(range(count, axis)), list(range(axis + 1, len(dims)))
    moved = permuted(to, data, [*range(count), axis, *between, *after])
    rows = reshaped(to, moved, [times(batches, size), *[dims[one] for one in (*between, *after)]])
    found = to.call("take", rows, to.call("add", index, begin), axis=0, mode="fast")
    first, last_axes = len(places), len(places) + len(between)
    order = [
        *range(count),
        *range(first, last_axes),
        *range(count, first),
        *range(last_axes, last_axes + len(after)),
    ]
    return permuted(to, found, order)


declare(
    "take",
    "data indices",
    'batch_dims: int = 0, axis: int? = None, mode: str = "clip"',
    relation=by_lowering,
    lower=_take,
)


def _gather(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("gather_elements", *args, axis=attrs["axis"] or 0)


def _gather_nd(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, indices = args
    rank = len(to.dims(indices))
    if rank > 1:
        indices = to.call("permute_dims", indices, axes=[*range(1, rank), 0])
    return to.call("gather_nd", data, indices, batch_dims=attrs["batch_dims"])


declare("gather", "data indices", "axis: int? = None", relation=by_lowering, lower=_gather)
declare(
    "gather_nd",
    "data indices",
    "batch_dims: int = 0, index_rank: int? = None",
    relation=by_lowering,
    lower=_gather_nd,
)


def _one_hot(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    on, off = to.literal(args[1]), to.literal(args[2])
    if on is None or off is None:
        return one_hot(to, args, attrs["depth"], attrs["axis"], attrs["dtype"])
    dtype = attrs["dtype"] or to.dtype(args[1])
    if dtype.startswith("float"):
        on, off = float(on), float(off)
    made = to.call("one_hot", args[0], to.prim(on), to.prim(off), depth=attrs["depth"], axis=attrs["axis"])
    return to.call("astype", made, dtype=dtype) if to.dtype(made) != dtype else made


declare(
    "one_hot",
    "indices on_value off_value",
    'depth: int = 1, axis: int = -1, dtype: str = ""',
    relation=by_lowering,
    lower=_one_hot,
)
