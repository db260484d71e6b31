"""What the PrimFuncs of `gathers.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import NONZERO, Case, at, between, distinct, indices, ordered, uniform, wide
from tests.tir.corpus.norms import SOME


def scatter(y, index, update, combine=lambda old, new: new):
    """Go through the indices in order."""
    for place, value in zip(index, update, strict=True):
        place = tuple(place) if np.ndim(place) else place
        y[place] = combine(y[place], value)
    return y


def scatter_elements(index, update, y):
    for places, values, row in zip(index, update, y, strict=True):
        scatter(row, places, values)
    return y


def histogram(x):
    edges = np.clip(np.floor(x.ravel() * np.float32(2) + np.float32(4)), 0, 7)
    return np.bincount(edges.astype(np.int64), minlength=8)


def compress(x, mask, y, _):
    kept = x[mask]
    y[: len(kept)] = kept
    return y, len(kept)


def first_place(x, q):
    return np.array(
        [next((j for j, v in enumerate(row) if v == want), len(row)) for row, want in zip(x, q, strict=True)]
    )


def one_hot(index, y):
    return np.eye(y.shape[1])[index]


def matrix_vector(rows, columns, weights, x, y):
    dense = np.zeros((len(y), len(x)))
    np.add.at(dense, (rows, columns), weights)
    return dense @ x


def csr(pointers, columns, weights, x, y):
    return matrix_vector(np.repeat(np.arange(len(y)), np.diff(pointers)), columns, weights, x, y)


def row_pointers(numbers, shape, sizes):
    inside = np.sort(numbers.integers(0, sizes["k"] + 1, shape[0] - 2)) if shape[0] > 1 else []
    return np.array([0, *inside, sizes["k"]])[: shape[0]]


def bilinear(x, p):
    cells = np.floor(p).astype(int)
    y, dy, i, dx = cells[:, 0], (p - cells)[:, 0], cells[:, 1], (p - cells)[:, 1]
    x = wide(x)
    top = x[y, i] + (x[y, i + 1] - x[y, i]) * dx
    bottom = x[y + 1, i] + (x[y + 1, i + 1] - x[y + 1, i]) * dx
    return top + (bottom - top) * dy


def followed(links, y, start):
    for i in range(len(y)):
        y[i] = start
        start = links[start]
    return y


def sums(y, index, update):
    return scatter(wide(y), index, wide(update), np.add)


CASES = {
    "embedding": Case(lambda w, i: w[i], inputs={"I": indices("k")}, ulps=0),
    "take_columns": Case(lambda x, i: x[:, i], NONZERO, inputs={"I": indices("m")}, ulps=0),
    "take_middle": Case(lambda x, i: x[:, i], NONZERO, inputs={"I": indices("m")}, ulps=0),
    "gather_elements": Case(
        lambda x, i: np.take_along_axis(x, i, axis=1), NONZERO, inputs={"I": indices("m")}, ulps=0
    ),
    "gather_nd": Case(
        lambda x, i, j: x[i[:, 0], j], NONZERO, inputs={"I": indices("n"), "J": indices("m")}, ulps=0
    ),
    "take_negative": Case(
        lambda x, i: x[i], at(n=(4, 1, 7), k=(5, 3, 0)), inputs={"I": between(-1, 0)}, ulps=0
    ),
    "take_clipped": Case(
        lambda x, i: np.take(x, i, axis=0, mode="clip"), NONZERO, inputs={"I": between(-3, 9)}, ulps=0
    ),
    "take_or_nan": Case(
        lambda x, i: np.array([x[v] if 0 <= v < len(x) else np.nan for v in i]),
        inputs={"I": between(-3, 9)},
        ulps=0,
    ),
    "lookup_table": Case(lambda x, t: t[x], ulps=0),
    "bilinear_gather": Case(bilinear, at(h=(5, 2, 3), w=(4, 2, 6), k=(7, 1, 0)), inputs={"P": uniform(0, 1)}),
    "scatter_elements": Case(scatter_elements, NONZERO, inputs={"I": indices("m")}, in_place=True, ulps=0),
    "scatter_copy": Case(
        lambda x, i, u: scatter(x.copy(), i, u),
        at(n=(4, 1, 7, 3), k=(9, 3, 2, 0)),
        inputs={"I": indices("n")},
        ulps=0,
    ),
    "scatter_rows": Case(
        lambda i, u, y: scatter(y, i, u),
        at(n=(4, 1, 7), m=(3, 2, 0), k=(9, 3, 2)),
        inputs={"I": indices("n")},
        in_place=True,
        ulps=0,
    ),
    "scatter_add": Case(
        lambda i, u, y: sums(y, i, u),
        at(n=(4, 1, 7), m=(3, 2, 0), k=(9, 3, 2)),
        inputs={"I": indices("n")},
        in_place=True,
    ),
    "scatter_nd_add": Case(
        lambda i, u, y: sums(y, i.T, u),
        at(n=(3, 1, 7), k=(20, 3, 0)),
        inputs={"I": indices("n")},
        in_place=True,
    ),
    "scatter_max": Case(
        lambda i, u, y: scatter(y, i, u, max),
        at(n=(4, 1, 7), k=(9, 3, 0)),
        inputs={"I": indices("n")},
        in_place=True,
    ),
    "scatter_multiply": Case(
        lambda i, u, y: scatter(y, i, u, np.multiply),
        at(n=(4, 1, 7), k=(9, 3, 0)),
        inputs={"I": indices("n"), "U": between(-3, 3)},
        in_place=True,
    ),
    "one_hot": Case(one_hot, SOME, inputs={"I": indices("m")}, in_place=True, ulps=0),
    "one_hot_scatter": Case(one_hot, NONZERO, inputs={"I": indices("m")}, in_place=True),
    "embedding_bag": Case(lambda w, i: w[i].sum(1), inputs={"I": indices("k")}),
    "histogram": Case(histogram),
    "weighted_count": Case(
        lambda x, w: np.bincount(x, w, minlength=256),
        at(n=(50, 1, 0)),
        inputs={"X": between(100, 104)},
        ulps=16,
    ),
    "segment_sum": Case(
        lambda x, s, y: sums(0 * y, s, x), NONZERO, inputs={"S": ordered(indices("k"))}, in_place=True
    ),
    "inverse_permutation": Case(np.argsort, at(n=(6, 1, 0)), inputs={"P": distinct("n")}),
    "compress": Case(compress, outputs=2, in_place=True, ulps=0),
    "binary_search": Case(
        np.searchsorted, at(n=(9, 1, 4, 0), k=(7, 3, 0, 2)), inputs={"X": ordered(uniform(-2, 2))}
    ),
    "linear_search": Case(first_place, inputs={"X": between(0, 3), "Q": between(0, 3)}),
    "coo_times_vector": Case(
        matrix_vector,
        at(n=(4, 1, 3), m=(5, 1, 2), k=(9, 2, 0)),
        inputs={"R": indices("n"), "C": indices("m")},
        in_place=True,
    ),
    "csr_times_vector": Case(
        csr,
        at(n=(4, 1, 3), m=(5, 1, 2), k=(9, 2, 0)),
        inputs={"P": row_pointers, "C": indices("m")},
        in_place=True,
    ),
    "dynamic_slice": Case(
        lambda x, s: x[s[0] : s[0] + 2, s[1] : s[1] + 2],
        at(n=(5, 3, 4), m=(4, 3, 7)),
        inputs={"S": between(0, 1)},
        ulps=0,
    ),
    "two_step_gather": Case(
        lambda x, i, j: x[i[j]], NONZERO, inputs={"I": indices("n"), "J": indices("m")}, ulps=0
    ),
    "next_in_list": Case(
        followed, at(n=(6, 1, 4), k=(8, 3, 0)), inputs={"N": distinct("n")}, scalars=(0,), in_place=True
    ),
}
