"""Rules of operators that make tensors: from shapes, from numbers, or like another tensor. [OP.3-OP.7]"""

from __future__ import annotations

import math

from relax_lang.ops.core.dtypes import CLASSES
from relax_lang.ops.shape_rules.shared.dims import (
    CONDITIONS,
    at_least,
    at_most,
    ceil_divide,
    largest,
    number,
    subtract,
    value_of,
)
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import holds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference

    Dim = tree.PrimExpr


def of_shape(call: Inference) -> tree.StructInfo:
    """Infer an operator whose result has the shape that is the first argument, and the dtype of an attribute."""
    return call.like(call.tensor(0), call.attrs["dtype"])


def full(call: Inference) -> tree.StructInfo:
    """Infer a tensor of a shape; the dtype is that of the elements unless another is named."""
    return call.like(call.tensor(0), call.attrs["dtype"] or call.tensor(1).dtype)


def scalar(call: Inference) -> tree.StructInfo:
    """Infer a number as a tensor of rank 0: of the dtype of another tensor, or by what kind of number it is."""
    value = call.scalar(0)
    if isinstance(value, CONDITIONS):
        return call.tensor_of((), "bool")
    own = "float32" if isinstance(value, tree.FloatImm) else "int64"
    if not call.given(1):
        _check_typed(call, own)
        return call.tensor_of((), own)
    like = call.tensor(1).dtype
    if like is None:
        return call.tensor_of((), None)
    taken = CLASSES["float"][0] if own == "float32" else CLASSES["number"][0]
    return call.tensor_of((), like if like in taken else own)


def prim_value(call: Inference) -> tree.StructInfo:
    """Infer a scalar: of the dtype that is named, or by what kind of number it is."""
    value = call.scalar(0)
    own = "float32" if isinstance(value, tree.FloatImm) else "int64"
    _check_typed(call, own)
    dtype = call.attrs["dtype"] or ("bool" if isinstance(value, CONDITIONS) else own)
    is_written = isinstance(value, tree.IntImm | tree.FloatImm | tree.BoolImm)
    if is_written and not call.findings and not holds(dtype, value.value):
        call.bad_attribute("dtype", f"{value.value} is not a value of {dtype}")
    return tree.PrimStructInfo(tree.DType(dtype), call.call.pos, call.call.end)


def arange(call: Inference) -> tree.StructInfo:
    """Infer a row of numbers: its length is exact for integers, also symbolic ones, and for known fractions."""
    start, end, step = call.scalar(0), call.scalar(1), call.scalar(2)
    assert start is not None
    if end is None:
        start, end = number(0), start
    step = number(1) if step is None else step
    if value_of(step) == 0 or _fraction(step) == 0:
        call.bad_scalar(2, "the step is 0")
    fractions = [_fraction(each) for each in (start, end, step)]
    whole = fractions == [None, None, None]
    own = "int64" if whole else "float32"
    _check_typed(call, own)
    dtype = call.attrs["dtype"] or own
    if dtype == "bool":
        call.bad_attribute("dtype", "bool is not a number")
    if call.findings:
        return call.of_rank(1, dtype)
    length = _whole_length(call, start, end, step) if whole else _length(call, (start, end, step))
    return call.of_rank(1, dtype) if length is None else call.tensor_of((length,), dtype)


def _check_typed(call: Inference, own: str) -> None:
    """Report `const(8, int32)` as an operand whose dtype the result does not get: there `dtype=int32` names it."""
    if call.attrs.get("dtype") is not None:
        return
    for index in range(len(call.args)):
        number = call.scalar(index) if call.given(index) else None
        if not isinstance(number, tree.IntImm | tree.FloatImm) or number.dtype is None:
            continue
        if number.dtype.name != own:
            call.bad_argument(index, "a number without a dtype, which would be lost")
            if "dtype" in call.attrs:
                call.findings[-1].bare = {"dtype": number.dtype.name}
            else:
                call.findings[-1].help = f"it is a tensor of rank 0 as it is, without `{call.operator.name}`"
            return


def _fraction(scalar: Dim) -> float | None:
    """Return the value of a scalar with a fraction part; None for integers."""
    return scalar.value if isinstance(scalar, tree.FloatImm) else None


def _whole_length(call: Inference, start: Dim, end: Dim, step: Dim) -> Dim | None:
    """Return the number of integers from `start` to `end`; None if the step may go up or down."""
    start, end, step = _integer(start), _integer(end), _integer(step)
    if any(isinstance(each, CONDITIONS) for each in (start, end, step)):
        return None
    lowest, highest = at_least(call, step), at_most(call, step)
    if lowest is not None and lowest > 0:
        return largest(call, number(0), ceil_divide(call, subtract(call, end, start), step))
    if highest is not None and highest < 0:
        down = subtract(call, number(0), step)
        return largest(call, number(0), ceil_divide(call, subtract(call, start, end), down))
    return None


def _integer(scalar: Dim) -> Dim:
    return number(int(scalar.value)) if isinstance(scalar, tree.BoolImm) else scalar


def _length(call: Inference, scalars: tuple[Dim, Dim, Dim]) -> Dim | None:
    """Return the number of fractions from `start` to `end`, where all of them are literals; as the kernel counts."""
    numbers: list[float] = []
    for scalar in scalars:
        fraction, whole = _fraction(scalar), value_of(_integer(scalar))
        value = whole if fraction is None else fraction
        if value is None:
            return None
        numbers.append(value)
    start, end, step = numbers
    length = (end - start) / step
    if not math.isfinite(length):
        call.bad_scalar(1, f"from {start} to {end} by {step} has no length")
        return None
    return number(max(0, math.ceil(length)))


def eye(call: Inference) -> tree.StructInfo:
    """Infer a matrix of n × m, or n × n."""
    n, m = call.scalar(0), call.scalar(1)
    assert n is not None
    for index, extent in ((0, n), (1, m)):
        most = None if extent is None else at_most(call, extent)
        if most is not None and most < 0:
            call.bad_scalar(index, f"{most} is negative")
    if call.findings:
        return call.of_rank(2, call.attrs["dtype"])
    return call.tensor_of((n, n if m is None else m), call.attrs["dtype"])


def eye_like(call: Inference) -> tree.StructInfo:
    """Infer a matrix of the shape of another."""
    x = call.tensor(0)
    dtype = call.attrs["dtype"] or x.dtype
    return call.of_rank(2, dtype) if x.rank is None else call.like(x, dtype)


def hamming_window(call: Inference) -> tree.StructInfo:
    """Infer a window: as many elements as the first argument gives, at least one."""
    size, dtype = call.scalar(0), call.attrs["dtype"]
    assert size is not None
    most = at_most(call, size)
    if most is not None and most < 1:
        call.bad_scalar(0, f"the window size is {most}; it must be at least 1")
        return call.of_rank(1, dtype)
    return call.tensor_of((size,), dtype)


def triangle(call: Inference) -> tree.StructInfo:
    """Infer a tensor of two axes or more of which a part is kept: shape and dtype stay."""
    x = call.tensor(0)
    if x.rank is not None and x.rank < 2:
        call.bad_argument(0, "a tensor of rank 2 or more")
    return call.like(x, x.dtype)
