"""Expressions, by node class of the normal form: the info of the value, and its provenance. [T.K2-T.K9] [D.2-D.11]"""

from __future__ import annotations

from relax_lang.base.node import unreachable
from relax_lang.check.infer.context.module_state import PROVEN
from relax_lang.check.infer.rules.bindings import derive_body, derive_branch
from relax_lang.check.infer.rules.calls import derive_call
from relax_lang.check.infer.rules.constants import derive_constant
from relax_lang.check.infer.rules.dispatch import derive, derive_all, install
from relax_lang.check.infer.rules.functions import derive_unnamed, value_of_global
from relax_lang.struct_info.context import REJECTED
from relax_lang.struct_info.join import join
from relax_lang.struct_info.match_casts import needs_match_cast
from relax_lang.struct_info.types import PACKED
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.context.module_state import Derived
    from relax_lang.check.infer.context.state import State

    Info = tree.StructInfo

_ANYTHING = tree.ObjectStructInfo()
SCALAR_BOOL = tree.TensorStructInfo(tree.ShapeExpr(()), tree.DType("bool"), None)
"""The info of a condition. [T.K8]"""


def _variable(state: State, node: tree.Var) -> Derived:
    # Γ(v), Δ(v); a variable without a definition was reported. [T.K2] [D.2]
    name = node.name_hint
    if name in state.literals:
        state.module.doubted.add(state.literals[name].node)
    return state.infos.get(name, REJECTED), state.trust_in(name)


def _tuple(state: State, node: tree.Tuple) -> Derived:
    # The infos of the fields. [T.K5] [D.4]
    infos, trust = derive_all(state, node.fields)
    return tree.TupleStructInfo(tuple(infos), node.pos, node.end), trust


def _missing(_state: State, _node: tree.Missing) -> Derived:
    # Nothing is known of it, which was reported. [Z.5]
    return REJECTED, PROVEN


def _shape(_state: State, node: tree.ShapeExpr) -> Derived:
    # The dimensions themselves. [T.K4] [D.5]
    return tree.ShapeStructInfo(node.values, None, node.pos, node.end), PROVEN


def _extern(_state: State, _node: tree.ExternFunc) -> Derived:
    # A packed function with the derive function `default`. [T.K6] [D.10]
    return PACKED, PROVEN


def _prim_value(_state: State, _node: tree.PrimValue) -> Derived:
    # A scalar operand has no info of its own; operators look at the expression.
    return _ANYTHING, PROVEN


def _operator(_state: State, _node: tree.Op) -> Derived:
    # An operator can only be called; any other use was reported. [W.8]
    return REJECTED, PROVEN


def _tuple_get_item(state: State, node: tree.TupleGetItem) -> Derived:
    # The info of the field. [T.K9] [D.9]
    info, trust = derive(state, node.tuple_value)
    if type(info) is tree.TupleStructInfo and 0 <= node.index < len(info.fields):
        return info.fields[node.index], trust
    if info is not REJECTED:
        from relax_lang.check.infer.messages import (
            kinds as kind_messages,  # here and below: only where something is wrong
        )

        kind_messages.bad_index(state, node, info)
    return REJECTED, trust


def _missing_field(state: State, node: tree.MissingField) -> Derived:
    # The parser has reported it; what it is of decides what is meant.
    info, trust = derive(state, node.tuple_value)
    if info is not REJECTED:
        from relax_lang.check.infer.messages import kinds as kind_messages

        kind_messages.missing_field(state, node, info)
    return REJECTED, trust


def _if(state: State, node: tree.If) -> Derived:
    # The condition is a scalar bool; the join of the branches, each as the outside sees it. [T.K8] [D.6] [ERR.41]
    info, _ = derive(state, node.cond)
    if not _is_scalar_bool(state, info) and info is not REJECTED:
        from relax_lang.check.infer.messages import kinds as kind_messages

        kind_messages.bad_condition(
            state, node.cond, info, SCALAR_BOOL, needs_match_cast(info, SCALAR_BOOL, state.context)
        )
    one, trust_in_one = derive_branch(state, node, truth=True)
    other, trust_in_other = derive_branch(state, node, truth=False)
    joined = join(one, other, state.context)
    if joined is not one and joined is not other:
        from relax_lang.check.infer.rules.choices import chosen  # only where branches differ

        joined = chosen(state, node.cond, (one, other), joined)
        state.module.branches[node] = one, other
    return joined, max(trust_in_one, trust_in_other)


def _is_scalar_bool(state: State, info: Info) -> bool:
    if type(info) is tree.PrimStructInfo:
        return info.dtype.name == "bool"
    return (
        type(info) is tree.TensorStructInfo
        and info.dtype is not None
        and info.dtype.name == "bool"
        and state.context.rank_of(info) == 0
    )


install(
    {
        tree.Var: _variable,
        tree.DataflowVar: _variable,
        tree.GlobalVar: value_of_global,
        tree.Constant: derive_constant,
        tree.Tuple: _tuple,
        tree.ShapeExpr: _shape,
        tree.ExternFunc: _extern,
        tree.PrimValue: _prim_value,
        tree.Op: _operator,
        tree.TupleGetItem: _tuple_get_item,
        tree.MissingField: _missing_field,
        tree.If: _if,
        tree.SeqExpr: derive_body,
        tree.Call: derive_call,
        tree.Function: derive_unnamed,
        tree.BinaryOp: unreachable,
        tree.UnaryOp: unreachable,
        tree.Missing: _missing,
    }
)
