"""Bodies of PrimFuncs under other names: what makes one PrimFunc of several. [TIR.2] [TIR.16] [TIR.18]"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import made_like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Names = Mapping[str, tree.PrimExpr]


class BodyCopy:
    """Copies statements; a name that they declare gets a new one where it would hide something.

    `taken` are the names of buffers and dimensions of the copy; `meaning` has what the names of parameters and
    dimensions are in the copy, variables for buffers.
    """

    __slots__ = ("_blocks", "_taken")

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._blocks = FreshNames()

    def statements(self, body: Iterable[tree.Stmt], meaning: Names) -> tuple[tree.Stmt, ...]:
        """Return the statements of one `{ }`."""
        known = dict(meaning)
        return tuple([self._statement(one, known) for one in body])

    def _statement(self, node: tree.Stmt, known: dict[str, tree.PrimExpr]) -> tree.Stmt:
        match node:
            case tree.For():
                return self._for(node, known)
            case tree.Block():
                return self._block(node, known)
            case tree.LetStmt():
                value = self._of(node.value, known)
                var = self._declare(node.var, known)
                return tree.LetStmt(var, node.dtype, value, node.pos, node.end)
            case tree.Allocate():
                return self._allocate(node, known)
            case tree.BufferView():
                return self._view(node, known)
            case tree.IfThenElse():
                condition = self._of(node.condition, known)
                then, other = self.statements(node.then_case, known), self.statements(node.else_case, known)
                return tree.IfThenElse(condition, then, other, node.pos, node.end)
            case tree.While():
                body = self.statements(node.body, known)
                return tree.While(self._of(node.condition, known), body, node.pos, node.end)
            case tree.BufferStore() | tree.AssertStmt() | tree.CallExtern():
                return self._of(node, known)
            case tree.Break() | tree.Continue():
                return node
            case _:
                return assert_never(node)

    def _for(self, node: tree.For, known: dict[str, tree.PrimExpr]) -> tree.For:
        ranges = tuple([self._of(each, known) for each in node.ranges])
        inner = dict(known)
        loops = tuple([self._declare(var, inner) for var in node.loop_vars])
        body = self.statements(node.body, inner)
        return tree.For(
            node.kind, node.thread, loops, ranges, body, node.attrs, node.grid, node.pos, node.end
        )

    def _block(self, node: tree.Block, known: dict[str, tree.PrimExpr]) -> tree.Block:
        inner = dict(known)
        values = [self._of(axis.value, known) for axis in node.axes]
        domains = [None if axis.dom is None else self._of(axis.dom, known) for axis in node.axes]
        axes = tuple(
            [
                tree.IterVar(self._declare(axis.var, inner), axis.kind, value, domain, axis.pos, axis.end)
                for axis, value, domain in zip(node.axes, values, domains, strict=True)
            ]
        )
        where = None if node.predicate is None else self._of(node.predicate, inner)
        init = None if node.init is None else self.statements(node.init, inner)
        return tree.Block(
            self._blocks.fresh(node.name), axes, where, self._regions(node.reads, inner),
            self._regions(node.writes, inner), node.attrs, init, self.statements(node.body, inner),
            pos=node.pos, end=node.end,
        )  # fmt: skip

    def _regions(
        self, regions: tuple[tree.BufferRegion, ...] | None, known: Names
    ) -> tuple[tree.BufferRegion, ...] | None:
        return None if regions is None else tuple([self._of(one, known) for one in regions])

    def _allocate(self, node: tree.Allocate, known: dict[str, tree.PrimExpr]) -> tree.Allocate:
        made = self._buffer(node.buffer, known)
        return tree.Allocate(made, node.scope, node.attrs, node.pos, node.end)

    def _view(self, node: tree.BufferView, known: dict[str, tree.PrimExpr]) -> tree.BufferView:
        source = self._of(node.source, known)
        region = None if node.region is None else tuple([self._of(one, known) for one in node.region])
        made = self._buffer(node.buffer, known)
        return tree.BufferView(made, source, region, node.attrs, node.pos, node.end)

    def _buffer(self, buffer: tree.Buffer, known: dict[str, tree.PrimExpr]) -> tree.Buffer:
        shape = tuple([self._of(dim, known) for dim in buffer.shape])
        name = self._declare(tree.PrimVar(buffer.name), known).name
        self._taken.add(name)
        return tree.Buffer(name, shape, buffer.dtype, buffer.pos, buffer.end)

    def _declare(self, var: tree.PrimVar, known: dict[str, tree.PrimExpr]) -> tree.PrimVar:
        hidden = self._taken.union([one.name for one in known.values() if isinstance(one, tree.PrimVar)])
        name, number = var.name, 0
        while name in hidden:
            number += 1
            name = f"{var.name}_{number}"
        made = known[var.name] = tree.PrimVar(name, var.pos, var.end)
        return made

    def _of(self, node: Any, known: Names) -> Any:
        if isinstance(node, tree.PrimVar):
            return known.get(node.name, node)
        if not node.CHILDREN:
            return node
        fields: list[Any] = []
        for name in node.FIELDS:
            value: Any = getattr(node, name)
            if value is not None and name in node.CHILDREN:
                if value.__class__ is tuple:
                    value = tuple([self._of(one, known) for one in value])
                else:
                    value = self._of(value, known)
            fields.append(value)
        return made_like(node, fields)
