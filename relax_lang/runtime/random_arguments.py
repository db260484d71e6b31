"""Made-up arguments: `relax run FILE --random SEED --dim n=4`.

Drawn from the signature alone: the dimensions go together, integers are small and not negative (so that they
serve as indices), floats are standard normal. The same seed gives the same values.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.ops.dtypes import is_float, named_dtype
from relax_lang.runtime.dimensions import sizes
from relax_lang.runtime.mismatch import shown
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.runtime.mismatch import Environment
    from relax_lang.runtime.tensors import Memory, Tensor

DEFAULT_SIZE = 4
"""The value of a dimension that nothing else decides."""

_DEFAULT_RANK = 2
_INTEGERS = 10  # below: no index of any sensible table


def settle_dims(infos: Sequence[tree.StructInfo], shape_vars: dict[str, int]) -> None:
    """Give every dimension that stands alone somewhere a value, if it has none; the others follow."""
    stack = list(reversed(infos))
    while stack:
        info = stack.pop()
        if isinstance(info, tree.TupleStructInfo):
            stack.extend(reversed(info.fields))
        elif isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
            _settle(info.shape.values, shape_vars)
        elif isinstance(info, tree.ShapeStructInfo) and info.values is not None:
            _settle(info.values, shape_vars)


def _settle(dims: Sequence[tree.PrimExpr], shape_vars: dict[str, int]) -> None:
    for dim in dims:
        if isinstance(dim, tree.PrimVar):
            shape_vars.setdefault(dim.name, DEFAULT_SIZE)


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
    memory.check(math.prod(shape) * max(dtype.itemsize, 8))
    if dtype == np.bool_:
        return np.asarray(generator.integers(0, 2, shape), dtype)
    if is_float(dtype):
        return np.asarray(generator.standard_normal(shape)).astype(dtype)
    return np.asarray(generator.integers(0, _INTEGERS, shape)).astype(dtype)


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


def _tuple(
    info: tree.TupleStructInfo, environment: Environment, generator: np.random.Generator, memory: Memory
) -> tuple[object, ...]:
    return tuple([draw(field, environment, generator, memory) for field in info.fields])


def _nothing(
    info: tree.StructInfo, _environment: Environment, _generator: np.random.Generator, _memory: Memory
) -> object:
    raise RunFailure("argument-missing", f"a value of `{shown(info)}` cannot be made up", None)


_DRAW: dict[type[tree.Node], Callable[[Any, Environment, np.random.Generator, Memory], object]] = {
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.TupleStructInfo: _tuple,
    tree.ObjectStructInfo: _nothing,
    tree.FuncStructInfo: _nothing,
}
