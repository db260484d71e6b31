"""Scaled dot product attention."""

from __future__ import annotations

import math
from itertools import pairwise

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.core.specialization import TensorSpec
from relax_lang.ops.definitions.nn.activation import softmax_of
from relax_lang.ops.numpy_kernels.compute_dtype import constant, held, wide_dtype, widened
from relax_lang.ops.numpy_kernels.shape_checks import same_dtype
from relax_lang.ops.shape_rules.nn.attention import attention as infer_attention
from relax_lang.ops.shape_rules.nn.attention import attention_of_sequences, bad_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run3

family = Family(__name__, "Neural networks: attention", since="later", rows="attention")

_PARAMS = "query: tensor(4-d float), key: tensor(4-d float), value: tensor(4-d float)"
_ATTRS = (
    'scale: float|none = none, causal_mask: "TopLeft"|"BottomRight"|none = none, window_size: int|none = none'
)
_EXAMPLE = "const([[[[1.0, 0.0]]]]), const([[[[1.0, 0.0]], [[0.0, 1.0]]]]), const([[[[1.0]], [[2.0]]]])"


@family.planned(
    "nn.attention",
    _PARAMS,
    _ATTRS,
    infer=infer_attention,
    also=("torch.scaled_dot_product_attention", "jax.dot_product_attention"),
    example=f"nn.attention({_EXAMPLE})",
)
def attention(query: TensorSpec, key: TensorSpec, value: TensorSpec, **options: Any) -> Run3:
    """Mix values by how well their keys match the queries: `softmax(query · keyᵀ * scale) · value` per
    head.

    `query` is (B, S, H, D), `key` (B, T, K, D), `value` (B, T, K, E); the result is (B, S, H, E). All have
    one dtype. H is a multiple of K: each key head serves H / K query heads. `scale` is 1/√D if left out.
    `causal_mask` hides keys from queries: with "TopLeft" query i sees the keys 0 … i, with "BottomRight" the
    keys 0 … i + T - S.
    A `window_size` of w goes with a mask, and leaves a query the last w of the keys that it sees without.
    """
    run = _attend(query, key, value, None, options)
    return lambda query, key, value: run(query, key, value, None)


@family.planned(
    "nn.attention_bias",
    f"{_PARAMS}, bias: tensor(4-d float)",
    _ATTRS,
    infer=infer_attention,
    example=f"nn.attention_bias({_EXAMPLE}, const([[[[0.0, -inf]]]]))",
)
def attention_bias(
    query: TensorSpec, key: TensorSpec, value: TensorSpec, bias: TensorSpec, **options: Any
) -> Run:
    """Do as `nn.attention` and add a bias (B or 1, H or 1, S or 1, T) to the scaled scores, before the
    softmax.
    """
    return _attend(query, key, value, bias, options)


@family.operator(
    "nn.attention_var_len",
    f"{_PARAMS}, seqstart_q: tensor(1-d index), seqstart_k: tensor(1-d index), max_seqlen_q: tensor(index), "
    "max_seqlen_k: tensor(index)",
    _ATTRS,
    tvm="queries keys values seqstart_q max_seqlen_q seqstart_k max_seqlen_k scale causal_mask window_size",
    infer=attention_of_sequences,
    rows="",
    example=f"nn.attention_var_len({_EXAMPLE}, const([0, 1]), const([0, 2]), const(1), const(2))",
)
def attention_var_len(
    query: Any,
    key: Any,
    value: Any,
    seqstart_q: Any,
    seqstart_k: Any,
    max_seqlen_q: Any,
    max_seqlen_k: Any,
    **options: Any,
) -> Any:
    """Do as `nn.attention` for each of several sequences, which lie end to end on axis 1.

    `query` is (1, S, H, D), `key` (1, T, K, D), `value` (1, T, K, E); the result is (1, S, H, E). Sequence i has the
    queries from `seqstart_q[i]` to `seqstart_q[i + 1] - 1`, and likewise the keys and values of `seqstart_k`. None may
    be longer than `max_seqlen_q` and `max_seqlen_k`, tensors of one element. Where no sequence is, the result is 0.
    """
    batch, queries, heads, _ = query.shape
    if batch != 1:
        raise bad_shape(query.shape, key.shape, f"axis 0 of `query` is {batch}, where 1 is needed")
    problem = bad_window(options)
    if problem is not None:
        raise bad_attribute("window_size", problem)
    _check(query, key, value)
    if len(seqstart_q) != len(seqstart_k):
        reason = f"axis 0 is {len(seqstart_q)} in `seqstart_q` and {len(seqstart_k)} in `seqstart_k`"
        raise bad_shape(seqstart_q.shape, seqstart_k.shape, reason)
    limits = (("q", seqstart_q, max_seqlen_q, queries), ("k", seqstart_k, max_seqlen_k, key.shape[1]))
    for letter, _, longest, _ in limits:
        if longest.size != 1:
            reason = f"`max_seqlen_{letter}` has {longest.size} elements, where 1 is needed"
            raise bad_shape(query.shape, longest.shape, reason)
    for letter, starts, longest, extent in limits:
        _check_sequences(starts.tolist(), int(longest.reshape(())), extent, letter)
    result = np.zeros((1, queries, heads, value.shape[3]), query.dtype)
    for at in range(len(seqstart_q) - 1):
        rows, columns = (slice(int(starts[at]), int(starts[at + 1])) for starts in (seqstart_q, seqstart_k))
        parts = query[:, rows], key[:, columns], value[:, columns]
        specs = [TensorSpec(part.dtype, part.shape) for part in parts]
        result[:, rows] = _attend(specs[0], specs[1], specs[2], None, options)(*parts, None)
    return result


def _check_sequences(starts: list[int], longest: int, extent: int, letter: str) -> None:
    """Require sequences that lie one after the other on an axis and are not too long."""
    for at, (begin, end) in enumerate(pairwise(starts)):
        if not 0 <= begin <= end <= extent:
            reason = f"sequence {at} of `seqstart_{letter}` is from {begin} to {end}, of {extent}"
            raise bad_value(reason, sequence=at)
        if end - begin > longest:
            reason = f"sequence {at} of `seqstart_{letter}` has the length {end - begin}"
            raise bad_value(f"{reason}; `max_seqlen_{letter}` is {longest}", sequence=at)


def _attend(
    query: TensorSpec, key: TensorSpec, value: TensorSpec, bias: TensorSpec | None, options: dict[str, Any]
) -> Run:
    problem = bad_window(options)
    if problem is not None:
        raise bad_attribute("window_size", problem)
    _check(query, key, value)
    batch, queries, heads, depth = query.shape
    keys, groups = key.shape[1], key.shape[2]
    # Query heads that share a key head are adjacent: (B, K, H/K, S, D) meets (B, K, 1, D, T).
    shared = heads // max(1, groups)
    split, result_shape = (batch, queries, groups, shared, depth), (batch, queries, heads, value.shape[3])
    bias_shape = () if bias is None else _spread(bias, query, (batch, groups, shared, queries, keys))
    hidden = _hidden(queries, keys, options["causal_mask"], options["window_size"])
    given = options["scale"]
    scale = constant(
        (1 / math.sqrt(depth) if depth else 1.0) if given is None else given, wide_dtype(query.dtype)
    )
    matmul, softmax = np.matmul, softmax_of(-1, batch * heads * queries * keys)

    def run(query: Any, key: Any, value: Any, bias: Any) -> Any:
        scores = matmul(query.reshape(split).transpose(0, 2, 3, 1, 4), key.transpose(0, 2, 3, 1)[:, :, None])
        scores *= scale
        if bias is not None:
            scores += bias.reshape(bias_shape)
        if hidden is not None:
            scores[..., hidden()] = -np.inf
        mixed = matmul(softmax(scores), value.transpose(0, 2, 1, 3)[:, :, None])
        return mixed.transpose(0, 3, 1, 2, 4).reshape(result_shape)

    return widened(query.dtype, run)


def _hidden(queries: int, keys: int, mask: str | None, window: int | None) -> Callable[[], Any] | None:
    """Return the mask of the keys that are hidden from each query."""
    if mask is None:
        return None

    def make() -> Any:
        last = np.arange(queries)[:, None] + (keys - queries if mask == "BottomRight" else 0)
        later = np.arange(keys) > last
        return later if window is None else later | (np.arange(keys) <= last - window)

    return held(make)


def _check(query: TensorSpec, key: TensorSpec, value: TensorSpec) -> None:
    for name, other, axes in (("key", key, (0, 3)), ("value", value, (0,))):
        same_dtype(query, other, ("query", name))
        for axis in axes:
            if query.shape[axis] != other.shape[axis]:
                reason = f"axis {axis} is {query.shape[axis]} in `query` and {other.shape[axis]} in `{name}`"
                raise bad_shape(query.shape, other.shape, reason)
    for axis in (1, 2):
        if key.shape[axis] != value.shape[axis]:
            reason = f"axis {axis} is {key.shape[axis]} in `key` and {value.shape[axis]} in `value`"
            raise bad_shape(key.shape, value.shape, reason)
    if query.shape[2] % key.shape[2] if key.shape[2] else query.shape[2]:
        raise bad_value(
            f"{query.shape[2]} query heads are not a multiple of {key.shape[2]} key heads (axis 2)", axis=2
        )


def _spread(bias: TensorSpec, query: TensorSpec, scores: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape in which a bias goes with the scores, whose heads are split into groups."""
    same_dtype(query, bias, ("query", "bias"))
    batch, groups, shared, queries, keys = scores
    wanted = (batch, groups * shared, queries, keys)
    for axis, (extent, most) in enumerate(zip(bias.shape, wanted, strict=True)):
        if extent != most and (extent != 1 or axis == 3):
            raise bad_shape(bias.shape, wanted, f"axis {axis} of `bias` is {extent}, where {most} is needed")
    split = (groups, shared) if bias.shape[1] == groups * shared else (1, 1)
    return (bias.shape[0], *split, *bias.shape[2:])
