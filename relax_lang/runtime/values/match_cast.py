"""Run-time checks: a value against structural information, binding shape variables on the way. [M.*]

One procedure serves `match_cast`, parameters, results and annotations. It goes over the annotations twice:
first every bare, unbound shape variable is bound, then everything is compared, left to right and depth first.
So `T[(k * 2, k)]` works on (4, 2) [M.8], and so do signatures whose order is turned around [M.6] [ERR.40].

Nothing here raises for a value that does not fit: the caller gets a `Mismatch` and knows what was checked.
"""

from __future__ import annotations

from relax_lang.base.node import unreachable
from relax_lang.ops.core.dtypes import name_of
from relax_lang.runtime.values.closure_info import refusal
from relax_lang.runtime.values.dimensions import dimension
from relax_lang.runtime.values.mismatch import Mismatch, shown
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.struct_info.bound_variables import written_dims
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import Closure, PackedFunc, ShapeValue, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.runtime.values.mismatch import Environment, Path


def match(value: object, info: tree.StructInfo, environment: Environment) -> Mismatch | None:
    """Check one value as `match_cast` does: bind, then compare. The value itself is left alone. [M.1-M.11]"""
    bind(value, info, environment.shape_vars)
    return compare(value, info, environment)


def match_signature(
    arguments: Sequence[object], params: Sequence[tree.Var], environment: Environment
) -> tuple[tree.Var, Mismatch] | None:
    """Check the arguments of a call: all binders of all parameters first, then all comparisons. [M.6]"""
    for value, param in zip(arguments, params, strict=True):
        if param.struct_info_annotation is not None:
            bind(value, param.struct_info_annotation, environment.shape_vars)
    for value, param in zip(arguments, params, strict=True):
        if param.struct_info_annotation is not None:
            mismatch = compare(value, param.struct_info_annotation, environment)
            if mismatch is not None:
                return param, mismatch
    return None


# Phase 1: bind. A value of the wrong kind or rank binds nothing; phase 2 reports it.


def bind(value: object, info: tree.StructInfo, shape_vars: dict[str, int]) -> None:
    """Bind every bare shape variable of an annotation that has no value yet. [M.2.6] [M.3]

    Function types keep their variables to themselves. [S.16]
    """
    if isinstance(info, tree.TupleStructInfo):
        if is_tuple(value) and len(value) == len(info.fields):
            for field, field_info in zip(value, info.fields, strict=True):
                bind(field, field_info, shape_vars)
        return
    dims = written_dims(info)
    sizes = _sizes_of(value, info)
    if dims is None or sizes is None or len(dims) != len(sizes):
        return
    for dim, size in zip(dims, sizes, strict=True):
        if isinstance(dim, tree.PrimVar) and dim.name not in shape_vars:
            shape_vars[dim.name] = size


def _sizes_of(value: object, info: tree.StructInfo) -> Sequence[int] | None:
    """Return the sizes of a tensor or a shape, whichever the annotation speaks of."""
    if isinstance(value, ShapeValue):
        return None if isinstance(info, tree.TensorStructInfo) else value.values
    if is_tensor(value) and not isinstance(info, tree.ShapeStructInfo):
        return value.shape
    return None


# Phase 2: compare.


def compare(value: object, info: tree.StructInfo, environment: Environment) -> Mismatch | None:
    """Check a value whose shape variables are bound; bind nothing. [M.1-M.5] [M.7]"""
    return _COMPARE[type(info)](value, info, environment, ())


def _compare_object(_value: object, _info: tree.ObjectStructInfo, _env: Environment, _path: Path) -> None:
    """Every value is an object. [M.1]"""


def _compare_scalar(value: Any, info: tree.PrimStructInfo, _env: Environment, path: Path) -> Mismatch | None:
    """A scalar is a tensor of rank 0 at run time."""
    if not is_tensor(value):
        return Mismatch(path, "", "a scalar", kind_of(value))
    if value.ndim != 0:
        return Mismatch(path, "rank", "0", str(value.ndim))
    if name_of(value.dtype) != info.dtype.name:
        return Mismatch(path, "dtype", info.dtype.name, name_of(value.dtype))
    return None


def _compare_tensor(value: Any, info: tree.TensorStructInfo, env: Environment, path: Path) -> Mismatch | None:
    if not is_tensor(value):  # M.2.1
        return Mismatch(path, "", "a tensor", kind_of(value))
    if (
        info.dtype is None and name_of(value.dtype) not in DTYPES
    ):  # an array of the embedder with a dtype that the language lacks [V.1]
        return Mismatch(path, "dtype", "one of the language", name_of(value.dtype))
    if info.ndim is not None and value.ndim != info.ndim:  # M.2.2
        return Mismatch(path, "rank", str(info.ndim), str(value.ndim))
    shape = info.shape
    if isinstance(shape, tree.ShapeExpr) and len(shape.values) != value.ndim:  # M.2.5
        return Mismatch(path, "rank", str(len(shape.values)), str(value.ndim))
    if info.dtype is not None and name_of(value.dtype) != info.dtype.name:  # M.2.3
        return Mismatch(path, "dtype", info.dtype.name, name_of(value.dtype))
    if isinstance(shape, tree.Var):
        return _compare_shape_var(value.shape, shape.name_hint, env, path)
    return None if shape is None else _compare_sizes(value.shape, _literal(shape), env, path)


def _literal(shape: tree.Expr) -> Sequence[tree.PrimExpr]:
    assert isinstance(shape, tree.ShapeExpr), "a shape is dimensions or a variable [W.13.a]"
    return shape.values


def _compare_shape_var(sizes: tuple[int, ...], name: str, env: Environment, path: Path) -> Mismatch | None:
    """Compare with the shape that a variable holds: `Tensor[s, float32]`. [M.2.4]"""
    held = env.variables[name]
    if not isinstance(held, ShapeValue):
        return Mismatch(path, f"`{name}`", "a shape", kind_of(held))
    if len(held) != len(sizes):
        return Mismatch(path, "rank", str(len(held)), str(len(sizes)))
    for index, (expected, found) in enumerate(zip(held, sizes, strict=True)):
        if expected != found:
            return Mismatch(path, f"dimension {index}", f"{name}[{index}] = {expected}", str(found))
    return None


def _compare_sizes(
    sizes: Sequence[int], dims: Sequence[tree.PrimExpr], env: Environment, path: Path
) -> Mismatch | None:
    """Evaluate each dimension and compare. [M.2.7] [M.3]

    Scoping guarantees that all variables have values, save where the value that would have bound one has the
    wrong kind or rank: that mismatch is further right, and is what the user must hear of.
    """
    for index, (dim, found) in enumerate(zip(dims, sizes, strict=True)):
        if isinstance(dim, tree.PrimVar):
            if env.shape_vars.get(dim.name, found) != found:
                return Mismatch(path, f"dimension {index}", _equation(dim, env), str(found))
        elif env.knows(dim) and dimension(dim, env.shape_vars) != found:
            return Mismatch(path, f"dimension {index}", _equation(dim, env), str(found))
    return None


def _equation(dim: tree.PrimExpr, env: Environment) -> str:
    """Return `k * 2 = 4`, or only `4` for a plain number. [Z.7]"""
    value = dimension(dim, env.shape_vars)
    return str(value) if isinstance(dim, tree.IntImm) else f"{shown(dim)} = {value}"


def _compare_shape(
    value: object, info: tree.ShapeStructInfo, env: Environment, path: Path
) -> Mismatch | None:
    if not isinstance(value, ShapeValue):  # a tuple of numbers is not a shape [V.13]
        return Mismatch(path, "", "a shape", kind_of(value))
    rank = len(info.values) if info.values is not None else info.ndim
    if rank is not None and rank != len(value):
        return Mismatch(path, "rank", str(rank), str(len(value)))
    return None if info.values is None else _compare_sizes(value.values, info.values, env, path)


def _compare_match_shape(
    value: object, info: tree.MatchShapeInfo, env: Environment, path: Path
) -> Mismatch | None:
    """Compare the shape of a tensor, or a shape: the older `match_shape` takes either."""
    sizes = value.values if isinstance(value, ShapeValue) else value.shape if is_tensor(value) else None
    if sizes is None:
        return Mismatch(path, "", "a tensor or a shape", kind_of(value))
    if len(sizes) != len(info.values):
        return Mismatch(path, "rank", str(len(info.values)), str(len(sizes)))
    return _compare_sizes(sizes, info.values, env, path)


def _compare_tuple(
    value: object, info: tree.TupleStructInfo, env: Environment, path: Path
) -> Mismatch | None:
    """Check the class, the length, then every field. [M.4]"""
    if not is_tuple(value):
        return Mismatch(path, "", "a tuple", kind_of(value))
    if len(value) != len(info.fields):
        return Mismatch(path, "fields", str(len(info.fields)), str(len(value)))
    for index, (field, field_info) in enumerate(zip(value, info.fields, strict=True)):
        mismatch = _COMPARE[type(field_info)](field, field_info, env, (*path, f"field {index}"))
        if mismatch is not None:
            return mismatch
    return None


def _compare_function(
    value: object, info: tree.FuncStructInfo, env: Environment, path: Path
) -> Mismatch | None:
    if info.params is None:  # M.5.2: no more can be known of a packed function
        return (
            None if isinstance(value, PackedFunc) else Mismatch(path, "", "a packed function", kind_of(value))
        )
    if not isinstance(value, Closure):  # M.5.1
        return Mismatch(path, "", "a closure", kind_of(value))
    why = refusal(value, info, env)  # M.5.3
    return None if why is None else Mismatch((*path, *why.path), why.what, why.expected, why.found)


_COMPARE: Table[tree.StructInfo, Callable[[Any, Any, Environment, Path], Mismatch | None]] = {
    tree.ObjectStructInfo: _compare_object,
    tree.TensorStructInfo: _compare_tensor,
    tree.ShapeStructInfo: _compare_shape,
    tree.PrimStructInfo: _compare_scalar,
    tree.MatchShapeInfo: _compare_match_shape,
    tree.MissingStructInfo: unreachable,
    tree.TupleStructInfo: _compare_tuple,
    tree.FuncStructInfo: _compare_function,
}
