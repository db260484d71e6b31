"""`x.shape[0]` for the extent of an axis, as other frameworks write it: here it has a name. [Y.7]"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.base.node import walk
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from relax_lang.base.node import Node
    from relax_lang.syntax.builders.parts import PartBuilder

    Extents = Mapping[tree.PrimExpr, str]
    """Expressions that name the extent of an axis, and the variable whose axis it is; empty if it is not known."""


def report(builder: PartBuilder, extents: Extents, root: Node | None) -> None:
    """Report extents in an item that is complete, with the names that its parameters give them."""
    for expr, owner in extents.items():
        shown = builder.text[expr.pos : expr.end]
        found = diag.syntax(expr, f"an extent has a name; it is not written `{shown}`")
        dim = None if root is None else _declared(root, owner, expr)
        if dim is None:
            named = owner or "x"
            found.helped(
                f"in `{named}: Tensor[(n, m)]` it is `n`; `match_cast({named}, Tensor[(n, m)])` names others"
            )
        else:
            text = builder.text[dim.pos : dim.end]
            if not isinstance(dim, tree.PrimVar | tree.IntImm) and dim not in builder.parens:
                text = f"({text})"
            found.replace(expr, text, f"write `{text}`", applicability=SAFE)
        builder.report(found)


def _declared(root: Node, owner: str, expr: tree.PrimExpr) -> tree.PrimExpr | None:
    """Return the extent as it is declared where the variable is bound; None if the item binds its name twice."""
    index = _index(expr)
    shapes = [dims for name, dims in _binders(root) if name == owner]
    if index is None or len(shapes) != 1 or not -len(shapes[0]) <= index < len(shapes[0]):
        return None
    return shapes[0][index]


def _binders(root: Node) -> Iterator[tuple[str, tuple[tree.PrimExpr, ...]]]:
    """Yield the names that an item binds, with the dimensions that are declared."""
    for node in walk(root):
        if isinstance(node, tree.Buffer):
            yield node.name, node.shape
            continue
        binders = (
            node.params
            if isinstance(node, tree.Function)
            else (node.var,)
            if isinstance(node, tree.VarBinding | tree.MatchCast)
            else ()
        )
        for binder in binders:
            if isinstance(binder, tree.Var):
                yield binder.name_hint, _dims(binder.struct_info_annotation)


def _dims(info: tree.StructInfo | None) -> tuple[tree.PrimExpr, ...]:
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
