"""Operators of neural networks that are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Neural networks, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


def _attention(call: Inference) -> tree.StructInfo:
    """Infer the shape of the queries, with the last axis of the values."""
    query, key, value = call.tensor(0), call.tensor(1), call.tensor(2)
    same_dtype(call, query, key, 0, 1)
    same_dtype(call, query, value, 0, 2)
    if query.dims is None or value.dims is None:
        return call.of_rank(4, query.dtype)
    return call.tensor_of((*query.dims[:3], value.dims[3]), query.dtype)


_declare(
    "nn.attention_var_len",
    "query: tensor(4-d), key: tensor(4-d), value: tensor(4-d), seqstart_q: tensor, seqstart_k: "
    "tensor, max_seqlen_q: tensor, max_seqlen_k: tensor",
    "scale: float|none = none, causal_mask: str|none = none, window_size: int|none = none",
    tvm="queries keys values seqstart_q max_seqlen_q seqstart_k max_seqlen_k scale causal_mask window_size",
    infer=_attention,
    doc="Attention over sequences of different lengths, laid end to end.",
)
