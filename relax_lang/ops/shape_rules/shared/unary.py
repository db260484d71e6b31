"""The result has the shape of the first tensor: all that is known of it stays. [OP.6]"""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.axes import one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree


def same(call: Inference) -> tree.StructInfo:
    """Infer an operator that keeps shape and dtype of its first argument."""
    x = call.tensor(0)
    return call.like(x, x.dtype)


def predicate(call: Inference) -> tree.StructInfo:
    """Infer an operator that keeps the shape and tests every element."""
    return call.like(call.tensor(0), "bool")


def converted(call: Inference) -> tree.StructInfo:
    """Infer an operator that keeps the shape; the dtype is that of the attribute `dtype`, if it is given."""
    x = call.tensor(0)
    return call.like(x, call.attrs["dtype"] or x.dtype)


def along_axis(call: Inference) -> tree.StructInfo:
    """Infer an operator that works along one axis and keeps the shape; with a `dtype` it makes that. [OP.5]"""
    x = call.tensor(0)
    if x.rank is not None:
        one_axis(call, call.attrs["axis"], x.rank)
    return call.like(x, call.attrs.get("dtype") or x.dtype)
