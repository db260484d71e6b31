"""What follows from the declared result of a function where it is called. [M.6] [M.7]

Its shape variables have the sizes of the arguments that bind them: those are put in, as far as they are certain.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Sizes = dict[str, tree.PrimExpr]


def result_of(function: tree.Function, infos: Sequence[tree.StructInfo]) -> tree.StructInfo | None:
    """Return the result's info in terms of the caller, given what is certain of the arguments."""
    if function.ret_struct_info is None:
        return None
    sizes: Sizes = {}
    unknown: set[str] = set()
    for param, info in zip(function.params, infos, strict=True):
        if param.struct_info_annotation is not None:
            _bind(param.struct_info_annotation, info, sizes, unknown)
    return _outside(
        function.ret_struct_info, {name: dim for name, dim in sizes.items() if name not in unknown}
    )


def _bind(wanted: tree.StructInfo, info: tree.StructInfo, sizes: Sizes, unknown: set[str]) -> None:
    """Find the sizes that a parameter gives to shape variables; the first one does. [M.8]"""
    if isinstance(wanted, tree.TupleStructInfo):
        fields = info.fields if isinstance(info, tree.TupleStructInfo) else ()
        if len(fields) == len(wanted.fields):
            for one, other in zip(wanted.fields, fields, strict=True):
                _bind(one, other, sizes, unknown)
            return
        for one in wanted.fields:
            _bind(one, _UNKNOWN, sizes, unknown)
        return
    dims, given = _dims(wanted), _dims(info)
    for at, dim in enumerate(dims):
        if isinstance(dim, tree.PrimVar) and dim.name not in sizes and dim.name not in unknown:
            if len(given) == len(dims):
                sizes[dim.name] = given[at]
            else:
                unknown.add(dim.name)


def _dims(info: tree.StructInfo) -> Sequence[tree.PrimExpr]:
    match info:
        case tree.TensorStructInfo():
            return info.shape.values if isinstance(info.shape, tree.ShapeExpr) else ()
        case tree.ShapeStructInfo() | tree.MatchShapeInfo():
            return info.values or ()
        case tree.TupleStructInfo() | tree.ObjectStructInfo() | tree.PrimStructInfo():
            return ()
        case tree.FuncStructInfo() | tree.MissingStructInfo():
            return ()
        case _:
            return assert_never(info)


def _outside(info: tree.StructInfo, sizes: Mapping[str, tree.PrimExpr]) -> tree.StructInfo:
    if isinstance(info, tree.TupleStructInfo):
        return tree.TupleStructInfo(tuple([_outside(field, sizes) for field in info.fields]))
    if not isinstance(info, tree.TensorStructInfo):
        return _UNKNOWN
    if not isinstance(info.shape, tree.ShapeExpr):
        return tree.TensorStructInfo(None, info.dtype, info.ndim)
    dims = [_size(dim, sizes) for dim in info.shape.values]
    if [dim for dim in dims if dim is None]:
        return tree.TensorStructInfo(None, info.dtype, len(dims))
    return tree.TensorStructInfo(
        tree.ShapeExpr(tuple([dim for dim in dims if dim is not None])), info.dtype, None
    )


def _size(dim: tree.PrimExpr, sizes: Mapping[str, tree.PrimExpr]) -> tree.PrimExpr | None:
    if isinstance(dim, tree.PrimVar):
        return sizes.get(dim.name)
    return dim if isinstance(dim, tree.IntImm) else None


_UNKNOWN = tree.ObjectStructInfo()
