"""Calls whose operands are all known, computed while a model is imported, by the kernels that a run would use."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.values import Constant, Sizes
from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.signature import DTypeName
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator

MOST = 1 << 12
"""Elements of a result that is computed at import, unless its operands have as many."""
_GROWING = ("broadcast_to", "full", "zeros", "ones", "tile", "repeat", "eye", "arange", "nn.pad", "one_hot")
"""Operators whose result has a size that their operands do not bound."""


def fold(operator: Operator, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Return the result of a call, a constant or a list of them, or None if something is not known.

    A call that fails is left to the run.
    """
    if (
        operator.kernel is None
        or not operator.pure
        or operator.name in ("unique", "multinomial_from_uniform")
    ):
        return None
    values: list[Any] = []
    size = MOST
    for at, arg in enumerate(args):
        param = operator.params[min(at, len(operator.params) - 1)]
        found = _value(param.kind, arg)
        if found is _UNKNOWN:
            return None
        values.append(found)
        size += _size(found)
    if operator.name in _GROWING and not _is_bounded(operator.name, values):
        return None
    return _result(_run(operator, values, attrs), size)


_UNKNOWN = object()


def _is_bounded(name: str, values: list[Any]) -> bool:
    import math

    if name == "arange":
        numbers = [one for one in values if one is not None]
        return all(isinstance(one, int) and abs(one) <= MOST for one in numbers)
    for one in values:
        if isinstance(one, ShapeValue):
            return math.prod(one) <= MOST
    return False


def _run(operator: Operator, values: list[Any], attrs: dict[str, Any]) -> Any:
    import numpy as np

    named = {
        spec.name: DTypeName(attrs[spec.name])
        if isinstance(attrs[spec.name], str) and "dtype" in spec.type
        else attrs[spec.name]
        for spec in operator.attrs
        if spec.name in attrs
    }
    try:
        with np.errstate(all="ignore"):
            return bind(operator, operator.options(named))(*values)
    except RunFailure:
        return None


def _result(found: Any, limit: int) -> Any:
    import numpy as np

    if isinstance(found, tuple):
        fields: list[Any] = [_result(one, limit) for one in found]  # pyright: ignore[reportUnknownVariableType]
        return None if None in fields else fields
    if not hasattr(found, "dtype") or found.size > limit:
        return None
    return Constant(np.ascontiguousarray(found).reshape(found.shape))


def _size(value: Any) -> int:
    if isinstance(value, tuple):
        return sum([_size(one) for one in value])  # pyright: ignore[reportUnknownVariableType]
    return int(getattr(value, "size", 0))


def _value(kind: str, arg: Any) -> Any:
    if arg is None:
        return None
    if kind == "tensor":
        return _array(arg)
    if kind == "tensors":
        return _all([_array(one) for one in arg])
    if kind == "shape":
        found = _all([_number(one) for one in arg])
        if found is _UNKNOWN or any(one < 0 and one != -1 for one in found):
            return _UNKNOWN
        return ShapeValue(found)
    if kind == "prim":
        return _number(arg)
    return _all([_number(one) for one in arg]) if kind == "prims" else _UNKNOWN


def _all(values: list[Any]) -> Any:
    return _UNKNOWN if any(one is _UNKNOWN for one in values) else tuple(values)


def _array(arg: Any) -> Any:
    import numpy as np

    if isinstance(arg, Constant):
        return arg.array
    found = dims.numbers(arg.items) if isinstance(arg, Sizes) else None
    if found is None:
        return _UNKNOWN
    made = np.array(found, arg.dtype)
    return made.reshape(()) if arg.scalar else made


def _number(arg: Any) -> Any:
    if not isinstance(arg, tree.Node):
        return arg
    found = dims.number(arg)  # pyright: ignore[reportArgumentType] - no other node is given
    return _UNKNOWN if found is None else found
