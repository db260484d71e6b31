"""The statements of the lowered language, as passes write them."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import bytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Node


def bound(name: str, value: tree.Expr, place: Node) -> tree.VarBinding:
    """Return `let name = value;`."""
    return tree.VarBinding(tree.Var(name, None, place.pos, place.end), value, place.pos, place.end)


def operator(name: str, args: Sequence[tree.Expr], place: Node, dtype: tree.DType | None = None) -> tree.Call:
    """Return the call of an operator, with the attribute `dtype` if it is given."""
    attrs = () if dtype is None else (tree.Attr("dtype", tree.DType(dtype.name)),)
    return tree.Call(tree.Op(name), tuple(args), attrs, None, place.pos, place.end)


def statement(value: tree.Expr, place: Node) -> tree.VarBinding:
    """Return a call as a statement."""
    return bound("_", value, place)


def number(value: tree.PrimExpr | int) -> tree.PrimValue:
    """Return a number as an operand."""
    return tree.PrimValue(tree.IntImm(value) if isinstance(value, int) else value)


def octets(dims: Sequence[tree.PrimExpr], dtype: str) -> tree.PrimExpr:
    """Return how many bytes a tensor takes."""
    size: tree.PrimExpr = tree.IntImm(bytes_of(dtype))
    for dim in dims:
        size = tree.Mul(dim, size)
    return size


class Allocation:
    """`builtin.alloc_tensor(shape(…), 0, dtype=…)` with its shape written out."""

    __slots__ = ("dims", "dtype", "shape")

    def __init__(self, shape: tree.ShapeExpr, dtype: tree.DType) -> None:
        self.shape = shape
        self.dims = shape.values
        self.dtype = dtype

    @staticmethod
    def of(binding: tree.Binding) -> Allocation | None:
        """Return the allocation that a binding is, if it is one."""
        call = binding.value
        if not isinstance(binding, tree.VarBinding) or not isinstance(call, tree.Call):
            return None
        if not isinstance(call.op, tree.Op) or call.op.op_name != "builtin.alloc_tensor":
            return None
        shape = call.args[0]
        dtypes = [attr.value for attr in call.attrs if attr.key == "dtype"]
        if not isinstance(shape, tree.ShapeExpr) or not dtypes or not isinstance(dtypes[0], tree.DType):
            return None
        return Allocation(shape, dtypes[0])

    def placed(self, storage: str, offset: tree.PrimExpr | int, place: Node) -> tree.Call:
        """Return the tensor as one in a storage."""
        args = (tree.Var(storage, None), number(offset), self.shape)
        return operator("memory.alloc_tensor", args, place, self.dtype)
