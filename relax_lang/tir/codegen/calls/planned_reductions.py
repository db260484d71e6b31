"""Window reductions of tiny arrays in planned calls: one call of NumPy for all steps. [O.4]

Of many rows each step over a few columns is fast, as it runs along all of them. Of a few rows it is the number of calls
that takes the time, and a reduction is one.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref, names_in
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.passes.effects import Aliases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.tir.array_ir.nodes import Axis, Expr, Statement

    Shape = tuple[Polynomial, ...]

_FEWEST_STEPS = 6
"""Fewer steps take less time on hundreds of rows, which tiny arrays may have."""
_OPS = frozenset({"max", "min", "+", "*"})
_ZERO = Polynomial.constant(0)


class _Part(NamedTuple):
    """What a step combines: part of an array, with new dimensions around it."""

    array: Ref
    axes: tuple[Axis, ...]
    around: tuple[Axis, ...] | None


def with_reductions(body: Sequence[Statement], own: Collection[str]) -> list[Statement]:
    """Return statements in which steps are one reduction; `own` are the arrays that the call makes itself."""
    made: list[Statement] = []
    aliases = Aliases()
    at = 0
    while at < len(body):
        count, found = _reduction(body[at:], aliases, own)
        made.append(body[at] if found is None else found)
        at += count
        aliases.note(made[-1:])
    return made


def _reduction(
    body: Sequence[Statement], aliases: Aliases, own: Collection[str]
) -> tuple[int, Statement | None]:
    """Return how many statements from the first on are steps of one reduction, and this; 1 and None if they are not."""
    match body[0]:
        case ir.Into(Ref(name, dtype, shape) as target, ir.Elementwise(op, (first, second), computed)) if (
            op in _OPS and shape and dtype == computed and dtype not in ("", dtypes.BOOL)
        ):
            pass
        case _:
            return 1, None
    initial = first if isinstance(first, Literal | ir.Typed) else None
    parts = [_part(second)] if initial is not None else [_part(first), _part(second)]
    for statement in body[1:]:
        match statement:
            case ir.Into(Ref(other), ir.Elementwise(same, (Ref(again), value), _)) if (
                other == again == name and same == op
            ):
                parts.append(_part(value))
            case _:
                break
    steps = [part for part in parts if part is not None]
    if len(steps) != len(parts) or len(steps) < _FEWEST_STEPS or name in names_in(steps[0].array):
        return 1, None
    array, base = steps[0].array, aliases.array(name)
    if array.dtype != dtype or base not in own or aliases.array(array.name) == base:
        return 1, None
    found = _along(steps)
    if found is None:
        return 1, None
    along, stride = found
    into = _target(target, shape, steps[0], along)
    if into is None:
        return 1, None
    start = _index(steps[0].axes[along])
    assert start is not None
    extent = Polynomial.constant(len(steps))
    is_whole = array.shape is not None and (start, stride, array.shape[along]) == (_ZERO, 1, extent)
    axes = list(steps[0].axes)
    axes[along] = ir.Slice(start, extent, stride, is_whole)
    axis = sum([isinstance(one, ir.Slice) for one in axes[:along]])
    wrapped = dtype if op in ("+", "*") and dtypes.is_integer(dtype) else ""
    reduced = ir.Reduce(op, ir.View(array, tuple(axes)), (axis,), wrapped, initial)
    return len(steps) - (initial is None), ir.Into(into, reduced)


def _part(value: Expr) -> _Part | None:
    match value:
        case ir.View(ir.View(Ref() as array, axes), around):
            pass
        case ir.View(Ref() as array, axes):
            around = None
        case _:
            return None
    if array.shape is None or len(axes) != len(array.shape):
        return None
    if any(not isinstance(axis, ir.At | ir.Slice) for axis in axes):
        return None
    return _Part(array, axes, around)


def _along(steps: Sequence[_Part]) -> tuple[int, int] | None:
    """Return the dimension in which steps go on, and how far each time; None if they differ in anything else."""
    first = steps[0]
    differing = {
        at for at, (one, other) in enumerate(zip(first.axes, steps[1].axes, strict=False)) if one != other
    }
    if len(differing) != 1:
        return None
    along = differing.pop()
    start, second = _index(first.axes[along]), _index(steps[1].axes[along])
    stride = None if start is None or second is None else (second - start).value
    if start is None or stride is None or stride < 1:
        return None
    for number, step in enumerate(steps):
        if step.array.name != first.array.name or step.around != first.around:
            return None
        if len(step.axes) != len(first.axes) or _index(step.axes[along]) != start + number * stride:
            return None
        others = [at for at in range(len(first.axes)) if at != along]
        if any(step.axes[at] != first.axes[at] for at in others):
            return None
    return along, stride


def _index(axis: Axis) -> Polynomial | None:
    match axis:
        case ir.At(Polynomial() as index):
            return index
        case ir.At(Literal(int() as index)):
            return Polynomial.constant(index)
        case _:
            return None


def _target(target: Ref, shape: Shape, step: _Part, along: int) -> Expr | None:
    """Return the part of a target that has the shape of what a step gives; None if that is repeated along an axis."""
    extents = [axis.extent for at, axis in enumerate(step.axes) if isinstance(axis, ir.Slice) and at != along]
    if step.around is None:
        return target if [*shape] == extents else None
    if len(step.around) != len(shape):
        return None
    axes: list[Axis] = []
    for axis, size in zip(step.around, shape, strict=True):
        if isinstance(axis, ir.NewAxis):
            if size.value != 1:
                return None
            axes.append(ir.At(_ZERO))
        elif isinstance(axis, ir.Whole) and extents and extents.pop(0) == size:
            axes.append(ir.Slice(_ZERO, size, whole=True))
        else:
            return None
    return None if extents else ir.View(target, tuple(axes))
