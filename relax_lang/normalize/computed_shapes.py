"""Computed shapes: `Tensor[f(x), float32]` is `Tensor[gv, float32]` behind `let gv = f(x);`. [B.10-B.14]

A call of a packed function there counts as pure and gives a shape, so both are written out.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from relax_lang.base.node import Node

    Bind = Callable[[tree.Expr, tree.Expr], tree.Expr]


def bound(computed: AbstractSet[Node], info: tree.StructInfo, bind: Bind) -> tree.StructInfo:
    """Return a struct info with the variables that `bind` makes of its computed shapes, from the left.

    `bind` gets a shape to compute, and the shape as written.
    """
    return _with_shapes(computed, info, lambda shape: bind(_settled(shape), shape))


def without(computed: AbstractSet[Node], info: tree.StructInfo) -> tree.StructInfo:
    """Return a struct info that knows nothing of its computed shapes."""
    return _with_shapes(computed, info, lambda shape: None)


def is_among(computed: AbstractSet[Node], info: tree.StructInfo | None) -> bool:
    """Return whether there are computed shapes in a struct info."""
    if isinstance(info, tree.TupleStructInfo):
        return any(is_among(computed, field) for field in info.fields)
    return info is not None and info in computed


def in_signature(computed: AbstractSet[Node], function: tree.Function) -> bool:
    """Return whether there are computed shapes in the signature of a function."""
    infos = [param.struct_info_annotation for param in function.params]
    return any(is_among(computed, info) for info in (*infos, function.ret_struct_info))


def _with_shapes(
    computed: AbstractSet[Node], info: tree.StructInfo, of_shape: Callable[[tree.Expr], tree.Expr | None]
) -> tree.StructInfo:
    match info:
        case tree.TensorStructInfo():
            if info not in computed:
                return info
            assert info.shape is not None
            return tree.TensorStructInfo(of_shape(info.shape), info.dtype, None, info.pos, info.end)
        case tree.TupleStructInfo():
            fields = tuple([_with_shapes(computed, field, of_shape) for field in info.fields])
            return info if fields == info.fields else tree.TupleStructInfo(fields, info.pos, info.end)
        case tree.MissingStructInfo():
            if info.part is None:
                return info
            return tree.MissingStructInfo(_with_shapes(computed, info.part, of_shape), info.pos, info.end)
        case tree.ShapeStructInfo() | tree.MatchShapeInfo() | tree.ObjectStructInfo() | tree.PrimStructInfo():
            return info
        case tree.FuncStructInfo():
            return info  # no shape is computed in one
        case _:
            return assert_never(info)


def text(shape: tree.Expr) -> str:
    """Return how a computed shape is written, for messages."""
    from relax_lang.format.printer import show  # hardly any program has one

    return " ".join(show(shape).split())


def _settled(shape: tree.Expr) -> tree.Expr:
    """Return a call of a packed function with what follows from its place. [B.12] [B.14]"""
    if not isinstance(shape, tree.Call) or not isinstance(shape.op, tree.ExternFunc):
        return shape
    attrs = shape.attrs
    if all(attr.key != "pure" for attr in attrs):
        attrs = (*attrs, tree.Attr("pure", tree.BoolLit(True)))
    info = shape.struct_info or tree.ShapeStructInfo(None, None, shape.pos, shape.end)
    return tree.Call(shape.op, shape.args, attrs, info, shape.pos, shape.end)
