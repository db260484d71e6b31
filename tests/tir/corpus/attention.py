"""What the PrimFuncs of `attention.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import USUAL, Case, at, indices, uniform, wide
from tests.tir.corpus.norms import SOME, softmax

SMALL = tuple([{**sizes, "h": min(sizes["h"], 2), "d": min(sizes["d"], 3)} for sizes in USUAL])


def causal(s):
    masked = np.where(np.tri(s.shape[1], dtype=bool), wide(s), -np.inf)
    e = np.exp(masked - masked.max(-1, keepdims=True, initial=-1e30))
    return e / e.sum(-1, keepdims=True)


def attention(q, k, v):
    return softmax(np.einsum("hid,hjd->hij", wide(q), k)) @ v


def by_length(s, lengths):
    return np.where(np.arange(s.shape[2]) < lengths[:, None, None], s, -np.inf)


def to_length(x, lengths):
    return np.array([wide(row[:length]).sum() for row, length in zip(x, lengths, strict=True)])


def append(k, cache, position):
    cache[:, position : position + k.shape[1]] = k
    return cache


def append_ragged(k, lengths, cache):
    for row, length, target in zip(k, lengths, cache, strict=True):
        target[length] = row
    return cache


def paged(pages, table):
    b, n = table.shape
    return pages[table].reshape(b, n * 4, pages.shape[2])


def rotary(x, c, s):
    first, second = np.split(x, 2, axis=-1)
    c, s = c[:, None], s[:, None]
    return np.concatenate([first * c - second * s, second * c + first * s], axis=-1)


def interleaved(x, c, s):
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * (c + 1j * s)[:, None]
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def turned(x, offset):
    d = x.shape[2]
    angle = (np.arange(len(x)) + offset)[:, None] * 100.0 ** (-np.arange(d) / max(d, 1))
    z = (x[:, 0] + 1j * x[:, 1]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=1)


def alibi(s):
    h, n, m = s.shape
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(m)))
    return s - 0.5 ** np.arange(1, h + 1)[:, None, None] * distance


def swiglu(x):
    gate, value = np.split(wide(x), 2, axis=1)
    return gate / (1 + np.exp(-gate)) * value


def window_mask(y, size):
    n, m = y.shape
    return np.tri(n, m, dtype=bool) & ~np.tri(n, m, -size, dtype=bool)


def needed(p, limit):
    before = np.cumsum(wide(p), axis=1) - p
    return (before < limit).sum(1)


CASES = {
    "attention_scores": Case(lambda q, k: np.einsum("bhid,bhjd->bhij", q, k) / 8, SMALL, ulps=16),
    "attention_values": Case(lambda p, v: np.einsum("bhij,bjhd->bihd", p, v), SMALL, ulps=16),
    "causal_softmax": Case(causal, SMALL, ulps=16),
    "attention": Case(attention, SMALL, ulps=32),
    "mask_by_length": Case(by_length, inputs={"L": indices("m", 1)}, ulps=0),
    "sum_to_length": Case(to_length, inputs={"L": indices("m", 1)}, ulps=16),
    "kv_append": Case(
        append, at(b=(2, 1, 0), n=(3, 1, 2), d=(4, 1, 3), m=(7, 4, 6)), scalars=(3,), in_place=True, ulps=0
    ),
    "kv_append_ragged": Case(append_ragged, SOME, inputs={"L": indices("m")}, in_place=True, ulps=0),
    "paged_keys": Case(paged, inputs={"T": indices("k")}, ulps=0),
    "rotary": Case(rotary, SMALL),
    "rotary_interleaved": Case(interleaved),
    "rotary_in_place": Case(turned, scalars=(3,), in_place=True, ulps=64),
    "alibi": Case(alibi, SMALL),
    "grouped_query_scores": Case(lambda q, k: np.einsum("hid,hjd->hij", q, np.repeat(k, 2, axis=0)), ulps=16),
    "split_heads": Case(lambda x: x.reshape(*x.shape[:2], x.shape[2] // 4, 4).transpose(0, 2, 1, 3), ulps=0),
    "merge_heads": Case(
        lambda x: x.transpose(0, 2, 1, 3).reshape(len(x), x.shape[2], x.shape[1] * 4), SMALL, ulps=0
    ),
    "window_mask": Case(window_mask, scalars=(2,), in_place=True),
    "causal_bias": Case(lambda s: s + np.triu(np.full(s.shape[1:], np.float32(-1e4)), 1), SMALL, ulps=1),
    "swiglu": Case(swiglu),
    "top_p_threshold": Case(needed, inputs={"P": uniform(0, 0.5)}, scalars=(0.9,)),
}
