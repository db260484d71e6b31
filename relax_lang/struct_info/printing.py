"""The text of an info for messages. Infos may share parts, so the text of one in a short program can be huge."""

from __future__ import annotations

from relax_lang.format.printer import show
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    Info = tree.StructInfo

MOST_PARTS = 300
"""An info with more parts is abridged."""


def shown(info: Info) -> str:
    """Return the text of an info; that of a very large one leaves parts of tuples out."""
    return _abridged(info, 3) if is_large(info) else show(info)


def is_large(info: Info, most: int = MOST_PARTS) -> bool:
    """Return whether the text of an info has more than so many parts; no more of them are looked at."""
    n_parts = 1
    rest = [info]
    while rest and n_parts <= most:
        part = rest.pop()
        if isinstance(part, tree.TupleStructInfo | tree.FuncStructInfo):
            parts = _parts(part)
            n_parts += len(parts)
            rest += parts[:most]
    return n_parts > most


def _parts(info: tree.TupleStructInfo | tree.FuncStructInfo) -> tuple[Info, ...]:
    if isinstance(info, tree.TupleStructInfo):
        return info.fields
    return (info.params or ()) if info.ret is None else (*(info.params or ()), info.ret)


def _abridged(info: Info, depth: int) -> str:
    if not isinstance(info, tree.TupleStructInfo):
        return "fn …" if is_large(info) else show(info)
    if depth == 0 and info.fields:
        return "(…)"
    parts = [_abridged(field, depth - 1) for field in info.fields[:8]]
    return f"({', '.join([*parts, '…'] if len(info.fields) > len(parts) else parts)})"
