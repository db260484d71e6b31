"""Operators that are one NumPy function where dtypes and shapes are known beforehand. [OP.6-OP.9]

On arguments of the dtypes named here, of one dtype and of compatible shapes, the kernel does what the NumPy
function does and nothing else; a test compares each with its kernel. Generated code and `ops.calls` then call
NumPy itself.
"""

from __future__ import annotations

from relax_lang.syntax.dtypes import INTEGERS, SIGNED

FLOATS = frozenset(("float16", "float32", "float64"))
"""NumPy itself does not have bfloat16."""
_WIDE = frozenset(("float32", "float64"))
_NUMBERS = FLOATS | frozenset(INTEGERS)
_SIGNED = FLOATS | frozenset(SIGNED)
_BOOL = frozenset(("bool",))
_ALL = _NUMBERS | _BOOL


class Ufunc:
    """`function` is NumPy's name, `dtypes` those it is used for, `result` the dtype of the result if it differs.

    `after` are further arguments, as `maximum(x, 0)` is relu.
    """

    __slots__ = ("after", "dtypes", "function", "result")

    def __init__(self, function: str, dtypes: frozenset[str], result: str = "", after: str = "") -> None:
        self.function = function
        self.dtypes = dtypes
        self.result = result
        self.after = after


BINARY: dict[str, Ufunc] = {
    "add": Ufunc("add", _ALL),
    "subtract": Ufunc("subtract", _NUMBERS),
    "multiply": Ufunc("multiply", _ALL),
    "divide": Ufunc("true_divide", FLOATS),
    "floor_divide": Ufunc("floor_divide", FLOATS),
    "mod": Ufunc("fmod", FLOATS),
    "floor_mod": Ufunc("mod", FLOATS),
    "power": Ufunc("power", FLOATS),
    "maximum": Ufunc("maximum", _ALL),
    "minimum": Ufunc("minimum", _ALL),
    "atan2": Ufunc("arctan2", FLOATS),
    "log_add_exp": Ufunc("logaddexp", FLOATS),
    "logical_and": Ufunc("logical_and", _BOOL),
    "logical_or": Ufunc("logical_or", _BOOL),
    "logical_xor": Ufunc("logical_xor", _BOOL),
    "bitwise_and": Ufunc("bitwise_and", _BOOL | frozenset(INTEGERS)),
    "bitwise_or": Ufunc("bitwise_or", _BOOL | frozenset(INTEGERS)),
    "bitwise_xor": Ufunc("bitwise_xor", _BOOL | frozenset(INTEGERS)),
    **{
        name: Ufunc(name, _ALL, "bool")
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    },
}
"""Operators of two tensors of one dtype."""

UNARY: dict[str, Ufunc] = {
    "abs": Ufunc("abs", _NUMBERS),
    "negative": Ufunc("negative", _NUMBERS),
    "sign": Ufunc("sign", _NUMBERS),
    "square": Ufunc("square", _WIDE | frozenset(INTEGERS)),
    "round": Ufunc("rint", FLOATS),
    "logical_not": Ufunc("logical_not", _BOOL),
    "bitwise_not": Ufunc("invert", _BOOL | frozenset(INTEGERS)),
    "nn.relu": Ufunc("maximum", _SIGNED, after="0"),
    **{
        name: Ufunc(name, FLOATS)
        for name in ("ceil", "cos", "cosh", "exp", "floor", "log", "sin", "sinh", "sqrt")
    },
    **{name: Ufunc(name, FLOATS) for name in ("tan", "tanh", "trunc")},
    **{f"a{name}": Ufunc(f"arc{name}", FLOATS) for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    **{name: Ufunc(name, FLOATS, "bool") for name in ("isfinite", "isinf", "isnan")},
}
"""Operators of one tensor."""
