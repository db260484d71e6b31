"""`x.shape[0]` and `shape_of(x)[0]` in the code of functions: extents have names here. [Y.7] Only imported for them."""

from __future__ import annotations

from relax_lang.format.printer import show
from relax_lang.scope.diagnostics import names as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.foreign_prim_funcs.extents import shape_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.scope.context import Context


def report(ctx: Context, node: tree.TupleGetItem | tree.MissingField) -> bool:
    """Report `x.shape[0]` of a variable; return whether it was that."""
    use = node.tuple_value
    dim = declared_extent(ctx, node)
    if dim is None or not isinstance(use, tree.Op):
        return False
    found = diag.unknown_operator(use, f"there is no operator `{use.op_name}`")
    form = f"scalar({show(dim)})"
    ctx.resolved.diagnostics.append(
        found.replace(node, form, f"that extent is `{show(dim)}`; as a value, `{form}`")
    )
    ctx.resolved.rejected.add(use)
    return True


def declared_extent(ctx: Context, node: tree.Expr) -> tree.PrimExpr | None:
    """Return the dimension of `x.shape[0]` or `shape_of(x)[0]` as `x` is declared: names live as long as `x` does."""
    if not isinstance(node, tree.TupleGetItem):
        return None
    entry = ctx.variables.get(_owner(node.tuple_value))
    dims = () if entry is None else declared_dims(entry[0])
    return dims[node.index] if -len(dims) <= node.index < len(dims) else None


def declared_dims(binder: tree.Binder) -> tuple[tree.PrimExpr, ...]:
    """Return the dimensions in the annotation of a variable; () if none are written."""
    info = binder.struct_info_annotation if isinstance(binder, tree.Var) else None
    shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
    return shape.values if isinstance(shape, tree.ShapeExpr) else ()


def _owner(value: tree.Expr) -> str:
    """Return the variable whose shape an expression is; empty if it is not one."""
    if isinstance(value, tree.Op):
        owner, _, field = value.op_name.rpartition(".")
        return owner if field == "shape" else ""
    return shape_owner(value)
