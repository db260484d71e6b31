"""Rules of operators that compute element by element, along some axes, or by axis."""

from __future__ import annotations

from relax_lang.ops.row_rules.states import UNIFORM, Fields, Rows
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.row_rules.row_call import RowCall
    from relax_lang.ops.row_rules.states import State


def elementwise(call: RowCall) -> State:
    """Operands are broadcast: their rows lie along one axis, counted from the back."""
    found: int | None = None
    for index, param in enumerate(call.site.operator.params):
        if param.kind != "tensor" or not call.site.given(index):
            continue
        axis = call.rows(index)
        if axis is not None:
            back = axis - call.rank(index)
            call.need(found in (None, back), "its operands have their rows along different axes")
            found = back
    if found is None:
        return UNIFORM
    for index, param in enumerate(call.site.operator.params):
        if param.kind == "tensor" and call.site.given(index) and call.rows(index) is None:
            dims = call.dims(index)
            broadcast = len(dims) < -found or call.is_one(dims[found])
            call.need(broadcast, f"{call.name(index)} has places of its own along the axis of the rows")
    return _for_each(call.result, Rows(_result_rank(call) + found))


def _result_rank(call: RowCall) -> int:
    ranks = [
        call.rank(index)
        for index, param in enumerate(call.site.operator.params)
        if param.kind == "tensor" and call.site.given(index)
    ]
    return max(ranks)


def _for_each(result: tree.StructInfo, state: State) -> State:
    """Return the state of a result whose fields, if it is a tuple, are all alike."""
    if isinstance(result, tree.TupleStructInfo):
        return Fields([_for_each(field, state) for field in result.fields])
    return state


def per_place(call: RowCall) -> State:
    """Each place of the first operand is looked up or compared by itself; the rest is the same for all of them."""
    axis = call.rows(0)
    return UNIFORM if axis is None else Rows(axis)


def per_channel(call: RowCall) -> State:
    """The first operand is computed element by element, with parameters along one axis."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis not in call.axes(0, "axis"), "its parameters lie along the axis of the rows")
    return Rows(axis)


def along_axis(call: RowCall) -> State:
    """Places along `axis` are combined, and each has a result."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis not in call.axes(0, "axis"), "it works along the axis of the rows")
    return _for_each(call.result, Rows(axis))


def over_axes(call: RowCall) -> State:
    """Places along `axes` are normalized together."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis not in call.axes(0, "axes"), "it normalizes over the rows")
    if "channel_axis" in call.attrs:
        call.need(axis not in call.axes(0, "channel_axis"), "the rows are its channels")
    return Rows(axis)


def reduction(call: RowCall) -> State:
    """Places along `axis` become one, whose axis is kept if asked."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    gone = call.axes(0, "axis")
    call.need(axis not in gone, "it reduces over the rows")
    if not call.attrs["keepdims"]:
        axis -= len([one for one in gone if one < axis])
    return _for_each(call.result, Rows(axis))


def batch_norm(call: RowCall) -> State:
    """As `per_channel`, but for training, where mean and variance are taken over all rows."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(not call.attrs["training"], "it takes mean and variance over all rows, as for training")
    call.need(axis not in call.axes(0, "axis"), "the rows are its channels")
    return Fields([Rows(axis), UNIFORM, UNIFORM])


def last_two(call: RowCall) -> State:
    """Matrices are the last two axes."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis < call.rank(0) - 2, "the rows are an axis of its matrices")
    return Rows(axis)


def filled(call: RowCall) -> State:
    """A shape is filled with one value."""
    call.size(0)
    found = [at for at, dim in enumerate(call.result_dims) if call.divided.occurs_in(dim)]
    call.need(len(found) < 2, "two axes depend on how many rows there are")
    return Rows(found[0]) if found else UNIFORM


def shape_of(call: RowCall) -> State:
    """Only the shape counts; `states.SIZES` if rows are among it."""
    from relax_lang.ops.row_rules.states import SIZES

    return UNIFORM if call.rows(0) is None else SIZES
