"""`relax diff`: whether two programs are the same up to names, and where they differ."""

from __future__ import annotations

import sys

from relax_lang import api
from relax_lang.base.python.output import put
from relax_lang.base.wording import counted
from relax_lang.format.lexemes import global_name

from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.style import style_for
from ..render.width import visible, width, window
from ..show import complain
from .programs import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.base.source import SourceFile
    from relax_lang.scope.alpha.equality import Difference

    from ..options import Shown
    from ..render.style import Style


def diff(paths: tuple[str, str], options: Shown) -> int:
    """Compare two programs in normal form; 1 if they differ, 2 if one of them cannot be compared."""
    sources: list[SourceFile] = []
    for path in paths:
        source = load(path, "", options)
        if source is None:
            return USAGE
        sources.append(source)
    left, right = sources
    try:
        found = api.differences(left, right)
    except api.RelaxError as error:
        complain(error.diagnostics, options, error.source)
        return USAGE
    style = style_for(sys.stdout, color=options.color, ascii_only=options.ascii)
    for one in found:
        put("\n".join([*_rows(one, left, right, style), "", ""]), sys.stdout)
    if not options.quiet:
        ended = f"{counted(len(found), 'difference')}" if found else "the same program, up to names"
        put(f"{visible(left.path)} and {visible(right.path)}: {ended}\n", sys.stdout)
    return PROBLEMS if found else CLEAN


def _rows(one: Difference, left: SourceFile, right: SourceFile, style: Style) -> list[str]:
    if one.left is None or one.right is None:
        item, source = (one.left, left) if one.left is not None else (one.right, right)
        assert item is not None
        return [
            style.paint(f"only in {visible(source.path)}: {visible(global_name(one.name))}", "headline"),
            *_place(item, source, style),
        ]
    name = f"{visible(global_name(one.name))} differs" if one.name else "the attributes of the modules differ"
    return [
        style.paint(f"{name}:", "headline"),
        *_place(one.left, left, style),
        *_place(one.right, right, style),
    ]


def _place(node: Node, source: SourceFile, style: Style) -> list[str]:
    """Return the line of a node, the node marked in it as far as it is on that line."""
    line, column = source.position(node.pos)
    text = source.text.split("\n", line)[line - 1] if line else ""
    before, marked = text[: column - 1], text[column - 1 :][: max(node.end - node.pos, 1)]
    head = f"  {visible(source.path)}:{line}:{column}  "
    indent = len(before) - len(before.lstrip())
    shown = window(
        visible(text[indent:].rstrip()), 0, max(style.source_width - width(head), 20), style.glyphs.cut
    )
    blanks = " " * (width(head) + width(visible(before[indent:])))
    marks = style.glyphs.primary * max(1, min(width(visible(marked)), width(shown)))
    if width(blanks) - width(head) >= width(shown):
        return [head + shown]
    return [head + shown, blanks + style.paint(marks, "error")]
