"""Literals: constants, attribute values, dtypes, and `key=value`."""

from __future__ import annotations

from operator import attrgetter

from relax_lang.base.doc import SOFTLINE, concat, fill, group, nest
from relax_lang.format import lexemes
from relax_lang.format.context import prints
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.source import Span
    from relax_lang.format.context import Layout, Printer

_BOOLS = ("false", "true")
NUMBERS = frozenset((tree.IntLit, tree.FloatLit, tree.BoolLit))


@prints(tree.IntLit)
def _int(_: Printer, node: tree.IntLit) -> Layout:
    return lexemes.integer(node.value, node.text)


@prints(tree.FloatLit)
def _float(_: Printer, node: tree.FloatLit) -> Layout:
    return lexemes.fraction(node.value, node.text)


@prints(tree.BoolLit)
def _bool(_: Printer, node: tree.BoolLit) -> Layout:
    return _BOOLS[node.value]


@prints(tree.StrLit)
def _string(_: Printer, node: tree.StrLit) -> Layout:
    return lexemes.string(node.value)


@prints(tree.NullLit)
def _null(_: Printer, node: tree.NullLit) -> Layout:
    return "null"


@prints(tree.DType)
def _dtype(_: Printer, node: tree.DType) -> Layout:
    return node.name


@prints(tree.FileLit)
def _file(_: Printer, node: tree.FileLit) -> Layout:
    key = "" if node.key is None else f", {lexemes.string(node.key)}"
    return f"file({lexemes.string(node.path)}{key})"


@prints(tree.ListLit)
def _list(printer: Printer, node: tree.ListLit) -> Layout:
    """`[1, 2, 3]`. Numbers fill the lines; other items get a line each when they do not fit on one."""
    if (
        len(node.items) > 1
        and printer.comments.following >= node.end
        and NUMBERS.issuperset(map(type, node.items))
    ):
        return _filled(node.items)
    return printer.sequence("[", node.items, (node.pos, node.end))


@prints(tree.MapLit)
def _map(printer: Printer, node: tree.MapLit) -> Layout:
    """`{ n: 2048 }`."""
    return printer.sequence("{", node.items, (node.pos, node.end), attr_of_item)


def _filled(items: Sequence[tree.Literal]) -> Layout:
    spelled = _as_spelled(items)
    if spelled is not None:
        return _words(spelled)
    words: list[str] = []
    for item in items:
        if type(item) is tree.IntLit:
            words.append(lexemes.integer(item.value, item.text))
        elif type(item) is tree.FloatLit:
            words.append(lexemes.fraction(item.value, item.text))
        else:
            assert type(item) is tree.BoolLit
            words.append(_BOOLS[item.value])
    return _words(words)


def _words(words: Sequence[str]) -> Layout:
    return group(concat(["[", nest(concat([SOFTLINE, fill(words)])), SOFTLINE, "]"]))


def _as_spelled(items: Sequence[tree.Literal]) -> list[str] | None:
    """Return how numbers of one kind are spelled if there are many and each spelling denotes its value, or None."""
    if len(items) < _MANY:
        return None
    kinds = set(map(type, items))
    if kinds == {tree.FloatLit}:
        hold = lexemes.are_fractions
    elif kinds == {tree.IntLit}:
        hold = lexemes.are_integers
    else:
        return None
    words: list[Any] = list(map(attrgetter("text"), items))
    return words if None not in words and hold(words, list(map(attrgetter("value"), items))) else None


_MANY = 64
"""Numbers of a list that are looked at together."""


@prints(tree.Constant)
def _constant(printer: Printer, node: tree.Constant) -> Layout:
    """`1.5`, `const([[1, 2]], int64)`. [G.22]"""
    if node.dtype is None and _is_bare(printer, node):
        return printer.show(node.data)
    parts: list[Layout] = ["const(", printer.show(node.data)]
    if node.dtype is not None:
        parts += [", ", node.dtype.name]
    return concat([*parts, ")"])


def _is_bare(printer: Printer, node: tree.Constant) -> bool:
    """Return whether a constant without dtype is written as a plain literal; the author's choice is kept."""
    if printer.text.startswith("const", node.pos) and node.pos >= 0:
        return False
    data = node.data
    if isinstance(data, tree.IntLit):
        return data.value >= 0
    if isinstance(data, tree.FloatLit):
        if data.value - data.value != 0:  # inf or nan: only where the author wrote it so
            return printer.text != "" and data.value != float("-inf")
        return not lexemes.fraction(data.value).startswith("-")
    return isinstance(data, tree.BoolLit)


@prints(tree.Attr)
def _attr(printer: Printer, node: tree.Attr) -> Layout:
    """`axis=-1`, as in a call; `pure=true` though `pure` is a keyword. [G.35] [P.4]"""
    key = node.key if node.key == "pure" else lexemes.local_name(node.key)
    return concat([key, "=", printer.show(node.value)])


def attr_of_item(printer: Printer, node: tree.Attr) -> Layout:
    """Print `Codegen: "dnnl"`, as in `attrs { }`. [G.35]"""
    return concat([lexemes.attribute_key(node.key), ": ", printer.show(node.value)])


def attributes(printer: Printer, attrs: Sequence[tree.Attr], within: Span) -> Layout:
    """Print `attrs { key: value }` with a blank before, or nothing if there are none. [G.35]

    What comes before them on their line is broken first.
    """
    if not attrs:
        return ""
    return concat([" ", group(printer.sequence("attrs {", attrs, within, attr_of_item), tight=True)])
