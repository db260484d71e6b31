"""Widening: dimensions that grow without bounds are simplified, and forgotten if that does not help. [D.13] [E.5] [E.6]

Every call may double a dimension that it is given: `fn(Tensor[(n,)]) -> Tensor[(n + n,)]`. The parts are shared, but
anything that reads or prints a dimension sees a tree, which grows exponentially. Nothing else is changed here.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, children
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    Info = tree.StructInfo
    Dims = tuple[tree.PrimExpr, ...]

LARGE = 60
"""A dimension of more nodes is simplified."""
TOO_LARGE = 1_000
"""A dimension that still has more nodes then is forgotten, and the others of its shape with it."""
HOPELESS = 50_000
"""A dimension of more nodes is not even simplified."""

_LEAVES = frozenset((tree.PrimVar, tree.IntImm))


def bounded(info: Info) -> Info:
    """Return the info of the result of a call, with dimensions of a bounded size."""
    match info:
        case tree.TensorStructInfo():
            return _tensor(info)
        case tree.ShapeStructInfo():
            return _shape(info)
        case tree.TupleStructInfo():
            return _parts(info, {})
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo():
            return info
        case tree.MatchShapeInfo() | tree.MissingStructInfo():
            return info  # of no result
        case _:
            return assert_never(info)


def _parts(info: Info, memo: dict[int, Info]) -> Info:
    """Bound the fields of a tuple; infos may share parts."""
    if not isinstance(info, tree.TupleStructInfo):
        return bounded(info)
    done = memo.get(id(info))
    if done is None:
        fields = tuple([_parts(field, memo) for field in info.fields])
        unchanged = fields == info.fields  # nodes are equal by identity only
        done = memo[id(info)] = info if unchanged else tree.TupleStructInfo(fields, info.pos, info.end)
    return done


def _tensor(info: tree.TensorStructInfo) -> Info:
    shape = info.shape
    if not isinstance(shape, tree.ShapeExpr):
        return info
    dims = _dims(shape.values)
    if dims is shape.values:
        return info
    if dims is None:
        return tree.TensorStructInfo(None, info.dtype, len(shape.values), info.pos, info.end)
    changed = tree.ShapeExpr(dims, shape.pos, shape.end)
    return tree.TensorStructInfo(changed, info.dtype, None, info.pos, info.end)


def _shape(info: tree.ShapeStructInfo) -> Info:
    if info.values is None:
        return info
    dims = _dims(info.values)
    if dims is info.values:
        return info
    ndim = len(info.values) if dims is None else None
    return tree.ShapeStructInfo(dims, ndim, info.pos, info.end)


def _dims(dims: Dims) -> Dims | None:
    """Return dimensions of a bounded size: the same ones if they are, None if they cannot be made so."""
    for dim in dims:
        if type(dim) not in _LEAVES and _has_more_nodes(dim, LARGE):
            break
    else:
        return dims
    from relax_lang.arith.printing import simplified  # hardly any program needs it

    changed: list[tree.PrimExpr] = []
    for dim in dims:
        if _has_more_nodes(dim, HOPELESS):
            return None
        usual = simplified(dim) if _has_more_nodes(dim, LARGE) else dim
        if _has_more_nodes(usual, TOO_LARGE):
            return None
        changed.append(usual)
    return tuple(changed)


def _has_more_nodes(dim: tree.PrimExpr, most: int) -> bool:
    left = most
    stack: list[tree.Node] = [dim]
    while stack:
        node = stack.pop()
        if left == 0:
            return True
        left -= 1
        if type(node) not in _LEAVES:
            stack += children(node)
    return False
