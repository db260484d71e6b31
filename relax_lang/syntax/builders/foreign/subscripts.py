"""Subscripts that are not the field of a tuple: what NumPy and PyTorch write for parts of a tensor. [G.33] [Y.7]"""

from __future__ import annotations

from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.word_lists import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.syntax.builders.parts import PartBuilder

NEW_AXIS = ("None", "newaxis")
ELLIPSIS = "..."
LONG = 80
"""Characters that a help may have."""
FAR = str(2**63 - 1)
"""As the end of a slice: behind the last element."""


class Slice:
    """`begin:end:stride` in brackets; None for what is not written."""

    __slots__ = ("begin", "end", "pos", "stop", "stride")

    def __init__(
        self,
        pos: int,
        end: int,
        begin: tree.Expr | None,
        stop: tree.Expr | None,
        stride: tree.Expr | None,
    ) -> None:
        self.pos = pos
        self.end = end
        self.begin = begin
        self.stop = stop
        self.stride = stride

    def bounds(self) -> list[tree.Expr]:
        """Return what is written in it."""
        return [one for one in (self.begin, self.stop, self.stride) if one is not None]


def field_index(index: tree.Expr | Slice) -> int | None:
    """Return the number of a field; None for another subscript."""
    if type(index) is tree.Constant and type(index.data) is tree.IntLit and index.dtype is None:
        return index.data.value
    return None


def settle(
    builder: PartBuilder, pos: int, end: int, value: tree.Expr, indices: Sequence[tree.Expr | Slice]
) -> tree.Call | tree.TupleGetItem | tree.MissingField:
    """Report a subscript that is not the number of a field; what is returned has what it is applied to.

    Only `check` knows whether that is a tensor or a tuple: it reports a single index again, with a fix, and what
    is a tuple.
    """
    missing = tree.Missing(pos, pos)
    if not indices:
        builder.report(diag.syntax((end - 1, end), "the number of a field is missing"))
        return tree.Call(missing, (value,), (), None, pos, end)
    if type(value) is tree.Var and value.name_hint in STRUCT_INFOS:
        found = diag.syntax(value, "a struct info is not a value")
        written = builder.text[pos:end]
        found.data["result"] = written
        builder.infos_as_values = True
        builder.report(found.helped(f"what a call returns is written after it: `f(x) -> {written}`"))
        return tree.Call(missing, (), (), None, pos, end)
    place = (indices[0].pos, indices[-1].end)
    only = indices[0] if len(indices) == 1 and not isinstance(indices[0], Slice) else None
    if only is not None and (_number(only) or 0) < 0:
        found = diag.negative_index(place, builder.text[slice(*place)])
    else:
        found = diag.index_not_constant(place, several=only is None)
    meant = _meant(builder, builder.text[value.pos : value.end], indices)
    help_ = "parts of a tensor are taken with `take` and `strided_slice`"
    if meant is not None and len(meant) <= LONG:
        help_ = f"of a tensor, write `{meant}`"
    found.helped(help_)
    if meant is not None and only is None:  # else it may be a tuple as well
        found.replace((pos, end), meant, help_)
    builder.report(found)
    if only is None:
        return tree.MissingField(value, True, pos, end, *place)
    if _is_new_axis(only):
        return tree.Call(missing, (value,), (), None, pos, end)
    number = _number(only)
    if number is None or number >= 0:  # `x[i]`, `x[0,]`
        return tree.MissingField(value, False, pos, end, *place)
    return tree.TupleGetItem(value, number, pos, end, *place)


class _Parts:
    """What the subscripts of one tensor ask for. Axes after `...` are counted from the end, so they are negative."""

    def __init__(self) -> None:
        self.axes: list[int] = []
        self.bounds: list[tuple[str, str, str]] = []
        self.reversed: list[int] = []
        self.taken: list[tuple[int, str]] = []
        self.new_axes: list[int] = []

    def of(self, text: str) -> str:
        """Return the calls that take these parts of a tensor."""
        if self.axes:
            begins, stops, strides = zip(*self.bounds, strict=True)
            last = f", {_tuple(strides)}" if set(strides) != {"1"} else ""
            text = f"strided_slice({text}, {_tuple(map(str, self.axes))}, {_tuple(begins)}, {_tuple(stops)}{last})"
        for axis in self.reversed:
            text = f"flip({text}, axis={axis})"
        from_start = [one for one in self.taken if one[0] >= 0]
        for axis, index in from_start[::-1] + [one for one in self.taken if one[0] < 0]:
            mode = ', mode="wrap"' if index.startswith("-") else ""
            text = f"take({text}, {index}, axis={axis}{mode})"  # one that is gone moves no other
        if self.new_axes:
            text = f"expand_dims({text}, axis=[{', '.join(map(str, self.new_axes))}])"
        return text


def _meant(builder: PartBuilder, text: str, indices: Sequence[tree.Expr | Slice]) -> str | None:
    """Return the operators that take such a part of a tensor; None where operands would have to be known."""
    parts = _Parts()
    axis = position = 0  # of the tensor, of the result
    for at, index in enumerate(indices):
        name = index.name_hint if type(index) is tree.Var else ""
        if name == ELLIPSIS:
            if axis < 0:
                return None
            after = indices[at + 1 :]
            axis = -sum(not _is_new_axis(one) for one in after)
            position = -sum(isinstance(one, Slice) or _is_new_axis(one) for one in after)
            continue
        if _is_new_axis(index):
            parts.new_axes.append(position)
            position += 1
            continue
        if isinstance(index, Slice):
            if not _add_slice(builder, parts, axis, index):
                return None
            position += 1
        else:
            parts.taken.append((axis, _source(builder, index)))
        axis += 1
    if sum(not one.lstrip("-").isdigit() for _, one in parts.taken) > 1:
        return None  # several tensors of indices are taken together
    return parts.of(text)


def _add_slice(builder: PartBuilder, parts: _Parts, axis: int, index: Slice) -> bool:
    """Note what is taken along an axis; return False for what only NumPy can say in one expression."""
    if any(_number(one) is None and not _is_dimension(one) for one in index.bounds()):
        return False
    stride = 1 if index.stride is None else _number(index.stride)
    if stride == -1 and index.begin is index.stop is None:
        parts.reversed.append(axis)
    elif stride == -1 and index.stop is None and (last := _number(index.begin)) is not None and last >= 0:
        parts.axes.append(axis)  # `x[2::-1]`: the first three, backwards
        parts.bounds.append(("0", str(last + 1), "1"))
        parts.reversed.append(axis)
    elif stride is None or stride < 1:
        return False
    elif index.stop is not None or stride != 1 or (index.begin is not None and _number(index.begin) != 0):
        begin = "0" if index.begin is None else _source(builder, index.begin)
        stop = FAR if index.stop is None else _source(builder, index.stop)
        parts.axes.append(axis)
        parts.bounds.append((begin, stop, str(stride)))
    return True


def _is_new_axis(index: tree.Expr | Slice) -> bool:
    return type(index) is tree.Var and index.name_hint in NEW_AXIS


def _number(node: tree.Expr | None) -> int | None:
    if type(node) is tree.UnaryOp and node.op == "-":
        number = field_index(node.operand)
        return None if number is None else -number
    return None if node is None else field_index(node)


def _is_dimension(node: tree.Expr) -> bool:
    """May this be a dimension? Only names and what is computed from them and numbers."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if type(one) is tree.BinaryOp and one.op in ("+", "-", "*", "//", "%"):
            waiting += [one.lhs, one.rhs]
        elif type(one) is not tree.Var and field_index(one) is None:
            return False
    return True


def _source(builder: PartBuilder, node: tree.Expr) -> str:
    return builder.text[node.pos : node.end]


def _tuple(texts: Iterable[str]) -> str:
    written = list(texts)
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"
