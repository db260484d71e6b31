"""Sums of products: matrices, einsum, attention, convolution."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.reference.base import Index, broadcast, fit, get, indices, made, softmax


def _converted(x: Any, dtype: str | None) -> Any:
    return x if dtype is None else made(x.shape, dtype, lambda index: get(x, index))


def matmul(x1: Any, x2: Any, out_dtype: str | None) -> Any:
    x1, x2 = _converted(x1, out_dtype), _converted(x2, out_dtype)
    left = x1.reshape(1, -1) if x1.ndim == 1 else x1
    right = x2.reshape(-1, 1) if x2.ndim == 1 else x2
    batch = broadcast(left.shape[:-2], right.shape[:-2])
    terms = left.shape[-1]

    def element(index: Index) -> Any:
        *lead, row, column = index
        return sum([get(left, (*lead, row, k)) * get(right, (*lead, k, column)) for k in range(terms)])

    result = made((*batch, left.shape[-2], right.shape[-1]), x1.dtype, element)
    rows = () if x1.ndim == 1 else (left.shape[-2],)
    return result.reshape((*batch, *rows, *(() if x2.ndim == 1 else (right.shape[-1],))))


def linear(data: Any, weight: Any, bias: Any, out_dtype: str | None) -> Any:
    product = matmul(data, weight.T, out_dtype)
    if bias is None:
        return product
    shape = broadcast(product.shape, bias.shape)
    return made(shape, bias.dtype, lambda index: get(product, index) + get(bias, index))


def _labels(term: str, rank: int) -> list[str]:
    """Return one label per axis: letters, and numbers counted from the last for the axes of `...`."""
    before, dots, after = term.partition("...")
    count = rank - len(before) - len(after) if dots else 0
    return [*before, *[str(at) for at in range(count, 0, -1)], *after]


def einsum(operands: tuple[Any, ...], subscripts: str) -> Any:
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = [_labels(term, x.ndim) for term, x in zip(left.split(","), operands, strict=True)]
    extents: dict[str, int] = {}
    for term, x in zip(terms, operands, strict=True):
        for label, extent in zip(term, x.shape, strict=True):
            extents[label] = extent if extents.get(label, 1) == 1 else extents[label]
    numbers = sorted([int(label) for label in extents if label.isdigit()], reverse=True)
    lead = [str(number) for number in numbers]
    if arrow:
        before, dots, after = right.partition("...")
        result = [*before, *(lead if dots else []), *after]
    else:
        letters = left.replace(",", "").replace(".", "")
        result = [*lead, *sorted([letter for letter in set(letters) if letters.count(letter) == 1])]
    summed = [label for label in extents if label not in result]

    def element(index: Index) -> Any:
        total: Any = 0
        for rest in indices([extents[label] for label in summed]):
            at = dict(zip([*result, *summed], [*index, *rest], strict=True))
            total += math.prod(
                [
                    get(x, tuple([at[label] for label in term]))
                    for term, x in zip(terms, operands, strict=True)
                ]
            )
        return total

    return made([extents[label] for label in result], operands[0].dtype, element)


def attention(query: Any, key: Any, value: Any, bias: Any = None, **options: Any) -> Any:
    batch, queries, heads, depth = query.shape
    keys = key.shape[1]
    scale = options["scale"]
    scale = (1 / math.sqrt(depth) if depth else 1.0) if scale is None else scale
    last = keys - queries if options["causal_mask"] == "BottomRight" else 0
    window = options["window_size"] or math.inf
    shared = heads // max(1, key.shape[2])
    weights: dict[Index, list[float]] = {}
    for b, s, h in indices((batch, queries, heads)):
        scores: list[float] = []
        for t in range(keys):
            pairs = [(get(query, (b, s, h, d)), get(key, (b, t, h // shared, d))) for d in range(depth)]
            score = sum([q * k for q, k in pairs]) * scale
            score += 0 if bias is None else get(bias, (b, h, s, t))
            hidden = options["causal_mask"] is not None and not s + last - window < t <= s + last
            scores.append(-math.inf if hidden else score)
        weights[b, s, h] = softmax(scores) if scores else []

    def element(index: Index) -> float:
        b, s, h, e = index
        return sum([weight * get(value, (b, t, h // shared, e)) for t, weight in enumerate(weights[b, s, h])])

    return made((batch, queries, heads, value.shape[3]), query.dtype, element)


def attention_var_len(
    query: Any, key: Any, value: Any, starts_q: Any, starts_k: Any, _q: Any, _k: Any, **options: Any
) -> Any:
    result = np.zeros((*query.shape[:3], value.shape[3]), query.dtype)
    for at in range(len(starts_q) - 1):
        rows = [row for row in range(query.shape[1]) if starts_q[at] <= row < starts_q[at + 1]]
        columns = [column for column in range(key.shape[1]) if starts_k[at] <= column < starts_k[at + 1]]
        result[:, rows] = attention(query[:, rows], key[:, columns], value[:, columns], **options)
    return result


def per_axis(value: int | Sequence[int], n: int) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * n if len(numbers) == 1 else numbers


def paddings(value: int | Sequence[int], n: int) -> list[tuple[int, int]]:
    numbers = [value] if isinstance(value, int) else list(value)
    numbers = numbers * n if len(numbers) == 1 else numbers
    return list(zip(numbers[:n], numbers[-n:], strict=True))


def arranged(x: Any, layout: str, wanted: str) -> Any:
    return x.transpose([layout.index(letter) for letter in wanted])


def conv(data: Any, weight: Any, **options: Any) -> Any:
    n = data.ndim - 2
    letters = "DHW"[3 - n :]
    dtype = options["out_dtype"]
    x = arranged(_converted(data, dtype), options["data_layout"], "NC" + letters)
    w = arranged(_converted(weight, dtype), options["kernel_layout"], "OI" + letters)
    strides, dilation = per_axis(options["strides"], n), per_axis(options["dilation"], n)
    pads, sizes = paddings(options["padding"], n), w.shape[2:]
    out = [
        (i + before + after - d * (k - 1) - 1) // s + 1
        for i, (before, after), d, k, s in zip(x.shape[2:], pads, dilation, sizes, strides, strict=True)
    ]
    per_group, outputs = w.shape[1], w.shape[0] // options["groups"]

    def element(index: Index) -> Any:
        image, channel, *place = index
        total: Any = 0
        for tap in indices(sizes):
            at = [
                p * s + t * d - low
                for p, s, t, d, (low, _) in zip(place, strides, tap, dilation, pads, strict=True)
            ]
            inside = all(0 <= a < extent for a, extent in zip(at, x.shape[2:], strict=True))
            for inner in range(per_group):
                source = channel // outputs * per_group + inner
                total += (get(x, (image, source, *at)) if inside else 0) * get(w, (channel, inner, *tap))
        return total

    return arranged(
        made((x.shape[0], w.shape[0], *out), x.dtype, element),
        "NC" + letters,
        options["out_layout"] or options["data_layout"],
    )


def conv_transpose(data: Any, weight: Any, **options: Any) -> Any:
    n = data.ndim - 2
    letters = "DHW"[3 - n :]
    dtype = options["out_dtype"]
    x = arranged(_converted(data, dtype), options["data_layout"], "NC" + letters)
    w = arranged(_converted(weight, dtype), options["kernel_layout"], "IO" + letters)
    strides, dilation = per_axis(options["strides"], n), per_axis(options["dilation"], n)
    extra, pads = per_axis(options["output_padding"], n), paddings(options["padding"], n)
    out = [
        (i - 1) * s - before - after + d * (k - 1) + e + 1
        for i, s, (before, after), d, k, e in zip(
            x.shape[2:], strides, pads, dilation, w.shape[2:], extra, strict=True
        )
    ]
    groups, inputs = options["groups"], w.shape[0] // options["groups"]
    totals: dict[Index, Any] = {}
    for image, channel, *place in indices(x.shape):
        for outer, tap in itertools.product(range(w.shape[1]), indices(w.shape[2:])):
            at = [
                p * s + t * d - low
                for p, s, t, d, (low, _) in zip(place, strides, tap, dilation, pads, strict=True)
            ]
            index = (image, channel // inputs * w.shape[1] + outer, *at)
            product = get(x, (image, channel, *place)) * get(w, (channel, outer, *tap))
            totals[index] = totals.get(index, 0) + product
    return arranged(
        made((x.shape[0], groups * w.shape[1], *out), x.dtype, lambda index: totals.get(index, 0)),
        "NC" + letters,
        options["out_layout"] or options["data_layout"],
    )


def quantize(data: Any, scale: Any, zero_point: Any, axis: int, out_dtype: str) -> Any:
    wanted = numpy_dtype(out_dtype)
    bits = wanted.itemsize * 8
    low, high = (0, (1 << bits) - 1) if wanted.kind == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)

    def element(index: Index) -> int:
        share, zero = _parameter(scale, index, data, axis), _parameter(zero_point, index, data, axis)
        x = get(data, index)
        if share == 0:
            quotient = (
                math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, share)
            )
        else:
            quotient = float(fit(x / share, data.dtype))
        shifted = (round(quotient) if math.isfinite(quotient) else quotient) + zero
        return 0 if math.isnan(shifted) else int(max(low, min(high, shifted)))

    return made(data.shape, out_dtype, element)


def dequantize(data: Any, scale: Any, zero_point: Any, axis: int, out_dtype: str) -> Any:
    def element(index: Index) -> float:
        value = get(data, index) - _parameter(zero_point, index, data, axis)
        result = value * _parameter(scale, index, data, axis)
        return max(-65504.0, min(65504.0, result)) if out_dtype == "float16" and result == result else result

    return made(data.shape, out_dtype, element)


def _parameter(x: Any, index: Index, data: Any, axis: int) -> Any:
    if x.size == 1:
        return get(x.reshape(()), ())
    return get(x, (index[axis % data.ndim],))


REFERENCE: dict[str, Any] = {
    "matmul": matmul,
    "linear": linear,
    "einsum": einsum,
    "nn.attention": attention,
    "nn.attention_bias": attention,
    "nn.attention_var_len": attention_var_len,
    **{f"nn.conv{n}d": conv for n in (1, 2, 3)},
    **{f"nn.conv{n}d_transpose": conv_transpose for n in (1, 2, 3)},
    "quantize": quantize,
    "dequantize": dequantize,
}
