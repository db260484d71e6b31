"""Functions of one tensor, element by element."""

from __future__ import annotations

from relax_lang.onnx.building.node import Node, imports, is_float, known_array
from relax_lang.onnx.building.size_arithmetic import rounded
from relax_lang.onnx.operators.tensor.creation import uniform
from relax_lang.onnx.values import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value

_SAME = {
    "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan",
    "Atanh": "atanh", "BitwiseNot": "bitwise_not", "Cos": "cos", "Cosh": "cosh", "Erf": "erf", "Exp": "exp",
    "IsNaN": "isnan", "Log": "log", "Neg": "negative", "Not": "logical_not", "Relu": "nn.relu",
    "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Sqrt": "sqrt", "Tan": "tan",
    "Tanh": "tanh",
}  # fmt: skip
_ROUNDING = {"Ceil": "ceil", "Floor": "floor", "Round": "round"}


@imports(*_SAME)
def one_operator(node: Node) -> Value:
    """Operators that Relax has, with the same meaning."""
    return node.builder.op(_SAME[node.op], node.input(0))


@imports(*_ROUNDING)
def rounding(node: Node) -> Value:
    """Halves are rounded to even on both sides."""
    x = node.input(0)
    made = node.builder.op(_ROUNDING[node.op], x)
    if isinstance(x, Tensor) and isinstance(made, Tensor) and x.ratio is not None and node.op != "Round":
        made.ratio = rounded(node.op, x.ratio)
    return made


@imports("Identity")
def identity(node: Node) -> Value:
    """The value itself."""
    return node.input(0)


@imports("Gelu")
def gelu(node: Node) -> Value:
    """The exact form, or the one with tanh."""
    name = "nn.gelu_tanh" if node.string("approximate", "none") == "tanh" else "nn.gelu"
    return node.builder.op(name, node.input(0))


@imports("Reciprocal")
def reciprocal(node: Node) -> Value:
    """`1 / x`."""
    x = node.input(0)
    return node.builder.op("divide", node.builder.like(1, x), x)


@imports("Softsign")
def softsign(node: Node) -> Value:
    """`x / (1 + |x|)`."""
    b, x = node.builder, node.input(0)
    return b.op("divide", x, b.op("add", b.op("abs", x), b.like(1, x)))


@imports("Softplus")
def softplus(node: Node) -> Value:
    """`log(exp(x) + 1)`, computed so that nothing overflows."""
    b, x = node.builder, node.input(0)
    return b.op("log_add_exp", x, b.like(0, x))


@imports("HardSigmoid")
def hard_sigmoid(node: Node) -> Value:
    """`max(0, min(1, alpha * x + beta))`."""
    return _hard_sigmoid(node, node.input(0), node.float("alpha", 0.2), node.float("beta", 0.5))


@imports("HardSwish")
def hard_swish(node: Node) -> Value:
    """`x * hard_sigmoid(x)` with alpha 1/6 and beta 1/2."""
    x = node.input(0)
    return node.builder.op("multiply", x, _hard_sigmoid(node, x, 1 / 6, 0.5))


def _hard_sigmoid(node: Node, x: Value, alpha: float, beta: float) -> Value:
    b = node.builder
    moved = b.op("add", b.op("multiply", x, b.like(alpha, x)), b.like(beta, x))
    return b.op("clip", moved, 0.0, 1.0)


@imports("LeakyRelu")
def leaky_relu(node: Node) -> Value:
    """`x` where it is not negative, else `alpha * x`."""
    return node.builder.op("nn.leakyrelu", node.input(0), alpha=node.float("alpha", 0.01))


@imports("PRelu")
def prelu(node: Node) -> Value:
    """`x` where it is not negative, else `slope * x`; before opset 7 a slope of rank 1 belongs to axis 1."""
    b, x, slope = node.builder, node.input(0), node.input(1)
    rank = len(x.dims)
    if node.opset < 7 and len(slope.dims) == 1 and rank > 2:
        slope = b.reshape(slope, [slope.dims[0], *[1] * (rank - 2)])
    zero = b.like(0, x)
    if not is_float(x.dtype):
        return b.op("where", b.op("less", x, zero), b.op("multiply", slope, x), x)
    return b.op("where", b.op("less", x, zero), b.op("multiply", x, slope), x)


@imports("Clip")
def clip(node: Node) -> Value:
    """Limits are attributes before opset 11; where they contradict each other the upper one holds."""
    b, x = node.builder, node.input(0)
    if node.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
        limits = [None if one is None else b.like(one, x) for one in (low, high)]
    else:
        limits = [node.optional(1), node.optional(2)]
    known = [None if one is None else known_array(one) for one in limits]
    low, high = [None if one is None or one.size != 1 else float(one.reshape(())) for one in known]
    if low is not None and high is not None and low <= high and x.dtype in ("float32", "float64"):
        return b.op("clip", x, low, high)
    if limits[0] is not None:
        x = b.op("maximum", x, limits[0])
    return x if limits[1] is None else b.op("minimum", x, limits[1])


@imports("IsInf")
def is_inf(node: Node) -> Value:
    """Both infinities, or one of them."""
    b, x = node.builder, node.input(0)
    positive, negative = node.int("detect_positive", 1), node.int("detect_negative", 1)
    if positive and negative:
        return b.op("isinf", x)
    if not positive and not negative:
        return b.op("not_equal", b.op("isinf", x), b.op("isinf", x))
    return b.op("equal", x, b.like(float("inf") if positive else float("-inf"), x))


@imports("Dropout")
def dropout(node: Node) -> list[Value]:
    """The input itself, and a mask of true; in training elements are dropped by a hash of their places."""
    b, x = node.builder, node.input(0)
    training = node.optional(2)
    known = None if training is None else known_array(training)
    if training is None or (known is not None and not bool(known.reshape(-1)[0])):
        return [x, b.full(x.dims, True, "bool")][: max(node.n_outputs, 1)]
    ratio = b.constant(0.5, x.dtype) if not node.given(1) else b.reshape(b.cast(node.input(1), x.dtype), [])
    kept: Value = b.op("greater_equal", b.cast(uniform(node, x.dims), x.dtype), ratio)
    one, zero = b.like(1, x), b.like(0, x)
    made: Value = b.op("where", kept, b.op("divide", x, b.op("subtract", one, ratio)), zero)
    if known is None:
        drops = b.reshape(training, [])
        made = b.op("where", drops, made, x)
        kept = b.op("logical_or", kept, b.op("logical_not", drops))
    return [made, kept][: max(node.n_outputs, 1)]


@imports("CastLike")
def cast_like(node: Node) -> Value:
    """The dtype of another tensor."""
    return node.apply("Cast", node.input(0), to=_number(node.input(1).dtype))


def _number(dtype: str) -> int:
    from relax_lang.onnx.reading.tensors import dtype_number

    return dtype_number(dtype)
