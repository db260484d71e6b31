"""Blocks of PrimFuncs: axes, conditions, regions, attributes."""

from __future__ import annotations

import ast

from relax_lang.base.node import same
from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.index_dtypes import of_value
from relax_lang.tvmscript.prim_reader.prim_buffers import BufferStatements
from relax_lang.tvmscript.scalar_reader.attributes import read_attributes
from relax_lang.tvmscript.scalar_reader.scalars import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tvmscript.prim_reader.prim_funcs import PrimFuncReader

AXES = {
    "axis.spatial": "spatial", "axis.S": "spatial", "axis.reduce": "reduce", "axis.R": "reduce",
    "axis.scan": "scan", "axis.opaque": "opaque",
}  # fmt: skip


KIND_LETTERS = {"S": "spatial", "R": "reduce"}


UNNAMED = "_"
"""The name of a block that has none."""


def _is_root(body: Sequence[tree.Stmt]) -> bool:
    """Return whether TVM would take a body for the root block of its function: one block without axes."""
    return len(body) == 1 and isinstance(body[0], tree.Block) and not body[0].axes


class BlockParts:
    """What the statements at the head of a block say about it."""

    def __init__(self) -> None:
        self.axes: list[tree.IterVar] = []
        self.predicate: tree.PrimExpr | None = None
        self.reads: list[tree.BufferRegion] | None = None
        self.writes: list[tree.BufferRegion] | None = None
        self.attrs: list[tree.Attr] = []
        self.init: tuple[tree.Stmt, ...] | None = None
        self.in_init: set[str] = set()
        """The names in `init`."""


class BlockStatements(BufferStatements):
    """Statements inside a block, or outside of any; `top` are those of the function itself."""

    def __init__(self, reader: PrimFuncReader, block: BlockParts | None, *, top: bool = False) -> None:
        super().__init__(reader)
        self.block = block
        self.top = top

    def in_init(self, name: str) -> bool:
        """Return whether the `init` of the block that is read names a buffer: it comes first in our blocks."""
        return self.block is not None and name in self.block.in_init

    def nested(self, parts: BlockParts, body: Sequence[ast.stmt]) -> list[tree.Stmt]:
        """Read the statements of a block, and note what those at its head say."""
        raise NotImplementedError

    def block_statement(self, node: ast.With, call: ast.Call, alias: ast.expr | None) -> None:
        """Read a block; a root block that holds all is its contents, unless it has attributes."""
        name = self.reading.string(call.args[0], "the name of a block") if call.args else ""
        for one in call.keywords:
            if one.arg not in ("no_realize", "exec_scope"):
                raise self.reading.unsupported(call, f"`{one.arg}=` of a block")
        parts = BlockParts()
        for one in node.body:
            if isinstance(one, ast.With) and self.reading.called(one.items[0].context_expr)[1] == "init":
                parts.in_init |= {inner.id for inner in ast.walk(one) if isinstance(inner, ast.Name)}
        allocated = dict(self.reader.extents)
        body = self.nested(parts, node.body)
        self.reader.extents = allocated
        if (
            self.top
            and not parts.axes
            and parts.predicate is None
            and parts.init is None
            and name in ("root", "")
            and not parts.attrs
            and not parts.reads
            and not parts.writes
            and not _is_root(body)
        ):
            self.made += body
            return
        if parts.reads == [] and parts.writes == []:  # as it is declared, whatever is in it
            span = self.reading.span(call)
            parts.attrs += [tree.Attr(word, tree.ListLit((), *span), *span) for word in spelling.REGIONS]
        made = tree.Block(
            name or UNNAMED,
            tuple(parts.axes),
            parts.predicate,
            tuple(parts.reads) if parts.reads else None,
            tuple(parts.writes) if parts.writes else None,
            tuple(parts.attrs),
            parts.init,
            tuple(body),
            *self.reading.span(node),
        )
        self.made.append(made)

    def axes(self, node: ast.stmt, names: list[ast.Name], call: ast.Call, function: str) -> None:
        """Read the definition of axes."""
        if self.block is None:
            raise self.reading.wrong(node, "axes are defined at the head of a block")
        if function == "axis.remap":
            letters = self.reading.string(call.args[0], "the kinds of axes")
            values = self.reader.unpacked([call.args[1]])
            if len(values) == 1 and isinstance(values[0], ast.List | ast.Tuple):
                values = self.reader.unpacked(values[0].elts)
            if len(letters) != len(names) or len(values) != len(names):
                raise self.reading.wrong(
                    call, f"{len(names)} axes, {len(values)} values, {len(letters)} kinds"
                )
            for name, letter, value in zip(names, letters, values, strict=True):
                self.axis(node, name, KIND_LETTERS.get(letter, "opaque"), None, value)
            return
        kind = AXES.get(function)
        given = [*call.args, *[one.value for one in call.keywords if one.arg in ("dom", "binding")]]
        if kind is None or len(names) != 1 or len(given) not in (1, 2):
            raise self.reading.unsupported(call, f"`{self.reading.py.shown(call.func)}(…)`")
        self.axis(node, names[0], kind, given[0], given[1] if len(given) == 2 else given[0])

    def axis(
        self, node: ast.stmt, name: ast.Name, kind: str, domain: ast.expr | None, value: ast.expr
    ) -> None:
        """Define one axis."""
        assert self.block is not None
        bound = self.reader.scalar(value)
        read = bound.as_index()
        bounds: tree.Range | None = None
        dtype = bound.dtype
        key = self.reader.occurrences.next(name.id)
        if domain is not None and domain is not value:
            bounds, from_domain = self._extent(domain)
            self.reader.note_number(key, Scalar(bounds.stop, from_domain, True))
            self.reader.note_number(of_value(key), bound)
            dtype = from_domain or "int32"
            if isinstance(read, tree.PrimVar):
                known = self.reader.extents.get(read.name)
                if known is not None and same(known, bounds):
                    bounds = None
        variable = tree.PrimVar(name.id, *self.reading.span(name))
        if isinstance(value, ast.Name) and bounds is None and isinstance(read, tree.PrimVar):
            known = self.reader.extents.get(read.name)
            if known is not None:
                self.reader.extents[name.id] = known
        elif bounds is not None:
            self.reader.extents[name.id] = bounds
        self.block.axes.append(tree.IterVar(variable, kind, read, bounds, *self.reading.span(node)))
        self.reader.scopes[-1][name.id] = Scalar(variable, dtype or "int32", True)

    def regions(self, call: ast.Call) -> list[tree.BufferRegion]:
        """Read `T.reads(A[vi, 0:4])`; older files give one list."""
        given = list(call.args)
        if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple):
            given = given[0].elts
        made: list[tree.BufferRegion] = []
        buffers = [self.reader.buffer(one.value if isinstance(one, ast.Subscript) else one) for one in given]
        if any(one is not None and one.base is not None for one in buffers):
            self.reading.drop(call, "regions of views of buffers")
            return []
        for one in given:
            if isinstance(one, ast.Subscript) and (found := self.reader.buffer(one.value)) is not None:
                place, indices = self.reader.place(one, found)
                made.append(tree.BufferRegion(place, tuple(indices), *self.reading.span(one)))
            elif (found := self.reader.buffer(one)) is not None:
                pos, end = self.reading.span(one)
                whole = [
                    tree.Range(tree.IntImm(0, None, "0", pos, pos), dim, pos, end) for dim in found.node.shape
                ]
                made.append(tree.BufferRegion(tree.PrimVar(found.name, pos, end), tuple(whole), pos, end))
            else:
                raise self.reading.unsupported(one, f"the region `{self.reading.py.shown(one)}`")
        return made

    def block_attributes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.sblock_attr({…})`."""
        if self.block is None:
            raise self.reading.wrong(call, "attributes of a block are outside of any")
        self.block.attrs += read_attributes(self.reading, call)

    def reads(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.reads(…)`."""
        if self.block is not None:
            self.block.reads = self.regions(call)

    def writes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.writes(…)`."""
        if self.block is not None:
            self.block.writes = self.regions(call)

    def where(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.where(c)`."""
        if self.block is None or len(call.args) != 1:
            raise self.reading.wrong(call, "a condition is at the head of a block")
        self.block.predicate = self.reader.condition(call.args[0])
