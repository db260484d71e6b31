"""Rules of products, convolutions and other operators on batches."""

from __future__ import annotations

from relax_lang.ops.core.errors import OpError
from relax_lang.ops.row_rules.states import UNIFORM, Rows, RowsMixed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.row_rules.row_call import RowCall
    from relax_lang.ops.row_rules.states import State


def matmul(call: RowCall) -> State:
    """Rows are matrices of a batch, rows of the left one, or columns of the right one."""
    left, right = call.rows(0), call.rows(1)
    if left is None and right is None:
        return UNIFORM
    ranks = [call.rank(0), call.rank(1)]
    batch = max(*ranks, 2) - 2
    found: set[int] = set()
    for index, axis in ((0, left), (1, right)):
        if axis is not None:
            contracted = -1 if index == 0 or ranks[1] == 1 else -2
            call.need(axis - ranks[index] != contracted, f"it sums over the rows of {call.name(index)}")
            found.add(axis - ranks[index])
    call.need(len(found) == 1, "its operands have their rows along different axes")
    back = found.pop()
    if back >= -2:
        call.need(left is None or right is None, "each row of one operand meets all rows of the other")
        return Rows(batch if left is not None else batch + (ranks[0] > 1))
    for index, axis in ((0, left), (1, right)):
        if axis is None:
            dims = call.dims(index)
            alike = len(dims) < -back or call.is_one(dims[back])
            call.need(alike, f"{call.name(index)} has matrices of its own along the axis of the rows")
    return Rows(batch + back + 2)


def linear(call: RowCall) -> State:
    """The last axis is multiplied by weights."""
    axis = call.rows(0)
    if axis is None:
        return UNIFORM
    call.need(axis < call.rank(0) - 1, "it sums over the rows of `data`")
    if call.site.given(2):
        call.need(call.rows(2) is None and call.rank(2) < 2, "`bias` has more than one axis")
    return Rows(axis)


def einsum(call: RowCall) -> State:
    """The letter of the rows is one letter, which is in the result and in no operand without rows."""
    from relax_lang.ops.attribute_syntax.einsum import parse

    axes = call.fields(0)
    if not [axis for axis in axes if axis is not None]:
        return UNIFORM
    try:
        subscripts = parse(str(call.attrs["subscripts"]), len(axes))
    except OpError as refusal:
        raise RowsMixed(refusal.message) from None
    terms = [*subscripts.terms, subscripts.result]
    call.need(not [term for term in terms if term.dots], "it has `...`")
    pairs = list(zip(subscripts.terms, axes, strict=True))
    letters = {term.letters[axis] for term, axis in pairs if axis is not None}
    call.need(len(letters) == 1, "its operands have their rows along different axes")
    letter = letters.pop()
    call.need(letter in subscripts.result.letters, "it sums over the rows")
    for term, axis in pairs:
        call.need(
            term.letters.count(letter) == (axis is not None), "an operand has places of its own for rows"
        )
    return Rows(subscripts.result.letters.index(letter))


def images(call: RowCall, allowed: str = "NC") -> State:
    """Rows lie along a letter of the layout that is not spatial."""
    axis = call.rows(0)
    for index, param in enumerate(call.site.operator.params):
        if param.kind == "shape" and index:
            call.need(call.states[index] is UNIFORM, f"{call.name(index)} depends on how many rows there are")
    if axis is None:
        return UNIFORM
    attrs = call.attrs
    layout = str(attrs["data_layout"] if "data_layout" in attrs else attrs["layout"])
    after = str(attrs.get("out_layout") or "") or layout
    call.need(layout.isalpha() and after.isalpha(), f'the layout "{layout}" is in blocks')
    letter = layout[axis]
    call.need(letter in allowed, f"the rows lie along {letter} of the layout")
    return Rows(after.index(letter))


def pooled_back(call: RowCall) -> State:
    """The gradient of a pooling, whose result and operand have their rows along one letter that is not spatial."""
    result, data = call.rows(0), call.rows(1)
    if result is None and data is None:
        return UNIFORM
    call.need(result is not None and data is not None, "only one of its operands has rows")
    assert result is not None
    assert data is not None
    layout = str(call.attrs["layout"])
    after = str(call.attrs.get("out_layout") or "") or layout
    call.need(layout.isalpha() and after.isalpha(), f'the layout "{layout}" is in blocks')
    call.need(layout[data] == after[result], "its operands have their rows along different axes")
    call.need(layout[data] in "NC", f"the rows lie along {layout[data]} of the layout")
    return Rows(data)


def convolution(call: RowCall) -> State:
    """Only images of a batch are apart."""
    return images(call, "N")


def batch(call: RowCall) -> State:
    """All operands that are tensors have their rows along the first axis, or none has rows."""
    tensors = [
        index
        for index, param in enumerate(call.site.operator.params)
        if param.kind == "tensor" and call.site.given(index)
    ]
    axes = {call.rows(index) for index in tensors}
    if axes == {None}:
        return UNIFORM
    call.need(axes == {0}, "only some of its operands have rows, or not along their first axis")
    return Rows(0)


def attention(call: RowCall) -> State:
    """Queries, keys and values have their rows along the first axis; a bias may be the same for all."""
    axes = {call.rows(index) for index in range(3)}
    bias = call.rows(3) if len(call.states) > 3 and call.site.given(3) else None
    if axes == {None} and bias is None:
        return UNIFORM
    call.need(axes == {0}, "only some of its operands have rows, or not along their first axis")
    if len(call.states) > 3 and call.site.given(3):
        dims = call.dims(3)
        full = len(dims) == call.rank(0)
        call.need(
            bias == 0 or (bias is None and (not full or call.is_one(dims[0]))),
            "`bias` has places of its own along the axis of the rows",
        )
        call.need(bias is None or full, "`bias` has its rows along another axis")
    return Rows(0)
