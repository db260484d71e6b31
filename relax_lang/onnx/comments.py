"""A program that was built, as text with comments before some of its bindings.

Comments belong to places of a text, so the program is printed and read once: its bindings come in the same order.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.base.source import SourceFile
from relax_lang.format.printer import print_tree
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.check.driver import CheckConstant
    from relax_lang.onnx.builder import Builder
    from relax_lang.onnx.values import Array

OPEN = ("operands-may-differ", "operands-fit-empty-only")
"""What the checker reports of operands whose extents a model leaves open."""
MOST_LINES = 20
"""Of the documentation of a model or of a node."""
WIDEST = 100


def remark(said: str) -> list[str]:
    """Return the documentation of a model or of a node as comments; none of them means anything to the toolchain."""
    lines = [" ".join(line.split()) for line in said.strip().splitlines()[:MOST_LINES]]
    plain = ["".join([c for c in line if c.isprintable()]).replace("relax:", "relax") for line in lines]
    return [f"# {line if len(line) <= WIDEST else line[: WIDEST - 1] + '…'}".rstrip() for line in plain]


def with_comments(
    module: tree.IRModule,
    comments: Mapping[tree.Binding, Sequence[str]],
    head: Sequence[str] = (),
    inside: Mapping[tree.Binding, Sequence[tuple[int, str]]] | None = None,
) -> str:
    """Return a module as text, with comments at its head and on the lines before bindings. Raises Unprintable.

    `inside` has comments for further lines of bindings, each with the number of characters from the binding's first one
    to the line.
    """
    text = print_tree(module)
    parts = [f"{comment}\n" for comment in head]
    inside = inside or {}
    if not comments and not inside:
        return "".join([*parts, text])
    at = 0
    for own, read in zip(_bindings(module), _bindings(parse(text).tree), strict=True):
        lines = [(text.rindex("\n", 0, read.pos) + 1, comment) for comment in comments.get(own, ())]
        lines += [(read.pos + offset, comment) for offset, comment in inside.get(own, ())]
        for line, comment in lines:
            parts.append(text[at:line])
            code = len(text) - len(text[line:].lstrip(" "))
            parts.append(f"{text[line:code]}{comment}\n")
            at = line
    return "".join([*parts, text[at:]])


def mark_open_operands(module: tree.IRModule, builder: Builder) -> dict[tree.Binding, list[tuple[int, str]]]:
    """Silence the hints at bindings whose operands the model itself leaves open; the checker reports which.

    Returns the comments for further lines of bindings; see `with_comments`.
    """
    from relax_lang.check.driver import check_source

    text = print_tree(module)
    checked = check_source(SourceFile(text), _headers(builder.weights.arrays))
    hints = [(one.pos, one.slug) for one in checked.diagnostics if one.slug in OPEN]
    inside: dict[tree.Binding, list[tuple[int, str]]] = {}
    for own, read in zip(_bindings(module), _bindings(checked.tree), strict=True):
        if any(isinstance(one, tree.SeqExpr) for one in walk(read)):
            continue
        lines: dict[int, set[str]] = {}
        for pos, slug in hints:
            if read.pos <= pos < read.end:
                lines.setdefault(max(read.pos, text.rindex("\n", 0, pos) + 1), set()).add(slug)
        for line, slugs in sorted(lines.items()):
            comment = f"# relax: ignore[{', '.join(sorted(slugs))}]"
            if line == read.pos:
                builder.comments[own] = [*builder.comments.get(own, ()), comment]
            else:
                inside.setdefault(own, []).append((line - read.pos, comment))
    return inside


class _Header:
    """Dtype and shape of a weight, as the checker asks for them."""

    def __init__(self, array: Array) -> None:
        self.dtype: str = array.dtype.name
        self.shape: tuple[int, ...] = array.shape


def _headers(arrays: Mapping[str, Array]) -> CheckConstant:
    def check(literal: tree.FileLit) -> _Header:
        return _Header(arrays[literal.key or ""])

    return check


def _bindings(module: tree.IRModule) -> list[tree.Binding]:
    return [node for node in walk(module) if isinstance(node, tree.VarBinding | tree.MatchCast)]
