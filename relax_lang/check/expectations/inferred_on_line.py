"""What is known of the values that begin on a line: the tables of inference, read by the tree as written.

So names are those of the author, and a value that normal form takes apart is still one.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.struct_info.types import PACKED
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape

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
        self.checked = checked
        self.index = checked.inferred.index
        found: list[tuple[int, str, Info]] = []
        for node in walk(checked.tree):
            reveal = _STATEMENTS.get(type(node))
            if reveal is not None:
                found += reveal(self, node)
        self._lines: dict[int, list[tuple[str, Info]]] = {}
        for pos, name, info in sorted(found, key=_place):
            self._lines.setdefault(checked.source.position(pos)[0], []).append((name, info))

    def __call__(self, line: int) -> list[tuple[str, Info]]:
        """Return names and infos of the statements and results that begin on a line; some have no name."""
        return self._lines.get(line, [])

    def info_of(self, value: tree.Expr) -> Info | None:
        """Return what is known of a value, None if nothing is."""
        special = _VALUES.get(type(value))
        return special(self, value) if special is not None else self.index.of((value.pos, value.end))


def _place(one: tuple[int, str, Info]) -> int:
    return one[0]


def _binding(lines: RevealedLines, binding: tree.VarBinding | tree.MatchCast) -> list[tuple[int, str, Info]]:
    var = binding.var
    if var is None:  # `match_cast(e, S);` has no variable to know something of, but S holds behind it
        assert isinstance(binding, tree.MatchCast)
        shown = binding.struct_info
        return [] if isinstance(shown, tree.MatchShapeInfo) else [(binding.pos, "", shown)]
    info = lines.index.of((var.pos, var.end))
    name = "" if var.name_hint == "_" else var.name_hint
    return [] if info is None else [(binding.pos, name, info)]


def _result(lines: RevealedLines, seq: tree.SeqExpr) -> list[tuple[int, str, Info]]:
    info = lines.info_of(seq.body)
    return [] if info is None else [(seq.body.pos, "", info)]


_STATEMENTS: dict[type[Node], Callable[[RevealedLines, Any], list[tuple[int, str, Info]]]] = {
    tree.VarBinding: _binding,
    tree.MatchCast: _binding,
    tree.SeqExpr: _result,
}
"""Node class to what it says of a line."""


def _variable(lines: RevealedLines, use: tree.Var) -> Info | None:
    binder = lines.checked.resolved.bindings.get(use)
    return None if binder is None else lines.index.of((binder.pos, binder.end))


def _tuple(lines: RevealedLines, node: tree.Tuple) -> Info | None:
    fields: list[Info] = []
    for field in node.fields:
        info = lines.info_of(field)
        if info is None:
            return None
        fields.append(info)
    return tree.TupleStructInfo(tuple(fields), node.pos, node.end)


def _constant(_lines: RevealedLines, node: tree.Constant) -> Info | None:
    if isinstance(node.data, tree.FileLit):
        return None  # its header is not read again
    dims = tuple([tree.IntImm(size) for size in constant_shape(node)])
    return tree.TensorStructInfo(tree.ShapeExpr(dims), tree.DType(constant_dtype(node)), None)


def _shape(_lines: RevealedLines, node: tree.ShapeExpr) -> Info:
    return tree.ShapeStructInfo(node.values, None, node.pos, node.end)


def _global(lines: RevealedLines, node: tree.GlobalVar) -> Info | None:
    return lines.checked.inferred.functions.get(node.name_hint)


def _extern(_lines: RevealedLines, _node: tree.ExternFunc) -> Info:
    return PACKED


_VALUES: dict[type[Node], Callable[[RevealedLines, Any], Info | None]] = {
    tree.Var: _variable,
    tree.Tuple: _tuple,
    tree.Constant: _constant,
    tree.ShapeExpr: _shape,
    tree.GlobalVar: _global,
    tree.ExternFunc: _extern,
}
"""Expression class to what is known of it, for those that normal form does not bind to a variable."""
