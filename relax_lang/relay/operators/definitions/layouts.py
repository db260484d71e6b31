"""Operators that order elements by a layout, in blocks, or with gaps. [R.33]

A layout is a word such as `NCHW4c`: capitals are axes, `4c` is the part of `C` that has 4 places.
"""

from __future__ import annotations

import re

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import (
    cast,
    differ,
    ints,
    known,
    permuted,
    ranked,
    repeated,
    reshaped,
    times,
)
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Dim, Emitter, Value

_PART = re.compile(r"([A-Z])|(\d{1,18})([a-z])")


def parts_of(layout: str) -> list[tuple[str, int]]:
    """Return the axes of a layout, each with its number of places, 0 where that is open. Raises Refused."""
    found: list[tuple[str, int]] = []
    at = 0
    while match := _PART.match(layout, at):
        at = match.end()
        found.append((match[1], 0) if match[1] else (match[3], int(match[2])))
    names = [name for name, _ in found]
    if at != len(layout) or len(set(names)) < len(names) or any(one.upper() not in names for one in names):
        raise Refused(f"`{layout}` is not a layout such as NCHW or NCHW4c", rule="attribute_value")
    return found


def transformed(to: Emitter, data: Value, source: str, target: str) -> Value:
    """Return a tensor in another layout: parts are joined with their axes, then split off anew."""
    before, after = parts_of(source), parts_of(target)
    primal = [name for name, _ in after if name.isupper()]
    if set(primal) != {name for name, _ in before if name.isupper()}:
        raise Refused(f"the layouts {source} and {target} have different axes", rule="attribute_value")
    dims = to.dims(data)
    if len(dims) != len(before):
        raise Refused(f"`data` has {len(dims)} axes, and the layout {source} has {len(before)}", argument=0)
    if source == target:
        return data
    sizes = {name: dim for (name, _), dim in zip(before, dims, strict=True)}
    places = {name: index for index, (name, _) in enumerate(before)}
    whole: dict[str, Dim] = {}
    order: list[int] = []
    for name in primal:
        part = name.lower()
        order.append(places[name])
        whole[name] = sizes[name]
        if part in places:
            order.append(places[part])
            whole[name] = times(sizes[name], sizes[part])
    data = permuted(to, data, order)
    if len(order) != len(primal):
        data = reshaped(to, data, [whole[name] for name in primal])
    factors = {name.upper(): size for name, size in after if name.islower()}
    split: list[Dim] = []
    names: list[str] = []
    for name in primal:
        names.append(name)
        if name not in factors:
            split.append(whole[name])
            continue
        (size,) = known([whole[name]], f"the extent of {name}, which is split,")
        if size % factors[name]:
            raise Refused(
                f"{size} places of {name} cannot be split into parts of {factors[name]}", argument=0
            )
        split += [size // factors[name], factors[name]]
        names.append(name.lower())
    if factors:
        data = reshaped(to, data, split)
    return permuted(to, data, [names.index(name) for name, _ in after])


def _layout_transform(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return transformed(to, args[0], attrs["src_layout"], attrs["dst_layout"])


declare(
    "layout_transform",
    "data",
    "src_layout: str, dst_layout: str",
    relation=by_lowering,
    lower=_layout_transform,
)


def _blocked_conv(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """A convolution in the layout that every target has, between two transforms."""
    data_layout, kernel_layout = attrs["data_layout"], attrs["kernel_layout"]
    data = transformed(to, args[0], data_layout, "NCHW")
    weight = transformed(to, args[1], kernel_layout, "OIHW")
    more = {"out_dtype": attrs["out_dtype"]} if attrs["out_dtype"] else {}
    made = to.call(
        "nn.conv2d",
        data,
        weight,
        strides=repeated(attrs["strides"], 2, "strides"),
        padding=ints(attrs["padding"]),
        dilation=repeated(attrs["dilation"], 2, "dilation"),
        groups=attrs["groups"],
        **more,
    )
    return transformed(to, made, "NCHW", attrs["out_layout"] or data_layout)


declare(
    "nn.contrib_conv2d_NCHWc nn.contrib_depthwise_conv2d_NCHWc",
    "data weight",
    "strides: ints = [1, 1], padding: ints = [0, 0], dilation: ints = [1, 1], groups: int = 1, "
    'channels: int? = None, kernel_size: ints? = None, data_layout: str = "NCHW", '
    'kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str = ""',
    relation=by_lowering,
    lower=_blocked_conv,
)


def _dense_pack(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """The units are in blocks, which are the last axis of the weight."""
    data, weight = args
    blocks, inner, size = ranked(to, weight, 3, "weight", 1)
    rows = reshaped(to, permuted(to, weight, [0, 2, 1]), [times(blocks, size), inner])
    more = {"out_dtype": attrs["out_dtype"]} if attrs["out_dtype"] else {}
    return to.call("matmul", data, to.call("permute_dims", rows), **more)


declare(
    "nn.contrib_dense_pack",
    "data weight",
    'units: int?, out_dtype: str = "", weight_layout: str = "NC"',
    relation=by_lowering,
    lower=_dense_pack,
)


def _pairs(value: Any, count: int, attribute: str) -> list[tuple[int, int]]:
    found = [tuple(pair) for pair in value]
    if len(found) != count or any(len(pair) != 2 for pair in found):
        message = f"`{attribute}` has to have two numbers for each of {count} axes"
        raise Refused(message, attribute=attribute, rule="attribute_value")
    return [(before, after) for before, after in found]


def _space_to_batch(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data = args[0]
    blocks = ints(attrs["block_shape"])
    count = len(blocks)
    pads = _pairs(attrs["paddings"], count, "paddings")
    dims = to.dims(data)
    if len(dims) <= count:
        raise Refused(
            f"`data` has {len(dims)} axes: a batch and {count} that are cut into blocks", argument=0
        )
    rest = dims[count + 1 :]
    spatial = known(dims[1 : count + 1], "the extents that are cut into blocks")
    sizes = [size + sum(pad) for size, pad in zip(spatial, pads, strict=True)]
    _divisible(sizes, blocks)
    if any(sum(pad) for pad in pads):
        width = [0, 0, *[one for pad in pads for one in pad], *[0] * (2 * len(rest))]
        data = to.call(
            "nn.pad", data, pad_width=width, pad_mode="constant", pad_value=float(attrs["pad_value"])
        )
    apart: list[Dim] = [dims[0]]
    for size, block in zip(sizes, blocks, strict=True):
        apart += [size // block, block]
    data = reshaped(to, data, [*apart, *rest])
    inner = [2 + 2 * index for index in range(count)]
    outer = [1 + 2 * index for index in range(count)]
    last = range(1 + 2 * count, len(apart) + len(rest))
    data = permuted(to, data, [*inner, 0, *outer, *last])
    batch = dims[0]
    for block in blocks:
        batch = times(batch, block)
    return reshaped(
        to, data, [batch, *[size // block for size, block in zip(sizes, blocks, strict=True)], *rest]
    )


def _divisible(sizes: list[int], blocks: list[int]) -> None:
    for size, block in zip(sizes, blocks, strict=True):
        if block < 1 or size % block:
            raise Refused(f"{size} places cannot be cut into blocks of {block}", attribute="block_shape")


def _batch_to_space(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data = args[0]
    blocks = ints(attrs["block_shape"])
    count = len(blocks)
    crops = _pairs(attrs["crops"], count, "crops")
    dims = to.dims(data)
    if len(dims) <= count:
        raise Refused(
            f"`data` has {len(dims)} axes: a batch and {count} that blocks are put into", argument=0
        )
    rest = dims[count + 1 :]
    whole = 1
    for block in blocks:
        whole *= block
    (batch,) = known(dims[:1], "the batch")
    spatial = known(dims[1 : count + 1], "the extents that blocks are put into")
    _divisible([batch], [whole])
    data = reshaped(to, data, [*blocks, batch // whole, *spatial, *rest])
    order = [count]
    for index in range(count):
        order += [count + 1 + index, index]
    data = permuted(to, data, [*order, *range(2 * count + 1, 2 * count + 1 + len(rest))])
    sizes = [size * block for size, block in zip(spatial, blocks, strict=True)]
    data = reshaped(to, data, [batch // whole, *sizes, *rest])
    if not any(sum(crop) for crop in crops):
        return data
    begin = [crop[0] for crop in crops]
    end = [size - crop[1] for size, crop in zip(sizes, crops, strict=True)]
    if any(first > last for first, last in zip(begin, end, strict=True)):
        raise Refused("`crops` takes away more than there is", attribute="crops", rule="attribute_value")
    parts = [to.prims(one) for one in (list(range(1, count + 1)), begin, end, [1] * count)]
    return to.call("strided_slice", data, *parts)


declare(
    "nn.space_to_batch_nd",
    "data",
    "block_shape: ints = [1, 1], paddings: any, pad_value: float = 0.0",
    relation=by_lowering,
    lower=_space_to_batch,
)
declare(
    "nn.batch_to_space_nd",
    "data",
    "block_shape: ints = [1, 1], crops: any",
    relation=by_lowering,
    lower=_batch_to_space,
)


def _dilate(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Each element gets its gap on an axis of its own, which is joined then; the last gap is cut off."""
    data = args[0]
    rank = len(to.dims(data))
    strides = repeated(attrs["strides"], rank, "strides") if rank else []
    for axis, stride in enumerate(strides):
        if stride < 1:
            raise Refused("`strides` has to be positive", attribute="strides", rule="attribute_value")
        dims = to.dims(data)
        (size,) = known(dims[axis : axis + 1], "extents with gaps between")
        if stride == 1 or size == 0:
            continue
        width = [0] * (2 * rank + 2)
        width[2 * axis + 3] = stride - 1
        apart = to.call("expand_dims", data, axis=[axis + 1])
        value = float(attrs["dilation_value"])
        apart = to.call("nn.pad", apart, pad_width=width, pad_mode="constant", pad_value=value)
        data = reshaped(to, apart, [*dims[:axis], size * stride, *dims[axis + 1 :]])
        parts = [to.prims([one]) for one in (axis, 0, (size - 1) * stride + 1, 1)]
        data = to.call("strided_slice", data, *parts)
    return data


declare(
    "nn.dilate",
    "data",
    "strides: ints, dilation_value: float = 0.0",
    relation=by_lowering,
    lower=_dilate,
)

_SPARSE_PRODUCT = """
private prim_func @sparse_product(
  X: Buffer[(m, k), {dtype}],
  W: Buffer[(z, r, c), {dtype}],
  At: Buffer[(z,), int64],
  Rows: Buffer[(p,), int64],
  Y: Buffer[(m, n), {dtype}],
) {{
  for i, j in grid(m, n) {{
    Y[i, j] = {zero};
    for e in Rows[j // r]..Rows[j // r + 1] {{
      for q in 0..c {{
        Y[i, j] += X[i, At[e] * c + q] * W[e, j % r, q];
      }}
    }}
  }}
}}
"""

_SPARSE_SUM = """
private prim_func @sparse_sum(
  X: Buffer[(m, k), {dtype}],
  W: Buffer[(z,), {dtype}],
  At: Buffer[(z,), int64],
  Rows: Buffer[(p,), int64],
  Y: Buffer[(m, k), {dtype}],
) {{
  for i, j in grid(m, k) {{
    Y[i, j] = X[i, j];
  }}
  for i in 0..m {{
    for e in Rows[i]..Rows[i + 1] {{
      Y[i, At[e]] += W[e];
    }}
  }}
}}
"""


def _compressed_rows(to: Emitter, args: Sequence[Value]) -> tuple[Value, Value]:
    (places,) = ranked(to, args[2], 1, "indices", 2)
    ranked(to, args[3], 1, "indptr", 3)
    values = to.dims(args[1])[:1]
    if values and differ(values[0], places):
        raise Refused(
            f"there are {values[0]} values of the sparse matrix, and {places} `indices`", argument=2
        )
    for index in (2, 3):
        if to.dtype(args[index]) not in ("int32", "int64"):
            raise Refused("the places of a sparse matrix are integers", argument=index, rule="dtype")
    if to.dtype(args[0]) != to.dtype(args[1]):
        message = f"the dense matrix is {to.dtype(args[0])}, and the sparse one {to.dtype(args[1])}"
        raise Refused(message, argument=1, rule="dtype")
    return cast(to, args[2], "int64"), cast(to, args[3], "int64")


def _sparse_dense(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """The product with the transpose of a matrix in compressed rows, of numbers or of blocks."""
    if attrs["sparse_lhs"]:
        raise NotLowered("`sparse_lhs=True`")
    places, rows = _compressed_rows(to, args)
    left = ranked(to, args[0], 2, "data", 0)[0]
    weight = args[1]
    dims = to.dims(weight)
    if len(dims) == 1:
        weight = reshaped(to, weight, [dims[0], 1, 1])
        dims = [dims[0], 1, 1]
    if len(dims) != 3:
        raise Refused(
            f"`weight_data` has one axis, or three for blocks; this one has {len(dims)}", argument=1
        )
    (ends,) = known(to.dims(args[3]), "the length of `indptr`, which gives the units,")
    if ends < 1:
        raise Refused("`indptr` has to have an element", argument=3)
    dtype = to.dtype(args[0])
    units = times(ends - 1, dims[1])
    text = _SPARSE_PRODUCT.format(dtype=dtype, zero="0.0" if dtype.startswith("float") else "0")
    return to.prim_func(text, [args[0], weight, places, rows], [((left, units), dtype)])


def _sparse_add(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    places, rows = _compressed_rows(to, args)
    dims, dtype = ranked(to, args[0], 2, "dense_data", 0), to.dtype(args[0])
    ranked(to, args[1], 1, "sparse_data", 1)
    text = _SPARSE_SUM.format(dtype=dtype)
    return to.prim_func(text, [args[0], args[1], places, rows], [(dims, dtype)])


declare(
    "nn.sparse_dense",
    "data weight_data weight_indices weight_indptr",
    "sparse_lhs: bool = False",
    relation=by_lowering,
    lower=_sparse_dense,
)
declare("nn.sparse_add", "dense_data sparse_data indices indptr", relation=by_lowering, lower=_sparse_add)
