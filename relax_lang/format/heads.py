"""Comments in the heads of statements of PrimFuncs: in the brackets of a buffer, and around `=`. [G.42] [TIR.1]

A comment there stays between the words that it stands between. Texts of other languages have other words: where a mark
is not found, comments go where the rest of the printer puts them.
"""

from __future__ import annotations

from relax_lang.base.doc import HARDLINE, Doc, concat, nest
from relax_lang.format import lexemes
from relax_lang.format.context import own_lines, trailing
from relax_lang.format.prim_exprs import dims
from relax_lang.format.struct_info import in_brackets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.format.context import Layout, Printer
    from relax_lang.syntax import tree
    from relax_lang.syntax.parser import Comment


def buffer_head(printer: Printer, node: tree.Buffer) -> Layout:
    """Print `Buffer[(n, m), float32]`, one part a line if there are comments beside the dimensions."""
    comments, dtype = printer.comments, node.dtype
    marks = _marks(printer, node) if comments.following < node.end else None
    if marks is None:
        return in_brackets("Buffer", [dims(printer, node.shape, (node.pos, node.end)), dtype.name])
    opener, first = marks
    printer.hoist(opener)
    taken = comments.n_taken
    head = comments.take_after("[", first)
    before = own_lines(comments.take(first))
    outside = comments.n_taken > taken
    shape = dims(printer, node.shape, (first, node.end))
    last = node.shape[-1].end if node.shape else first + 1
    taken = comments.n_taken
    behind = comments.take_trailing(comments.find(")", last) + 1)
    between = own_lines(comments.take(dtype.pos))
    after = comments.take_trailing(dtype.end)
    tail = comments.take(comments.find("]", dtype.end))
    if not outside and comments.n_taken == taken:
        return in_brackets("Buffer", [shape, dtype.name])
    lines: list[Layout] = [
        *_at_end(head),
        HARDLINE,
        *before,
        shape,
        ",",
        *_at_end(behind),
        HARDLINE,
        *between,
    ]
    lines += [dtype.name, ",", *_at_end(after)]
    for comment in tail:
        lines += [HARDLINE, comment.text.rstrip()]
    return concat(["Buffer[", nest(concat(lines)), HARDLINE, "]"])


def _marks(printer: Printer, node: tree.Buffer) -> tuple[int, int] | None:
    """Return where the brackets and the dimensions of a buffer begin; None if the text has no such."""
    text, comments = printer.text, printer.comments
    name = lexemes.local_name(node.name)
    if not text.startswith(name, node.pos):
        return None
    opener = comments.find("[", node.pos + len(name))
    first = comments.skip(opener + 1)
    return (opener, first) if first < node.end and text.startswith("(", first) else None


def assigned(printer: Printer, left: Layout, end: int, operator: str, value: Node) -> Layout:
    """Print `left = value`, where `left` ends at an offset of the text."""
    comments = printer.comments
    start = printer.span(value)[0]
    mark = comments.find(operator[0], end) if comments.following < start else start
    if mark >= start or not printer.text.startswith(operator, mark):
        return concat([left, f" {operator} ", printer.expr(value)])
    before, after = comments.take(mark), comments.take(start)
    lines: list[Layout] = _below(printer, before, end)
    lines += [HARDLINE if before else " ", operator]
    lines += _below(printer, after, mark)
    lines += [HARDLINE if after else " ", printer.expr(value)]
    return concat([left, nest(concat(lines))])


def _below(printer: Printer, found: list[Comment], end: int) -> list[Layout]:
    """Return comments behind a word that ends at an offset: the first one on its line if it is written there."""
    lines: list[Layout] = []
    for index, comment in enumerate(found):
        if index == 0 and "\n" not in printer.text[end : comment.pos]:
            lines.append(trailing(comment.text))
        else:
            lines += [HARDLINE, comment.text.rstrip()]
    return lines


def _at_end(comment: str | None) -> list[Doc]:
    return [] if comment is None else [trailing(comment)]
