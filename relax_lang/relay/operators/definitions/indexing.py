"""Operators that find by index, and write by index. [R.33]"""

from __future__ import annotations

from math import isfinite

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import (
    axis_of,
    cast,
    element,
    ints,
    known,
    permuted,
    positions,
    ranked,
    reshaped,
)
from relax_lang.relay.operators.relations import by_lowering, coordinates, unique_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value


def _adv_index(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    count = to.count(args[0])
    if count < 2:
        raise Refused("the tuple has to have the data and at least one tensor of indices", argument=0)
    indices = [to.field(args[0], index) for index in range(1, count)]
    return to.call("index_tensor", to.field(args[0], 0), to.fields(indices))


declare("adv_index", "data", relation=by_lowering, lower=_adv_index)


def _argwhere(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return cast(to, to.call("permute_dims", to.call("nonzero", args[0])), "int32")


declare("argwhere", "condition", relation=coordinates, lower=_argwhere)


def _reduction(attrs: dict[str, Any], key: str) -> str:
    found: str = attrs[key]
    if found not in ("update", "add", "mul", "min", "max"):
        raise NotLowered(f'`{key}="{found}"`')
    return found


def _scatter_elements(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    reduction = _reduction(attrs, "reduction")
    return to.call("scatter_elements", *args, axis=attrs["axis"], reduction=reduction)


def _scatter_nd(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, indices, updates = args
    rank = len(to.dims(indices))
    if rank == 0:
        raise Refused("`indices` has no axis, and the first holds the coordinates", argument=1)
    moved = permuted(to, indices, [*range(1, rank), 0])
    return to.call("scatter_nd", data, moved, updates, reduction=_reduction(attrs, "mode"))


declare(
    "scatter_elements",
    "data indices updates",
    'axis: int = 0, reduction: str = "update"',
    relation=by_lowering,
    lower=_scatter_elements,
)
declare("scatter_nd", "data indices updates", 'mode: str = "update"', relation=by_lowering, lower=_scatter_nd)


def _unique(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Results are as long as the data; what is behind the `num_unique` first is 0."""
    (data,) = args
    (length,) = ranked(to, data, 1, "data", 0)
    flags = [to.prim(1) for _ in range(3)]
    parts = to.call("unique", data, to.prim(int(bool(attrs["sorted"]))), *flags)
    values, first, inverse, counts = [to.field(parts, index) for index in range(4)]
    place = to.call("cumsum", to.call("ones_like", first), axis=0)
    place = to.call("subtract", place, to.const(1, "int64"))

    def padded(value: Value, dtype: str) -> Value:
        empty = to.call("zeros", to.shape([length]), dtype=dtype)
        return to.call("scatter_elements", empty, place, cast(to, value, dtype), axis=0)

    found = reshaped(to, cast(to, to.call("size", values), "int32"), [1])
    fields = [padded(values, to.dtype(data)), padded(first, "int32"), cast(to, inverse, "int32"), found]
    if attrs["return_counts"]:
        fields.append(padded(counts, "int32"))
    return to.fields(fields)


declare(
    "unique",
    "data",
    "sorted: bool = True, return_counts: bool = False",
    relation=unique_parts,
    lower=_unique,
)


def _unravel_index(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    indices, shape = args
    (rank,) = known(ranked(to, shape, 1, "shape", 1), "the length of `shape`, which is a rank,")
    shape = cast(to, shape, to.dtype(indices))
    found: list[Value] = []
    for axis in reversed(range(rank)):
        size = element(to, shape, axis)
        found.insert(0, to.call("floor_mod", indices, size))
        indices = to.call("floor_divide", indices, size)
    if not found:
        raise Refused("`shape` has no elements", argument=1)
    return to.call("stack", to.fields(found), axis=0)


declare("unravel_index", "data shape", relation=by_lowering, lower=_unravel_index)


def _searchsorted(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    ascending, values = args
    dtype = attrs["dtype"]
    rank = len(to.dims(ascending))
    if rank == 1:
        return cast(to, to.call("bucketize", values, ascending, right=bool(attrs["right"])), dtype)
    ranked(to, values, rank, "values", 1)
    compare = "less_equal" if attrs["right"] else "less"
    one = to.call("expand_dims", ascending, axis=[rank - 1])
    other = to.call("expand_dims", values, axis=[rank])
    return to.call("sum", cast(to, to.call(compare, one, other), dtype), axis=[rank])


declare(
    "searchsorted",
    "sorted_sequence values",
    'right: bool = False, dtype: str = "int32"',
    relation=by_lowering,
    lower=_searchsorted,
)


def _sequence_mask(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, lengths = args
    dims = to.dims(data)
    axis: int = attrs["axis"]
    if axis not in (0, 1) or len(dims) < 2:
        raise Refused(
            "the sequence is axis 0 or 1 of two or more axes", attribute="axis", rule="attribute_value"
        )
    ranked(to, lengths, 1, "valid_length", 1)
    ones = [1] * (len(dims) - 2)
    place = reshaped(
        to,
        positions(to, dims[axis], to.dtype(lengths)),
        [dims[0], 1, *ones] if axis == 0 else [1, dims[1], *ones],
    )
    (batch,) = to.dims(lengths)
    valid = reshaped(to, lengths, [1, batch, *ones] if axis == 0 else [batch, 1, *ones])
    mask = to.const(_number(attrs["mask_value"], to.dtype(data)), to.dtype(data))
    return to.call("where", to.call("less", place, valid), data, mask)


def _number(value: float, dtype: str) -> float:
    if dtype.startswith(("float", "bfloat")):
        return float(value)
    if not isfinite(value):
        raise Refused(f"{value} is not an integer", attribute="mask_value", rule="attribute_value")
    return int(value)


declare(
    "sequence_mask",
    "data valid_length",
    "mask_value: float = 0, axis: int = 0",
    relation=by_lowering,
    lower=_sequence_mask,
)

_SET_DIAGONALS = """
private prim_func @set_diagonals(
  X: Buffer[(b, m, n), {dtype}],
  D: Buffer[(b, k, l), {dtype}],
  Y: Buffer[(b, m, n), {dtype}],
) {{
  for i, r, c in grid(b, m, n) {{
    let d = c - r;
    if d >= {low} && d <= {high} {{
      let length = min(n - max(d, 0), m + min(d, 0));
      let right = select(d > 0, {above}, select(d < 0, {below}, {both}));
      Y[i, r, c] = D[i, {high} - d, min(r, c) + right * (l - length)];
    }} else {{
      Y[i, r, c] = X[i, r, c];
    }}
  }}
}}
"""


def _matrix_set_diag(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, diagonal = args
    low, high = attrs["k1"], attrs["k2"]
    own, given = known(to.dims(data)), known(to.dims(diagonal))
    if len(own) < 2 or low > high:
        raise Refused(
            "`input` has two or more axes, and `k1` is not above `k2`", attribute="k1", rule="attribute_value"
        )
    rows, columns = own[-2:]
    longest = min(rows + min(high, 0), columns - max(low, 0))
    wanted = [*own[:-2], *([high - low + 1] if low != high else []), longest]
    if not -rows < low <= high < columns or given != wanted:
        message = f"`diagonal` has to have the shape {tuple(wanted)} for the diagonals {low} to {high}"
        raise Refused(message, argument=1)
    batch = 1
    for dim in own[:-2]:
        batch *= dim
    above, below = int(bool(attrs["super_diag_right_align"])), int(bool(attrs["sub_diag_right_align"]))
    dtype = to.dtype(data)
    text = _SET_DIAGONALS.format(
        dtype=dtype, low=low, high=high, above=above, below=below, both=above | below
    )
    flat = reshaped(to, data, [batch, rows, columns])
    lines = reshaped(to, diagonal, [batch, high - low + 1, longest])
    return reshaped(to, to.prim_func(text, [flat, lines], [((batch, rows, columns), dtype)]), own)


declare(
    "matrix_set_diag",
    "input diagonal",
    "k1: int = 0, k2: int = 0, super_diag_right_align: bool = True, sub_diag_right_align: bool = False",
    relation=by_lowering,
    lower=_matrix_set_diag,
)


def _sparse_to_dense(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    indices, values, default = args
    shape = ints(attrs["output_shape"])
    dims = to.dims(indices)
    if len(dims) == 0:
        indices = reshaped(to, indices, [1, 1])
    elif len(dims) == 1:
        indices = reshaped(to, indices, [dims[0], 1])
    count = to.dims(indices)[0]
    if not to.dims(values):
        values = to.call("broadcast_to", values, to.shape([count]))
    return to.call("scatter_nd", to.call("broadcast_to", default, to.shape(shape)), indices, values)


declare(
    "sparse_to_dense",
    "sparse_indices sparse_values default_value",
    "output_shape: ints",
    relation=by_lowering,
    lower=_sparse_to_dense,
)


def _invert_permutation(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    (data,) = args
    (length,) = ranked(to, data, 1, "data", 0)
    place = positions(to, length, to.dtype(data))
    return to.call("scatter_elements", to.call("zeros_like", data), data, place, axis=0)


declare("invert_permutation", "data", relation=by_lowering, lower=_invert_permutation)


def _sliding_window(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Each axis becomes two, windows and places in a window; places of all axes come last."""
    data = args[0]
    dims = to.dims(data)
    rank = len(dims)
    axis = axis_of(attrs["axis"], rank)
    shape, strides = ints(attrs["window_shape"]), ints(attrs["strides"])
    if len(shape) != rank - axis or len(strides) != len(shape):
        message = f"`window_shape` and `strides` have one number for each axis from {axis} on"
        raise Refused(message, attribute="window_shape", rule="attribute_value")
    sizes = known(dims[axis:], "the extents that windows slide along")
    for index, (size, window, stride) in enumerate(zip(sizes, shape, strides, strict=True)):
        if window > size or window < 1 or stride < 1:
            message = f"a window of {window} with stride {stride} does not fit on an axis of {size}"
            raise Refused(message, attribute="window_shape", rule="attribute_value")
        count = (size - window) // stride + 1
        first = to.call("multiply", reshaped(to, positions(to, count), [count, 1]), to.const(stride, "int64"))
        place = to.call("add", first, positions(to, window))
        data = to.call("take", data, place, axis=axis + 2 * index)
    spatial = range(axis, axis + 2 * len(shape))
    return permuted(to, data, [*range(axis), *spatial[::2], *spatial[1::2]])


declare(
    "sliding_window",
    "data",
    "axis: int, window_shape: ints, strides: ints",
    relation=by_lowering,
    lower=_sliding_window,
)


def _reinterpret(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    widths = [_width(one) for one in (to.dtype(args[0]), attrs["dtype"])]
    if widths[0] != widths[1]:
        message = f"{to.dtype(args[0])} has {widths[0]} bits, and {attrs['dtype']} has {widths[1]}"
        raise Refused(message, attribute="dtype", rule="attribute_value")
    return to.call("memory.view", args[0], dtype=attrs["dtype"])


def _width(dtype: str) -> int:
    digits = "".join([char for char in dtype if char.isdigit()])
    return int(digits) if digits else 8


declare("reinterpret", "data", "dtype: str", relation=by_lowering, lower=_reinterpret)
