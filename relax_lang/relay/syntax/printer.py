"""Trees of Relay as text, with the layout algebra and the lists, chains and comments of the other formatter. [R.30]

The rows for expressions, patterns and items are here, those for types and values of attributes in `type_printer`.
"""

from __future__ import annotations

from relax_lang.base.doc import HARDLINE, concat, flat, group, render
from relax_lang.format.context import (
    IF_SINGLE,
    LEVELS,
    MISSING,
    NOT_LAST,
    Printer,
    own_lines,
    prints,
    trailing,
)
from relax_lang.format.statement_lists import Lines
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.comments import RelayComments, spelled
from relax_lang.relay.syntax.match_printer import in_parens
from relax_lang.relay.syntax.type_printer import number_text, type_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.format.context import Layout
    from relax_lang.syntax.parsed import Comment

WIDTH = 100
POSTFIX = 50
"""How tightly a call or a projection binds; what is called or projected from must bind at least so."""
ATOM = 60
INFIX = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
}

LEVELS[tree.Call] = lambda node: POSTFIX if node.infix is None else INFIX[node.infix]
LEVELS[tree.Proj] = lambda _: POSTFIX
LEVELS.update(dict.fromkeys((tree.Function, tree.If), lambda _: 0))
LEVELS.update(dict.fromkeys((tree.Match, tree.Block), lambda _: -1))


class RelayPrinter(Printer):
    """The state of one printing."""

    __slots__ = ()

    def __init__(
        self, text: str = "", comments: Sequence[Comment] = (), parens: dict[Node, Span] | None = None
    ) -> None:
        super().__init__(text, (), parens)
        self.comments = RelayComments(text, [spelled(one) for one in comments])


# -- modules -------------------------------------------------------------------------------------------------


@prints(tree.Module)
def _module(printer: Printer, node: tree.Module) -> Layout:
    """Print a file: one empty line between definitions, comments before what they belong to. [R.1]"""
    parts: list[Layout] = []
    comments = printer.comments
    if node.version is not None:
        parts += own_lines(comments.take(printer.text.find("[version") if "[version" in printer.text else 0))
        parts.append(f'#[version = "{node.version}"]')
    for item in node.items:
        if parts:
            parts += [HARDLINE] if parts[-1] is HARDLINE else [HARDLINE, HARDLINE]
        parts += _leading(printer, comments.skip(item.pos) if item.pos >= 0 else 0)
        outside, printer.hoisted = printer.hoisted, []
        doc = printer.show(item)
        parts += own_lines(printer.hoisted)
        printer.hoisted = outside
        parts += own_lines(comments.take(item.end))
        parts.append(doc)
        after = comments.take_trailing(item.end)
        if after is not None:
            parts.append(trailing(after))
    for comment in comments.take(len(printer.text) + 1):
        if parts:
            parts += [HARDLINE, HARDLINE] if comments.blank_before(comment.pos) else [HARDLINE]
        parts.append(comment.text)
    if node.metadata is not None:
        parts += [HARDLINE, HARDLINE] if parts else []
        parts.append(node.metadata.rstrip())
    return concat(parts)


def _leading(printer: Printer, before: int) -> list[Layout]:
    parts: list[Layout] = []
    for comment in printer.comments.take(before):
        if parts and printer.comments.blank_before(comment.pos):
            parts.append(HARDLINE)
        parts += [comment.text, HARDLINE]
    if parts and printer.comments.blank_before(before):
        parts.append(HARDLINE)
    return parts


@prints(tree.Def)
def _def(printer: Printer, node: tree.Def) -> Layout:
    return concat(_function_parts(printer, node.function, f"def @{node.name.name}", flat_body=False))


@prints(tree.TypeDef)
def _type_def(printer: Printer, node: tree.TypeDef) -> Layout:
    head = concat([f"type {node.name}", type_params(node.params), " "])
    if not node.ctors:
        return concat([head, "{ }"])
    lines = Lines(printer, node.ctors[0].pos)
    for ctor in node.ctors:
        lines.add(ctor, lambda one: concat([printer.show(one), ","]))
    lines.close(node.end - 1)
    return concat([head, lines.braces()])


@prints(tree.ExternType)
def _extern_type(_: Printer, node: tree.ExternType) -> Layout:
    return concat([f"extern type {node.name}", type_params(node.params)])


@prints(tree.Import)
def _import(_: Printer, node: tree.Import) -> Layout:
    return f'import "{node.path}"'


@prints(tree.Ctor)
def _ctor(printer: Printer, node: tree.Ctor) -> Layout:
    if not node.fields:
        return node.name
    return printer.sequence(f"{node.name}(", node.fields, (node.pos, node.end), commas=NOT_LAST)


# -- functions and blocks ------------------------------------------------------------------------------------


@prints(tree.Function)
def _function(printer: Printer, node: tree.Function) -> Layout:
    return concat(_function_parts(printer, node, "fn" if node.type_params else "fn ", flat_body=True))


def _function_parts(printer: Printer, node: tree.Function, head: str, *, flat_body: bool) -> list[Layout]:
    params: list[Node] = [*node.params, *node.attrs]
    head += type_params(node.type_params)
    if node.type_params and head.startswith("fn"):
        head += " "
    parts: list[Layout] = [printer.sequence(f"{head}(", params, (node.pos, node.body.pos), commas=NOT_LAST)]
    if node.result is not None:
        parts += [" -> ", group(printer.expr(node.result), tight=True)]
    if node.relations:
        parts.append(f" where {', '.join(node.relations)}")
    return [*parts, " ", group(_lines(printer, node.body).braces(may_be_flat=flat_body))]


@prints(tree.Param)
def _param(printer: Printer, node: tree.Param) -> Layout:
    parts: list[Layout] = [f"%{node.var.name}"]
    if node.attrs:
        stop = node.annotation.pos if node.annotation else node.end
        parts += [" ", printer.sequence("{", node.attrs, (node.var.end, stop), commas=NOT_LAST)]
    if node.annotation is not None:
        parts += [": ", printer.expr(node.annotation)]
    return concat(parts)


def _lines(printer: Printer, node: tree.Block) -> Lines:
    if not node.braces and node.pos >= 0 and not node.bindings:  # the `if` of `else if`
        return _value_lines(printer, node.value)
    first = node.bindings[0].pos if node.bindings else printer.span(node.value)[0]
    lines = Lines(printer, first)
    for binding in node.bindings:
        lines.add(binding, printer.show)
    lines.add(node.value, printer.expr)
    lines.close(node.end - 1)
    return lines


def _value_lines(printer: Printer, value: tree.Expr) -> Lines:
    lines = Lines(printer, printer.span(value)[0])
    lines.add(value, printer.expr)
    return lines


@prints(tree.Block)
def _block(printer: Printer, node: tree.Block) -> Layout:
    if node.braces or node.pos < 0:
        return group(_lines(printer, node).braces(may_be_flat=True))
    # What was read as a fragment has no braces of its own.
    parts: list[Layout] = []
    for binding in node.bindings:
        parts += [*own_lines(printer.comments.take(binding.pos)), printer.show(binding)]
        after = printer.comments.take_trailing(binding.end)
        parts += [HARDLINE] if after is None else [trailing(after), HARDLINE]
    return concat([*parts, *own_lines(printer.comments.take(node.value.pos)), printer.expr(node.value)])


@prints(tree.Let)
def _let(printer: Printer, node: tree.Let) -> Layout:
    parts: list[Layout] = [f"let %{node.var.name}"]
    if node.annotation is not None:
        parts += [": ", printer.expr(node.annotation)]
    return concat([*parts, " = ", printer.operand(node.value, 0), ";"])


@prints(tree.GraphBind)
def _graph_bind(printer: Printer, node: tree.GraphBind) -> Layout:
    return concat([f"%{node.var.index} = ", printer.operand(node.value, 0), ";"])


@prints(tree.FreeVar)
def _free_var(printer: Printer, node: tree.FreeVar) -> Layout:
    if node.annotation is None:
        return f"free_var %{node.var.name};"
    return concat([f"free_var %{node.var.name}: ", printer.expr(node.annotation), ";"])


@prints(tree.Then)
def _then(printer: Printer, node: tree.Then) -> Layout:
    return concat([printer.expr(node.value), ";"])


# -- if and match --------------------------------------------------------------------------------------------


@prints(tree.If)
def _if(printer: Printer, node: tree.If) -> Layout:
    """Print `if (c) { … } else if (d) { … } else { … }`, however long, without recursion."""
    parts: list[Layout] = []
    while True:
        parts += ["if ", in_parens(printer, node.cond), " ", _lines(printer, node.then).braces(), " else "]
        other = node.other
        if (
            other.braces
            or other.bindings
            or not isinstance(other.value, tree.If)
            or other.value in printer.parens
        ):
            return concat([*parts, _lines(printer, other).braces()])
        printer.hoist(other.value.pos)
        node = other.value


# -- expressions ---------------------------------------------------------------------------------------------


@prints(tree.Var)
def _var(_: Printer, node: tree.Var) -> Layout:
    return f"%{node.name}"


@prints(tree.GlobalVar)
def _global(_: Printer, node: tree.GlobalVar) -> Layout:
    return f"@{node.name}"


@prints(tree.GraphVar)
def _graph_var(_: Printer, node: tree.GraphVar) -> Layout:
    return f"%{node.index}"


@prints(tree.OpRef)
def _named(_: Printer, node: tree.OpRef) -> Layout:
    return node.name


@prints(tree.Const)
def _const(_: Printer, node: tree.Const) -> Layout:
    return node.text or number_text(node.value, node.dtype)


@prints(tree.MetaRef)
def _meta(_: Printer, node: tree.MetaRef) -> Layout:
    return f"meta[{node.key}][{node.index}]"


@prints(tree.Missing)
def _missing(_: Printer, node: tree.Missing) -> Layout:
    return MISSING


@prints(tree.Tuple)
def _tuple(printer: Printer, node: tree.Tuple) -> Layout:
    return printer.sequence(
        "(", node.fields, (node.pos, node.end), commas=IF_SINGLE if len(node.fields) == 1 else NOT_LAST
    )


@prints(tree.Proj)
def _proj(printer: Printer, node: tree.Proj) -> Layout:
    inner = printer.operand(node.tuple, ATOM)
    if isinstance(node.tuple, tree.Const) and node.tuple not in printer.parens:  # `2.1` is a number
        inner = concat(["(", inner, ")"])
    return concat([inner, f".{node.index}"])


@prints(tree.Call)
def _call(printer: Printer, node: tree.Call) -> Layout:
    if node.infix is not None:
        return group(_chain(printer, node, INFIX[node.infix]))
    chain = [node]
    while (
        isinstance(chain[-1].op, tree.Call)
        and chain[-1].op.infix is None
        and chain[-1].op not in printer.parens
    ):
        chain.append(chain[-1].op)
    parts: list[Layout] = [printer.operand(chain[-1].op, POSTFIX)]
    for link in reversed(chain):
        if link.type_args:
            parts.append(f"<{', '.join([flat(printer.show(one)) for one in link.type_args])}>")
        args: list[Node] = [*link.args, *link.attrs]
        start = link.type_args[-1].end if link.type_args else link.op.end
        parts.append(printer.sequence("(", args, (start, link.end), commas=NOT_LAST, hugs=(tree.Function,)))
    return concat(parts)


def _chain(printer: Printer, node: tree.Call, level: int) -> Layout:
    first: tree.Expr = node
    rest: list[tuple[str, Node]] = []
    while isinstance(first, tree.Call) and first.infix is not None and INFIX[first.infix] == level:
        if rest and first in printer.parens:
            break
        rest.append((first.infix, first.args[1]))
        first = first.args[0]
    rest.reverse()
    return printer.chain(first, level, rest, level + 1)


@prints(tree.RefNew)
def _ref_new(printer: Printer, node: tree.RefNew) -> Layout:
    return printer.sequence("ref(", (node.value,), (node.pos, node.end), commas=NOT_LAST)


@prints(tree.RefRead)
def _ref_read(printer: Printer, node: tree.RefRead) -> Layout:
    return printer.sequence("ref_read(", (node.ref,), (node.pos, node.end), commas=NOT_LAST)


@prints(tree.RefWrite)
def _ref_write(printer: Printer, node: tree.RefWrite) -> Layout:
    return printer.sequence("ref_write(", (node.ref, node.value), (node.pos, node.end), commas=NOT_LAST)


# -- the way in ----------------------------------------------------------------------------------------------


def print_tree(node: Node, width: int = WIDTH) -> str:
    """Print a tree that may have been built in Python; a module ends in a line end, pieces of one do not."""
    text = render(RelayPrinter().show(node), width)
    return f"{text}\n" if isinstance(node, tree.Module) and text else text


def show(node: Node, width: int | None = None) -> str:
    """Print a tree of any shape on one line, for messages; cut to `width` columns where one is given."""
    line = flat(RelayPrinter().show(node))
    return line if width is None or len(line) <= width else f"{line[: width - 1]}…"
