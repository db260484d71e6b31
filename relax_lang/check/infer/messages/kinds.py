"""Messages about values of a wrong kind: conditions, indexed tuples, variables that are used as shapes."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.wording import counted
from relax_lang.check.diagnostics import kinds as diag
from relax_lang.check.diagnostics import mismatch as mismatch_diag
from relax_lang.check.infer.messages import common
from relax_lang.check.infer.messages.values import CAST
from relax_lang.format.lexemes import local_name
from relax_lang.format.printer import show
from relax_lang.ops.registry import lookup
from relax_lang.struct_info.bound_variables import names_in
from relax_lang.struct_info.printing import shown
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.check.infer.state import State

    Info = tree.StructInfo


MANY_FIELDS = 10
"""A tuple with more fields is not written out in a message; the index may be any number."""


def bad_condition(state: State, condition: tree.Expr, info: Info, expected: Info, castable: bool) -> None:
    """Report a condition that is not a scalar bool, or not known to be one. [T.K8] [ERR.41]"""
    if castable:
        made = mismatch_diag.needs_match_cast(condition, shown(info), shown(expected))
        common.offer_cast(state, made, condition, expected, CAST)
    else:
        made = diag.condition_not_bool(condition, f"the condition must be a scalar bool, not `{shown(info)}`")
        if isinstance(info, tree.TensorStructInfo) and info.dtype is not None and info.dtype.name == "bool":
            made.helped("`where(c, a, b)` chooses element by element; `all(c)` and `any(c)` give one bool")
    common.label_definition(state, made, condition)
    common.report(state, made)


def bad_index(state: State, node: tree.TupleGetItem, info: Info) -> None:
    """Report an index into a value that is not a tuple, or that has no such field. [T.K9] [D.9]"""
    if isinstance(info, tree.TupleStructInfo):
        fields = counted(len(info.fields), "field")
        made = diag.tuple_index(_index_place(node), f"index {node.index}, but the tuple has {fields}")
        made.label(node.tuple_value, f"this is `{shown(info)}`")
    elif isinstance(info, tree.ObjectStructInfo) and node.index >= MANY_FIELDS:
        made = mismatch_diag.needs_match_cast(node.tuple_value, shown(info), "(Object, …)")
    elif isinstance(info, tree.ObjectStructInfo):
        fields = tuple([tree.ObjectStructInfo() for _ in range(node.index + 1)])
        expected = tree.TupleStructInfo(fields)
        made = mismatch_diag.needs_match_cast(node.tuple_value, shown(info), shown(expected))
        common.offer_cast(state, made, node.tuple_value, expected, CAST)
    else:
        made = diag.not_a_tuple(node.tuple_value, f"only tuples can be indexed; this is `{shown(info)}`")
        if isinstance(info, tree.TensorStructInfo):
            if (
                0 <= node.pos == node.tuple_value.pos and state.context.rank_of(info) != 0
            ):  # not in parentheses
                after = Edit(node.tuple_value.end, node.end, f", {node.index}, axis=0)")
                title = f"to take from a tensor, write `take(…, {node.index}, axis=0)`"
                made.fix(title, Edit(node.pos, node.pos, "take("), after)
            else:
                made.helped("use `take` or `strided_slice` to get elements of a tensor")
        elif isinstance(info, tree.ShapeStructInfo):
            _explain_extent(state, made, node, info)
    common.label_definition(state, made, node.tuple_value)
    common.report(state, made)


def _explain_extent(
    state: State, made: Diagnostic, node: tree.TupleGetItem, info: tree.ShapeStructInfo
) -> None:
    """Write an extent by its name, where it is known under names that are visible."""
    dims = info.values or ()
    if 0 <= node.index < len(dims) and names_in([dims[node.index]]) <= state.shape_vars:
        form = show(dims[node.index])
        made.replace(node, f"scalar({form})", f"that extent is `{form}`; as a value, `scalar({form})`")
    else:
        made.helped("extents have names: `match_cast(s, Shape[(n, m)])` gives them some")


def _index_place(node: tree.TupleGetItem) -> Location:
    """Return the place of the index; of a tree built in Python, the whole expression."""
    return node if node.index_pos < 0 else (node.index_pos, node.index_end)


def no_shape(state: State, variable: tree.Var, info: Info) -> None:
    """Report a variable that is used as a shape and does not hold one. [W.13.d]"""
    value, origins = state.values.get(variable.name_hint), state.module.origins
    if isinstance(value, tree.Call) and isinstance(value.op, tree.Op):
        operator = lookup(value.op.op_name)
        if operator is not None and not operator.pure and origins.is_of_shape(origins.call(value)):
            return  # that it has effects is reported [B.12]
    name = local_name(variable.name_hint)
    made = diag.shape_var_not_a_shape(variable, f"`{name}` is `{shown(info)}`, not a shape")
    if isinstance(info, tree.TensorStructInfo):
        made.helped(f"its shape is `shape_of({name})`; dimensions are written `Tensor[(…)]`")
    common.label_definition(state, made, variable)
    common.report(state, made)
