"""What is divided: the parameters that have rows, and where the results have theirs."""

from __future__ import annotations

from relax_lang.arith.evaluate import names_in
from relax_lang.base.names import nearest
from relax_lang.base.relax_error import RelaxError
from relax_lang.format.lexemes import global_name
from relax_lang.mapping import diagnostics as diag
from relax_lang.mapping.independence import parameter_state, rows_of_function
from relax_lang.ops.row_rules.states import Divided, Fields, Mixed, Rows, Uniform
from relax_lang.struct_info.context import Context
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.ops.row_rules.states import State
    from relax_lang.typed import Typed


class Divisible:
    """A parameter with rows, along `axis`: each is `places` places of it."""

    __slots__ = ("axis", "name", "places")

    def __init__(self, name: str, axis: int, places: int) -> None:
        self.name = name
        self.axis = axis
        self.places = places


class RowPlan:
    """How a function is divided along a dimension.

    `params` are the parameters with rows. `results` has, for each tensor of the result in order, the axis of its rows,
    None for one that is the same for all.
    """

    __slots__ = ("dim", "entry", "params", "results")

    def __init__(self, entry: str, dim: str, params: list[Divisible], results: list[int | None]) -> None:
        self.entry = entry
        self.dim = dim
        self.params = params
        self.results = results


def plan_rows(program: Typed, entry: str, dim: str, *, assume: bool = False) -> RowPlan:
    """Divide a function of a program along a dimension of its parameters.

    Raises RelaxError if its rows are not known to be independent, unless that is to be assumed; `entry` exists.
    """
    function = program.items[entry]
    assert isinstance(function, tree.Function)
    divided = Divided([dim])
    params = [found for param in function.params for found in _divisible(program, param, divided)]
    if not params:
        raise RelaxError(program.source, [_no_rows(function, dim)])
    state = rows_of_function(program, entry, dim)
    info = program.signatures[entry]
    result = info.ret if isinstance(info, tree.FuncStructInfo) else None
    causes = [cause for one in _flat(state) if isinstance(one, Mixed) for cause in one.causes]
    if causes and not assume:
        found = [
            diag.rows_mixed(cause.node, dim, cause.reason, cause.inner, known=cause.inner is not None)
            for cause in dict.fromkeys(causes)
        ]
        raise RelaxError(program.source, found)
    return RowPlan(entry, dim, params, [_axis(one) for one in _results(state, result, divided)])


def _no_rows(function: tree.Function, dim: str) -> Diagnostic:
    names = sorted({use.name for param in function.params for use in names_in(param)})
    shown = global_name(function.name.name_hint if function.name is not None else "")
    found = diag.rows_unknown(function.name, f"no parameter of {shown} has the dimension `{dim}`", names)
    like = nearest(dim, names)
    return found.helped(f"the nearest dimension is `{like}`") if like else found


def _divisible(program: Typed, param: tree.Var, divided: Divided) -> list[Divisible]:
    state = parameter_state(param, divided)
    if isinstance(state, Uniform):
        return []
    info = param.struct_info_annotation
    shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
    if isinstance(state, Rows) and isinstance(shape, tree.ShapeExpr):
        factor = divided.factor(shape.values[state.axis], Context())
        if factor is not None and factor.value is not None:
            return [Divisible(param.name_hint, state.axis, factor.value)]
    why = f"`{param.name_hint}` cannot be divided into rows: `n`, or `2 * n`, must be the extent of one of its axes"
    names = ", ".join(sorted(divided.names))
    raise RelaxError(
        program.source,
        [diag.rows_unknown(param, why.replace("`n`", f"`{names}`").replace("2 * n", f"2 * {names}"))],
    )


def _flat(state: State) -> list[State]:
    if isinstance(state, Fields):
        return [one for field in state.fields for one in _flat(field)]
    return [state]


def _results(state: State, info: tree.StructInfo | None, divided: Divided) -> list[State]:
    """Return the state of each tensor of a result; of what is mixed, by its struct info."""
    if isinstance(info, tree.TupleStructInfo):
        fields = state.fields if isinstance(state, Fields) else (state,) * len(info.fields)
        return [
            one
            for part, field in zip(fields, info.fields, strict=True)
            for one in _results(part, field, divided)
        ]
    if isinstance(state, Mixed):
        shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
        dims = shape.values if isinstance(shape, tree.ShapeExpr) else ()
        return [Rows(next((at for at, dim in enumerate(dims) if divided.occurs_in(dim)), 0))]
    return [state]


def _axis(state: State) -> int | None:
    return state.axis if isinstance(state, Rows) else None
