"""Sequences of tensors, which exist while a model is imported only: what is put in is what is taken out.

PyTorch writes `chunk`, `split`, `stack` and lists so. The number of tensors must be known, and so must positions.
"""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axis_of, bounded, imports
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.values import Sizes, TensorList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value

MOST = 1 << 12
"""Tensors of a sequence."""


def _members(node: Node) -> tuple[Value, ...]:
    found = node.input(0)
    if not isinstance(found, TensorList):
        raise Invalid("its first operand is not a sequence")
    return found.members


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
    members = _members(node)
    return members[_position(node, 1, len(members))]


@imports("SequenceLength")
def length(node: Node) -> Value:
    """The number of tensors."""
    return Sizes((dims.dim(len(_members(node))),), scalar=True)


@imports("ConcatFromSequence")
def concat(node: Node) -> Value:
    """The tensors one after the other along an axis, or along a new one."""
    b, members = node.builder, list(_members(node))
    if not members:
        raise Invalid("the sequence is empty")
    new = bool(node.int("new_axis", 0))
    axis = axis_of(node.int("axis"), len(members[0].dims) + int(new))
    if new:
        return b.op("stack", tuple([b.tensor(one) for one in members]), axis=axis)
    return node.apply("Concat", *members, axis=axis)


@imports("SplitToSequence")
def split(node: Node) -> Value:
    """Pieces of sizes that are given, or all of one size but the last; single places if none is given."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", 0), len(x.dims))
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
