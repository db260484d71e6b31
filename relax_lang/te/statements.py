"""Statements for `te.extern`: what is not an expression of its indices, such as a running sum or a sort.

def body(out):
    return [st.loop(n, lambda i: [st.store(out, (i,), x[i])])]
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.te.expr import expr
from relax_lang.te.tensor import Axis, Tensor, dims_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.te.expr import Expr, Number
    from relax_lang.te.tensor import Size

    Statements = list[tree.Stmt]


def store(target: Tensor, indices: Sequence[Size], value: Expr | Number) -> tree.Stmt:
    """`target[indices] = value;`."""
    places = tuple([one.node for one in dims_of(tuple(indices))])
    return tree.BufferStore(target.handle(), places, "=", expr(value).node)


def loop(extent: Size, body: Callable[[Expr], Statements], name: str = "i") -> tree.Stmt:
    """`for name in 0..extent { body }`."""
    axis = Axis(dims_of(extent)[0], name)
    ranges = (tree.Range(tree.IntImm(0), axis.extent.node),)
    return tree.For("serial", None, (tree.PrimVar(axis.name),), ranges, tuple(body(axis)))


def grid(extents: Sequence[Size], body: Callable[..., Statements], names: Sequence[str] = ()) -> Statements:
    """Nested loops over all places of a shape; without extents the body alone."""
    hints = [*names, *[f"i{at}" for at in range(len(names), len(extents))]]
    axes = [Axis(extent, hint) for extent, hint in zip(dims_of(tuple(extents)), hints, strict=False)]
    inner = body(*axes)
    if not axes:
        return inner
    ranges = tuple([tree.Range(tree.IntImm(0), axis.extent.node) for axis in axes])
    variables = tuple([tree.PrimVar(axis.name) for axis in axes])
    return [tree.For("serial", None, variables, ranges, tuple(inner), grid=len(axes) > 1)]


def when(condition: Expr, then: Statements, otherwise: Statements | None = None) -> tree.Stmt:
    """`if condition { then } else { otherwise }`."""
    return tree.IfThenElse(condition.node, tuple(then), tuple(otherwise or ()))


def require(condition: Expr, message: str) -> tree.Stmt:
    """`assert condition, message;`."""
    return tree.AssertStmt(condition.node, message)


def local(shape: Sequence[Size], dtype: str, name: str = "t") -> tuple[Tensor, tree.Stmt]:
    """Return memory of the function's own, and the statement that allocates it."""
    tensor = Tensor(dims_of(tuple(shape)), dtype, name)
    dims = tuple([one.node for one in tensor.shape])
    return tensor, tree.Allocate(tree.Buffer(tensor.name, dims, tree.DType(dtype)), None)
