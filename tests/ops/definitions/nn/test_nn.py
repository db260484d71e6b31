"""Activations, softmax, normalization, attention, losses, against formulas written out element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, f32, fails, i32, i64, random, run

ACTIVATIONS: dict[str, Any] = {
    "nn.relu": lambda x: max(x, 0.0),
    "nn.relu6": lambda x: min(max(x, 0.0), 6.0),
    "nn.gelu": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
    "nn.gelu_tanh": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "nn.silu": lambda x: x / (1 + math.exp(-x)),
    "nn.leakyrelu": lambda x: x if x > 0 else 0.01 * x,
    "nn.selu": lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * (math.exp(x) - 1)),
    "nn.softplus": lambda x: x if x > 20 else math.log(1 + math.exp(x)),
}
STEP = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", STEP)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str, dtype: str) -> None:
    x = np.array([-30, -3, -1.5, -0.1, 0, 0.1, 1.5, 3, 30, 5.5]).reshape(2, 5).astype(numpy_dtype(dtype))
    expected = [[ACTIVATIONS[name](float(value)) for value in row] for row in x]
    result = run(name, x)
    assert result.dtype == x.dtype
    np.testing.assert_allclose(result.astype(np.float64), expected, STEP[dtype], STEP[dtype])


@pytest.mark.parametrize("name", [*ACTIVATIONS, "nn.softmax", "nn.log_softmax"])
def test_nan_and_integers(name: str) -> None:
    assert np.isnan(run(name, f32(np.nan))[0])
    if name in ("nn.relu", "nn.relu6"):
        check(run(name, i32(-1, 3, 9)), i32(0, 3, 6 if name == "nn.relu6" else 9))
    else:
        fails("op-dtype-mismatch", name, i32(1))


def test_relu_of_any_dtype() -> None:
    check(run("nn.relu", np.array([True, False])), [True, False])
    check(run("nn.relu", np.array([200], np.uint8)), np.array([200], np.uint8))
    check(run("nn.gelu", f32(-np.inf)), f32(np.nan))


def test_attributes_of_activations() -> None:
    check(run("nn.leakyrelu", f32(-2, 2), alpha=0.5), f32(-1, 2))
    check(
        run("nn.softplus", f32(1.0, 2.0), beta=2.0, threshold=3.0), f32(math.log1p(math.exp(2)) / 2, 2), 1e-6
    )


def test_prelu() -> None:
    x = random(2, 3, 4)
    alpha = f32(0.5, 0.25, 2)
    expected = np.where(x > 0, x, x * alpha[:, None])
    check(run("nn.prelu", x, alpha), expected)
    check(run("nn.prelu", x.transpose(0, 2, 1), alpha, axis=-1), expected.transpose(0, 2, 1))
    check(run("nn.prelu", x, f32(0.5)), np.where(x > 0, x, x * 0.5).astype(np.float32))
    fails("op-runtime-shape", "nn.prelu", x, f32(1, 2))
    fails("op-dtype-mismatch", "nn.prelu", x, np.array([1.0]))
    fails("op-axis", "nn.prelu", f32(1), f32(1))


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax(axis: int) -> None:
    x = random(3, 4, 2) * 5
    rows = np.moveaxis(x.astype(np.float64), axis, -1)
    expected = np.empty_like(rows)
    for place in np.ndindex(*rows.shape[:-1]):
        total = sum(math.exp(value) for value in rows[place])
        expected[place] = [math.exp(value) / total for value in rows[place]]
    expected = np.moveaxis(expected, -1, axis)
    check(run("nn.softmax", x, axis=axis), expected.astype(np.float32), 1e-6)
    check(run("nn.log_softmax", x, axis=axis), np.log(expected).astype(np.float32), 1e-5)


def test_softmax_at_the_edges() -> None:
    check(run("nn.softmax", f32(1000, 1000, -1000)), f32(0.5, 0.5, 0))
    check(run("nn.log_softmax", f32(1000, 0)), f32(0, -1000))
    assert np.isnan(run("nn.softmax", f32(-np.inf, -np.inf))).all()
    check(run("nn.softmax", f32(-np.inf, 0)), f32(0, 1))
    check(run("nn.softmax", np.zeros((2, 0), np.float32)), np.zeros((2, 0), np.float32))
    half = run("nn.softmax", np.zeros(4096, np.float16))
    check(half, np.full(4096, 1 / 4096, np.float16))
    fails("op-axis", "nn.softmax", np.array(1.0))
    fails("op-axis", "nn.log_softmax", f32(1), axis=1)


def test_dropout() -> None:
    x = f32(1, 2)
    same, mask = run("nn.dropout", x, rate=0.9)
    check(same, x)
    check(mask, f32(1, 1))
    assert not np.may_share_memory(same, x)


def standardize(x: Any, axes: tuple[int, ...], epsilon: float) -> Any:
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def test_layer_norm() -> None:
    x, gamma, beta = random(2, 3, 4), random(3, 4, seed=1), random(3, 4, seed=2)
    plain = standardize(x, (1, 2), 1e-5)
    check(run("nn.layer_norm", x, gamma, beta, axes=[1, 2]), (plain * gamma + beta).astype(np.float32), 1e-5)
    check(
        run("nn.layer_norm", x, gamma.T, beta.T, axes=[-1, 1]),
        (plain * gamma + beta).astype(np.float32),
        1e-5,
    )
    check(
        run("nn.layer_norm", x, gamma, beta, axes=[1, 2], center=False),
        (plain * gamma).astype(np.float32),
        1e-5,
    )
    check(
        run("nn.layer_norm", x, gamma, beta, axes=[1, 2], scale=False, epsilon=0.5),
        (standardize(x, (1, 2), 0.5) + beta).astype(np.float32),
        1e-5,
    )
    half = [each.astype(np.float16) for each in (x, gamma, beta)]
    result = run("nn.layer_norm", *half, axes=[1, 2])
    check(result, (plain * gamma + beta).astype(np.float16), 2e-2)
    empty = np.zeros((0, 3), np.float32)
    check(run("nn.layer_norm", empty, f32(1, 1, 1), f32(0, 0, 0), axes=-1), empty)
    check(run("nn.rms_norm", np.zeros((2, 0), np.float32), f32()), np.zeros((2, 0), np.float32))


def test_layer_norm_of_long_rows() -> None:
    x, gamma, beta = random(3, 50, 256), random(256, seed=1), random(256, seed=2)
    expected = standardize(x, (2,), 1e-5) * gamma + beta
    check(run("nn.layer_norm", x, gamma, beta, axes=-1), expected.astype(np.float32), 1e-5)
    both = standardize(x, (1, 2), 1e-5) * random(50, 256, seed=3) + beta
    check(
        run("nn.layer_norm", x, random(50, 256, seed=3), np.tile(beta, (50, 1)), axes=[1, 2]),
        both.astype(np.float32),
        1e-5,
    )
    x[:, 1, 2], x[0, 3, 4] = np.inf, np.nan
    result = run("nn.layer_norm", x, gamma, beta, axes=-1)
    assert [np.isnan(result[0, at]).all() for at in range(5)] == [False, True, False, True, False]
    check(result[0, 4:], expected[0, 4:].astype(np.float32), 1e-5)
    flat = run("nn.layer_norm", np.full((100, 256), 1000.5, np.float32), gamma, np.zeros_like(beta), axes=-1)
    assert not flat.any()


def test_norms_check_their_parameters() -> None:
    x, g = random(2, 3), random(3)
    fails("op-runtime-shape", "nn.layer_norm", x, random(2), g, axes=-1)
    fails("op-argument", "nn.layer_norm", x, g, g, axes=[0, 1])
    fails("op-dtype-mismatch", "nn.layer_norm", x, g.astype(np.float64), g, axes=-1)
    fails("op-axis", "nn.layer_norm", x, g, g, axes=2)
    fails("op-dtype-mismatch", "nn.layer_norm", i32([1]), i32(1), i32(1), axes=-1)
    found = fails("op-runtime-shape", "nn.rms_norm", x, random(2))
    assert "axis 1 of `data` is 3, axis 0 of `weight` is 2" in found.message


def test_rms_norm() -> None:
    x, weight = random(2, 3, 4), random(4, seed=1)
    expected = x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5) * weight
    check(run("nn.rms_norm", x, weight), expected.astype(np.float32), 1e-5)
    x16, w16 = x.astype(np.float16), weight.astype(np.float16)
    check(run("nn.rms_norm", x16, w16), expected.astype(np.float16), 1e-2)


def test_batch_norm() -> None:
    x = random(5, 3, 2)
    gamma, beta, mean = random(3, seed=1), random(3, seed=2), random(3, seed=3)
    variance = np.abs(random(3, seed=4))
    column = (slice(None), None)
    result, new_mean, new_var = run("nn.batch_norm", x, gamma, beta, mean, variance, axis=1)
    expected = (x - mean[column]) / np.sqrt(variance[column] + 1e-5) * gamma[column] + beta[column]
    check(result, expected, 1e-5)
    check(new_mean, mean)
    check(new_var, variance)
    assert not np.may_share_memory(new_mean, mean)
    result, new_mean, new_var = run(
        "nn.batch_norm", x, gamma, beta, mean, variance, axis=-2, training=True, momentum=0.25, scale=False
    )
    check(result, (standardize(x, (0, 2), 1e-5) + beta[column]).astype(np.float32), 1e-5)
    check(new_mean, 0.75 * mean + np.float32(0.25) * x.mean((0, 2)), 1e-6)
    check(new_var, 0.75 * variance + np.float32(0.25) * x.var((0, 2)), 1e-6)
    fails("op-runtime-shape", "nn.batch_norm", x, gamma, beta, mean, variance[:2], axis=1)


def test_group_and_instance_norm() -> None:
    x, gamma, beta = random(2, 6, 3), random(6, seed=1), random(6, seed=2)
    column = (slice(None), None)
    expected = (
        standardize(x.reshape(2, 2, 3, 3), (2, 3), 1e-5).reshape(x.shape) * gamma[column] + beta[column]
    )
    options = {"num_groups": 2, "channel_axis": 1, "axes": [2]}
    check(run("nn.group_norm", x, gamma, beta, **options), expected.astype(np.float32), 1e-5)
    last = run("nn.group_norm", x.transpose(0, 2, 1), gamma, beta, num_groups=2, channel_axis=-1, axes=[1])
    check(last, expected.astype(np.float32).transpose(0, 2, 1), 1e-5)
    expected = standardize(x, (2,), 1e-5) * gamma[column]
    got = run("nn.instance_norm", x, gamma, beta, channel_axis=1, axes=[-1], center=False)
    check(got, expected.astype(np.float32), 1e-5)
    fails("op-runtime-value", "nn.group_norm", x, gamma, beta, num_groups=4, channel_axis=1, axes=[2])
    fails("op-attribute", "nn.group_norm", x, gamma, beta, num_groups=2, channel_axis=1, axes=[1])
    fails("op-attribute", "nn.instance_norm", x, gamma, beta, channel_axis=1, axes=[-2])


def attention(q: Any, k: Any, v: Any, bias: Any = None, scale: float | None = None, last: Any = None) -> Any:
    """Compute attention by loops; `last(i)` is the last key that query i sees."""
    b, s, h, d = q.shape
    t, groups = k.shape[1], k.shape[2]
    result = np.zeros((b, s, h, v.shape[3]))
    for n, i, head in np.ndindex(b, s, h):
        shared = head // (h // groups)
        scores = []
        for j in range(t):
            score = float(q[n, i, head].astype(np.float64) @ k[n, j, shared]) * (scale or 1 / math.sqrt(d))
            if bias is not None:
                score += float(np.broadcast_to(bias, (b, h, s, t))[n, head, i, j])
            scores.append(score if last is None or j <= last(i) else -math.inf)
        weights = [math.exp(score - max(scores)) for score in scores]
        for j in range(t):
            result[n, i, head] += weights[j] / sum(weights) * v[n, j, shared]
    return result.astype(np.float32)


@pytest.mark.parametrize("groups", [4, 2, 1])
def test_attention(groups: int) -> None:
    q, k, v = random(2, 3, 4, 5), random(2, 6, groups, 5, seed=1), random(2, 6, groups, 7, seed=2)
    check(run("nn.attention", q, k, v), attention(q, k, v), 1e-5)
    check(run("nn.attention", q, k, v, scale=0.5), attention(q, k, v, scale=0.5), 1e-5)
    top = run("nn.attention", q, k, v, causal_mask="TopLeft")
    check(top, attention(q, k, v, last=lambda i: i), 1e-5)
    bottom = run("nn.attention", q, k, v, causal_mask="BottomRight")
    check(bottom, attention(q, k, v, last=lambda i: i + 3), 1e-5)
    for extents in ((2, 4, 3, 6), (1, 1, 1, 6), (1, 4, 1, 6)):
        bias = random(*extents, seed=3)
        check(run("nn.attention_bias", q, k, v, bias), attention(q, k, v, bias), 1e-5)
    half = [each.astype(np.float16) for each in (q, k, v)]
    assert run("nn.attention", *half).dtype == np.float16


def test_attention_with_a_window_sees_the_last_keys() -> None:
    q, k, v = random(1, 4, 2, 5), random(1, 6, 2, 5, seed=1), random(1, 6, 2, 5, seed=2)
    near = run("nn.attention", q, k, v, causal_mask="BottomRight", window_size=1)
    check(near, v[:, 2:], 1e-6)
    wide = run("nn.attention", q, k, v, causal_mask="BottomRight", window_size=6)
    check(wide, run("nn.attention", q, k, v, causal_mask="BottomRight"), 1e-6)


def test_attention_of_sequences_is_attention_of_each() -> None:
    q, k = random(1, 5, 2, 4), random(1, 6, 2, 4, seed=1)
    starts = np.array([0, 2, 5]), np.array([0, 4, 6])
    limits = np.asarray(3), np.array([4])
    both = [
        run("nn.attention", q[:, a], k[:, b], k[:, b])
        for a, b in ((slice(2), slice(4)), (slice(2, 5), slice(4, 6)))
    ]
    check(run("nn.attention_var_len", q, k, k, *starts, *limits), np.concatenate(both, axis=1), 1e-6)
    fails("op-runtime-value", "nn.attention_var_len", q, k, k, *starts, np.asarray(2), limits[1])
    fails("op-runtime-value", "nn.attention_var_len", q, k, k, starts[0] + 1, starts[1], *limits)
    fails("op-runtime-shape", "nn.attention_var_len", q, k, k, starts[0][:2], starts[1], *limits)


def test_attention_refuses() -> None:
    q, k = random(2, 3, 4, 5), random(2, 6, 2, 5)
    fails("op-runtime-shape", "nn.attention", q, k[:1], k)
    fails("op-runtime-shape", "nn.attention", q, k, k[:, :5])
    fails("op-runtime-shape", "nn.attention", q, k[..., :4], k)
    fails("op-runtime-value", "nn.attention", q, random(2, 6, 3, 5), random(2, 6, 3, 5))
    fails("op-runtime-shape", "nn.attention_bias", q, k, k, random(1, 1, 1, 1))
    fails("op-attribute", "nn.attention", q, k, k, causal_mask="Left")
    fails("op-dtype-mismatch", "nn.attention", q, k.astype(np.float64), k)
    fails("op-argument", "nn.attention", q[0], k, k)
    fails("op-attribute", "nn.attention", q, k, k, window_size=2)
    fails("op-attribute", "nn.attention", q, k, k, window_size=0, causal_mask="TopLeft")
    empty = run("nn.attention", q[:0], k[:0], k[:0])
    assert empty.shape == (0, 3, 4, 5)


def test_cross_entropy_with_logits() -> None:
    p, y = random(2, 3), random(2, 3, seed=1)
    check(run("nn.cross_entropy_with_logits", p, y), np.float32(-(p * y).sum() / 2), 1e-6)
    check(run("nn.cross_entropy_with_logits", p[0], y[0]), np.float32(-(p * y)[0].sum()), 1e-6)
    fails("op-runtime-shape", "nn.cross_entropy_with_logits", p, y[0])


def test_OP_9_no_target_is_a_class_where_there_are_none() -> None:
    found = fails(
        "op-runtime-value", "nn.nll_loss", np.zeros((1, 0), np.float32), np.array([7]), reduction="none"
    )
    assert (
        found.message
        == "nn.nll_loss: a target class is outside of axis 1 of `predictions`, whose extent is 0"
    )


def test_nll_loss() -> None:
    p, targets, weights = random(2, 3, 4), i64([0, 1, 2, -100], [2, 2, 1, 0]), f32(1, 2, 0.5)
    losses, total = np.zeros((2, 4), np.float32), 0.0
    for n, d in np.ndindex(2, 4):
        if targets[n, d] != -100:
            losses[n, d] = -p[n, targets[n, d], d] * weights[targets[n, d]]
            total += weights[targets[n, d]]
    check(run("nn.nll_loss", p, targets, weights, reduction="none"), losses)
    check(run("nn.nll_loss", p, targets, weights, reduction="sum"), np.float32(losses.sum()), 1e-6)
    check(run("nn.nll_loss", p, targets, weights), np.float32(losses.sum() / total), 1e-6)
    check(run("nn.nll_loss", f32(-1, -2), np.array(1)), np.array(2, np.float32))
    check(run("nn.nll_loss", f32([-1, -2]), i32(1), reduction="none", ignore_index=1), f32(0))
    assert np.isnan(run("nn.nll_loss", f32([-1, -2]), i32(1), ignore_index=1))
    fails("op-runtime-value", "nn.nll_loss", f32([-1, -2]), i32(2))
    fails("op-runtime-value", "nn.nll_loss", f32([-1, -2]), i32(-1))
    fails("op-runtime-shape", "nn.nll_loss", p, targets[:1], weights)
    fails("op-runtime-shape", "nn.nll_loss", p, targets, weights[:2])
    fails("op-argument", "nn.nll_loss", np.array(1.0), np.array(1))
