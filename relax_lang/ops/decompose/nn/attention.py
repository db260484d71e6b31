"""Attention as products of matrices and a softmax."""

from __future__ import annotations

import math

from relax_lang.arith.printing import simplified
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, number, prim, shape, where
from relax_lang.ops.decompose.core import narrowed, wide
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.call_terms import CallTerms
    from relax_lang.ops.decompose.core import Rule


def _attention(call: CallTerms) -> Term:
    query, key, value = call.args[:3]
    if call.attrs["window_size"] is not None:
        raise Refused("it has a window")
    _, queries, heads, depth = call.dims(query)
    _, keys, groups, _ = call.dims(key)
    if not (
        isinstance(heads, tree.IntImm) and isinstance(groups, tree.IntImm) and isinstance(depth, tree.IntImm)
    ):
        raise Refused("the number of heads is not known")
    if not groups.value or heads.value % groups.value:
        raise Refused("there is no key head for every query head")
    shared = heads.value // groups.value
    rows = apply("permute_dims", wide(query), axes=[0, 2, 1, 3])
    columns = apply("permute_dims", _repeated(wide(key), shared), axes=[0, 2, 3, 1])
    given = call.attrs["scale"]
    scale = float(given) if given is not None else 1 / math.sqrt(depth.value) if depth.value else 1.0
    scores = apply("matmul", rows, columns) * scale
    if len(call.args) > 3:
        scores = scores + wide(call.args[3])
    mask = call.attrs["causal_mask"]
    if mask is not None:
        last = simplified(tree.Sub(keys, queries)) if mask == "BottomRight" else tree.IntImm(0)
        seen = apply("tril", apply("ones", shape([queries, keys]), dtype_="bool"), prim(last))
        scores = where(seen, scores, number(float("-inf"), scores.dtype))
    likely = apply("nn.softmax", scores, axis=-1)
    values = apply("permute_dims", _repeated(wide(value), shared), axes=[0, 2, 1, 3])
    mixed = apply("permute_dims", apply("matmul", likely, values), axes=[0, 2, 1, 3])
    return narrowed(mixed, query)


def _repeated(term: Term, times: int) -> Term:
    return term if times == 1 else apply("repeat", term, repeats=times, axis=2)


DECOMPOSITIONS: dict[str, Rule] = {"nn.attention": _attention, "nn.attention_bias": _attention}
