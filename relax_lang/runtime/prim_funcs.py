"""PrimFuncs as the runtime calls them: in parameter order, by the engine that was chosen. [O.4] [TIR.21]"""

from __future__ import annotations

from itertools import zip_longest

from relax_lang.runtime.tensors import is_tensor
from relax_lang.syntax import tree
from relax_lang.tir import interpreter
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.signature import in_parameter_order, params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.runtime.packed import PackedFuncs
    from relax_lang.runtime.tensors import Memory
    from relax_lang.tir.compile import Compiled

COMPILED = "compiled"
INTERPRETER = "interpreter"
ENGINES = (COMPILED, INTERPRETER)
"""What `--engine` takes."""


class PrimFuncs:
    """Runs the PrimFuncs of one program; with the engine `compiled`, those that can be compiled are, once."""

    __slots__ = ("_compiled", "_externs", "_memory", "engine")

    def __init__(self, packed: PackedFuncs, memory: Memory, engine: str = COMPILED) -> None:
        self._externs = packed.registered()
        self._memory = memory
        self.engine = engine
        self._compiled: dict[tree.PrimFunc, Compiled] = {}

    def run(self, func: tree.PrimFunc, arrays: Sequence[object], numbers: Sequence[int] = ()) -> None:
        """Run on buffers and scalars that fit; writes into the arrays. Raises RunFailure. [O.4]"""
        self._run(func, in_parameter_order(func, arrays, numbers))

    def _run(self, func: tree.PrimFunc, arguments: Sequence[object]) -> None:
        if self.engine == INTERPRETER:
            interpreter.run(func, arguments, self._externs, self._memory.new_array)
            return
        compiled = self._compiled.get(func)
        if compiled is None:
            compiled = self._compiled[func] = compile_prim_func(func)
        # What it cannot vectorize, it hands to the interpreter itself.
        compiled.run(*arguments, packed=self._externs, allocate=self._memory.new_array)

    def as_packed(self, func: tree.PrimFunc) -> Callable[..., object]:
        """Return a PrimFunc as `extern "its_name"` calls it: all parameters in order. [X.8]"""

        def call(*arguments: object) -> None:
            values = [_plain(param, value) for param, value in zip_longest(params(func), arguments)]
            interpreter.bind_arguments(func, values[: len(arguments)])
            self._run(func, values)

        return call


def _plain(param: tree.PrimParam | None, value: object) -> object:
    """Return the number in a scalar tensor where a scalar is wanted: a program has no other way to pass one."""
    if isinstance(param, tree.ScalarParam) and is_tensor(value) and value.ndim == 0:
        return value.item()
    return value
