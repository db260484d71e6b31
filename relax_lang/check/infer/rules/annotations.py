"""Annotations as the author wrote them: usable, or rejected on account of an error in them. [W.13.d] [W.17]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.context.state import State

    Info = tree.StructInfo


def checked_annotation(state: State, info: Info) -> Info:
    """Return an annotation, or `REJECTED` if something in it is wrong; its variables hold shapes. [W.13.d]"""
    kind = type(info)
    if kind is tree.MissingStructInfo:
        return REJECTED
    if kind is tree.TensorStructInfo:
        assert isinstance(info, tree.TensorStructInfo)
        return info if type(info.shape) is not tree.Var or _holds_shape(state, info.shape) else REJECTED
    if kind is tree.TupleStructInfo or kind is tree.FuncStructInfo:
        return info if _all_hold_shapes(state, info) else REJECTED
    return info


def _all_hold_shapes(state: State, info: Info) -> bool:
    right = True
    stack = [info]
    while stack:
        part = stack.pop()
        match part:
            case tree.TensorStructInfo():
                if type(part.shape) is tree.Var:
                    right = _holds_shape(state, part.shape) and right
            case tree.TupleStructInfo():
                stack += part.fields
            case tree.FuncStructInfo():
                stack += part.params or ()
                if part.ret is not None:
                    stack.append(part.ret)
            case tree.ShapeStructInfo() | tree.MatchShapeInfo() | tree.ObjectStructInfo():
                pass
            case tree.PrimStructInfo() | tree.MissingStructInfo():
                pass
            case _:
                assert_never(part)
    return right


def _holds_shape(state: State, variable: tree.Var) -> bool:
    info = state.infos.get(variable.name_hint, REJECTED)
    if type(info) is tree.ShapeStructInfo:
        return True
    if info is not REJECTED:
        from relax_lang.check.infer.messages import kinds as kind_messages  # only where something is wrong

        kind_messages.no_shape(state, variable, info)
    return False
