"""Cells of TVM 0.27: `x = e` is memory of one element, which an assignment in a loop or branch inside changes.

A cell that is only assigned in the block that defines it is a `let`, and each further assignment another one. One that
statements inside that block assign to is an allocation of one element, with the attribute `cell: true`.
"""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.prim_reader.buffer_types import BufferName
from relax_lang.tvmscript.prim_reader.views import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.source import Span

    Scope = dict[str, ast.stmt | None]


def changing(body: Sequence[ast.stmt]) -> set[ast.stmt]:
    """Return the definitions of names that are changed: by statements inside their block, or by `x += e`."""
    found: set[ast.stmt] = set()
    _note(body, [{}], found)
    return found


def _note(body: Sequence[ast.stmt], scopes: list[Scope], found: set[ast.stmt]) -> None:
    for one in body:
        if isinstance(one, ast.Assign | ast.AnnAssign | ast.AugAssign):
            target = one.targets[0] if isinstance(one, ast.Assign) else one.target
            if isinstance(target, ast.Name):
                _assigned(one, target.id, scopes, found)
            continue
        blocks = [getattr(one, field, []) for field in ("body", "orelse")]
        if isinstance(one, ast.For | ast.While | ast.If | ast.With):
            for block in blocks:
                _note(block, [*scopes, dict.fromkeys(_variables(one))], found)


def _assigned(one: ast.stmt, name: str, scopes: list[Scope], found: set[ast.stmt]) -> None:
    for level, scope in reversed(list(enumerate(scopes))):
        if name in scope:
            first = scope[name]
            is_inside = level < len(scopes) - 1
            if first is not None and (is_inside or isinstance(one, ast.AugAssign)):
                found.add(first)
            return
    if not isinstance(one, ast.AugAssign):
        scopes[-1][name] = one


def _variables(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines for its block."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.For):
        targets = [node.target]
    elif isinstance(node, ast.With):
        targets = [one.optional_vars for one in node.items if one.optional_vars is not None]
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def is_of_one_element(buffer: BufferName | None) -> bool:
    """Return whether an assignment to the name of a buffer stores to it: it has one axis and one element."""
    return buffer is not None and len(buffer.node.shape) == 1 and count(buffer.node.shape) == 1


def allocated(name: str, dtype: str, place: Span, span: Span) -> tuple[BufferName, tree.Allocate]:
    """Return a cell and its allocation."""
    one = tree.IntImm(1, None, "1", *place)
    made = tree.Buffer(name, (one,), tree.DType(dtype, *place), *place)
    attrs = (tree.Attr(spelling.CELL, tree.BoolLit(True, *place), *place),)
    return BufferName(name, dtype, made, is_cell=True), tree.Allocate(made, None, attrs, *span)
