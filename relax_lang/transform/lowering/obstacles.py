"""What keeps a function from having its sizes in a shape heap."""

from __future__ import annotations

from relax_lang.base.node import assert_never, walk
from relax_lang.syntax import tree
from relax_lang.transform.lowering.shape_heap import variables_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from relax_lang.base.node import Node

SCALARS = {"scalar": "vm.make_scalar", "prim_value": "vm.make_prim_value"}
"""Operators that make a scalar of a size, and those that make it of a slot."""
QUOTIENTS = (tree.Div, tree.FloorDiv, tree.FloorMod)
OFFSETS = {
    "memory.alloc_tensor": "vm.alloc_tensor_at",
    "vm.alloc_tensor": "vm.alloc_tensor_at",
}
"""Operators whose second operand is an offset, and those that take it as a shape."""


def obstacle(
    function: tree.Function, values: Collection[str], infos: Mapping[Node, tree.StructInfo]
) -> tuple[Node, str] | None:
    """Return the first part of a function that needs shape variables, and why; None if there is none.

    `values` are the names of the functions that are used as values, `infos` what is known of variables.
    """
    assert function.name is not None
    if function.name.name_hint in values:
        return function, "it is used as a value, whose type has the shape variables"
    params = [param.struct_info_annotation for param in function.params]
    for info in (*params, function.ret_struct_info):
        for node in walk(info) if info is not None else ():
            if isinstance(node, tree.FuncStructInfo) and variables_in(node):
                return node, "the type of a function has shape variables"
    scalars: set[Node] = set()
    for node in walk(function.body):
        if isinstance(node, tree.VarBinding) and _scalar_of_any_dtype(node, infos):
            return node, "the dtype of the scalar is not known"
        found = _of(node, scalars)
        if found is not None:
            return node, found
    return None


def _of(node: Node, scalars: set[Node]) -> str | None:
    """Say why a node needs shape variables; `scalars` collects scalar operands that have another form."""
    if isinstance(node, tree.DataflowBlock):
        return "a dataflow block has no statements"
    if isinstance(node, tree.Function):
        return "a local function may use the shape variables around it"
    if isinstance(node, tree.Call):
        return _of_call(node, scalars)
    if isinstance(node, tree.PrimValue):
        if variables_in(node) and node not in scalars:
            return "this operand cannot be a variable"
        return None
    if isinstance(node, QUOTIENTS) and not (isinstance(node.b, tree.IntImm) and node.b.value):
        return "it divides by what may be zero"
    if isinstance(node, tree.MatchCast):
        if not _plain(node.struct_info):
            return "what it is cast to is more than tensors and shapes with dimensions"
        if node.var is not None and node.var.struct_info_annotation is not None:
            return "it has two struct infos"
    info = node.var.struct_info_annotation if isinstance(node, tree.VarBinding) else None
    if info is not None and not _plain(info):
        return "its annotation is more than tensors and shapes with dimensions"
    return None


def _of_call(call: tree.Call, scalars: set[Node]) -> str | None:
    if call.struct_info is not None and variables_in(call.struct_info) and not is_claimed(call):
        return "its declared result has shape variables"
    if any(variables_in(attr) for attr in call.attrs):
        return "an attribute has shape variables"
    name = call.op.op_name if isinstance(call.op, tree.Op) else ""
    for at, arg in enumerate(call.args):
        if isinstance(arg, tree.PrimValue):
            if (
                isinstance(call.op, tree.GlobalVar)
                or (name in SCALARS and at == 0)
                or (name in OFFSETS and at == 1)
            ):
                scalars.add(arg)
        elif isinstance(arg, tree.ShapeExpr) and variables_in(arg) and any(map(_below_zero, arg.values)):
            return "a dimension follows from the others"
    return None


def is_claimed(call: tree.Call) -> bool:
    """Return whether the dimensions of a declared result are believed: nothing is made of them, or compared."""
    op = call.op
    if not isinstance(op, tree.ExternFunc) and not (
        isinstance(op, tree.Op) and op.op_name == "call_pure_packed"
    ):
        return False
    return call.struct_info is None or _plain(call.struct_info)


def _scalar_of_any_dtype(binding: tree.VarBinding, infos: Mapping[Node, tree.StructInfo]) -> bool:
    call = binding.value
    if not (isinstance(call, tree.Call) and isinstance(call.op, tree.Op) and call.op.op_name in SCALARS):
        return False
    info = infos.get(binding.var)
    return len(call.args) > 1 and variables_in(call.args[0]) != set() and getattr(info, "dtype", None) is None


def _below_zero(dim: tree.PrimExpr) -> bool:
    return isinstance(dim, tree.Neg) or (isinstance(dim, tree.IntImm) and dim.value < 0)


def _plain(info: tree.StructInfo) -> bool:
    """Return whether dimensions, if there are any, are those of tensors and shapes."""
    if not variables_in(info):
        return True
    match info:
        case tree.TensorStructInfo():
            return isinstance(info.shape, tree.ShapeExpr)
        case tree.TupleStructInfo():
            return all(
                isinstance(
                    field,
                    tree.ObjectStructInfo
                    | tree.TensorStructInfo
                    | tree.ShapeStructInfo
                    | tree.TupleStructInfo,
                )
                and not (isinstance(field, tree.TensorStructInfo) and isinstance(field.shape, tree.Var))
                and _plain(field)
                for field in info.fields
            )
        case tree.ShapeStructInfo() | tree.MatchShapeInfo():
            return True
        case (
            tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo() | tree.MissingStructInfo()
        ):
            return False
        case _:
            return assert_never(info)
