"""Made-up arguments: `relax run FILE --random SEED --dim n=4`.

Drawn from the signature alone: the dimensions go together, integers are small and not negative (so that they
serve as indices), floats are standard normal. The same seed gives the same values.
"""

from __future__ import annotations

import numpy as np

from relax_lang.arith.evaluate import DimensionError, evaluate, names_in
from relax_lang.base.node import assert_never, unreachable
from relax_lang.ops.core.dtypes import is_float, named_dtype
from relax_lang.runtime.values.dimensions import sizes
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.struct_info.context import as_tensor
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.runtime.values.mismatch import Environment
    from relax_lang.runtime.values.tensors import Memory, Tensor

DEFAULT_SIZE = 4
"""The value of a dimension that nothing else decides."""

_DEFAULT_RANK = 2
_INTEGERS = 10  # below: no index of any sensible table
_PIECE = 1 << 16  # elements that are drawn at once
_FAR = 4096  # how far to look for the value of a dimension in an expression that is not a straight line


def settle_dims(infos: Sequence[tree.StructInfo], shape_vars: dict[str, int]) -> None:
    """Give every dimension that is a bare name somewhere a value, if it has none; the others follow."""
    stack = list(reversed(infos))
    while stack:
        info = stack.pop()
        match info:
            case tree.TensorStructInfo():
                if isinstance(info.shape, tree.ShapeExpr):
                    _settle(info.shape.values, shape_vars)
            case tree.ShapeStructInfo() | tree.MatchShapeInfo():
                _settle(info.values or (), shape_vars)
            case tree.TupleStructInfo():
                stack.extend(reversed(info.fields))
            case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.MissingStructInfo():
                pass
            case tree.FuncStructInfo():
                pass  # its dimensions are bound in it
            case _:
                assert_never(info)


def _settle(dims: Sequence[tree.PrimExpr], shape_vars: dict[str, int]) -> None:
    for dim in dims:
        if isinstance(dim, tree.PrimVar):
            shape_vars.setdefault(dim.name, DEFAULT_SIZE)


def solve_dims(info: tree.StructInfo, value: object, shape_vars: dict[str, int]) -> None:
    """Find dimensions that a given value shows in expressions only: `n` by the 6 of `Tensor[(n * 2,)]`."""
    stack: list[tuple[tree.StructInfo, object]] = [(info, value)]
    while stack:
        info, value = stack.pop()
        match info:
            case tree.TensorStructInfo():
                if isinstance(info.shape, tree.ShapeExpr) and is_tensor(value):
                    _solve_all(info.shape.values, value.shape, shape_vars)
            case tree.ShapeStructInfo():
                if info.values is not None and isinstance(value, ShapeValue):
                    _solve_all(info.values, value.values, shape_vars)
            case tree.TupleStructInfo():
                if is_tuple(value) and len(value) == len(info.fields):
                    stack += zip(info.fields, value, strict=True)
            case tree.PrimStructInfo() | tree.ObjectStructInfo() | tree.FuncStructInfo():
                pass
            case tree.MatchShapeInfo() | tree.MissingStructInfo():
                pass
            case _:
                assert_never(info)


def _solve_all(dims: Sequence[tree.PrimExpr], extents: Sequence[int], shape_vars: dict[str, int]) -> None:
    if len(dims) != len(extents):
        return
    for dim, extent in zip(dims, extents, strict=True):
        unknown = {use.name for use in names_in(dim)} - shape_vars.keys()
        if len(unknown) == 1:
            name = unknown.pop()
            found = _solve(dim, extent, name, shape_vars)
            if found is not None:
                shape_vars[name] = found


def _solve(dim: tree.PrimExpr, extent: int, name: str, known: Mapping[str, int]) -> int | None:
    """Return the value of a name under which a dimension is so large: where a straight line is, or the first."""

    def at(value: int) -> int | None:
        try:
            return evaluate(dim, {**known, name: value})
        except DimensionError:
            return None

    start, next_ = at(0), at(1)
    if start is not None and next_ is not None and next_ != start:
        guess = (extent - start) // (next_ - start)
        if guess >= 0 and at(guess) == extent:
            return guess
    return next((value for value in range(_FAR) if at(value) == extent), None)


def draw(
    info: tree.StructInfo, environment: Environment, generator: np.random.Generator, memory: Memory
) -> object:
    """Return a value for an annotation whose dimensions have values. Raises RunFailure if there is none."""
    return _DRAW[type(info)](info, environment, generator, memory)


def _tensor(
    info: tree.TensorStructInfo, environment: Environment, generator: np.random.Generator, memory: Memory
) -> Tensor:
    shape = _shape_of(info, environment)
    dtype = named_dtype(info.dtype.name if info.dtype is not None else "float32")
    made = memory.empty(shape, dtype.name)
    flat = made.reshape(-1)
    for at in range(0, flat.size, _PIECE):  # numbers are drawn wider than they are stored
        count = min(_PIECE, flat.size - at)
        if is_float(dtype):
            flat[at : at + count] = generator.standard_normal(count)
        else:
            flat[at : at + count] = generator.integers(0, 2 if dtype == np.bool_ else _INTEGERS, count)
    return made


def _shape_of(info: tree.TensorStructInfo, environment: Environment) -> tuple[int, ...]:
    if isinstance(info.shape, tree.ShapeExpr):
        return sizes(info.shape.values, environment.shape_vars)
    if isinstance(info.shape, tree.Var):
        held = environment.variables.get(info.shape.name_hint)
        if isinstance(held, ShapeValue):
            return held.values
    return (DEFAULT_SIZE,) * (_DEFAULT_RANK if info.ndim is None else info.ndim)


def _shape(
    info: tree.ShapeStructInfo, environment: Environment, _generator: np.random.Generator, _memory: Memory
) -> ShapeValue:
    if info.values is not None:
        return ShapeValue(sizes(info.values, environment.shape_vars))
    return ShapeValue((DEFAULT_SIZE,) * (_DEFAULT_RANK if info.ndim is None else info.ndim))


def _scalar(
    info: tree.PrimStructInfo, environment: Environment, generator: np.random.Generator, memory: Memory
) -> Tensor:
    return _tensor(as_tensor(info), environment, generator, memory)


def _tuple(
    info: tree.TupleStructInfo, environment: Environment, generator: np.random.Generator, memory: Memory
) -> tuple[object, ...]:
    return tuple([draw(field, environment, generator, memory) for field in info.fields])


def _nothing(
    info: tree.StructInfo, _environment: Environment, _generator: np.random.Generator, _memory: Memory
) -> object:
    raise RunFailure("argument-missing", f"a value of `{shown(info)}` cannot be made up", None)


_DRAW: Table[tree.StructInfo, Callable[[Any, Environment, np.random.Generator, Memory], object]] = {
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.PrimStructInfo: _scalar,
    tree.TupleStructInfo: _tuple,
    tree.ObjectStructInfo: _nothing,
    tree.FuncStructInfo: _nothing,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}
