"""Operators that work element by element, along axes, and products."""

from __future__ import annotations

import math

from relax_lang.onnx.exporting.call import EXPORTS, exports
from relax_lang.onnx.exporting.graph import DTYPES
from relax_lang.syntax.dtypes import FLOATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.exporting.call import Call, Rule

_FLOATS_ONLY = {
    **{
        name: name.capitalize() for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh")
    },
    **{
        name: name.capitalize()
        for name in ("sin", "sinh", "tan", "tanh", "exp", "log", "sqrt", "erf", "sigmoid")
    },
    "isnan": "IsNaN",
    "isinf": "IsInf",
}
_ANY = {"abs": "Abs", "sign": "Sign", "bitwise_not": "BitwiseNot", "logical_not": "Not", "nn.relu": "Relu"}
_ROUNDINGS = {"ceil": "Ceil", "floor": "Floor", "round": "Round"}
_BINARY = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "maximum": "Max",
    "minimum": "Min",
    "equal": "Equal",
    "less": "Less",
    "less_equal": "LessOrEqual",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "logical_and": "And",
    "logical_or": "Or",
    "logical_xor": "Xor",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
}


def _unary(kind: str, *, floats: bool) -> Rule:
    def rule(call: Call) -> str:
        call.need(not floats or call.dtype() in FLOATS, f"{kind} takes floats only")
        return call.op(kind, call.tensor(0))

    return rule


def _rounding(kind: str) -> Rule:
    def rule(call: Call) -> str:
        return call.op(kind if call.dtype() in FLOATS else "Identity", call.tensor(0))

    return rule


def _binary(name: str, kind: str) -> Rule:
    def rule(call: Call) -> str:
        call.need(call.dtype() == call.dtype(1), "its operands have different dtypes")
        logical = name.startswith("bitwise") and call.dtype() == "bool"
        return call.op(kind.removeprefix("Bitwise") if logical else kind, call.tensor(0), call.tensor(1))

    return rule


EXPORTS.update({name: _unary(kind, floats=True) for name, kind in _FLOATS_ONLY.items()})
EXPORTS.update({name: _unary(kind, floats=False) for name, kind in _ANY.items()})
EXPORTS.update({name: _rounding(kind) for name, kind in _ROUNDINGS.items()})
EXPORTS.update({name: _binary(name, kind) for name, kind in _BINARY.items()})


def _like(call: Call, value: float) -> str:
    return call.graph.scalar(value, call.dtype())


@exports("negative")
def negative(call: Call) -> str:
    """Signed numbers only."""
    call.need(not call.dtype().startswith("uint") and call.dtype() != "bool", "Neg takes signed numbers only")
    return call.op("Neg", call.tensor(0))


@exports("not_equal")
def not_equal(call: Call) -> str:
    """The opposite of Equal."""
    call.need(call.dtype() == call.dtype(1), "its operands have different dtypes")
    return call.op("Not", call.op("Equal", call.tensor(0), call.tensor(1)))


@exports("power")
def power(call: Call) -> str:
    """Floats, whose powers are the same there."""
    call.need(call.dtype() in FLOATS, "powers of integers that are negative or too large differ")
    return call.op("Pow", call.tensor(0), call.tensor(1))


@exports("mod")
def mod(call: Call) -> str:
    """The remainder with the sign of the dividend."""
    return call.op("Mod", call.tensor(0), call.tensor(1), fmod=1)


@exports("floor_mod", "floor_divide")
def floor_mod(call: Call) -> str:
    """The remainder with the sign of the divisor, and the quotient that belongs to it."""
    x, y = call.tensor(0), call.tensor(1)
    if call.dtype() in FLOATS:
        quotient = call.op("Floor", call.op("Div", x, y))
        call.need(call.name == "floor_divide", "Mod of floats has the sign of the dividend")
        return quotient
    rest = call.op("Mod", x, y, fmod=0)
    return rest if call.name == "floor_mod" else call.op("Div", call.op("Sub", x, rest), y)


@exports("rsqrt")
def rsqrt(call: Call) -> str:
    """One divided by the root."""
    return call.op("Reciprocal", call.op("Sqrt", call.tensor(0)))


@exports("square")
def square(call: Call) -> str:
    """The product with itself."""
    return call.op("Mul", call.tensor(0), call.tensor(0))


@exports("isfinite")
def isfinite(call: Call) -> str:
    """Neither inf nor nan."""
    x = call.tensor(0)
    call.need(call.dtype() in FLOATS, "IsInf takes floats only")
    return call.op("Not", call.op("Or", call.op("IsInf", x), call.op("IsNaN", x)))


@exports("clip")
def clip(call: Call) -> str:
    """Between two numbers."""
    low, high = (call.graph.scalar(call.number(index), call.dtype()) for index in (1, 2))
    return call.op("Min", call.op("Max", call.tensor(0), low), high)


@exports("nn.relu6")
def relu6(call: Call) -> str:
    """Between 0 and 6."""
    return call.op("Clip", call.tensor(0), _like(call, 0), _like(call, 6))


@exports("nn.silu")
def silu(call: Call) -> str:
    """The product with its sigmoid."""
    return call.op("Mul", call.tensor(0), call.op("Sigmoid", call.tensor(0)))


@exports("nn.gelu", "nn.gelu_tanh")
def gelu(call: Call) -> str:
    """Gelu from opset 20 on, before that what it is made of."""
    x, approximate = call.tensor(0), call.name == "nn.gelu_tanh"
    if call.graph.opset >= 20:
        return call.op("Gelu", x, approximate="tanh" if approximate else "none")
    if approximate:
        cube = call.op("Mul", call.op("Mul", x, x), x)
        inner = call.op("Add", x, call.op("Mul", cube, _like(call, 0.044715)))
        part = call.op("Tanh", call.op("Mul", inner, _like(call, math.sqrt(2 / math.pi))))
    else:
        part = call.op("Erf", call.op("Mul", x, _like(call, math.sqrt(0.5))))
    return call.op("Mul", call.op("Mul", x, call.op("Add", part, _like(call, 1))), _like(call, 0.5))


@exports("nn.leakyrelu")
def leakyrelu(call: Call) -> str:
    """LeakyRelu."""
    return call.op("LeakyRelu", call.tensor(0), alpha=float(call.attrs["alpha"]))


@exports("nn.softmax", "nn.log_softmax")
def softmax(call: Call) -> str:
    """Softmax along an axis."""
    call.need(call.rank(), "Softmax takes no tensor of rank 0")
    kind = "Softmax" if call.name == "nn.softmax" else "LogSoftmax"
    return call.op(kind, call.tensor(0), axis=call.axis())


@exports("where")
def where(call: Call) -> str:
    """Where."""
    call.need(call.dtype(0) == "bool", "Where takes a condition of bool")
    return call.op("Where", *[call.tensor(index) for index in range(3)])


@exports("astype")
def astype(call: Call) -> str:
    """Cast."""
    return call.op("Cast", call.tensor(0), to=DTYPES[call.result_dtype])


_REDUCTIONS = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "max": "ReduceMax",
    "min": "ReduceMin",
    "prod": "ReduceProd",
}


@exports(*_REDUCTIONS)
def reduction(call: Call) -> str:
    """Reductions over axes; none named are none."""
    call.need(call.dtype() != "bool", "reductions do not take bool")
    call.need(call.dtype() == call.result_dtype, "its result has another dtype")
    axes = call.axes()
    if not axes:
        return call.op("Identity", call.tensor(0))
    kind, keep = _REDUCTIONS[call.name], int(call.attrs["keepdims"])
    return call.op(kind, call.tensor(0), call.graph.ints(axes), keepdims=keep)


@exports("variance", "std")
def variance(call: Call) -> str:
    """The mean of squares around the mean."""
    call.need(call.dtype() in FLOATS, "the mean of integers is cut off")
    axes = call.axes()
    call.need(axes, "it reduces over nothing")
    listed, x = call.graph.ints(axes), call.tensor(0)
    apart = call.op("Sub", x, call.op("ReduceMean", x, listed, keepdims=1))
    found = call.op("ReduceMean", call.op("Mul", apart, apart), listed, keepdims=int(call.attrs["keepdims"]))
    return call.op("Sqrt", found) if call.name == "std" else found


@exports("argmax", "argmin")
def argmax(call: Call) -> str:
    """The first of equal elements."""
    call.need(call.attrs["axis"] is not None, "without an axis")
    call.need(call.dtype() != "bool", "ArgMax does not take bool")
    kind = "ArgMax" if call.name == "argmax" else "ArgMin"
    return call.op(kind, call.tensor(0), axis=call.axis(), keepdims=int(call.attrs["keepdims"]))


@exports("cumsum")
def cumsum(call: Call) -> str:
    """CumSum along an axis."""
    call.need(call.attrs["axis"] is not None, "without an axis")
    x = call.cast(call.tensor(0), call.dtype(), call.result_dtype)
    axis = call.graph.scalar(call.axis(), "int64")
    return call.op("CumSum", x, axis, exclusive=int(call.attrs["exclusive"]))


@exports("matmul")
def matmul(call: Call) -> str:
    """MatMul."""
    call.need(
        call.dtype() == call.dtype(1) == call.result_dtype, "its operands or its result have other dtypes"
    )
    return call.op("MatMul", call.tensor(0), call.tensor(1))


@exports("linear")
def linear(call: Call) -> str:
    """MatMul with transposed weights, and a bias."""
    call.need(
        call.dtype() == call.dtype(1) == call.result_dtype, "its operands or its result have other dtypes"
    )
    weight = call.tensor(1)
    if call.rank(1) > 1:
        weight = call.op("Transpose", weight, perm=list(range(call.rank(1)))[::-1])
    found = call.op("MatMul", call.tensor(0), weight)
    return call.op("Add", found, call.tensor(2)) if call.given(2) else found


@exports("einsum")
def einsum(call: Call) -> str:
    """Einsum."""
    operands = call.values[0]
    call.need(isinstance(operands, list), "its operands are not known one by one")
    call.need("." not in str(call.attrs["subscripts"]), "`...` of different ranks differs there")
    assert isinstance(operands, list)
    return call.op("Einsum", *[str(one) for one in operands], equation=str(call.attrs["subscripts"]))


@exports("topk")
def topk(call: Call) -> str | list[str]:
    """TopK; its indices are int64."""
    k, axis = call.graph.ints([int(call.attrs["k"])]), call.axis()
    call.need(call.attrs["k"] >= 1 and call.dtype() != "bool", "TopK takes numbers, and one or more of them")
    values, places = call.graph.ops(
        "TopK", call.tensor(0), k, outputs=2, axis=axis, largest=int(call.attrs["largest"]), sorted=1
    )
    places = call.cast(places, "int64", str(call.attrs["dtype"]))
    kind = call.attrs["ret_type"]
    return [values, places] if kind == "both" else values if kind == "values" else places
