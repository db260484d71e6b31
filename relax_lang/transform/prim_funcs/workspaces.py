"""What PrimFuncs need for intermediate results, and which of their arrays can be one."""

from __future__ import annotations

from collections import Counter

from relax_lang.analysis.element_by_element import read_where_stored
from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.prover import EQUAL, compare
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
    buffer that takes its place, and `kept` says why others stay.
    """

    __slots__ = ("arrays", "func", "kept", "shared")

    def __init__(
        self,
        func: tree.PrimFunc,
        arrays: list[tree.Buffer],
        shared: dict[str, str],
        kept: list[tuple[Node, str]],
    ) -> None:
        self.func = func
        self.arrays = arrays
        self.shared = shared
        self.kept = kept

    def taken(self, name: str) -> tree.PrimFunc:
        """Return a private PrimFunc that takes the arrays after its other parameters."""

        def change(node: Any) -> Any:
            if isinstance(node, tree.PrimVar) and node.name in self.shared:
                return tree.PrimVar(self.shared[node.name], node.pos, node.end)
            return node

        func = self.func
        body = [
            Rewriting(change).of(statement)
            for statement in func.body
            if not (isinstance(statement, tree.Allocate) and statement.buffer.name in self.shared)
        ]
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
    made: list[tree.Buffer] = []
    shared: dict[str, str] = {}
    holds: dict[str, tuple[tree.Buffer, int]] = {}
    """Parameter to the array that it holds, and the statement that uses that last."""
    for array in sorted(arrays, key=lambda one: uses.get(one.name, [0])[0]):
        first, *_, last = uses.get(array.name, [0]) * 2
        for one in made:
            before, until = holds[one.name]
            if not _are_alike(one, array) or until > first:
                continue
            if until < first or _is_replaced(func, first, array, before):
                break
        else:
            one = array
            made.append(array)
        shared[array.name] = one.name
        holds[one.name] = array, last
    return Workspace(func, made, shared, kept)


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
