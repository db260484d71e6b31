"""Attributes: the dictionaries of `R.func_attr`, `T.func_attr`, `I.module_attrs` and their kin, and single values."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.scalar_reader.reading import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.base.source import Span
    from relax_lang.tvmscript.python.values import Value
    from relax_lang.tvmscript.scalar_reader.reading import Reading

DICTIONARIES = "attributes that are not literals"


def read_attributes(reading: Reading, call: ast.Call, skipped: Collection[str] = ()) -> list[tree.Attr]:
    """Return the attributes of a dictionary; what is not a literal is left out, with a note."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Dict):
        raise reading.wrong(call, "attributes are a dictionary")
    return read_dictionary(reading, call.args[0], skipped)


def read_dictionary(
    reading: Reading, given: ast.Dict, skipped: Collection[str] = (), what: str = DICTIONARIES
) -> list[tree.Attr]:
    """Return the entries of a dictionary; what is not a literal is left out, with a note."""
    made: list[tree.Attr] = []
    for key, value in zip(given.keys, given.values, strict=True):
        if key is None:
            raise reading.unsupported(given, "a dictionary that is put together by Python")
        name = reading.string(key, "the name of an attribute")
        if name in skipped:
            continue
        literal = literal_or_none(reading, value)
        if literal is None:
            reading.drop(value, what)
        elif name not in [one.key for one in made]:
            made.append(tree.Attr(name, literal, reading.py.start(key), reading.py.end(value)))
    return made


def literal_or_none(reading: Reading, node: ast.expr) -> tree.Literal | None:
    """Return the literal of an expression, or None if it has none."""
    if isinstance(node, ast.Call):
        dialect, name = reading.called(node)
        if (
            dialect in ("T", "R")
            and name in ("bool", "int32", "int64", "float32", "str", "prim_value", "StringImm", "string")
            and len(node.args) == 1
        ):
            return literal_or_none(reading, node.args[0])
        if dialect == "T" and name in ("target", "Target") and len(node.args) == 1:
            return _object(reading, "T.target", node)
        if name == "dtype" and len(node.args) == 1:
            return reading.dtype(node.args[0])
        if name in ("IntImm", "FloatImm") and len(node.args) == 2:
            return literal_or_none(reading, node.args[1])
    if isinstance(node, ast.Dict):
        return _map(reading, node)
    if isinstance(node, ast.List | ast.Tuple):
        items: list[tree.Literal] = []
        for one in node.elts:
            item = literal_or_none(reading, one)
            if item is None:
                return None
            items.append(item)
        return tree.ListLit(tuple(items), *reading.span(node))
    try:
        return literal(reading.value(node), reading.span(node))
    except Refused:
        return None


def _object(reading: Reading, made_by: str, call: ast.Call) -> tree.Literal | None:
    """Return `T.target("llvm")` as `{ "T.target": "llvm" }`."""
    of = literal_or_none(reading, call.args[0])
    if of is None:
        return None
    span = reading.span(call)
    entries = [tree.Attr(made_by, of, *span)]
    for one in call.keywords:
        value = literal_or_none(reading, one.value)
        if value is None or one.arg is None:
            return None
        entries.append(tree.Attr(one.arg, value, *span))
    return tree.MapLit(tuple(entries), *span)


def _map(reading: Reading, node: ast.Dict) -> tree.MapLit | None:
    """Return a dictionary whose keys are strings, and whose values are literals."""
    made: list[tree.Attr] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        found = literal_or_none(reading, value)
        if found is None:
            return None
        if key.value not in [one.key for one in made]:
            made.append(tree.Attr(key.value, found, reading.py.start(key), reading.py.end(value)))
    return tree.MapLit(tuple(made), *reading.span(node))


def literal(value: Value, span: Span, dtype: bool = False) -> tree.Literal | None:
    """Return a Python value as a literal, None if it has no such form; with `dtype` a string names a dtype."""
    if value is None:
        return tree.NullLit(*span)
    if isinstance(value, bool):
        return tree.BoolLit(value, *span)
    if isinstance(value, int):
        return tree.IntLit(value, str(value), *span) if -(1 << 63) <= value < 1 << 64 else None
    if isinstance(value, float):
        return tree.FloatLit(value, None, *span)
    if isinstance(value, str):
        return tree.DType(value, *span) if dtype and value in DTYPES else tree.StrLit(value, *span)
    if (items := items_of(value)) is not None:
        made = [literal(one, span, dtype) for one in items]
        kept = [one for one in made if one is not None]
        return tree.ListLit(tuple(kept), *span) if len(kept) == len(items) else None
    return None
