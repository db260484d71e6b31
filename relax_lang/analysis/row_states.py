"""Parts of the analysis of rows that look at one call or two states alone; see `row_independence`."""

from __future__ import annotations

from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.row_rules.states import Cause, Fields, Mixed, Rows, RowsMixed, Uniform
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.row_rules.states import State

IN_PLACE = "call_tir_inplace"


def targets_of(call: tree.Call, func: tree.PrimFunc, count: int) -> list[tree.PrimParam]:
    """Return the parameters of a PrimFunc that are its results; in place some are among the first `count`."""
    new = list(func.params[count:])
    if not isinstance(call.op, tree.Op) or call.op.op_name != IN_PLACE:
        return [one for one in new if isinstance(one, tree.Buffer)]
    given = attribute_values(call.attrs).get("inplace_indices", ())
    places: list[object] = [given] if isinstance(given, int) else list(given)
    found: list[tree.PrimParam] = []
    for place in places:
        if isinstance(place, int) and 0 <= place < count:
            found.append(func.params[place])
        elif new:
            found.append(new.pop(0))
    return found


def axes_of_rows(
    state: State, info: tree.StructInfo | None, given: tree.StructInfo | None
) -> list[tuple[int, Sequence[tree.PrimExpr], Sequence[tree.PrimExpr]]]:
    """Return the axis of rows of a parameter, its dimensions, and those of what it gets; of tuples, for each field."""
    if isinstance(state, Fields):
        if not isinstance(info, tree.TupleStructInfo) or not isinstance(given, tree.TupleStructInfo):
            raise RowsMixed("nothing is known of the fields of a tuple that it gets")
        return [
            one
            for parts in zip(state.fields, info.fields, given.fields, strict=True)
            for one in axes_of_rows(*parts)
        ]
    if not isinstance(state, Rows):
        return []
    shapes = [one.shape if isinstance(one, tree.TensorStructInfo) else None for one in (info, given)]
    own, theirs = shapes
    if not isinstance(own, tree.ShapeExpr) or not isinstance(theirs, tree.ShapeExpr):
        raise RowsMixed("the shape of a parameter of the function that it calls is not known")
    return [(state.axis, own.values, theirs.values)]


def all_uniform(states: Sequence[State]) -> bool:
    """Return whether none of some values has rows."""
    return all(isinstance(state, Uniform) for state in states)


def causes_of(state: State) -> list[Cause]:
    """Return the places where the rows of a value were mixed; those of its fields, too."""
    if isinstance(state, Mixed):
        return list(state.causes)
    if isinstance(state, Fields):
        return [cause for field in state.fields for cause in causes_of(field)]
    return []


def joined(a: State, b: State, place: tree.Binding) -> State:
    """Return what is known of the value of one of two branches."""
    if isinstance(a, Rows) and isinstance(b, Rows) and a.axis == b.axis:
        return a
    if isinstance(a, Uniform) and isinstance(b, Uniform):
        return a
    if isinstance(a, Fields) and isinstance(b, Fields):
        return Fields([joined(one, other, place) for one, other in zip(a.fields, b.fields, strict=True)])
    return Mixed([Cause(place, "its branches have their rows along different axes")])
