"""Trees as text: the public functions of the formatter, except those that read text themselves (see `safe`).

One printer for everything: files, trees built in Python, and pieces of code in messages. The rows of its
table are in the neighbouring modules; importing them fills it. Never changes a tree and never decides what
a program means.
"""

from __future__ import annotations

from relax_lang.base.doc import concat, flat, render
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.format import expressions, functions, literals, prim_exprs, struct_info, tir
from relax_lang.format.context import TABLE, Printer, own_lines
from relax_lang.format.fields import Unprintable
from relax_lang.format.printable import check_printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.base.node import Node
    from relax_lang.syntax.parser import Parsed

__all__ = ["ROWS", "WIDTH", "Unprintable", "format_parsed", "print_tree", "show"]

WIDTH = 100
"""Columns of a line, where the code can be broken to keep to them."""

ROWS = TABLE
"""How every node is printed: `{node class: function}`."""
assert all(module.__name__ for module in (expressions, functions, literals, prim_exprs, struct_info, tir))


def print_tree(node: Node, width: int = WIDTH, above: Mapping[Node, Sequence[str]] | None = None) -> str:
    """Print a tree that may have been built in Python; a module ends in a line end, pieces of one do not.

    `above` has comments for statements, each with its `#`, which get lines of their own before them.

    What is printed is read back as an equal tree. Raises `Unprintable` if no text is. What belongs to the normal form
    is the exception: `Op` and `DataflowVar` are read back as the `Var` of that name, which name resolution turns back
    unless a local variable has the operator's name (`Resolved.hidden`), and `PrimValue` as an ordinary expression.
    [G.43]
    """
    check_printable(node)
    return _finish(node, render(Printer(above=above).show(node), width))


def format_parsed(parsed: Parsed, width: int = WIDTH) -> str:
    """Print a tree as its author wrote it: comments, parentheses, spellings, empty lines are kept. [G.42]"""
    with no_collection():
        printer = Printer(parsed.text, parsed.comments, parsed.parens)
        doc = printer.expr(parsed.tree)
        rest = printer.hoisted + printer.comments.take(len(parsed.text) + 1)
        if rest:  # a fragment; a module prints all its comments
            doc = concat([*own_lines(rest), doc])
        return _finish(parsed.tree, render(doc, width))


def _finish(node: Node, text: str) -> str:
    return f"{text}\n" if type(node).__name__ == "IRModule" and text else text


def show(node: Node, width: int | None = None) -> str:
    """Print a tree of any shape on one line, for messages; cut to `width` columns where one is given."""
    line = flat(Printer().show(node))
    return line if width is None or len(line) <= width else f"{line[: width - 1]}…"
