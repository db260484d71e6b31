"""Operators that make tensors out of numbers and shapes. [R.33]"""

from __future__ import annotations

from math import isfinite

from relax_lang.relay.operators.core import Refused, declare
from relax_lang.relay.operators.dims import cast, ints, positions, reshaped
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
    known = [one for one in bounds if one is not None and isfinite(one)]
    dtype: str = attrs["dtype"]
    if len(known) != 3:
        return _counted(to, args, dtype)
    numbers = [float(one) for one in known] if dtype.startswith("float") else [int(one) for one in known]
    return to.call("arange", *[to.prim(one) for one in numbers], dtype=dtype)


def _counted(to: Emitter, args: Sequence[Value], dtype: str) -> Value:
    """Count how many numbers there are, and make them of their places."""
    start, stop, step = [cast(to, reshaped(to, one, []), "float64") for one in args]
    steps = to.call("ceil", to.call("divide", to.call("subtract", stop, start), step))
    count = cast(to, to.call("maximum", steps, to.const(0.0, "float64")), "int64")
    (size,) = to.extents(reshaped(to, count, [1]), 1)
    first, each = [cast(to, reshaped(to, args[index], []), dtype) for index in (0, 2)]
    return to.call("add", first, to.call("multiply", positions(to, size, dtype), each))


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
        return _triangle(to, args, upper=bool(attrs["upper"]))
    return to.call("triu" if attrs["upper"] else "tril", args[0], to.prim(int(offset)))


def _triangle(to: Emitter, args: Sequence[Value], *, upper: bool) -> Value:
    """Keep what is on the diagonal `k`, and above or below it."""
    data, dtype = args[0], to.dtype(args[0])
    dims = to.dims(data)
    if len(dims) < 2:
        raise Refused(f"`data` has {len(dims)} axes, and a matrix has two", argument=0)
    rows = reshaped(to, positions(to, dims[-2]), [dims[-2], 1])
    diagonal = to.call("subtract", positions(to, dims[-1]), rows)
    offset = cast(to, reshaped(to, args[1], []), "int64")
    kept = to.call("greater_equal" if upper else "less_equal", diagonal, offset)
    return to.call("where", kept, data, to.const(0.0 if "float" in dtype else 0, dtype))


declare(
    "trilu",
    "data k",
    'upper: bool = True, attrs_type_key: str = "relay.attrs.TriluAttrs"',
    relation=by_lowering,
    lower=_trilu,
)
