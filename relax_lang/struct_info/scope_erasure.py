"""Erasure to a scope: an info without what is not defined outside the scope that it was derived in. [E.5-E.10]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.struct_info.bound_variables import bare_names, binders_of, names_in
from relax_lang.struct_info.context import result_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.struct_info.context import Context

    Info = tree.StructInfo
    Mentioned = tuple[frozenset[str], frozenset[str], frozenset[str]]


class Mentions:
    """What infos mention, remembered for those that have others in them, as infos of a program share their parts."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Info, Mentioned] = {}

    def all_defined(self, info: Info, inner: Context, outer: Context) -> bool:
        """Return whether all that an info from one context mentions is surely defined in another one."""
        free, shown, variables = self._of(info)
        return (
            free <= outer.shape_vars
            and (shown & inner.shape_vars) <= outer.shape_vars
            and all(name in outer.variables for name in variables)
        )

    def _of(self, info: Info) -> Mentioned:
        """Return the shape variables that no function type binds, those that one may bind, and the variables."""
        match info:
            case tree.TensorStructInfo():
                if isinstance(info.shape, tree.Var):
                    return _NONE, _NONE, frozenset((info.shape.name_hint,))
                return _NONE if info.shape is None else frozenset(names_in([info.shape])), _NONE, _NONE
            case tree.ShapeStructInfo() | tree.MatchShapeInfo():
                return frozenset(names_in(info.values or ())), _NONE, _NONE
            case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.MissingStructInfo():
                return _NONE, _NONE, _NONE
            case tree.TupleStructInfo() | tree.FuncStructInfo():
                known = self._known.get(info)
                if known is None:
                    parts = info.fields if isinstance(info, tree.TupleStructInfo) else info.params
                    known = self._known[info] = self._of_parts(info, parts)
                return known
            case _:
                return assert_never(info)

    def _of_parts(self, info: Info, parts: tuple[Info, ...] | None) -> Mentioned:
        if parts is None:
            return _NONE, _NONE, _NONE
        bound: frozenset[str] = _NONE
        if isinstance(info, tree.FuncStructInfo):
            if info.ret is None:  # it is written out when it is erased
                return _UNDEFINED, _NONE, _NONE
            bound = frozenset(bare_names(parts))
            parts = (*parts, info.ret)
        found = [self._of(part) for part in parts]
        free, shown, variables = [_NONE.union(*[one[at] for one in found]) for at in range(3)]
        return free - bound, shown | bound, variables


_NONE: frozenset[str] = frozenset()
_UNDEFINED = frozenset(("",))
"""What no context defines."""


def erase_to_well_defined(
    info: Info, inner: Context, outer: Context, mentions: Mentions | None = None
) -> Info:
    """Drop the shapes that mention what is not in scope outside; ranks and dtypes stay. [E.5-E.9] [ERR.31]

    `inner` is the context that the info was derived in, `outer` the one that it goes to: a name that is in
    scope only inside is not a binder of a function type outside. An info that does not change is returned itself;
    `mentions` remembers what is known of the parts of infos.
    """
    if type(info) is tree.ObjectStructInfo:
        return info
    if mentions is not None and mentions.all_defined(info, inner, outer):
        return info
    return _Erasing(inner, outer.shape_vars, outer).erase(info)


class _Erasing:
    """One run: the contexts, and the shape variables that may stay."""

    __slots__ = ("inner", "memo", "outer", "shape_vars")

    def __init__(self, inner: Context, shape_vars: AbstractSet[str], outer: Context) -> None:
        self.inner = inner
        self.outer = outer
        self.shape_vars = shape_vars
        self.memo: dict[int, Info] = {}

    def erase(self, info: Info) -> Info:
        # No `__call__`: infos may be as deep as a program is long, and that would use the C stack.
        done = self.memo.get(id(info))  # infos may share parts
        if done is None:
            done = self.memo[id(info)] = _ERASE[type(info)](self, info)
        return done

    def all(self, infos: tuple[Info, ...]) -> tuple[Info, ...]:
        erased = tuple([self.erase(info) for info in infos])
        return infos if erased == infos else erased  # nodes are equal by identity only


def _tensor(run: _Erasing, info: tree.TensorStructInfo) -> Info:
    """Drop the whole shape if any part of it goes out of scope. [E.5]"""
    shape = info.shape
    if shape is None:
        return info
    if isinstance(shape, tree.Var):
        if shape.name_hint in run.outer.variables:
            return info
    elif names_in([shape]) <= run.shape_vars:
        return info
    return tree.TensorStructInfo(None, info.dtype, run.inner.rank_of(info), info.pos, info.end)


def _shape(run: _Erasing, info: tree.ShapeStructInfo) -> Info:
    """Drop all values if any of them goes out of scope. [E.6]"""
    if info.values is None or names_in(info.values) <= run.shape_vars:
        return info
    return tree.ShapeStructInfo(None, len(info.values), info.pos, info.end)


def _tuple(run: _Erasing, info: tree.TupleStructInfo) -> Info:
    fields = run.all(info.fields)  # E.7
    return info if fields is info.fields else tree.TupleStructInfo(fields, info.pos, info.end)


def _function(run: _Erasing, info: tree.FuncStructInfo) -> Info:
    """The binders of the type are in scope in it, as far as its parameters still show them. [E.8] [ERR.32]"""
    if info.params is None:
        return info
    own: AbstractSet[str] = set(binders_of(info, run.inner.shape_vars))
    inner = run.inner.extended(own)
    while True:
        part = _Erasing(inner, run.shape_vars | own, run.outer)
        params = part.all(info.params)
        shown = own.intersection(bare_names(params))
        if len(shown) == len(own):
            break
        own = shown  # a parameter that lost its shape does not bind what stood in it
    ret = part.erase(result_of(info))
    if params is info.params and ret is info.ret:
        return info
    return tree.FuncStructInfo(params, ret, None, info.pure, info.pos, info.end)


def _unchanged(_run: _Erasing, info: tree.StructInfo) -> Info:
    """`Object` mentions no shape variable. [E.9]"""
    return info


_ERASE: Table[tree.StructInfo, Callable[[_Erasing, Any], Info]] = {
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.TupleStructInfo: _tuple,
    tree.FuncStructInfo: _function,
    tree.ObjectStructInfo: _unchanged,
    tree.PrimStructInfo: _unchanged,
    tree.MatchShapeInfo: _unchanged,
    tree.MissingStructInfo: _unchanged,
}
