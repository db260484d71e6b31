"""Operators that belong to no other module here: windows and grids, sums back to a shape, losses, samples."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.values import ShapeValue, Storage
from tests.ops.reference.arrange import written
from tests.ops.reference.base import (
    Index,
    axes_of,
    broadcast,
    divided,
    get,
    indices,
    made,
    replaced,
    safely,
)


def _diagonal(rows: int, columns: int, k: int | None, dtype: Any) -> Any:
    return made((rows, columns), dtype, lambda i: i[1] - i[0] == (k or 0))


def eye(n: int, m: int | None, k: int | None, dtype: str) -> Any:
    return _diagonal(n, n if m is None else m, k, dtype)


def eye_like(x: Any, k: int | None, dtype: str | None) -> Any:
    return _diagonal(*x.shape, k, dtype or x.dtype)


def hamming_window(size: int, periodic: Any, alpha: Any, beta: Any, dtype: str) -> Any:
    period = size if periodic is None or periodic else size - 1
    first, second = 0.54 if alpha is None else alpha, 0.46 if beta is None else beta
    return made(
        (size,),
        dtype,
        lambda i: 1.0 if size == 1 else first - second * math.cos(2 * math.pi * i[0] / period),
    )


def reverse_sequence(data: Any, seq_lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    seq, batch = axes_of([seq_axis, batch_axis], data.ndim)

    def element(index: Index) -> Any:
        length = min(get(seq_lengths, (index[batch],)), data.shape[seq])
        at = index[seq]
        return get(data, replaced(index, seq, length - 1 - at if at < length else at))

    return made(data.shape, data.dtype, element)


def _collapsed(data: Any, shape: Sequence[int]) -> Any:
    totals: dict[Index, Any] = dict.fromkeys(indices(shape), 0)
    for index in indices(data.shape):
        own = index[data.ndim - len(shape) :]
        target = tuple([0 if extent == 1 else at for at, extent in zip(own, shape, strict=True)])
        totals[target] += get(data, index)
    return made(shape, data.dtype, lambda index: totals[index])


def pixel_shuffle(data: Any, upscale_factor: int) -> Any:
    r = upscale_factor
    *batch, channels, height, width = data.shape

    def element(index: Index) -> Any:
        *lead, c, y, x = index
        return get(data, (*lead, c * r * r + y % r * r + x % r, y // r, x // r))

    return made((*batch, channels // (r * r), height * r, width * r), data.dtype, element)


def index_put(data: Any, indices_: tuple[Any, ...], values: Any, accumulate: bool) -> Any:
    places = broadcast(*[each.shape for each in indices_])
    writes = [
        (tuple([get(each, i) % data.shape[at] for at, each in enumerate(indices_)]), get(values, i))
        for i in indices(places)
    ]
    return written(data, writes, "add" if accumulate else "update")


def log_add_exp(x1: Any, x2: Any) -> Any:
    def element(index: Index) -> float:
        x, y = get(x1, index), get(x2, index)
        if x == y:
            return x + math.log(2)
        top = x if x > y else y
        return math.nan if x != x or y != y else top + math.log1p(safely(math.exp, -abs(x - y)))

    return made(broadcast(x1.shape, x2.shape), x1.dtype, element)


def cross_entropy(predictions: Any, labels: Any) -> Any:
    total = sum([get(predictions, i) * get(labels, i) for i in indices(predictions.shape)])
    count = predictions.shape[0] if predictions.ndim > 1 else 1
    return made((), predictions.dtype, lambda index: divided(-float(total), count))


def nll_loss(predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int) -> Any:
    at = min(1, predictions.ndim - 1)
    losses: dict[Index, float] = {}
    shares: dict[Index, float] = {}
    for index in indices(targets.shape):
        target = get(targets, index)
        used = target != ignore_index
        shares[index] = (1.0 if weights is None else get(weights, (target,))) if used else 0.0
        losses[index] = -get(predictions, (*index[:at], target, *index[at:])) * shares[index] if used else 0.0
    if reduction == "none":
        return made(targets.shape, predictions.dtype, lambda index: losses[index])
    total, share = float(sum(losses.values())), float(sum(shares.values()))
    return made((), predictions.dtype, lambda index: total if reduction == "sum" else divided(total, share))


def nll_loss_backward(
    grad: Any, predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int
) -> Any:
    at = min(1, predictions.ndim - 1)
    shares: dict[Index, float] = {}
    for index in indices(targets.shape):
        target = get(targets, index)
        if target != ignore_index:
            shares[(*index[:at], target, *index[at:])] = 1.0 if weights is None else get(weights, (target,))
    total = float(sum(shares.values())) if reduction == "mean" else 1.0

    def element(index: Index) -> float:
        if index not in shares:
            return 0.0
        above = get(grad, (*index[:at], *index[at + 1 :]) if reduction == "none" else ())
        return divided(-shares[index] * above, total)

    return made(predictions.shape, predictions.dtype, element)


def take_backward(grad: Any, x: Any, places: Any, axis: int | None) -> Any:
    at = 0 if axis is None else axis % x.ndim
    rank = places.ndim
    sums: dict[Index, Any] = {}
    for index in indices(grad.shape):
        place = get(places, index[at : at + rank]) % x.shape[at]
        key = (*index[:at], place, *index[at + rank :])
        sums[key] = sums.get(key, 0) + get(grad, index)
    return made(x.shape, x.dtype, lambda index: sums.get(index, 0))


def pool_backward(average: bool) -> Any:
    def backward(grad: Any, data: Any, **options: Any) -> Any:
        layout = options["layout"]
        out = options["out_layout"] or layout
        x = data.transpose([layout.index(letter) for letter in "NCHW"])
        above = grad.transpose([out.index(letter) for letter in "NCHW"])
        sums: dict[Index, float] = {}
        before = options["padding"][:2]
        for n, c, i, j in indices(above.shape):
            inside: list[Index] = []
            cells = 0
            for di in range(options["pool_size"][0]):
                for dj in range(options["pool_size"][1]):
                    place = [
                        at * stride + step * dilation - pad
                        for at, step, stride, dilation, pad in zip(
                            (i, j), (di, dj), options["strides"], options["dilation"], before, strict=True
                        )
                    ]
                    if all(0 <= at < extent for at, extent in zip(place, x.shape[2:], strict=True)):
                        inside.append((n, c, *place))
                    cells += all(
                        at < extent + pad
                        for at, extent, pad in zip(place, x.shape[2:], options["padding"][2:], strict=True)
                    )
            if average:
                count = cells if options["count_include_pad"] else len(inside)
                chosen = {key: get(above, (n, c, i, j)) / max(count, 1) for key in inside}
            else:
                values = [get(x, key) for key in inside]
                nans = [key for key, value in zip(inside, values, strict=True) if value != value]
                best = nans[0] if nans else inside[values.index(max(values))] if inside else None
                chosen = {} if best is None else {best: get(above, (n, c, i, j))}
            for key, value in chosen.items():
                sums[key] = sums.get(key, 0.0) + value

        def element(index: Index) -> float:
            return sums.get(tuple([index[layout.index(letter)] for letter in "NCHW"]), 0.0)

        return made(data.shape, data.dtype, element)

    return backward


def affine_grid(data: Any, size: Any, align_corners: bool) -> Any:
    n = len(size.values)

    def coordinate(place: int, extent: int) -> float:
        if align_corners:
            return -1.0 + 2.0 * place / (extent - 1) if extent > 1 else -1.0
        return (2 * place + 1) / extent - 1

    def element(index: Index) -> float:
        image, row, *place = index
        where = [coordinate(at, extent) for at, extent in zip(place, size.values, strict=True)]
        return sum([get(data, (image, row, at)) * value for at, value in enumerate([*reversed(where), 1.0])])

    return made((data.shape[0], n, *size.values), data.dtype, element)


def multinomial(prob: Any, sample: Any, rows: Any, dtype: str) -> Any:
    def element(index: Index) -> int:
        row, wanted = get(rows, index), get(sample, index)
        total, count = 0.0, 0
        for category in range(prob.shape[1]):
            total += get(prob, (row, category))
            count += total <= wanted
        return min(count, prob.shape[1] - 1)

    return made(sample.shape, dtype, element)


CODES = {"float32": "f", "float64": "d", "float16": "e", "bool": "?", "int8": "b", "int16": "h", "int32": "i",
         "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}  # fmt: skip


def view(x: Any, shape: Any, offset: int | None, dtype: str | None) -> Any:
    wanted = x.dtype if dtype is None else numpy_dtype(dtype)
    extents = x.shape if shape is None else shape.values
    content = b"".join([struct.pack("=" + CODES[x.dtype.name], get(x, i)) for i in indices(x.shape)])
    values = iter(range(math.prod(extents)))

    def element(_index: Index) -> Any:
        start = (offset or 0) + next(values) * wanted.itemsize
        if wanted.name == "bfloat16":  # the upper half of a float32
            return struct.unpack("<f", b"\0\0" + content[start : start + 2])[0]
        return struct.unpack_from("=" + CODES[wanted.name], content, start)[0]

    return made(extents, wanted, element)


def _same(data: Any, **_attrs: object) -> Any:
    return made(data.shape, data.dtype, lambda index: get(data, index))


def _number(value: int, dtype: str) -> Any:
    return np.array(value, dtype)


REFERENCE: dict[str, Any] = {
    "eye": eye,
    "eye_like": eye_like,
    "hamming_window": hamming_window,
    "builtin.alloc_tensor": lambda shape, *_, dtype, **_attrs: np.zeros(shape.values, numpy_dtype(dtype)),
    "reverse_sequence": reverse_sequence,
    "collapse_sum_to": lambda data, shape: _collapsed(data, shape.values),
    "collapse_sum_like": lambda data, target: _collapsed(data, target.shape),
    "nn.pixel_shuffle": pixel_shuffle,
    "index_put": index_put,
    "log_add_exp": log_add_exp,
    "nn.cross_entropy_with_logits": cross_entropy,
    "nn.nll_loss": nll_loss,
    "image.affine_grid": affine_grid,
    "multinomial_from_uniform": multinomial,
    "memory.view": view,
    "grad.nll_loss_backward": nll_loss_backward,
    "grad.take_backward": take_backward,
    "grad.max_pool2d_backward": pool_backward(average=False),
    "grad.avg_pool2d_backward": pool_backward(average=True),
    **dict.fromkeys(
        ("grad.no_grad", "grad.start_checkpoint", "grad.end_checkpoint", "builtin.stop_lift_params"), _same
    ),
    **dict.fromkeys(("ccl.allreduce", "ccl.broadcast_from_worker0", "ccl.allgather"), _same),
    **dict.fromkeys(("ccl.scatter_from_worker0", "dist.redistribute_replica_to_shard"), _same),
    **dict.fromkeys(("memory.ensure_zero_offset", "dist.annotate_sharding", "dist.redistribute"), _same),
    "wrap_param": lambda data, dtype: made(
        data.shape, numpy_dtype(dtype), lambda index: data[index].astype(numpy_dtype(dtype))
    ),
    "inspect.tensor_dtype_code": lambda x: _number(
        {"i": 0, "u": 1, "f": 2, "V": 4, "b": 6}[x.dtype.kind], "uint8"
    ),
    "inspect.tensor_dtype_bits": lambda x: _number(x.nbytes * 8 // max(x.size, 1) or x.itemsize * 8, "uint8"),
    "inspect.tensor_dtype_lanes": lambda x: _number(1, "uint16"),
    "inspect.tensor_ndim": lambda x: _number(len(x.shape), "int32"),
    "inspect.tensor_byte_offset": lambda x: _number(0, "uint64"),
    "inspect.tensor_elem_offset": lambda x: _number(0, "uint64"),
    "inspect.tensor_shape_i": lambda x, axis: _number(x.shape[axis], "int64"),
    "inspect.tensor_stride_i": lambda x, axis: _number(math.prod(x.shape[axis + 1 :]), "int64"),
    "hint_on_device": _same,
    "to_vdevice": _same,
    **dict.fromkeys(("memory.kill_storage", "memory.kill_tensor", "vm.kill_object"), lambda _value: ()),
    **dict.fromkeys(
        ("vm.match_shape", "vm.check_tensor_info", "vm.check_shape_info", "vm.check_tuple_info"),
        lambda *_values, **_attrs: (),  # only right ones get here; what they store has tests of its own
    ),
    **dict.fromkeys(
        ("memory.alloc_storage", "vm.alloc_storage"),
        lambda size, _index, **_attrs: Storage(np.zeros(sum(1 for _ in indices(size.values)), np.uint8)),
    ),
    **dict.fromkeys(
        ("memory.alloc_tensor", "vm.alloc_tensor"),
        lambda storage, offset, shape, _index=None, *, dtype: np.frombuffer(
            storage.octets.tobytes(), numpy_dtype(dtype), math.prod(shape.values), offset
        ).reshape(shape.values),
    ),
    "vm.alloc_shape_heap": lambda size: np.array([-(2**63)] * size, np.int64),
    "vm.alloc_tensor_at": lambda storage, offset, shape, *, dtype: np.frombuffer(
        storage.octets.tobytes(), numpy_dtype(dtype), math.prod(shape.values), offset.values[0]
    ).reshape(shape.values),
    **dict.fromkeys(
        ("vm.make_prim_value", "vm.make_scalar"),
        lambda heap, slot, dtype="int64": np.array(int(heap[slot]), numpy_dtype(dtype)),
    ),
    "vm.make_shape": lambda heap, codes, operands, **_: ShapeValue(
        tuple([int(heap[o]) if code == "slot" else o for code, o in zip(codes, operands, strict=True)])
    ),
}
