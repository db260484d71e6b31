"""PrimFuncs without views: what the compilers work on. An access through a view becomes one of its memory. [TIR.22]

That an index is inside of the view, and the region inside of its source, is asserted before the statement where it is
not plain: code that finds an assertion false leaves the call to the scalar interpreter, which knows views.
"""

from __future__ import annotations

from relax_lang.arith.prover import EQUAL, compare
from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, walk, with_children
from relax_lang.syntax import tree
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.analysis.references.collect_references import collect_references
from relax_lang.tir.analysis.references.index_expressions import plainly_inside
from relax_lang.tir.ir.symbols import DIM, SCALAR
from relax_lang.tir.ir.typing.well_typed import analyse
from relax_lang.tir.ir.views import View, count, has_views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.ir.typing.well_typed import Analysis

_ZERO = tree.IntImm(0, None, "0")

ASSERTED, PROVED, TRUSTED = "asserted", "proved", "trusted"
"""What becomes of indices that may be outside of a view: assertions, a refusal, nothing. Where they are trusted, which
export does, views of whole buffers stay.
"""


def expanded(analysis: Analysis, inside: str = ASSERTED) -> Analysis:
    """Return a PrimFunc without errors without its views; itself if it has none. Raises `NotVectorizable`."""
    if not has_views(analysis.func):
        return analysis
    return analyse(_Expansion(analysis, inside).function())


class _Expansion:
    """Rewrites the statements of one PrimFunc."""

    def __init__(self, analysis: Analysis, inside: str) -> None:
        self._analysis = analysis
        self._symbols = analysis.symbols
        self._inside = inside
        func = analysis.func
        found = collect_references(analysis)
        self._plain = {
            (access.node, at)
            for access, dims in found.through_views
            for at, index in enumerate(access.resolved or ())
            if plainly_inside(index, dims[at], access.site.loops)
        }
        self._names = FreshNames(_names_in(func))
        self._views: dict[Symbol, View] = {}
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._asserts: list[tree.Stmt] = []
        self._may_assert = False
        for symbol in (*[analysis.symbols[one] for one in func.params], *analysis.dims.values()):
            self._declare(symbol)

    def function(self) -> tree.PrimFunc:
        """Return the PrimFunc."""
        func = self._analysis.func
        result = None if func.result is None else self._expr(func.result)
        body = self._body(func.body)
        return tree.PrimFunc(
            func.name, func.private, func.params, func.attrs, body, func.ret_dtype, result, func.pos, func.end
        )

    # -- names -------------------------------------------------------------------------------------------------

    def _declare(self, symbol: Symbol) -> None:
        self._scopes[-1][symbol.name] = symbol

    def _require_visible(self, name: str, symbol: Symbol, place: Node) -> None:
        """Refuse an access whose expansion would name something that is hidden there."""
        for scope in reversed(self._scopes):
            if name in scope:
                if scope[name] is not symbol:
                    break
                return
        raise NotVectorizable(f"`{name}` is hidden where a view of it is used", place)

    # -- statements --------------------------------------------------------------------------------------------

    def _body(self, body: Iterable[tree.Stmt], declared: Iterable[Symbol] = ()) -> tuple[tree.Stmt, ...]:
        self._scopes.append({one.name: one for one in declared})
        made: list[tree.Stmt] = []
        for one in body:
            made += self._statement(one)
        self._scopes.pop()
        return tuple(made)

    def _statement(self, node: tree.Stmt) -> list[tree.Stmt]:
        match node:
            case tree.BufferView():
                return self._view(node)
            case tree.For():
                ranges = tuple([self._expr(one) for one in node.ranges])
                body = self._body(node.body, [self._symbols[one] for one in node.loop_vars])
                head = node.kind, node.thread, node.loop_vars, ranges, body, node.attrs
                return [tree.For(*head, node.grid, node.pos, node.end)]
            case tree.Block():
                return [self._block(node)]
            case tree.IfThenElse():
                condition = self._with_asserts(node.condition)
                asserts = self._taken()
                then, other = self._body(node.then_case), self._body(node.else_case)
                return [*asserts, tree.IfThenElse(condition, then, other, node.pos, node.end)]
            case tree.While():
                return [tree.While(self._expr(node.condition), self._body(node.body), node.pos, node.end)]
            case tree.CallExtern():
                return [self._extern(node)]
            case tree.LetStmt():
                return self._declaring(node, self._symbols[node.var])
            case tree.Allocate():
                return self._declaring(node, self._symbols[node.buffer])
            case tree.BufferStore() | tree.AssertStmt() | tree.Break() | tree.Continue():
                made = self._with_asserts(node)
                return [*self._taken(), made]
            case _:
                return assert_never(node)

    def _declaring(self, node: tree.LetStmt | tree.Allocate, symbol: Symbol) -> list[tree.Stmt]:
        made = self._with_asserts(node)
        self._declare(symbol)
        return [*self._taken(), made]

    def _extern(self, node: tree.CallExtern) -> tree.CallExtern:
        for one in node.args:
            if one in self._symbols and self._symbols[one] in self._views:
                raise NotVectorizable("a packed function gets a view", one)
        return tree.CallExtern(node.name, tuple([self._expr(one) for one in node.args]), node.pos, node.end)

    def _block(self, node: tree.Block) -> tree.Block:
        axes = [self._expr(one) for one in node.axes]
        self._scopes.append({one.var.name: self._symbols[one.var] for one in node.axes})
        where = None if node.predicate is None else self._expr(node.predicate)
        init = None if node.init is None else self._body(node.init)
        body = self._body(node.body)
        self._scopes.pop()
        # What it reads and writes was checked; nothing that compiles it asks.
        return tree.Block(
            node.name, tuple(axes), where, None, None, node.attrs, init, body, pos=node.pos, end=node.end
        )

    def _view(self, node: tree.BufferView) -> list[tree.Stmt]:
        """Give names to where the view begins, and assert that it has the elements that it says."""
        symbol = self._symbols[node.buffer]
        source = symbol.source
        assert source is not None, "a view without errors has a source"
        made: list[tree.Stmt] = []
        if self._inside == TRUSTED and node.region is None and source not in self._views:
            self._declare(symbol)
            return [node]
        source_dims = self._dims_of(source)
        dims = tuple([self._named(dim, made, node) for dim in node.buffer.shape])
        starts: list[tree.PrimExpr] | None = None
        kept = [isinstance(one, tree.Range) for one in node.region or ()]
        conditions: list[tree.PrimExpr] = []
        if node.region is None:
            if not self._as_many(node, source):
                conditions.append(tree.EQ(count(dims), count(source_dims)))
                conditions += [tree.GE(dim, _ZERO) for dim in dims]
        else:
            starts, sizes = [], iter(dims)
            for at, (one, dim) in enumerate(zip(node.region, source_dims, strict=True)):
                low = one.min if isinstance(one, tree.Range) else one
                assert isinstance(low, tree.PrimExpr), "a region is made of indices and ranges"
                starts.append(self._named(low, made, node))
                start = starts[-1]
                if not isinstance(one, tree.Range):
                    continue
                stop, size = self._named(one.stop, made, node), next(sizes)
                written = node.buffer.shape[sum(kept[:at])]
                if compare(tree.Sub(one.stop, one.min), written) != EQUAL:
                    conditions.append(tree.EQ(tree.Sub(stop, start), size))
                if not (isinstance(start, tree.IntImm) and start.value >= 0):
                    conditions.append(tree.GE(start, _ZERO))
                if compare(stop, dim) != EQUAL:
                    conditions.append(tree.LE(stop, dim))
            for start, dim, is_range in zip(starts, source_dims, kept, strict=True):
                conditions += [] if is_range else [tree.GE(start, _ZERO), tree.LT(start, dim)]
        unknown = [one for one in conditions if self._inside != TRUSTED and not _holds(one)]
        if unknown and self._inside == PROVED:
            raise NotVectorizable("whether a view is inside of its buffer is not known", node)
        made += [
            tree.AssertStmt(one, "a view is inside of its buffer", node.pos, node.end) for one in unknown
        ]
        self._views[symbol] = View(dims, source, source_dims, starts, kept)
        self._declare(symbol)
        # A statement stays a statement: whether a loop does nothing but reduce depends on it.
        rest = tree.LetStmt(tree.PrimVar(self._names.fresh("view")), None, _ZERO, node.pos, node.end)
        return made if made or self._inside == TRUSTED else [rest]

    def _as_many(self, node: tree.BufferView, source: Symbol) -> bool:
        """Return whether a view has as many elements as its source, whatever the sizes are."""
        made, given = count(node.buffer.shape), count(source.shape or ())
        for dim in (*node.buffer.shape, *(source.shape or ())):
            for one in walk(dim):
                if isinstance(one, tree.PrimVar) and (
                    one not in self._symbols or self._symbols[one].kind not in (DIM, SCALAR)
                ):
                    return False
        return compare(made, given) == EQUAL

    def _dims_of(self, symbol: Symbol) -> tuple[tree.PrimExpr, ...]:
        if symbol in self._views:
            return self._views[symbol].dims
        assert symbol.shape is not None, "only buffers have views"
        return symbol.shape

    def _named(self, value: tree.PrimExpr, made: list[tree.Stmt], node: Node) -> tree.PrimExpr:
        """Return a value as a number, or by a name that nothing hides."""
        value = self._with_asserts(value)
        made += self._taken()
        if isinstance(value, tree.IntImm):
            return value
        var = tree.PrimVar(self._names.fresh("start"), node.pos, node.end)
        made.append(tree.LetStmt(var, None, value, node.pos, node.end))
        return tree.PrimVar(var.name, node.pos, node.end)

    # -- expressions -------------------------------------------------------------------------------------------

    def _with_asserts(self, node: Any) -> Any:
        before, self._may_assert = self._may_assert, True
        made = self._expr(node)
        self._may_assert = before
        return made

    def _taken(self) -> list[tree.Stmt]:
        asserts, self._asserts = self._asserts, []
        return asserts

    def _expr(self, node: Any) -> Any:
        """Return a node with accesses of memory in place of accesses of views."""
        if isinstance(node, tree.BufferLoad | tree.BufferStore):
            symbol = self._symbols[node.buffer]
            if symbol in self._views:
                return self._access(node, symbol)
        return with_children(node, self._expr)

    def _access(
        self, node: tree.BufferLoad | tree.BufferStore, symbol: Symbol
    ) -> tree.BufferLoad | tree.BufferStore:
        indices: tuple[tree.PrimExpr, ...] = tuple([self._expr(one) for one in node.indices])
        view = self._views[symbol]
        for at, (index, dim) in enumerate(zip(indices, view.dims, strict=True)):
            # The elements of a source in order are as many as those of a view of one dimension: it is checked there.
            if (node, at) not in self._plain and not (view.starts is None and len(view.dims) == 1):
                self._assert_inside(index, dim, node)
        while symbol in self._views:
            view = self._views[symbol]
            indices = view.indices(indices, node)
            symbol = view.source
        self._require_visible(symbol.name, symbol, node)
        for dim in symbol.shape or ():
            for one in walk(dim):
                if isinstance(one, tree.PrimVar) and one in self._symbols:
                    self._require_visible(one.name, self._symbols[one], node)
        buffer = tree.PrimVar(symbol.name, node.buffer.pos, node.buffer.end)
        if isinstance(node, tree.BufferLoad):
            return tree.BufferLoad(buffer, indices, node.pos, node.end)
        return tree.BufferStore(buffer, indices, node.op, self._expr(node.value), node.pos, node.end)

    def _assert_inside(self, index: tree.PrimExpr, dim: tree.PrimExpr, node: Node) -> None:
        conditions = [tree.GE(index, _ZERO), tree.LT(index, dim)]
        unknown = [one for one in conditions if not _holds(one)]
        if not unknown or self._inside == TRUSTED:
            return
        if not self._may_assert or self._inside == PROVED:
            raise NotVectorizable("whether an index is inside of a view is not known", node)
        self._asserts += [
            tree.AssertStmt(one, "an index is inside of a view", node.pos, node.end) for one in unknown
        ]


def _holds(condition: Any) -> bool:
    """Return whether a condition on numbers holds."""
    a, b = condition.a, condition.b
    if not (isinstance(a, tree.IntImm) and isinstance(b, tree.IntImm)):
        return False
    if isinstance(condition, tree.EQ):
        return a.value == b.value
    if isinstance(condition, tree.GE):
        return a.value >= b.value
    return a.value <= b.value if isinstance(condition, tree.LE) else a.value < b.value


def _names_in(func: tree.PrimFunc) -> set[str]:
    found: set[str] = set()
    for node in walk(func):
        if isinstance(node, tree.PrimVar | tree.Buffer | tree.ScalarParam):
            found.add(node.name)
    return found
