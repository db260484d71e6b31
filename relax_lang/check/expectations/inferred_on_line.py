"""The infos of the values that begin on a line, by the names of the author."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.check.infer.context.infos_as_written import InfosAsWritten
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.check.driver import Checked

    Info = tree.StructInfo


class RevealedLines:
    """The names and infos of the values of a program by the line that they begin on, in the order of the text."""

    def __init__(self, checked: Checked) -> None:
        infos = InfosAsWritten(checked.resolved, checked.inferred)
        found: list[tuple[int, str, Info]] = []
        for node in walk(checked.tree):
            reveal = _STATEMENTS.get(type(node))
            if reveal is not None:
                found += reveal(infos, node)
        self._lines: dict[int, list[tuple[str, Info]]] = {}
        for pos, name, info in sorted(found, key=_offset):
            self._lines.setdefault(checked.source.position(pos)[0], []).append((name, info))

    def __call__(self, line: int) -> list[tuple[str, Info]]:
        """Return names and infos of the statements and results that begin on a line; some have no name."""
        return self._lines.get(line, [])


def _offset(one: tuple[int, str, Info]) -> int:
    return one[0]


def _binding(infos: InfosAsWritten, binding: tree.Binding) -> list[tuple[int, str, Info]]:
    var = binding.var
    if var is None:  # `match_cast(e, S);` has no variable, but S holds after it
        assert isinstance(binding, tree.MatchCast)
        shown = binding.struct_info
        return [] if isinstance(shown, tree.MatchShapeInfo) else [(binding.pos, "", shown)]
    info = infos.at(var)
    name = "" if var.name_hint == "_" else var.name_hint
    return [] if info is None else [(binding.pos, name, info)]


def _result(infos: InfosAsWritten, seq: tree.SeqExpr) -> list[tuple[int, str, Info]]:
    info = infos.info_of(seq.body)
    return [] if info is None else [(seq.body.pos, "", info)]


_STATEMENTS: dict[type[Node], Callable[[InfosAsWritten, Any], list[tuple[int, str, Info]]]] = {
    tree.VarBinding: _binding,
    tree.MatchCast: _binding,
    tree.SeqExpr: _result,
}
"""Node class to the names and infos that it gives for its line."""
