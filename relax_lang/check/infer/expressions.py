"""What is known of the value of an expression, by node class of the normal form. [T.K2-T.K9] [D.2-D.11]"""

from __future__ import annotations

from relax_lang.check.infer.bindings import derive_body, derive_branch
from relax_lang.check.infer.calls import derive_call
from relax_lang.check.infer.constants import derive_constant
from relax_lang.check.infer.dispatch import EXPRESSIONS, derive
from relax_lang.check.infer.functions import derive_unnamed, value_of_global
from relax_lang.check.infer.state import PROVEN
from relax_lang.struct_info.context import REJECTED
from relax_lang.struct_info.join import join
from relax_lang.struct_info.match_casts import needs_match_cast
from relax_lang.struct_info.types import PACKED
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.state import State

    Info = tree.StructInfo

_ANYTHING = tree.ObjectStructInfo()
SCALAR_BOOL = tree.TensorStructInfo(tree.ShapeExpr(()), tree.DType("bool"), None)
"""What a condition is. [T.K8]"""


def _variable(state: State, node: tree.Var) -> Info:
    # Γ(v), Δ(v); what has no definition here was reported. [T.K2] [D.2]
    name = node.name_hint
    state.trust = max(state.trust, state.trust_in(name))
    if name in state.literals:
        state.module.doubted.add(state.literals[name].node)
    return state.infos.get(name, REJECTED)


def _tuple(state: State, node: tree.Tuple) -> Info:
    # The infos of the fields. [T.K5] [D.4]
    if not node.fields and state.module.errors.spans and state.module.text[node.pos : node.pos + 1] != "(":
        return REJECTED  # it stands for a value that is missing in the text, which was reported
    return tree.TupleStructInfo(tuple([derive(state, field) for field in node.fields]), node.pos, node.end)


def _shape(state: State, node: tree.ShapeExpr) -> Info:
    # The dimensions themselves. [T.K4] [D.5]
    if state.module.errors.within(node):
        return REJECTED
    return tree.ShapeStructInfo(node.values, None, node.pos, node.end)


def _extern(_state: State, _node: tree.ExternFunc) -> Info:
    # A packed function with the derive function `default`. [T.K6] [D.10]
    return PACKED


def _prim_value(_state: State, _node: tree.PrimValue) -> Info:
    # A scalar operand has no info of its own; operators look at the expression.
    return _ANYTHING


def _operator(_state: State, _node: tree.Op) -> Info:
    # An operator is only called, which was reported. [W.8]
    return REJECTED


def _tuple_get_item(state: State, node: tree.TupleGetItem) -> Info:
    # The info of the field. [T.K9] [D.9]
    info = derive(state, node.tuple_value)
    if type(info) is tree.TupleStructInfo and node.index < len(info.fields):
        return info.fields[node.index]
    if info is not REJECTED:
        from relax_lang.check.infer.messages import (
            kinds as kind_messages,  # here and below: only where something is wrong
        )

        kind_messages.bad_index(state, node, info)
    return REJECTED


def _if(state: State, node: tree.If) -> Info:
    # The condition is a scalar bool; the join of the branches, each as the outside sees it. [T.K8] [D.6] [ERR.41]
    info = derive(state, node.cond)
    if not _is_scalar_bool(state, info) and info is not REJECTED:
        from relax_lang.check.infer.messages import kinds as kind_messages

        kind_messages.bad_condition(
            state, node.cond, info, SCALAR_BOOL, needs_match_cast(info, SCALAR_BOOL, state.context)
        )
    state.trust = PROVEN
    one = derive_branch(state, node, truth=True)
    trust, state.trust = state.trust, PROVEN
    other = derive_branch(state, node, truth=False)
    state.trust = max(trust, state.trust)
    return join(one, other, state.context)


def _is_scalar_bool(state: State, info: Info) -> bool:
    return (
        type(info) is tree.TensorStructInfo
        and info.dtype is not None
        and info.dtype.name == "bool"
        and state.context.rank_of(info) == 0
    )


EXPRESSIONS.update(
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
        tree.If: _if,
        tree.SeqExpr: derive_body,
        tree.Call: derive_call,
        tree.Function: derive_unnamed,
    }
)
