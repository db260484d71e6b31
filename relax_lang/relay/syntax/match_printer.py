"""Matches and patterns as text. [R.17] [R.30]"""

from __future__ import annotations

from relax_lang.base.doc import SOFTLINE, concat, group, nest
from relax_lang.format.context import IF_SINGLE, NOT_LAST, Printer, prints
from relax_lang.format.statement_lists import Lines
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.format.context import Layout


def in_parens(printer: Printer, node: tree.Expr) -> Layout:
    """Print an expression in parentheses, of which there is one pair."""
    if node in printer.parens:
        return printer.expr(node)
    return group(concat(["(", nest(concat([SOFTLINE, printer.expr(node)])), SOFTLINE, ")"]))


@prints(tree.Match)
def _match(printer: Printer, node: tree.Match) -> Layout:
    word = "match " if node.total else "match? "
    head = [word, in_parens(printer, node.data), " "]
    if not node.clauses:
        return concat([*head, "{ }"])
    lines = Lines(printer, node.clauses[0].pos)
    for clause in node.clauses:
        lines.add(clause, lambda one: concat([printer.show(one), ","]))
    lines.close(node.end - 1)
    return concat([*head, lines.braces()])


@prints(tree.Clause)
def _clause(printer: Printer, node: tree.Clause) -> Layout:
    return concat([printer.show(node.pattern), " => ", printer.expr(node.body)])


@prints(tree.PWild)
def _pattern_wild(_: Printer, node: tree.PWild) -> Layout:
    return "_"


@prints(tree.PVar)
def _pattern_var(printer: Printer, node: tree.PVar) -> Layout:
    if node.annotation is None:
        return f"%{node.var.name}"
    return concat([f"%{node.var.name}: ", printer.expr(node.annotation)])


@prints(tree.PCtor)
def _pattern_ctor(printer: Printer, node: tree.PCtor) -> Layout:
    if not node.fields:
        return node.name
    return printer.sequence(f"{node.name}(", node.fields, (node.pos, node.end), Printer.show, commas=NOT_LAST)


@prints(tree.PTuple)
def _pattern_tuple(printer: Printer, node: tree.PTuple) -> Layout:
    return printer.sequence("(", node.fields, (node.pos, node.end), Printer.show, commas=IF_SINGLE)
