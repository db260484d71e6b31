"""What PrimFuncs need for intermediate results, and which of their arrays can be one."""

from __future__ import annotations

from collections import Counter

from relax_lang.analysis.prim_funcs.element_by_element import read_where_stored
from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.prover import EQUAL, compare, prove
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import bytes_of
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.ir.views import has_views
from relax_lang.tir.whole_arrays import whole_arrays
from relax_lang.transform.core.rebuild import Rewriting, copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.node import Node


class Workspace:
    """The arrays that a PrimFunc may be given instead of allocating them.

    `arrays` are the buffers that become parameters, `shared` has for each `alloc` that goes away the name of the
    buffer that takes its place, `views` for each that becomes a view the buffer with its first elements, and `kept`
    says why others stay.
    """

    __slots__ = ("arrays", "func", "kept", "shared", "views")

    def __init__(
        self,
        func: tree.PrimFunc,
        arrays: list[tree.Buffer],
        shared: dict[str, str],
        views: dict[str, tree.Buffer],
        kept: list[tuple[Node, str]],
    ) -> None:
        self.func = func
        self.arrays = arrays
        self.shared = shared
        self.views = views
        self.kept = kept

    def taken(self, name: str) -> tree.PrimFunc:
        """Return a private PrimFunc that takes the arrays after its other parameters."""

        def change(node: Any) -> Any:
            if isinstance(node, tree.PrimVar) and node.name in self.shared:
                return tree.PrimVar(self.shared[node.name], node.pos, node.end)
            return node

        func = self.func
        body: list[tree.Stmt] = []
        for statement in func.body:
            allocated = statement.buffer if isinstance(statement, tree.Allocate) else None
            if allocated is None:
                body.append(Rewriting(change).of(statement))
            elif allocated.name in self.views:
                body.append(_first_elements(allocated, self.views[allocated.name]))
            elif allocated.name not in self.shared:
                body.append(statement)
        params = (*func.params, *[copied(array) for array in self.arrays])
        return tree.PrimFunc(
            tree.GlobalVar(name, func.name.pos, func.name.end), True, params, func.attrs, tuple(body), None, None,
            func.pos, func.end,
        )  # fmt: skip


def workspace_of(func: tree.PrimFunc, least: int) -> Workspace | None:
    """Return what callers may give to a PrimFunc of what it allocates; None if it allocates nothing of the kind.

    These are arrays of at least `least` bytes, or of an unknown number, which its outermost statements allocate as a
    whole, in sizes that its parameters have.
    """
    found = [one for one in func.body if isinstance(one, tree.Allocate) and _may_be_given(one, least)]
    if not found or func.ret_dtype is not None or has_views(func):
        return None
    declared = _declarations(func)
    sizes = {name for one in buffers(func) for name in _names(one)}
    given = {
        one.buffer: made
        for one in found
        if declared[one.buffer.name] == 1 and _names(one.buffer) <= sizes
        for made in [_as_parameter(one.buffer)]
        if made is not None
    }
    whole = whole_arrays(func) if given else set[tree.Buffer]()
    kept: list[tuple[Node, str]] = [
        (buffer, f"`{buffer.name}` is never made as a whole: the compiled PrimFunc works on blocks of it")
        for buffer in given
        if buffer not in whole
    ]
    return _shared(func, [made for buffer, made in given.items() if buffer in whole], kept)


def _as_parameter(buffer: tree.Buffer) -> tree.Buffer | None:
    """Return a buffer with dimensions as callers can write them; None if there is no such form."""
    dims: list[tree.PrimExpr] = []
    for dim in buffer.shape:
        made = _dimension(dim)
        if made is None:
            return None
        dims.append(made)
    return tree.Buffer(buffer.name, tuple(dims), buffer.dtype, buffer.pos, buffer.end)


def _dimension(size: tree.PrimExpr) -> tree.PrimExpr | None:
    if isinstance(size, tree.IntImm):
        wide = size.dtype is None or size.dtype.name == "int64"
        return tree.IntImm(size.value, pos=size.pos, end=size.end) if wide else None
    if isinstance(size, tree.PrimVar):
        return tree.PrimVar(size.name, size.pos, size.end)
    if not isinstance(
        size, tree.Add | tree.Sub | tree.Mul | tree.FloorDiv | tree.FloorMod | tree.Min | tree.Max
    ):
        return None
    left, right = _dimension(size.a), _dimension(size.b)
    return None if left is None or right is None else type(size)(left, right, size.pos, size.end)


def _may_be_given(statement: tree.Allocate, least: int) -> bool:
    if statement.attrs or statement.scope not in (None, "global"):
        return False
    size = bytes_of(statement.buffer.dtype.name)
    for dim in statement.buffer.shape:
        if not isinstance(dim, tree.IntImm):
            return True
        size *= dim.value
    return size >= least


def _declarations(func: tree.PrimFunc) -> Counter[str]:
    """Return how often each name is declared in a PrimFunc."""
    found: Counter[str] = Counter()
    for node in walk(func):
        if isinstance(node, tree.Buffer | tree.ScalarParam):
            found[node.name] += 1
        elif isinstance(node, tree.LetStmt | tree.IterVar):
            found[node.var.name] += 1
        elif isinstance(node, tree.For):
            found.update([var.name for var in node.loop_vars])
    found.update({node.name for one in buffers(func) for node in walk(one) if isinstance(node, tree.PrimVar)})
    return found


def _names(node: Node) -> set[str]:
    return {one.name for one in walk(node) if isinstance(one, tree.PrimVar)}


def _shared(func: tree.PrimFunc, arrays: Sequence[tree.Buffer], kept: list[tuple[Node, str]]) -> Workspace:
    """Let arrays share a parameter that hold nothing at the same time."""
    uses: dict[str, list[int]] = {}
    for at, statement in enumerate(func.body):
        for name in _names(statement):
            uses.setdefault(name, []).append(at)
    places: list[_Place] = []
    for array in sorted(arrays, key=lambda one: uses.get(one.name, [0])[0]):
        first, *_, last = uses.get(array.name, [0]) * 2
        free = [one for one in places if one.until <= first]
        found = next(
            (
                one
                for one in free
                if _are_alike(one.array, array)
                and (one.until < first or _is_replaced(func, first, array, one.holds))
            ),
            None,
        ) or next((one for one in free if one.until < first and one.fits(array)), None)
        if found is None:
            places.append(_Place(array, last))
        else:
            found.take(array, last)
    shared: dict[str, str] = {}
    views: dict[str, tree.Buffer] = {}
    for place in places:
        for one in place.members:
            if _are_alike(one, place.array):
                shared[one.name] = place.array.name
            else:
                views[one.name] = place.array
    return Workspace(func, [place.array for place in places], shared, views, kept)


class _Place:
    """A parameter: the largest of the arrays that are in it one after the other.

    `holds` is the last of them, which is used `until` some statement.
    """

    __slots__ = ("array", "holds", "members", "until")

    def __init__(self, array: tree.Buffer, until: int) -> None:
        self.array = array
        self.members = [array]
        self.holds = array
        self.until = until

    def fits(self, array: tree.Buffer) -> bool:
        """Return whether an array may be the first elements of this one, or the other way round."""
        return _begins_with(self.array, array) or _begins_with(array, self.array)

    def take(self, array: tree.Buffer, until: int) -> None:
        """Add an array, which has the place until a statement."""
        self.members.append(array)
        if not _begins_with(self.array, array):
            self.array = array  # what is in this one is first in the larger one, too
        self.holds, self.until = array, until


def _begins_with(large: tree.Buffer, small: tree.Buffer) -> bool:
    """Return whether an array has the shape of the first elements of another one, in row-major order.

    So it has as many rows or fewer, and rows of the same shape; dimensions before may be left out, where there is
    certainly an element.
    """
    before = len(large.shape) - len(small.shape)
    if large.dtype.name != small.dtype.name or before < 0 or not small.shape:
        return False
    if not all(prove(tree.GE(dim, tree.IntImm(1)), NO_FACTS) for dim in large.shape[:before]):
        return False
    rows, *others = large.shape[before:]
    fewer, *same = small.shape
    fits = prove(tree.LE(fewer, rows), NO_FACTS) is True
    return fits and all(compare(a, b, NO_FACTS) == EQUAL for a, b in zip(others, same, strict=True))


def _first_elements(small: tree.Buffer, large: tree.Buffer) -> tree.BufferView:
    """Return the declaration of an array as the first elements of another one."""
    before = len(large.shape) - len(small.shape)
    zeros = [tree.IntImm(0) for _ in large.shape[:before]]
    ranges = [tree.Range(tree.IntImm(0), copied(dim)) for dim in small.shape]
    source = tree.PrimVar(large.name, small.pos, small.end)
    return tree.BufferView(small, source, (*zeros, *ranges), (), small.pos, small.end)


def _are_alike(one: tree.Buffer, other: tree.Buffer) -> bool:
    if one.dtype.name != other.dtype.name or len(one.shape) != len(other.shape):
        return False
    return all(
        compare(left, right, NO_FACTS) == EQUAL for left, right in zip(one.shape, other.shape, strict=True)
    )


def _is_replaced(func: tree.PrimFunc, at: int, made: tree.Buffer, before: tree.Buffer) -> bool:
    """Return whether a statement stores an element of one array only where it reads that of another last."""
    others = [
        before if one.buffer.name == before.name else one.buffer
        for one in func.body
        if isinstance(one, tree.Allocate) and one.buffer.name != made.name
    ]
    params = (*func.params, *others, made)
    alone = tree.PrimFunc(func.name, True, params, (), (func.body[at],), None, None, func.pos, func.end)
    return before in read_where_stored(alone, made)
