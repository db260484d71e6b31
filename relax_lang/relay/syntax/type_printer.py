"""Types, parameters of types, attributes and numbers of Relay as text. [R.6] [R.23]"""

from __future__ import annotations

import json

from relax_lang.base.doc import concat
from relax_lang.format.context import IF_SINGLE, NOT_LAST, prints
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.format.context import Layout, Printer

FLOAT_SUFFIXES = {"float32": "f", "float16": "f16", "float64": "f64"}
INT_SUFFIXES = {"int32": "", "int64": "i64", "int16": "i16"}


def number_text(value: float | bool, dtype: str) -> str:
    """Spell a number that was not read from a text."""
    if dtype == "bool":
        return "True" if value else "False"
    if dtype in INT_SUFFIXES:
        return f"{value}{INT_SUFFIXES[dtype]}"
    return f"{float(value)!r}{FLOAT_SUFFIXES.get(dtype, 'f')}"


def type_params(params: Sequence[tree.TypeParam]) -> str:
    """Print `[A, B]`; with kinds, as in the language's description, `<t : Type>`."""
    if not params:
        return ""
    if any(one.kind is not None for one in params):
        shown = [one.name if one.kind is None else f"{one.name} : {one.kind}" for one in params]
        return f"<{', '.join(shown)}>"
    return f"[{', '.join([one.name for one in params])}]"


@prints(tree.TypeParam)
def _type_param(_: Printer, node: tree.TypeParam) -> Layout:
    return node.name if node.kind is None else f"{node.name} : {node.kind}"


@prints(tree.TensorType)
def _tensor(printer: Printer, node: tree.TensorType) -> Layout:
    if node.shape_var is not None:
        return f"Tensor[{node.shape_var}, {node.dtype}]"
    if not node.dims and node.bare:
        return node.dtype
    shape = ", ".join([str(printer.show(one)) for one in node.dims])
    return f"Tensor[({shape}), {node.dtype}]"


@prints(tree.TupleType)
def _tuple(printer: Printer, node: tree.TupleType) -> Layout:
    commas = IF_SINGLE if len(node.fields) == 1 else NOT_LAST
    return printer.sequence("(", node.fields, (node.pos, node.end), commas=commas)


@prints(tree.FuncType)
def _func(printer: Printer, node: tree.FuncType) -> Layout:
    head = f"fn{type_params(node.type_params)} ("
    within = (node.pos, node.result.pos)
    return concat(
        [printer.sequence(head, node.params, within, commas=NOT_LAST), " -> ", printer.expr(node.result)]
    )


@prints(tree.TypeCall)
def _type_call(printer: Printer, node: tree.TypeCall) -> Layout:
    if not node.args:
        return f"{node.name}[]" if node.brackets else node.name
    return printer.sequence(f"{node.name}[", node.args, (node.pos, node.end), commas=NOT_LAST)


@prints(tree.RefType)
def _ref(printer: Printer, node: tree.RefType) -> Layout:
    return concat(["ref(", printer.expr(node.value), ")"])


@prints(tree.Incomplete)
def _incomplete(_: Printer, node: tree.Incomplete) -> Layout:
    return "_"


@prints(tree.DimInt)
def _dim_int(_: Printer, node: tree.DimInt) -> Layout:
    return str(node.value)


@prints(tree.DimAny)
def _dim_any(_: Printer, node: tree.DimAny) -> Layout:
    return "?"


@prints(tree.DimVar)
def _dim_var(_: Printer, node: tree.DimVar) -> Layout:
    return node.name


@prints(tree.DimMeta, tree.MetaValue)
def _meta(_: Printer, node: tree.DimMeta | tree.MetaValue) -> Layout:
    return f"meta[{node.key}][{node.index}]"


@prints(tree.Attr)
def _attr(printer: Printer, node: tree.Attr) -> Layout:
    key = node.key if node.key.isidentifier() else json.dumps(node.key)
    return concat([key, "=", printer.show(node.value)])


@prints(tree.NumberValue)
def _number(_: Printer, node: tree.NumberValue) -> Layout:
    return node.text or str(node.value)


@prints(tree.StringValue)
def _string(_: Printer, node: tree.StringValue) -> Layout:
    return json.dumps(node.value, ensure_ascii=False)


@prints(tree.ListValue)
def _list(printer: Printer, node: tree.ListValue) -> Layout:
    return printer.sequence("[", node.items, (node.pos, node.end), commas=NOT_LAST)


@prints(tree.NoneValue)
def _none(_: Printer, node: tree.NoneValue) -> Layout:
    return "None"


@prints(tree.BadValue)
def _bad(_: Printer, node: tree.BadValue) -> Layout:
    return "…"
