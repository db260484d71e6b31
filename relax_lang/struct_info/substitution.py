"""Binds the shape variables of a signature by matching its annotations with the infos of arguments. [E.11-E.13]

`get_shape_var_mapping` is the specification's procedure. `bind_signature` builds on it: it instantiates the
parameters and the result of a function type for given arguments.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.struct_info.bound_variables import binders_of, fresh_copies, names_in, substitute_all
from relax_lang.struct_info.context import result_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from collections.abc import Set as AbstractSet

    from relax_lang.struct_info.context import Context

    Info = tree.StructInfo
    Dims = tuple[tree.PrimExpr, ...]


def get_shape_var_mapping(pattern: Info, info: Info, context: Context) -> dict[str, tree.PrimExpr]:
    """Map the bare, unbound shape variables of one info to the dimensions of another. [E.11] [E.12]

    If a variable occurs twice, the first dimension counts; whether the others agree is checked later. [E.13]
    Binders of inner function types are neither mapped nor do they occur in what is mapped to. [ERR.30]
    """
    run = _Matching(context, None)
    run.match(pattern, info, frozenset(), frozenset())
    return run.mapping


class _Matching:
    """One run. `names` are the variables that may be bound; None: all that are not bound by the context."""

    __slots__ = ("context", "mapping", "names", "seen")

    def __init__(self, context: Context, names: Collection[str] | None) -> None:
        self.context = context
        self.names = names
        self.mapping: dict[str, tree.PrimExpr] = {}
        self.seen: set[tuple[int, int]] = set()

    def match(self, pattern: Info, info: Info, inner: AbstractSet[str], foreign: AbstractSet[str]) -> None:
        """Match two infos; `inner` and `foreign` are the binders of function types around them."""
        if type(info) is not type(pattern):
            return
        match pattern:
            case tree.TensorStructInfo() | tree.ShapeStructInfo():
                self._match_dims(pattern, info, inner, foreign)
            case tree.TupleStructInfo():
                assert isinstance(info, tree.TupleStructInfo)
                self._match_all(pattern.fields, info.fields, inner, foreign, (id(pattern), id(info)))
            case tree.FuncStructInfo():
                assert isinstance(info, tree.FuncStructInfo)
                if pattern.params is not None and info.params is not None:
                    self._match_functions(pattern, info, inner, foreign)
            case tree.ObjectStructInfo() | tree.PrimStructInfo():
                pass  # without dimensions
            case tree.MatchShapeInfo() | tree.MissingStructInfo():
                pass  # of no value
            case _:
                assert_never(pattern)

    def _match_all(
        self,
        patterns: Sequence[Info],
        infos: Sequence[Info],
        inner: AbstractSet[str],
        foreign: AbstractSet[str],
        key: tuple[int, int],
    ) -> None:
        if len(patterns) != len(infos) or key in self.seen:  # infos may share parts
            return
        self.seen.add(key)
        for pattern, info in zip(patterns, infos, strict=True):
            self.match(pattern, info, inner, foreign)

    def _match_functions(
        self,
        pattern: tree.FuncStructInfo,
        info: tree.FuncStructInfo,
        inner: AbstractSet[str],
        foreign: AbstractSet[str],
    ) -> None:
        """Match the parameters, never the result, which cannot bind. [E.11]"""
        outside = self.context.shape_vars | set(self.names or ())
        inner = inner | set(binders_of(pattern, outside | inner))
        foreign = foreign | set(binders_of(info, self.context.shape_vars | foreign))
        self._match_all(pattern.params or (), info.params or (), inner, foreign, (id(pattern), id(info)))

    def _match_dims(
        self, pattern: Info, info: Info, inner: AbstractSet[str], foreign: AbstractSet[str]
    ) -> None:
        assert isinstance(pattern, (tree.TensorStructInfo, tree.ShapeStructInfo))
        assert isinstance(info, (tree.TensorStructInfo, tree.ShapeStructInfo))
        there = self.context.shape_of(info)
        own = self.context.shape_of(pattern)
        if not isinstance(own, tuple) or not isinstance(there, tuple) or len(own) != len(there):
            return
        for dim, other in zip(own, there, strict=True):
            if isinstance(dim, tree.PrimVar) and self._may_bind(dim.name, inner):
                if foreign and not foreign.isdisjoint(names_in([other])):
                    continue
                self.mapping.setdefault(dim.name, other)

    def _may_bind(self, name: str, inner: AbstractSet[str]) -> bool:
        if name in inner or name == "_":
            return False
        return name not in self.context.shape_vars if self.names is None else name in self.names


class Signature:
    """Parameters and result of a function type for given arguments.

    `mapping` has the variables that the arguments bind. `open` has the new names of those that no argument gives
    a dimension: they are bound when the function is called.
    """

    __slots__ = ("mapping", "open", "params", "ret")

    def __init__(
        self, params: tuple[Info, ...], ret: Info, mapping: dict[str, tree.PrimExpr], unbound: frozenset[str]
    ) -> None:
        self.params = params
        self.ret = ret
        self.mapping = mapping
        self.open = unbound


def bind_signature(
    func: tree.FuncStructInfo, arguments: Sequence[Info], scope: AbstractSet[str], context: Context
) -> Signature:
    """Replace the binders of a function type by the dimensions of the arguments in their place. [D.11.2.4] [C.6.3.2]

    `scope` has the names in scope at the function type, `context` is that of the arguments.
    """
    params = func.params or ()
    binders = binders_of(func, scope)
    run = _Matching(context, frozenset(binders))
    for param, argument in zip(params, arguments, strict=True):
        run.match(param, argument, frozenset(), frozenset())
    mapping: dict[str, tree.PrimExpr] = {name: run.mapping[name] for name in binders if name in run.mapping}
    left = [name for name in binders if name not in mapping]
    taken: set[str] = set()
    copies: dict[str, tree.PrimExpr] = {}
    if left:
        taken = names_in([func, *arguments]) | context.shape_vars | scope
        copies = fresh_copies(left, taken)
    # Names that are in scope only at the arguments must not be captured by binders further inside.
    avoid = () if scope is context.shape_vars else context.shape_vars - scope
    infos = (*params, result_of(func))
    parts = substitute_all(infos, {**mapping, **copies}, scope, avoid, usual_form=True)
    return Signature(parts[:-1], parts[-1], mapping, frozenset(names_in(copies.values())))
