"""Calls of PrimFuncs that the runtime has planned, as functions that run. [TIR.21]

`plan_call` is given what is the same in many calls; what it returns takes the arrays of the inputs, then the scalars,
and returns the results, as new arrays. It runs where the errors of floats are ignored.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.tir.codegen.passes.effects import may_fail
from relax_lang.tir.codegen.planned_calls import FITS, RUN, PlannedCall
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.loading import load
from relax_lang.tir.sequential import AUTO, NUMPY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.compile import Compiled
    from relax_lang.tir.ir.signature import TensorSpec

    Run = Callable[..., Any]

_MANY_BYTES = 1 << 20
"""A call with a larger array may find that there is no memory for what it computes on the way."""


class Plan:
    """A planned call: `run` runs it. It may have to be given up while it runs, unless it is `certain`: `gives_up` are
    the exceptions that say so, and nothing has been stored then. `made` is what it made of the first arrays.
    """

    __slots__ = ("certain", "gives_up", "made", "run")

    def __init__(self, run: Run, made: Any, gives_up: tuple[type[BaseException], ...], certain: bool) -> None:
        self.run = run
        self.made = made
        self.gives_up = gives_up
        self.certain = certain


def plan_call(
    compiled: Compiled,
    arrays: Sequence[Any],
    results: Sequence[TensorSpec],
    numbers: Sequence[int],
    same: bool,
    sequential: str = AUTO,
    most_bytes: int | None = None,
) -> Plan | None:
    """Plan calls like one that fits, and run it; None if there is no form for them. [O.4]

    The shapes of all such calls are the `same`; otherwise the sizes differ, and only calls with these may run so. No
    array that the PrimFunc makes may have more than `most_bytes`.
    """
    if not compiled.vectorized or (compiled.stays_sequential and sequential != NUMPY):
        return None  # who runs such a call is decided each time
    if compiled.code is None:
        return None
    shapes = [array.shape for array in [*arrays, *results]]
    call = PlannedCall(compiled.code, len(results), shapes, same)
    if not call.is_possible:
        return None
    run, fits, not_vectorized = _loaded(compiled, call, makes=True)
    gives_up = (not_vectorized, MemoryError)
    try:
        made_arrays = fits(*arrays, *results, *numbers)
        bytes_of = [math.prod(shape) * named_dtype(dtype).itemsize for shape, dtype in made_arrays]
        if most_bytes is not None and max(bytes_of, default=0) > most_bytes:
            return None  # with all checks it is reported
        made = run(*arrays, *numbers)
        if not _is_as_declared(made, results, arrays):
            run, _, not_vectorized = _loaded(compiled, call, makes=False)
            gives_up = (not_vectorized, MemoryError)
            made = run(*arrays, *numbers)
    except gives_up:
        return None
    items = [named_dtype(buffer.dtype.name).itemsize for buffer in buffers(compiled.func)]
    largest = max([*bytes_of, *[math.prod(shape) * size for shape, size in zip(shapes, items, strict=True)]])
    certain = largest < _MANY_BYTES and not [one for one in compiled.code.parts[1] if may_fail(one)]
    return Plan(run, made, gives_up, certain)


def _loaded(compiled: Compiled, call: PlannedCall, makes: bool) -> tuple[Run, Run, type[Exception]]:
    key = (call.key, makes)
    namespace = compiled.planned.get(key)
    if namespace is None:
        namespace = compiled.planned[key] = load(compiled.func, call.module(makes))
    return namespace[RUN], namespace[FITS], namespace["NotVectorized"]


def _is_as_declared(values: Any, results: Sequence[TensorSpec], arrays: Sequence[Any]) -> bool:
    """Return whether operations made results as they are declared, in memory of their own."""
    made = values if len(results) > 1 else (values,)
    for value, wanted in zip(made, results, strict=True):
        if type(value) is not np.ndarray or value.shape != wanted.shape or value.dtype.name != wanted.dtype:
            return False
        if not value.flags.writeable or [array for array in arrays if np.may_share_memory(value, array)]:
            return False
    return True
