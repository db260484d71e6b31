"""The legal forms of the calls of a module: calls that differ in their operands only have one."""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.ops.legal.core import Legal, Refused, legalize
from relax_lang.scope.alpha.structure import alpha_structure
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from relax_lang.ops.core.operator import Operator
    from relax_lang.transform.core.prim_funcs import PrimFuncs

    Infos = Sequence[tree.StructInfo | None]


class LegalForms:
    """Makes calls of PrimFuncs of calls of operators, each PrimFunc once."""

    def __init__(self, prim_funcs: PrimFuncs) -> None:
        self._prim_funcs = prim_funcs
        self._known: dict[Hashable, tuple[str, tuple[str, ...]] | str] = {}
        """What decides a form to the name of the PrimFunc and its scalars, or to why there is none."""

    def call(self, operator: Operator, call: tree.Call, infos: Infos, result: tree.StructInfo) -> tree.Call:
        """Return the `call_tir` of a call; see `legalize`. Raises Refused, with the reason."""
        key = _key(call, infos, result)
        known = self._known.get(key)
        operands: list[tree.Expr] | None = None
        if known is None:
            try:
                form = legalize(operator, call, infos, result)
            except Refused as refused:
                self._known[key] = str(refused)
                raise
            known = self._known[key] = self._prim_funcs.add(form.prim_func), tuple(form.scalars)
            operands = form.operands
        if isinstance(known, str):
            raise Refused(known)
        name, scalars = known
        if operands is None:
            operands = Legal(operator, call, infos, result).nodes
        args: list[tree.Expr] = [tree.GlobalVar(name), tree.Tuple(tuple(operands))]
        if scalars:
            args.append(tree.ShapeExpr(tuple([tree.PrimVar(one) for one in scalars])))
        op = tree.Op("call_tir", call.op.pos, call.op.end)
        return tree.Call(op, tuple(args), (), result, call.pos, call.end)


def _key(call: tree.Call, infos: Infos, result: tree.StructInfo) -> Hashable:
    """Return what decides the form of a call: the operator, attributes, infos, and operands that are not tensors."""
    assert isinstance(call.op, tree.Op)
    attrs = tuple([alpha_structure(attr, None) for attr in call.attrs])
    given = [_info(info) for info in infos]
    return call.op.op_name, attrs, *given, _info(result), *[_written(arg) for arg in call.args]


def _info(info: tree.StructInfo | None) -> Hashable:
    match info:
        case None:
            return None
        case tree.TensorStructInfo(tree.ShapeExpr(values), dtype):
            return None if dtype is None else dtype.name, *[_dim(dim) for dim in values]
        case tree.TupleStructInfo(fields):
            return tree.TupleStructInfo, *[_info(field) for field in fields]
        case (
            tree.TensorStructInfo() | tree.ShapeStructInfo() | tree.PrimStructInfo() | tree.ObjectStructInfo()
            | tree.FuncStructInfo() | tree.MatchShapeInfo() | tree.MissingStructInfo()
        ):  # fmt: skip
            return alpha_structure(info, None)
        case _:
            return assert_never(info)


def _dim(dim: tree.PrimExpr) -> Hashable:
    return dim.name if isinstance(dim, tree.PrimVar) else alpha_structure(dim, None)


def _written(arg: tree.Expr) -> Hashable:
    """Return an argument, but for what is known of its tensors by their infos."""
    if isinstance(arg, tree.Var | tree.Constant):
        return None
    if isinstance(arg, tree.Tuple):
        return tree.Tuple, *[_written(field) for field in arg.fields]
    return alpha_structure(arg, None)
