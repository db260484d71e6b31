"""Functions of several tensors, element by element; integers that are sizes stay expressions."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, imports, is_float, known_array
from relax_lang.onnx.building.size_arithmetic import on_sizes, pairs_of, ratio_of
from relax_lang.onnx.operators.nn.scaling import scaled
from relax_lang.onnx.values import Constant, Sizes, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.dims import Dim
    from relax_lang.onnx.values import Value

_BINARY = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "And": "logical_and",
    "Or": "logical_or", "Xor": "logical_xor", "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
}  # fmt: skip
_COMPARISONS = {
    "Equal": "equal", "Less": "less", "Greater": "greater", "LessOrEqual": "less_equal",
    "GreaterOrEqual": "greater_equal",
}  # fmt: skip
_CHAINS = {"Max": "maximum", "Min": "minimum", "Sum": "add"}


def _aligned(node: Node) -> tuple[Value, Value]:
    """Return both operands; before opset 7 the second is aligned by the attribute `axis`."""
    x, y = node.input(0), node.input(1)
    if node.opset < 7 and node.int("broadcast", 0) and "axis" in node.definition.attrs:
        axis = node.int("axis")
        axis += len(x.dims) if axis < 0 else 0
        after = len(x.dims) - axis - len(y.dims)
        y = node.builder.reshape(y, [*y.dims, *[1] * max(after, 0)])
    return x, y


@imports(*_BINARY)
def binary(node: Node) -> Value:
    """Division of integers rounds toward zero on both sides."""
    x, y = _aligned(node)
    found = on_sizes(node.op, (x, y))
    if found is not None:
        return found
    ratio = ratio_of(node.op, x, y)
    if ratio is None:
        found = scaled(node, x, y)
    made = node.builder.op(_BINARY[node.op], x, y) if found is None else found
    if isinstance(made, Tensor):
        made.ratio = ratio
    return made


@imports(*_COMPARISONS)
def comparison(node: Node) -> Value:
    """A comparison of sizes is decided where it can be; else the result remembers what it compared."""
    x, y = _aligned(node)
    b = node.builder
    name = _COMPARISONS[node.op]
    pairs = pairs_of((x, y)) if isinstance(x, Sizes) or isinstance(y, Sizes) else None
    if pairs is not None:
        found = [_decided(name, left, right) for left, right in pairs]
        if None not in found:
            array = b.constant(found, "bool").array
            return Constant(array.reshape(()) if not x.dims and not y.dims else array)
    made = b.op(name, x, y)
    if pairs is not None and len(pairs) == 1 and isinstance(made, Tensor):
        made.decided_by = name, pairs[0][0], pairs[0][1]
    return made


def _decided(name: str, a: Dim, b: Dim) -> bool | None:
    """Return whether a comparison of sizes holds; sizes are not negative."""
    if name == "equal":
        return True if dims.equal(a, b) else False if dims.different(a, b) else None
    if name in ("greater", "greater_equal"):
        name, a, b = {"greater": "less", "greater_equal": "less_equal"}[name], b, a
    least = 1 if name == "less" else 0
    if dims.not_below(dims.sub(b, a), least):
        return True
    return False if dims.not_below(dims.sub(a, b), 1 - least) else None


@imports(*_CHAINS)
def chain(node: Node) -> Value:
    """Any number of operands, from one on."""
    values = node.inputs()
    found = on_sizes(node.op, values)
    if found is not None:
        return found
    made = values[0]
    for one in values[1:]:
        made = node.builder.op(_CHAINS[node.op], made, one)
    return made


@imports("Mean")
def mean(node: Node) -> Value:
    """The sum divided by the number of operands."""
    b, total = node.builder, chain_of(node, "add")
    return b.op("divide", total, b.like(len(node.values), total))


def chain_of(node: Node, name: str) -> Value:
    """Return all operands combined by one operator."""
    values = node.inputs()
    made = values[0]
    for one in values[1:]:
        made = node.builder.op(name, made, one)
    return made


@imports("Mod")
def mod(node: Node) -> Value:
    """The sign of the divisor, or with `fmod` that of the dividend."""
    x, y = node.input(0), node.input(1)
    found = on_sizes("Mod", (x, y))
    if found is not None:
        return found
    return node.builder.op("mod" if node.int("fmod", 0) else "floor_mod", x, y)


@imports("Pow")
def power(node: Node) -> Value:
    """The result has the dtype of the base; an integer base with another exponent is computed in that dtype."""
    b, x, y = node.builder, *_aligned(node)
    known = known_array(y)
    if x.dtype == y.dtype:
        squares = (
            known is not None and known.size == 1 and known.ndim <= len(x.dims) and known.reshape(()) == 2
        )
        return b.op("multiply", x, x) if squares else b.op("power", x, y)
    if is_float(x.dtype) or (not is_float(y.dtype) and x.dtype != y.dtype):
        if known is not None and is_float(x.dtype) and known.size == 1 and float(known.reshape(())) == 2:
            return b.op("multiply", x, x)
        return b.op("power", x, b.cast(y, x.dtype))
    return b.cast(b.op("power", b.cast(x, y.dtype), y), x.dtype)


@imports("BitShift")
def bit_shift(node: Node) -> Value:
    """Shifts by the width or more give 0, or -1 for a negative number that is shifted right."""
    b, x, y = node.builder, node.input(0), node.input(1)
    left = node.string("direction") == "LEFT"
    width = int(b.constant(0, x.dtype).array.dtype.itemsize) * 8
    last, zero = b.like(width - 1, x), b.like(0, x)
    name = "left_shift" if left else "right_shift"
    known = known_array(y)
    if known is not None and known.size and int(known.min()) >= 0 and int(known.max()) < width:
        return b.op(name, x, y)
    wide = b.op("greater", y, last)
    if not y.dtype.startswith("u"):
        wide = b.op("logical_or", wide, b.op("less", y, zero))
    amount = b.op("where", wide, zero, y)
    shifted = b.op(name, x, amount)
    if left or x.dtype.startswith("u"):
        rest: Value = zero
    else:
        rest = b.op("right_shift", x, last)
    return b.op("where", wide, rest, shifted)


@imports("Where")
def where(node: Node) -> Value:
    """A choice between sizes by a condition that is known picks."""
    b = node.builder
    condition, x, y = node.input(0), node.input(1), node.input(2)
    known = known_array(condition)
    if known is not None and (isinstance(x, Sizes) or isinstance(y, Sizes)) and known.ndim <= 1:
        flags = b.constant(known, "int64")
        rows = pairs_of((flags, x, y))
        if rows is not None:
            items = tuple([one if dims.number(flag) else other for flag, one, other in rows])
            scalar = not condition.dims and not x.dims and not y.dims
            return Sizes(items, scalar=scalar, dtype=x.dtype)
    return b.op("where", condition, x, y)
