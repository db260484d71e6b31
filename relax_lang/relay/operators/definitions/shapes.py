"""Operators that change shapes, join, cut and reorder. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import MOST_AXES, ints, product
from relax_lang.relay.operators.relations import by_lowering, checked_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Dim, Emitter, Lower, Value

FAR = 2**63 - 1


def new_shape(dims: list[Dim], codes: list[int], *, allow_zero: bool = False) -> list[Dim]:
    """Return the shape that the codes of `reshape` mean: n, 0 the same, -1 the rest, -2, -3, -4."""
    made: list[Dim] = []
    at = 0
    infer: int | None = None
    place = 0
    while place < len(codes):
        code = codes[place]
        place += 1
        if code > 0 or (code == 0 and allow_zero):
            made.append(code)
            at += 1
        elif code == 0:
            made.append(_source(dims, at, code))
            at += 1
        elif code == -1:
            if infer is not None:
                raise Refused("`newshape` has -1 twice", attribute="newshape", rule="attribute_value")
            infer = len(made)
            made.append(-1)
            at += 1
        elif code == -2:
            made += dims[at:]
            at = len(dims)
        elif code == -3:
            both = product([_source(dims, at, code), _source(dims, at + 1, code)])
            if both is None:
                raise NotLowered("-3 of `newshape` needs extents that are known")
            made.append(both)
            at += 2
        elif code == -4:
            made += _split_axis(_source(dims, at, code), codes[place : place + 2])
            place += 2
            at += 1
        else:
            raise Refused(f"`newshape` has no code {code}", attribute="newshape", rule="attribute_value")
    if infer is not None:
        made[infer] = _inferred(dims, made, infer)
    before, after = product(dims), product(made)
    if before is not None and after is not None and -1 not in made and before != after:
        message = f"{_text(dims)} has {before} elements, and {_text(made)} has {after}"
        raise Refused(message, attribute="newshape")
    return made


def _inferred(dims: list[Dim], made: list[Dim], infer: int) -> Dim:
    total = product(dims)
    others = product([dim for i, dim in enumerate(made) if i != infer])
    if total is None or others is None:
        # What is the same on both sides cancels out; what is left may be for the run to find.
        rest = list(dims)
        for i, dim in enumerate(made):
            same = next(
                (k for k, one in enumerate(rest) if one is dim or (isinstance(dim, int) and one == dim)), None
            )
            if i == infer:
                continue
            if same is None:
                return -1
            del rest[same]
        left = product(rest)
        return left if left is not None else rest[0] if len(rest) == 1 else -1
    if others == 0 or total % others:
        message = f"{total} elements cannot be divided into {others}: no number fits for the -1 of `newshape`"
        raise Refused(message, attribute="newshape")
    return total // others


def _split_axis(dim: Dim, parts: list[int]) -> list[Dim]:
    if len(parts) < 2:
        raise Refused(
            "-4 of `newshape` takes two numbers after it", attribute="newshape", rule="attribute_value"
        )
    left, right = parts
    if not isinstance(dim, int):
        raise NotLowered("-4 of `newshape` needs an extent that is known")
    if left == -1:
        left = dim // right if right else 0
    elif right == -1:
        right = dim // left if left else 0
    if left * right != dim:
        raise Refused(
            f"an extent of {dim} cannot be split into {parts[0]} and {parts[1]}", attribute="newshape"
        )
    return [left, right]


def _source(dims: list[Dim], at: int, code: int) -> Dim:
    if at >= len(dims):
        message = f"{code} of `newshape` stands for axis {at} of `data`, which has {len(dims)}"
        raise Refused(message, attribute="newshape")
    return dims[at]


def _text(dims: Sequence[Dim]) -> str:
    return f"({', '.join([str(dim) if isinstance(dim, int) else '?' for dim in dims])})"


def _reshape(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    codes = ints(attrs["newshape"])
    return to.call(
        "reshape", args[0], to.shape(new_shape(to.dims(args[0]), codes, allow_zero=bool(attrs["allowzero"])))
    )


def _reverse_reshape(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    codes = ints(attrs["newshape"])[::-1]
    shape = new_shape(to.dims(args[0])[::-1], codes, allow_zero=bool(attrs["allowzero"]))
    return to.call("reshape", args[0], to.shape(shape[::-1]))


def _reshape_like(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    ours, theirs = to.dims(args[0]), to.dims(args[1])
    low, high = _within(attrs["lhs_begin"], attrs["lhs_end"], len(ours))
    first, last = _within(attrs["rhs_begin"], attrs["rhs_end"], len(theirs))
    return to.call("reshape", args[0], to.shape([*ours[:low], *theirs[first:last], *ours[high:]]))


def _within(begin: int, end: int | None, rank: int) -> tuple[int, int]:
    end = rank if end is None else end
    return begin + rank if begin < 0 else begin, end + rank if end < 0 else end


declare("reshape", "data", "newshape: ints, allowzero: bool = 0", relation=by_lowering, lower=_reshape)
declare(
    "contrib_reverse_reshape",
    "data",
    "newshape: ints, allowzero: bool = 0",
    relation=by_lowering,
    lower=_reverse_reshape,
)
declare(
    "reshape_like",
    "data shape_like",
    "lhs_begin: int = 0, lhs_end: int? = None, rhs_begin: int = 0, rhs_end: int? = None",
    relation=by_lowering,
    lower=_reshape_like,
)


def _transpose(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    axes = attrs["axes"]
    rank = len(to.dims(args[0]))
    if axes is None or axes == []:
        return to.call("permute_dims", args[0])
    return to.call("permute_dims", args[0], axes=[axis + rank if axis < 0 else axis for axis in ints(axes)])


declare("transpose", "data", "axes: ints?", relation=by_lowering, lower=_transpose)


def _expand_dims(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    axis, count = attrs["axis"], attrs["num_newaxis"]
    if axis < 0:
        axis += len(to.dims(args[0])) + 1
    if not 0 <= count <= MOST_AXES:
        raise Refused(f"`num_newaxis` is 0 to {MOST_AXES}", attribute="num_newaxis", rule="attribute_value")
    if count == 0:
        return args[0]
    return to.call("expand_dims", args[0], axis=[axis + i for i in range(count)])


declare("expand_dims", "data", "axis: int, num_newaxis: int = 1", relation=by_lowering, lower=_expand_dims)


def _squeeze(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    axis = attrs["axis"]
    return to.call("squeeze", args[0]) if axis is None else to.call("squeeze", args[0], axis=ints(axis))


declare("squeeze", "data", "axis: ints? = None", relation=by_lowering, lower=_squeeze)


def _batch_flatten(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    dims = to.dims(args[0])
    if not dims:
        raise Refused("`data` of `nn.batch_flatten` has no axis", argument=0)
    rest = product(dims[1:])
    if rest is None:
        raise NotLowered("the extents behind the first have to be known")
    return to.call("reshape", args[0], to.shape([dims[0], rest]))


declare("nn.batch_flatten", "data", relation=by_lowering, lower=_batch_flatten)


def _concatenate(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("concat", args[0], axis=attrs["axis"])


def _stack(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("stack", args[0], axis=attrs["axis"])


def _split(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    parts, axis = attrs["indices_or_sections"], attrs["axis"]
    dims = to.dims(args[0])
    if isinstance(parts, int) and -len(dims) <= axis < len(dims):
        extent = dims[axis]
        if isinstance(extent, int) and (parts <= 0 or extent % parts):
            message = f"axis {axis} of `data` has the extent {extent}, which is not a multiple of {parts}"
            raise Refused(message, attribute="indices_or_sections")
    return to.call("split", args[0], indices_or_sections=parts, axis=axis)


declare("concatenate", "data", "axis: int = 0", relation=by_lowering, lower=_concatenate)
declare("stack", "data", "axis: int = 0", relation=by_lowering, lower=_stack)
declare("split", "data", "indices_or_sections: ints, axis: int = 0", relation=by_lowering, lower=_split)


def _tile(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("tile", args[0], repeats=ints(attrs["reps"]))


def _reverse(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    made = args[0]
    axes = attrs["axis"]
    for axis in range(len(to.dims(made))) if axes is None else ints(axes):
        made = to.call("flip", made, axis=axis)
    return made


declare("tile", "data", "reps: ints", relation=by_lowering, lower=_tile)
declare("repeat", "data", "repeats: int, axis: int? = None", relation=by_lowering)
declare("reverse", "data", "axis: ints? = None", relation=checked_identity, lower=_reverse)
declare(
    "reverse_sequence", "data seq_lengths", "seq_axis: int = 1, batch_axis: int = 0", relation=by_lowering
)


def _strided_slice(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    begin, end = ints(attrs["begin"]), ints(attrs["end"])
    strides = ints(attrs["strides"] or [])
    axes = attrs["axes"]
    chosen = list(range(len(begin))) if axes is None else ints(axes)
    if len(end) != len(begin) or len(chosen) != len(begin):
        message = f"`begin`, `end` and `axes` have {len(begin)}, {len(end)} and {len(chosen)} elements"
        raise Refused(message, attribute="end", rule="attribute_value")
    strides += [1] * (len(begin) - len(strides))
    if attrs["slice_mode"] == "size":
        end = [FAR if size < 0 else first + size for first, size in zip(begin, end, strict=True)]
        strides = [1] * len(begin)
    parts = [to.prims(one) for one in (chosen, begin, end, strides)]
    return to.call("strided_slice", args[0], *parts)


declare(
    "strided_slice",
    "data",
    'begin: ints, end: ints, strides: ints?, slice_mode: str = "end", axes: ints?',
    relation=by_lowering,
    lower=_strided_slice,
)


def _slice_like(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    ours, theirs = to.dims(args[0]), to.dims(args[1])
    axes = attrs["axes"]
    chosen = (
        list(range(len(ours)))
        if not axes
        else [axis + len(ours) if axis < 0 else axis for axis in ints(axes)]
    )
    if any(not 0 <= axis < min(len(ours), len(theirs)) for axis in chosen):
        message = f"`axes` are among those of both; `data` has {len(ours)}, `slice_like` has {len(theirs)}"
        raise Refused(message, attribute="axes" if axes else None)
    extents = [theirs[axis] for axis in chosen]
    known = [extent for extent in extents if isinstance(extent, int)]
    if len(known) != len(extents):
        raise NotLowered("the extents that are sliced to have to be known")
    for axis, extent in zip(chosen, known, strict=True):
        if isinstance(ours[axis], int) and ours[axis] < extent:
            message = (
                f"axis {axis} of `data` has the extent {ours[axis]}, less than the {extent} of `slice_like`"
            )
            raise Refused(message, argument=1)
    parts = [to.prims(one) for one in (chosen, [0] * len(chosen), known)]
    return to.call("strided_slice", args[0], *parts)


declare("slice_like", "data slice_like", "axes: ints?", relation=by_lowering, lower=_slice_like)


def _broadcast_to(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("broadcast_to", args[0], to.shape(ints(attrs["shape"])))


def _broadcast_to_like(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("broadcast_to", args[0], to.shape(to.dims(args[1])))


declare("broadcast_to", "data", 'shape: ints, dtype: str = ""', relation=by_lowering, lower=_broadcast_to)
declare("broadcast_to_like", "data broadcast_type", relation=by_lowering, lower=_broadcast_to_like)
declare("collapse_sum_like", "data collapse_type", relation=by_lowering)


def _depth_to_space(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    if attrs["layout"] == "NHWC":
        return _channels_last(to, args[0], attrs, _depth_to_space)
    n, c, h, w = _nchw(to, args[0], attrs)
    block = attrs["block_size"]
    if c % (block * block):
        raise Refused(f"{c} channels are not a multiple of {block * block}", argument=0)
    if attrs["mode"] == "CRD":
        return to.call("nn.pixel_shuffle", args[0], upscale_factor=block)
    parts = to.call("reshape", args[0], to.shape([n, block, block, c // (block * block), h, w]))
    moved = to.call("permute_dims", parts, axes=[0, 3, 4, 1, 5, 2])
    return to.call("reshape", moved, to.shape([n, c // (block * block), h * block, w * block]))


def _space_to_depth(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    if attrs["layout"] == "NHWC":
        return _channels_last(to, args[0], attrs, _space_to_depth)
    n, c, h, w = _nchw(to, args[0], attrs)
    block = attrs["block_size"]
    if h % block or w % block:
        raise Refused(f"the extents {h} and {w} are not multiples of {block}", argument=0)
    parts = to.call("reshape", args[0], to.shape([n, c, h // block, block, w // block, block]))
    moved = to.call("permute_dims", parts, axes=[0, 3, 5, 1, 2, 4])
    return to.call("reshape", moved, to.shape([n, c * block * block, h // block, w // block]))


def _channels_last(to: Emitter, data: Value, attrs: dict[str, Any], lower: Lower) -> Value:
    """Lower an operator on NHWC as one on NCHW."""
    if len(to.dims(data)) != 4:
        raise Refused(f"`data` has {len(to.dims(data))} axes, and the layout NHWC has 4", argument=0)
    moved = to.call("permute_dims", data, axes=[0, 3, 1, 2])
    return to.call("permute_dims", lower(to, [moved], {**attrs, "layout": "NCHW"}), axes=[0, 2, 3, 1])


def _nchw(to: Emitter, data: Value, attrs: dict[str, Any]) -> list[Any]:
    if attrs["block_size"] < 1:
        raise Refused("`block_size` has to be positive", attribute="block_size", rule="attribute_value")
    if attrs["layout"] != "NCHW":
        raise NotLowered(f"the layout {attrs['layout']}")
    dims = to.dims(data)
    if len(dims) != 4:
        raise Refused(f"`data` has {len(dims)} axes, and the layout NCHW has 4", argument=0)
    if not all(isinstance(dim, int) for dim in dims):
        raise NotLowered("all extents have to be known")
    return dims


_BLOCK = 'block_size: int = 1, layout: str = "NCHW", mode: str = "DCR"'
declare("nn.depth_to_space", "data", _BLOCK, relation=by_lowering, lower=_depth_to_space)
declare("nn.space_to_depth", "data", _BLOCK, relation=by_lowering, lower=_space_to_depth)


def _meshgrid(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("meshgrid", args[0], indexing=attrs["indexing"])


def _einsum(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("einsum", args[0], subscripts=attrs["equation"])


declare("meshgrid", "data", 'indexing: str = "ij"', relation=by_lowering, lower=_meshgrid)
declare("einsum", "data", "equation: str", relation=by_lowering, lower=_einsum)
