"""PrimFuncs as the runtime calls them: in parameter order, by the engine that was chosen. [O.4] [TIR.21]"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.wording import tuple_text
from relax_lang.format.lexemes import global_name
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.values.display import show_brief
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import is_tensor
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import Mismatch, buffers, in_parameter_order
from relax_lang.tir.options.sequential import AUTO
from relax_lang.tir.options.sharing import NOTHING_SHARED
from relax_lang.tir.options.threads import Threads
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.runtime.calling.packed import PackedFuncs
    from relax_lang.runtime.values.tensors import Memory
    from relax_lang.tir.calls.row_threads import RowParts
    from relax_lang.tir.compile import Compiled
    from relax_lang.tir.ir.signature import TensorSpec
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.tir.options.sharing import Sharing
    from relax_lang.tir.planned import Plan

COMPILED = "compiled"
INTERPRETER = "interpreter"
ENGINES = (COMPILED, INTERPRETER)
"""What `--engine` takes."""


class PrimFuncs:
    """Runs the PrimFuncs of one program; with the engine `compiled`, those that can be compiled are, once.

    `compiled` are those that other runs of the same program have compiled already, `kept` has the code of other
    processes. `sequential` decides what runs loops that stay sequential. Of large arrays rows are computed at once on
    as many `threads`: as there are processors, if it is 0. `forms` says under what the code of PrimFuncs is kept, where
    that is known.
    """

    __slots__ = ("_compiled", "_externs", "_forms", "_kept", "_memory", "engine", "sequential", "threads")

    def __init__(
        self,
        packed: PackedFuncs,
        memory: Memory,
        engine: str = COMPILED,
        compiled: dict[tree.PrimFunc, Compiled] | None = None,
        kept: KeptCodes | None = None,
        sequential: str = AUTO,
        threads: int = 0,
        forms: Mapping[tree.PrimFunc, str] | None = None,
    ) -> None:
        self._externs = packed.registered()
        self._memory = memory
        self.engine = engine
        self.sequential = sequential
        found = Threads(threads)
        self.threads = found if found.count > 1 else None
        self._kept = kept
        self._forms = forms or {}
        self._compiled: dict[tree.PrimFunc, Compiled] = {} if compiled is None else compiled

    def run(
        self, func: tree.PrimFunc, arrays: Sequence[object], numbers: Sequence[int | float] = ()
    ) -> object:
        """Run on buffers and scalars that fit; writes into the arrays, returns the result. Raises RunFailure. [O.4]"""
        return self._run(func, in_parameter_order(func, arrays, numbers))

    def prepared(self, func: tree.PrimFunc) -> Callable[..., object]:
        """Return what runs calls that fit, from buffers followed by scalars; it raises RunFailure. [O.4]"""
        if self.engine == INTERPRETER:
            return lambda *values: self._run(func, values)
        run = self._compile(func).prepared(
            self._externs, self._memory.new_array, self.sequential, self.threads
        )
        first_scalar = len(buffers(func))
        if not [param for param in func.params[:first_scalar] if isinstance(param, tree.ScalarParam)]:
            return run
        return lambda *values: run(*in_parameter_order(func, values[:first_scalar], values[first_scalar:]))

    def divided(self, func: tree.PrimFunc, arrays: Sequence[object]) -> RowParts | None:
        """Return how calls with arrays like some are divided into blocks of rows for several threads, if they are."""
        threads = self.threads
        if threads is None or self.engine == INTERPRETER or not threads.are_for(arrays):
            return None
        return self._compile(func).divided()

    def planned(
        self,
        func: tree.PrimFunc,
        arrays: Sequence[object],
        results: Sequence[TensorSpec],
        numbers: Sequence[int],
        same: bool,
        sharing: Sharing = NOTHING_SHARED,
    ) -> Plan | None:
        """Plan calls like one that fits, with results of their own; None if there is no form for them. See
        `tir.planned`.
        """
        if self.engine == INTERPRETER:
            return None
        from relax_lang.tir.planned import plan_call

        most, compiled = self._memory.max_bytes, self._compile(func)
        options = self.sequential, most, sharing, self._kept
        return plan_call(compiled, arrays, results, numbers, same, *options)

    def _run(self, func: tree.PrimFunc, arguments: Sequence[object]) -> object:
        if self.engine == INTERPRETER:
            from relax_lang.tir.interp import (
                interpreter,  # only for programs that call PrimFuncs, as all below
            )

            return interpreter.run(func, arguments, self._externs, self._memory.new_array)
        # What it cannot vectorize, it leaves to the interpreter itself.
        return self._compile(func).run(
            *arguments,
            packed=self._externs,
            allocate=self._memory.new_array,
            sequential=self.sequential,
            threads=self.threads,
        )

    def _compile(self, func: tree.PrimFunc) -> Compiled:
        compiled = self._compiled.get(func)
        if compiled is None:
            from relax_lang.tir.compile import compile_prim_func

            compiled = compile_prim_func(func, self._kept, self._forms.get(func, ""))
            self._compiled[func] = compiled
        return compiled

    def as_packed(self, func: tree.PrimFunc) -> Callable[..., object]:
        """Return a PrimFunc as `extern "its_name"` calls it: all parameters in order. [X.8]"""

        def call(*arguments: object) -> object:
            with deep_recursion():
                values = _checked(func, arguments)
                return scalar_result(func, self._run(func, values))

        return call


def scalar_result(func: tree.PrimFunc, value: object) -> object:
    """Return the result of a PrimFunc as a value: a scalar, nothing if it has none."""
    if func.ret_dtype is None:
        return None
    return np.asarray(value, named_dtype(func.ret_dtype.name))


def _checked(func: tree.PrimFunc, arguments: Sequence[object]) -> list[object]:
    """Return the arguments of a call by name as the engines take them. Raises RunFailure at the call. [Z.7]"""
    from relax_lang.tir.interp import interpreter

    values: list[object] = []
    for param, value in zip_longest(func.params, arguments):
        values.append(_plain(param, value))
        if isinstance(param, tree.ScalarParam) and not isinstance(values[-1], (bool, int, float)):
            if len(values) > len(arguments):
                continue  # there are too few, which is reported
            wanted = f"expected a number of type {param.dtype.name}, found {show_brief(value)}"
            raise _refused(func, param, wanted)
    values = values[: len(arguments)]
    try:
        interpreter.bind_arguments(func, values)
    except RunFailure as failure:
        failure.node = None
        mismatch = failure.facts.pop("mismatch", None)
        if isinstance(mismatch, Mismatch) and mismatch.param is not None:
            raise _refused(func, mismatch.param, str(mismatch)) from None
        raise
    return values


def _refused(func: tree.PrimFunc, param: tree.Buffer | tree.ScalarParam, why: str) -> RunFailure:
    name = global_name(func.name.name_hint)
    message = f"parameter `{param.name}` of {name} does not match `{_type_of(param)}`: {why}"
    return RunFailure("argument-check-failed", message, parameter=param)


def _type_of(param: tree.Buffer | tree.ScalarParam) -> str:
    return buffer_type(param) if isinstance(param, tree.Buffer) else param.dtype.name


def _plain(param: tree.PrimParam | None, value: object) -> object:
    """Return the number in a scalar tensor where a scalar is wanted: a program has no other way to pass one."""
    if isinstance(param, tree.ScalarParam) and is_tensor(value) and value.ndim == 0:
        return value.item()
    return value


def buffer_type(buffer: tree.Buffer) -> str:
    """Return the type of a buffer as it is written: `Buffer[(n, m), float32]`."""
    return f"Buffer[{tuple_text([shown(dim) for dim in buffer.shape])}, {buffer.dtype.name}]"
