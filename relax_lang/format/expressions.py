"""Relax expressions, except functions and blocks. [G.22-G.35]"""

from __future__ import annotations

from relax_lang.base.doc import LINE, concat, group
from relax_lang.base.node import replaced
from relax_lang.format import lexemes
from relax_lang.format.context import IF_SINGLE, LEVELS, MISSING, TIGHTEST, prints
from relax_lang.format.prim_exprs import INFIX as PRIM_INFIX
from relax_lang.format.prim_exprs import infix_chain
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.operators import COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.format.context import Layout, Printer

COMPARE = 4
POWER = 8
RESULT = 9
POSTFIX = 10

INFIX = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(COMPARISONS, COMPARE),
    **dict.fromkeys("+-", 5),
    **dict.fromkeys(("*", "/", "//", "%"), 6),
    "**": POWER,
}
"""Infix operators and how tightly they bind. [Y.10]"""
PREFIX = {"!": 3, "-": 7}

LEVELS[tree.BinaryOp] = lambda node: INFIX.get(node.op, 0)
LEVELS[tree.UnaryOp] = lambda node: PREFIX.get(node.op, 0)
LEVELS[tree.Call] = lambda node: TIGHTEST if node.struct_info is None else RESULT
# The grammar needs no parentheses around these, but `fn (x: Tensor) { x }(y)` is hard to read.
LEVELS.update(dict.fromkeys((tree.Function, tree.If, tree.SeqExpr), lambda _: 0))

HUGGED = (tree.Function, tree.SeqExpr)
"""As a last argument these begin on the line of the call."""


@prints(tree.Var, tree.DataflowVar)
def _var(printer: Printer, node: tree.Var) -> Layout:
    """Print a use, or a definition with its annotation."""
    name = lexemes.local_name(node.name_hint)
    if node.struct_info_annotation is None:
        return name
    return concat([name, ": ", printer.expr(node.struct_info_annotation)])


@prints(tree.GlobalVar)
def _global(_: Printer, node: tree.GlobalVar) -> Layout:
    return lexemes.global_name(node.name_hint)


@prints(tree.Op)
def _op(_: Printer, node: tree.Op) -> Layout:
    return lexemes.operator_name(node.op_name)


@prints(tree.ExternFunc)
def _extern(_: Printer, node: tree.ExternFunc) -> Layout:
    return f"extern {lexemes.string(node.global_symbol)}"


@prints(tree.Missing)
def _missing(_: Printer, node: tree.Missing) -> Layout:
    return MISSING


@prints(tree.Tuple)
def _tuple(printer: Printer, node: tree.Tuple) -> Layout:
    return printer.sequence("(", node.fields, (node.pos, node.end), commas=IF_SINGLE)


@prints(tree.ShapeExpr)
def _shape(printer: Printer, node: tree.ShapeExpr) -> Layout:
    return printer.sequence("shape(", node.values, (node.pos, node.end))


@prints(tree.PrimValue)
def _prim_value(printer: Printer, node: tree.PrimValue) -> Layout:
    """Print the scalar as it is: the node belongs to the normal form and has no text of its own."""
    value = node.value
    if isinstance(value, tree.IntImm | tree.FloatImm) and value.dtype is not None:
        return f"const({printer.expr(replaced(value, dtype=None))}, {value.dtype.name})"
    return printer.expr(value)


@prints(tree.UnaryOp)
def _prefix(printer: Printer, node: tree.UnaryOp) -> Layout:
    return concat([node.op, printer.operand(node.operand, PREFIX.get(node.op, 0))])


@prints(tree.BinaryOp)
def _infix(printer: Printer, node: tree.BinaryOp) -> Layout:
    return group(_chain(printer, node))


def _chain(printer: Printer, node: tree.BinaryOp) -> Layout:
    level = INFIX.get(node.op, 0)
    return _powers(printer, node) if level == POWER else _left_chain(printer, node, level)


def _left_chain(printer: Printer, node: tree.BinaryOp, level: int) -> Layout:
    first: tree.Expr = node
    rest: list[tuple[str, Node]] = []
    while isinstance(first, tree.BinaryOp) and INFIX.get(first.op, 0) == level:
        if rest and (level == COMPARE or first in printer.parens):
            break
        rest.append((first.op, first.rhs))
        first = first.lhs
    rest.reverse()
    return printer.chain(first, level + 1 if level == COMPARE else level, rest, level + 1)


def _powers(printer: Printer, node: tree.BinaryOp) -> Layout:
    """Print `a ** b ** c`: to the right."""
    rest: list[tuple[str, Node]] = []
    last: tree.Expr = node.rhs
    while isinstance(last, tree.BinaryOp) and last.op == "**" and last not in printer.parens:
        rest.append(("**", last.lhs))
        last = last.rhs
    # A base binds more tightly than the exponent at the end, which may have a sign.
    rest.append(("**", last))
    return printer.chain(node.lhs, RESULT, rest, RESULT, last_level=PREFIX["-"])


def condition(printer: Printer, keyword: str, node: Node) -> Layout:
    """Print `if c {` without the brace's content: the brace begins a line if the condition takes several."""
    if node in printer.parens:
        return concat([keyword, printer.expr(node), " {"])
    if isinstance(node, tree.BinaryOp):
        return group(concat([keyword, _chain(printer, node), LINE, "{"]))
    if type(node) in PRIM_INFIX:
        return group(concat([keyword, infix_chain(printer, node), LINE, "{"]))  # type: ignore[arg-type]
    return concat([keyword, printer.expr(node), " {"])


@prints(tree.Call, tree.TupleGetItem, tree.MissingField)
def _postfix(printer: Printer, node: tree.Call | tree.TupleGetItem | tree.MissingField) -> Layout:
    """Print `f(x)(y)[0]`, however long, without recursion."""
    chain: list[tree.Call | tree.TupleGetItem | tree.MissingField] = []
    base: tree.Expr = node
    while isinstance(base, tree.Call | tree.TupleGetItem | tree.MissingField):
        if chain and (printer.needs_parens(base, POSTFIX) or base in printer.parens):
            break
        chain.append(base)
        base = base.op if isinstance(base, tree.Call) else base.tuple_value
    parts = [printer.operand(base, POSTFIX)]
    for link in reversed(chain):
        if isinstance(link, tree.Call):
            parts.append(_arguments(printer, link))
        elif isinstance(link, tree.TupleGetItem):
            parts.append(f"[{lexemes.integer(link.index)}]")
        else:
            parts.append(f"[{MISSING}]")
    if isinstance(node, tree.Call) and node.struct_info is not None:
        result = printer.expr(node.struct_info)
        tight = not isinstance(node.struct_info, tree.TupleStructInfo)
        parts += [" -> ", group(result, tight=True) if tight else result]
    return concat(parts)


def _arguments(printer: Printer, node: tree.Call) -> Layout:
    start = printer.span(node.op)[1]
    return printer.sequence("(", (*node.args, *node.attrs), (start, node.end), hugs=HUGGED)
