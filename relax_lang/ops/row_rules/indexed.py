"""Rules of operators whose indices say where elements come from or go to."""

from __future__ import annotations

from relax_lang.ops.core.errors import OpError
from relax_lang.ops.row_rules.states import UNIFORM, Rows, RowsMixed
from relax_lang.ops.shape_rules.shared.dims import value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.row_rules.row_call import RowCall
    from relax_lang.ops.row_rules.states import State


def scatter_nd(call: RowCall) -> State:
    """Indices name places on the first axes; the axes behind those are written whole, and may have rows."""
    data, indices, updates = [call.rows(index) for index in range(3)]
    if data is None and indices is None and updates is None:
        return UNIFORM
    call.need(indices is None, "each row of the indices may name a place of any row")
    depth = value_of(call.dims(1)[-1])
    call.need(depth is not None, "it is not known how many axes its indices name")
    call.need(data is not None and updates is not None, "only some of its operands have rows")
    assert depth is not None
    assert data is not None
    call.need(data >= depth, "its indices may name any row")
    call.need(updates == data - depth + call.rank(1) - 1, "its operands have their rows along different axes")
    return Rows(data)


def index_put(call: RowCall) -> State:
    """There is an index for every axis, that of the rows as well."""
    has_rows = [*call.fields(1), call.rows(0), call.rows(2)]
    call.need(has_rows == [None] * len(has_rows), "its indices may name any row")
    return UNIFORM


def from_uniform(call: RowCall) -> State:
    """Samples are rows, of probabilities that are the same for all of them."""
    prob, *samples = [call.rows(index) for index in range(3)]
    if prob is None and samples == [None, None]:
        return UNIFORM
    call.need(prob is None, "each sample may take the probabilities of any row")
    call.need(samples == [0, 0], "only one of `uniform_sample` and `sample_indices` has rows")
    return Rows(0)


def layout_transform(call: RowCall) -> State:
    """An axis that the map passes on as it is may have rows, if it is used for no other."""
    from relax_lang.arith.evaluate import names_in
    from relax_lang.ops.attribute_syntax.index_map import read_index_map

    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    try:
        moved = read_index_map(str(call.attrs["index_map"]), call.rank(0))
    except OpError:
        raise RowsMixed("its index map cannot be read") from None
    name = moved.names[axis]
    used = [at for at, expr in enumerate(moved.exprs) if name in {one.name for one in names_in(expr)}]
    alone = len(used) == 1 and isinstance(moved.exprs[used[0]], tree.PrimVar)
    call.need(alone, f"its map does not pass on `{name}`, the number of the row, as it is")
    return Rows(used[0])


def class_loss_back(call: RowCall) -> State:
    """The gradient of `class_loss`: without a mean, each target moves its own predictions."""
    output, predictions, targets = call.rows(0), call.rows(1), call.rows(2)
    if output is None and predictions is None and targets is None:
        return UNIFORM
    call.need(call.attrs["reduction"] != "mean", "it divides by how many rows there are")
    call.need(predictions is not None and call.rank(1) > 1, "only the targets have rows")
    call.need(predictions != 1, "the rows are its classes")
    assert predictions is not None
    own = predictions - (predictions > 1)
    wanted = own if call.attrs["reduction"] == "none" else None
    call.need(targets == own and output == wanted, "its operands have their rows along different axes")
    return Rows(predictions)


def whole_loss(call: RowCall) -> State:
    """One number of all elements."""
    rows = [call.rows(index) for index in range(len(call.states))]
    call.need(all(axis is None for axis in rows), "it reduces over the rows")
    return UNIFORM


def class_loss(call: RowCall) -> State:
    """The losses of all targets, each of its own predictions; classes are axis 1."""
    predictions, targets = call.rows(0), call.rows(1)
    if predictions is None and targets is None:
        return UNIFORM
    call.need(call.attrs["reduction"] == "none", "it reduces over the rows")
    call.need(predictions is not None and call.rank(0) > 1, "only the targets have rows")
    call.need(predictions != 1, "the rows are its classes")
    assert predictions is not None
    own = predictions - (predictions > 1)
    call.need(targets == own, "its operands have their rows along different axes")
    return Rows(own)
