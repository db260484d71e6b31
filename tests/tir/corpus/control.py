"""What the PrimFuncs of `control.rlx` compute."""

from __future__ import annotations

import numpy as np
from scipy import ndimage, optimize

from tests.tir.cases import NONZERO, Case, at, uniform, wide
from tests.tir.corpus.gathers import row_pointers


def sum_until(x, limit):
    before = np.cumsum(x) - x
    count = int(np.argmax(before >= limit)) if (before >= limit).any() else len(x)
    return x[:count].sum(), count


def ragged(pointers, flat, y):
    y[...] = 0
    for row, first, last in zip(y, pointers[:-1], pointers[1:], strict=True):
        part = flat[first:last][: len(row)]
        row[: len(part)] = part
    return y


def range_sums(x):
    n = len(x)
    sums = np.array([[x[i : j + 1].sum() for j in range(n)] for i in range(n)])
    return sums.reshape(n, n)


def shifted(x):
    a = 3 * x
    return a, a + np.pad(a, (1, 0))[:-1]


def inner(x):
    y = np.zeros_like(x)
    y[1:-1, 1:-1] = x[:-2, 1:-1] + x[1:-1, 2:]
    return y


def stepped(y, first, last):
    y[first : max(min(last, len(y)), first)] += 5
    return y


def even_then_odd(x):
    y = np.empty_like(x)
    y[::2] = x[::2] + 1
    y[1::2] = y[::2][: len(x) // 2] - x[1::2]
    return y


def backwards(x, y):
    return np.append(y[1:] + x[:-1], y[-1:])


def root(x):
    return np.array(
        [optimize.brentq(lambda y, v=v: np.cos(y / 2) + v / 10 - y, -5, 5, xtol=1e-14) for v in x]
    )


def iterated(a, v, steps):
    for _ in range(steps):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v


def labels(mask, _, rounds):
    components, _ = ndimage.label(mask)
    places = np.arange(1, mask.size + 1).reshape(mask.shape)
    greatest = [places[components == c].max(initial=0) for c in range(components.max(initial=0) + 1)]
    return np.where(mask, np.array(greatest, np.int64)[components], 0)


def beam(s, p):
    totals = s[:, None] + p
    return totals.max(0), totals.argmax(0)


def suppress(x):
    keep = []
    for i, (low, high) in enumerate(x):
        keep.append(not any(keep[j] and min(high, x[j][1]) > max(low, x[j][0]) for j in range(i)))
    return np.array(keep, bool)


def embedding(t, _, f):
    f = np.exp(-0.5 * np.arange(len(f)))
    angle = wide(t)[:, None] * f
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1), f


CASES = {
    "sum_until": Case(sum_until, inputs={"X": uniform(0, 1)}, scalars=(1.5,), outputs=2),
    "ragged_rows": Case(
        ragged, at(n=(4, 1, 3), m=(3, 1, 0), k=(9, 2, 5)), inputs={"P": row_pointers}, in_place=True, ulps=0
    ),
    "triangle_of_sums": Case(range_sums),
    "checked_mean": Case(lambda x: x.mean(), NONZERO),
    "by_mode": Case(lambda x, mode: -x, scalars=(1,), ulps=0),
    "by_flag": Case(lambda x, flag: x if flag else x[::-1], ulps=0),
    "nested_blocks": Case(lambda x: (wide(x) ** 2).sum(1), ulps=16),
    "row_cache": Case(lambda x: x + x[:, ::-1], ulps=0),
    "shared_scratch": Case(lambda x: 2 * x[:, ::-1], ulps=0),
    "annotated_loops": Case(lambda x: 8 * (x + 1), ulps=0),
    "loops_with_start": Case(inner),
    "parameter_range": Case(stepped, scalars=(1, 5), in_place=True),
    "even_then_odd": Case(even_then_odd),
    "producer_and_shifted_consumer": Case(shifted, outputs=2),
    "backward_consumer": Case(backwards, in_place=True),
    "conditional_update": Case(lambda mask, x, y: np.where(mask, x + y, y), in_place=True, ulps=0),
    "conditional_rows": Case(lambda flags, x, y: np.where(flags[:, None], x, y), in_place=True, ulps=0),
    "fixed_point": Case(root, at(n=(5, 1, 0)), ulps=1e8),
    "power_iteration": Case(
        iterated,
        at(n=(4, 1, 3)),
        inputs={"A": uniform(0.1, 1), "V": uniform(0.1, 1)},
        scalars=(3,),
        in_place=True,
        ulps=64,
    ),
    "label_components": Case(labels, at(n=(4, 1, 3, 0), m=(5, 3, 2, 2)), scalars=(20,), in_place=True),
    "beam_step": Case(beam, at(k=(4, 1, 2), m=(5, 1, 0)), outputs=2, ulps=0),
    "suppress_overlaps": Case(suppress, at(n=(8, 1, 0, 3))),
    "time_embedding": Case(embedding, outputs=2, in_place=True, ulps=16),
}
