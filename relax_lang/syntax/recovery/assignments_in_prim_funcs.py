"""Assignments to names in PrimFuncs, `s = s + A[i];`: only elements of buffers are stored to. [TIR.16] [Y.7]

A variable that is assigned to is kept in a buffer of one element: the fix makes one of its `let`.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import assert_never, children
from relax_lang.syntax import tree
from relax_lang.syntax.recovery.diagnostics import reassigned_variable
from relax_lang.syntax.vocabulary.joined_names import element_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node

    Assigned = dict[int, Diagnostic]

BUFFER = "a buffer"
VARIABLE = "a variable"
WORDS = {"scalar": "a parameter", "size": "a size", "loop": "a loop variable", "axis": "an axis"}
ANOTHER = "bind another name with `let`, or keep the value in an element of a buffer"
ACCUMULATE = "keep the value in an element of a buffer: `alloc {0}: Buffer[(), …];`, then `{0}[()] = …;`"


class _Symbol:
    """A declaration: its kind, its node, and where its name is used and assigned to."""

    __slots__ = ("assigned", "counts", "element", "kind", "name", "node", "pos", "rank", "uses")

    def __init__(self, kind: str, name: str, node: Node, pos: int, rank: int = 0) -> None:
        self.kind = kind
        self.name = name
        self.node = node
        self.pos = pos
        self.rank = rank
        self.uses: list[int] = []
        """Offsets of the name where its value is used."""
        self.counts = False
        """Whether it is used as an index, or together with sizes, which are int64."""
        self.assigned: list[tree.LetStmt] = []
        self.element = ""
        """The element of a buffer that the name means, which is not declared: `B[i]` for `Bi`."""


def settle(text: str, func: tree.PrimFunc, assigned: Assigned) -> dict[int, Diagnostic]:
    """Return the final reports of the assignments of a PrimFunc, by the offset of the name."""
    walk = _Walk(assigned)
    walk.prim_func(func)
    found: dict[int, Diagnostic] = {}
    for statement, symbol, loops in walk.found:
        at = statement.var.pos
        if at in found:
            continue
        if symbol is None:
            found[at] = _unbound(assigned[at], statement, walk)
        elif symbol.element:
            var = statement.var
            assigned[at].fixes.clear()
            assigned[at].help = ""
            found[at] = assigned[at].replace(var, symbol.element, f"write `{symbol.element}`")
        elif symbol.kind == BUFFER:
            found[at] = _buffer(text, statement, symbol, loops)
        else:
            report = _variable(text, statement, symbol)
            found.update(dict.fromkeys([one.var.pos for one in symbol.assigned], report))
    return found


class _Walk:
    """Follows the scopes of a PrimFunc; nesting is bounded by the parser."""

    def __init__(self, assigned: Assigned) -> None:
        self.assigned = assigned
        self.scopes: list[dict[str, _Symbol]] = [{}]
        self.loops: list[str] = []
        self.found: list[tuple[tree.LetStmt, _Symbol | None, list[str]]] = []
        self.offered: dict[tree.LetStmt, _Symbol] = {}
        """What a `let` in the place of an assignment would bind."""
        self.escaped: set[str] = set()
        """Names that are used where nothing declares them."""

    def prim_func(self, func: tree.PrimFunc) -> None:
        for param in func.params:
            if isinstance(param, tree.Buffer):
                for dim in param.shape:
                    if isinstance(dim, tree.PrimVar) and self.find(dim.name) is None:
                        self.declare(_Symbol("size", dim.name, dim, dim.pos))
                self.declare(_Symbol(BUFFER, param.name, param, param.pos, len(param.shape)))
            else:
                self.declare(_Symbol("scalar", param.name, param, param.pos))
        self.body(func.body)

    def find(self, name: str) -> _Symbol | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def element(self, name: str) -> str:
        """Return the element of a buffer in view that a name is put together of."""

        def rank_of(name: str) -> int:
            symbol = self.find(name)
            return symbol.rank if symbol is not None and symbol.kind == BUFFER else 0

        def is_variable(name: str) -> bool:
            symbol = self.find(name)
            return symbol is not None and symbol.kind != BUFFER

        return element_of(name, rank_of, is_variable)

    def declare(self, symbol: _Symbol) -> None:
        self.scopes[-1][symbol.name] = symbol

    def body(self, statements: tuple[tree.Stmt, ...]) -> None:
        self.scopes.append({})
        for statement in statements:
            self.statement(statement)
        self.scopes.pop()

    def statement(self, statement: tree.Stmt) -> None:
        match statement:
            case tree.LetStmt():
                self.let(statement)
            case tree.Allocate() | tree.BufferView():
                buffer = statement.buffer
                self.use(*buffer.shape)
                self.declare(_Symbol(BUFFER, buffer.name, buffer, buffer.pos, len(buffer.shape)))
            case tree.For():
                self.loop(statement)
            case tree.Block():
                self.block(statement)
            case tree.IfThenElse():
                self.use(statement.condition)
                self.body(statement.then_case)
                self.body(statement.else_case)
            case tree.While():
                self.use(statement.condition)
                self.body(statement.body)
            case tree.BufferStore() | tree.AssertStmt() | tree.CallExtern():
                self.use(statement)
            case tree.Break() | tree.Continue():
                pass
            case _:
                assert_never(statement)

    def let(self, statement: tree.LetStmt) -> None:
        var = statement.var
        if var.pos not in self.assigned:
            self.use(statement.value)
            self.declare(_Symbol(VARIABLE, var.name, statement, var.pos))
            return
        symbol = self.find(var.name)
        self._use(statement.value, into=symbol)
        self.found.append((statement, symbol, [*self.loops]))
        if symbol is None:  # read as a `let`, which is offered
            offered = self.offered[statement] = _Symbol(VARIABLE, var.name, statement, var.pos)
            offered.element = self.element(var.name)
            self.declare(offered)
        else:
            symbol.assigned.append(statement)

    def loop(self, loop: tree.For) -> None:
        self.use(*loop.ranges)
        self.scopes.append({})
        for var in loop.loop_vars:
            self.declare(_Symbol("loop", var.name, var, var.pos))
        depth = len(self.loops)
        self.loops += [var.name for var in loop.loop_vars]
        self.body(loop.body)
        del self.loops[depth:]
        self.scopes.pop()

    def block(self, block: tree.Block) -> None:
        self.scopes.append({})
        for axis in block.axes:
            self.use(axis.value, axis.dom)
        outer, self.loops = self.loops, [axis.var.name for axis in block.axes] or self.loops
        for axis in block.axes:
            self.declare(_Symbol("axis", axis.var.name, axis, axis.pos))
        self.use(block.predicate, *(block.reads or ()), *(block.writes or ()))
        self.body(block.init or ())
        self.body(block.body)
        self.loops = outer
        self.scopes.pop()

    def use(self, *nodes: Node | None) -> None:
        for node in nodes:
            if node is not None:
                self._use(node)

    def _use(self, value: Node, *, into: _Symbol | None = None, is_index: bool = False) -> None:
        """Note the names in one computation, whose value a variable may take; what is an index or is cast is one of its
        own.
        """
        todo = [value]
        found = [] if into is None else [into]
        while todo:
            node = todo.pop()
            if isinstance(node, tree.PrimVar):
                symbol = self.find(node.name)
                if symbol is None:
                    self.escaped.add(node.name)
                else:
                    symbol.uses.append(node.pos)
                    found.append(symbol)
            if isinstance(node, tree.BufferLoad | tree.BufferStore):
                for index in node.indices:
                    self._use(index, is_index=True)
                todo += [node.buffer, *([node.value] if isinstance(node, tree.BufferStore) else ())]
            elif not isinstance(node, tree.Cast):
                todo += children(node)
            else:
                self._use(node.value)
        if is_index or any(symbol.kind in ("size", "loop", "axis") for symbol in found):
            for symbol in found:
                symbol.counts = True


def _unbound(report: Diagnostic, statement: tree.LetStmt, walk: _Walk) -> Diagnostic:
    name, offered = statement.var.name, walk.offered[statement]
    if offered.element:
        report.fixes.clear()
        report.help = ""
        places = [statement.var.pos, *offered.uses]
        edits = [Edit(at, at + len(name), offered.element) for at in places]
        return report.fix(f"write `{offered.element}`", *edits)
    if name in walk.escaped or not offered.uses:  # a `let` would be too narrow, or of no use
        report.fixes.clear()
        report.help = ACCUMULATE.format(name)
    return report


def _buffer(text: str, statement: tree.LetStmt, symbol: _Symbol, loops: list[str]) -> Diagnostic:
    name, var = symbol.name, statement.var
    found = reassigned_variable(
        (var.pos, var.end), name, _name(text, symbol), "is a buffer: its elements are stored to, one by one"
    )
    if symbol.rank > len(loops):
        return found.helped(f"store to its elements: `{name}[{', '.join('…' * symbol.rank)}] = …;`")
    indices = ", ".join(loops[-symbol.rank :]) if symbol.rank else "()"
    element = f"{name}[{indices}]"
    return found.fix(
        f"store to the element `{element}`, if that is the one", Edit(var.end, var.end, f"[{indices}]")
    )


def _variable(text: str, statement: tree.LetStmt, symbol: _Symbol) -> Diagnostic:
    name, var = symbol.name, statement.var
    what = WORDS.get(symbol.kind)
    why = (
        "is bound already, and a variable never changes"
        if what is None
        else f"is {what}, which never changes"
    )
    found = reassigned_variable((var.pos, var.end), name, _name(text, symbol), why)
    for other in symbol.assigned:
        if other is not statement:
            found.label((other.var.pos, other.var.end), "and here")
    declared = symbol.node
    dtype = _dtype(symbol)
    if not isinstance(declared, tree.LetStmt) or dtype is None:
        return found.helped(ACCUMULATE.format(name) if what is None else ANOTHER)
    line = text.rfind("\n", 0, declared.pos) + 1
    indent = text[line : declared.pos]
    gap = "\n" + indent if not indent.strip() else " "
    edits = [Edit(declared.pos, declared.value.pos, f"alloc {name}: Buffer[(), {dtype}];{gap}{name}[()] = ")]
    ends = [at + len(name) for at in {*symbol.uses, *[one.var.pos for one in symbol.assigned]}]
    edits += [Edit(at, at, "[()]") for at in sorted(ends)]
    return found.fix(f"keep `{name}` in a buffer of one element", *edits)


def _name(text: str, symbol: _Symbol) -> tuple[int, int]:
    at = text.find(symbol.name, symbol.pos)
    return at, at + len(symbol.name)


def _dtype(symbol: _Symbol) -> str | None:
    """Return the dtype of a `let`, if it is written or that of a literal."""
    declared = symbol.node
    if not isinstance(declared, tree.LetStmt):
        return None
    if declared.dtype is not None:
        return declared.dtype.name
    value = declared.value
    if isinstance(value, tree.IntImm | tree.FloatImm):
        if value.dtype is not None:
            return value.dtype.name
        if isinstance(value, tree.FloatImm):
            return "float32"
        return "int64" if symbol.counts else "int32"
    return None
