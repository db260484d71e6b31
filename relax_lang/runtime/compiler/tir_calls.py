"""Stubs of `call_tir`: with all its checks, and planned where everything but the elements is certain. [O.1-O.7]"""

from __future__ import annotations

import numpy as np

from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.compiler.tir_sites import CallSite, Settling, at_any_size
from relax_lang.runtime.interpreter import dps
from relax_lang.runtime.interpreter.dps import check_arguments, result_infos
from relax_lang.runtime.values.tensors import Remembered
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec, scalars
from relax_lang.tir.options.sharing import NOTHING_SHARED
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.runtime.compiler.call_stubs import Function, Names, Stub
    from relax_lang.runtime.interpreter.machine import Machine
    from relax_lang.tir.options.sharing import Sharing


def tir_call(call: tree.Call, func: tree.PrimFunc) -> Stub:
    """`call_tir` with a known PrimFunc: takes the arguments, the scalars, and the shapes of the results. [O.4]

    What was found to fit once fits again in the same shapes and dtypes.
    """
    infos = result_infos(call)
    dtypes = [info.dtype.name for info in infos if info.dtype is not None]
    several = isinstance(call.struct_info, tree.TupleStructInfo)

    def link(machine: Machine) -> Function:
        seen = Remembered()
        run: Function | None = None

        def first(
            arguments: tuple[Any, ...], numbers: tuple[int, ...], shapes: tuple[tuple[int, ...], ...]
        ) -> Any:
            """Check a combination that is new; return its dimensions and what its results need."""
            nonlocal run
            wanted = [TensorSpec(dtype, shape) for dtype, shape in zip(dtypes, shapes, strict=True)]
            dims = check_arguments(call, func, (arguments, wanted, infos), numbers)
            for result in wanted:  # what cannot be allocated is found before anything is compiled
                machine.memory.empty(result.shape, result.dtype)
            run = run or machine.prim_funcs.prepared(func)
            found = dims, [(result.shape, named_dtype(result.dtype)) for result in wanted]
            seen.keep(arguments, (numbers, shapes), found)
            return found

        def apply(arguments: tuple[Any, ...], numbers: tuple[int, ...], *shapes: tuple[int, ...]) -> object:
            found = seen.find(arguments, (numbers, shapes)) or first(arguments, numbers, shapes)
            dims, wanted = found
            assert run is not None
            try:
                results = tuple([np.empty(shape, dtype) for shape, dtype in wanted])
            except MemoryError:  # the one that does not fit is reported
                results = tuple([machine.memory.empty(shape, dtype.name) for shape, dtype in wanted])
            try:
                run(*arguments, *results, *numbers)
            except RunFailure as failure:
                failure.facts.setdefault("shape_vars", dict(dims))
                failure.facts["prim_func_call"] = call
                raise
            return results if several else results[0]

        return apply

    return link


def direct_call(call: tree.Call, func: tree.PrimFunc) -> Stub:
    """`@f(x, y)` with a known PrimFunc: takes the arguments. [V.12]

    What was found to fit once fits again in the same shapes and dtypes.
    """
    simple = not scalars(func) and func.ret_dtype is None

    def link(machine: Machine) -> Function:
        seen = Remembered()
        run: Function | None = None

        def apply(*arrays: Any) -> object:
            nonlocal run
            dims = seen.find(arrays)
            if dims is None or run is None:
                if simple:
                    dims = check_arguments(call, func, (arrays, (), ()), ())
                    run = run or machine.prim_funcs.prepared(func)
                    seen.keep(arrays, (), dims)
                return dps.direct_call(func, arrays, call, machine)
            try:
                run(*arrays)
            except RunFailure as failure:
                failure.facts.setdefault("shape_vars", dict(dims))
                failure.facts["prim_func_call"] = call
                raise
            return ()

        return apply

    return link


def planned_tir_call(
    call: tree.Call,
    func: tree.PrimFunc,
    dims: Names,
    sharing: Sharing = NOTHING_SHARED,
    infos: Sequence[tree.StructInfo] = (),
) -> Stub:
    """`call_tir` with a known PrimFunc that stores to its results alone, on arrays of certain dtypes and shapes.

    Takes the arguments; where shape variables decide the shapes, first their values. The first call with
    such a tuple has all checks, the second one is planned, and all others go straight to the generated function; so do
    calls with other values that are proved to run by the same plan. `sharing` decides which arguments results may share
    memory with, `infos` are certain of the arguments.
    """
    checked = tir_call(call, func)

    def link(machine: Machine) -> Function:
        site = CallSite(call, func, dims, machine, checked(machine))
        site.sharing = sharing
        if not dims:
            settling = Settling(lambda *arrays: site.first((), arrays))
            site.settle = lambda _values, found: settling.settle(found)
            return settling
        return at_any_size(site, infos)

    return link
