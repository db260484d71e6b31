"""What the PrimFuncs of `shapes.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import NONZERO, Case, at, indices
from tests.tir.corpus.norms import SOME

LONG = at(n=(5, 3, 4), m=(6, 3, 4))
"""Sizes that a reflection by two elements fits into."""


def blocks(a, b):
    n, m = len(a), len(b)
    y = np.zeros((n + m, n + m), np.float32)
    y[:n, :n], y[n:, n:] = a, b
    return y


def to_space(x):
    b, c4, h, w = x.shape
    parts = x.reshape(b, c4 // 4, 2, 2, h, w)
    return parts.transpose(0, 1, 4, 2, 5, 3).reshape(b, c4 // 4, h * 2, w * 2)


def to_depth(x):
    b, c, h2, w2 = x.shape
    parts = x.reshape(b, c, h2 // 2, 2, w2 // 2, 2)
    return parts.transpose(0, 1, 3, 5, 2, 4).reshape(b, c * 4, h2 // 2, w2 // 2)


def dilated(x):
    y = np.zeros(3 * len(x), np.float32)
    y[::3] = x
    return y


def toeplitz(x, y):
    n, m = y.shape
    return np.array([x[n - 1 - i : n - 1 - i + m] for i in range(n)]).reshape(n, m)


def banded(x):
    return np.triu(np.tril(x, 1), -1)


def put(x, u, y):
    m = x.shape[1]
    y[:, :m] = x
    y[:, m // 2 : m // 2 + u.shape[1]] = u
    return y


def reversed_rows(x, lengths):
    return np.array(
        [[*row[:length][::-1], *row[length:]] for row, length in zip(x, lengths, strict=True)]
    ).reshape(x.shape)


def packed(x):
    n, m = x.shape
    return np.pad(x, ((0, -n % 4), (0, 0))).reshape(-(-n // 4), 4, m).transpose(0, 2, 1)


def lower(y):
    n = len(y)
    return np.maximum(np.subtract.outer(np.arange(n), np.arange(n)), 0)


def fibonacci(y):
    values = [1, 1]
    while len(values) < len(y):
        values.append(values[-1] + values[-2])
    return np.array(values[: len(y)], np.int32)


def shifted(y):
    return np.append(y[1:], y[-1:])


CASES = {
    "pad_constant": Case(lambda x: np.pad(x, ((1, 2), (2, 3)), constant_values=-1.5), ulps=0),
    "pad_by_filling": Case(lambda x: np.pad(x, 1)),
    "pad_reflect": Case(lambda x: np.pad(x, ((0, 0), (2, 2)), mode="reflect"), LONG, ulps=0),
    "pad_reflect_pieces": Case(lambda x: np.pad(x, 2, mode="reflect"), LONG, ulps=0),
    "pad_edge": Case(lambda x: np.pad(x, ((1, 1), (2, 2)), mode="edge"), NONZERO, ulps=0),
    "pad_circular": Case(lambda x: np.pad(x, 2, mode="wrap"), NONZERO, ulps=0),
    "concat_three": Case(lambda a, b, c: np.concatenate([a, b, c], axis=1), ulps=0),
    "split_three": Case(lambda x: tuple(np.split(x, 3, axis=1)), outputs=3, ulps=0),
    "stack": Case(lambda a, b: np.stack([a, b], axis=1)),
    "stack_last": Case(lambda a, b: np.stack([a, b], axis=1), ulps=0),
    "tile": Case(lambda x: np.tile(x, (2, 3)), ulps=0),
    "repeat": Case(lambda x: np.repeat(x, 3, axis=1), ulps=0),
    "flip_both": Case(np.flip, ulps=0),
    "reshape_split": Case(lambda x: x.reshape(len(x) // 4, 4, x.shape[1]), ulps=0),
    "reshape_merge": Case(lambda x: x.reshape(len(x), x.shape[1] * x.shape[2]), ulps=0),
    "reshape_other": Case(lambda x: x.reshape(len(x) * 2, 3)),
    "roll": Case(lambda x, shift: np.roll(x, shift, axis=1), scalars=(2,), ulps=0),
    "roll_pieces": Case(lambda x: np.roll(x, 1), ulps=0),
    "transpose4": Case(lambda x: x.transpose(0, 2, 3, 1), ulps=0),
    "depth_to_space": Case(to_space, ulps=0),
    "space_to_depth": Case(to_depth, ulps=0),
    "slice_strided": Case(lambda x: x[1::3, 2:-2], ulps=0),
    "slice_backwards": Case(lambda x: x[::-2]),
    "slice_at": Case(
        lambda x, y, start: x[start : start + len(y)],
        at(m=(9, 7, 6), n=(4, 1, 0)),
        scalars=(5,),
        in_place=True,
        ulps=0,
    ),
    "broadcast_to": Case(lambda x, y: np.broadcast_to(x, y.shape), in_place=True, ulps=0),
    "squeeze": Case(lambda x: x[0, :, 0]),
    "unfold": Case(lambda x: np.stack([x[:-2], x[1:-1], x[2:]], axis=1), ulps=0),
    "toeplitz": Case(toeplitz, in_place=True),
    "dilate": Case(dilated, ulps=0),
    "mesh_grid": Case(lambda a, b: tuple(np.meshgrid(a, b, indexing="ij")), outputs=2, ulps=0),
    "block_diagonal": Case(blocks, ulps=0),
    "upper_triangle": Case(lambda x: np.triu(x, 1), ulps=0),
    "lower_triangle_loops": Case(lower, in_place=True),
    "band_part": Case(banded, ulps=0),
    "diagonal_matrix": Case(lambda x: x[:, :, None] * np.eye(x.shape[1], dtype=np.float32), ulps=0),
    "interleave": Case(lambda a, b: np.stack([a, b], axis=1).ravel(), ulps=0),
    "put_slice": Case(put, in_place=True, ulps=0),
    "reverse_sequence": Case(reversed_rows, inputs={"L": indices("n", 1)}, ulps=0),
    "pack_channels": Case(lambda x: x.reshape(len(x) // 4, 4, *x.shape[1:]).transpose(0, 2, 3, 1), ulps=0),
    "unpack_channels": Case(lambda x: x.transpose(0, 3, 1, 2).reshape(len(x) * 4, *x.shape[1:3]), ulps=0),
    "pack_with_padding": Case(packed, ulps=0),
    "rotate_quarter": Case(np.rot90),
    "fused_loop": Case(lambda x: x + x, ulps=0),
    "tiled_loops": Case(lambda x: x + 1, ulps=0),
    "transpose": Case(lambda x: x.T),
    "permute": Case(lambda x: x.transpose(2, 0, 1)),
    "tail": Case(lambda x: x[2:]),
    "flip": Case(lambda x: x[:, ::-1]),
    "every_second": Case(lambda x: x[1::2]),
    "flatten": Case(np.ravel),
    "concat": Case(lambda a, b: np.concatenate([a, b])),
    "pad": Case(lambda x: np.pad(x, 1)),
    "diagonal": Case(np.diagonal),
    "set_diagonal": Case(lambda y: np.eye(len(y), dtype=np.float32), in_place=True),
    "outer": Case(np.outer),
    "shift_left": Case(shifted, in_place=True),
    "fibonacci": Case(fibonacci, at(n=(4, 2, 7)), in_place=True),
    "halves": Case(lambda x: x[: len(x) // 2] + x[::-1][: len(x) // 2]),
    "take": Case(lambda x, i: x[i], SOME, inputs={"I": indices("n")}),
    "scalar_buffer": Case(lambda x: x * 2 + 1),
}
