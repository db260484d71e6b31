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
from relax_lang.syntax import diagnostics as syntax_diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.check.infer.context.state import State

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
        made = _bad_field(node, len(info.fields))
        made.label(node.tuple_value, f"this is `{shown(info)}`")
    elif isinstance(info, tree.TensorStructInfo | tree.ShapeStructInfo):
        place = node.tuple_value if node.index >= 0 else node
        made = _not_a_tuple(state, place, node, info)
    elif node.index < 0:
        return  # the parser has reported it, and nothing more is known
    elif isinstance(info, tree.ObjectStructInfo) and node.index >= MANY_FIELDS:
        made = mismatch_diag.needs_match_cast(node.tuple_value, shown(info), "(Object, …)")
    elif isinstance(info, tree.ObjectStructInfo):
        fields = tuple([tree.ObjectStructInfo() for _ in range(node.index + 1)])
        expected = tree.TupleStructInfo(fields)
        made = mismatch_diag.needs_match_cast(node.tuple_value, shown(info), shown(expected))
        common.offer_cast(state, made, node.tuple_value, expected, CAST)
    else:
        made = _not_a_tuple(state, node.tuple_value, node, info)
    common.label_definition(state, made, node.tuple_value)
    common.report(state, made)


def missing_field(state: State, node: tree.MissingField, info: Info) -> None:
    """Report again what the parser could not read as the number of a field, if the kind of value explains it. [Y.8]"""
    if isinstance(info, tree.TupleStructInfo):
        made = syntax_diag.index_not_constant(_index_place(node), several=node.several)
        why = (
            ", which are taken one by one"
            if node.several
            else "; which one it is decides the type of the result"
        )
        made.helped(f"the tuple has {counted(len(info.fields), 'field')}{why}")
        made.label(node.tuple_value, f"this is `{shown(info)}`")
    elif isinstance(info, tree.TensorStructInfo | tree.ShapeStructInfo) and not node.several:
        made = _not_a_tuple(state, node, node, info)
    else:
        return
    common.label_definition(state, made, node.tuple_value)
    common.report(state, made)


def _bad_field(node: tree.TupleGetItem, count: int) -> Diagnostic:
    """Report an index that is not the number of a field of a tuple."""
    place, fields = _index_place(node), counted(count, "field")
    if node.index >= 0:
        return diag.tuple_index(place, f"index {node.index}, but the tuple has {fields}")
    found = syntax_diag.negative_index(place, str(node.index))
    if -count <= node.index:
        return found.replace(place, str(count + node.index), f"of {fields} it is `{count + node.index}`")
    return found.helped(f"the tuple has {fields}")


LONGEST_FORM = 60
"""The longest call, in characters, that a help repeats."""


def _not_a_tuple(
    state: State, place: tree.Expr, node: tree.TupleGetItem | tree.MissingField, info: Info
) -> Diagnostic:
    """Report brackets after a value without fields; offer what takes an element or an extent."""
    made = diag.not_a_tuple(place, f"only tuples can be indexed; this is `{shown(info)}`")
    index = node.index if isinstance(node, tree.TupleGetItem) else None
    if isinstance(info, tree.TensorStructInfo):
        _offer_take(state, made, node, info, index)
    elif isinstance(info, tree.ShapeStructInfo):
        _explain_extent(state, made, node, info.values or (), index)
    return made


def _offer_take(
    state: State,
    made: Diagnostic,
    node: tree.TupleGetItem | tree.MissingField,
    info: tree.TensorStructInfo,
    index: int | None,
) -> None:
    """Offer the operator that takes an element along the first axis of a tensor."""
    if state.context.rank_of(info) == 0 or not 0 <= node.pos == node.tuple_value.pos:  # it is in parentheses
        made.helped("use `take` or `strided_slice` to get elements of a tensor")
        return
    mode = ', mode="wrap"' if index is not None and index < 0 else ""
    edits = [Edit(node.pos, node.pos, "take(")]
    if index is not None and index >= 0:
        edits.append(Edit(node.tuple_value.end, node.end, f", {index}, axis=0)"))
    else:
        edits.append(Edit(node.tuple_value.end, node.index_pos, ", "))
        edits.append(Edit(node.index_end, node.end, f", axis=0{mode})"))
    text = state.module.text
    value = text[node.pos : node.tuple_value.end]
    shown_index = text[node.index_pos : node.index_end] if index is None else index
    form = f"take({value}, {shown_index}, axis=0{mode})"
    if len(form) > LONGEST_FORM or "\n" in form:
        form = f"take(…, {'…' if index is None else index}, axis=0{mode})"
    indices = "" if index is not None else ", if that is the number of an element, or several"
    made.fix(f"to take from a tensor, write `{form}`{indices}", *edits)


def _explain_extent(
    state: State, made: Diagnostic, node: tree.Expr, dims: Sequence[tree.PrimExpr], index: int | None
) -> None:
    """Write an extent by its name, where it is known under names that are visible; in an annotation as a dimension."""
    if index is not None and -len(dims) <= index < len(dims) and names_in([dims[index]]) <= state.shape_vars:
        form = show(dims[index])
        if state.module.origins.is_of_shape(node):
            made.replace(node, f"({form},)", f"that extent is `{form}`; the dimensions are `({form},)`")
        else:
            made.replace(node, f"scalar({form})", f"that extent is `{form}`; as a value, `scalar({form})`")
    else:
        made.helped("extents have names: `match_cast(s, Shape[(n, m)])` gives them some")


def _index_place(node: tree.TupleGetItem | tree.MissingField) -> Location:
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
