"""Operators that make tensors out of numbers and shapes. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, declare
from relax_lang.relay.operators.dims import ints
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value


def _filled(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        return to.call(name, to.shape(ints(attrs["shape"])), dtype=attrs["dtype"] or "float32")

    return lower


declare("zeros", "", 'shape: ints, dtype: str = ""', relation=by_lowering, lower=_filled("zeros"))
declare("ones", "", 'shape: ints, dtype: str = ""', relation=by_lowering, lower=_filled("ones"))


def _full(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("full", to.shape(ints(attrs["shape"])), args[0], dtype=attrs["dtype"] or to.dtype(args[0]))


declare("full", "fill_value", 'shape: ints, dtype: str = ""', relation=by_lowering, lower=_full)


def _arange(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    bounds = [to.literal(one) for one in args]
    known = [one for one in bounds if one is not None]
    if len(known) != 3:
        raise NotLowered("bounds that are not written out")
    dtype: str = attrs["dtype"]
    numbers = [float(one) for one in known] if dtype.startswith("float") else [int(one) for one in known]
    return to.call("arange", *[to.prim(one) for one in numbers], dtype=dtype)


declare(
    "arange",
    "start stop step",
    "start: any?, stop: any?, step: any?, dtype: str",
    relation=by_lowering,
    lower=_arange,
)


def _shape_of(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    found = to.call("shape_to_tensor", to.call("shape_of", args[0]))
    return to.call("astype", found, dtype=attrs["dtype"] or "int32")


def _size(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("astype", to.call("size", args[0]), dtype=attrs["dtype"] or "int32")


declare("shape_of", "data", 'dtype: str = ""', relation=by_lowering, lower=_shape_of)
declare("ndarray_size", "data", 'dtype: str = ""', relation=by_lowering, lower=_size)


def _trilu(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    offset = to.literal(args[1])
    if offset is None:
        raise NotLowered("`k` has to be written out")
    return to.call("triu" if attrs["upper"] else "tril", args[0], to.prim(int(offset)))


declare(
    "trilu",
    "data k",
    'upper: bool = True, attrs_type_key: str = "relay.attrs.TriluAttrs"',
    relation=by_lowering,
    lower=_trilu,
)
