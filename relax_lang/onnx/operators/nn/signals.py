"""Signals and texts: Fourier transforms as products with matrices, filters, counts of n-grams."""

from __future__ import annotations

import math

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axis_of, bounded, imports
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.operators.tensor.movement import padded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value

_LONGEST = 1 << 13
"""A transform by a matrix of more columns takes too long."""


@imports("DFT")
def dft(node: Node) -> Value:
    """Real or complex signals along one axis; the last axis holds real and imaginary parts."""
    b, x = node.builder, node.input(0)
    rank = len(x.dims)
    if node.opset >= 20:
        axis = int(node.known(2, "the axis").reshape(-1)[0]) if node.given(2) else -2
    else:
        axis = node.int("axis", 1)
    axis = axis_of(axis, rank)
    own = dims.number(x.dims[axis])
    inverse, onesided = bool(node.int("inverse", 0)), bool(node.int("onesided", 0))
    if node.given(1):
        length = int(node.known(1, "the length").reshape(-1)[0])
    elif own is None:
        raise Refused("the length of its signal is not known")
    else:
        length = (own - 1) * 2 if inverse and onesided else own
    taken = length // 2 + 1 if inverse and onesided else length
    x = _fitted(node, x, axis, taken)
    order = [*[at for at in range(rank) if at not in (axis, rank - 1)], axis, rank - 1]
    made = transform(node, b.transpose(x, order), length, inverse=inverse, onesided=onesided)
    return b.transpose(made, [order.index(at) for at in range(rank)])


def _fitted(node: Node, x: Value, axis: int, length: int) -> Value:
    """Return a signal cut or filled with zeros to a length."""
    after = [dims.dim(0)] * len(x.dims)
    after[axis] = dims.sub(dims.dim(length), x.dims[axis])
    return padded(node, x, [dims.dim(0)] * len(x.dims), after, "constant", node.builder.like(0, x))


def transform(node: Node, x: Value, length: int, *, inverse: bool, onesided: bool) -> Value:
    """Return the transform along the last axis but one; the last has one part, or two."""
    import numpy as np

    b = node.builder
    if length > _LONGEST:
        raise Refused(f"a signal of {length} elements")
    shape = x.dims[:-1]
    parts = [
        b.reshape(b.slice(x, [len(shape)], [at], [at + 1]), shape)
        for at in range(dims.number(x.dims[-1]) or 1)
    ]
    rows = length // 2 + 1 if onesided else length
    grid = np.outer(
        np.arange(rows if inverse and onesided else length), np.arange(length if inverse else rows)
    )
    angles = grid * (2 * math.pi / length)
    cosines, sines = np.cos(angles), np.sin(angles)
    if inverse and onesided:
        weights = np.full((rows, 1), 2.0)
        weights[0] = 1
        if length % 2 == 0:
            weights[-1] = 1
        cosines, sines = cosines * weights, sines * weights
    if inverse:
        cosines, sines = cosines / length, -sines / length
    c, s = b.constant(cosines, x.dtype), b.constant(sines, x.dtype)
    real = b.op("matmul", parts[0], c)
    imaginary = b.op("negative", b.op("matmul", parts[0], s))
    if len(parts) == 2:
        real = b.op("add", real, b.op("matmul", parts[1], s))
        imaginary = b.op("add", imaginary, b.op("matmul", parts[1], c))
    if inverse and onesided:
        return b.op("expand_dims", real, axis=-1)
    return b.op("stack", (real, imaginary), axis=-1)


@imports("STFT")
def stft(node: Node) -> Value:
    """Transforms of frames, each multiplied by a window."""
    import numpy as np

    b, x = node.builder, node.input(0)
    step = int(node.known(1, "the step").reshape(-1)[0])
    window = node.optional(2)
    if node.given(3):
        length = int(node.known(3, "the length of a frame").reshape(-1)[0])
    else:
        length = dims.number(window.dims[0]) if window is not None else None
    total = dims.number(x.dims[1])
    if length is None or total is None or step < 1:
        raise Refused("the extents of its frames are not known")
    count = (total - length) // step + 1
    bounded(count, length)
    places = np.arange(count)[:, None] * step + np.arange(length)
    x = x if len(x.dims) == 3 else b.op("expand_dims", x, axis=2)
    frames = b.op("take", x, b.constant(places, "int64"), axis=1)
    if window is not None:
        frames = b.op("multiply", frames, b.reshape(window, [length, 1]))
    return transform(node, frames, length, inverse=False, onesided=bool(node.int("onesided", 1)))


@imports("MelWeightMatrix")
def mel_weights(node: Node) -> Value:
    """Triangular filters, evenly spaced on the mel scale; all of it is known at import."""
    import numpy as np

    bins, length, rate, low, high = [float(node.known(at, "its input").reshape(-1)[0]) for at in range(5)]
    n_bins, spectrum = int(bins), int(length) // 2 + 1
    lowest, highest = [2595 * np.log10(1 + one / 700) for one in (low, high)]
    mels = lowest + np.arange(n_bins + 2) * (highest - lowest) / (n_bins + 2)
    edges = ((length + 1) * 700 * (10 ** (mels / 2595) - 1)) // rate
    bounded(spectrum, n_bins)
    made = np.zeros((spectrum, n_bins))
    for at in range(n_bins):
        first, centre, last = [int(one) for one in edges[at : at + 3]]
        if first == centre:
            made[centre, at] = 1
        else:
            for row in range(first, centre + 1):
                made[row, at] = (row - first) / (centre - first)
        for row in range(centre, last if last > centre else centre):
            made[row, at] = (last - row) / (last - centre)
    dtype = node.dtype("output_datatype", "float32")
    return node.builder.constant(made, dtype)


@imports("TfIdfVectorizer")
def tf_idf(node: Node) -> Value:
    """How often each n-gram of a pool occurs in rows of numbers, with weights."""
    import numpy as np

    b, x = node.builder, node.input(0)
    pool = node.ints("pool_int64s")
    if pool is None:
        raise Refused("a pool of strings")
    shortest, longest, skips = (
        node.int("min_gram_length"),
        node.int("max_gram_length"),
        node.int("max_skip_count"),
    )
    starts, columns = node.ints("ngram_counts") or [], node.ints("ngram_indexes") or []
    flat = len(x.dims) == 1
    x = b.op("expand_dims", x, axis=0) if flat else x
    length = dims.number(x.dims[1])
    if length is None:
        raise Refused("the length of its rows is not known")
    x = b.cast(x, "int64")
    counts: list[tuple[list[int], Value]] = []
    used = 0
    for size, first in enumerate(starts, 1):
        last = starts[size] if size < len(starts) else len(pool)
        grams = np.array(pool[first:last], np.int64).reshape(-1, size)
        places = columns[used : used + len(grams)]
        used += len(grams)
        if shortest <= size <= longest and len(grams):
            counts += [
                (places, one) for one in _occurrences(node, x, grams, length, skips if size > 1 else 0)
            ]
    width = max(columns, default=-1) + 1
    total: Value = b.full([x.dims[0], width], 0, "float32")
    for places, count in counts:
        bounded(len(places), width)
        spread = np.zeros((len(places), width))
        spread[np.arange(len(places)), places] = 1
        total = b.op("add", total, b.op("matmul", count, b.constant(spread, "float32")))
    made = _weighted(node, total, columns, width)
    return b.reshape(made, [width]) if flat else made


def _occurrences(node: Node, x: Value, grams: object, length: int, skips: int) -> list[Value]:
    import numpy as np

    b = node.builder
    pool = np.asarray(grams)
    size = pool.shape[1]
    found: list[Value] = []
    for skip in range(skips + 1):
        windows = length - (size - 1) * (skip + 1)
        if windows <= 0:
            continue
        equal: Value | None = None
        for at in range(size):
            start = at * (skip + 1)
            part = b.op("expand_dims", b.slice(x, [1], [start], [start + windows]), axis=2)
            same = b.op("equal", part, b.constant(pool[:, at], "int64"))
            equal = same if equal is None else b.op("logical_and", equal, same)
        assert equal is not None
        found.append(b.op("sum", b.cast(equal, "float32"), axis=[1]))
    return found


def _weighted(node: Node, total: Value, columns: list[int], width: int) -> Value:
    import numpy as np

    b = node.builder
    mode = node.string("mode")
    if mode not in ("TF", "IDF", "TFIDF"):
        raise Invalid(f"there is no mode `{mode}`")
    if mode == "IDF":
        total = b.cast(b.op("greater", total, b.like(0, total)), "float32")
    weights = node.attribute("weights")
    if mode == "TF" or not weights:
        return total
    table = np.ones(width)
    table[columns] = weights
    return b.op("multiply", total, b.constant(table, "float32"))
