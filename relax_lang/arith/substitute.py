"""Names in dimension expressions: which there are, and expressions in their place."""

from __future__ import annotations

from relax_lang.arith.evaluate import names_in
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def free_variables(expr: tree.PrimExpr) -> tuple[str, ...]:
    """Return the names in an expression, each once, in the order of their first uses. [S.10 E.14]"""
    return tuple(dict.fromkeys([use.name for use in names_in(expr)]))


def substitute(expr: tree.PrimExpr, mapping: Mapping[str, tree.PrimExpr]) -> tree.PrimExpr:
    """Return an expression with names replaced, all at once: what is put in is not looked at again. [E.14]

    No scalar expression binds a name, so nothing that is put in is ever captured. What does not change is shared
    with the given expression; what does keeps its place in the text. A buffer that is indexed is not a dimension
    and stays.
    """
    if not mapping:
        return expr
    return _substituted(expr, mapping)


def _substituted(expr: tree.PrimExpr, mapping: Mapping[str, tree.PrimExpr]) -> tree.PrimExpr:
    if isinstance(expr, tree.PrimVar):
        return mapping.get(expr.name, expr)
    if not expr.CHILDREN:
        return expr
    changed = False
    fields: dict[str, Any] = {}
    for name in type(expr).__slots__:
        old: Any = getattr(expr, name)
        new: Any = old
        if isinstance(old, tree.PrimExpr):
            new = old if name == "buffer" else _substituted(old, mapping)
        elif isinstance(old, tuple):
            new = _substituted_parts(old, mapping)  # pyright: ignore[reportUnknownArgumentType]
        changed = changed or new is not old
        fields[name] = new
    if not changed:
        return expr
    make: Any = type(expr)
    return make(**fields, pos=expr.pos, end=expr.end)


def _substituted_parts(
    parts: tuple[tree.PrimExpr, ...], mapping: Mapping[str, tree.PrimExpr]
) -> tuple[tree.PrimExpr, ...]:
    """Substitute in the indices of a load or the arguments of a call."""
    new = tuple([_substituted(part, mapping) for part in parts])
    return parts if new == parts else new  # nodes are equal by identity only
