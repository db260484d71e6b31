"""The rule of scaled dot product attention. [OP.6] [OP.7]"""

from __future__ import annotations

from functools import partial

from relax_lang.arith.prover import EQUAL
from relax_lang.ops.shape_rules.shared.broadcast import clash_text, same_dtype
from relax_lang.ops.shape_rules.shared.dims import number, product, value_of
from relax_lang.ops.shape_rules.shared.extents import must_divide, one_or
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference, Known

_ZERO = number(0)
_ONE = number(1)


def bad_window(options: dict[str, Any]) -> str | None:
    """Return what is wrong with the window, None if nothing is."""
    window = options["window_size"]
    if window is None:
        return None
    if window < 1:
        return f"it is {window}; it must be at least 1"
    return "a window goes with a `causal_mask`" if options["causal_mask"] is None else None


def attention(call: Inference) -> tree.StructInfo:
    """Infer (B, S, H, E) from a query (B, S, H, D), a key (B, T, K, D) and a value (B, T, K, E)."""
    query, key, value = call.tensor(0), call.tensor(1), call.tensor(2)
    problem = bad_window(call.attrs)
    if problem is not None:
        call.bad_attribute("window_size", problem)
    dtypes = [same_dtype(call, query, other, 0, index) for index, other in ((1, key), (2, value))]
    for i, j, axes in ((0, 1, (0, 3)), (0, 2, (0,)), (1, 2, (1, 2))):
        _same_extents(call, i, j, axes)
    if query.dims is not None and key.dims is not None:
        _check_heads(call, query.dims[2], key.dims[2])
    if len(call.operator.params) == 4:
        dtypes.append(same_dtype(call, query, call.tensor(3), 0, 3))
        _check_bias(call, query, key)
    dtype = None if None in dtypes else query.dtype
    if query.dims is None or value.dims is None:
        return call.of_rank(4, dtype)
    return call.tensor_of((*query.dims[:3], value.dims[3]), dtype)


def attention_of_sequences(call: Inference) -> tree.StructInfo:
    """Infer (1, S, H, E) as `attention` does, from sequences that lie end to end."""
    result = attention(call)
    query = call.tensor(0).dims
    if query is not None:
        shown = partial(_one_batch, call, query[0])
        call.clash(query[0], _ONE, (0, 1), shown)
    _same_extents(call, 3, 4, (0,))
    for index in (5, 6):
        dims = call.tensor(index).dims
        if dims is not None:
            count = product(call, dims)
            call.clash(count, _ONE, (index,), partial(_one_element, call, index, count))
    return result


def _one_batch(call: Inference, batch: tree.PrimExpr) -> str:
    return f"axis 0 of `query` is {call.text(batch)}, where 1 is needed"


def _one_element(call: Inference, index: int, count: tree.PrimExpr) -> str:
    return f"{call.name(index)} has {call.text(count)} elements, where 1 is needed"


def _same_extents(call: Inference, i: int, j: int, axes: tuple[int, ...]) -> None:
    left, right = call.tensor(i).dims, call.tensor(j).dims
    if left is None or right is None:
        return
    for axis in axes:
        clash = axis, left[axis], right[axis]
        reason = partial(clash_text, clash, call.name(i), call.name(j))
        call.clash(left[axis], right[axis], (i, j), reason)


def _check_heads(call: Inference, heads: tree.PrimExpr, groups: tree.PrimExpr) -> None:
    """Note that the key heads provably do not serve the query heads evenly."""
    rest = heads if value_of(groups) == 0 else tree.FloorMod(heads, groups)
    if call.different(rest, _ZERO):
        reason = (
            f"{call.text(heads)} query heads are not a multiple of {call.text(groups)} key heads (axis 2)"
        )
        call.bad_shape(reason, 0, 1)
    elif call.context.relation(heads, groups) != EQUAL:
        must_divide(call, groups, heads, 0, str)


def _check_bias(call: Inference, query: Known, key: Known) -> None:
    """Note that the bias provably is not (B or 1, H or 1, S or 1, T). [OP.6]"""
    bias = call.tensor(3).dims
    if bias is None:
        return
    wanted: list[tree.PrimExpr | None] = [None] * 4
    if query.dims is not None:
        wanted[:3] = query.dims[0], query.dims[2], query.dims[1]
    if key.dims is not None:
        wanted[3] = key.dims[1]
    for axis, (extent, most) in enumerate(zip(bias, wanted, strict=True)):
        if most is None:
            continue
        reason = partial(_bias_text, call, axis, extent, most)
        required = call.clash if axis == 3 else partial(one_or, call)
        if required(extent, most, (3,), reason):
            return


def _bias_text(call: Inference, axis: int, extent: tree.PrimExpr, most: tree.PrimExpr) -> str:
    return f"axis {axis} of `bias` is {call.text(extent)}, where {call.text(most)} is needed"
