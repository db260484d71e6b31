"""Which bindings of a run are a group: their rows are apart, and what they compute on the way is needed in it alone.

A group is divided along one shape variable. `analysis.row_independence` proves that rows are apart, of what is certain
when generated code runs; what is the same for all rows is computed once, before the first block.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import names_in
from relax_lang.analysis.row_independence import RowAnalysis, RowWalk, state_of_info
from relax_lang.arith.evaluate import names_in as dims_in
from relax_lang.ops.registry import lookup
from relax_lang.ops.row_rules.states import (
    UNIFORM,
    Cause,
    Divided,
    Mixed,
    Rows,
    Uniform,
    has_rows,
    is_apart,
)
from relax_lang.runtime.calling.prepared_calls import prepare
from relax_lang.runtime.compiler.row_blocks import Made, RowGroup
from relax_lang.runtime.values.allocation import ESTIMATES
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.ops.row_rules.states import State
    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter
    from relax_lang.runtime.compiler.codegen.written import Written

_MOST_DIMS = 3
"""So many shape variables are tried, those that most values have."""
_FEWEST_HIDDEN = 2
"""A group has so many values for itself: of one, most operators make their result in its place."""
_MIXED = Mixed([Cause(tree.Tuple(()), "its dtype and shape are not certain")])


class Group:
    """Bindings that may run in blocks of rows along the shape variable `dim`: `written` in order, and of these those
    with `rows` and those that are `uniform`.

    Blocks are given `arguments`, the same for all rows and those with rows, whose `axes` are known, and `computed`
    values. `results` have rows, `same_results` have none. `ended` are the arguments that nothing needs afterwards.
    """

    def __init__(self, search: _Search, first: int, stop: int, outputs: Sequence[int]) -> None:
        self._search = search
        self.dim = search.dim
        self.written = search.written[first:stop]
        states = search.states[first - search.start : stop - search.start]
        pairs = [*zip(self.written, states, strict=True)]
        self.rows = [one for one, state in pairs if has_rows(state)]
        self.uniform = [one for one, state in pairs if not has_rows(state)]
        defined = {one.name for one in self.written}
        used = _used(self.written)
        self.same = [name for name in used if name not in defined and isinstance(search.of(name), Uniform)]
        self.divided = [name for name in used if name not in defined and name not in self.same]
        self.axes = [_axis(search.of(name)) for name in self.divided]
        wanted = {*_used(self.rows)}
        self.computed = [one.name for one in self.uniform if one.name in wanted]
        chosen = [search.written[at].name for at in outputs]
        self.results = [name for name in chosen if has_rows(search.of(name))]
        self.same_results = [name for name in chosen if name not in self.results]
        self.ended = {name for one in self.written for name in one.ended if name not in defined}

    @property
    def arguments(self) -> list[str]:
        """What the group is given."""
        return [*self.same, *self.divided]

    @property
    def common(self) -> list[str]:
        """What is computed before the first block."""
        return [*self.computed, *self.same_results]

    @property
    def of_block(self) -> list[str]:
        """What the function of a block is given."""
        return [*self.same, *self.computed, *self.divided]

    def described(self) -> RowGroup:
        """Return what is needed when the group runs."""
        writer = self._search.writer
        dims = tuple(writer.dims)
        results = [_axis(self._search.of(name)) for name in self.results]
        counts = len(self.same), self.axes, len(self.computed)
        return RowGroup(dims, dims.index(self.dim), self._made(), *counts, results)

    def _made(self) -> list[Made]:
        facts = self._search.writer.facts
        alive: dict[str, list[tree.TensorStructInfo]] = {}
        made: list[Made] = []
        divided = {*self.divided}
        for one in self.written:
            infos = _tensors(one.info)
            if one in self.rows:
                alive[one.name] = infos
            given = [
                info for name in names_in(one.binding.value) & divided for info in _tensors(facts.named(name))
            ]
            living = [*given, *[info for each in alive.values() for info in each]]
            made.append(_made(self._search.writer, one.binding.value, infos, living))
            for name in [*one.ended, *([one.name] if one.is_unneeded else [])]:
                alive.pop(name, None)
        return made


def groups_of(writer: FunctionWriter, written: Sequence[Written]) -> list[Group]:
    """Return the groups of a run in order, along the shape variable by which they have most values for themselves."""
    best: list[Group] = []
    most = 0
    sizes = _Sizes(writer)
    for dim in _dims(writer, written, sizes):
        found, hidden = _along(writer, written, dim, sizes)
        if hidden > most:
            best, most = found, hidden
    return best


class _Sizes:
    """What is asked of the struct infos of a run. Tuples share parts: each is looked at once."""

    __slots__ = ("_certain", "_dims", "_names")

    def __init__(self, writer: FunctionWriter) -> None:
        self._dims = writer.dims.keys()
        self._names: dict[tree.StructInfo, frozenset[str]] = {}
        self._certain: dict[tree.StructInfo, bool] = {}

    def names(self, info: tree.StructInfo) -> frozenset[str]:
        """Return the shape variables that an info mentions."""
        found = self._names.get(info)
        if found is None:
            if isinstance(info, tree.TupleStructInfo):
                found = frozenset[str]().union(*map(self.names, info.fields))
            else:
                found = frozenset([use.name for use in dims_in(info)])
            self._names[info] = found
        return found

    def is_certain(self, info: tree.StructInfo) -> bool:
        """Return whether dtypes and shapes of all tensors are certain."""
        found = self._certain.get(info)
        if found is None:
            if isinstance(info, tree.TupleStructInfo):
                found = all(map(self.is_certain, info.fields))
            elif isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
                found = info.dtype is not None and self.names(info) <= self._dims
            else:
                found = False
            self._certain[info] = found
        return found


def _dims(writer: FunctionWriter, written: Sequence[Written], sizes: _Sizes) -> list[str]:
    counts = dict.fromkeys(writer.dims, 0)
    for one in written:
        for name in sizes.names(one.info) & counts.keys():
            counts[name] += 1
    found = sorted([name for name in writer.dims if counts[name] > 1], key=lambda name: -counts[name])
    return found[:_MOST_DIMS]


def _along(
    writer: FunctionWriter, written: Sequence[Written], dim: str, sizes: _Sizes
) -> tuple[list[Group], int]:
    """Return the groups of a run along one shape variable, and how many values are needed in them alone."""
    found: list[Group] = []
    hidden = start = 0
    while start < len(written):
        search = _Search(writer, written, start, dim, sizes)
        chosen, start = search.group()
        if chosen is not None:
            found.append(chosen)
            hidden += len(chosen.rows) - len(chosen.results)
    return found, hidden


class _Search:
    """Bindings of a run from `start` on, as far as rows along one shape variable are apart: what they are made of."""

    def __init__(
        self, writer: FunctionWriter, written: Sequence[Written], start: int, dim: str, sizes: _Sizes
    ) -> None:
        self.writer = writer
        self._sizes = sizes
        self.written = written
        self.start = start
        self.dim = dim
        self.states: list[State] = []
        self._known: dict[str, State] = {}
        self._divided = Divided([dim])
        self._walk = RowWalk(_Certain(writer), self._divided)
        for one in written[start:]:
            state = self._state(one)
            if not is_apart(state):
                break
            self.states.append(state)

    def of(self, name: str) -> State:
        """Return what a variable is made of."""
        return self._known[name]

    def _state(self, one: Written) -> State:
        names = names_in(one.binding.value)
        for name in names:
            if name not in self._known:
                self._given(name)
        certain = self._sizes.is_certain(one.info) and all(is_apart(self._known[name]) for name in names)
        state = self._walk.binding(one.binding, one.info) if certain else _MIXED
        self._known[one.name] = state
        return state

    def _given(self, name: str) -> None:
        """Look at a variable that was there before."""
        info, var = self.writer.facts.named(name), tree.Var(name)
        if not self._sizes.is_certain(info):
            state = _MIXED
        elif isinstance(info, tree.TupleStructInfo):
            state = UNIFORM if self._divided.names.isdisjoint(self._sizes.names(info)) else _MIXED
        else:
            state = state_of_info(info, self._divided, var)
        self._walk.bind(var, info, state)
        self._known[name] = state

    def group(self) -> tuple[Group | None, int]:
        """Return the group that begins here, if there is one, and where to go on."""
        after = self.start + len(self.states) + 1
        with_rows = [self.start + at for at, state in enumerate(self.states) if has_rows(state)]
        while len(with_rows) > 1:
            first, stop = with_rows[0], with_rows[-1] + 1
            outputs = self._outputs(first, stop)
            other = next((at for at in outputs if not self._is_new(at)), None)
            if other is None:
                hidden = [at for at in with_rows if at not in outputs and not self.written[at].is_unneeded]
                is_used = any(at in with_rows for at in outputs)
                if len(hidden) < _FEWEST_HIDDEN or not is_used:
                    return None, after
                return Group(self, first, stop, outputs), stop
            after = other + 1
            with_rows = [at for at in with_rows if at < other]
        return None, after

    def _outputs(self, first: int, stop: int) -> list[int]:
        """Return the bindings whose variables are needed after some of them."""
        part = self.written[first:stop]
        ended = {name for one in part for name in one.ended}
        return [at for at, one in enumerate(part, first) if not one.is_unneeded and one.name not in ended]

    def _is_new(self, at: int) -> bool:
        """Return whether a value is one tensor in memory of its own."""
        value = self.written[at].binding.value
        if not isinstance(self.states[at - self.start], Rows | Uniform) or not isinstance(value, tree.Call):
            return False
        assert isinstance(value.op, tree.Op)
        operator = lookup(value.op.op_name)
        is_tensor = isinstance(self.written[at].info, tree.TensorStructInfo)
        return is_tensor and operator is not None and not operator.aliases


class _Certain(RowAnalysis):
    """What is certain when generated code runs. Functions of the program are not followed."""

    def __init__(self, writer: FunctionWriter) -> None:
        super().__init__(writer.module.graph.prim_funcs)
        self._facts = writer.facts

    def has_effect(self, call: tree.Call) -> bool:
        """Return whether a call has an effect: none of a run has."""
        del call
        return False

    def info(self, definition: tree.Var | tree.DataflowVar) -> tree.StructInfo:
        """Return the struct info of a definition."""
        return self._facts.named(definition.name_hint)

    def constant(self, constant: tree.Constant) -> tree.StructInfo:
        """Return the struct info of a constant."""
        return self._facts.of(constant)


def _axis(state: State) -> int:
    assert isinstance(state, Rows)
    return state.axis


def _used(written: Iterable[Written]) -> list[str]:
    """Return the variables that some bindings use, in order."""
    return [*dict.fromkeys([name for one in written for name in sorted(names_in(one.binding.value))])]


def _tensors(info: tree.StructInfo) -> list[tree.TensorStructInfo]:
    if isinstance(info, tree.TupleStructInfo):
        return [one for field in info.fields for one in _tensors(field)]
    return [info] if isinstance(info, tree.TensorStructInfo) else []


def _made(
    writer: FunctionWriter,
    value: tree.Expr,
    infos: Sequence[tree.TensorStructInfo],
    alive: Sequence[tree.TensorStructInfo],
) -> Made:
    facts = writer.facts
    if not isinstance(value, tree.Call) or not isinstance(value.op, tree.Op):
        return Made(infos, alive, (), None, None)
    func = None
    if value.args and isinstance(value.args[0], tree.GlobalVar):
        func = writer.module.graph.prim_funcs.get(value.args[0].name_hint)
    if func is not None:
        passed = value.args[1]
        assert isinstance(passed, tree.Tuple)
        given = [(arg, facts.of(arg)) for arg in passed.fields]
        return Made(infos, alive, [*given, *[(value, info) for info in infos]], None, func)
    if value.op.op_name not in ESTIMATES:
        return Made(infos, alive, (), None, None)
    args = [(arg, facts.of(arg)) for arg in value.args]
    return Made(infos, alive, args, prepare(value, value.op.op_name), None)
