"""Sequences of tensors, which exist while a model is imported only: what is put in is what is taken out.

PyTorch writes `chunk`, `split`, `stack` and lists so. The number of tensors must be known, and so must positions,
except where the tensors are rows of one: those of an axis, or what the rounds of a loop put at the end of a sequence.
"""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axis_of, bounded, imports
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.values import GrowingList, Sizes, StackedList, TensorList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value

MOST = 1 << 12
"""Tensors of a sequence."""


def _members(node: Node) -> tuple[Value, ...]:
    found = node.input(0)
    if not isinstance(found, TensorList):
        raise Invalid("its first operand is not a sequence")
    if isinstance(found, GrowingList):
        raise Refused(
            "in the body of a loop, a sequence that it makes longer can only get tensors at its end; "
            "hand on as a state what a round reads"
        )
    if isinstance(found, StackedList):
        raise Refused(
            "the number of tensors in the sequence follows from data, so none is put in or taken out"
        )
    return found.members


def _rows(node: Node) -> Value | None:
    """Return the tensors of a sequence as rows of one, if their number is not known."""
    found = node.input(0)
    if not isinstance(found, StackedList):
        return None
    b = node.builder
    first = [b.op("expand_dims", one, axis=0) for one in found.members]
    return b.op("concat", (*[b.tensor(one) for one in first], found.rows), axis=0) if first else found.rows


def _made(members: list[Value]) -> TensorList:
    if len(members) > MOST:
        raise Refused(f"a sequence of more than {MOST} tensors")
    return TensorList(members)


def _position(node: Node, index: int, count: int, *, behind: bool = False) -> int:
    """Return a position from 0 on, a negative one counts from the end. `behind`: also that behind the last tensor.

    Raises Invalid, NeedsValue.
    """
    written = int(node.known(index, "the position").reshape(-1)[0])
    found = written + count if written < 0 else written
    if not 0 <= found < count + int(behind):
        raise Invalid(f"position {written} of a sequence of {count} tensors")
    return found


@imports("SequenceEmpty")
def empty(node: Node) -> Value:
    """No tensors."""
    del node
    return TensorList(())


@imports("SequenceConstruct")
def construct(node: Node) -> Value:
    """The operands."""
    return _made(node.inputs())


@imports("SequenceInsert")
def insert(node: Node) -> Value:
    """One more, before a position or at the end."""
    found = node.input(0)
    if isinstance(found, GrowingList) and not node.given(2):
        return GrowingList((*found.members, node.input(1)))
    if isinstance(found, StackedList) and not node.given(2):
        b = node.builder
        row = b.op("expand_dims", node.input(1), axis=0)
        return StackedList(found.members, b.op("concat", (found.rows, b.tensor(row)), axis=0))
    members = list(_members(node))
    at = _position(node, 2, len(members), behind=True) if node.given(2) else len(members)
    members.insert(at, node.input(1))
    return _made(members)


@imports("SequenceErase")
def erase(node: Node) -> Value:
    """All but the one at a position, or but the last."""
    members = list(_members(node))
    if not members:
        raise Invalid("the sequence is empty")
    del members[_position(node, 1, len(members)) if node.given(1) else -1]
    return TensorList(members)


@imports("SequenceAt")
def at_position(node: Node) -> Value:
    """The tensor at a position."""
    rows = _rows(node)
    if rows is not None:
        return node.apply("Gather", rows, node.builder.reshape(node.input(1), []), axis=0)
    members = _members(node)
    return members[_position(node, 1, len(members))]


@imports("SequenceLength")
def length(node: Node) -> Value:
    """The number of tensors."""
    rows = _rows(node)
    if rows is not None:
        return Sizes((rows.dims[0],), scalar=True)
    return Sizes((dims.dim(len(_members(node))),), scalar=True)


@imports("ConcatFromSequence")
def concat(node: Node) -> Value:
    """The tensors one after the other along an axis, or along a new one."""
    rows = _rows(node)
    if rows is not None:
        return _joined(node, rows)
    b, members = node.builder, list(_members(node))
    if not members:
        raise Invalid("the sequence is empty")
    new = bool(node.int("new_axis", 0))
    axis = axis_of(node.int("axis"), len(members[0].dims) + int(new))
    if new:
        return b.op("stack", tuple([b.tensor(one) for one in members]), axis=axis)
    return node.apply("Concat", *members, axis=axis)


def _joined(node: Node, rows: Value) -> Value:
    """Return rows one after the other along an axis, or along a new one."""
    b, new = node.builder, bool(node.int("new_axis", 0))
    rank = len(rows.dims) - 1
    axis = axis_of(node.int("axis"), rank + int(new))
    moved = b.transpose(rows, [*range(1, axis + 1), 0, *range(axis + 1, rank + 1)])
    if new:
        return moved
    found = list(moved.dims)
    return b.reshape(moved, [*found[:axis], dims.mul(found[axis], found[axis + 1]), *found[axis + 2 :]])


@imports("SplitToSequence")
def split(node: Node) -> Value:
    """Pieces of sizes that are given, or all of one size but the last; single places if none is given."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", 0), len(x.dims))
    if not node.given(1) and dims.number(x.dims[axis]) is None:
        rows = b.transpose(x, [axis, *[at for at in range(len(x.dims)) if at != axis]])
        kept = node.int("keepdims", 1)
        return StackedList((), b.tensor(b.op("expand_dims", rows, axis=axis + 1) if kept else rows))
    sizes = _sizes(node, x.dims[axis])
    bounded(len(sizes))
    if not sizes:
        return TensorList(())
    pieces: list[Value] = [x]
    if len(sizes) > 1:
        places = [sum(sizes[: at + 1]) for at in range(len(sizes) - 1)]
        pieces = b.op("split", b.tensor(x), indices_or_sections=places, axis=axis)
    if not node.given(1) and not node.int("keepdims", 1):
        pieces = [b.op("squeeze", one, axis=[axis]) for one in pieces]
    return _made(pieces)


def _sizes(node: Node, extent: dims.Dim) -> list[int]:
    """Return the sizes of the pieces. Raises NeedsValue, Refused."""
    given = node.known(1, "the sizes of the pieces") if node.given(1) else None
    if given is not None and given.ndim == 1:
        return [int(one) for one in given]
    total = dims.number(extent)
    if total is None:
        raise Refused(f"the number of tensors follows from the extent {dims.text([extent])[1:-1]}")
    each = 1 if given is None else int(given)
    if each <= 0 or -(-total // each) > MOST:
        raise Refused(f"a sequence of pieces of {each} of {total} places")
    return [min(each, total - start) for start in range(0, total, each)]
