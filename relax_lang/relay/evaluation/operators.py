"""Operators on values: the Relax calls that they are, by Relax's own kernels. [R.33] [R.37]"""

from __future__ import annotations

import numpy as np

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.signature import DTypeName
from relax_lang.ops.registry import lookup
from relax_lang.relay.operators.prim_funcs import prim_func_of
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tir.compile import compile_prim_func
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.tir.compile import Compiled

_MOST_CALLS = 1_000
_DTYPE_ATTRIBUTES = ("dtype", "out_dtype")


class Values:
    """Calls Relax operators on arrays. `numbers` are the literals among the arguments, by identity."""

    def __init__(self, args: Sequence[Any], numbers: Sequence[float | None]) -> None:
        self._numbers = {id(arg): number for arg, number in zip(args, numbers, strict=True)}

    def call(self, operator: str, *args: Any, **attrs: object) -> Any:
        """Call a Relax operator. Raises RunFailure."""
        key = operator, repr(attrs) if attrs else ""
        call = _CALLS.get(key)
        if call is None:
            call = _CALLS[key] = _bound(operator, attrs)
        with np.errstate(all="ignore"):
            return call(*args)

    def const(self, value: object, dtype: str) -> Any:
        """Return a tensor that is written out."""
        return np.asarray(value, dtype=numpy_dtype(dtype))

    def shape(self, dims: Sequence[int]) -> Any:
        """Return a shape."""
        return ShapeValue(tuple([int(dim) for dim in dims]))

    def prim(self, value: float) -> Any:
        """Return a scalar that is not a tensor."""
        return value

    def prims(self, values: Sequence[float]) -> Any:
        """Return a tuple of scalars."""
        return tuple(values)

    def prim_func(self, text: str, args: Sequence[Any], results: Sequence[tuple[Sequence[int], str]]) -> Any:
        """Run a PrimFunc on arrays. Raises RunFailure."""
        compiled = _PRIM_FUNCS.get(text)
        if compiled is None:
            if len(_PRIM_FUNCS) > _MOST_CALLS:
                _PRIM_FUNCS.clear()
            compiled = _PRIM_FUNCS[text] = compile_prim_func(prim_func_of(text))
        made = [np.zeros(tuple(dims), dtype=numpy_dtype(dtype)) for dims, dtype in results]
        try:
            with np.errstate(all="ignore"):
                compiled.run(*args, *made)
        except RunFailure as wrong:
            wrong.node = None  # its place is one in the PrimFunc, which is in no file
            raise
        return made[0] if len(made) == 1 else tuple(made)

    def extents(self, value: Any, count: int) -> list[int]:
        """Return the elements of an integer tensor as extents. Raises RunFailure."""
        found = [int(one) for one in value.reshape(-1)]
        if any(one < 0 for one in found):
            raise failure(f"an extent cannot be negative: {found}")
        return found

    def fields(self, values: Sequence[Any]) -> Any:
        """Return a tuple."""
        return tuple(values)

    def field(self, value: Any, index: int) -> Any:
        """Return a field of a tuple."""
        return value[index]

    def count(self, value: Any) -> int:
        """Return the number of fields of a tuple."""
        return len(value)

    def dims(self, value: Any) -> list[int]:
        """Return the extents of a tensor."""
        return list(value.shape)

    def dtype(self, value: Any) -> str:
        """Return the dtype of a tensor."""
        return str(value.dtype)

    def literal(self, value: Any) -> float | None:
        """Return the number that an argument is: what is written out, or the value of a tensor of rank 0."""
        number = self._numbers.get(id(value))
        return number if number is not None or value.ndim else value.item()


_PRIM_FUNCS: dict[str, Compiled] = {}
"""PrimFuncs by their texts."""
_CALLS: dict[tuple[str, str], Any] = {}
"""Calls of operators with their attributes; a program makes few different ones."""


def _bound(operator: str, attrs: dict[str, object]) -> Any:
    found = lookup(operator)
    assert found is not None, operator
    if len(_CALLS) > _MOST_CALLS:
        _CALLS.clear()
    return bind(found, found.options({key: _attribute(key, value) for key, value in attrs.items()}))


def _attribute(key: str, value: object) -> object:
    if key in _DTYPE_ATTRIBUTES and isinstance(value, str) and value in DTYPES:
        return DTypeName(value)
    return value


def failure(message: str) -> RunFailure:
    """Return the failure of an operator that is given what it does not take."""
    return RunFailure("op-runtime-value", message)
