"""Scalar expressions: dimensions, and the code of PrimFuncs. [G.1-G.8]"""

from __future__ import annotations

from relax_lang.base.doc import concat, group
from relax_lang.format import lexemes
from relax_lang.format.context import IF_SINGLE, LEVELS, NOT_LAST, prints
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.operators import COMPARISONS, PRIM_INFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.format.context import Layout, Printer

COMPARE = 4
PREFIX = 11

_TIGHTNESS = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(COMPARISONS, COMPARE),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys("+-", 9),
    **dict.fromkeys(("*", "/", "//", "%"), 10),
}

INFIX: dict[type[Node], tuple[str, int]] = {
    node: (symbol, _TIGHTNESS[symbol]) for symbol, node in PRIM_INFIX.items()
}
"""Infix operators: the operator as written, and how tightly they bind. [Y.10]"""

PREFIXES: dict[type[Node], tuple[str, int]] = {
    tree.Not: ("!", 3),
    tree.Neg: ("-", PREFIX),
    tree.BitNot: ("~", PREFIX),
}

CALLS: dict[type[Node], str] = {tree.Min: "min", tree.Max: "max", tree.Select: "select"}
"""Nodes written as calls of a fixed name; their fields are the arguments in order."""

LEVELS.update({cls: lambda _, level=level: level for cls, (_, level) in {**INFIX, **PREFIXES}.items()})


@prints(*INFIX)
def _infix(printer: Printer, node: tree.Add) -> Layout:
    return group(infix_chain(printer, node))


def infix_chain(printer: Printer, node: tree.Add) -> Layout:
    """Print `a + b - c` without a group around it, so that the caller can break more than the operators."""
    level = INFIX[type(node)][1]
    first: tree.PrimExpr = node
    rest: list[tuple[str, Node]] = []
    while True:
        assert type(first) in INFIX
        infix: tree.Add = first  # type: ignore[assignment]  # all infix nodes have the same fields
        rest.append((INFIX[type(first)][0], infix.b))
        first = infix.a
        follows = type(first) in INFIX and INFIX[type(first)][1] == level and level != COMPARE
        if not follows or first in printer.parens:
            break
    rest.reverse()
    return printer.chain(first, level + 1 if level == COMPARE else level, rest, level + 1)


@prints(*PREFIXES)
def _prefix(printer: Printer, node: tree.Neg) -> Layout:
    symbol, level = PREFIXES[type(node)]
    return concat([symbol, printer.operand(node.a, level)])


@prints(tree.PrimVar)
def _var(_: Printer, node: tree.PrimVar) -> Layout:
    return lexemes.local_name(node.name)


@prints(tree.IntImm)
def _int(_: Printer, node: tree.IntImm) -> Layout:
    text = lexemes.integer(node.value, node.text)
    return text if node.dtype is None else f"{node.dtype.name}({text})"


@prints(tree.FloatImm)
def _float(_: Printer, node: tree.FloatImm) -> Layout:
    text = lexemes.fraction(node.value, node.text)
    return text if node.dtype is None else f"{node.dtype.name}({text})"


@prints(tree.BoolImm)
def _bool(_: Printer, node: tree.BoolImm) -> Layout:
    return "true" if node.value else "false"


@prints(tree.Min, tree.Max)
def _two(printer: Printer, node: tree.Min) -> Layout:
    return printer.sequence(CALLS[type(node)] + "(", (node.a, node.b), (node.pos, node.end))


@prints(tree.Select)
def _select(printer: Printer, node: tree.Select) -> Layout:
    return printer.sequence(
        "select(", (node.condition, node.true_value, node.false_value), (node.pos, node.end)
    )


@prints(tree.Cast)
def _cast(printer: Printer, node: tree.Cast) -> Layout:
    return printer.sequence("cast(", (node.value, node.dtype), (node.pos, node.end))


@prints(tree.TypeLimit)
def _limit(printer: Printer, node: tree.TypeLimit) -> Layout:
    return printer.sequence(f"{node.name}(", (node.dtype,), (node.pos, node.end), commas=NOT_LAST)


@prints(tree.PrimCall)
def _call(printer: Printer, node: tree.PrimCall) -> Layout:
    return printer.sequence(lexemes.local_name(node.name) + "(", node.args, (node.pos, node.end))


@prints(tree.BufferLoad)
def _load(printer: Printer, node: tree.BufferLoad) -> Layout:
    return concat(
        [lexemes.local_name(node.buffer.name), indices(printer, node.indices, (node.buffer.end, node.end))]
    )


def indices(printer: Printer, values: Sequence[Node], within: Span) -> Layout:
    """Print `[i, j]`, or `[()]` for none. [TIR.3]"""
    return printer.sequence("[", values, within) if values else "[()]"


def dims(printer: Printer, values: Sequence[tree.PrimExpr], within: Span) -> Layout:
    """Print `(n, 4)`, `(n,)`, `()`. [G.16]"""
    return printer.sequence("(", values, within, commas=IF_SINGLE)


@prints(tree.Range)
def _range(printer: Printer, node: tree.Range) -> Layout:
    low = printer.expr(node.min)
    printer.hoist(printer.span(node.stop)[0])  # so that the end does not take comments before it
    return concat([low, "..", printer.expr(node.stop)])
