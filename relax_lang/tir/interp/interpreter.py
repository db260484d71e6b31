"""The scalar interpreter of PrimFuncs: the meaning that compiled code is held against. [TIR.10, TIR.12-TIR.21]

Every statement becomes a Python closure once per function, then the closures run one scalar operation at a time
in the order of the text. Nothing is reordered, no access is unchecked. Arrays are never copied: what is written
is written into the caller's arrays, also when the function fails later.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from relax_lang.format.lexemes import global_name
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.interp import scalars
from relax_lang.tir.interp.explanations import explained
from relax_lang.tir.interp.expressions import Code, compiled
from relax_lang.tir.interp.memory import is_array, new_array, plain, put_buffer
from relax_lang.tir.interp.statements import Builder
from relax_lang.tir.ir import signature
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.interp.expressions import Frame
    from relax_lang.tir.interp.memory import Allocate
    from relax_lang.tir.interp.statements import Packed


def run(
    func: tree.PrimFunc,
    args: Sequence[object],
    packed: Packed | None = None,
    allocate: Allocate | None = None,
) -> object:
    """Run a PrimFunc without errors on arrays and numbers in the order of its parameters; writes in place.

    Returns its result, None if it has none.

    `packed` holds what `call_extern` may call; `allocate` makes the arrays of `alloc`, and may refuse to.
    Raises `RunFailure` where the program fails.
    """
    return prepared(func).run(args, packed or {}, allocate or new_array)


@lru_cache(maxsize=256)
def prepared(func: tree.PrimFunc) -> Interpreter:
    """Return the closures of a PrimFunc; they are made once."""
    return Interpreter(analyse(func))


class Interpreter:
    """One PrimFunc as closures."""

    def __init__(self, analysis: Analysis) -> None:
        if analysis.has_errors:
            raise ValueError(f"@{analysis.func.name.name_hint} has errors: {analysis.diagnostics[0]}")
        self.func = analysis.func
        self.stores = analysis.stores()
        self._analysis = analysis
        self._code = Code(analysis)
        for symbol in (*[analysis.symbols[param] for param in analysis.func.params], *analysis.dims.values()):
            self._code.slot(symbol)  # also those that no statement uses
        builder = Builder(self._code)
        self._body = builder.sequence(analysis.func.body)
        result = analysis.func.result
        self._result = None if result is None else compiled(self._code, result)
        self._packed_slot, self._allocate_slot = builder.packed, builder.allocate

    def run(self, args: Sequence[object], packed: Packed, allocate: Allocate) -> object:
        """Run on arguments in parameter order; return the result."""
        frame: Frame = [None] * self._code.n_slots
        self._fill(frame, args)
        frame[self._packed_slot] = packed
        frame[self._allocate_slot] = allocate
        try:
            with np.errstate(all="ignore"):
                self._body(frame)
                return None if self._result is None else self._result(frame)
        except RunFailure as failure:
            explained(failure, self.func)
            raise

    def _fill(self, frame: Frame, args: Sequence[object]) -> None:
        """Put arguments and the dimensions they bind into the frame. [TIR.1]"""
        bound = bind_arguments(self.func, args)
        for param, value in zip(self.func.params, args, strict=True):
            symbol = self._analysis.symbols[param]
            if isinstance(param, tree.Buffer):
                assert is_array(value)
                if param.name in self.stores and not value.flags.writeable:
                    raise read_only(self.func, param)
                put_buffer(frame, self._code.slot(symbol), value)
            else:
                frame[self._code.slot(symbol)] = scalar_argument(param, value)
        for name, symbol in self._analysis.dims.items():
            frame[self._code.slot(symbol)] = bound.env[name]


def bind_arguments(func: tree.PrimFunc, args: Sequence[object]) -> signature.Bound:
    """Bind dimensions by arguments in parameter order; the first that does not fit is a failure. [Z.7]"""
    params = func.params
    if len(args) != len(params):
        message = f"{global_name(func.name.name_hint)} takes {len(params)} arguments, {len(args)} are given"
        raise RunFailure("arity", message, func)
    buffers = [value for param, value in zip(params, args, strict=True) if isinstance(param, tree.Buffer)]
    numbers = [
        value for param, value in zip(params, args, strict=True) if isinstance(param, tree.ScalarParam)
    ]
    bound = signature.bind(func, buffers, [plain(number) for number in numbers])
    if bound.mismatches:
        first = bound.mismatches[0]
        name = first.param.name if first.param is not None else ""
        message = f"parameter `{name}` of {global_name(func.name.name_hint)}: {first}"
        raise RunFailure("argument-check-failed", message, first.param or func, mismatch=first)
    return bound


def read_only(func: tree.PrimFunc, param: tree.Buffer) -> RunFailure:
    """Return the failure of a call with an array that cannot be stored to."""
    expected, found = "an array that can be written", "a read-only one"
    message = (
        f"parameter `{param.name}` of {global_name(func.name.name_hint)}: expected {expected}, found {found}"
    )
    return RunFailure("argument-check-failed", message, param)


def scalar_argument(param: tree.ScalarParam, value: object) -> Any:
    """Return the value of a scalar parameter in its type."""
    number: Any = plain(value)
    if param.dtype.name == dtypes.BOOL:
        return bool(number)
    return scalars.literal(number, param.dtype.name)
