"""Who runs the loops of a PrimFunc that stay sequential: NumPy, Python over scalars, or numba. [TIR.21]"""

from __future__ import annotations

import sys

from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.analysis.references.expand_views import PROVED, expanded
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.interpreter import is_array
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.ir.typing.well_typed import analyse
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.loops.native import is_installed
from relax_lang.tir.loops.spelling import Unspelled
from relax_lang.tir.loops.steps import estimated_operations, estimated_steps
from relax_lang.tir.options.sequential import AUTO, NUMBA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.interp.memory import Allocate
    from relax_lang.tir.interp.statements import Packed
    from relax_lang.tir.loops.steps import Operations
    from relax_lang.tir.options.keeping import KeptCodes

_NATIVE = "native"
_HELD = "held"
_IN_MEMORY = "in memory"
"""The forms: compiled by numba; Python, with elements in lists and variables; Python, with elements in memory."""
_PYTHON_FROM = 500
"""So many steps take longer in the interpreter than making Python of them."""
_PYTHON_AFTER = 20_000
"""So many steps, in all calls together, take longer as operations of NumPy on single elements than making Python of
them.
"""
_NUMBA_FROM = 1_000_000
"""So many steps, in all calls together, take longer in Python than loading numba and compiling with it."""
_WAVES_FROM = 28
"""So many steps in each operation on a wavefront take as long in Python: an operation on few elements, with slices that
are diagonals, costs what some dozens of steps do. Measured on PolyBench and on alignments of texts.
"""
_REMEMBERED = 64
_NUMBA_AGAIN = 200_000
"""The same where numba is loaded already."""
_NUMBA_LINES = 100
"""The same for each of so many lines: numba compiles a line in about ten milliseconds."""
_NUMPY_FROM = 3000
"""So many steps in each of NumPy's operations take as long in numba: a call of NumPy costs a microsecond or two, and
then an element less than a step of numba (one to four nanoseconds). Measured on PolyBench at two sizes.
"""


class Loops:
    """The forms of one PrimFunc in which one element is computed after the other."""

    __slots__ = (
        "_for_numba", "_forms", "_in_waves", "_kept", "_known", "_operations", "_steps", "_suits_python", "func",
    )  # fmt: skip

    def __init__(
        self,
        func: tree.PrimFunc,
        operations: Operations | None = None,
        by_elements: bool = False,
        kept: KeptCodes | None = None,
        in_waves: bool = False,
    ) -> None:
        """`operations` are those that NumPy runs, if there is a form for it and they can be counted; `by_elements`:
        in its loops, on single elements; `in_waves`: on arrays, along wavefronts; `kept` has machine code of other
        processes.
        """
        self._kept = kept
        self.func = func
        self._operations = operations
        self._in_waves = in_waves
        self._suits_python = (by_elements or in_waves) and all(
            buffer.dtype.name not in dtypes.HALVES for buffer in buffers(func)
        )
        self._forms: dict[str, LoopsFunction | None] = {}
        self._steps = 0
        self._for_numba = 0
        self._known: dict[tuple[object, ...], tuple[int, int | None]] = {}

    def run(
        self, values: Sequence[object], packed: Packed | None, allocate: Allocate, sequential: str
    ) -> object:
        """Run a call that has no other form. Raises `RunFailure`."""
        steps, _ = self._count(values)
        wanted = [_NATIVE] if self._wants_native(steps, sequential) else []
        if steps >= _PYTHON_FROM:
            wanted += [_HELD, _IN_MEMORY]
        for kind in wanted:
            form = self._form(kind)
            if form is not None:
                try:
                    return form(values, allocate, steps)
                except Unspelled:
                    self._refused(kind)
        return interpreter.run(self.func, values, packed, allocate)

    def ran(self, values: Sequence[object], allocate: Allocate, sequential: str) -> bool:
        """Run a call that NumPy would run by numba, if that is to be, or as Python, if that is faster; return whether
        it was. Raises `RunFailure`.
        """
        steps, operations = self._count(values)
        self._steps += steps
        if self._in_waves:
            if operations is None or steps >= _WAVES_FROM * operations:
                return False
            wanted: list[str] = []
        else:
            leaves = sequential == AUTO and operations is not None and steps >= _NUMPY_FROM * operations
            wanted = [_NATIVE] if not leaves and self._wants_native(steps, sequential) else []
        if self._suits_python and self._steps >= _PYTHON_AFTER:
            wanted += [_HELD, _IN_MEMORY]
        for kind in wanted:
            form = self._form(kind)
            if form is not None:
                try:
                    form(values, allocate, steps)
                    return True
                except Unspelled:
                    self._refused(kind)
        return False

    def _refused(self, kind: str) -> None:
        """Note that numba could not compile a form; what Python cannot run is this call alone."""
        if kind == _NATIVE:
            self._forms[kind] = None

    def _wants_native(self, steps: int, sequential: str) -> bool:
        if sequential != AUTO:
            return sequential == NUMBA
        self._for_numba += steps
        wanted = _NUMBA_AGAIN if "numba" in sys.modules else _NUMBA_FROM
        if self._for_numba < wanted or not is_installed():
            return False
        form = self._form(_NATIVE)
        return form is not None and self._for_numba * _NUMBA_LINES >= wanted * form.lines

    def _form(self, kind: str) -> LoopsFunction | None:
        if kind not in self._forms:
            try:
                self._forms[kind] = LoopsFunction(
                    expanded(analyse(self.func), PROVED),
                    native=kind == _NATIVE,
                    kept=self._kept,
                    held=kind == _HELD,
                )
            except (Unspelled, NotVectorizable):
                self._forms[kind] = None
        return self._forms[kind]

    def _count(self, values: Sequence[object]) -> tuple[int, int | None]:
        """Return how many steps a call takes, as far as its sizes say, and how many operations of NumPy, if that is
        known.
        """
        key = tuple([_size(value) for value in values])
        known = self._known.get(key)
        if known is None:
            sizes: dict[str, int] = {}
            for param, value, argument in zip(self.func.params, key, values, strict=False):
                if isinstance(param, tree.Buffer) and is_array(argument):
                    dims = zip(param.shape, argument.shape, strict=False)
                    sizes |= {dim.name: size for dim, size in dims if isinstance(dim, tree.PrimVar)}
                elif isinstance(value, int):
                    sizes[param.name] = value
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            steps, given = estimated_steps(self.func, sizes), self._operations
            operations = None if given is None else estimated_operations(given, sizes)
            known = self._known[key] = steps, operations
        return known


def _size(value: object) -> object:
    """Return what of an argument decides how many steps a call takes; None for what does not fit or does not matter."""
    return value.shape if is_array(value) else value if isinstance(value, int) else None
