"""The math functions of PrimFunc expressions: one row each.

A row gives the name, the types of its arguments, the type of its result and one line of documentation.
`relax_lang.tir.runtime_library` has the function that computes it, or knows what NumPy calls it; the interpreter and
compiled code call the same one. To add an intrinsic, add a row. Never imports numpy.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes

FLOAT = "a float"
WIDE_FLOAT = "float32 or float64"
INTEGER = "an integer"
NUMBER = "a number"
OF_BITS = {f"a number of {bits} bits": bits for bits in (8, 16, 32, 64)}
"""Kinds of arguments whose bits are read as another type, and how many bits they have."""

SAME = "same"  # the type of the first argument
BOOL = "bool"
# Any other result is the dtype itself.

LAZY = "if_then_else"
"""The one function that does not evaluate all of its arguments; every pass knows it by name. [TIR.13]"""


class Intrinsic:
    """One row; `takes` has one entry per argument, all arguments of one kind have one type."""

    __slots__ = ("doc", "gives", "name", "takes")

    def __init__(self, name: str, takes: tuple[str, ...], gives: str, doc: str) -> None:
        self.name = name
        self.takes = takes
        self.gives = gives
        self.doc = doc

    @property
    def arity(self) -> int:
        """How many arguments it takes."""
        return len(self.takes)


def result_of(row: Intrinsic, dtype: str) -> str:
    """Return the type of the result, for a first argument of a type."""
    return dtype if row.gives == SAME else row.gives


def width(dtype: str) -> int | None:
    """Return how many bits a number of a type has; None for halves, which are computed with as float32."""
    return dtypes.INTEGERS.get(dtype) or _FLOAT_BITS.get(dtype)


_FLOAT_BITS = {"float32": 32, "float64": 64}


def _reinterpretations() -> tuple[Intrinsic, ...]:
    """Return a row for each type that bits can be read as."""
    made: list[Intrinsic] = []
    for dtype in (*dtypes.INTEGERS, *_FLOAT_BITS):
        bits = width(dtype)
        kind = next((kind for kind, given in OF_BITS.items() if given == bits), None)
        if kind is not None:
            made.append(
                Intrinsic(f"{REINTERPRET}{dtype}", (kind,), dtype, f"the {bits} bits of x, read as a {dtype}")
            )
    return tuple(made)


REINTERPRET = "reinterpret_"
"""How the names of the functions begin that read the bits of a number as another type; the type follows."""


def accepts(kind: str, dtype: str) -> bool:
    """Return whether an argument of the given kind may have the given type."""
    if kind == FLOAT:
        return dtypes.is_float(dtype)
    if kind == WIDE_FLOAT:
        return dtypes.is_float(dtype) and dtype not in dtypes.HALVES
    if kind == INTEGER:
        return dtypes.is_integer(dtype)
    if kind in OF_BITS:
        return width(dtype) == OF_BITS[kind]
    return dtypes.is_number(dtype)


_ROWS = (
    Intrinsic("exp", (FLOAT,), SAME, "e to the power of x"),
    Intrinsic("exp2", (FLOAT,), SAME, "2 to the power of x"),
    Intrinsic("exp10", (FLOAT,), SAME, "10 to the power of x"),
    Intrinsic("expm1", (FLOAT,), SAME, "exp(x) - 1, exact near 0"),
    Intrinsic("log", (FLOAT,), SAME, "natural logarithm"),
    Intrinsic("log2", (FLOAT,), SAME, "logarithm to base 2"),
    Intrinsic("log10", (FLOAT,), SAME, "logarithm to base 10"),
    Intrinsic("log1p", (FLOAT,), SAME, "log(1 + x), exact near 0"),
    Intrinsic("sqrt", (FLOAT,), SAME, "square root"),
    Intrinsic("rsqrt", (FLOAT,), SAME, "1 / sqrt(x)"),
    Intrinsic("sin", (FLOAT,), SAME, "sine of an angle in radians"),
    Intrinsic("cos", (FLOAT,), SAME, "cosine of an angle in radians"),
    Intrinsic("tan", (FLOAT,), SAME, "tangent of an angle in radians"),
    Intrinsic("asin", (FLOAT,), SAME, "arc sine"),
    Intrinsic("acos", (FLOAT,), SAME, "arc cosine"),
    Intrinsic("atan", (FLOAT,), SAME, "arc tangent"),
    Intrinsic("atan2", (FLOAT, FLOAT), SAME, "angle of the point (x, y): atan2(y, x)"),
    Intrinsic("sinh", (FLOAT,), SAME, "hyperbolic sine"),
    Intrinsic("cosh", (FLOAT,), SAME, "hyperbolic cosine"),
    Intrinsic("tanh", (FLOAT,), SAME, "hyperbolic tangent"),
    Intrinsic("asinh", (FLOAT,), SAME, "inverse of sinh"),
    Intrinsic("acosh", (FLOAT,), SAME, "inverse of cosh"),
    Intrinsic("atanh", (FLOAT,), SAME, "inverse of tanh"),
    Intrinsic("sigmoid", (FLOAT,), SAME, "1 / (1 + exp(-x))"),
    Intrinsic("erf", (FLOAT,), SAME, "error function"),
    Intrinsic("floor", (FLOAT,), SAME, "greatest whole number that is at most x"),
    Intrinsic("ceil", (FLOAT,), SAME, "least whole number that is at least x"),
    Intrinsic("trunc", (FLOAT,), SAME, "x without its fraction"),
    Intrinsic("round", (FLOAT,), SAME, "nearest whole number, halves to the even one, as NumPy"),
    Intrinsic("nearbyint", (FLOAT,), SAME, "nearest whole number, halves to the even one"),
    Intrinsic("abs", (NUMBER,), SAME, "absolute value; that of the least integer wraps around"),
    Intrinsic("pow", (FLOAT, FLOAT), SAME, "x to the power of y"),
    Intrinsic("fmod", (FLOAT, FLOAT), SAME, "remainder with the sign of x"),
    Intrinsic("hypot", (FLOAT, FLOAT), SAME, "sqrt(x * x + y * y) without overflow"),
    Intrinsic("copysign", (FLOAT, FLOAT), SAME, "x with the sign of y"),
    Intrinsic("nextafter", (WIDE_FLOAT, WIDE_FLOAT), SAME, "the number after x on the way to y"),
    Intrinsic("ldexp", (FLOAT, INTEGER), SAME, "x * 2 ** n"),
    Intrinsic("isnan", (FLOAT,), BOOL, "whether x is not a number"),
    Intrinsic("isinf", (FLOAT,), BOOL, "whether x is infinite"),
    Intrinsic("isfinite", (FLOAT,), BOOL, "whether x is neither infinite nor nan"),
    Intrinsic("popcount", (INTEGER,), SAME, "how many bits of x are set"),
    Intrinsic("clz", (INTEGER,), SAME, "how many bits above the highest set one are clear"),
)

INTRINSICS: dict[str, Intrinsic] = {row.name: row for row in (*_ROWS, *_reinterpretations())}

COMPOSED = {
    "clamp": "min(max({x}, {low}), {high})",
    "clip": "min(max({x}, {low}), {high})",
    "relu6": "min(max({x}, 0), 6)",
    "square": "{x} * {x}",
    "sqr": "{x} * {x}",
    "sign": "select({x} > 0, 1, select({x} < 0, -1, 0))",
    "step": "select({x} < {edge}, 0, 1)",
    "fma": "{a} * {b} + {c}",
    "lerp": "{a} + ({b} - {a}) * {t}",
    "ceildiv": "({a} + {b} - 1) // {b}",
    "cdiv": "({a} + {b} - 1) // {b}",
    "silu": "{x} * sigmoid({x})",
    "swish": "{x} * sigmoid({x})",
    "softplus": "log1p(exp({x}))",
    "gelu": "0.5 * {x} * (1.0 + erf({x} * 0.7071067811865476))",
}
"""Functions of other notations that are computed from what there is; the names stand for the arguments in order."""

SUMMED = frozenset(("sum", "mean", "prod", "norm", "dot"))
"""Functions of whole arrays, which are loops here."""

BUILT_IN = {"min": 2, "max": 2, "select": 3, "cast": 2, "min_value": 1, "max_value": 1, LAZY: 3}
"""Functions of the grammar itself, for suggestions, and how many arguments they take."""
