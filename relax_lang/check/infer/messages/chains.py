"""What a changed dtype asks of the rest of an expression: `x * 2 + 1` has one mistake, and one change. [OP.7]"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import assert_never, unreachable
from relax_lang.check.infer.messages import common, conversions
from relax_lang.format.printer import show
from relax_lang.ops.registry import lookup
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.base.diagnostic import Fix
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import Where

    Infos = Sequence[tree.StructInfo | None]


def extend(
    state: State, call: tree.Call, infos: Infos, wheres: Iterable[Where], dtype: str, fix: Fix
) -> None:
    """Add to a fix that gives arguments another dtype what the expression around the call needs then.

    Literals without a dtype are written in the new one. What else does not fit is left: it is reported when the fix
    was applied.
    """
    result = _result(state, call, _with_dtype(infos, wheres, dtype))
    users = common.index_of(state).users_of(state.function)
    while result is not None:
        user = users.get((call.pos, call.end))
        if user is None:
            return
        own = [_info_of(state, arg, call, result, dtype) for arg in user.args]
        result = _result(state, user, own)
        if result is None:
            result = _with_literals(state, user, own, dtype, fix) or _with_casts(state, user, own, dtype, fix)
        call = user


def _with_literals(
    state: State, call: tree.Call, infos: Infos, dtype: str, fix: Fix
) -> tree.StructInfo | None:
    """Write the bare numbers of a call in another dtype; return what it gives then, if they fit."""
    texts: dict[int, str] = {}
    for at, arg in enumerate(call.args):
        literal = conversions.bare_dtype(arg)
        text = None if literal in (None, dtype) else conversions.literal(show(arg), literal, dtype)
        if text is not None:
            texts[at] = text
    result = _result(state, call, _with_dtype(infos, texts, dtype)) if texts else None
    if result is not None:
        fix.add([Edit(call.args[at].pos, call.args[at].end, text) for at, text in texts.items()])
    return result


def _with_casts(state: State, call: tree.Call, infos: Infos, dtype: str, fix: Fix) -> tree.StructInfo | None:
    """Convert the arguments of a call that are of a narrower dtype; return what it gives then, if they fit."""
    narrower = [at for at, info in enumerate(infos) if conversions.widens(info, dtype)]
    result = _result(state, call, _with_dtype(infos, narrower, dtype)) if narrower else None
    changes = [conversions.conversion(state, call.args[at], dtype) for at in narrower]
    if result is None or None in changes:
        return None
    fix.add([edit for change in changes if change is not None for edit in change[0]])
    return result


def _result(state: State, call: tree.Call, infos: Infos) -> tree.StructInfo | None:
    """Return what a call gives for arguments of these infos, None if they do not fit."""
    operator = lookup(call.op.op_name) if isinstance(call.op, tree.Op) else None
    if operator is None or state.module.is_rejected(call):  # rules rely on attributes that are as declared
        return None
    result, findings = infer_call(operator, call, infos, state.context, [])
    return None if findings or result is REJECTED else result


def _info_of(
    state: State, arg: tree.Expr, call: tree.Call, result: tree.StructInfo, dtype: str
) -> tree.StructInfo | None:
    """Return the info of an argument, where `result` is that of the call.

    What is bound after the call is not known yet; it is taken for a tensor of that dtype.
    """
    match arg:
        case tree.Var():
            if (arg.pos, arg.end) == (call.pos, call.end):
                return result
            return state.infos.get(arg.name_hint) or tree.TensorStructInfo(None, tree.DType(dtype), None)
        case tree.Constant():
            if isinstance(arg.data, tree.FileLit):
                return tree.ObjectStructInfo()
            dims = tuple([tree.IntImm(size) for size in constant_shape(arg)])
            return tree.TensorStructInfo(tree.ShapeExpr(dims), tree.DType(constant_dtype(arg)), None)
        case tree.Tuple():
            fields = [_info_of(state, field, call, result, dtype) for field in arg.fields]
            return tree.TupleStructInfo(tuple([field or tree.ObjectStructInfo() for field in fields]))
        case tree.ShapeExpr():
            return tree.ShapeStructInfo(arg.values, None)
        case tree.PrimValue():
            return None
        case tree.GlobalVar() | tree.ExternFunc() | tree.Op() | tree.Missing() | tree.MissingField():
            return tree.ObjectStructInfo()
        case tree.DataflowVar() | tree.If() | tree.Call() | tree.Function() | tree.TupleGetItem():
            return unreachable(arg)  # not an operand
        case tree.SeqExpr() | tree.BinaryOp() | tree.UnaryOp():
            return unreachable(arg)  # not in the normal form
        case _:
            return assert_never(arg)


def _with_dtype(infos: Infos, wheres: Iterable[Where], dtype: str) -> list[tree.StructInfo | None]:
    """Return infos in which some arguments have another dtype."""
    changed = list(infos)
    for where in wheres:
        index = where if isinstance(where, int) else where[0]
        info = changed[index]
        if isinstance(where, int):
            changed[index] = None if info is None else _converted(info, dtype)
        elif isinstance(info, tree.TupleStructInfo):
            fields = list(info.fields)
            fields[where[1]] = _converted(fields[where[1]], dtype)
            changed[index] = tree.TupleStructInfo(tuple(fields))
    return changed


def _converted(info: tree.StructInfo, dtype: str) -> tree.StructInfo:
    if isinstance(info, tree.PrimStructInfo):
        return tree.PrimStructInfo(tree.DType(dtype))
    if isinstance(info, tree.TensorStructInfo):
        return tree.TensorStructInfo(info.shape, tree.DType(dtype), info.ndim)
    return info
