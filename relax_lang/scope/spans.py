"""Where definitions are in a tree: the span of a name, and the names that a struct info can bind."""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


def name_span(binder: tree.Binder) -> tuple[int, int]:
    """Return the span of the name at a definition, without its annotation."""
    if binder.struct_info_annotation is None or binder.pos < 0:
        return binder.pos, binder.end
    return binder.pos, min(binder.end, binder.pos + len(binder.name_hint))


def keyword_span(block: tree.DataflowBlock) -> tuple[int, int]:
    """Return the span of the word `dataflow`."""
    return block.pos, min(block.end, block.pos + len("dataflow"))


def bare_dims(info: tree.StructInfo) -> list[tree.PrimVar]:
    """Return the names that stand alone as a dimension, in order, but for those of function types."""
    return [value for value in _dims(info, []) if type(value) is tree.PrimVar and value.name != "_"]


def _dims(info: tree.StructInfo, into: list[tree.PrimExpr]) -> list[tree.PrimExpr]:
    match info:
        case tree.TensorStructInfo():
            if type(info.shape) is tree.ShapeExpr:
                into += info.shape.values
        case tree.TupleStructInfo():
            for field in info.fields:
                _dims(field, into)
        case tree.ShapeStructInfo() | tree.MatchShapeInfo():
            into += info.values or ()
        case tree.MissingStructInfo():
            if info.part is not None:
                _dims(info.part, into)
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo():
            pass
        case _:
            assert_never(info)
    return into
