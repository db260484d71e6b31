"""Rules of operators that move elements: shapes, slices, indices, pieces."""

from __future__ import annotations

from relax_lang.arith.normal_form import polynomial_of
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.ops.row_rules.states import UNIFORM, Fields, Rows
from relax_lang.ops.shape_rules.shared.dims import value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.row_rules.row_call import RowCall
    from relax_lang.ops.row_rules.states import State


def reshape(call: RowCall) -> State:
    """Elements keep their order: a row stays together if as much lies in front of it as before."""
    axis = call.rows(0)
    if len(call.states) > 1:
        call.size(1)
    if axis is None:
        return UNIFORM
    before = call.dims(0)
    in_front, after = _product(call, before[:axis]), call.result_dims
    found = [at for at, dim in enumerate(after) if call.divided.occurs_in(dim)]
    call.need(len(found) == 1, "its result has no axis of rows, or more than one")
    call.need(
        _product(call, after[: found[0]]) == in_front,
        "the rows are not the first axis of what is put together, so that they do not stay together",
    )
    return Rows(found[0])


def _product(call: RowCall, dims: Sequence[tree.PrimExpr]) -> Polynomial:
    found = Polynomial.constant(1)
    for dim in dims:
        found *= polynomial_of(dim, call.site.context.facts.known)
    return found


def expand_dims(call: RowCall) -> State:
    """There are more axes of extent 1."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    added = call.numbers("axis")
    rank = call.rank(0) + len(added)
    new = {one % rank for one in added}
    return Rows([at for at in range(rank) if at not in new][axis])


def squeeze(call: RowCall) -> State:
    """There are fewer axes of extent 1."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(call.attrs["axis"] is not None, "without `axis` it may drop the axis of the rows")
    gone = call.axes(0, "axis")
    call.need(axis not in gone, "it drops the axis of the rows")
    return Rows(axis - len([one for one in gone if one < axis]))


def permute_dims(call: RowCall) -> State:
    """The axes have another order."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    order = call.axes(0, "axes") if call.attrs["axes"] is not None else tuple(range(call.rank(0)))[::-1]
    return Rows(order.index(axis))


def broadcast_to(call: RowCall) -> State:
    """Axes are added in front, and those of extent 1 repeated."""
    axis, dims, after = call.rows(0), call.dims(0), call.result_dims
    call.size(1)
    found = [at for at, dim in enumerate(after) if call.divided.occurs_in(dim)]
    call.need(len(found) < 2, "two axes of its result depend on how many rows there are")
    if not found:
        return UNIFORM
    own = found[0] - len(after) + len(dims)
    if axis is not None:
        call.need(axis == own, "it puts the rows along another axis")
    else:
        call.need(own < 0 or call.is_one(dims[own]), "`x` has places of its own along the axis of the rows")
    return Rows(found[0])


def concat(call: RowCall) -> State:
    """Tensors with the same rows are put together along another axis."""
    axes = call.fields(0)
    if not [axis for axis in axes if axis is not None]:
        return UNIFORM
    call.need(len(set(axes)) == 1, "only some of its operands have rows, or along different axes")
    axis = axes[0] or 0
    rank = len(call.fields_dims(0)[0])
    given = call.attrs["axis"]
    call.need(isinstance(given, int) and given % rank != axis, "it puts rows one after the other")
    return Rows(axis)


def stack(call: RowCall) -> State:
    """As `concat`, along a new axis."""
    axes = call.fields(0)
    if not [axis for axis in axes if axis is not None]:
        return UNIFORM
    call.need(len(set(axes)) == 1, "only some of its operands have rows, or along different axes")
    axis, given = axes[0] or 0, call.attrs["axis"]
    new = given % (len(call.fields_dims(0)[0]) + 1) if isinstance(given, int) else 0
    return Rows(axis + (new <= axis))


def split(call: RowCall) -> State:
    """Pieces along another axis."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis not in call.axes(0, "axis"), "it divides the rows")
    assert isinstance(call.result, tree.TupleStructInfo)
    return Fields([Rows(axis) for _ in call.result.fields])


def take(call: RowCall) -> State:
    """An axis is replaced by those of the indices: rows are rows of either."""
    data, indices, given = call.rows(0), call.rows(1), call.attrs["axis"]
    if data is None and indices is None:
        return UNIFORM
    call.need(data is None or indices is None, "each row of the indices may take any row of `x`")
    at = given % max(1, call.rank(0)) if isinstance(given, int) else 0
    if indices is not None:
        return Rows(at + indices)
    assert data is not None
    call.need(at != data, "it takes rows by their number")
    return Rows(data if data < at else data + call.rank(1) - 1)


def strided_slice(call: RowCall) -> State:
    """Parts of other axes are taken, or all rows from the first to the last."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    named = call.site.scalars(1) or ()
    places = [one.value % call.rank(0) for one in named if isinstance(one, tree.IntImm)]
    call.need(bool(places) and len(places) == len(named), "it is not known which axes it takes parts of")
    if axis in places:
        call.need(_takes_all(call, places.index(axis), call.dims(0)[axis]), "it takes some of the rows")
        call.size(3)
    return Rows(axis)


def _takes_all(call: RowCall, at: int, extent: tree.PrimExpr) -> bool:
    """Return whether a slice goes from 0 to the extent of its axis, in steps of one."""
    begin, end = [call.site.scalars(index) or () for index in (2, 3)]
    steps = call.site.scalars(4) if call.site.given(4) else None
    if at >= min(len(begin), len(end)) or not call.site.equal(end[at], extent):
        return False
    return value_of(begin[at]) == 0 and (steps is None or (at < len(steps) and value_of(steps[at]) == 1))


def pad(call: RowCall) -> State:
    """Other axes are made longer."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    widths = call.numbers("pad_width")
    call.need(not any(widths[2 * axis : 2 * axis + 2]), "it adds rows")
    return Rows(axis)


def repeat(call: RowCall) -> State:
    """Places of another axis are repeated."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(call.attrs["axis"] is not None, "without `axis` it repeats the elements of all rows")
    call.need(axis not in call.axes(0, "axis"), "it repeats rows")
    return Rows(axis)


def tile(call: RowCall) -> State:
    """Other axes are repeated."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    times = call.numbers("repeats")
    more = len(times) - call.rank(0)
    at = axis + more
    call.need(at < 0 or times[at] == 1, "it repeats all rows")
    return Rows(max(axis, axis + more))


def reverse_sequence(call: RowCall) -> State:
    """Each place of `batch_axis` has a length of its own."""
    axis, lengths = call.rows(0), call.rows(1)
    if axis is None and lengths is None:
        return UNIFORM
    call.need(axis is not None, "only the lengths have rows")
    call.need(axis not in call.axes(0, "seq_axis"), "it reverses the rows")
    call.need((axis in call.axes(0, "batch_axis")) == (lengths == 0), "the lengths have no rows")
    assert axis is not None
    return Rows(axis)


def one_hot(call: RowCall) -> State:
    """Indices get one more axis."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    given = call.attrs["axis"]
    new = given % (call.rank(0) + 1) if isinstance(given, int) else 0
    return Rows(axis + (new <= axis))


def gather_nd(call: RowCall) -> State:
    """Rows are an axis of the batch, or rows of indices into what is the same for all."""
    data, indices = call.rows(0), call.rows(1)
    if data is None and indices is None:
        return UNIFORM
    shared = call.attrs["batch_dims"]
    assert isinstance(shared, int)
    if data is None:
        assert indices is not None
        call.need(shared <= indices < call.rank(1) - 1, "each row has indices for a part of `data` only")
        return Rows(indices)
    call.need(data == indices and data < shared, "each row of the indices may take any row of `data`")
    return Rows(data)


def same_rows(call: RowCall) -> State:
    """All tensors have the same rows, and places along another axis are picked or replaced."""
    tensors = [index for index, param in enumerate(call.site.operator.params) if param.kind == "tensor"]
    axes = {call.rows(index) for index in tensors}
    if axes == {None}:
        return UNIFORM
    axis = call.rows(0)
    call.need(axis is not None and len(axes) == 1, "only some of its operands have rows")
    call.need(axis not in call.axes(0, "axis"), "it works along the axis of the rows")
    assert axis is not None
    return Rows(axis)


def first_axis(call: RowCall) -> State:
    """The first axis is left alone."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis == 0, "only its first axis stays as it is")
    return Rows(0)


def but_three(call: RowCall) -> State:
    """All axes but the last three are left alone."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis < call.rank(0) - 3, "it moves places between its last three axes")
    return Rows(axis)
