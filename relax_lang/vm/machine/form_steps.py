"""What the steps of specialized forms run; see `vm.machine.specialized`."""

from __future__ import annotations

import numpy as np

from relax_lang.format.lexemes import global_name
from relax_lang.values import RunFailure, Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.syntax import tree
    from relax_lang.vm.builtins import Frame


def address(array: Any) -> int:
    """Return where the elements of an array begin."""
    return array.__array_interface__["data"][0]


def binding(dims: dict[str, Any]) -> Callable[[Frame, Sequence[object]], object]:
    """Return what gives shape variables the values that they have in all such calls."""

    def bind(frame: Frame, _values: Sequence[object]) -> object:
        frame.scope.shape_vars.update(dims)
        return None

    return bind


def storing(size: int) -> Callable[[], Storage]:
    """Return what makes a storage."""
    return lambda: Storage(np.zeros(size, np.uint8))


def placing(start: int, shape: tuple[int, ...], dtype: Any) -> Callable[[Storage], Any]:
    """Return what makes a tensor in a storage."""
    return lambda storage: np.ndarray(shape, dtype, storage.octets, start)


def without_checks(
    run: Callable[..., object], call: tree.Call, dims: dict[str, int]
) -> Callable[..., object]:
    """Return what runs a call of a PrimFunc whose arguments are known to fit."""

    def store(*arrays: Any) -> object:
        try:
            run(*arrays)
        except RunFailure as failure:
            failure.facts.setdefault("shape_vars", dict(dims))
            failure.facts["prim_func_call"] = call
            raise
        return ()

    return store


def written_over(
    over: Callable[..., Any], position: int, run: Callable[..., Any], func: tree.PrimFunc, call: tree.Call
) -> Callable[..., Any]:
    """Return what writes a result over one input, which nothing else refers to, if its elements lie in a row."""

    def overwrite(*inputs: Any) -> Any:
        if not inputs[position].flags.carray:
            return run(*inputs)
        try:
            return over(*inputs)
        except MemoryError:
            name = global_name(func.name.name_hint)
            failure = RunFailure("out-of-memory", f"not enough memory to run {name}", func)
            failure.facts["prim_func_call"] = call
            raise failure from None

    return overwrite


def with_second_way(
    run: Callable[..., Any],
    gives_up: tuple[type[BaseException], ...],
    store: Callable[..., object],
    result: Any,
) -> Callable[..., Any]:
    """Return what makes a result, by storing into a new array where the planned call gives up."""
    shape, dtype = result.shape, result.dtype

    def make(*inputs: Any) -> Any:
        try:
            return run(*inputs)
        except gives_up:
            made = np.empty(shape, dtype)
            store(*inputs, made)
            return made

    return make
