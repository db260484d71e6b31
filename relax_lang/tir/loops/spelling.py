"""How scalar operations are written in plain Python: numbers are Python's own, elements those of memoryviews. [TIR.14]

Each method returns the text of an expression. Operands are texts that may be used more than once: names and literals.
`bits` bounds how large an integer can become; what fits its type is not wrapped around.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.syntax import dtypes
from relax_lang.tir.interp import scalars
from relax_lang.tir.interp.memory import poison_of
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.loops.native_functions import FORMS, HELPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

ARITHMETIC = {"+", "-", "*"}
_WIDTH = 64


class Unspelled(Exception):  # noqa: N818 - a refusal
    """An operation has no form here; the reason."""


class PythonSpelling:
    """Plain Python, with the interpreter's own functions for what Python computes otherwise."""

    checks_width = True
    """Whether results are brought into their type by operations of their own, which cost time."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"np": np}
        """What the code refers to beside its parameters."""

    def _function(self, name: str, make: Callable[[], object]) -> str:
        if name not in self.namespace:
            self.namespace[name] = make()
        return name

    def dtype(self, name: str) -> None:
        """Refuse values of a dtype that the code cannot hold."""

    def literal(self, value: float | bool, dtype: str) -> str:
        """Write a number of a type."""
        if isinstance(value, float) and not math.isfinite(value):
            return self._function(
                "nan" if value != value else "inf" if value > 0 else "minus_inf", lambda: value
            )
        return repr(value) if value >= 0 and math.copysign(1, value) > 0 else f"({value!r})"

    def fitted(self, value: str, dtype: str) -> str:
        """Bring the exact result of an operation into its type."""
        if dtypes.is_integer(dtype):
            least, greatest = dtypes.INT_RANGES[dtype]
            if not least:
                return f"({value} & {greatest})"
            wrap = self._function(f"wrap_{dtype}", lambda: scalars.wrapper(dtype))
            return f"({value} if {least} <= {value} <= {greatest} else {wrap}({value}))"
        if dtypes.computed_in(dtype) == dtypes.FLOAT32:
            return f"{self._function('c_float', lambda: scalars.c_float)}({value}).value"
        return value

    def needs_fitting(self, dtype: str, bits: int) -> bool:
        """Return whether a result has to be brought into its type."""
        if dtypes.is_integer(dtype):
            return bits > dtypes.INTEGERS[dtype] - (dtype in dtypes.SIGNED) or dtype not in dtypes.SIGNED
        return dtypes.computed_in(dtype) == dtypes.FLOAT32

    def negated(self, a: str, dtype: str) -> str:
        """Write `-a`, before it is brought into its type."""
        return f"-{a}"

    def inverted(self, a: str, dtype: str) -> str:
        """Write `~a`, before it is brought into its type."""
        return f"not {a}" if dtype == dtypes.BOOL else f"~{a}"

    def arithmetic(self, op: str, a: str, b: str, dtype: str, bits: int) -> str:
        """Write a sum, a difference or a product of at most so many bits, before it is brought into its type."""
        return f"{a} {op} {b}"

    def bitwise(self, op: str, a: str, b: str, dtype: str) -> str:
        """Write `&`, `|` or `^`."""
        return f"{a} {op} {b}"

    def division(self, kind: str, a: str, b: str, dtype: str, *, is_zero: bool = True) -> str:
        """Write `/`, `//` or `%`; integers are not divided by 0, and floats only if `is_zero`."""
        if dtypes.is_float(dtype):
            names, make = {"/": "divide", "//": "floor_divide", "%": "remainder"}, scalars.float_division
            if kind == "/" and dtype == "float64":  # Python's own, but for a divisor of 0
                if not is_zero:
                    return f"{a} / {b}"
                name = self._function("divide_float64", lambda: make(kind, dtype))
                return f"{a} / {b} if {b} else {name}({a}, {b})"
        else:
            if kind == "%":
                return f"{a} % {b}"
            names = {"/": "truncated", "//": "floored"}
            make = scalars.integer_division
        return f"{self._function(f'{names[kind]}_{dtype}', lambda: make(kind, dtype))}({a}, {b})"

    def shifted(self, left: bool, a: str, b: str, dtype: str) -> str:
        """Write a shift."""
        name = f"shift_{'left' if left else 'right'}_{dtype}"
        return f"{self._function(name, lambda: scalars.shifter(left, dtype))}({a}, {b})"

    def extreme(self, op: str, a: str, b: str, dtype: str) -> str:
        """Write `min` or `max`, of which nan is the result if it is an operand."""
        first = f"{a} {'<=' if op == 'min' else '>='} {b}"
        return f"{a} if {first}{f' or {a} != {a}' if dtypes.is_float(dtype) else ''} else {b}"

    def cast(self, a: str, source: str, target: str) -> str:
        """Write a conversion."""
        if source == target and source not in dtypes.HALVES:
            return a
        if target == "float64" and source != dtypes.BOOL and not dtypes.is_integer(source):
            return a
        are_integers = dtypes.is_integer(source) and dtypes.is_integer(target)
        if are_integers and dtypes.keeps_values(source, target):
            return a
        name = f"{source}_to_{target}"
        return f"{self._function(name, lambda: scalars.converter(source, target))}({a})"

    def call(self, row: intrinsics.Intrinsic, args: Sequence[str], types: Sequence[str]) -> str:
        """Write a math function."""
        name = f"{row.name}_{'_'.join(types)}"
        function = scalars.intrinsic_function(row)
        if isinstance(function, np.ufunc) and row.gives == intrinsics.SAME and {*types} == {"float64"}:
            # of Python's floats it computes what it computes of NumPy's
            return f"float({self._function(name, lambda: function)}({', '.join(args)}))"
        return f"{self._function(name, lambda: _on_scalars(row, types))}({', '.join(args)})"

    def index(self, value: str) -> str:
        """Write an index that is inside."""
        return value

    def poison(self, buffer: str, rank: int, dtype: str) -> str:
        """Return the line that fills a new buffer with what no program should rely on."""
        name = self._function(f"poison_{dtype}", lambda: poison_of(dtype))
        return f"{buffer}_array.fill({name})"


def _on_scalars(row: intrinsics.Intrinsic, types: Sequence[str]) -> Callable[..., object]:
    """Return a math function as the interpreter computes it."""
    function = scalars.intrinsic_function(row)
    makers = [scalars.typed(dtype) for dtype in types]
    first, second = makers[0], makers[-1]

    def of_one(x: Any) -> object:
        return function(first(x)).item()

    def of_two(x: Any, y: Any) -> object:
        return function(first(x), second(y)).item()

    return of_one if len(makers) == 1 else of_two


class NumbaSpelling(PythonSpelling):
    """The part of Python that numba compiles: every operation gives a number of its type."""

    checks_width = False

    def __init__(self) -> None:
        super().__init__()
        self.namespace["math"] = math
        self.helpers: dict[str, str] = {}
        """The texts of functions that the code calls, by name."""

    def dtype(self, name: str) -> None:
        """Refuse the narrow floats, which are rounded in ways of their own."""
        if name in dtypes.HALVES:
            raise Unspelled(f"numba does not compute in {name} as the language does")

    def literal(self, value: float | bool, dtype: str) -> str:
        """Write a number of a type."""
        if isinstance(value, bool):
            return repr(value)
        if isinstance(value, float) and not math.isfinite(value):
            return f"np.{dtype}({'np.nan' if value != value else 'np.inf' if value > 0 else '-np.inf'})"
        return repr(value) if dtype == dtypes.INT64 and value >= 0 else f"np.{dtype}({value!r})"

    def fitted(self, value: str, dtype: str) -> str:
        """Bring the result of an operation into its type: integers of numba are as wide as 64 bits."""
        return value

    def needs_fitting(self, dtype: str, bits: int) -> bool:
        """Every operation does it itself."""
        return False

    def _of(self, dtype: str, value: str) -> str:
        return f"np.{dtype}({value})"

    def negated(self, a: str, dtype: str) -> str:
        """Write `-a`."""
        return self._of(dtype, f"-{a}") if dtypes.is_integer(dtype) else f"-{a}"

    def inverted(self, a: str, dtype: str) -> str:
        """Write `~a`."""
        return f"not {a}" if dtype == dtypes.BOOL else self._of(dtype, f"~{a}")

    def arithmetic(self, op: str, a: str, b: str, dtype: str, bits: int) -> str:
        """Write a sum, a difference or a product; numba takes signed ones to fit, so what may not is unsigned."""
        if dtype == dtypes.INT64 and bits >= _WIDTH:
            return f"np.int64(np.uint64({a}) {op} np.uint64({b}))"
        return f"({a} {op} {b})" if dtype in ("int64", "float64") else self._of(dtype, f"{a} {op} {b}")

    def bitwise(self, op: str, a: str, b: str, dtype: str) -> str:
        """Write `&`, `|` or `^`."""
        return f"({a} {op} {b})" if dtype == dtypes.BOOL else self._of(dtype, f"{a} {op} {b}")

    def division(self, kind: str, a: str, b: str, dtype: str, *, is_zero: bool = True) -> str:
        """Write `/`, `//` or `%`; integers are not divided by 0."""
        if dtypes.is_float(dtype):
            if kind == "/":
                return f"({a} / {b})"
            names = {"//": "floor_divide", "%": "remainder"}
        else:
            kinds = {"/": "truncated", "//": "floored", "%": "modulo"}
            sign = "signed" if dtype in dtypes.SIGNED else "unsigned"
            names = {one: f"{name}_{sign}" for one, name in kinds.items()}
        return self._of(dtype, f"{self._helper(names[kind], dtype)}({a}, {b})")

    def _helper(self, name: str, dtype: str) -> str:
        self.helpers[f"{name}_{dtype}"] = (
            HELPERS[name].replace("NAME", f"{name}_{dtype}").replace("T(", f"np.{dtype}(")
        )
        return f"{name}_{dtype}"

    def shifted(self, left: bool, a: str, b: str, dtype: str) -> str:
        """Write a shift."""
        name = "left" if left else "right" if dtype in dtypes.SIGNED else "right_unsigned"
        helper = self._helper(f"shifted_{name}", dtype)
        return f"{helper}({a}, {b}, {dtypes.INTEGERS[dtype]})"

    def cast(self, a: str, source: str, target: str) -> str:
        """Write a conversion."""
        if source == target:
            return a
        if target == dtypes.BOOL:
            return f"({a} != 0)"
        if dtypes.is_integer(target) and dtypes.is_float(source):
            return self._of(target, f"{self._helper('to_integer', 'int64')}(np.float64({a}))")
        return self._of(target, a)

    def call(self, row: intrinsics.Intrinsic, args: Sequence[str], types: Sequence[str]) -> str:
        """Write a math function: in float64, rounded to the type."""
        dtype = types[0]
        if row.name in ("popcount", "clz"):
            unsigned = f"np.uint64({self._of('u' + dtype.removeprefix('u'), args[0])})"
            return self._of(
                dtype, f"{self._helper(row.name, 'uint64')}({unsigned}, {dtypes.INTEGERS[dtype]})"
            )
        if row.name == "abs" and not dtypes.is_float(dtype):
            return self._of(dtype, f"({args[0]} if {args[0]} >= 0 else -{args[0]})")
        if row.name.startswith(intrinsics.REINTERPRET):
            return f"{self._of(dtype, args[0])}.view(np.{row.gives})"
        if row.name == "nextafter":
            return f"np.nextafter({', '.join(args)})"
        form = FORMS.get(row.name)
        if form is None:
            raise Unspelled(f"there is no form of `{row.name}` for numba")
        if row.gives == intrinsics.BOOL:
            return form.format(*args)
        if row.name == "ldexp":
            return self._of(
                dtype, f"{self._helper('scaled', 'int64')}(np.float64({args[0]}), np.float64({args[1]}))"
            )
        if row.name in ("rsqrt", "sigmoid"):
            one = self._of(dtype, "1")
            inner = self._of(dtype, form.format(f"np.float64({args[0]})"))
            divisor = inner if row.name == "rsqrt" else self._of(dtype, f"{one} + {inner}")
            return f"({one} / {divisor})"
        return self._of(dtype, form.format(*[f"np.float64({arg})" for arg in args]))

    def index(self, value: str) -> str:
        """Write an index that is inside: one without a sign is not counted from the end."""
        return f"np.uintp({value})"

    def poison(self, buffer: str, rank: int, dtype: str) -> str:
        """Return the line that fills a new buffer with what no program should rely on."""
        value = self.literal(poison_of(dtype), dtype)
        return f"{buffer}.fill({value})" if rank else f"{buffer}[()] = {value}"
