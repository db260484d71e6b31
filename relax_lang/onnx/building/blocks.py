"""Blocks inside of a function: their text, and what their results are outside."""

from __future__ import annotations

from collections import Counter

from relax_lang.base.node import walk
from relax_lang.onnx.building.layer_norms import write_layer_norms
from relax_lang.onnx.values import Tensor
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.dims import Dim
    from relax_lang.onnx.values import Value


def names_of(value: Dim) -> set[str]:
    """Return the shape variables in a dimension."""
    return {one.name for one in walk(value) if isinstance(one, tree.PrimVar)}


def block(builder: Builder, values: Sequence[Value]) -> tree.SeqExpr:
    """Return the block of a builder with its results: one value, or a tuple."""
    if builder.folds:
        write_layer_norms(builder, values)
    nodes = [builder.operand(one)[0] for one in values]
    body = nodes[0] if len(nodes) == 1 else tree.Tuple(tuple(nodes))
    blocks = (tree.BindingBlock(tuple(builder.bindings), False),) if builder.bindings else ()
    return tree.SeqExpr(blocks, body)


def bound(
    b: Builder, made: tree.Expr, shapes: Sequence[Sequence[Dim | None]], dtypes: Sequence[str]
) -> list[Value]:
    """Bind an expression that gives one tensor or a tuple; extents that are not known get names."""
    if len(shapes) == 1:
        return [b.expression(made, _info(shapes[0], dtypes[0]), shapes[0])]
    name = b.names.fresh(b.hint)
    b.bind(tree.VarBinding(tree.Var(name, None), made))
    fields = [tree.TupleGetItem(tree.Var(name, None), at) for at in range(len(shapes))]
    return [
        b.expression(one, _info(shape, dtype), shape)
        for one, shape, dtype in zip(fields, shapes, dtypes, strict=True)
    ]


def drop_unread(builder: Builder, values: Sequence[Value]) -> None:
    """Drop what nothing reads: calls of operators (a condition that was decided, a shape) and fields of tuples."""
    reads = Counter([one.name for one in values if isinstance(one, Tensor)])
    kept: list[tree.Binding] = []
    for binding in reversed(builder.bindings):
        call = binding.value if isinstance(binding, tree.VarBinding) else None
        operator = (
            lookup(call.op.op_name) if isinstance(call, tree.Call) and isinstance(call.op, tree.Op) else None
        )
        name = "" if binding.var is None else binding.var.name_hint
        is_field = isinstance(binding, tree.VarBinding) and isinstance(binding.value, tree.TupleGetItem)
        if (is_field or (operator is not None and operator.pure)) and name and not reads[name]:
            continue
        reads.update([node.name_hint for node in walk(binding.value) if isinstance(node, tree.Var)])
        kept.append(binding)
    builder.bindings[:] = reversed(kept)


def _info(shape: Sequence[Dim | None], dtype: str) -> tree.TensorStructInfo:
    known = [one for one in shape if one is not None]
    if len(known) == len(shape):
        return tree.TensorStructInfo(tree.ShapeExpr(tuple(known)), tree.DType(dtype), None)
    return tree.TensorStructInfo(None, tree.DType(dtype), len(shape))
