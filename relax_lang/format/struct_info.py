"""Struct infos: `Tensor[(n, 4), float32]`, `Shape[ndim=2]`, `(A, B)`, `fn(A) -> B`. [G.9-G.21]"""

from __future__ import annotations

from relax_lang.base.doc import LINE, SOFTLINE, concat, group, if_break, nest
from relax_lang.format import lexemes
from relax_lang.format.context import IF_SINGLE, MISSING, prints
from relax_lang.format.prim_exprs import dims
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.format.context import Layout, Printer

SHORT = 32
"""Brackets with so little in them are never broken."""


@prints(tree.TensorStructInfo)
def _tensor(printer: Printer, node: tree.TensorStructInfo) -> Layout:
    """Without a shape the dtype comes after `_`; a shape variable named like a dtype is followed by one."""
    shape = node.shape
    dtype = None if node.dtype is None else node.dtype.name
    if isinstance(shape, tree.ShapeExpr):
        first = dims(printer, shape.values, (shape.pos, shape.end))
    elif shape is not None:
        first = printer.show(shape)
        if dtype is None and isinstance(shape, tree.Var) and shape.name_hint in DTYPES:
            dtype = "_"
    elif node.ndim is not None:
        first = f"ndim={lexemes.integer(node.ndim)}"
    elif dtype is not None:
        first = "_"
    else:
        return "Tensor"
    return in_brackets("Tensor", [first] if dtype is None else [first, dtype])


def in_brackets(name: str, parts: list[Layout]) -> Layout:
    """Print `Tensor[(n, 4), float32]`; what comes before it on its line is broken first."""
    if len(parts) == 1:
        return concat([f"{name}[", parts[0], "]"])
    first, second = parts
    if isinstance(first, str) and isinstance(second, str) and len(first) + len(second) <= SHORT:
        return f"{name}[{first}, {second}]"
    inside: list[Layout] = [SOFTLINE, first, ",", LINE, second, if_break(",")]
    return group(concat([f"{name}[", nest(concat(inside)), SOFTLINE, "]"]), tight=True)


@prints(tree.ShapeStructInfo)
def _shape(printer: Printer, node: tree.ShapeStructInfo) -> Layout:
    if node.values is not None:
        return concat(["Shape[", dims(printer, node.values, (node.pos, node.end)), "]"])
    return "Shape" if node.ndim is None else f"Shape[ndim={lexemes.integer(node.ndim)}]"


@prints(tree.PrimStructInfo)
def _scalar(_: Printer, node: tree.PrimStructInfo) -> Layout:
    return f"Prim[{node.dtype.name}]"


@prints(tree.ObjectStructInfo)
def _object(_: Printer, node: tree.ObjectStructInfo) -> Layout:
    return "Object"


@prints(tree.MissingStructInfo)
def _missing(_: Printer, node: tree.MissingStructInfo) -> Layout:
    return MISSING


@prints(tree.TupleStructInfo)
def _tuple(printer: Printer, node: tree.TupleStructInfo) -> Layout:
    return printer.sequence("(", node.fields, (node.pos, node.end), commas=IF_SINGLE)


@prints(tree.FuncStructInfo)
def _function(printer: Printer, node: tree.FuncStructInfo) -> Layout:
    if node.params is None:
        derive = "default" if node.derive_func is None else node.derive_func
        return "PackedFunc" if derive == "default" else f"PackedFunc[derive={lexemes.string(derive)}]"
    opener = "fn(" if node.pure else "impure fn("
    params = printer.sequence(opener, node.params, (node.pos, node.end))
    result = "Object" if node.ret is None else printer.expr(node.ret)
    return concat([params, " -> ", result])


@prints(tree.MatchShapeInfo)
def _match_shape(printer: Printer, node: tree.MatchShapeInfo) -> Layout:
    return dims(printer, node.values, (node.pos, node.end))
