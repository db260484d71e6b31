"""What is known while one function is put into normal form, and the steps that go into no expression."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.normalize import computed_shapes, sizes
from relax_lang.normalize.blocks import Blocks
from relax_lang.normalize.rename import rename
from relax_lang.normalize.unique_names import Names
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.normalize.origins import Origins
    from relax_lang.normalize.remembered import Memory
    from relax_lang.scope.context import Resolved


ATOMS = frozenset(
    (
        tree.Var,
        tree.GlobalVar,
        tree.Constant,
        tree.ExternFunc,
        tree.Op,
        tree.ShapeExpr,
        tree.PrimValue,
        tree.Tuple,
        tree.Missing,
    )
)
"""What needs no name of its own. [N.2 ERR.61]"""


class State:
    """The current function, and the blocks that its bindings go to."""

    __slots__ = (
        "computed",
        "dataflow",
        "memory",
        "names",
        "origins",
        "out",
        "outputs",
        "resolved",
        "scalars",
        "sizes",
    )

    def __init__(self, function: tree.Function, resolved: Resolved, origins: Origins) -> None:
        self.origins = origins
        self.resolved = resolved
        self.computed = resolved.computed
        self.scalars = resolved.scalars
        self.sizes = resolved.sizes
        self.outputs = resolved.outputs
        self.names = Names(function, resolved)
        self.out = Blocks()
        self.memory: Memory | None = None
        """What is known of parts of the function; None inside of a binding."""
        self.dataflow = False
        """Whether bindings made now belong to a dataflow block."""


def bind(ctx: State, value: tree.Expr) -> tree.Var:
    """Give a value a name of its own; binding and use have the span of where the value stood. [N.14]"""
    pos, end = value.pos, value.end
    name = ctx.names.temporary(dataflow=ctx.dataflow)
    binder = tree.DataflowVar(name, None, pos, end) if ctx.dataflow else tree.Var(name, None, pos, end)
    ctx.out.add(tree.VarBinding(binder, value, pos, end), dataflow=ctx.dataflow)
    return tree.Var(name, None, pos, end)


def size(ctx: State, value: tree.PrimValue, like: tree.Expr | None) -> tree.Var:
    """Give a name to a tensor of a dimension expression, in the dtype of `like`. [X15.1]"""
    return bind(ctx, sizes.scalar(rename(ctx.names, value), like))


def variable(ctx: State, node: tree.Var) -> tree.Var:
    """Return the use of a variable under its new name."""
    if ctx.names.renamed:
        node = ctx.names.variable(node)
    if node.struct_info_annotation is not None:  # a tree built in Python may use the definition itself
        return tree.Var(node.name_hint, None, node.pos, node.end)
    return node


def use_of_binder(ctx: State, node: tree.DataflowVar) -> tree.Var:
    """Return the use of a definition, in a tree built in Python, as a variable."""
    return ctx.names.variable(tree.Var(node.name_hint, None, node.pos, node.end))


def signature(ctx: State, info: tree.StructInfo) -> tree.StructInfo:
    """Return an annotation of a signature; its computed shapes are checked in the body."""
    return rename(ctx.names, computed_shapes.without(ctx.computed, info) if ctx.computed else info)


def annotated(ctx: State, info: tree.StructInfo, atom: Callable[[tree.Expr], Any]) -> Any:
    """Return an annotation, after binding the shapes that it computes. [B.10]"""
    if not ctx.computed or not computed_shapes.is_among(ctx.computed, info):
        return rename(ctx.names, info)

    def of_shape(shape: tree.Expr, written: tree.Expr) -> tree.Expr:
        for node in walk(shape):
            if isinstance(node, tree.Call | tree.TupleGetItem):
                ctx.origins.add_shape(node)
        made = atom(shape)
        if isinstance(made, tree.Var):
            ctx.names.computed[made.name_hint] = computed_shapes.text(written)
        return made

    new = rename(ctx.names, computed_shapes.bound(ctx.computed, info, of_shape))
    return tree.MissingStructInfo(new, info.pos, info.end) if info in ctx.names.rejected else new


def check_shape(ctx: State, var: tree.Var | None, info: tree.StructInfo, value: tree.Expr) -> None:
    """Bind what an annotation with computed shapes asks of a parameter or of the result. [B.10]"""
    binding = tree.MatchCast(var, info, value, info.pos, info.end)
    ctx.origins.add_shape(binding)
    ctx.out.add(binding, dataflow=False)
