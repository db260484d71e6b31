"""Operators of `com.microsoft` that onnxruntime's optimizer makes of several of the standard: those again."""

from __future__ import annotations

from relax_lang.onnx.building.node import imports_fused
from relax_lang.onnx.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.onnx.building.node import Node
    from relax_lang.onnx.values import Value

_PARAMETERS = {
    "Relu": (),
    "Sigmoid": (),
    "Tanh": (),
    "LeakyRelu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
}
"""The activations of fused convolutions, with the attributes that their parameters are."""


@imports_fused("Gelu", "BiasGelu")
def gelu(node: Node) -> Value:
    """The exact form, of a sum if there is a bias."""
    return node.builder.op("nn.gelu", _biased(node))


@imports_fused("FastGelu")
def fast_gelu(node: Node) -> Value:
    """The form with tanh, of a sum if there is a bias."""
    return node.builder.op("nn.gelu_tanh", _biased(node))


def _biased(node: Node) -> Value:
    bias = node.optional(1)
    return node.input(0) if bias is None else node.builder.op("add", node.input(0), bias)


@imports_fused("QuickGelu")
def quick_gelu(node: Node) -> Value:
    """`x * sigmoid(alpha * x)`."""
    b, x = node.builder, node.input(0)
    scaled = b.op("multiply", x, b.like(node.float("alpha", 1.702), x))
    return b.op("multiply", x, b.op("sigmoid", scaled))


@imports_fused("FusedMatMul")
def matmul(node: Node) -> Value:
    """`alpha * A @ B`, of which either may have its last two axes exchanged."""
    if node.int("transBatchA", 0) or node.int("transBatchB", 0):
        raise Refused("batches that are not in front are not supported")
    b = node.builder
    a, w = [_turned(node, at, f"trans{'AB'[at]}") for at in range(2)]
    made, alpha = b.op("matmul", a, w), node.float("alpha", 1.0)
    return made if alpha == 1 else b.op("multiply", made, b.like(alpha, made))


def _turned(node: Node, at: int, attribute: str) -> Value:
    value = node.input(at)
    rank = len(value.dims)
    if not node.int(attribute, 0) or rank < 2:
        return value
    return node.builder.transpose(value, [*range(rank - 2), rank - 1, rank - 2])


@imports_fused("FusedConv")
def convolution(node: Node) -> Value:
    """A convolution, another tensor that is added, and an activation."""
    own = ("activation", "activation_params")
    attrs = {key: value for key, value in node.definition.attrs.items() if key not in own}
    values = [node.input(0), node.input(1)]
    bias, more = node.optional(2), node.optional(3)
    made = node.conversion.apply("Conv", [*values, bias] if bias is not None else values, attrs)
    if more is not None:
        made = node.builder.op("add", made, more)
    return _activated(node, made)


def _activated(node: Node, value: Value) -> Value:
    name, b = node.string("activation", ""), node.builder
    given: Any = node.definition.attrs.get("activation_params", [])
    if not name:
        return value
    if name == "Clip" and len(given) == 2:
        low, high = [b.like(one, value) for one in given]
        return node.conversion.apply("Clip", [value, low, high], {})
    if name not in _PARAMETERS or len(given) > len(_PARAMETERS[name]):
        raise Refused(f"the activation {name} is not known")
    return node.conversion.apply(name, [value], dict(zip(_PARAMETERS[name], given, strict=False)))


@imports_fused("SkipLayerNormalization")
def skip_layer_norm(node: Node) -> list[Value | None]:
    """Layer normalization of a sum, which is the fourth result."""
    b = node.builder
    if any(name for name in node.definition.outputs[1:3]):
        raise Refused("mean and deviation as results are not supported")
    total = b.op("add", node.input(0), node.input(1))
    bias = node.optional(4)
    if bias is not None:
        total = b.op("add", total, bias)
    beta = node.optional(3)
    values = [total, node.input(2)] if beta is None else [total, node.input(2), beta]
    made = node.conversion.apply("LayerNormalization", values, {"epsilon": node.float("epsilon", 1e-12)})
    return [made, None, None, total]
