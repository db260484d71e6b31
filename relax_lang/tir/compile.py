"""PrimFunc to vectorized NumPy: the whole road, and the function that runs. [TIR.21]

`tir.vectorize` makes the text, and this a function of it. Every step proves what it does or refuses. A PrimFunc with a
part that is refused runs in the scalar interpreter as a whole, and so does a call with arrays that the generated code
was not proved for (overlapping memory, indices that only a condition keeps inside, division by zero): it finds that out
before it writes, or undoes what it wrote.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from relax_lang.base.node import structure
from relax_lang.base.python.digests import digest
from relax_lang.format.lexemes import global_name
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.tir.calls.repeated import Repeated
from relax_lang.tir.interp.memory import is_array, new_array, plain
from relax_lang.tir.kept_code import KeptCode
from relax_lang.tir.loading import load
from relax_lang.tir.options.sequential import AUTO, NUMPY
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.tir.calls.planned_forms import PlannedForms
    from relax_lang.tir.calls.row_threads import RowParts
    from relax_lang.tir.codegen.printer.module import Generated
    from relax_lang.tir.interp.memory import Allocate
    from relax_lang.tir.interp.statements import Packed
    from relax_lang.tir.kept_code import Entry
    from relax_lang.tir.loops.choice import Loops
    from relax_lang.tir.loops.steps import Operations
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.tir.options.threads import Threads
    from relax_lang.tir.schedule.remarks import Remark

    Merged = tuple[tuple[str, str], ...]


class Compiled:
    """A PrimFunc that runs: `source` is the text of its NumPy module.

    Where `vectorized` is false the scalar interpreter runs everything, and the text only gives the reason.
    """

    def __init__(
        self,
        func: tree.PrimFunc,
        made: tuple[list[Remark], Generated | None, Operations | None] | None,
        kept: KeptCode | None = None,
    ) -> None:
        """Take what the compiler made, or the code that was kept of it: then it is made again if it is asked for."""
        self.func = func
        self._made = made
        self._takes_array = [isinstance(param, tree.Buffer) for param in func.params]
        self._function: Callable[..., None] = _no_code
        self._not_vectorized: tuple[type[Exception], ...] = (Exception,)
        """What the code raises where the interpreter takes over: `OverflowError` of sizes made of data beyond int64."""
        self._externs: list[Node] = []
        self.stays_sequential = True
        """Whether some of it runs one element after the other."""
        self.by_elements = False
        """Whether its loops run operations on single elements, which Python does faster than NumPy."""
        self.in_waves = False
        """Whether its loops run operations along wavefronts: where these are short, Python is faster."""
        self.operations: Operations | None = None
        """How many operations its NumPy code runs; None where sizes do not determine it or nothing asks for it."""
        if kept is not None:
            self.vectorized, self._allocates = kept.vectorized, kept.allocates
            self.stays_sequential, self.operations = kept.stays_sequential, kept.operations
            self.by_elements, self.in_waves = kept.by_elements, kept.in_waves
            if kept.vectorized:
                self._function, outside = kept.load()
                self._not_vectorized = outside, OverflowError
        else:
            from relax_lang.tir.codegen.printer.module import (
                module_of,
            )  # not for code that was kept, as all below
            from relax_lang.tir.schedule.remarks import runs_by_elements, runs_in_waves, stays_sequential

            code = self.code
            self.vectorized, self._allocates = code is not None, code is not None and code.allocates
            self.stays_sequential, self.operations = stays_sequential(self.remarks), self._whole()[2]
            self.by_elements, self.in_waves = runs_by_elements(self.remarks), runs_in_waves(self.remarks)
            if code is not None:
                namespace = load(func, module_of([(func, code, ())]))
                self._function = namespace[code.name]
                self._not_vectorized = namespace["NotVectorized"], OverflowError
                self._externs = code.externs
        self._repeated = Repeated(func, lambda: self.code, kept is not None)
        self._variants: dict[Merged, Compiled] = {}
        self._row_parts: list[RowParts | None] = []
        self._loops: Loops | None = None
        self.kept: KeptCodes | None = None
        """Where its code is kept."""
        self.form = ""
        """What its code is kept under, where that was asked for."""
        self.planned: dict[Hashable, PlannedForms] = {}
        """What is known of planned calls, by what these have in common."""

    @property
    def code(self) -> Generated | None:
        """The code as the compiler made it; None where there is none."""
        return self._whole()[1]

    @property
    def remarks(self) -> list[Remark]:
        """How every statement runs, and why."""
        return self._whole()[0]

    @property
    def source(self) -> str:
        """The text of the NumPy module."""
        from relax_lang.tir.codegen.printer.module import module_of
        from relax_lang.tir.vectorize import explanation

        remarks, code, _ = self._whole()
        return explanation(self.func, remarks) if code is None else module_of([(self.func, code, ())]).text

    def _whole(self) -> tuple[list[Remark], Generated | None, Operations | None]:
        if self._made is None:
            self._made = _compile(self.func, {})._whole()
        return self._made

    def run(
        self,
        *args: object,
        packed: Packed | None = None,
        allocate: Allocate | None = None,
        sequential: str = AUTO,
        threads: Threads | None = None,
    ) -> object:
        """Run on arrays and numbers in the order of the parameters; writes in place, returns the result. [TIR.20]

        `sequential` decides what runs loops that stay sequential: one of `tir.sequential.SEQUENTIAL`. On `threads`
        rows of large arrays are computed at once.
        """
        if (
            self.vectorized
            and self.has_forms(sequential)
            and self._one_by_one().ran(args, allocate or new_array, sequential)
        ):
            return None
        if self._repeated.again is not None:
            needs_nothing = allocate is None and not self._externs
            if self._repeated.ran(args, _NO_OPTIONS if needs_nothing else self._options(allocate, packed)):
                return None
        if self._run_vectorized(args, allocate, packed, threads):
            return None
        return self._one_by_one().run(args, packed, allocate or new_array, sequential)

    def has_forms(self, sequential: str) -> bool:
        """Return whether it is decided at each call whether NumPy runs it."""
        return self.in_waves or (self.stays_sequential and (sequential != NUMPY or self.by_elements))

    def _one_by_one(self) -> Loops:
        if self._loops is None:
            from relax_lang.tir.loops.choice import Loops  # only for what is not vectorized as a whole

            self._loops = Loops(self.func, self.operations, self.by_elements, self.kept, self.in_waves)
        return self._loops

    def _run_vectorized(
        self,
        args: tuple[object, ...],
        allocate: Allocate | None = None,
        packed: Packed | None = None,
        threads: Threads | None = None,
    ) -> bool:
        """Run the NumPy code; return whether the arguments were such that it could."""
        if not self.vectorized or len(args) != len(self._takes_array):
            return False
        values: Sequence[object] = args
        for at, (takes_array, value) in enumerate(zip(self._takes_array, args, strict=True)):
            if takes_array:
                if not isinstance(value, np.ndarray):
                    return False
                continue
            number = plain(value)
            if not isinstance(number, int | float):
                return False
            values = [*values[:at], number, *values[at + 1 :]]
        if threads is not None and self.ran_in_parts(values, threads, allocate):
            return True
        if self._call(values, allocate, packed):
            self._repeated.passed(values)
            return True
        merged = _merged(self.func.params, values)
        return bool(merged) and self._variant(merged).call_merged(values, allocate, packed)

    def divided(self) -> RowParts | None:
        """Return how calls are divided into blocks of rows; None if they are not."""
        if not self._row_parts:
            from relax_lang.tir.calls.row_threads import row_parts  # only for large calls

            code = self.code if self.vectorized and not self.stays_sequential else None
            self._row_parts.append(None if code is None else row_parts(code))
        return self._row_parts[0]

    def ran_in_parts(
        self, values: Sequence[object], threads: Threads, allocate: Allocate | None = None
    ) -> bool:
        """Run a call on blocks of rows at once; return whether that could be done. If not, nothing was stored."""
        parts = self.divided() if threads.are_for(values) else None
        if parts is None:
            return False
        function = partial(self._function, **self._options(allocate, None))
        try:
            return parts.run(function, values, threads.count, self._not_vectorized)
        except MemoryError:
            raise self._out_of_memory() from None

    def prepared(
        self,
        packed: Packed | None = None,
        allocate: Allocate | None = None,
        sequential: str = AUTO,
        threads: Threads | None = None,
    ) -> Callable[..., object]:
        """Return what runs calls of which is known that arrays are given for buffers and plain numbers for scalars.

        It takes the values in the order of the parameters, as `run` does.
        """
        if not self.vectorized or self.has_forms(sequential):
            return lambda *values: self.run(
                *values, packed=packed, allocate=allocate, sequential=sequential, threads=threads
            )
        function, not_vectorized = self._function, self._not_vectorized
        options, repeated = self._options(allocate, packed), self._repeated

        def call(*values: object) -> None:
            if repeated.again is not None and repeated.ran(values, options):
                return
            if threads is not None and self.ran_in_parts(values, threads, allocate):
                return
            try:
                function(*values, **options)
                repeated.passed(values)
            except not_vectorized:
                self.run(*values, packed=packed, allocate=allocate, sequential=sequential)
            except MemoryError:
                raise self._out_of_memory() from None

        return call

    def call_merged(self, values: Sequence[object], allocate: Allocate | None, packed: Packed | None) -> bool:
        """Run code that knows that some parameters are one array; return whether it could."""
        return self.vectorized and self._call(values, allocate, packed)

    def _call(self, values: Sequence[object], allocate: Allocate | None, packed: Packed | None) -> bool:
        try:
            self._function(*values, **self._options(allocate, packed))
        except self._not_vectorized:
            return False
        except MemoryError:
            raise self._out_of_memory() from None
        return True

    def _options(self, allocate: Allocate | None, packed: Packed | None) -> dict[str, object]:
        """Return what the code needs of the runtime."""
        options: dict[str, object] = {}
        if self._allocates:
            options["empty"] = _empty(allocate or new_array)
        if self._externs:
            options["call_extern"] = self._extern_calls(packed or {})
        return options

    def _out_of_memory(self) -> RunFailure:
        name = global_name(self.func.name.name_hint)
        return RunFailure("out-of-memory", f"not enough memory to run {name}", self.func)

    def _extern_calls(self, packed: Packed) -> Callable[..., None]:
        from relax_lang.tir.interp.statements import call_packed  # only for PrimFuncs that call out

        def call(name: str, *args: object, at: int) -> None:
            statement = self._externs[at]
            assert isinstance(statement, tree.CallExtern)
            call_packed(statement, packed, list(args))

        return call

    def _variant(self, merged: Merged) -> Compiled:
        """Return the code for calls where some parameters are one array."""
        found = self._variants.get(merged)
        if found is None:
            found = self._variants[merged] = _compile(self.func, dict(merged))
        return found


_NO_OPTIONS: dict[str, object] = {}


def _no_code(*_: object) -> None:
    raise AssertionError("what is not vectorized has no code")


def form_of(func: tree.PrimFunc) -> str:
    """Return the digest under which the code of a PrimFunc is kept: equal ones have equal code."""
    parts = structure(func)  # a class is before what is of it, so its name is not taken for a value
    return digest(repr([part.__name__ if isinstance(part, type) else part for part in parts]))


def compile_prim_func(func: tree.PrimFunc, kept: KeptCodes | None = None, form: str = "") -> Compiled:
    """Compile a PrimFunc without errors; an equal one at the same place is compiled once. [TIR.21]

    `kept` has the code of earlier runs, and takes that of this one. `form` is what `form_of` returns if that is known.
    """
    form = form or form_of(func)
    key = (form, func.pos, func.end)
    found = _COMPILED.get(key)
    if found is None:
        if len(_COMPILED) >= _REMEMBERED:
            del _COMPILED[next(iter(_COMPILED))]
        found = _COMPILED[key] = _compile(func, {}) if kept is None else _kept(func, form, kept)
        found.form = form
    return found


def keep_prim_func(func: tree.PrimFunc, kept: KeptCodes) -> None:
    """Compile a PrimFunc and keep its code, unless it is kept already."""
    form = form_of(func)
    if kept.get(form) is None:
        found = compile_prim_func(func, None, form)
        kept.put(form, _entry(found))


def _kept(func: tree.PrimFunc, key: str, kept: KeptCodes) -> Compiled:
    """Take code that was kept, or compile a PrimFunc and keep its code."""
    entry = kept.get(key)
    if entry is not None:
        found = Compiled(func, None, KeptCode(*entry))
    else:
        found = _compile(func, {})
        kept.put(key, _entry(found))
    found.kept = kept
    return found


def _entry(found: Compiled) -> Entry | None:
    return KeptCode.entry(
        found.code, found.stays_sequential, found.operations, found.by_elements, found.in_waves
    )


_COMPILED: dict[tuple[str, int, int], Compiled] = {}
_REMEMBERED = 256


def _compile(func: tree.PrimFunc, merged: dict[str, str]) -> Compiled:
    """Lower, schedule and write one PrimFunc; `merged` are the parameters that are the array of another one."""
    from relax_lang.tir.vectorize import vectorized

    return Compiled(func, vectorized(func, merged))


def _empty(allocate: Allocate) -> Callable[[tuple[int, ...], Any], object]:
    """Return what the generated code calls to make an array."""
    return lambda shape, dtype: allocate(shape, _plain_dtype(dtype))


@cache
def _plain_dtype(dtype: Any) -> Any:
    """Return the dtype that the project has for one of NumPy, whose name takes long to find out."""
    return named_dtype(np.dtype(dtype).name)


def module_of(functions: Iterable[Compiled]) -> str:
    """Return one self-contained module with the NumPy code of some PrimFuncs, to be read and imported."""
    from relax_lang.tir.codegen.printer.module import module_text
    from relax_lang.tir.vectorize import reasons

    return module_text([(one.func, one.code, reasons(one.remarks)) for one in functions])


def _merged(params: Sequence[Any], values: Sequence[object]) -> Merged:
    """Return the buffer parameters that are the very array of an earlier one, with that one."""
    seen: dict[object, str] = {}
    merged: list[tuple[str, str]] = []
    for param, value in zip(params, values, strict=True):
        if is_array(value):
            key = (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype)
            first = seen.setdefault(key, param.name)
            if first != param.name:
                merged.append((param.name, first))
    return tuple(merged)
