"""Reductions: values combined over axes, as the body of a compute."""

from __future__ import annotations

from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import as_tuple, is_sequence
from relax_lang.syntax import dtypes
from relax_lang.te.diagnostics import bad_reduction
from relax_lang.te.expr import (
    Expr,
    const,
    constant_value,
    expr,
    max_value,
    maximum,
    min_value,
    minimum,
    shown,
)
from relax_lang.te.tensor import Axis, Reduction, dims_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.te.tensor import Size

    Values = tuple[Expr, ...]
    Axes = Axis | Sequence[Axis]


def reduce_axis(extent: Size | tuple[Size, Size], name: str = "k") -> Axis:
    """Return an axis from 0 up to an extent, for reductions."""
    given = extent
    if isinstance(given, tuple):  # TVM's form: a range from 0
        first = expr(given[0])
        if constant_value(first) != 0:
            raise refused(bad_reduction, f"a reduction axis begins at 0, not at `{shown(first)}`")
        given = given[1]
    return Axis(dims_of(given)[0], name)


def reduce(
    combine: Callable[..., Any], identity: Callable[..., Any], name: str = "reduce"
) -> Callable[..., Reduction]:
    """Return a reduction of one's own: `f(values, axis)`, to be the body of a compute.

    `combine(a, b)` returns the combination of two values, or of two tuples of values; `identity(dtype)` what to begin
    with, or for several values `identity(dtype, dtype, …)` a tuple.
    """

    def reduction(values: Any, axis: Axes) -> Reduction:
        several = is_sequence(values)
        parts: Any = as_tuple(values)
        given: Values = tuple([expr(one) for one in parts])

        def combined(a: Values, b: Values) -> Values:
            made = combine(a, b) if several else (combine(a[0], b[0]),)
            return tuple([expr(one) for one in made])

        def begun(names: tuple[str, ...]) -> Values:
            made = identity(*names)
            return tuple([expr(one) for one in (made if several else (made,))])

        return Reduction(given, _axes(axis), begun, combined)

    reduction.__name__ = name
    return reduction


def sum(value: Expr, axis: Axes) -> Reduction:  # noqa: A001 - the usual name
    """Add over axes; of bool it is the logical or."""
    return _simple(value, axis, "+=", lambda a, b: a | b if a.dtype == dtypes.BOOL else a + b, 0)


def prod(value: Expr, axis: Axes) -> Reduction:
    """Multiply over axes; of bool it is the logical and."""
    return _simple(value, axis, "*=", lambda a, b: a & b if a.dtype == dtypes.BOOL else a * b, 1)


def max(value: Expr, axis: Axes) -> Reduction:  # noqa: A001 - the usual name
    """Take the greatest over axes; nan if there is one."""
    return _simple(value, axis, "", lambda a, b: a | b if a.dtype == dtypes.BOOL else maximum(a, b), "least")


def min(value: Expr, axis: Axes) -> Reduction:  # noqa: A001 - the usual name
    """Take the smallest over axes; nan if there is one."""
    return _simple(
        value, axis, "", lambda a, b: a & b if a.dtype == dtypes.BOOL else minimum(a, b), "greatest"
    )


def any(value: Expr, axis: Axes) -> Reduction:  # noqa: A001 - the usual name
    """Whether a condition holds anywhere."""
    return _simple(value, axis, "", lambda a, b: a | b, 0)


def all(value: Expr, axis: Axes) -> Reduction:  # noqa: A001 - the usual name
    """Whether a condition holds everywhere."""
    return _simple(value, axis, "", lambda a, b: a & b, 1)


def _simple(
    value: Expr, axis: Axes, update: str, combine: Callable[[Expr, Expr], Expr], begin: int | str
) -> Reduction:
    given = expr(value)
    if given.dtype == dtypes.BOOL:
        update = ""

    def identity(names: tuple[str, ...]) -> Values:
        dtype = names[0]
        if not isinstance(begin, str):
            return (const(begin, dtype) if dtype == dtypes.BOOL else expr(begin),)
        least = begin == "least"
        if dtypes.is_float(dtype):
            return (expr(float("-inf" if least else "inf")),)
        if dtype == dtypes.BOOL:
            return (const(not least, dtype),)
        return (min_value(dtype) if least else max_value(dtype),)

    return Reduction((given,), _axes(axis), identity, lambda a, b: (combine(a[0], b[0]),), update)


def _axes(axis: Any) -> tuple[Axis, ...]:
    given: Any = as_tuple(axis)
    axes: tuple[Any, ...] = tuple(given)
    for one in axes:
        if not isinstance(one, Axis):
            message = (
                f"a reduction is over what `te.reduce_axis` returns, not a value of type {type(one).__name__}"
            )
            raise refused(bad_reduction, message)
    if not axes:
        raise refused(bad_reduction, "a reduction needs an axis")
    return axes
