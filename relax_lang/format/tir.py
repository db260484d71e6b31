"""PrimFuncs and their statements. [TIR.1-TIR.19]"""

from __future__ import annotations

from relax_lang.base.doc import LINE, concat, group, nest
from relax_lang.format import lexemes
from relax_lang.format.context import NOT_LAST, prints
from relax_lang.format.expressions import condition
from relax_lang.format.heads import assigned, buffer_head
from relax_lang.format.literals import attr_of_item, attributes
from relax_lang.format.prim_exprs import indices
from relax_lang.format.statement_lists import Lines
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Node
    from relax_lang.format.context import Layout, Printer
    from relax_lang.syntax.parser import Comment


@prints(tree.PrimFunc)
def _prim_func(printer: Printer, node: tree.PrimFunc) -> Layout:
    """`private prim_func @relu(X: Buffer[(n,), float32], …) attrs { … } { … }`. [G.41]"""
    word = "private prim_func" if node.private else "prim_func"
    opener = f"{word} {lexemes.global_name(node.name.name_hint)}("
    start, stop = node.name.end, node.body[0].pos if node.body else node.end
    params = printer.sequence(opener, node.params, (start, stop))
    dtype = "" if node.ret_dtype is None else f" -> {node.ret_dtype.name}"
    attrs = attributes(printer, node.attrs, (node.params[-1].end if node.params else start, stop))
    lines = statements(printer, node.body, node.end - 1, result=node.result)
    return concat([params, dtype, attrs, " ", lines.braces()])


@prints(tree.Buffer)
def _buffer(printer: Printer, node: tree.Buffer) -> Layout:
    """`X: Buffer[(n, m), float32]`. [TIR.1]"""
    return concat([lexemes.local_name(node.name), ": ", buffer_head(printer, node)])


@prints(tree.ScalarParam)
def _scalar(_: Printer, node: tree.ScalarParam) -> Layout:
    return f"{lexemes.local_name(node.name)}: {node.dtype.name}"


def statements(
    printer: Printer,
    body: Sequence[tree.Stmt],
    closer: int,
    early: Sequence[Comment] = (),
    result: tree.PrimExpr | None = None,
) -> Lines:
    """Print the statements of a `{ … }` whose closing brace is at `closer`, and the result behind them."""
    first = body[0] if body else result
    lines = Lines(printer, first.pos if first is not None else closer, early)
    for statement in body:
        lines.add(statement, printer.show)
    if result is not None:
        lines.add(result, lambda node: printer.expr(result))
    lines.close(closer)
    return lines


def _closer(printer: Printer, body: Sequence[tree.Stmt], start: int, limit: int) -> int:
    """Return where the brace closes that holds `body`; it opens behind `start`.

    Where there is none before the `limit`, the text is of a language without braces: it is the end of `body`.
    """
    comments = printer.comments
    if not printer.text:
        return -1
    found = comments.find("}", body[-1].end if body else comments.find("{", start) + 1)
    return found if found < limit else body[-1].end if body else start


# -- statements without statements inside --------------------------------------------------------------------


@prints(tree.Allocate)
def _allocate(printer: Printer, node: tree.Allocate) -> Layout:
    scope = "" if node.scope is None else f" in {lexemes.string(node.scope)}"
    attrs = attributes(printer, node.attrs, (node.buffer.end, node.end))
    return concat(["alloc ", printer.show(node.buffer), scope, attrs, ";"])


@prints(tree.BufferView)
def _view(printer: Printer, node: tree.BufferView) -> Layout:
    """`let V: Buffer[(4,), float32] = A[i, 0..4];` [TIR.22]"""
    source: Layout = lexemes.local_name(node.source.name)
    end = node.source.end
    if node.region is not None:
        source = concat([source, indices(printer, node.region, (end, node.end))])
        end = node.region[-1].end if node.region else end
    attrs = attributes(printer, node.attrs, (end, node.end))
    return concat(["let ", printer.show(node.buffer), " = ", source, attrs, ";"])


@prints(tree.LetStmt)
def _let(printer: Printer, node: tree.LetStmt) -> Layout:
    dtype = "" if node.dtype is None else f": {node.dtype.name}"
    left = f"let {lexemes.local_name(node.var.name)}{dtype}"
    end = node.var.end if node.dtype is None else node.dtype.end
    printer.hoist(end)
    return concat([assigned(printer, left, end, "=", node.value), ";"])


@prints(tree.BufferStore)
def _store(printer: Printer, node: tree.BufferStore) -> Layout:
    target = indices(printer, node.indices, (node.buffer.end, node.end))
    left = concat([lexemes.local_name(node.buffer.name), target])
    last = node.indices[-1].end if node.indices else node.buffer.end
    end = printer.comments.find("]", last) + 1 if printer.comments.following < node.end else last
    return concat([assigned(printer, left, end, node.op, node.value), ";"])


@prints(tree.AssertStmt)
def _assert(printer: Printer, node: tree.AssertStmt) -> Layout:
    return concat(["assert ", printer.expr(node.condition), ", ", lexemes.string(node.message), ";"])


@prints(tree.Break)
def _break(_: Printer, node: tree.Break) -> Layout:
    return "break;"


@prints(tree.Continue)
def _continue(_: Printer, node: tree.Continue) -> Layout:
    return "continue;"


@prints(tree.CallExtern)
def _call_extern(printer: Printer, node: tree.CallExtern) -> Layout:
    name = tree.StrLit(node.name, node.pos, node.pos)
    return concat([printer.sequence("call_extern(", (name, *node.args), (node.pos, node.end)), ";"])


# -- loops and conditions ------------------------------------------------------------------------------------


@prints(tree.For)
def _for(printer: Printer, node: tree.For) -> Layout:
    """`for i in 0..n { }`, `for parallel i, j in grid(n, m) { }`. [TIR.15]"""
    word = "for "
    if node.kind == "thread":
        word = f"for thread({lexemes.string(node.thread or '')}) "
    elif node.kind != "serial":
        word = f"for {node.kind} "
    variables = ", ".join([lexemes.local_name(var.name) for var in node.loop_vars])
    parts: list[Layout] = [f"{word}{variables} in "]
    printer.hoist(node.loop_vars[-1].end)  # so that neither the range nor the body takes comments before it
    if is_grid(node):
        start, stop = node.loop_vars[-1].end, node.body[0].pos if node.body else node.end
        parts.append(printer.sequence("grid(", [r.stop for r in node.ranges], (start, stop)))
    else:
        parts.append(printer.show(node.ranges[0]))
        printer.hoist(node.ranges[0].end)
    parts.append(attributes(printer, node.attrs, (node.ranges[-1].end, node.end)))
    lines = statements(printer, node.body, node.end - 1)
    return concat([*parts, " ", lines.braces()])


def is_grid(node: tree.For) -> bool:
    """Return whether a loop is written with `grid(…)`: several variables, or as the author chose."""
    if len(node.ranges) == 1 and not node.grid:
        return False
    for extent in node.ranges:
        low = extent.min
        if not isinstance(low, tree.IntImm) or low.value != 0 or low.dtype is not None:
            return False
    return True


@prints(tree.While)
def _while(printer: Printer, node: tree.While) -> Layout:
    head = condition(printer, "while ", node.condition)
    return concat([head, statements(printer, node.body, node.end - 1).after_brace()])


@prints(tree.IfThenElse)
def _if(printer: Printer, node: tree.IfThenElse) -> Layout:
    """`if c { } else if d { } else { }`. [TIR.6]"""
    parts: list[Layout] = []
    while True:
        early = printer.comments_before(node.condition) if parts else []
        head = condition(printer, "if ", node.condition)
        inside = node.then_case
        closer = _closer(printer, inside, printer.span(node.condition)[1], node.end)
        parts += [head, statements(printer, inside, closer, early).after_brace()]
        other = node.else_case
        if other:
            parts.append(printer.else_after(closer + 1))
        if (
            len(other) != 1
            or not isinstance(other[0], tree.IfThenElse)
            or _in_braces(printer, other[0], closer)
        ):
            break
        node = other[0]
    if other:
        parts.append(statements(printer, other, node.end - 1).braces())
    return concat(parts)


def _in_braces(printer: Printer, inner: tree.IfThenElse, closer: int) -> bool:
    """Return whether the author wrote `else { if … }` and not `else if …`."""
    return printer.text != "" and printer.comments.find("{", closer + 1) < inner.pos


# -- blocks --------------------------------------------------------------------------------------------------


@prints(tree.Block)
def _block(printer: Printer, node: tree.Block) -> Layout:
    """`block b (v = spatial(i)) where c reads [A[v]] writes [B[v]] { init { } … }`. [TIR.9-TIR.12]"""
    head: Layout = f"block {lexemes.local_name(node.name)}"
    at = node.pos
    if node.axes:
        head = concat([head, printer.sequence(" (", node.axes, (at, node.end))])
        at = node.axes[-1].end
    clauses: list[Layout] = []
    if node.predicate is not None:
        clauses.append(concat(["where ", printer.expr(node.predicate)]))
        at = printer.span(node.predicate)[1]
    for word, regions in (("reads [", node.reads), ("writes [", node.writes)):
        if regions is not None:
            clauses.append(printer.sequence(word, regions, (at, node.end)))
            at = regions[-1].end if regions else printer.comments.find("]", at)
    if node.attrs:
        clauses.append(printer.sequence("attrs {", node.attrs, (at, node.end), attr_of_item))
        at = node.attrs[-1].end
    body = _block_body(printer, node, at)
    if not node.predicate and node.reads is None and node.writes is None:
        return concat([head, *[concat([" ", clause]) for clause in clauses], " {", body])
    lines: list[Layout] = []
    for clause in clauses:
        lines += [LINE, clause]
    return concat([group(concat([head, nest(concat(lines)), LINE, "{"])), body])


def _block_body(printer: Printer, node: tree.Block, start: int) -> Layout:
    """Print the statements of a block and its closing brace. `start` lies behind the head. [TIR.10]"""
    if node.init is None:
        return statements(printer, node.body, node.end - 1).after_brace()
    brace = _opening_brace(printer, start)
    first = printer.comments.skip(brace + 1)
    if node.init and first > node.init[0].pos:
        first = node.init[0].pos  # a text of a language without braces
    lines = Lines(printer, first)
    closer = _closer(printer, node.init, first, node.end)
    end = closer + 1 if closer < 0 or printer.text.startswith("}", closer) else closer
    lines.add_text(lambda: _init(printer, node.init or (), closer), first, end)
    for statement in node.body:
        lines.add(statement, printer.show)
    lines.close(node.end - 1)
    return lines.after_brace()


def _init(printer: Printer, body: Sequence[tree.Stmt], closer: int) -> Layout:
    """Print `init { … }`, a single store on one line."""
    short = len(body) == 1 and isinstance(body[0], tree.BufferStore)
    return concat(["init ", group(statements(printer, body, closer).braces(may_be_flat=short))])


def _opening_brace(printer: Printer, start: int) -> int:
    """Return where the body opens behind a head; an empty `attrs { }` leaves no node and is passed over."""
    comments = printer.comments
    brace = comments.find("{", start)
    inside = comments.skip(brace + 1)
    if printer.text.startswith("}", inside):
        behind = comments.skip(inside + 1)
        if printer.text.startswith("{", behind):
            return behind
    return brace


@prints(tree.IterVar)
def _axis(printer: Printer, node: tree.IterVar) -> Layout:
    """`v = spatial(i, 0..n)`. [TIR.9]"""
    values: list[Node] = [node.value] if node.dom is None else [node.value, node.dom]
    opener = f"{lexemes.local_name(node.var.name)} = {node.kind}("
    return printer.sequence(opener, values, (node.var.end, node.end), commas=NOT_LAST)


@prints(tree.BufferRegion)
def _region(printer: Printer, node: tree.BufferRegion) -> Layout:
    """`A[v, 0..k]`. [TIR.11]"""
    return concat(
        [lexemes.local_name(node.buffer.name), indices(printer, node.region, (node.buffer.end, node.end))]
    )
