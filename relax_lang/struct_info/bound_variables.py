"""Shape variables inside infos: binders of function types, substitution, renaming, alpha-equality.

A bare name among the parameters of a function type that is not in scope outside is bound by the type [S.16].
Names are strings, so moving an info from one scope into another must keep free names free and bound names
bound: `substitute` renames the binders that would capture a name, and `rename_binders` prepares an info for a
function in which names will get into scope later.
"""

from __future__ import annotations

from relax_lang.arith.substitute import substitute as substitute_dim
from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, same
from relax_lang.struct_info.context import result_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from relax_lang.base.node import Node

    Info = tree.StructInfo
    Dims = tuple[tree.PrimExpr, ...]
    Mapped = Mapping[str, tree.PrimExpr]


def written_dims(info: Info) -> Dims | None:
    """Return the dimensions that a tensor or shape info writes out."""
    if isinstance(info, tree.TensorStructInfo):
        return info.shape.values if isinstance(info.shape, tree.ShapeExpr) else None
    if isinstance(info, (tree.ShapeStructInfo, tree.MatchShapeInfo)):
        return info.values
    return None


def bare_names(infos: Iterable[Info]) -> list[str]:
    """Return the names that stand alone as a dimension, each once, in order, but for those of function types.

    A signature or a match_cast can bind these. [W.5.b] [S.12-S.16]
    """
    found: dict[str, None] = {}
    for info in infos:
        _bare_names(info, found, set())
    return list(found)


def _bare_names(info: Info, found: dict[str, None], seen: set[int]) -> None:
    match info:
        case tree.TensorStructInfo() | tree.ShapeStructInfo() | tree.MatchShapeInfo():
            for dim in written_dims(info) or ():
                if isinstance(dim, tree.PrimVar) and dim.name != "_":
                    found[dim.name] = None
        case tree.TupleStructInfo():
            if id(info) not in seen:  # infos may share parts
                seen.add(id(info))
                for field in info.fields:
                    _bare_names(field, found, seen)
        case tree.MissingStructInfo():
            if info.part is not None:
                _bare_names(info.part, found, seen)
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo():
            pass
        case _:
            assert_never(info)


def binders_of(info: tree.FuncStructInfo, scope: AbstractSet[str]) -> list[str]:
    """Return the shape variables that a function type binds itself. [S.16]"""
    return [name for name in bare_names(info.params or ()) if name not in scope]


def names_in(infos: Iterable[Node]) -> set[str]:
    """Return all shape variables that occur in infos or dimensions, bound or free."""
    found: set[str] = set()
    seen: set[int] = set()
    stack: list[Node] = list(infos)
    while stack:
        node = stack.pop()
        if isinstance(node, tree.PrimVar):
            found.add(node.name)
        elif id(node) not in seen:
            seen.add(id(node))
            for name in node.CHILDREN:
                value: Node | tuple[Node, ...] | None = getattr(node, name)
                if isinstance(value, tuple):
                    stack += value
                elif value is not None:
                    stack.append(value)
    return found


def substitute(info: Info, mapping: Mapped, scope: AbstractSet[str], avoid: Collection[str] = ()) -> Info:
    """Replace free shape variables by dimensions, all at once. [E.14]

    `scope` has the names in scope at the info. Binders of function types that also occur in what is
    put in, or in `avoid`, get new names. What does not change is returned itself.
    """
    return _Substitution(mapping, scope, avoid).substitute(info)


def substitute_all(
    infos: Iterable[Info],
    mapping: Mapped,
    scope: AbstractSet[str],
    avoid: Collection[str] = (),
    *,
    usual_form: bool = False,
) -> tuple[Info, ...]:
    """Replace free shape variables in several infos, sharing what they share. [E.14]

    `usual_form`: what becomes of a dimension is written as people would, `224 // 16` as 14. [D.13]
    """
    if not mapping and not avoid:
        return tuple(infos)
    run = _Substitution(mapping, scope, avoid)
    run.usual_form = usual_form
    return tuple([run.substitute(info) for info in infos])


def rename_binders(info: Info, scope: AbstractSet[str], avoid: Collection[str]) -> Info:
    """Return an info whose function types bind none of the given names. [S.16] [E.14]

    For an info that enters a function: `avoid` are all shape variables that the function ever binds, so that
    no binder is taken for one of them later.
    """
    return substitute(info, {}, scope, avoid)


def _usual(dim: tree.PrimExpr, before: tree.PrimExpr) -> tree.PrimExpr:
    if dim is before or type(dim) is tree.PrimVar or type(dim) is tree.IntImm:
        return dim
    from relax_lang.arith.printing import simplified  # loads the prover: only where there is arithmetic

    return simplified(dim)


class _Substitution:
    """One run: the mapping, the names in scope, and the names that binders may not have."""

    __slots__ = ("avoid", "mapping", "memo", "scope", "usual_form")

    def __init__(self, mapping: Mapped, scope: AbstractSet[str], avoid: Collection[str]) -> None:
        self.mapping = mapping
        self.scope = scope | mapping.keys()
        self.avoid = names_in(mapping.values()) | set(avoid)
        self.memo: dict[int, Info] = {}
        self.usual_form = False

    def substitute(self, info: Info) -> Info:
        # No `__call__`: infos may be as deep as a program is long, and that would use the C stack.
        if isinstance(info, tree.TensorStructInfo):
            return self._tensor(info) if info.shape is not None and self.mapping else info
        if isinstance(info, tree.ObjectStructInfo | tree.PrimStructInfo | tree.MissingStructInfo):
            return info
        done = self.memo.get(id(info))
        if done is None:
            done = self.memo[id(info)] = self._compound(info)
        return done

    def _compound(
        self, info: tree.TupleStructInfo | tree.FuncStructInfo | tree.ShapeStructInfo | tree.MatchShapeInfo
    ) -> Info:
        if isinstance(info, tree.TupleStructInfo):
            fields = self._all(info.fields)
            return info if fields is info.fields else tree.TupleStructInfo(fields, info.pos, info.end)
        if isinstance(info, tree.FuncStructInfo):
            return info if info.params is None else self._function(info, info.params)
        if isinstance(info, tree.ShapeStructInfo):
            values = None if info.values is None else self._dims(info.values)
            return (
                info if values is info.values else tree.ShapeStructInfo(values, info.ndim, info.pos, info.end)
            )
        if type(info) is not tree.MatchShapeInfo:
            assert_never(info)
        return tree.MatchShapeInfo(self._dims(info.values), info.pos, info.end)

    def _all(self, infos: tuple[Info, ...]) -> tuple[Info, ...]:
        changed = tuple([self.substitute(info) for info in infos])
        return infos if changed == infos else changed  # nodes are equal by identity only

    def _dims(self, dims: Dims) -> Dims:
        changed = tuple([substitute_dim(dim, self.mapping) for dim in dims])
        if self.usual_form:
            changed = tuple([_usual(new, old) for new, old in zip(changed, dims, strict=True)])
        return dims if changed == dims else changed  # nodes are equal by identity only

    def _tensor(self, info: tree.TensorStructInfo) -> Info:
        shape = info.shape
        if not isinstance(shape, tree.ShapeExpr):  # a Relax variable, which is not substituted
            return info
        dims = self._dims(shape.values)
        if dims is shape.values:
            return info
        changed = tree.ShapeExpr(dims, shape.pos, shape.end)
        return tree.TensorStructInfo(changed, info.dtype, info.ndim, info.pos, info.end)

    def _function(self, info: tree.FuncStructInfo, params: tuple[Info, ...]) -> Info:
        inner = self
        clashing = [name for name in binders_of(info, self.scope) if name in self.avoid]
        if clashing:
            fresh = FreshNames([*names_in([info]), *self.avoid, *self.scope])
            renamed = {name: tree.PrimVar(fresh.fresh(name)) for name in clashing}
            inner = _Substitution({**self.mapping, **renamed}, self.scope, self.avoid)
            inner.usual_form = self.usual_form
        parts = inner._all((*params, result_of(info)))
        if parts[-1] is info.ret and parts[:-1] == params:
            return info
        return tree.FuncStructInfo(parts[:-1], parts[-1], None, info.pure, info.pos, info.end)


def fresh_copies(names: Iterable[str], taken: Iterable[str]) -> dict[str, tree.PrimExpr]:
    """Return a mapping of names to new variables that differ from all taken names and from each other."""
    fresh = FreshNames(taken)
    return {name: tree.PrimVar(fresh.fresh(name)) for name in names}


def alpha_equal(left: Info, right: Info, scope: AbstractSet[str] = frozenset()) -> bool:
    """Return whether two infos are the same but for the names of binders; dimensions as written. [D.13]"""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, tree.TupleStructInfo):
        assert isinstance(right, tree.TupleStructInfo)
        return _all_alpha_equal(left.fields, right.fields, scope)
    if not isinstance(left, tree.FuncStructInfo):
        return same(left, right)
    assert isinstance(right, tree.FuncStructInfo)
    if left.params is None or right.params is None or left.pure is not right.pure:
        return same(left, right)
    own, other = binders_of(left, scope), binders_of(right, scope)
    if len(own) != len(other):
        return False
    mapping = {name: tree.PrimVar(mine) for name, mine in zip(other, own, strict=True)}
    renamed = substitute_all((*right.params, result_of(right)), mapping, scope)
    return _all_alpha_equal((*left.params, result_of(left)), renamed, scope | set(own))


def _all_alpha_equal(left: tuple[Info, ...], right: tuple[Info, ...], scope: AbstractSet[str]) -> bool:
    if len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):  # noqa: SIM110 - a generator would use the C stack
        if not alpha_equal(one, other, scope):
            return False
    return True
