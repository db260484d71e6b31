"""What the PrimFuncs of `scans.rlx` compute."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from scipy import linalg, ndimage, signal

from tests.tir.cases import USUAL, Case, at, between, uniform, wrapped
from tests.tir.corpus.norms import SOME

SHORT = tuple([{**sizes, "n": min(sizes["n"], 4)} for sizes in USUAL])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def integral(x):
    return np.pad(x, ((1, 0), (1, 0))).cumsum(0).cumsum(1)


def smoothed(x, a):
    if not x.size:
        return x
    return signal.lfilter([a], [1, a - 1], x, axis=1, zi=(1 - a) * x[:, :1])[0]


def filtered(x):
    state = signal.lfiltic([0.5], [1, -0.3, 0.2], y=[x[1], x[0]])
    return np.append(x[:2], signal.lfilter([0.5], [1, -0.3, 0.2], x[2:], zi=state)[0])


def folded(step, start, items):
    """Return all states of a recurrence."""
    states = [start]
    for item in items:
        states.append(step(states[-1], item))
    return states


def gated(a, x):
    states = folded(lambda h, ax: sigmoid(ax[0]) * h + ax[1], np.zeros(x.shape[1]), zip(a, x, strict=True))
    return np.reshape(states[1:], x.shape)


def selective(x, a, b, c):
    inputs = list(zip(x, b, strict=True))
    states = folded(lambda h, xb: h * a + np.outer(*xb), np.zeros(a.shape), inputs)[1:]
    return np.reshape([h @ row for h, row in zip(states, c, strict=True)], x.shape)


def rnn(x, w, u):
    return np.stack(folded(lambda h, v: np.tanh(v @ w + h @ u), np.zeros((x.shape[1], len(u))), x))


def lstm(x, u, h, c):
    for gates in x:
        i, f, g, o = np.moveaxis(gates + np.einsum("br,grp->bgp", h, u), 1, 0)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h, c


def gru(x, g, h):
    reset, update = sigmoid(x[:, 0] + g[:, 0]), sigmoid(x[:, 1] + g[:, 1])
    return (1 - update) * np.tanh(x[:, 2] + reset * g[:, 2]) + update * h


def diffusion(x, steps):
    x = x.copy()
    for _ in range(steps):
        x[1:-1] += 0.25 * np.diff(x, 2)
    return x


def gauss_seidel(y):
    return np.array([*folded(lambda left, right: 0.5 * (left + right), y[0], y[2:]), y[-1]])


def life(x):
    count = ndimage.convolve(x.astype(int), np.ones((3, 3), int), mode="constant")[1:-1, 1:-1]
    alive = x[1:-1, 1:-1] == 1
    return (count - alive == 3) | (count - alive == 2) & alive


def edit_distance(a, b):
    table = {(0, j): j for j in range(len(b) + 1)} | {(i, 0): i for i in range(len(a) + 1)}
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (x != y))
    return np.array([[table[i, j] for j in range(len(b) + 1)] for i in range(len(a) + 1)])


def shortest(d):
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[k])
    return d


def viterbi(t, e):
    return np.stack(folded(lambda s, seen: (s[:, None] + t).max(0) + seen, e[0], e[1:]))


def positive_definite(numbers, shape, _):
    a = numbers.standard_normal(shape)
    return a @ a.T + shape[0] * np.eye(shape[0])


def cholesky(a):
    return np.tril(np.linalg.cholesky(a)) + np.triu(a, 1) if len(a) else a


def triangular(numbers, shape, _):
    return np.tril(numbers.standard_normal(shape)) + 3 * np.eye(shape[0])


def random_numbers(y, seed):
    states = folded(lambda s, _: (s * 1664525 + 1013904223) % 2**32, seed, range(len(y)))
    return np.array(states[1:], np.int64)


def run_lengths(x):
    runs = [np.arange(1, len(list(run)) + 1) for _, run in groupby(x)]
    return np.concatenate(runs) if runs else np.zeros(0)


def affine(a, x):
    states = folded(lambda y, ax: ax[0] * y + ax[1], np.zeros(len(x)), zip(a.T, x.T, strict=True))[1:]
    return np.reshape(states, x.T.shape).T


def decayed(x, d):
    states = folded(lambda y, column: d * y + column, np.zeros(x.shape[:2]), np.moveaxis(x, 2, 0))[1:]
    return np.moveaxis(np.reshape(states, (x.shape[2], *x.shape[:2])), 0, 2)


def fibonacci(x):
    start = np.zeros(len(x), np.int64), np.ones(len(x), np.int64)
    states = folded(lambda pair, factor: (pair[1], pair[1] + factor * pair[0]), start, x.T)
    return np.stack([*[first for first, _ in states], states[-1][1]], 1)


def two_filters(x):
    y = signal.lfilter([1], [1, -0.5], x) if x.size else x
    return y, signal.lfilter([1], [1, 0.25], y) if x.size else x


CASES = {
    "cumsum_rows": Case(lambda x: x.cumsum(1), ulps=16),
    "cumsum_columns": Case(lambda x: x.cumsum(0)),
    "cumsum_exclusive": Case(lambda x: wrapped(x.cumsum() - x, "int32")),
    "cumsum_backwards": Case(lambda x: x[:, ::-1].cumsum(1)[:, ::-1], ulps=16),
    "cumsum_in_place": Case(np.cumsum, in_place=True),
    "cumsum_accumulator": Case(lambda x: x.cumsum(1), ulps=16),
    "cumprod": Case(lambda x: x.cumprod(1), inputs={"X": uniform(0.5, 1.5)}, ulps=16),
    "cummax": Case(lambda x: np.maximum.accumulate(x, axis=1), ulps=0),
    "integral_image": Case(integral),
    "smoothing": Case(smoothed, scalars=(0.3,), ulps=32),
    "second_order_filter": Case(filtered, at(n=(7, 2, 3)), ulps=32),
    "gated_scan": Case(gated, ulps=32),
    "selective_scan": Case(selective, inputs={"A": uniform(0.2, 0.9)}, ulps=64),
    "rnn": Case(rnn, SHORT, ulps=64),
    "lstm": Case(lstm, SHORT, outputs=2, in_place=True, ulps=128),
    "gru_cell": Case(gru, in_place=True, ulps=16),
    "horner": Case(lambda c, x: np.polynomial.polynomial.polyval(x, c) if len(c) else 0 * x, ulps=32),
    "diffusion": Case(diffusion, at(n=(7, 2, 3)), scalars=(4,), ulps=32),
    "gauss_seidel": Case(gauss_seidel, at(n=(7, 2, 3)), in_place=True),
    "game_of_life": Case(life, inputs={"X": between(0, 1)}),
    "edit_distance": Case(edit_distance, inputs={"A": between(97, 99), "B": between(97, 99)}),
    "shortest_paths": Case(shortest, at(n=(6, 1, 3, 0)), inputs={"D": between(1, 50)}, in_place=True),
    "viterbi": Case(viterbi, SOME, ulps=32),
    "forward_substitution": Case(
        lambda a, b: linalg.solve_triangular(a, b, lower=True) if len(b) else b,
        at(n=(6, 1, 0)),
        inputs={"L": triangular},
        ulps=64,
    ),
    "cholesky": Case(cholesky, at(n=(6, 1, 3, 0)), inputs={"A": positive_definite}, in_place=True, ulps=64),
    "newton_roots": Case(np.sqrt, inputs={"X": uniform(0.5, 8)}, ulps=8),
    "random_numbers": Case(random_numbers, scalars=(12345,), in_place=True),
    "delta_encode": Case(lambda x: np.diff(x, prepend=0)),
    "run_lengths": Case(run_lengths, inputs={"X": between(0, 1)}),
    "cumsum_batched": Case(lambda x: x.cumsum(2), ulps=16),
    "affine_scan": Case(affine, ulps=32),
    "decay_batched": Case(decayed, inputs={"D": uniform(0.1, 0.9)}, ulps=32),
    "fibonacci_rows": Case(fibonacci, inputs={"X": between(0, 1)}),
    "two_filters": Case(two_filters, outputs=2, ulps=32),
    "filter_in_place": Case(
        lambda y, a: signal.lfilter([1], [1, -a], y) if y.size else y, scalars=(0.7,), in_place=True, ulps=32
    ),
    "running_mean": Case(lambda x: x.cumsum(1) / np.arange(1, x.shape[1] + 1), ulps=16),
    "least_of_the_rest": Case(
        lambda x: np.minimum.accumulate(
            np.pad(x, ((0, 0), (0, 1)), constant_values=np.inf)[:, :0:-1], axis=1
        )[:, ::-1],
        ulps=0,
    ),
}
