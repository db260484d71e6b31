"""Calls of PrimFuncs in parts: blocks of rows on several threads, where no row is computed from another one. [TIR.21]

NumPy's operations on large arrays leave Python's lock, so that parts run at once. Which rows are apart is proved by
`analysis.rows`: every iteration of the loops over rows, `parallel` ones among them, touches rows of its own. All parts
store to arrays of the call; if one of them falls back to the interpreter, what the others stored is put back, and the
call runs as a whole. Products of matrices are left alone: the library that computes them has threads of its own.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from threading import Thread

import numpy as np

from relax_lang.syntax import tree
from relax_lang.tir.analysis.rows import RowsShared, check_rows_apart
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.codegen.passes.effects import ARE_APART, has_product, may_fail
from relax_lang.tir.interp.interpreter import is_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.codegen.printer.module import Generated


class RowParts:
    """A PrimFunc whose calls can be divided: `rows` are the positions of its parameters that have rows."""

    def __init__(self, rows: Sequence[int], stored: Sequence[int], never_fails: bool) -> None:
        self._rows = rows
        self._stored = stored
        self._never_fails = never_fails

    def run(
        self,
        function: Callable[..., object],
        values: Sequence[Any],
        count: int,
        gives_up: tuple[type[Exception], ...],
    ) -> bool:
        """Run a function on blocks of rows; return whether all parts ran. If not, nothing was stored."""
        if not self._are_apart(values):
            return False
        extents = {values[at].shape[0] for at in self._rows}
        if len(extents) != 1:
            return False  # the interpreter says what is wrong
        [extent] = extents
        bounds = [extent * at // count for at in range(count + 1)]
        blocks = [slice(low, high) for low, high in pairwise(bounds) if low < high]
        if len(blocks) < 2 or not self._is_divided(values, blocks):
            return False
        kept = [] if self._never_fails else [values[at].copy() for at in self._stored]
        failures = at_once([partial(function, *self._part(values, block)) for block in blocks])
        if not failures:
            return True
        for at, before in zip(self._stored, kept, strict=False):
            values[at][...] = before
        other = next((one for one in failures if not isinstance(one, gives_up)), None)
        if other is not None:
            raise other
        return False

    def run_over(self, run: Callable[..., object], arrays: Sequence[Any], at: int, count: int) -> bool:
        """Run a planned call that writes its result over an input on blocks of rows; return whether all ran."""
        rows = [one for one in self._rows if one < len(arrays)]
        if at not in rows:
            return False
        return RowParts(rows, [at], never_fails=True).run(partial(_quietly, run), arrays, count, (_Never,))

    def _part(self, values: Sequence[Any], block: slice) -> list[Any]:
        return [value[block] if at in self._rows else value for at, value in enumerate(values)]

    def _are_apart(self, values: Sequence[Any]) -> bool:
        """Return whether arrays that are stored to share no memory with another one."""
        arrays = [(at, value) for at, value in enumerate(values) if is_array(value)]
        if any(not is_array(values[at]) or not values[at].ndim for at in self._rows):
            return False
        return not any(
            at != other and np.may_share_memory(values[at], array)
            for at in self._stored
            for other, array in arrays
        )

    def _is_divided(self, values: Sequence[Any], blocks: Sequence[slice]) -> bool:
        """Return whether blocks of what is stored to lie apart in memory."""
        return not any(
            np.may_share_memory(values[at][one], values[at][other])
            for at in self._stored
            for one, other in pairwise(blocks)
        )


class _Never(Exception):  # noqa: N818 - what nothing raises
    """What a function raises that never gives up."""


def _quietly(run: Callable[..., object], *arrays: object) -> object:
    """Run a planned call on a thread of its own, where errors of floats are not ignored yet."""
    with np.errstate(all="ignore"):
        return run(*arrays)


def row_parts(code: Generated) -> RowParts | None:
    """Return how calls of a PrimFunc are divided; None if they are not, or if that is not known to be right."""
    func = code.func
    positions = {name: at for at, (name, _) in enumerate(code.params)}
    stored = [positions[name] for name in code.written]
    first = func.params[stored[0]] if stored else None
    if code.externs or not isinstance(first, tree.Buffer) or not first.shape:
        return None
    rows = first.shape[0]
    if not isinstance(rows, tree.PrimVar) or any(has_product(one) for part in code.parts for one in part):
        return None
    axes = {
        param.name: 0
        for param in func.params
        if isinstance(param, tree.Buffer)
        and param.shape
        and isinstance(param.shape[0], tree.PrimVar)
        and param.shape[0].name == rows.name
    }
    if any(isinstance(param, tree.ScalarParam) and param.name == rows.name for param in func.params):
        return None
    try:
        check_rows_apart(func, axes)
    except RowsShared:
        return None
    divided = [at for at, param in enumerate(func.params) if param.name in axes]
    if not set(stored) <= set(divided):
        return None
    never_fails = not any(may_fail(one) for one in code.parts[1]) and not any(
        _asks_for_sizes(one) for one in code.parts[0]
    )
    return RowParts(divided, stored, never_fails)


def _asks_for_sizes(statement: ir.Statement) -> bool:
    """Return whether the entry requires more than dtypes, ranks, shapes and memory: parts may differ in it."""
    return isinstance(statement, ir.Require) and not all(map(_is_about_array, statement.conditions))


def _is_about_array(condition: ir.Expr) -> bool:
    match condition:
        case ir.HasDtype() | ir.Property():
            return True
        case ir.ScalarOp("==", (ir.Property(), _)) | ir.ScalarOp("not", (ir.Call("share_memory"),)):
            return True
        case ir.Call(function):
            return function == ARE_APART
        case _:
            return False


# ---- threads


def at_once(parts: Sequence[Callable[[], object]]) -> list[BaseException]:
    """Run functions at once, the first one in this thread; return what they raised.

    Where no thread can be started, as in a browser, they run one after the other.
    """
    failures: list[BaseException] = []

    def run(part: Callable[[], object]) -> None:
        try:
            part()
        except BaseException as error:  # the others have to end before anything is put back
            failures.append(error)

    started: list[Thread] = []
    left = [parts[0]]
    for part in parts[1:]:
        thread = Thread(target=run, args=(part,), name="relax-rows")
        try:
            thread.start()
        except RuntimeError:
            left.append(part)
        else:
            started.append(thread)
    for part in left:
        run(part)
    for thread in started:
        thread.join()
    return failures
