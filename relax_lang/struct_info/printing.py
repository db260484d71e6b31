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
    return show(info) if size_of(info) <= MOST_PARTS else _abridged(info, 3)


def size_of(info: Info) -> int:
    """Return the number of parts that the text of an info has."""
    return _size(info, {})


def _size(info: Info, memo: dict[int, int]) -> int:
    if not isinstance(info, tree.TupleStructInfo | tree.FuncStructInfo):
        return 1
    if id(info) not in memo:
        memo[id(info)] = 1 + sum([_size(part, memo) for part in _parts(info)])
    return memo[id(info)]


def _parts(info: tree.TupleStructInfo | tree.FuncStructInfo) -> tuple[Info, ...]:
    if isinstance(info, tree.TupleStructInfo):
        return info.fields
    return (info.params or ()) if info.ret is None else (*(info.params or ()), info.ret)


def _abridged(info: Info, depth: int) -> str:
    if not isinstance(info, tree.TupleStructInfo):
        return show(info) if size_of(info) <= MOST_PARTS else "fn …"
    if depth == 0 and info.fields:
        return "(…)"
    parts = [_abridged(field, depth - 1) for field in info.fields[:8]]
    return f"({', '.join([*parts, '…'] if len(info.fields) > len(parts) else parts)})"
