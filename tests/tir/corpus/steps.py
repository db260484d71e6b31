"""What the PrimFuncs of `steps.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import Case, at, between, uniform, values, wide

SOME = at(n=(6, 1, 9, 0, 3), m=(4, 1, 3, 2, 0), k=(3, 2, 1, 2, 1))


def digital_roots(x):
    return np.where(x > 9, 1 + (x - 1) % 9, x)


def halved(chosen, y, least):
    result = y.copy()
    for at_ in range(len(y)):
        while chosen[at_] and result[at_] >= least:
            result[at_] //= 2
    return result


def next_greater(x):
    found = [[at_ for at_ in range(start + 1, len(x)) if x[at_] > x[start]] for start in range(len(x))]
    return np.array([places[0] if places else len(x) for places in found], np.int64)


def parents(numbers, shape, sizes):
    """Make a forest: a parent comes before its children, or is the node itself."""
    return np.array([numbers.integers(0, node + 1) for node in range(shape[0])], np.int64).reshape(shape)


def roots(parent):
    found = np.arange(len(parent))
    depth = np.zeros(len(parent), np.int32)
    for _ in range(len(parent)):
        depth += parent[found] != found
        found = parent[found]
    return found, depth


def firsts(x, y, wanted):
    match = x[:, None, :] == wanted[:, None]
    return np.where(match.any(-1), match.argmax(-1) if x.shape[1] else 0, x.shape[1]), wanted


def walked(x, limit):
    result = []
    for row in x:
        above = np.flatnonzero(row > limit)
        at_ = above[0] if above.size else len(row)
        held = 0
        for value in row[:at_]:
            held -= held > value
        result.append(row[at_] if above.size else held)
    return np.array(result, np.int64)


def half_steps(x):
    result = x.copy()
    while True:
        on = np.abs(result) > np.float16(0.125)
        if not on.any():
            return result
        result[on] = (result[on].astype(np.float32) * np.float32(0.75)).astype(np.float16)


def counted(x, *_):
    steps = np.where(x > 1, np.floor(np.log2(np.maximum(x, 1))), 0).astype(np.int64)
    return steps.sum(), np.where(x > 1, 1, x)


def settled(x):
    y = x.copy()
    for step in range(x.shape[1]):
        y = y // 2 + step
    return y


def positive_sums(x, y):
    return np.where((x > 0).any(1), np.where(x > 0, wide(x), 0).sum(1), y)


def below(x, y):
    inside = np.arange(x.shape[1]) < np.arange(len(x))[:, None]
    return np.where(inside.any(1), np.where(inside, x, -np.inf).max(1, initial=-np.inf), y)


def chosen_product(a, b, chosen, c):
    return wide(a[:, chosen]) @ wide(b[chosen]) if chosen.any() else c


def exchanged_halves(y):
    half = len(y) // 2
    return np.concatenate([y[len(y) - half :], y[half : len(y) - half], y[:half]])


def butterfly(y):
    pairs = y[: len(y) // 2 * 2].reshape(-1, 2)
    result = y.copy()
    result[: pairs.size] = np.stack([pairs.sum(1), pairs[:, 0] - pairs[:, 1]], 1).reshape(-1)
    return result


def places(mask, p, _):
    found = np.argwhere(mask)
    result = p.copy()
    result[: len(found)] = found
    return result, len(found)


def partitioned(x, pivot):
    return np.concatenate([x[x < pivot], x[x >= pivot]])


def runs(x):
    numbers = np.cumsum(np.concatenate([x[:1] == x[:1], x[1:] != x[:-1]]))
    return numbers, numbers[-1] if len(x) else 0


CASES = {
    "square_roots": Case(lambda x: np.floor(np.sqrt(x)), SOME, inputs={"X": between(0, 400)}),
    "digital_roots": Case(digital_roots, SOME, inputs={"X": between(-20, 99_999)}),
    "halve_some": Case(halved, SOME, inputs={"Y": between(0, 5000)}, scalars=(7,), in_place=True),
    "next_greater": Case(next_greater, SOME),
    "roots_of_trees": Case(roots, SOME, inputs={"P": parents}, outputs=2),
    "newton_reciprocals": Case(lambda x: 1 / wide(x), SOME, inputs={"X": uniform(0.2, 9)}, ulps=400),
    "first_in_row": Case(
        firsts, SOME, inputs={"X": between(0, 4), "V": between(0, 4)}, outputs=2, in_place=True
    ),
    "walk_until": Case(walked, SOME, scalars=(40,)),
    "half_precision_steps": Case(half_steps, SOME, ulps=0),
    "shared_counter": Case(counted, SOME, inputs={"X": between(-3, 200)}, outputs=2),
    "settle_rows": Case(settled, SOME),
    "positive_sums": Case(
        positive_sums, SOME, in_place=True, inputs={"X": values(1, -2, -3, 0.5, -1, 4, -2)}
    ),
    "maxima_below_diagonal": Case(below, SOME, in_place=True, ulps=0),
    "all_but_first": Case(
        lambda x, y: np.prod(x[1:], 0) if len(x) > 1 else y, SOME, inputs={"X": between(-3, 3)}, in_place=True
    ),
    "chosen_product": Case(chosen_product, SOME, in_place=True),
    "exchange_rows": Case(lambda y: y[::-1], SOME, in_place=True, ulps=0),
    "exchange_halves": Case(exchanged_halves, SOME, in_place=True),
    "butterfly": Case(butterfly, SOME, in_place=True, ulps=0),
    "places_of_true": Case(places, SOME, outputs=2, in_place=True),
    "split_by_pivot": Case(partitioned, SOME, scalars=(0.1,), ulps=0),
    "number_of_runs": Case(runs, SOME, inputs={"X": between(0, 1)}, outputs=2),
}
