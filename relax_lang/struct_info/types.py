"""Types: struct infos without dimensions; erasure, subtyping and the bounds of two types. [E.1] [T.S*] [T.L*]

A type is itself a struct info: `erase` drops the dimensions and keeps kinds, ranks, dtypes and purity. So
a type needs no wrapping to become an info [E.2], and types print as infos do. The other functions take
types: erase first. They know no names; whatever needs a context is in the other modules.

The bounds are exact: `lub` is the least upper and `glb` the greatest lower bound in the order `is_subtype`.
"""

from __future__ import annotations

from relax_lang.base.node import unreachable
from relax_lang.struct_info.context import DEFAULT, NOTHING_KNOWN, derive_of, dtype_of, result_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.struct_info.context import Context

    Info = tree.StructInfo
    Memo = dict[int, Info]


def erase(info: Info, context: Context = NOTHING_KNOWN) -> Info:
    """Return the type of an info; the context knows the ranks of variables that hold shapes. [E.1] [ERR.11]

    An info without dimensions is returned itself, so that types are shared.
    """
    return _erase(info, context, {})


def _erase(info: Info, context: Context, memo: Memo) -> Info:
    # Infos may share parts: (t, t) of a pair of pairs. Each tuple is erased once.
    if isinstance(info, tree.TupleStructInfo):
        if id(info) not in memo:
            memo[id(info)] = _erase_tuple(info, context, memo)
        return memo[id(info)]
    return _ERASE[type(info)](info, context, memo)


def _erase_all(infos: tuple[Info, ...], context: Context, memo: Memo) -> tuple[Info, ...]:
    erased = tuple([_erase(info, context, memo) for info in infos])
    return infos if erased == infos else erased  # nodes are equal by identity only


def _erase_tuple(info: tree.TupleStructInfo, context: Context, memo: Memo) -> Info:
    fields = _erase_all(info.fields, context, memo)
    return info if fields is info.fields else tree.TupleStructInfo(fields, info.pos, info.end)


def _erase_tensor(info: tree.TensorStructInfo, context: Context, _memo: Memo) -> Info:
    if info.shape is None:
        return info
    return tree.TensorStructInfo(None, info.dtype, context.rank_of(info), info.pos, info.end)


def _erase_shape(info: tree.ShapeStructInfo, _context: Context, _memo: Memo) -> Info:
    if info.values is None:
        return info
    return tree.ShapeStructInfo(None, len(info.values), info.pos, info.end)


def _erase_function(info: tree.FuncStructInfo, context: Context, memo: Memo) -> Info:
    if info.params is None:
        return info if derive_of(info) == DEFAULT else PACKED
    params, ret = _erase_all(info.params, context, memo), _erase(result_of(info), context, memo)
    if params is info.params and ret is info.ret:
        return info
    return tree.FuncStructInfo(params, ret, None, info.pure, info.pos, info.end)


def _unchanged(info: Info, _context: Context, _memo: Memo) -> Info:
    """`Object` is its own type, and a scalar."""
    return info


_ERASE: Table[tree.StructInfo, Callable[[Any, Context, Memo], Info]] = {
    tree.PrimStructInfo: _unchanged,
    tree.TensorStructInfo: _erase_tensor,
    tree.ShapeStructInfo: _erase_shape,
    tree.FuncStructInfo: _erase_function,
    tree.TupleStructInfo: unreachable,  # shared ones are erased once, above
    tree.ObjectStructInfo: _unchanged,
    tree.MatchShapeInfo: _unchanged,
    tree.MissingStructInfo: _unchanged,
}

PACKED = tree.FuncStructInfo(None, None, "default", False)
"""The type of all packed functions; as an info its derive function is `default`. [T.S9] [E.2]"""


def is_subtype(left: Info, right: Info) -> bool:
    """Return whether every value of the first type is one of the second: `T1 <: T2`. [T.S1-T.S10]"""
    if left is right or isinstance(right, tree.ObjectStructInfo):
        return True
    if type(left) is not type(right):
        if isinstance(left, tree.PrimStructInfo) and isinstance(right, tree.TensorStructInfo):
            return _subtype_tensor(rank_0(left), right)
        return False
    return _SUBTYPE[type(left)](left, right)


def _all_subtypes(left: tuple[Info, ...], right: tuple[Info, ...]) -> bool:
    if len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):  # noqa: SIM110 - a generator would use the C stack
        if not is_subtype(one, other):
            return False
    return True


def _subtype_tensor(left: tree.TensorStructInfo, right: tree.TensorStructInfo) -> bool:
    """Rank and dtype may each be forgotten. [T.S4] [ERR.01]"""
    return right.ndim in {None, left.ndim} and (right.dtype is None or dtype_of(left) == right.dtype.name)


def _subtype_shape(left: tree.ShapeStructInfo, right: tree.ShapeStructInfo) -> bool:
    """The rank may be forgotten. [T.S5] [ERR.02]"""
    return right.ndim in {None, left.ndim}


def _subtype_tuple(left: tree.TupleStructInfo, right: tree.TupleStructInfo) -> bool:
    return _all_subtypes(left.fields, right.fields)  # T.S6


def _subtype_function(left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> bool:
    """Pure below impure, parameters contravariant, result covariant; packed apart. [T.S7-T.S9]"""
    if left.params is None or right.params is None:
        return left.params is right.params
    if right.pure and not left.pure:
        return False
    return _all_subtypes(right.params, left.params) and is_subtype(result_of(left), result_of(right))


def _subtype_scalar(left: tree.PrimStructInfo, right: tree.PrimStructInfo) -> bool:
    return left.dtype.name == right.dtype.name


def rank_0(info: tree.PrimStructInfo) -> tree.TensorStructInfo:
    """Return the type of tensors that a scalar is one of."""
    return tree.TensorStructInfo(None, info.dtype, 0, info.pos, info.end)


def alike(left: Info, right: Info) -> tuple[Info, Info]:
    """Return two types in which a scalar is a tensor if it is compared with another type than its own."""
    if isinstance(left, tree.PrimStructInfo) and isinstance(
        right, tree.PrimStructInfo | tree.TensorStructInfo
    ):
        if isinstance(right, tree.PrimStructInfo) and left.dtype.name == right.dtype.name:
            return left, left
        left = rank_0(left)
    if isinstance(right, tree.PrimStructInfo) and isinstance(left, tree.TensorStructInfo):
        right = rank_0(right)
    return left, right


_SUBTYPE: Table[tree.StructInfo, Callable[[Any, Any], bool]] = {
    tree.PrimStructInfo: _subtype_scalar,
    tree.TensorStructInfo: _subtype_tensor,
    tree.ShapeStructInfo: _subtype_shape,
    tree.TupleStructInfo: _subtype_tuple,
    tree.FuncStructInfo: _subtype_function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}


def lub(left: Info, right: Info) -> Info:
    """Return the least type that both are subtypes of; it always exists. [T.L1-T.L4] [T.L9]"""
    if left is right or isinstance(left, tree.ObjectStructInfo):
        return left
    if isinstance(right, tree.ObjectStructInfo):
        return right
    left, right = alike(left, right)
    if left is right:
        return left
    joined = _LUB[type(left)](left, right) if type(left) is type(right) else None
    return tree.ObjectStructInfo(left.pos, left.end) if joined is None else joined


def _lub_tensor(left: tree.TensorStructInfo, right: tree.TensorStructInfo) -> Info:
    """Keep what agrees. [T.L2]"""
    ndim = left.ndim if left.ndim == right.ndim else None
    dtype = left.dtype if dtype_of(left) == dtype_of(right) else None
    return tree.TensorStructInfo(None, dtype, ndim, left.pos, left.end)


def _lub_shape(left: tree.ShapeStructInfo, right: tree.ShapeStructInfo) -> Info:
    return left if left.ndim == right.ndim else tree.ShapeStructInfo(None, None, left.pos, left.end)  # T.L2


def _lub_tuple(left: tree.TupleStructInfo, right: tree.TupleStructInfo) -> Info | None:
    """Field by field. [T.L3]"""
    if len(left.fields) != len(right.fields):
        return None
    fields = tuple([lub(one, other) for one, other in zip(left.fields, right.fields, strict=True)])
    return tree.TupleStructInfo(fields, left.pos, left.end)


def _lub_function(left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> Info | None:
    """Parameters by GLB, result by LUB, pure iff both are. [T.L4]"""
    if left.params is None or right.params is None:
        return left if left.params is right.params else None
    params = _glb_all(left.params, right.params)
    if params is None:
        return None
    ret = lub(result_of(left), result_of(right))
    return tree.FuncStructInfo(params, ret, None, left.pure and right.pure, left.pos, left.end)


_LUB: Table[tree.StructInfo, Callable[[Any, Any], Info | None]] = {
    tree.PrimStructInfo: unreachable,  # equal ones are one, others tensors
    tree.TensorStructInfo: _lub_tensor,
    tree.ShapeStructInfo: _lub_shape,
    tree.TupleStructInfo: _lub_tuple,
    tree.FuncStructInfo: _lub_function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}


def glb(left: Info, right: Info) -> Info | None:
    """Return the greatest type that is a subtype of both, or None if no type is. [T.L5-T.L8] [ERR.03-ERR.07]"""
    if left is right or isinstance(right, tree.ObjectStructInfo):
        return left
    if isinstance(left, tree.ObjectStructInfo):
        return right
    for one, other in ((left, right), (right, left)):
        if isinstance(one, tree.PrimStructInfo):
            return one if is_subtype(one, other) else None
    return _GLB[type(left)](left, right) if type(left) is type(right) else None


def _glb_all(left: tuple[Info, ...], right: tuple[Info, ...]) -> tuple[Info, ...] | None:
    if len(left) != len(right):
        return None
    found: list[Info] = []
    for one, other in zip(left, right, strict=True):
        meet = glb(one, other)
        if meet is None:
            return None
        found.append(meet)
    return tuple(found)


def _glb_tensor(left: tree.TensorStructInfo, right: tree.TensorStructInfo) -> Info | None:
    """Combine what is known. [T.L6] [ERR.03] [ERR.04]"""
    if left.dtype is not None and right.dtype is not None and left.dtype.name != right.dtype.name:
        return None
    if left.ndim is not None and right.ndim is not None and left.ndim != right.ndim:
        return None
    ndim = right.ndim if left.ndim is None else left.ndim
    return tree.TensorStructInfo(None, left.dtype or right.dtype, ndim, left.pos, left.end)


def _glb_shape(left: tree.ShapeStructInfo, right: tree.ShapeStructInfo) -> Info | None:
    if left.ndim is None:  # T.L6
        return right
    return left if right.ndim in {None, left.ndim} else None


def _glb_tuple(left: tree.TupleStructInfo, right: tree.TupleStructInfo) -> Info | None:
    fields = _glb_all(left.fields, right.fields)  # T.L7
    return None if fields is None else tree.TupleStructInfo(fields, left.pos, left.end)


def _glb_function(left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> Info | None:
    """Parameters by LUB, result by GLB, pure if either is. [T.L8] [ERR.06]"""
    if left.params is None or right.params is None:
        return left if left.params is right.params else None
    if len(left.params) != len(right.params):
        return None
    ret = glb(result_of(left), result_of(right))
    if ret is None:
        return None
    params = tuple([lub(one, other) for one, other in zip(left.params, right.params, strict=True)])
    return tree.FuncStructInfo(params, ret, None, left.pure or right.pure, left.pos, left.end)


_GLB: Table[tree.StructInfo, Callable[[Any, Any], Info | None]] = {
    tree.PrimStructInfo: unreachable,
    tree.TensorStructInfo: _glb_tensor,
    tree.ShapeStructInfo: _glb_shape,
    tree.TupleStructInfo: _glb_tuple,
    tree.FuncStructInfo: _glb_function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}
