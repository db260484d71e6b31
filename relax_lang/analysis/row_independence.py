"""Whether bindings compute each row of their values from the same row of what they get alone.

Rows are the places of a dimension. Operators declare what they do with rows (`Operator.rows`),
PrimFuncs are analysed (`tir.analysis.rows`), functions of the module are followed; everything else is not known to keep
rows apart. The proof is about values: floats may differ in their last bit where a product of fewer rows is summed in
another order.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of, names_in
from relax_lang.analysis.operand_infos import operand_info
from relax_lang.analysis.row_states import IN_PLACE, all_uniform, axes_of_rows, causes_of, joined, targets_of
from relax_lang.base.node import assert_never, unreachable
from relax_lang.ops.registry import lookup
from relax_lang.ops.row_rules.rules import rows_of_call
from relax_lang.ops.row_rules.states import (
    SIZES,
    UNIFORM,
    Cause,
    Divided,
    Fields,
    Mixed,
    Rows,
    RowsMixed,
    Sizes,
    Uniform,
)
from relax_lang.struct_info.context import Context
from relax_lang.syntax import tree
from relax_lang.tir.analysis.rows import RowsShared, check_rows_apart, rows_and_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.ops.row_rules.states import State

_TIR_CALLS = ("call_tir", "call_tir_with_grad", "dist.call_tir_local_view", IN_PLACE)


def state_of_info(info: tree.StructInfo, divided: Divided, var: tree.Var | tree.DataflowVar) -> State:
    """Return what a value of some struct info is made of: its rows lie along the one axis that is a multiple of the
    dimension. `var` is what holds it.
    """
    if not divided.occurs_in(info):
        return UNIFORM
    if isinstance(info, tree.TupleStructInfo):
        return Fields([state_of_info(field, divided, var) for field in info.fields])
    if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
        found = [at for at, one in enumerate(info.shape.values) if divided.occurs_in(one)]
        if len(found) == 1 and divided.factor(info.shape.values[found[0]], Context()) is not None:
            return Rows(found[0])
    return Mixed([Cause(var, f"`{var.name_hint}` cannot be divided into rows")])


class RowAnalysis:
    """What is known of a program; functions that are called are walked with what they are called with.

    `items` are the functions that are followed and the PrimFuncs, by name.
    """

    def __init__(self, items: Mapping[str, tree.Node]) -> None:
        self.items = items
        self._open: list[tree.Function] = []

    def function(self, function: tree.Function, states: Sequence[State], divided: Divided) -> State:
        """Return what the result of a function is made of."""
        self._open.append(function)
        walk = RowWalk(self, divided)
        for param, state in zip(function.params, states, strict=True):
            walk.bind(param, self.info(param), state)
        assert isinstance(function.body, tree.SeqExpr)
        found = walk.sequence(function.body)
        self._open.pop()
        if walk.effects:
            before = found.causes if isinstance(found, Mixed) else ()
            return Mixed([*before, *walk.effects])
        return found

    def is_open(self, function: tree.Function) -> bool:
        """Return whether a function is being walked: then it is recursive."""
        return function in self._open

    def has_effect(self, call: tree.Call) -> bool:
        """Return whether a call has an effect."""
        raise NotImplementedError

    def info(self, definition: tree.Var | tree.DataflowVar) -> tree.StructInfo:
        """Return the struct info of a definition."""
        raise NotImplementedError

    def constant(self, constant: tree.Constant) -> tree.StructInfo:
        """Return the struct info of a constant."""
        raise NotImplementedError


class RowWalk:
    """The variables of one function: what they are made of, and their struct infos."""

    def __init__(self, analysis: RowAnalysis, divided: Divided) -> None:
        self._analysis = analysis
        self._divided = divided
        self._states: dict[str, State] = {}
        self._infos: dict[str, tree.StructInfo] = {}
        self.effects: list[Cause] = []
        """Calls with effects, which would happen once for each part."""

    def bind(self, var: tree.Var | tree.DataflowVar, info: tree.StructInfo, state: State) -> None:
        """Note what a variable is made of."""
        self._states[var.name_hint] = state
        self._infos[var.name_hint] = info

    def sequence(self, seq: tree.SeqExpr) -> State:
        """Walk over bindings in order; return what the value is made of."""
        for binding in bindings_of(seq):
            info = tree.ObjectStructInfo() if binding.var is None else self._analysis.info(binding.var)
            self.binding(binding, info)
        return self._atom(seq.body)

    def binding(self, binding: tree.Binding, info: tree.StructInfo) -> State:
        """Look at one binding, whose variable has some struct info; return what its value is made of."""
        state = self._value(binding, binding.value, info)
        if isinstance(binding, tree.MatchCast):
            state = self._cast(binding, state)
        if binding.var is not None:
            self.bind(binding.var, info, state)
        return state

    def _value(self, binding: tree.Binding, value: tree.Expr, info: tree.StructInfo) -> State:
        match value:
            case tree.Call():
                return self._call(binding, value, info)
            case tree.If():
                return self._choice(binding, value)
            case tree.Function():
                names = names_in(value)
                captured = [self._states[name] for name in names if name in self._states]
                if self._divided.occurs_in(value) or any(not isinstance(one, Uniform) for one in captured):
                    return Mixed([Cause(binding, "nothing is known of a closure")])
                return UNIFORM
            case _:
                return self._atom(value)

    def _atom(self, expr: tree.Expr) -> State:
        match expr:
            case tree.Var() | tree.DataflowVar():
                return self._states.get(expr.name_hint, UNIFORM)
            case tree.Tuple():
                fields = [self._atom(field) for field in expr.fields]
                return UNIFORM if all_uniform(fields) else Fields(fields)
            case tree.TupleGetItem():
                whole = self._atom(expr.tuple_value)
                return whole.fields[expr.index] if isinstance(whole, Fields) else whole
            case tree.ShapeExpr() | tree.PrimValue():
                return SIZES if self._divided.occurs_in(expr) else UNIFORM
            case tree.Constant() | tree.GlobalVar() | tree.ExternFunc():
                return UNIFORM
            case tree.If() | tree.Call() | tree.Function():
                return unreachable(expr)  # not an atom
            case tree.NeverBound():
                return unreachable(expr)
            case _:
                return assert_never(expr)

    def _info(self, expr: tree.Expr) -> tree.StructInfo | None:
        return operand_info(expr, self._info_of_variable, self._analysis.constant)

    def _info_of_variable(self, name: str) -> tree.StructInfo:
        return self._infos.get(name) or tree.ObjectStructInfo()

    # Calls.

    def _call(self, binding: tree.Binding, call: tree.Call, info: tree.StructInfo) -> State:
        states = [self._atom(arg) for arg in call.args]
        causes = [cause for state in states for cause in causes_of(state)]
        place = call if call.pos >= 0 else binding
        if self._analysis.has_effect(call):
            what = f"`{call.op.op_name}`" if isinstance(call.op, tree.Op) else "the call"
            self.effects.append(
                Cause(place, f"{what} has an effect, which would happen once for each part of the rows")
            )
        if causes:
            return Mixed(causes)
        try:
            return self._called(call, states, info)
        except RowsMixed as mixed:
            return Mixed([Cause(place, mixed.reason, mixed.inner)])

    def _called(self, call: tree.Call, states: list[State], info: tree.StructInfo) -> State:
        if all_uniform(states) and not self._divided.occurs_in(info):
            return self._closed(call)
        if isinstance(call.op, tree.Op):
            if call.op.op_name in _TIR_CALLS:
                return self._prim_func(call, states, info)
            operator = lookup(call.op.op_name)
            if operator is None:
                raise RowsMixed("nothing is known of this operator")
            infos = [self._info(arg) for arg in call.args]
            context = Context(variables=self._infos)
            return rows_of_call(operator, call, states, infos, info, context, self._divided)
        if isinstance(call.op, tree.GlobalVar):
            callee = self._analysis.items.get(call.op.name_hint)
            if isinstance(callee, tree.Function):
                return self._followed(callee, call, states)
        raise RowsMixed("nothing is known of the function that it calls")

    def _closed(self, call: tree.Call) -> State:
        """Return the state of a call of which no operand has rows: a closure may hold some."""
        callee = self._atom(call.op) if isinstance(call.op, tree.Var) else UNIFORM
        if isinstance(callee, Mixed):
            return callee
        return UNIFORM

    def _followed(self, callee: tree.Function, call: tree.Call, states: list[State]) -> State:
        if self._analysis.is_open(callee):
            raise RowsMixed("the function that it calls is recursive")
        names: set[str] = set()
        for param, state, arg in zip(callee.params, states, call.args, strict=True):
            for axis, shape, given in axes_of_rows(state, param.struct_info_annotation, self._info(arg)):
                own, theirs = shape[axis], given[axis]
                factor = self._divided.factor(theirs, Context())
                alone = isinstance(own, tree.PrimVar) and factor is not None and factor.value == 1
                if not alone:
                    raise RowsMixed(
                        f"`{param.name_hint}` of the function that it calls has no name for the rows"
                    )
                assert isinstance(own, tree.PrimVar)
                names.add(own.name)
            if not isinstance(state, Rows | Uniform | Fields):
                raise RowsMixed("it gets a shape that depends on how many rows there are")
        for param, state in zip(callee.params, states, strict=True):
            info = param.struct_info_annotation
            if isinstance(state, Uniform) and info is not None and Divided(names).occurs_in(info):
                raise RowsMixed(
                    f"`{param.name_hint}` of the function that it calls has as many places as rows"
                )
        return self._analysis.function(callee, states, Divided(names))

    def _prim_func(self, call: tree.Call, states: list[State], info: tree.StructInfo) -> State:
        callee = call.args[0]
        func = self._analysis.items.get(callee.name_hint) if isinstance(callee, tree.GlobalVar) else None
        passed = call.args[1]
        if not isinstance(func, tree.PrimFunc) or not isinstance(passed, tree.Tuple):
            raise RowsMixed("nothing is known of what it calls")
        if len(states) > 2 and not isinstance(states[2], Uniform):
            raise RowsMixed("it gets a number that depends on how many rows there are")
        axes: dict[str, int] = {}
        units: set[int] = set()
        for param, field in zip(func.params, passed.fields, strict=False):
            state = self._atom(field)
            if isinstance(state, Rows):
                axes[param.name] = state.axis
                units.add(self._rows_in_one(state.axis, self._info(field), param))
            elif not isinstance(state, Uniform):
                raise RowsMixed("it gets what depends on how many rows there are")
        results = info.fields if isinstance(info, tree.TupleStructInfo) else (info,)
        found: list[State] = []
        targets = targets_of(call, func, len(passed.fields))
        if len(targets) != len(results):
            raise RowsMixed("its results are not those of the function that it calls")
        for param, result in zip(targets, results, strict=True):
            shape = result.shape if isinstance(result, tree.TensorStructInfo) else None
            dims = shape.values if isinstance(shape, tree.ShapeExpr) else ()
            rows = [at for at, dim in enumerate(dims) if self._divided.occurs_in(dim)]
            if len(rows) > 1:
                raise RowsMixed("two axes of its result depend on how many rows there are")
            found.append(Rows(rows[0]) if rows else UNIFORM)
            taken_over = axes.get(param.name)
            if rows:
                axes[param.name] = rows[0]
                units.add(self._rows_in_one(rows[0], result, param))
            if param in func.params[: len(passed.fields)] and taken_over != axes.get(param.name):
                raise RowsMixed("a result takes over an argument whose rows lie along another axis")
        _require_apart(func, axes, units)
        return Fields(found) if isinstance(info, tree.TupleStructInfo) else found[0]

    def _rows_in_one(self, axis: int, info: tree.StructInfo | None, param: tree.PrimParam) -> int:
        """Return how many rows of a buffer of a PrimFunc, as it counts them, are one row of what it gets."""
        shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
        dim = shape.values[axis] if isinstance(shape, tree.ShapeExpr) else None
        factor = None if dim is None else self._divided.factor(dim, Context())
        size = None if factor is None else factor.value
        own = rows_and_places(param.shape[axis]) if isinstance(param, tree.Buffer) else None
        places = 1 if own is None else own[1]
        if not isinstance(size, int) or size < 1 or size % places:
            raise RowsMixed("a row is not a whole number of places of a buffer")
        return size // places

    # Choices and checks.

    def _choice(self, binding: tree.Binding, value: tree.If) -> State:
        condition = self._atom(value.cond)
        branches = [
            self.sequence(branch)
            for branch in (value.true_branch, value.false_branch)
            if isinstance(branch, tree.SeqExpr)
        ]
        if isinstance(condition, Mixed):
            return condition
        causes = [cause for state in branches for cause in causes_of(state)]
        if causes:
            return Mixed(causes)
        if not isinstance(condition, Uniform):
            return Mixed([Cause(binding, "it chooses for all rows together")])
        return joined(branches[0], branches[1], binding)

    def _cast(self, binding: tree.MatchCast, state: State) -> State:
        causes = causes_of(state)
        if causes:
            return Mixed(causes)
        info = binding.struct_info
        if isinstance(state, Rows) and isinstance(info, tree.TensorStructInfo):
            shape = info.shape.values if isinstance(info.shape, tree.ShapeExpr) else ()
            if state.axis < len(shape):
                return self._cast_rows(binding, state, shape)
        mentions = self._divided.occurs_in(info)
        if isinstance(state, Uniform) and not mentions:
            return UNIFORM
        if isinstance(state, Sizes | Fields) or mentions:
            return Mixed([Cause(binding, "it checks how many rows there are")])
        return state

    def _cast_rows(self, binding: tree.MatchCast, state: Rows, shape: Sequence[tree.PrimExpr]) -> State:
        dim = shape[state.axis]
        if isinstance(dim, tree.PrimVar) and dim.name not in self._divided.names:
            before = self._info(binding.value)
            known = before.shape if isinstance(before, tree.TensorStructInfo) else None
            extent = known.values[state.axis] if isinstance(known, tree.ShapeExpr) else None
            factor = None if extent is None else self._divided.factor(extent, Context())
            if factor is not None and factor.value == 1:
                self._divided.names.add(dim.name)
        others = [one for at, one in enumerate(shape) if at != state.axis]
        if self._divided.factor(dim, Context()) is None or any(map(self._divided.occurs_in, others)):
            return Mixed([Cause(binding, "it checks how many rows there are")])
        return state


def _require_apart(func: tree.PrimFunc, axes: dict[str, int], units: set[int]) -> None:
    """Check that a PrimFunc keeps rows apart. Raises RowsMixed."""
    if len(units) > 1:
        raise RowsMixed("a row is another number of places in one buffer than in another")
    buffers = [param for param in func.params if isinstance(param, tree.Buffer)]
    found = [rows_and_places(one.shape[axes[one.name]]) for one in buffers if one.name in axes]
    names = Divided([one[0] for one in found if one is not None])
    for one in buffers:
        if one.name not in axes and any(map(names.occurs_in, one.shape)):
            raise RowsMixed(f"`{one.name}` of the function that it calls has as many places as rows")
    try:
        check_rows_apart(func, axes)
    except RowsShared as shared:
        raise RowsMixed(f"@{func.name.name_hint} mixes them: {shared.reason}", shared.node) from None
