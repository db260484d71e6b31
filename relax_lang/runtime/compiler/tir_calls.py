"""Stubs of `call_tir`: with all its checks, and planned where everything but the elements is certain. [O.1-O.7]"""

from __future__ import annotations

import numpy as np

from relax_lang.format.lexemes import global_name
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.interpreter import dps
from relax_lang.runtime.interpreter.dps import check_arguments, result_infos
from relax_lang.runtime.values.dimensions import sizes
from relax_lang.runtime.values.tensors import Remembered
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec, scalars
from relax_lang.tir.options.sharing import NOTHING_SHARED
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.runtime.compiler.call_stubs import Function, Names, Stub
    from relax_lang.runtime.interpreter.machine import Machine
    from relax_lang.tir.calls.row_threads import RowParts
    from relax_lang.tir.options.sharing import Sharing

    Arrays = tuple[Any, ...]
    Values = tuple[int, ...]


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


class Settling:
    """A stub that makes way, in the code that calls it, for the function that it has found: `replace` puts it there."""

    __slots__ = ("_call", "replace")

    def __init__(self, call: Function) -> None:
        self._call = call
        self.replace: Callable[[Function], None] = _stays

    def __call__(self, *values: Any) -> Any:
        """Call what was given, or what was found last."""
        return self._call(*values)

    def settle(self, found: Function) -> None:
        """Call another function from now on."""
        self._call = found
        self.replace(found)


def _stays(_function: Function) -> None:
    """Where nothing can be replaced the stub calls what it has found."""


def planned_tir_call(
    call: tree.Call, func: tree.PrimFunc, dims: Names, sharing: Sharing = NOTHING_SHARED
) -> Stub:
    """`call_tir` with a known PrimFunc that stores to its results alone, on arrays of certain dtypes and shapes.

    Takes the arguments; where shape variables decide the shapes, first the tuple of their values. The first call with
    such a tuple has all checks, the second one is planned, and all others go straight to the generated function.
    `sharing` decides which arguments results may share memory with.
    """
    checked = tir_call(call, func)

    def link(machine: Machine) -> Function:
        site = _Site(call, func, dims, machine, checked(machine))
        site.sharing = sharing
        if not dims:
            settling = Settling(lambda *arrays: site.first((), arrays))
            site.settle = lambda _values, found: settling.settle(found)
            return settling
        known: dict[Values, Function] = {}

        def settle(values: Values, found: Function) -> None:
            if len(known) >= _MOST_VALUES:
                known.clear()
            known[values] = found

        def apply(values: Values, *arrays: Any) -> Any:
            run = known.get(values)
            return run(*arrays) if run is not None else site.first(values, arrays)

        site.settle = settle
        return apply

    return link


_MOST_VALUES = 256
"""So many combinations of sizes are remembered at one place of a program."""


class _Site:
    """One `call_tir` on one machine: what its first calls find out.

    `settle` is given, for some values of the shape variables, the function that runs the calls from now on.
    """

    __slots__ = ("_call", "_checked", "_dims", "_func", "_machine", "settle", "sharing")

    def __init__(
        self, call: tree.Call, func: tree.PrimFunc, dims: Names, machine: Machine, checked: Function
    ) -> None:
        self._call = call
        self._func = func
        self._dims = dims
        self._machine = machine
        self._checked = checked
        self.settle: Callable[[Values, Function], None] = _settled_nowhere
        self.sharing = NOTHING_SHARED

    def first(self, values: Values, arrays: Arrays) -> Any:
        """Run the first call with some values, with all checks."""
        result = self._again(values)(*arrays)
        self.settle(values, lambda *arrays: self._second(values, arrays))
        return result

    def _again(self, values: Values) -> Function:
        """Return the function that runs calls with all checks."""
        numbers, results = self._evaluated(values)
        shapes = [result.shape for result in results]
        return lambda *arrays: self._checked(arrays, numbers, *shapes)

    def _evaluated(self, values: Values) -> tuple[Values, list[TensorSpec]]:
        """Return the scalars and the results of calls."""
        env = dict(zip(self._dims, values, strict=True))
        given = self._call.args[2] if len(self._call.args) > 2 else None
        numbers = sizes(given.values, env) if isinstance(given, tree.ShapeExpr) else ()
        results: list[TensorSpec] = []
        for info in result_infos(self._call):
            assert isinstance(info.shape, tree.ShapeExpr)
            assert info.dtype is not None
            results.append(TensorSpec(info.dtype.name, sizes(info.shape.values, env)))
        return numbers, results

    def _second(self, values: Values, arrays: Arrays) -> Any:
        """Plan the calls with some values, and run the second one."""
        numbers, results = self._evaluated(values)
        again = self._again(values)
        parts = self._machine.prim_funcs.divided(self._func, arrays)
        same = not self._dims and parts is None
        given = self._func, arrays, results, numbers, same, self.sharing
        plan = self._machine.prim_funcs.planned(*given)
        made: Arrays = () if plan is None else plan.made if len(results) > 1 else (plan.made,)
        if plan is None or (parts is not None and plan.over is None and not _are_views(made, arrays)):
            self.settle(values, again)  # which divides calls
            return again(*arrays)
        run, gives_up = plan.run, plan.gives_up
        alone = isinstance(self._call.struct_info, tree.TupleStructInfo) and len(results) == 1

        def call(*arrays: Any) -> Any:
            try:
                made = run(*arrays, *numbers)
            except gives_up:
                return again(*arrays)
            return (made,) if alone else made

        if plan.over is not None and not alone:
            self.settle(values, self._overwriting(call, numbers, *plan.over, parts))
        else:
            self.settle(values, run if plan.certain and not numbers and not alone else call)
        return (plan.made,) if alone else plan.made

    def _overwriting(
        self, call: Function, numbers: Values, run: Function, at: int, parts: RowParts | None
    ) -> Function:
        """Return what writes results over one argument, which nothing else refers to, if its elements lie in a row.

        Blocks of rows run on several threads if there are such `parts`.
        """
        func, threads = self._func, self._machine.prim_funcs.threads
        if parts is not None and threads is not None and not numbers:
            whole, count = run, threads.count

            def divided(*arrays: Any) -> Any:
                return arrays[at] if parts.run_over(whole, arrays, at, count) else whole(*arrays)

            run = divided

        def overwrite(*arrays: Any) -> Any:
            if not arrays[at].flags.carray:
                return call(*arrays)
            try:
                return run(*arrays, *numbers)
            except MemoryError:
                name = global_name(func.name.name_hint)
                failure = RunFailure("out-of-memory", f"not enough memory to run {name}", func)
                failure.facts["prim_func_call"] = self._call
                raise failure from None

        return overwrite


def _are_views(results: Arrays, arrays: Arrays) -> bool:
    """Return whether results are views of arguments, so that there is nothing to compute."""
    return all(any(np.may_share_memory(one, array) for array in arrays) for one in results)


def _settled_nowhere(_values: Values, _function: Function) -> None:
    raise AssertionError("a stub is linked before it is called")
