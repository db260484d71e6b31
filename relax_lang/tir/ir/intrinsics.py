"""The math functions of PrimFunc expressions: one row each.

A row gives the name, the types of its arguments, the type of its result, the function that computes it and
one line of documentation. `function` is a NumPy function (`np.exp`) or a function of `relax_lang.tir.runtime_library`
(`sigmoid`); the interpreter and the compiled code call the same one. To add an intrinsic, add a row.
Never imports numpy.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes

FLOAT = "a float"
WIDE_FLOAT = "float32 or float64"
INTEGER = "an integer"
NUMBER = "a number"

SAME = "same"  # the type of the first argument
BOOL = "bool"

LAZY = "if_then_else"
"""The one function that does not evaluate all of its arguments; every pass knows it by name. [TIR.13]"""


class Intrinsic:
    """One row; `takes` has one entry per argument, all arguments of one kind have one type."""

    __slots__ = ("doc", "function", "gives", "name", "takes")

    def __init__(self, name: str, takes: tuple[str, ...], gives: str, function: str, doc: str) -> None:
        self.name = name
        self.takes = takes
        self.gives = gives
        self.function = function
        self.doc = doc

    @property
    def arity(self) -> int:
        """How many arguments it takes."""
        return len(self.takes)


def accepts(kind: str, dtype: str) -> bool:
    """Return whether an argument of the given kind may have the given type."""
    if kind == FLOAT:
        return dtypes.is_float(dtype)
    if kind == WIDE_FLOAT:
        return dtypes.is_float(dtype) and dtype not in dtypes.HALVES
    if kind == INTEGER:
        return dtypes.is_integer(dtype)
    return dtypes.is_number(dtype)


_ROWS = (
    Intrinsic("exp", (FLOAT,), SAME, "np.exp", "e to the power of x"),
    Intrinsic("exp2", (FLOAT,), SAME, "np.exp2", "2 to the power of x"),
    Intrinsic("exp10", (FLOAT,), SAME, "exp10", "10 to the power of x"),
    Intrinsic("expm1", (FLOAT,), SAME, "np.expm1", "exp(x) - 1, exact near 0"),
    Intrinsic("log", (FLOAT,), SAME, "np.log", "natural logarithm"),
    Intrinsic("log2", (FLOAT,), SAME, "np.log2", "logarithm to base 2"),
    Intrinsic("log10", (FLOAT,), SAME, "np.log10", "logarithm to base 10"),
    Intrinsic("log1p", (FLOAT,), SAME, "np.log1p", "log(1 + x), exact near 0"),
    Intrinsic("sqrt", (FLOAT,), SAME, "np.sqrt", "square root"),
    Intrinsic("rsqrt", (FLOAT,), SAME, "rsqrt", "1 / sqrt(x)"),
    Intrinsic("sin", (FLOAT,), SAME, "np.sin", "sine of an angle in radians"),
    Intrinsic("cos", (FLOAT,), SAME, "np.cos", "cosine of an angle in radians"),
    Intrinsic("tan", (FLOAT,), SAME, "np.tan", "tangent of an angle in radians"),
    Intrinsic("asin", (FLOAT,), SAME, "np.arcsin", "arc sine"),
    Intrinsic("acos", (FLOAT,), SAME, "np.arccos", "arc cosine"),
    Intrinsic("atan", (FLOAT,), SAME, "np.arctan", "arc tangent"),
    Intrinsic("atan2", (FLOAT, FLOAT), SAME, "np.arctan2", "angle of the point (x, y): atan2(y, x)"),
    Intrinsic("sinh", (FLOAT,), SAME, "np.sinh", "hyperbolic sine"),
    Intrinsic("cosh", (FLOAT,), SAME, "np.cosh", "hyperbolic cosine"),
    Intrinsic("tanh", (FLOAT,), SAME, "np.tanh", "hyperbolic tangent"),
    Intrinsic("asinh", (FLOAT,), SAME, "np.arcsinh", "inverse of sinh"),
    Intrinsic("acosh", (FLOAT,), SAME, "np.arccosh", "inverse of cosh"),
    Intrinsic("atanh", (FLOAT,), SAME, "np.arctanh", "inverse of tanh"),
    Intrinsic("sigmoid", (FLOAT,), SAME, "sigmoid", "1 / (1 + exp(-x))"),
    Intrinsic("erf", (FLOAT,), SAME, "erf", "error function"),
    Intrinsic("floor", (FLOAT,), SAME, "np.floor", "greatest whole number that is at most x"),
    Intrinsic("ceil", (FLOAT,), SAME, "np.ceil", "least whole number that is at least x"),
    Intrinsic("trunc", (FLOAT,), SAME, "np.trunc", "x without its fraction"),
    Intrinsic("round", (FLOAT,), SAME, "np.rint", "nearest whole number, halves to the even one, as NumPy"),
    Intrinsic("nearbyint", (FLOAT,), SAME, "np.rint", "nearest whole number, halves to the even one"),
    Intrinsic("abs", (NUMBER,), SAME, "np.abs", "absolute value; that of the least integer wraps around"),
    Intrinsic("pow", (FLOAT, FLOAT), SAME, "np.power", "x to the power of y"),
    Intrinsic("fmod", (FLOAT, FLOAT), SAME, "np.fmod", "remainder with the sign of x"),
    Intrinsic("hypot", (FLOAT, FLOAT), SAME, "np.hypot", "sqrt(x * x + y * y) without overflow"),
    Intrinsic("copysign", (FLOAT, FLOAT), SAME, "np.copysign", "x with the sign of y"),
    Intrinsic(
        "nextafter", (WIDE_FLOAT, WIDE_FLOAT), SAME, "np.nextafter", "the number after x on the way to y"
    ),
    Intrinsic("ldexp", (FLOAT, INTEGER), SAME, "ldexp", "x * 2 ** n"),
    Intrinsic("isnan", (FLOAT,), BOOL, "np.isnan", "whether x is not a number"),
    Intrinsic("isinf", (FLOAT,), BOOL, "np.isinf", "whether x is infinite"),
    Intrinsic("isfinite", (FLOAT,), BOOL, "np.isfinite", "whether x is neither infinite nor nan"),
    Intrinsic("popcount", (INTEGER,), SAME, "popcount", "how many bits of x are set"),
    Intrinsic("clz", (INTEGER,), SAME, "clz", "how many bits above the highest set one are clear"),
)

INTRINSICS: dict[str, Intrinsic] = {row.name: row for row in _ROWS}

OTHER_FORMS = {
    "floordiv": ("", " // ", ""),
    "floormod": ("", " % ", ""),
    "truncdiv": ("", " / ", ""),
    "indexdiv": ("", " // ", ""),
    "indexmod": ("", " % ", ""),
    "div": ("", " / ", ""),
    "mod": ("", " % ", ""),
    "shift_left": ("", " << ", ""),
    "shift_right": ("", " >> ", ""),
    "bitwise_and": ("", " & ", ""),
    "bitwise_or": ("", " | ", ""),
    "bitwise_xor": ("", " ^ ", ""),
    "bitwise_not": ("~", ""),
    "logical_and": ("", " && ", ""),
    "logical_or": ("", " || ", ""),
    "logical_not": ("!", ""),
    "neg": ("-", ""),
    "likely": ("", ""),
    "relu": ("max(", ", 0)"),
    "astype": ("cast(", ", ", ")"),
    "where": ("select(", ", ", ", ", ")"),
    "Select": ("select(", ", ", ", ", ")"),
    "ternary": ("select(", ", ", ", ", ")"),
}
"""What the language writes for functions that readers of other notations look for: the text around the arguments."""

BUILT_IN = {"min": 2, "max": 2, "select": 3, "cast": 2, "min_value": 1, "max_value": 1, LAZY: 3}
"""Functions of the grammar itself, for suggestions, and how many arguments they take."""
