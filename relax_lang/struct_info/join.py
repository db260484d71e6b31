"""The join of two infos, as an `if` needs it, and their meet, as the parameters of functions need it. [U.8-U.15]

`join` gives an upper bound of both in the order `<<:`. It is the least one unless function types with shape
variables of their own take part: for those no least one need exist.
"""

from __future__ import annotations

from relax_lang.arith.substitute import substitute
from relax_lang.base.node import unreachable
from relax_lang.struct_info.bound_variables import (
    binders_of,
    fresh_copies,
    names_in,
    substitute_all,
    written_dims,
)
from relax_lang.struct_info.compatibility import is_more_specific
from relax_lang.struct_info.context import (
    EMPTY,
    NOTHING_KNOWN,
    REJECTED,
    as_tensor,
    derive_of,
    dtype_of,
    result_of,
)
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.struct_info.context import Context, Shape, Shaped

    Info = tree.StructInfo
    Infos = tuple[Info, ...]


def join(left: Info, right: Info, context: Context = NOTHING_KNOWN) -> Info:
    """Return the join of two infos: what is known of a value that is one or the other. [U.8-U.14]"""
    return _Bounds(context).join(left, right)


def meet(left: Info, right: Info, context: Context = NOTHING_KNOWN) -> Info | None:
    """Return the greatest lower bound of two infos, or None if there is none. [T.L5-T.L8] [ERR.25]"""
    return _Bounds(context).meet(left, right)


class _Bounds:
    """One run: the context, and the joins of tuples found so far."""

    __slots__ = ("context", "joins")

    def __init__(self, context: Context) -> None:
        self.context = context
        self.joins: dict[tuple[int, int], Info | None] = {}

    def join(self, left: Info, right: Info) -> Info:
        if left is right:
            return left
        if left is REJECTED or right is REJECTED:
            return REJECTED
        if isinstance(right, tree.ObjectStructInfo):  # U.8
            return right
        if isinstance(left, tree.ObjectStructInfo):
            return left
        left, right = _alike(left, right)
        if left is right:
            return left
        joined = _JOIN[type(left)](self, left, right) if type(left) is type(right) else None
        return tree.ObjectStructInfo(left.pos, left.end) if joined is None else joined  # U.9

    def join_all(self, left: Infos, right: Infos) -> Infos | None:
        """Join field by field, or give None if the numbers differ; unchanged fields are shared."""
        if len(left) != len(right):
            return None
        return tuple([self.join(one, other) for one, other in zip(left, right, strict=True)])

    def meet(self, left: Info, right: Info) -> Info | None:
        if left is right or isinstance(right, tree.ObjectStructInfo):
            return left
        if isinstance(left, tree.ObjectStructInfo):
            return right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, tree.PrimStructInfo):
                return one if is_more_specific(one, other, self.context) else None
        return _MEET[type(left)](self, left, right) if type(left) is type(right) else None

    def meet_all(self, left: Infos, right: Infos) -> Infos | None:
        if len(left) != len(right):
            return None
        found: list[Info] = []
        for one, other in zip(left, right, strict=True):
            both = self.meet(one, other)
            if both is None:
                return None
            found.append(both)
        return tuple(found)


def _alike(left: Info, right: Info) -> tuple[Info, Info]:
    """Return two infos in which a scalar is a tensor if it is joined with another info than its own."""
    if isinstance(left, tree.PrimStructInfo):
        if isinstance(right, tree.PrimStructInfo) and left.dtype.name == right.dtype.name:
            return left, left
        left = as_tensor(left)
    return left, as_tensor(right) if isinstance(right, tree.PrimStructInfo) else right


# The join.


def _join_shape(run: _Bounds, left: tree.ShapeStructInfo, right: tree.ShapeStructInfo) -> Info:
    """Keep the rank that agrees, and values that are provably equal. [U.10] [ERR.21]"""
    context = run.context
    if context.same_shape(context.shape_of(left), context.shape_of(right)):
        return left
    rank = context.rank_of(left)
    ndim = rank if rank == context.rank_of(right) else None
    return tree.ShapeStructInfo(None, ndim, left.pos, left.end)


def _join_tensor(run: _Bounds, left: tree.TensorStructInfo, right: tree.TensorStructInfo) -> Info:
    """Keep the rank and dtype that agree, and a shape that is provably the same. [U.11] [ERR.22]"""
    context = run.context
    dtype = left.dtype if dtype_of(left) == dtype_of(right) else None
    if context.same_shape(context.shape_of(left), context.shape_of(right)):
        if dtype is left.dtype:
            return left
        return tree.TensorStructInfo(left.shape, dtype, left.ndim, left.pos, left.end)
    rank = context.rank_of(left)
    ndim = rank if rank == context.rank_of(right) else None
    return tree.TensorStructInfo(None, dtype, ndim, left.pos, left.end)


def _join_tuple(run: _Bounds, left: tree.TupleStructInfo, right: tree.TupleStructInfo) -> Info | None:
    """Field by field; nothing is known if the lengths differ. [U.12]"""
    key = id(left), id(right)
    if key not in run.joins:  # infos may share parts
        fields = run.join_all(left.fields, right.fields)
        run.joins[key] = None if fields is None else tree.TupleStructInfo(fields, left.pos, left.end)
    return run.joins[key]


def _join_function(run: _Bounds, left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> Info | None:
    """Parameters by meet, result by join, for the calls that both can serve. [U.13] [U.14] [ERR.23-ERR.25]

    Where one is more specific this agrees with the other case, which needs no check of its own.
    """
    if left.params is None or right.params is None:
        return _join_packed(left, right)
    if len(left.params) != len(right.params):
        return None
    one, other, free = _aligned(left, right, run.context)
    inner = _Bounds(run.context.extended(free))
    params = inner.meet_all(one[:-1], other[:-1])
    if params is None:
        return None
    ret = inner.join(one[-1], other[-1])
    return tree.FuncStructInfo(params, ret, None, left.pure and right.pure, left.pos, left.end)


def _join_packed(left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> Info | None:
    """Packed functions and closures have nothing in common. [U.13]"""
    if left.params is not right.params:
        return None
    if derive_of(left) == derive_of(right):
        return left
    return tree.FuncStructInfo(None, None, EMPTY, False, left.pos, left.end)


_JOIN: Table[tree.StructInfo, Callable[[_Bounds, Any, Any], Info | None]] = {
    tree.ShapeStructInfo: _join_shape,
    tree.PrimStructInfo: unreachable,  # equal ones are one, others tensors
    tree.TensorStructInfo: _join_tensor,
    tree.TupleStructInfo: _join_tuple,
    tree.FuncStructInfo: _join_function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}


# The meet.


def _meet_shape(run: _Bounds, left: tree.ShapeStructInfo, right: tree.ShapeStructInfo) -> Info | None:
    return _meet_shapes(run.context, left, right)


def _meet_tensor(run: _Bounds, left: tree.TensorStructInfo, right: tree.TensorStructInfo) -> Info | None:
    if left.dtype is not None and right.dtype is not None and left.dtype.name != right.dtype.name:
        return None
    shaped = _meet_shapes(run.context, left, right)
    if not isinstance(shaped, tree.TensorStructInfo):
        return None
    dtype = left.dtype or right.dtype
    if dtype is shaped.dtype:
        return shaped
    return tree.TensorStructInfo(shaped.shape, dtype, shaped.ndim, left.pos, left.end)


def _meet_shapes(context: Context, left: Shaped, right: Shaped) -> Info | None:
    """Return the one that knows more of the shape, or None if both know something that may disagree."""
    rank, other_rank = context.rank_of(left), context.rank_of(right)
    if rank is not None and other_rank is not None and rank != other_rank:
        return None
    shape: Shape = context.shape_of(left)
    other: Shape = context.shape_of(right)
    if shape is None and other is None:
        return right if rank is None else left
    if shape is None or other is None:
        known, known_rank, unknown_rank = (
            (right, other_rank, rank) if shape is None else (left, rank, other_rank)
        )
        # A variable of unknown rank and a rank without a variable cannot be expressed in one info.
        return None if known_rank is None and unknown_rank is not None else known
    return left if context.same_shape(shape, other) else None


def _meet_tuple(run: _Bounds, left: tree.TupleStructInfo, right: tree.TupleStructInfo) -> Info | None:
    fields = run.meet_all(left.fields, right.fields)
    return None if fields is None else tree.TupleStructInfo(fields, left.pos, left.end)


def _meet_function(run: _Bounds, left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> Info | None:
    """Parameters by join, result by meet, pure if either is.

    A function for all sizes of two signatures has, in general, no signature of its own: where binders take
    part, the more specific of the two is all that can be found.
    """
    if left.params is None or right.params is None:
        return _meet_packed(left, right)
    if len(left.params) != len(right.params):
        return None
    scope = run.context.shape_vars
    if binders_of(left, scope) or binders_of(right, scope):
        if is_more_specific(left, right, run.context):
            return left
        return right if is_more_specific(right, left, run.context) else None
    ret = run.meet(result_of(left), result_of(right))
    params = run.join_all(left.params, right.params)
    if ret is None or params is None:
        return None
    return tree.FuncStructInfo(params, ret, None, left.pure or right.pure, left.pos, left.end)


def _meet_packed(left: tree.FuncStructInfo, right: tree.FuncStructInfo) -> Info | None:
    if left.params is not right.params:
        return None
    if derive_of(left) in {derive_of(right), EMPTY}:
        return right
    return left if derive_of(right) == EMPTY else None


_MEET: Table[tree.StructInfo, Callable[[_Bounds, Any, Any], Info | None]] = {
    tree.ShapeStructInfo: _meet_shape,
    tree.PrimStructInfo: unreachable,
    tree.TensorStructInfo: _meet_tensor,
    tree.TupleStructInfo: _meet_tuple,
    tree.FuncStructInfo: _meet_function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}


# Function types with shape variables of their own.


def _aligned(
    left: tree.FuncStructInfo, right: tree.FuncStructInfo, context: Context
) -> tuple[Infos, Infos, set[str]]:
    """Return parameters and result of two function types for the calls that both can serve. [ERR.24]

    Their binders are renamed apart; then those in the same place as another dimension are replaced
    by it, so that `fn(T[(a,)]) -> T[(a,)]` and `fn(T[(3,)]) -> T[(3,)]` are compared for `a` = 3. The names
    are the binders that are left.
    """
    scope = context.shape_vars
    own, others = binders_of(left, scope), binders_of(right, scope)
    one: Infos = (*(left.params or ()), result_of(left))
    other: Infos = (*(right.params or ()), result_of(right))
    if not own and not others:
        return one, other, set()
    names = names_in([left])
    apart = fresh_copies([name for name in others if name in names], names | names_in([right]) | scope)
    other = substitute_all(other, apart, scope | set(others))
    renamed = {*names_in(apart.values()), *others}.difference(apart)
    solution = _Solution({*own, *renamed})
    for mine, theirs in zip(one[:-1], other[:-1], strict=True):
        solution.match(mine, theirs)
    # Each side has only its own binders in scope. Function types inside the right one may bind names of the left.
    left_values = {name: dim for name, dim in solution.values.items() if name not in renamed}
    right_values = {name: dim for name, dim in solution.values.items() if name in renamed}
    one = substitute_all(one, left_values, scope | set(own))
    other = substitute_all(other, right_values, scope | renamed, own)
    return one, other, solution.free - solution.values.keys()


class _Solution:
    """The values of binders that make dimensions in the same place equal. No value mentions a solved binder."""

    __slots__ = ("free", "seen", "values")

    def __init__(self, free: set[str]) -> None:
        self.free = free
        self.seen: set[tuple[int, int]] = set()
        self.values: dict[str, tree.PrimExpr] = {}

    def match(self, left: Info, right: Info) -> None:
        """Go over two infos; function types inside have binders of their own and are left alone."""
        if isinstance(left, tree.TupleStructInfo) and isinstance(right, tree.TupleStructInfo):
            key = id(left), id(right)
            if len(left.fields) == len(right.fields) and key not in self.seen:  # infos may share parts
                self.seen.add(key)
                for one, other in zip(left.fields, right.fields, strict=True):
                    self.match(one, other)
        elif type(left) is type(right):
            self._match_dims(written_dims(left) or (), written_dims(right) or ())

    def _match_dims(self, left: Sequence[tree.PrimExpr], right: Sequence[tree.PrimExpr]) -> None:
        if len(left) != len(right):
            return
        for one, other in zip(left, right, strict=True):
            mine, theirs = substitute(one, self.values), substitute(other, self.values)
            if not self._solve(theirs, mine):
                self._solve(mine, theirs)

    def _solve(self, variable: tree.PrimExpr, value: tree.PrimExpr) -> bool:
        if not isinstance(variable, tree.PrimVar) or variable.name not in self.free:
            return False
        if variable.name in names_in([value]):  # itself, or an equation that this does not solve
            return False
        step = {variable.name: value}
        self.values = {name: substitute(dim, step) for name, dim in self.values.items()}
        self.values[variable.name] = value
        return True
