"""What an `if` gives whose condition compares sizes: the dimensions of the branch that the sizes choose. [D.6] [D.13]

    if p == 0 { shape(1) } else { shape(p) }

is `Shape[(max(p, 1),)]`: where the join of the branches leaves a dimension open, there is an expression for it.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL
from relax_lang.base.node import assert_never, children
from relax_lang.check.infer.rules.refinements import dims_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State

    Info = tree.StructInfo
    Dims = tuple[tree.PrimExpr, ...]

_MOST_NODES = 24
"""Longer dimensions say nothing to a reader; the rank is left then."""


def chosen(state: State, condition: tree.Expr, branches: tuple[Info, Info], joined: Info) -> Info:
    """Return the join of two branches with the dimensions that the condition chooses, as far as these are known."""
    kind = type(joined)
    if kind is tree.TupleStructInfo or (
        kind in (tree.TensorStructInfo, tree.ShapeStructInfo) and state.context.shape_of(joined) is None  # type: ignore[arg-type]
    ):
        comparison = _comparison(state, condition)
        if comparison is not None:
            return _chosen(state, comparison, branches, joined)
    return joined


def _comparison(state: State, condition: tree.Expr) -> tree.PrimExpr | None:
    """Return what follows from a condition for dimensions, exactly; None if it depends on anything else. [D.13]"""
    call = state.values.get(condition.name_hint) if isinstance(condition, tree.Var) else None
    if not isinstance(call, tree.Call) or not isinstance(call.op, tree.Op):
        return None
    name, args = call.op.op_name, call.args
    if name == "logical_not" and len(args) == 1:
        inner = _comparison(state, args[0])
        return None if inner is None else tree.Not(inner)
    if name == "scalar" and isinstance(args[0], tree.PrimValue):
        return args[0].value
    if name in ("logical_and", "logical_or") and len(args) == 2:
        parts = [_comparison(state, arg) for arg in args]
        if parts[0] is None or parts[1] is None:
            return None
        return (tree.And if name == "logical_and" else tree.Or)(parts[0], parts[1])
    if name == "shape_equals" and len(args) == 2 and not state.untrusted:
        one, other = dims_of(state, args[0]), dims_of(state, args[1])
        if one is None or other is None or len(one) != len(other) or not one:
            return None
        result: tree.PrimExpr = tree.EQ(one[0], other[0])
        for left, right in zip(one[1:], other[1:], strict=True):
            result = tree.And(result, tree.EQ(left, right))
        return result
    return None


def _chosen(state: State, condition: tree.PrimExpr, branches: tuple[Info, Info], joined: Info) -> Info:
    one, other = branches
    match joined:
        case tree.TupleStructInfo():
            if isinstance(one, tree.TupleStructInfo) and isinstance(other, tree.TupleStructInfo):
                triples = zip(one.fields, other.fields, joined.fields, strict=True)
                fields = [_chosen(state, condition, (left, right), field) for left, right, field in triples]
                return tree.TupleStructInfo(tuple(fields), joined.pos, joined.end)
        case tree.TensorStructInfo():
            if not isinstance(one, tree.TensorStructInfo) or not isinstance(other, tree.TensorStructInfo):
                return joined  # a scalar is a tensor, too
            dims = _dims(state, condition, state.context.shape_of(one), state.context.shape_of(other))
            if dims is not None:
                shape = tree.ShapeExpr(dims, joined.pos, joined.end)
                return tree.TensorStructInfo(shape, joined.dtype, None, joined.pos, joined.end)
        case tree.ShapeStructInfo():
            assert isinstance(one, tree.ShapeStructInfo)
            assert isinstance(other, tree.ShapeStructInfo)
            dims = _dims(state, condition, state.context.shape_of(one), state.context.shape_of(other))
            if dims is not None:
                return tree.ShapeStructInfo(dims, None, joined.pos, joined.end)
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo():
            pass
        case tree.MatchShapeInfo() | tree.MissingStructInfo():
            pass  # of no value
        case _:
            assert_never(joined)
    return joined


def _dims(
    state: State, condition: tree.PrimExpr, one: Dims | str | None, other: Dims | str | None
) -> Dims | None:
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return None
    from relax_lang.arith.printing import simplified  # loads the prover: only for such an `if`

    dims: list[tree.PrimExpr] = []
    for left, right in zip(one, other, strict=True):
        if state.context.relation(left, right) == EQUAL:
            dims.append(left)
            continue
        if _may_divide_by_zero(state, left) or _may_divide_by_zero(state, right):
            return None  # a `select` evaluates both, the `if` did not
        dim = simplified(tree.Select(condition, left, right), state.context.facts)
        if _is_long(dim):
            return None
        dims.append(dim)
    return tuple(dims)


def _may_divide_by_zero(state: State, dim: tree.PrimExpr) -> bool:
    nodes: list[Node] = [dim]
    for node in nodes:
        nodes += children(node)
    return any(
        isinstance(node, tree.FloorDiv | tree.FloorMod | tree.Div)
        and state.context.relation(node.b, tree.IntImm(0)) != DIFFERENT
        for node in nodes
    )


def _is_long(dim: tree.PrimExpr) -> bool:
    nodes: list[Node] = [dim]
    for node in nodes:
        nodes += children(node)
        if len(nodes) > _MOST_NODES:
            return True
    return False
