"""Rules of operators between tensors and shapes. [O.9]"""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.dims import number, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree


def shape_of(call: Inference) -> tree.StructInfo:
    """Infer the shape of a tensor: its dimensions as far as they are known. [O.9]"""
    x = call.tensor(0)
    return call.shape_with(x.dims, x.rank)


def size(call: Inference) -> tree.StructInfo:
    """Infer a count."""
    return call.tensor_of((), "int64")


def tensor_to_shape(call: Inference) -> tree.StructInfo:
    """Infer a shape of as many dimensions as the tensor has elements."""
    x = call.tensor(0)
    rank = None if x.dims is None else value_of(x.dims[0])
    return call.shape_with(() if rank == 0 else None, rank)


def shape_to_tensor(call: Inference) -> tree.StructInfo:
    """Infer a row of as many elements as the shape has dimensions."""
    rank = call.tensor(0).rank
    return call.of_rank(1, "int64") if rank is None else call.tensor_of((number(rank),), "int64")


def shape_equals(call: Inference) -> tree.StructInfo:
    """Infer a truth."""
    return call.tensor_of((), "bool")
