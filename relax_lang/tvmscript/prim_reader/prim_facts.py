"""What TVM reads in a PrimFunc that changes nothing about what it computes, as attributes; see `tvmscript.spelling`."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import Span
    from relax_lang.tvmscript.prim_reader.prim_funcs import PrimFuncReader


def attributes(reader: PrimFuncReader, decorator: ast.expr, span: Span) -> tuple[tree.Attr, ...]:
    """Return the attributes of a PrimFunc that say how TVM has it."""
    made: list[tree.Attr] = []
    if reader.reading.aliases.is_current and not _is_s_tir(decorator):
        made.append(tree.Attr(spelling.S_TIR, tree.BoolLit(False, *span), *span))
    names = [one.name for one in reader.params if isinstance(one, tree.Buffer) and one.name in reader.details]
    if names:
        entries = [tree.Attr(name, tree.MapLit(tuple(reader.details[name]), *span), *span) for name in names]
        made.append(tree.Attr(spelling.BUFFERS, tree.MapLit(tuple(entries), *span), *span))
    if reader.cells:
        cells = [tree.StrLit(name, *span) for name in dict.fromkeys(reader.cells)]
        made.append(tree.Attr(spelling.CELLS, tree.ListLit(tuple(cells), *span), *span))
    if reader.results:
        results = [
            tree.Attr(name, tree.StrLit(dtype, *span), *span) for name, dtype in reader.results.items()
        ]
        made.append(tree.Attr(spelling.RESULTS, tree.MapLit(tuple(results), *span), *span))
    if reader.branches:
        words = [tree.StrLit(one, *span) for one in reader.branches]
        made.append(tree.Attr(spelling.BRANCHES, tree.ListLit(tuple(words), *span), *span))
    return tuple(made)


def _is_s_tir(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call):
        return False
    given = [one.value for one in decorator.keywords if one.arg == spelling.S_TIR]
    return bool(given) and not (isinstance(given[0], ast.Constant) and given[0].value is False)
