"""`x.shape[0]` for the extent of an axis, as other frameworks write it: here it has a name. [Y.7]"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.base.node import walk
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Word
from relax_lang.syntax.vocabulary.foreign_words import dtype_with_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from relax_lang.base.node import Node
    from relax_lang.syntax.builders.parts import PartBuilder

    Dims = tuple[tree.PrimExpr, ...]
    Extents = Mapping[tree.PrimExpr, str]
    """Expressions that name the extent of an axis, and the variable whose axis it is; empty if it is not known."""


def report(
    builder: PartBuilder, extents: Extents, root: Node | None, whole: AbstractSet[tree.PrimExpr]
) -> None:
    """Report extents in an item that is complete, with the names that its parameters give them.

    Those in `whole` stand where all dimensions belong, without parentheses.
    """
    for expr, owner in extents.items():
        shown = builder.text[expr.pos : expr.end]
        found = diag.syntax(expr, f"an extent has a name; it is not written `{shown}`")
        dim = None if root is None else _declared(root, owner, expr)
        if dim is None:
            named, kind = owner or "x", "Shape" if _is_of_shape(expr, owner) else "Tensor"
            found.helped(
                f"in `{named}: {kind}[(n, m)]` it is `n`; `match_cast({named}, {kind}[(n, m)])` names others"
            )
        else:
            text = builder.text[dim.pos : dim.end]
            if not isinstance(dim, tree.PrimVar | tree.IntImm) and dim not in builder.parens:
                text = f"({text})"
            if expr in whole:
                text = f"({text},)"
            found.replace(expr, text, f"write `{text}`", applicability=SAFE)
        builder.report(found)


def other_field(builder: PartBuilder, place: tuple[int, int], name: str, *, alone: bool) -> Word:
    """Report a dotted name among the arguments of a struct info that is not an extent; return its replacement."""
    owner, _, field = name.rpartition(".")
    found = diag.syntax(place, f"`{builder.text[place[0] : place[1]]}` does not belong here")
    dtype = dtype_with_prefix(name) if alone else None
    if dtype is not None:
        found.message = f"a dtype has no prefix: `{dtype}`"
        builder.report(found.replace(place, dtype, f"write `{dtype}`", applicability=SAFE))
        return Word(dtype, *place)
    if alone and field == "shape" and "." not in owner:
        form = f"shape_of({owner})"
        found.message = "variables have no fields"
        found.replace(place, form, f"write `{form}`")
    builder.report(found)
    return Word("_", *place)


def of_shapes(exprs: list[tree.PrimExpr], root: Node) -> Extents:
    """Return those of some expressions that are `s[0]` of a variable which the item binds to a shape."""
    shapes = {name for name, dims in _binders(root, of_shapes=True) if dims is not None}
    return {
        expr: expr.buffer.name
        for expr in exprs
        if isinstance(expr, tree.BufferLoad) and expr.buffer.name in shapes
    }


def _declared(root: Node, owner: str, expr: tree.PrimExpr) -> tree.PrimExpr | None:
    """Return the extent as it is declared where the variable is bound; None if the item binds its name twice."""
    index = _index(expr)
    of_shape = _is_of_shape(expr, owner)
    found = [dims or () for name, dims in _binders(root, of_shapes=of_shape) if name == owner]
    if index is None or len(found) != 1 or not -len(found[0]) <= index < len(found[0]):
        return None
    return found[0][index]


def _is_of_shape(expr: tree.PrimExpr, owner: str) -> bool:
    """Return whether an extent is written `s[0]`, of a variable that holds a shape."""
    return (
        isinstance(expr, tree.BufferLoad)
        and expr.buffer.name == owner != ""
        and expr.buffer.end - expr.buffer.pos == len(owner)
    )


def _binders(root: Node, *, of_shapes: bool) -> Iterator[tuple[str, Dims | None]]:
    """Yield the names that an item binds, with the dimensions that are declared, of tensors or of shapes.

    None stands for another kind of variable.
    """
    for node in walk(root):
        if isinstance(node, tree.Buffer):
            yield node.name, None if of_shapes else node.shape
        elif isinstance(node, tree.Function):
            for param in node.params:
                yield param.name_hint, _dims(param.struct_info_annotation, of_shapes=of_shapes)
        elif isinstance(node, tree.Binding) and isinstance(node.var, tree.Var):
            dims = _dims(node.var.struct_info_annotation, of_shapes=of_shapes)
            owner = shape_owner(node.value) if of_shapes and dims is None else ""
            if owner:
                found = [dims or () for name, dims in _binders(root, of_shapes=False) if name == owner]
                dims = found[0] if len(found) == 1 else ()
            yield node.var.name_hint, dims


def shape_owner(value: tree.Expr) -> str:
    """Return the variable whose shape `shape_of(x)` is; empty if a value is not that."""
    if not isinstance(value, tree.Call) or len(value.args) != 1 or not isinstance(value.args[0], tree.Var):
        return ""
    callee = value.op
    name = (
        callee.name_hint
        if isinstance(callee, tree.Var)
        else callee.op_name
        if isinstance(callee, tree.Op)
        else ""
    )
    return value.args[0].name_hint if name == "shape_of" else ""


def _dims(info: tree.StructInfo | None, *, of_shapes: bool) -> Dims | None:
    if of_shapes:
        return (info.values or ()) if isinstance(info, tree.ShapeStructInfo) else None
    shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
    return shape.values if isinstance(shape, tree.ShapeExpr) else ()


def _index(expr: tree.PrimExpr) -> int | None:
    """Return the axis, if one number is in the brackets."""
    if not isinstance(expr, tree.BufferLoad) or len(expr.indices) != 1:
        return None
    index = expr.indices[0]
    if isinstance(index, tree.Neg) and isinstance(index.a, tree.IntImm):
        return -index.a.value
    return index.value if isinstance(index, tree.IntImm) else None
