"""The types of matches and patterns. [R.17]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.syntax import tree
from relax_lang.relay.types.exhaustiveness import MOST_CASES, Patterns
from relax_lang.relay.types.infer import State
from relax_lang.relay.types.typed import Scheme
from relax_lang.relay.unification.model import REJECTED, Func, Rejected, Tuple, Unknown, find_type, substitute
from relax_lang.relay.unification.printing import show
from relax_lang.relay.unification.solver import Mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.unification.model import Type


def infer_match(state: State, node: tree.Match) -> Type:
    """`match (e) { … }`. [R.17]"""
    data = state.type(node.data)
    count = len(state.typed.diagnostics)
    result: Type | None = None
    first: tree.Clause | None = None
    for clause in node.clauses:
        _pattern(state, clause.pattern, data)
        found = state.type(clause.body)
        if result is None:
            result, first = found, clause
            continue
        try:
            result = state.solver.join(result, found)
        except Mismatch as wrong:
            assert first is not None
            because = (first.body, f"the first clause is {show(result)}")
            state.mismatch(result, found, clause.body, "all clauses of a match have one type", wrong, because)
            result = REJECTED
    if len(state.typed.diagnostics) == count:
        _coverage(state, node, data)
    return state.fresh() if result is None else result


def _coverage(state: State, node: tree.Match, data: Type) -> None:
    patterns = [one.pattern for one in node.clauses]
    questions = Patterns(state.resolved)
    for index in questions.unused(patterns):
        from relax_lang.relay.diagnostics.types import unreachable_clause  # only where something is wrong

        state.report(unreachable_clause(node.clauses[index].pattern))
    if not node.total or isinstance(find_type(data), Rejected):
        return
    parsed = state.resolved.parsed
    if parsed is not None and any(node.pos <= pos < node.end for pos, _ in parsed.gaps):
        return  # clauses that were not read may be what is missing
    missing = questions.missing(patterns)
    if not patterns and not isinstance(find_type(data), Unknown):
        missing = ["_"]
    if missing:
        from relax_lang.relay.diagnostics.types import not_exhaustive

        place = (node.pos, node.pos + len("match"))
        state.report(not_exhaustive(place, missing[:MOST_CASES], max(0, len(missing) - MOST_CASES)))


def _pattern(state: State, node: tree.Pattern, data: Type) -> None:
    """Unify a pattern with what it is matched with, and give its variables their types."""
    state.typed.types[node] = data
    match node:
        case tree.PVar():
            if node.annotation is not None:
                declared = state.annotation(node.annotation)
                state.unify(declared, data, node, f"`%{node.var.name}`")
                data = declared
            state.variables[node.var] = Scheme(data)
            state.typed.types[node.var] = data
        case tree.PCtor():
            _ctor(state, node, data)
        case tree.PTuple():
            fields: list[Type] = [state.fresh() for _ in node.fields]
            if not state.unify(data, Tuple(tuple(fields)), node, "the pattern"):
                fields = [REJECTED] * len(fields)
            for one, field in zip(node.fields, fields, strict=True):
                _pattern(state, one, field)
        case tree.PWild():
            pass
        case _:
            assert_never(node)


def _ctor(state: State, node: tree.PCtor, data: Type) -> None:
    scheme = state.ctor_schemes.get(node.name)
    fields: list[Type] = [REJECTED] * len(node.fields)
    if scheme is not None:
        made = substitute(scheme.type, {one: Unknown(state.level, one.kind) for one in scheme.quantified})
        assert isinstance(made, Func)
        if len(made.params) != len(node.fields):
            from relax_lang.relay.diagnostics.types import arity  # only where something is wrong

            state.report(arity(node, f"`{node.name}`", len(made.params), len(node.fields)))
        elif state.unify(data, made.result, node, "the pattern"):
            fields = list(made.params)
    for one, field in zip(node.fields, fields, strict=True):
        _pattern(state, one, field)
