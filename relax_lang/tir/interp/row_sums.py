"""Innermost loops that add up rows, for the scalar interpreter: `for k in 0..n { T[i] += A[i, k] * B[k, j]; }`.

The products of a row are one operation and its sums another, `np.add.accumulate`, which adds from first to last as the
loop does and rounds after each step: the result has the loop's bits. Whatever is unusual (an index out of its buffer,
arrays that share memory, few steps) is left to the loop, before anything is written.
"""

from __future__ import annotations

import numpy as np

from relax_lang.base.node import walk
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.tir.interp.expressions import compiled, index_function
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.tir.interp.expressions import Code, Frame, Run
    from relax_lang.tir.ir.symbols import Symbol

    Row = Callable[[Frame, int], Any]
    """From the frame, with the loop variable at its first value, and a count to an array, or a number for all steps."""

FEWEST, MOST = 16, 1 << 16
"""Fewer steps are left to the loop; more are taken in pieces, so that scratch stays small."""

_UFUNCS: dict[type[tree.PrimExpr], Any] = {tree.Add: np.add, tree.Sub: np.subtract, tree.Mul: np.multiply}
_SUMS = {"+=": np.add, "-=": np.subtract}


class _Rows:
    """What is read in a loop over `step`: expressions as closures that compute all steps at once."""

    def __init__(self, code: Code, step: Symbol, target: Symbol) -> None:
        self.code = code
        self.step = step
        self.target = target
        self.dtype = target.dtype or ""
        self.read: set[Symbol] = set()
        """The buffers that are read."""

    def depends(self, expr: tree.PrimExpr) -> bool:
        """Return whether an expression mentions the loop variable."""
        symbols = self.code.analysis.symbols
        return any(isinstance(one, tree.PrimVar) and symbols.get(one) is self.step for one in walk(expr))

    def loads(self, expr: tree.PrimExpr) -> bool:
        """Return whether an expression reads a buffer."""
        return any(isinstance(one, tree.BufferLoad) for one in walk(expr))

    def row(self, expr: tree.PrimExpr) -> Row | None:
        """Return the values of all steps, or None if they are not sums and products of rows and numbers."""
        if self.code.dtype(expr) != self.dtype:
            return None
        if isinstance(expr, tree.BufferLoad):
            return self._load(expr)
        if isinstance(expr, tree.Add | tree.Sub | tree.Mul):
            a, b, ufunc = self.row(expr.a), self.row(expr.b), _UFUNCS[type(expr)]
            if a is None or b is None:
                return None
            return lambda frame, count: ufunc(a(frame, count), b(frame, count))
        if self.depends(expr) or self.loads(expr):
            return None
        number, typed = compiled(self.code, expr), named_dtype(self.dtype).type
        return lambda frame, count: typed(number(frame))

    def _load(self, expr: tree.BufferLoad) -> Row | None:
        buffer = self.code.symbol(expr.buffer)
        if (
            buffer is self.target
            or buffer.source is not None
            or any(self.loads(index) for index in expr.indices)
        ):
            return None
        along = [at for at, index in enumerate(expr.indices) if self.depends(index)]
        if len(along) > 1 or any(not self._moves_by_one(expr.indices[at]) for at in along):
            return None
        self.read.add(buffer)
        array = self.code.slot(buffer) + 1
        places = [compiled(self.code, index) for index in expr.indices]
        if not along:
            check = index_function(self.code, expr, buffer, expr.indices)
            return lambda frame, count: frame[array][check(frame)]
        (axis,) = along

        def row(frame: Frame, count: int) -> Any:
            whole = frame[array]
            index: list[Any] = [place(frame) for place in places]
            for at, value in enumerate(index):
                last = value + count if at == axis else value + 1
                if value < 0 or last > whole.shape[at]:
                    raise _Unusual
            index[axis] = slice(index[axis], index[axis] + count)
            return whole[tuple(index)]

        return row

    def _moves_by_one(self, index: tree.PrimExpr) -> bool:
        """Return whether an index is the loop variable, or that and something that does not change."""
        match index:
            case tree.PrimVar():
                return True
            case tree.Add(a=a, b=b):
                return self.depends(a) != self.depends(b) and self._moves_by_one(a if self.depends(a) else b)
            case tree.Sub(a=a, b=b):
                return not self.depends(b) and self._moves_by_one(a)
            case _:
                return False


class _Unusual(Exception):  # noqa: N818 - the loop takes over
    """A row is not inside its buffer."""


def row_sum(code: Code, loop: tree.For, bounds: tuple[Run, Run], body: Run) -> Run | None:
    """Return the innermost loop of a `for` as operations on rows, or None if it is not such a sum.

    `bounds` are the first value of its variable and what it stays below; `body` is what the loop does in each step.
    """
    (statement,) = loop.body if len(loop.body) == 1 else (None,)
    if not isinstance(statement, tree.BufferStore) or statement.op not in _SUMS:
        return None
    target, step = code.symbol(statement.buffer), code.symbol(loop.loop_vars[-1])
    if target.dtype not in ("float32", "float64") or target.source is not None:
        return None
    rows = _Rows(code, step, target)
    if any(rows.depends(one) or rows.loads(one) for one in statement.indices):
        return None
    values = rows.row(statement.value)
    if values is None:
        return None
    slot, at = code.slot(step), code.slot(target)
    sources = [code.slot(one) + 1 for one in rows.read]
    index = index_function(code, statement, target, statement.indices)
    accumulate, dtype = _SUMS[statement.op].accumulate, named_dtype(rows.dtype)
    start, stop = bounds

    def run_rows(frame: Frame) -> None:
        first, end = start(frame), stop(frame)
        whole = frame[at + 1]
        if end - first >= FEWEST and not any(np.may_share_memory(whole, frame[one]) for one in sources):
            frame[slot] = first
            try:
                place = index(frame)
                total = frame[at][place]
                for begin in range(first, end, MOST):
                    frame[slot], count = begin, min(MOST, end - begin)
                    steps = np.empty(count + 1, dtype)
                    steps[0], steps[1:] = total, values(frame, count)
                    total = accumulate(steps)[-1].item()
            except (RunFailure, _Unusual):
                pass  # the loop reports where, and keeps what was stored before
            else:
                frame[at][place] = total
                return
        for value in range(first, end):
            frame[slot] = value
            body(frame)

    return run_rows
