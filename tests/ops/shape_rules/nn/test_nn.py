"""Activations, normalization, losses: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(n, 3), float32]", "nn.relu(x)", "Tensor[(n, 3), float32]"),
    ("s: Shape, x: Tensor[s, float32]", "nn.gelu(x)", "Tensor[s, float32]"),
    ("x: Tensor[(n, 3), float32]", "nn.softmax(x, axis=0)", "Tensor[(n, 3), float32]"),
    ("x: Tensor[_, float32]", "nn.log_softmax(x, axis=7)", "Tensor[_, float32]"),
    ("x: Tensor[(n, 3), float32]", "nn.dropout(x)", "(Tensor[(n, 3), float32], Tensor[(n, 3), float32])"),
    ("x: Tensor[(n, m), float32], a: Tensor[(k,), float32]", "nn.prelu(x, a)", "Tensor[(n, m), float32]"),
    ("x: Tensor[(n, 3), float32]", "nn.prelu(x, const([0.5]))", "Tensor[(n, 3), float32]"),
    (
        "x: Tensor[(n, m), float32], g: Tensor[(k,), float32]",
        "nn.layer_norm(x, g, g, axes=-1)",
        "Tensor[(n, m), float32]",
    ),
    (
        "x: Tensor[(n, 2, m), float32], g: Tensor[(m, 2)]",
        "nn.layer_norm(x, g, g, axes=[2, 1])",
        "Tensor[(n, 2, m), float32]",
    ),
    ("x: Tensor[ndim=2, float32], g: Tensor[(k,), float32]", "nn.rms_norm(x, g)", "Tensor[ndim=2, float32]"),
    (
        "x: Tensor[_, float32], g: Tensor[(k, 2), float32]",
        "nn.rms_norm(x, g, axes=[0, 1])",
        "Tensor[_, float32]",
    ),
    (
        "x: Tensor[(n, 3, m), float32], g: Tensor[(3,), float32]",
        "nn.batch_norm(x, g, g, g, g, axis=1)",
        "(Tensor[(n, 3, m), float32], Tensor[(3,), float32], Tensor[(3,), float32])",
    ),
    (
        "x: Tensor[(n, 3, m), float32], g: Tensor[(3,), float32], v: Tensor[_, float32]",
        "nn.batch_norm(x, g, g, v, v, axis=1)",
        "(Tensor[(n, 3, m), float32], Tensor[(3,), float32], Tensor[(3,), float32])",
    ),
    (
        "x: Tensor[_, float32], g: Tensor[(3,), float32], v: Tensor[_, float32]",
        "nn.batch_norm(x, g, g, v, g, axis=1)",
        "(Tensor[_, float32], Tensor[ndim=1, float32], Tensor[(3,), float32])",
    ),
    (
        "x: Tensor[(n, 4, m), float32], g: Tensor[(4,), float32]",
        "nn.group_norm(x, g, g, num_groups=2, channel_axis=1, axes=[2])",
        "Tensor[(n, 4, m), float32]",
    ),
    (
        "x: Tensor[(n, c, m), float32], g: Tensor[(4,), float32]",
        "nn.group_norm(x, g, g, num_groups=3, channel_axis=1, axes=[2])",
        "Tensor[(n, c, m), float32]",
    ),
    (
        "x: Tensor[(n, 4, m), float32], g: Tensor[(4,), float32]",
        "nn.instance_norm(x, g, g, channel_axis=1, axes=[2])",
        "Tensor[(n, 4, m), float32]",
    ),
    ("x: Tensor[(n, m), float32]", "nn.cross_entropy_with_logits(x, x)", "Tensor[(), float32]"),
    ("p: Tensor[(n, c, m), float32], t: Tensor[(n, m), int64]", "nn.nll_loss(p, t)", "Tensor[(), float32]"),
    (
        "p: Tensor[(n, c, m), float32], t: Tensor[_, int64]",
        'nn.nll_loss(p, t, reduction="none")',
        "Tensor[(n, m), float32]",
    ),
    (
        "p: Tensor[ndim=3, float32], t: Tensor[_, int64]",
        'nn.nll_loss(p, t, reduction="none")',
        "Tensor[ndim=2, float32]",
    ),
    ("p: Tensor, t: Tensor[(n, m), int64]", 'nn.nll_loss(p, t, reduction="none")', "Tensor[(n, m)]"),
    (
        "p: Tensor[(c,), float32], t: Tensor[(), int64], w: Tensor[(c,), float32]",
        'nn.nll_loss(p, t, w, reduction="none")',
        "Tensor[(), float32]",
    ),
]

# parameters, call, what is wrong
REJECTED = [
    (
        "x: Tensor[(n, 3), int32]",
        "nn.gelu(x)",
        ["op-dtype-mismatch: nn.gelu: does not take int32 for `data`: a float dtype is needed"],
    ),
    (
        "x: Tensor[(), float32]",
        "nn.softmax(x)",
        ["op-axis: nn.softmax: there is no axis -1 in a tensor of rank 0"],
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "nn.log_softmax(x, axis=2)",
        ["op-axis: nn.log_softmax: axis 2 is outside [-2, 1]"],
    ),
    (
        "x: Tensor[(n, 3), float32], a: Tensor[(2,), float32]",
        "nn.prelu(x, a)",
        [
            (
                "op-shape-mismatch: nn.prelu: shapes `(n, 3)` and `(2,)` do not fit: axis 1 of `data` is "
                "3, `alpha` has 2 elements"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), float32], a: Tensor[(3,), float16]",
        "nn.prelu(x, a)",
        ["op-dtype-mismatch: nn.prelu: `data` is float32, `alpha` is float16; one dtype is needed"],
    ),
    (
        "x: Tensor[(n,), float32], a: Tensor[(3,), float32]",
        "nn.prelu(x, a)",
        ["op-axis: nn.prelu: axis 1 is outside [-1, 0]"],
    ),
    (
        "x: Tensor[(n, 3), float32], g: Tensor[(4,), float32], b: Tensor[(3,), float16]",
        "nn.layer_norm(x, g, b, axes=[-1])",
        [
            "op-dtype-mismatch: nn.layer_norm: `data` is float32, `beta` is float16; one dtype is needed",
            (
                "op-shape-mismatch: nn.layer_norm: shapes `(n, 3)` and `(4,)` do not fit: axis 1 of "
                "`data` is 3, axis 0 of `gamma` is 4"
            ),
        ],
    ),
    (
        "x: Tensor[(n, 3), float32], g: Tensor[(3,), float32]",
        "nn.layer_norm(x, g, g, axes=[-1, 1])",
        ["op-axis: nn.layer_norm: axis 1 is given twice"],
    ),
    (
        "x: Tensor[_, float32], g: Tensor[(3,), float32]",
        "nn.rms_norm(x, g, axes=[0, 1])",
        [("op-argument: argument 2 of nn.rms_norm must be a tensor of rank 2, not `Tensor[(3,), float32]`")],
    ),
    (
        "x: Tensor[(2, 3, 4), float32], g: Tensor[(2, 2), float32]",
        "nn.layer_norm(x, g, g, axes=[-1])",  # one mistake: the other parameter is labelled
        [
            (
                "op-argument: argument 2 of nn.layer_norm must be a tensor of rank 1, not `Tensor[(2, 2), float32]`"
            )
        ],
    ),
    (
        "x: Tensor[_, float32], g: Tensor[_, float32]",
        "nn.rms_norm(x, g, axes=[0, 0])",
        ["op-axis: nn.rms_norm: axis 0 is given twice"],
    ),
    (
        "x: Tensor[(n, 3, m), float32], g: Tensor[(3,), float32], v: Tensor[(4,), float32]",
        "nn.batch_norm(x, g, g, v, g, axis=1)",
        [
            (
                "op-shape-mismatch: nn.batch_norm: shapes `(n, 3, m)` and `(4,)` do not fit: axis 1 of "
                "`data` is 3, axis 0 of `moving_mean` is 4"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, m), float32], g: Tensor[(3,), float32]",
        "nn.group_norm(x, g, g, num_groups=2, channel_axis=1, axes=[2])",
        [
            (
                "op-shape-mismatch: nn.group_norm: shape `(n, 3, m)`: 3 channels (axis 1) cannot be "
                "divided into 2 groups"
            )
        ],
    ),
    (
        "x: Tensor[(n, 4, m), float32], g: Tensor[(4,), float32]",
        "nn.group_norm(x, g, g, num_groups=2, channel_axis=1, axes=[1, 2])",
        ["op-attribute: nn.group_norm: bad attribute `axes`: axis 1 is the channel axis"],
    ),
    (
        "x: Tensor[(n, 4, m), float32], g: Tensor[(4,), float32]",
        "nn.instance_norm(x, g, g, channel_axis=3, axes=[2])",
        ["op-axis: nn.instance_norm: axis 3 is outside [-3, 2]"],
    ),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(n, 3), float32]",
        "nn.cross_entropy_with_logits(x, y)",
        [
            (
                "op-shape-mismatch: nn.cross_entropy_with_logits: shapes `(n, 2)` and `(n, 3)` do not "
                "fit: axis 1 is 2 in `predictions` and 3 in `labels`"
            )
        ],
    ),
    (
        "p: Tensor[(n, c, 5), float32], t: Tensor[(n, 4), int64]",
        "nn.nll_loss(p, t)",
        [
            (
                "op-shape-mismatch: nn.nll_loss: shapes `(n, c, 5)` and `(n, 4)` do not fit: axis 1 is 5 "
                "in `predictions` without its class axis and 4 in `targets`"
            )
        ],
    ),
    (
        "p: Tensor[(n, c, 5), float32], t: Tensor[(n,), int64]",
        "nn.nll_loss(p, t)",
        [
            (
                "op-shape-mismatch: nn.nll_loss: shapes `(n, c, 5)` and `(n,)` do not fit: `predictions` "
                "without its class axis has rank 2, `targets` has rank 1"
            )
        ],
    ),
    (
        "p: Tensor[(n, 3), float32], t: Tensor[(n,), int64], w: Tensor[(4,), float32]",
        "nn.nll_loss(p, t, w)",
        [
            (
                "op-shape-mismatch: nn.nll_loss: shapes `(n, 3)` and `(4,)` do not fit: axis 1 of "
                "`predictions` is 3, `weights` has 4 elements"
            )
        ],
    ),
    (
        "p: Tensor[(), float32], t: Tensor[(), int64]",
        "nn.nll_loss(p, t)",
        [
            (
                "op-argument: argument 1 of nn.nll_loss must be a tensor of rank 1 or more, not "
                "`Tensor[(), float32]`"
            )
        ],
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_known(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "messages"), REJECTED)
def test_OP_rejected(params: str, call: str, messages: list[str]) -> None:
    assert rejected(params, call) == messages
