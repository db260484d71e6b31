"""One `call_tir` of a compiled function on one machine: how its calls run once they were planned. [O.1-O.7]

Where shape variables decide sizes, the first call with some values has all checks and the second one is planned. Where
arguments are proved to fit whatever the sizes are, a plan is for a range of values: see `size_ranges`.
"""

from __future__ import annotations

from operator import le
from typing import NamedTuple

import numpy as np

from relax_lang.format.lexemes import global_name
from relax_lang.runtime.compiler.range_calls import range_call
from relax_lang.runtime.interpreter.dps import result_infos
from relax_lang.runtime.values.dimensions import sizes
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec
from relax_lang.tir.options.sharing import NOTHING_SHARED
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.runtime.compiler.call_stubs import Function, Names
    from relax_lang.runtime.compiler.range_calls import RangeCall
    from relax_lang.runtime.compiler.size_ranges import Ranges
    from relax_lang.runtime.interpreter.machine import Machine
    from relax_lang.tir.calls.row_threads import RowParts
    from relax_lang.tir.planned import Plan

    Arrays = tuple[Any, ...]
    Values = tuple[int, ...]
    Call = Callable[[Values, Arrays], Any]

_MOST_VALUES = 256
"""So many combinations of sizes are remembered at one place of a program."""
_MOST_RANGES = 8
_CALLS_OF_ANY_CLASS = 64
"""So many calls run by a plan whose operations are best for larger or smaller arrays, before theirs is made."""


class SizeRange(NamedTuple):
    """Values from `low` to `high`, in each shape variable; `run` takes values in it, and the arrays. If all it does is
    to call a function with the arrays, then the scalars, this is `direct`.
    """

    low: Values
    high: Values
    run: Call
    direct: Function | None = None

    def has(self, values: Values) -> bool:
        """Return whether values are in the range."""
        if len(values) == 1:
            return self.low <= values <= self.high
        return all(map(le, self.low, values)) and all(map(le, values, self.high))


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


def at_any_size(site: CallSite, infos: Sequence[tree.StructInfo]) -> Settling:
    """Return what runs the calls at one place, whose sizes shape variables decide: it takes these, then the arrays."""
    known: dict[Values, Function] = {}
    ranges: tuple[SizeRange, ...] = ()
    count = len(site.dims)
    code: list[RangeCall] = []
    """What runs the calls in one range, once there is one that it can use."""

    def settle(values: Values, found: Function) -> None:
        if len(known) >= _MOST_VALUES:
            for oldest in [*known][:1]:  # none, if another thread was here at the same time
                known.pop(oldest, None)
        known[values] = found

    def add(found: SizeRange, calls: int) -> None:
        nonlocal ranges
        ranges = (
            (*ranges, _for_some_calls(found, calls, remove)) if calls else (found, *ranges[:_MOST_RANGES])
        )

    def remove(found: SizeRange) -> None:
        nonlocal ranges
        ranges = tuple([one for one in ranges if one is not found])

    def apply(values: Values, *arrays: Any) -> Any:
        for one in ranges:
            if one.has(values):
                if one.direct is not None:
                    use(one, one.direct)
                return one.run(values, arrays)
        run = known.get(values)
        return run(*arrays) if run is not None else site.first(values, arrays)

    def use(found: SizeRange, run: Function) -> None:
        if not code:
            code.append(site.range_call(apply))
            settling.settle(code[0].call)  # the same one, if another thread was here at the same time
        code[0].use(found.low, found.high, run)

    site.settle, site.add, site.infos = settle, add, infos
    settling = Settling(lambda *given: apply(given[:count], *given[count:]))
    return settling


def _for_some_calls(found: SizeRange, calls: int, remove: Callable[[SizeRange], None]) -> SizeRange:
    """Return a range that removes itself after some calls."""
    left = calls

    def run(values: Values, arrays: Arrays) -> Any:
        nonlocal left
        left -= 1
        if left <= 0:
            remove(made)
        return found.run(values, arrays)

    made = found._replace(run=run, direct=None)
    return made


class CallSite:
    """One `call_tir` on one machine: what its first calls find out.

    `settle` is given, for some values of the shape variables, the function that runs the calls from now on, `add` a
    range of values that is found, and for how many calls, 0 for all. `infos` are certain of the arguments, if ranges
    are wanted.
    """

    __slots__ = (
        "_call", "_checked", "_func", "_has_any_class", "_is_called", "_machine", "_ranges",
        "add", "dims", "infos", "settle", "sharing",
    )  # fmt: skip

    def __init__(
        self, call: tree.Call, func: tree.PrimFunc, dims: Names, machine: Machine, checked: Function
    ) -> None:
        self._call = call
        self._func = func
        self._machine = machine
        self._checked = checked
        self._is_called = False
        self._has_any_class = False
        self._ranges: Ranges | None = None
        """Finds ranges; None before the second call, and where there can be none."""
        self.dims = dims
        self.infos: Sequence[tree.StructInfo] | None = None
        self.settle: Callable[[Values, Function], None] = _settled_nowhere
        self.add: Callable[[SizeRange, int], None] = _added_nowhere
        self.sharing = NOTHING_SHARED

    def first(self, values: Values, arrays: Arrays) -> Any:
        """Run the first call with some values: with all checks, unless others came and arguments are proved to fit."""
        ranges = self._ranges or (self._first_ranges() if self._is_called else None)
        if ranges is not None and ranges.may_be_made(values):
            return self._second(values, arrays)
        self._is_called = True
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
        found = None if self._ranges is None else self._ranges.sizes.at(values)
        if found is not None:
            specs, numbers = found
            return numbers, specs[-len(result_infos(self._call)) :]
        env = dict(zip(self.dims, values, strict=True))
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
        parts = self._machine.prim_funcs.divided(self._func, arrays)
        same = not self.dims and parts is None
        given = self._func, arrays, results, numbers, same, self.sharing
        plan = self._machine.prim_funcs.planned(*given)
        made: Arrays = () if plan is None else plan.made if len(results) > 1 else (plan.made,)
        if plan is None or (parts is not None and plan.over is None and not _are_views(made, arrays)):
            again = self._again(values)
            self.settle(values, again)  # which divides calls
            return again(*arrays)
        alone = isinstance(self._call.struct_info, tree.TupleStructInfo) and len(results) == 1
        if parts is not None or not self._add_range(values, plan, alone):
            self.settle(values, self._planned(values, plan, parts, alone))
        return (plan.made,) if alone else plan.made

    def _planned(self, values: Values, plan: Plan, parts: RowParts | None, alone: bool) -> Function:
        """Return what runs the calls with some values by a plan."""
        again, (numbers, _) = self._again(values), self._evaluated(values)
        run, gives_up = plan.run, plan.gives_up

        def call(*arrays: Any) -> Any:
            try:
                made = run(*arrays, *numbers)
            except gives_up:
                return again(*arrays)
            return (made,) if alone else made

        if plan.over is not None and not alone:
            return self._overwriting(call, numbers, *plan.over, parts)
        return run if plan.certain and not numbers and not alone else call

    def _add_range(self, values: Values, plan: Plan, alone: bool) -> bool:
        """Look for values around some that the same plan is for; return whether there are such."""
        ranges = self._ranges or self._first_ranges()
        found = None if ranges is None else ranges.around(values, plan)
        if ranges is None or found is None:
            return False
        self.add(self._range(ranges, plan, alone, *found), 0)
        if not self._has_any_class:
            self._has_any_class = True
            found = ranges.around(values, plan, any_class=True)
            if found is not None:
                self.add(self._range(ranges, plan, alone, *found), _CALLS_OF_ANY_CLASS)
        return True

    def _range(
        self, ranges: Ranges, plan: Plan, alone: bool, low: Values, high: Values, is_certain: bool
    ) -> SizeRange:
        """Return a range with what runs its calls by a plan."""
        if plan.over is not None and not alone:
            return SizeRange(low, high, self._overwriting_in(ranges, plan, *plan.over))
        if is_certain and not alone:
            return SizeRange(low, high, _certain_in(ranges, plan.run), plan.run)
        return SizeRange(low, high, self._given_up_in(ranges, plan, alone))

    def range_call(self, others: Function) -> RangeCall:
        """Return the code for calls in the range that was used last; there is one. `others` runs all others."""
        passed = self._call.args[1]
        assert isinstance(passed, tree.Tuple)
        assert self._ranges is not None
        return range_call(len(self.dims), len(passed.fields), self._ranges.sizes.number_texts, others)

    def _given_up_in(self, ranges: Ranges, plan: Plan, alone: bool) -> Call:
        """Return what runs calls in a range by a plan, and has all checks where that is given up."""
        numbers, again, run, gives_up = ranges.sizes.numbers, self._again, plan.run, plan.gives_up

        def call(values: Values, arrays: Arrays) -> Any:
            try:
                made = run(*arrays, *numbers(*values))
            except gives_up:
                return again(values)(*arrays)
            return (made,) if alone else made

        return call

    def _overwriting_in(self, ranges: Ranges, plan: Plan, run: Function, at: int) -> Call:
        """Return what writes results of calls in a range over one argument, if its elements lie in a row."""
        numbers, call = ranges.sizes.numbers, self._given_up_in(ranges, plan, False)

        def overwrite(values: Values, arrays: Arrays) -> Any:
            if not arrays[at].flags.carray:
                return call(values, arrays)
            try:
                return run(*arrays, *numbers(*values))
            except MemoryError:
                raise self._out_of_memory() from None

        return overwrite

    def _first_ranges(self) -> Ranges | None:
        """Prove that arguments fit whatever their sizes are; None if that cannot be done, then for ever."""
        infos, self.infos = self.infos, None
        if infos is None:
            return None
        from relax_lang.runtime.compiler.size_ranges import Ranges, sizes_of_call  # not for calls of one size

        found = sizes_of_call(self._call, self._func, self.dims, infos, self.sharing.over)
        if found is not None:
            machine = self._machine
            self._ranges = Ranges(found, self.dims, machine.memory.max_bytes, machine.prim_funcs.threads)
        return self._ranges

    def _overwriting(
        self, call: Function, numbers: Values, run: Function, at: int, parts: RowParts | None
    ) -> Function:
        """Return what writes results over one argument, which nothing else refers to, if its elements lie in a row.

        Blocks of rows run on several threads if there are such `parts`.
        """
        threads = self._machine.prim_funcs.threads
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
                raise self._out_of_memory() from None

        def overwrite_first(first: Any, *others: Any) -> Any:  # what most calls do, in less time
            if not first.flags.carray:
                return call(first, *others)
            try:
                return run(first, *others)
            except MemoryError:
                raise self._out_of_memory() from None

        return overwrite if at or numbers else overwrite_first

    def _out_of_memory(self) -> RunFailure:
        name = global_name(self._func.name.name_hint)
        failure = RunFailure("out-of-memory", f"not enough memory to run {name}", self._func)
        failure.facts["prim_func_call"] = self._call
        return failure


def _certain_in(ranges: Ranges, run: Function) -> Call:
    """Return what runs calls in a range by a plan that is never given up."""
    numbers = ranges.sizes.numbers
    return lambda values, arrays: run(*arrays, *numbers(*values))


def _are_views(results: Arrays, arrays: Arrays) -> bool:
    """Return whether results are views of arguments, so that there is nothing to compute."""
    return all(any(np.may_share_memory(one, array) for array in arrays) for one in results)


def _settled_nowhere(_values: Values, _function: Function) -> None:
    raise AssertionError("a stub is linked before it is called")


def _added_nowhere(_range: SizeRange, _calls: int) -> None:
    raise AssertionError("a stub is linked before it is called")
