"""What the PrimFuncs of `sorting.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import USUAL, Case, at, between, ordered
from tests.tir.corpus.gathers import scatter


def with_ranks(x):
    order = np.argsort(x, axis=1, kind="stable")
    return np.take_along_axis(x, order, axis=1), order


def top(x, best, _):
    order = np.argsort(-x, axis=1, kind="stable")[:, : best.shape[1]]
    return np.take_along_axis(x, order, axis=1), order


def without_repeats(x, y, _):
    kept = x[np.diff(x, prepend=x[:1] - 1) != 0]
    return scatter(y, np.arange(len(kept)), kept), len(kept)


def partitioned(x, pivot):
    return np.concatenate([x[x < pivot], x[x >= pivot][::-1]])


CASES = {
    "insertion_sort": Case(np.sort, in_place=True, ulps=0),
    "sort_rows_by_exchange": Case(lambda x: np.sort(x, axis=1)),
    "bitonic_sort": Case(lambda y: np.sort(y, axis=1), in_place=True, ulps=0),
    "rank_sort": Case(with_ranks, inputs={"X": between(-3, 3)}, outputs=2, ulps=0),
    "top_k": Case(top, at(n=(4, 1, 0, 2), m=(6, 1, 3, 9), k=(3, 1, 2, 0)), outputs=2, in_place=True, ulps=0),
    "counting_sort": Case(np.sort, at(n=(20, 1, 0))),
    "merge_sorted": Case(
        lambda a, b: np.sort(np.concatenate([a, b])),
        USUAL,
        inputs={"A": ordered(between(0, 9)), "B": ordered(between(0, 9))},
    ),
    "median_of_three": Case(lambda x: np.median([x[:-2], x[1:-1], x[2:]], axis=0), ulps=0),
    "remove_repeats": Case(
        without_repeats, at(n=(9, 1, 2, 0)), inputs={"X": between(0, 2)}, outputs=2, in_place=True
    ),
    "partition": Case(partitioned, scalars=(10,)),
}
