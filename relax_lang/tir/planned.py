"""Calls of PrimFuncs that the runtime has planned, as functions that run. [TIR.21]

`plan_call` is given what is the same in many calls; what it returns takes the arrays of the inputs, then the scalars,
and returns the results, as new arrays. It runs where the errors of floats are ignored.
"""

from __future__ import annotations

import math
from functools import partial
from operator import mul

import numpy as np

from relax_lang.ops.calls.overwriting import LARGE
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.tir.calls.planned_forms import PlannedForms
from relax_lang.tir.codegen.calls.forms import size_class, size_class_of
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.options.sequential import AUTO
from relax_lang.tir.options.sharing import NOTHING_SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.calls.planned_forms import Functions
    from relax_lang.tir.compile import Compiled
    from relax_lang.tir.ir.signature import TensorSpec
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.tir.options.sharing import Sharing

    Run = Callable[..., Any]

MANY_BYTES = 1 << 20
"""A call with a larger array may find that there is no memory for what it computes on the way."""


_LEAST_OVER = 1 << 9
"""Where all calls have the same shapes results of so many bytes are written over inputs; else it takes more time."""


class Plan:
    """A planned call: `run` runs it. It may have to be given up while it runs, unless it is `certain`: `gives_up` are
    the exceptions that say so, and nothing has been stored then. `made` is what it made of the first arrays. `over`
    is what runs a call and writes the result over an input, with the position of this one; nothing but a lack of memory
    ends it early. `makes` is whether an operation makes each result, so that all of its elements are written. `fits`
    takes what has the shapes of inputs and results, then the scalars, and raises one of `gives_up` if calls with these
    cannot run so; it returns the shapes and dtypes of the arrays that are made on the way. `is_monotone` is asked
    whether two combinations of sizes that fit have nothing but such in between.
    """

    __slots__ = ("certain", "fits", "gives_up", "is_monotone", "made", "makes", "over", "run")

    def __init__(
        self, functions: Functions, made: Any, gives_up: tuple[type[BaseException], ...], certain: bool
    ) -> None:
        self.run, self.fits = functions.run, functions.fits
        self.made = made
        self.gives_up = gives_up
        self.certain = certain
        self.makes = False
        self.over: tuple[Run, int] | None = None
        self.is_monotone: Callable[[], bool] = _is_not_known


def _is_not_known() -> bool:
    return False


def kind_of_call(
    elements: Sequence[int], items: Sequence[int], over: Sequence[int]
) -> tuple[tuple[object, ...], int, int]:
    """Return what plans depend on beside what `Plan.fits` says: the class of its arrays by size, whether they are small
    enough to be made without fail, and the inputs that are large enough to be written over. Then the elements and the
    bytes of the largest array.

    Inputs and results have so many `elements`, each of so many bytes as `items` says; the result may be written `over`
    inputs of its shape.
    """
    bytes_of = [*map(mul, elements, items)]
    most, most_bytes = max(elements, default=0), max(bytes_of, default=0)
    large = tuple([at for at in over if bytes_of[at] >= LARGE])
    return (size_class_of(most), most_bytes < MANY_BYTES, large), most, most_bytes


def plan_call(
    compiled: Compiled,
    arrays: Sequence[Any],
    results: Sequence[TensorSpec],
    numbers: Sequence[int],
    same: bool,
    sequential: str = AUTO,
    most_bytes: int | None = None,
    sharing: Sharing = NOTHING_SHARED,
    kept: KeptCodes | None = None,
) -> Plan | None:
    """Plan calls like one that fits, and run it; None if there is no form for them. [O.4]

    The shapes of all such calls are the `same`; otherwise the sizes differ, and only calls with these may run so. No
    array that the PrimFunc makes may have more than `most_bytes`. `sharing` gives the memory that results may have.
    `kept` has what earlier processes found out about such calls, and takes what this one does.
    """
    if not compiled.vectorized or compiled.has_forms(sequential):
        return None  # who runs such a call is decided each time
    shapes = [array.shape for array in [*arrays, *results]]
    key = len(results), tuple(shapes) if same else None, size_class(shapes), sharing
    call = compiled.planned.get(key)
    if call is None:
        about = compiled.func, lambda: compiled.code, compiled.form
        call = compiled.planned[key] = PlannedForms(*about, len(results), shapes, same, sharing, kept)
    least = min(LARGE, _LEAST_OVER) if same else LARGE
    plan = _planned(call, compiled, (arrays, results, numbers), most_bytes, sharing, least)
    if kept is not None:
        call.keep(kept)
    return plan


def _planned(
    call: PlannedForms,
    compiled: Compiled,
    given: tuple[Sequence[Any], Sequence[TensorSpec], Sequence[int]],
    most_bytes: int | None,
    sharing: Sharing,
    least: int,
) -> Plan | None:
    arrays, results, numbers = given
    if not call.is_possible:
        return None
    for form in call.forms:
        functions = call.functions(form)
        gives_up: tuple[type[BaseException], ...] = (functions.not_vectorized, MemoryError, OverflowError)
        try:
            made_arrays = functions.fits(*arrays, *results, *numbers)
        except gives_up:
            if form.whole:
                continue
            return None
        bytes_of = [math.prod(shape) * named_dtype(dtype).itemsize for shape, dtype in made_arrays]
        if most_bytes is not None and max(bytes_of, default=0) > most_bytes:
            return None  # with all checks it is reported
        try:
            made = functions.run(*arrays, *numbers)
        except gives_up:
            return None
        shared = sharing.views if form.views else ()
        if _is_as_declared(made, results, [one for at, one in enumerate(arrays) if at not in shared]):
            break
    else:
        return None
    shapes = [array.shape for array in [*arrays, *results]]
    items = [named_dtype(buffer.dtype.name).itemsize for buffer in buffers(compiled.func)]
    largest = max([*bytes_of, *[math.prod(shape) * size for shape, size in zip(shapes, items, strict=True)]])
    plan = Plan(functions, made, gives_up, largest < MANY_BYTES and not call.may_fail)
    plan.is_monotone = partial(call.is_monotone, form)
    plan.makes = call.makes_results(form)
    at = call.overwritten
    if at is not None and arrays[at].shape == results[0].shape and arrays[at].nbytes >= least:
        plan.over = call.functions(form._replace(over=at)).run, at
    return plan


def _is_as_declared(values: Any, results: Sequence[TensorSpec], apart: Sequence[Any]) -> bool:
    """Return whether operations made results as they are declared, in memory that is not that of some arrays."""
    made = values if len(results) > 1 else (values,)
    for value, wanted in zip(made, results, strict=True):
        if type(value) is not np.ndarray or value.shape != wanted.shape or value.dtype.name != wanted.dtype:
            return False
        if not value.flags.writeable or [array for array in apart if np.may_share_memory(value, array)]:
            return False
    return True
