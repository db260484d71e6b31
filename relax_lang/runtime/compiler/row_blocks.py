"""Bindings whose rows are apart, on blocks of rows: what they compute on the way stays in the cache. [X.O1] [X.O4]

Generated code has the bindings of a group twice: as they are written, and as a function of a block of rows. For large
arrays the function runs block by block and its results are put together; where anything at all goes wrong, and for
small arrays, the bindings run as they are written, so that failures are theirs. `codegen.row_groups` finds groups.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.node import walk
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.ops.core.specialization import TensorSpec
from relax_lang.runtime.values.dimensions import prim_value
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.runtime.calling.prepared_calls import Prepared
    from relax_lang.runtime.compiler.call_stubs import Function, Stub
    from relax_lang.runtime.interpreter.machine import Machine

    Values = tuple[int, ...]

BLOCK = 1 << 21
"""The bytes that are alive in a block of rows, as a rule."""
LARGEST_BLOCK = 1 << 24
"""What is the same for all rows is read once for each block, so blocks are as large as that is, up to this size."""
LARGE = 1 << 22
"""From so many bytes on that are alive in all rows, a group runs in blocks."""
FEWEST_ROWS = 64
"""With fewer rows nothing is asked."""
_MOST_VALUES = 256


class Made:
    """What one binding of a group makes: tensors with rows, or the same for all rows.

    `alive` are the struct infos of the tensors with rows that are alive while it runs, its own among them.
    `prepared` is the operator that it calls, if that asks for memory, `func` the PrimFunc; `args` are the arguments
    with what is known of them.
    """

    __slots__ = ("alive", "args", "func", "infos", "prepared")

    def __init__(
        self,
        infos: Sequence[tree.TensorStructInfo],
        alive: Sequence[tree.TensorStructInfo],
        args: Sequence[tuple[tree.Expr, tree.StructInfo]],
        prepared: Prepared | None,
        func: tree.PrimFunc | None,
    ) -> None:
        self.infos = infos
        self.alive = alive
        self.args = args
        self.prepared = prepared
        self.func = func


class RowGroup:
    """A group of bindings: `dims` are the shape variables in scope, `at` the number of the one whose rows are apart.

    `uniform` is how many arguments are the same for all rows; the others have rows along `axes`. `computed` is how many
    values that are the same for all rows the blocks need, `results` are the axes of the results with rows.
    """

    __slots__ = ("at", "axes", "computed", "dims", "made", "results", "uniform")

    def __init__(
        self,
        dims: tuple[str, ...],
        at: int,
        made: Sequence[Made],
        uniform: int,
        axes: Sequence[int],
        computed: int,
        results: Sequence[int],
    ) -> None:
        self.dims = dims
        self.at = at
        self.made = made
        self.uniform = uniform
        self.axes = axes
        self.computed = computed
        self.results = results

    def row_bytes(self, values: Values, most: int) -> int:
        """Return the bytes that are alive for each row; 0 if the group must not run in blocks with these sizes.

        No tensor may have more than `most` bytes if it is made as a whole. Raises DimensionError
        where a size has no value, RunFailure where a number has none.
        """
        env = dict(zip(self.dims, values, strict=True))
        alive = 0
        for made in self.made:
            wanted = max([_bytes(info, env) for info in made.infos], default=0)
            if made.prepared is not None:
                wanted = max(wanted, made.prepared.wanted([_spec(*arg, env) for arg in made.args]))
            if made.func is not None:
                wanted = max(wanted, _largest_allocation(made.func, [info for _, info in made.args], env))
            if wanted > most:
                return 0
            alive = max(alive, sum([_bytes(info, env) for info in made.alive]))
        return 0 if alive < LARGE else math.ceil(alive / values[self.at])

    def in_parallel(self, machine: Machine, arrays: Sequence[Any]) -> int:
        """Return on how many threads blocks run: where each call would be divided by itself."""
        prim_funcs = machine.prim_funcs
        threads = prim_funcs.threads
        if threads is None or not threads.are_for(arrays):
            return 1
        for made in self.made:
            if made.func is None or prim_funcs.divided(made.func, arrays) is None:
                return 1
        return threads.count


def _shape(dims: Sequence[tree.PrimExpr], env: Mapping[str, int]) -> Values:
    return tuple([int(evaluate(dim, env)) for dim in dims])


def _bytes(info: tree.StructInfo, env: Mapping[str, int]) -> int:
    spec = _tensor(info, env)
    return 0 if spec is None else spec.nbytes


def _tensor(info: tree.StructInfo, env: Mapping[str, int]) -> TensorSpec | None:
    if not isinstance(info, tree.TensorStructInfo) or not isinstance(info.shape, tree.ShapeExpr):
        return None
    if info.dtype is None:
        return None
    return TensorSpec(named_dtype(info.dtype.name), _shape(info.shape.values, env))


def _spec(arg: tree.Expr, info: tree.StructInfo, env: Mapping[str, int]) -> Any:
    """Return an argument as an estimate of memory gets it; None if it makes no difference there."""
    if isinstance(arg, tree.ShapeExpr):
        return ShapeValue(_shape(arg.values, env))
    if isinstance(arg, tree.PrimValue):
        return prim_value(arg.value, env)
    if isinstance(info, tree.TupleStructInfo):
        return tuple([_tensor(field, env) for field in info.fields])
    return _tensor(info, env)


def _largest_allocation(func: tree.PrimFunc, infos: Sequence[tree.StructInfo], env: Mapping[str, int]) -> int:
    """Return the bytes of the largest array that a PrimFunc allocates; `infos` are those of its buffers in order."""
    allocated = [node.buffer for node in walk(func) if isinstance(node, tree.Allocate)]
    if not allocated:
        return 0
    own: dict[str, int] = {}
    params = [param for param in func.params if isinstance(param, tree.Buffer)]
    for param, info in zip(params, infos, strict=False):
        spec = _tensor(info, env)
        if spec is not None and len(spec.shape) == len(param.shape):
            pairs = zip(param.shape, spec.shape, strict=True)
            own.update({dim.name: size for dim, size in pairs if isinstance(dim, tree.PrimVar)})
    return max(
        [math.prod(_shape(one.shape, own)) * named_dtype(one.dtype.name).itemsize for one in allocated]
    )


# ---- what generated code calls


def in_blocks(group: RowGroup) -> Stub:
    """Run a group in blocks of rows.

    Takes the function of a block, the one of what is the same for all rows, or None, the shape variables, and the
    arguments: those that are the same for all rows, then those with rows. Gives the results with rows, then those that
    are the same for all rows; None where the group has to run as it is written.
    """

    def link(machine: Machine) -> Function:
        known: dict[Values, int] = {}
        most, count = machine.memory.max_bytes, len(group.dims)

        def first(values: Values) -> int:
            try:
                found = group.row_bytes(values, most)
            except (DimensionError, RunFailure):  # the program says so when it gets there
                found = 0
            if len(known) >= _MOST_VALUES:
                known.clear()
            known[values] = found
            return found

        def run(block: Function, before: Function | None, *given: Any) -> tuple[Any, ...] | None:
            values = given[:count]
            each = known.get(values)
            if each is None:
                each = first(values)
            if not each:
                return None
            try:
                return _Blocks(group, values, given[count:]).run(machine, block, before, each)
            except Exception:  # whatever it is, the bindings as they are written report it
                return None

        return run

    return link


class _Blocks:
    """One call of a group."""

    def __init__(self, group: RowGroup, values: Values, given: tuple[Any, ...]) -> None:
        self._group = group
        self._values = values
        self._rows = values[group.at]
        self._uniform = given[: group.uniform]
        self._arrays = given[group.uniform :]
        self._places = [
            array.shape[axis] // self._rows for array, axis in zip(self._arrays, group.axes, strict=True)
        ]
        self._results: list[Any] = []

    def run(
        self, machine: Machine, block: Function, before: Function | None, each: int
    ) -> tuple[Any, ...] | None:
        """Run all blocks; None if there are too few."""
        group, rows = self._group, self._rows
        uniform = sum([value.nbytes for value in self._uniform if isinstance(value, np.ndarray)])
        wanted = min(max(uniform, BLOCK), LARGEST_BLOCK)
        count = -(-rows // max(wanted // each, 1))
        if count < 2:
            return None
        common = () if before is None else before(*self._values, *self._uniform)
        call = partial(self._block, block, (*self._uniform, *common[: group.computed]))
        ends = [rows * at // count for at in range(count + 1)]
        call(0, ends[1])  # which makes the results
        threads = min(group.in_parallel(machine, self._arrays), count - 1)
        if threads < 2:
            for at in range(1, count):
                call(ends[at], ends[at + 1])
        else:
            _in_parallel(call, ends[1:], threads)
        return (*self._results, *common[group.computed :])

    def _block(self, block: Function, common: tuple[Any, ...], low: int, high: int) -> None:
        group = self._group
        at, size = group.at, high - low
        parts = [
            array[_rows(axis, low * places, high * places)]
            for array, axis, places in zip(self._arrays, group.axes, self._places, strict=True)
        ]
        made = block(*self._values[:at], size, *self._values[at + 1 :], *common, *parts)
        if not self._results:
            self._results = [
                _whole(part, axis, size, self._rows) for part, axis in zip(made, group.results, strict=True)
            ]
        for result, part, axis in zip(self._results, made, group.results, strict=True):
            places = part.shape[axis] // size
            result[_rows(axis, low * places, high * places)] = part


def _rows(axis: int, low: int, high: int) -> tuple[slice, ...]:
    return (*[slice(None)] * axis, slice(low, high))


def _whole(part: Any, axis: int, size: int, rows: int) -> Any:
    """Return an array for all rows, given what one block of them made."""
    shape = [*part.shape]
    shape[axis] = shape[axis] // size * rows
    return np.empty(shape, part.dtype)


def _in_parallel(call: Callable[[int, int], None], ends: Sequence[int], threads: int) -> None:
    """Run the blocks between some ends on several threads. Raises what the first of them raised that failed."""
    from relax_lang.tir.calls.row_threads import at_once  # only for those who have several

    count = len(ends) - 1

    def run(first: int, last: int) -> None:
        with np.errstate(all="ignore"):  # each thread has a state of its own
            for at in range(first, last):
                call(ends[at], ends[at + 1])

    parts = [partial(run, count * at // threads, count * (at + 1) // threads) for at in range(threads)]
    for failure in at_once(parts):
        raise failure
