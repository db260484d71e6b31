"""Struct infos from Python: `Tensor((n, 4), "float32")`, `Shape((n,))`, `Tuple(…)`, `Object()`, `Callable(…)`."""

from __future__ import annotations

from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.te.expr import Expr, checked_dtype
from relax_lang.te.tensor import dims_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Size = Expr | int


class Info:
    """A struct info: `node` is its tree, `str` its text."""

    __slots__ = ("node",)

    def __init__(self, node: tree.StructInfo) -> None:
        self.node = node

    @property
    def shape(self) -> tuple[Expr, ...] | None:
        """The dimensions of a tensor or a shape, or None if they are not known."""
        node = self.node
        if isinstance(node, tree.TensorStructInfo) and isinstance(node.shape, tree.ShapeExpr):
            return tuple([Expr(dim, "int64") for dim in node.shape.values])
        if isinstance(node, tree.ShapeStructInfo) and node.values is not None:
            return tuple([Expr(dim, "int64") for dim in node.values])
        return None

    @property
    def dtype(self) -> str | None:
        """The dtype of a tensor, or None if it is not known."""
        node = self.node
        return (
            str(node.dtype.name)
            if isinstance(node, tree.TensorStructInfo) and node.dtype is not None
            else None
        )

    @property
    def ndim(self) -> int | None:
        """The rank of a tensor or a shape, or None if it is not known."""
        dims = self.shape
        if dims is not None:
            return len(dims)
        return self.node.ndim if isinstance(self.node, tree.TensorStructInfo | tree.ShapeStructInfo) else None

    @property
    def fields(self) -> tuple[Info, ...]:
        """The struct infos of the fields of a tuple; () for anything else."""
        node = self.node
        return tuple([Info(one) for one in node.fields]) if isinstance(node, tree.TupleStructInfo) else ()

    def __str__(self) -> str:
        from relax_lang.format.printer import show  # only for texts

        return show(self.node)

    def __repr__(self) -> str:
        return f"<struct info {self}>"

    def __eq__(self, other: object) -> bool:
        from relax_lang.base.node import same

        return isinstance(other, Info) and same(self.node, other.node)

    def __hash__(self) -> int:
        from relax_lang.base.node import structure

        return hash(structure(self.node))


def Tensor(shape: Any = None, dtype: str | None = None, ndim: int | None = None) -> Info:  # noqa: N802 - a struct info's name
    """Return the info of a tensor: `Tensor((n, 4), "float32")`, `Tensor("float32", ndim=2)`, `Tensor()`."""
    if isinstance(shape, str):
        if dtype is not None:
            raise refused(diag.bad_info, f"the shape of a tensor cannot be {shape!r}")
        shape, dtype = None, shape
    if ndim is not None and (isinstance(ndim, bool) or not isinstance(ndim, int) or ndim < 0):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused(diag.bad_info, f"a rank cannot be {ndim!r}")
    named = None if dtype is None else tree.DType(checked_dtype(dtype_name(dtype)))
    if shape is None:
        return Info(tree.TensorStructInfo(None, named, ndim))
    dims = tuple([one.node for one in dims_of(shape)])
    if ndim is not None and ndim != len(dims):
        raise refused(diag.bad_info, f"a tensor of rank {ndim} cannot have {len(dims)} dimensions")
    return Info(tree.TensorStructInfo(tree.ShapeExpr(dims), named, None))


def Shape(values: Sequence[Size] | None = None, ndim: int | None = None) -> Info:  # noqa: N802 - a struct info's name
    """Return the info of a shape: `Shape((n, 4))`, `Shape(ndim=2)`."""
    if values is None:
        return Info(tree.ShapeStructInfo(None, ndim))
    return Info(tree.ShapeStructInfo(tuple([one.node for one in dims_of(values)]), None))


def Object() -> Info:  # noqa: N802 - a struct info's name
    """Return the info of anything."""
    return Info(tree.ObjectStructInfo())


def Tuple(*fields: Any) -> Info:  # noqa: N802 - a struct info's name
    """Return the info of a tuple: `Tuple(Tensor((n,), "float32"), Shape(ndim=1))`."""
    given: Any = fields[0] if len(fields) == 1 and is_sequence(fields[0]) else fields
    return Info(tree.TupleStructInfo(tuple([info_node(one) for one in given])))


def Callable(params: Sequence[Any], ret: Any, *, pure: bool = True) -> Info:  # noqa: N802 - a struct info's name
    """Return the info of a function: `Callable([Tensor((n,), "float32")], Tensor((n,), "float32"))`."""
    nodes = tuple([info_node(one) for one in params])
    return Info(tree.FuncStructInfo(nodes, info_node(ret), None, pure))


def info_node(value: object) -> tree.StructInfo:
    """Return the tree of a struct info, which may be given as text. Raises RelaxError."""
    if isinstance(value, Info):
        return value.node
    if isinstance(value, tree.StructInfo):
        return value
    if is_sequence(value):
        fields: Any = value
        return tree.TupleStructInfo(tuple([info_node(one) for one in fields]))
    if isinstance(value, str):
        return _parsed(value)
    raise refused(diag.no_info, value)


def dtype_name(dtype: Any) -> str:
    """Return the name of a dtype, which may be given as NumPy's."""
    if isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    return name if isinstance(name, str) else repr(dtype)


def _parsed(text: str) -> tree.StructInfo:
    from relax_lang.syntax.parser import parse  # only for infos that are given as text

    wrapped = f"def @f(x: {text}) {{ x }}"
    parsed = parse(wrapped)
    if not parsed.diagnostics:
        [item] = parsed.tree.items
        if isinstance(item, tree.Function) and len(item.params) == 1:
            info = item.params[0].struct_info_annotation
            if info is not None:
                return without_places(info)
    raise refused(diag.no_info, text)


def without_places(node: Any) -> Any:
    """Return a tree without places in a text."""
    from relax_lang.base.node import Node

    fields = [getattr(node, field) for field in node.FIELDS]
    return type(node)(
        *[
            without_places(one)
            if isinstance(one, Node)
            else tuple([without_places(each) if isinstance(each, Node) else each for each in one])
            if is_sequence(one)
            else one
            for one in fields
        ]
    )
