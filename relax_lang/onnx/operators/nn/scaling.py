"""Numbers that are multiplied with or added to what a convolution or another number made: they go into that.

A network spells out `a * (x / 6) + b` for each of its activations, and scales and moves each convolution once more.
Where nothing else reads what is in between, one operation does. The last bits of results change with that.
"""

from __future__ import annotations

from relax_lang.onnx.operators.nn.convolution import into_convolution
from relax_lang.onnx.values import Constant, Scaled, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.building.node import Node
    from relax_lang.onnx.values import Array, Value


def scaled(node: Node, x: Value, y: Value) -> Value | None:
    """Return `x + y`, `x - y`, `x * y` or `x / y` in fewer operations; None where there are no fewer."""
    if isinstance(x, Constant) and node.op in ("Add", "Mul"):
        x, y = y, x
    floats = ("float32", "float64")
    if not (node.builder.folds and isinstance(x, Tensor) and isinstance(y, Constant) and x.dtype in floats):
        return None
    return _into_convolution(node, x, y.array) or _into_product(node, x, y.array)


def _into_convolution(node: Node, x: Tensor, array: Array) -> Value | None:
    import numpy as np

    made = x.convolution
    rank, channels = len(x.dims), 0 if made is None else made.weight.shape[0]
    if made is None or array.ndim > rank:
        return None
    shape = (*(1,) * (rank - array.ndim), *array.shape)
    if shape[0] != 1 or shape[1] not in (1, channels) or any(one != 1 for one in shape[2:]):
        return None
    numbers = np.broadcast_to(array.astype(np.float64).reshape(-1), (channels,))
    if node.op == "Div" and not numbers.all():
        return None
    ones, zeros = np.ones(channels), np.zeros(channels)
    match node.op:
        case "Mul":
            return into_convolution(node, x, numbers, zeros)
        case "Div":
            return into_convolution(node, x, 1 / numbers, zeros)
        case "Add":
            return into_convolution(node, x, ones, numbers)
        case "Sub":
            return into_convolution(node, x, ones, -numbers)
        case _:
            return None


def _into_product(node: Node, x: Tensor, array: Array) -> Value | None:
    """Return a product with one number, where x is the last binding and such a product, too."""
    b = node.builder
    if node.op not in ("Mul", "Div") or array.size != 1 or array.ndim > len(x.dims):
        return None
    number = float(array.reshape(()))
    if number == 1:
        return x
    if node.op == "Div" and number == 0:
        return None
    factor, operand = number if node.op == "Mul" else 1 / number, x
    before = x.scaled
    if before is not None and b.is_last(x):
        b.bindings.pop()
        factor, operand = factor * before.factor, before.operand
        made = b.op("multiply", operand, b.like(factor, x))
    else:
        made = b.op("multiply" if node.op == "Mul" else "divide", x, b.like(number, x))
    if isinstance(made, Tensor) and node.is_read_once():
        made.scaled = Scaled(operand, factor)
    return made
