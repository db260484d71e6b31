"""Operators element by element. [R.33]"""

from __future__ import annotations

import math

from relax_lang.relay.operators.core import NotLowered, declare, itself, renamed
from relax_lang.relay.operators.relations import (
    broadcast,
    by_lowering,
    checked_identity,
    compare,
    identity,
    like_second_dtype,
    of_dtype,
    to_bool,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value

declare(
    "abs sign ceil floor trunc negative round zeros_like ones_like bitwise_not logical_not",
    "data",
    relation=identity,
)
declare("nn.relu", "data", relation=identity)
declare(
    "sqrt rsqrt exp log sin cos tan sinh cosh asin acos atan asinh acosh atanh tanh sigmoid erf",
    "data",
    relation=checked_identity,
)
declare("isnan isfinite isinf", "data", relation=to_bool)
declare("fast_exp", "data", relation=checked_identity, lower=renamed("exp"))
declare("fast_tanh", "data", relation=checked_identity, lower=renamed("tanh"))
declare("fast_erf", "data", relation=checked_identity, lower=renamed("erf"))
declare(
    "copy annotation.stop_fusion annotation.checkpoint annotation.cast_hint",
    "data",
    relation=identity,
    lower=itself,
)
declare("annotation.bitpack_start annotation.bitpack_end", "data", relation=identity, lower=itself)
declare(
    "annotation.compiler_begin annotation.compiler_end",
    "data",
    "compiler: str",
    relation=identity,
    lower=itself,
)
declare(
    "on_device",
    "body",
    "virtual_device: any? = None, constrain_result: bool = False, constrain_body: bool = True",
    relation=identity,
    lower=itself,
)
declare(
    "device_copy",
    "data",
    "src_virtual_device: any?, dst_virtual_device: any?",
    relation=identity,
    lower=itself,
)

declare(
    "add subtract multiply power maximum minimum floor_divide floor_mod divide mod "
    "bitwise_and bitwise_or bitwise_xor left_shift right_shift logical_and logical_or logical_xor",
    "lhs rhs",
    relation=broadcast,
)
declare("trunc_divide", "lhs rhs", relation=broadcast, lower=renamed("divide"))
declare("trunc_mod", "lhs rhs", relation=broadcast, lower=renamed("mod"))
declare("equal not_equal less less_equal greater greater_equal", "lhs rhs", relation=compare)
declare("where", "condition x y", relation=by_lowering)
declare(
    "nn.leaky_relu", "data", "alpha: float = 0.25", relation=checked_identity, lower=renamed("nn.leakyrelu")
)


def _logarithm(base: float) -> Any:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        scale = to.const(math.log(base), to.dtype(args[0]))
        return to.call("divide", to.call("log", args[0]), scale)

    return lower


declare("log2", "data", relation=checked_identity, lower=_logarithm(2))
declare("log10", "data", relation=checked_identity, lower=_logarithm(10))


def _clip(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    low, high = attrs["a_min"], attrs["a_max"]
    if to.dtype(args[0]).startswith(("int", "uint")):
        low, high = math.ceil(low), math.floor(high)
    return to.call("clip", args[0], to.prim(low), to.prim(high))


declare("clip", "data", "a_min: float, a_max: float", relation=identity, lower=_clip)


def _cast(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("astype", args[0], dtype=attrs["dtype"])


declare("cast", "data", "dtype: str", relation=of_dtype("dtype"), lower=_cast)


def _cast_like(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("astype", args[0], dtype=to.dtype(args[1]))


declare("cast_like", "data dtype_like", relation=like_second_dtype, lower=_cast_like)
declare("nn.softmax nn.log_softmax", "data", "axis: int = -1", relation=checked_identity)
declare("nn.fast_softmax", "data", "axis: int = -1", relation=checked_identity, lower=renamed("nn.softmax"))
declare("nn.dropout", "data", "rate: float = 0.5", relation=by_lowering)


def _l2_normalize(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data = args[0]
    total = to.call("sum", to.call("multiply", data, data), axis=attrs["axis"], keepdims=True)
    least = to.const(float(attrs["eps"]), to.dtype(data))
    return to.call("divide", data, to.call("sqrt", to.call("maximum", total, least)))


declare("nn.l2_normalize", "data", "eps: float, axis: ints", relation=checked_identity, lower=_l2_normalize)


def _full_like(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("full_like", args[0], args[1])


declare("full_like", "data fill_value", relation=by_lowering, lower=_full_like)


def _cross_entropy(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return _mean_of_rows(to, args[0], to.call("multiply", args[1], to.call("log", args[0])))


def _cross_entropy_with_logits(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return _mean_of_rows(to, args[0], to.call("multiply", args[1], args[0]))


def _mean_of_rows(to: Emitter, data: Value, terms: Value) -> Value:
    rows = to.dims(data)[0] if to.dims(data) else 1
    if not isinstance(rows, int):
        raise NotLowered("the number of rows has to be known")
    return to.call(
        "divide", to.call("negative", to.call("sum", terms)), to.const(float(rows), to.dtype(data))
    )


declare("nn.cross_entropy", "predictions targets", relation=by_lowering, lower=_cross_entropy)
declare(
    "nn.cross_entropy_with_logits",
    "predictions targets",
    relation=by_lowering,
    lower=_cross_entropy_with_logits,
)
