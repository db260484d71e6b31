"""The signature of a PrimFunc: its buffers and scalars, and how arrays bind its dimensions. [TIR.1 O.4 O.6]

Binding has two phases: first every dimension that is a bare name gives that name a value, whatever the order
of the parameters; then all dimensions are compared. Works on anything with a shape and a dtype, such as a NumPy
array or a `TensorSpec`, and never imports numpy. What does not fit is returned as facts, never raised.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.syntax import dtypes, tree
from relax_lang.values import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Param = tree.Buffer | tree.ScalarParam


class TensorSpec:
    """A tensor of which only dtype and shape are known, as a declared result is."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype: str, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape


class Mismatch:
    """What does not fit: `dimension 1: expected k * 2 = 4, found 3`. [Z.7]

    `param` is the parameter (None if there are too many arguments), `index` the dimension (None unless `what`
    is one); `value` and `actual` are the numbers behind `expected` and `found`.
    """

    __slots__ = ("actual", "expected", "found", "index", "param", "value", "what")

    def __init__(
        self,
        param: Param | None,
        what: str,
        expected: str,
        found: str,
        index: int | None = None,
        value: int | None = None,
        actual: int | None = None,
    ) -> None:
        self.param = param
        self.what = what
        self.expected = expected
        self.found = found
        self.index = index
        self.value = value
        self.actual = actual

    def __str__(self) -> str:
        what = f"{self.what}: " if self.what else ""
        return f"{what}expected {self.expected}, found {self.found}"


class Bound:
    """The outcome of `bind`: the values of names in dimensions, and what does not fit, in parameter order."""

    __slots__ = ("env", "func", "mismatches")

    def __init__(self, func: tree.PrimFunc, env: dict[str, int], mismatches: list[Mismatch]) -> None:
        self.func = func
        self.env = env
        self.mismatches = mismatches

    def shape_of(self, buffer: tree.Buffer) -> tuple[int, ...]:
        """Return the shape that a buffer must have; raises `DimensionError` where it has no value. [O.4]"""
        return tuple([int(evaluate(dim, self.env)) for dim in buffer.shape])


def buffers(func: tree.PrimFunc) -> list[tree.Buffer]:
    """Return the buffer parameters: inputs first, then outputs. [TIR.20]"""
    return [param for param in func.params if isinstance(param, tree.Buffer)]


def scalars(func: tree.PrimFunc) -> list[tree.ScalarParam]:
    """Return the scalar parameters. [O.4]"""
    return [param for param in func.params if isinstance(param, tree.ScalarParam)]


def in_parameter_order(
    func: tree.PrimFunc, buffer_values: Sequence[object], scalar_values: Sequence[object]
) -> list[object]:
    """Return the arguments in the order of the parameters, however these mix buffers and scalars. [O.4]"""
    arrays, numbers = iter(buffer_values), iter(scalar_values)
    return [next(arrays if isinstance(param, tree.Buffer) else numbers) for param in func.params]


def bind(func: tree.PrimFunc, arrays: Sequence[object], numbers: Sequence[object] = ()) -> Bound:
    """Bind the dimensions of the first `len(arrays)` buffers, in order, and of the scalars. [TIR.1] [O.6]

    Results that are not allocated yet may be given as `TensorSpec`, or left out and sized with `shape_of`.
    """
    env: dict[str, int] = {}
    found: list[Mismatch] = []
    expected = buffers(func)
    if len(arrays) > len(expected):
        found.append(Mismatch(None, "buffers", str(len(expected)), str(len(arrays))))
    _bind_scalars(func, numbers, env, found)
    fitting: list[tuple[tree.Buffer, tuple[int, ...]]] = []
    for buffer, value in zip(expected, arrays, strict=False):
        shape = _checked_shape(buffer, value, found)
        if shape is None:
            continue
        fitting.append((buffer, shape))
        for dim, size in zip(buffer.shape, shape, strict=True):
            if isinstance(dim, tree.PrimVar):
                env.setdefault(dim.name, size)
    for buffer, shape in fitting:
        _compare(buffer, shape, env, found)
    return Bound(func, env, found)


def _bind_scalars(
    func: tree.PrimFunc, numbers: Sequence[object], env: dict[str, int], found: list[Mismatch]
) -> None:
    wanted = scalars(func)
    if len(numbers) != len(wanted):
        found.append(Mismatch(None, "scalars", str(len(wanted)), str(len(numbers))))
    for param, value in zip(wanted, numbers, strict=False):
        kind = dtypes.is_integer(param.dtype.name)
        if kind and isinstance(value, int):
            least, greatest = dtypes.INT_RANGES[param.dtype.name]
            if not least <= value <= greatest:
                found.append(Mismatch(param, "value", param.dtype.name, str(value)))
            env[param.name] = int(value)
        elif kind or not isinstance(value, int | float):
            found.append(Mismatch(param, "", f"a number of type {param.dtype.name}", repr(value)))


def _checked_shape(buffer: tree.Buffer, value: object, found: list[Mismatch]) -> tuple[int, ...] | None:
    """Return the shape of an argument of the right kind, dtype and rank."""
    shape: tuple[int, ...] | None = getattr(value, "shape", None)
    dtype: object = getattr(value, "dtype", None)
    if shape is None or dtype is None:
        found.append(Mismatch(buffer, "", "a tensor", kind_of(value)))
        return None
    name = dtype if isinstance(dtype, str) else str(getattr(dtype, "name", dtype))
    if not getattr(dtype, "isnative", True):
        name = f"byte-swapped {name}"
    if name != buffer.dtype.name:
        found.append(Mismatch(buffer, "dtype", buffer.dtype.name, name))
    if len(shape) != len(buffer.shape):
        found.append(Mismatch(buffer, "rank", str(len(buffer.shape)), str(len(shape))))
        return None
    return shape


def _compare(buffer: tree.Buffer, shape: tuple[int, ...], env: dict[str, int], found: list[Mismatch]) -> None:
    for index, (dim, size) in enumerate(zip(buffer.shape, shape, strict=True)):
        try:
            value = int(evaluate(dim, env))
        except DimensionError as error:
            if error.kind == "unbound":
                continue  # by a buffer that does not fit, which is reported
            found.append(Mismatch(buffer, f"dimension {index}", "a number", f"{error.kind}", index))
            continue
        if value != size:
            expected = str(value) if isinstance(dim, tree.IntImm) else f"{_text(dim)} = {value}"
            found.append(Mismatch(buffer, f"dimension {index}", expected, str(size), index, value, size))


def _text(dim: tree.PrimExpr) -> str:
    from relax_lang.format.printer import show  # only needed when something does not fit

    return show(dim)
