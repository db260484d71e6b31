"""The types of calls: of functions, constructors and operators. [R.14] [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.call_site import CallSite, Silent
from relax_lang.relay.operators.core import Refused
from relax_lang.relay.operators.registry import lookup
from relax_lang.relay.syntax import tree
from relax_lang.relay.types.attributes import attributes
from relax_lang.relay.types.infer import CONSTRAIN, State
from relax_lang.relay.unification.model import REJECTED, Func, Rejected, Unknown, find_type, substitute
from relax_lang.relay.unification.printing import show
from relax_lang.relay.unification.solver import instantiate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.relay.operators.core import Operator
    from relax_lang.relay.unification.model import Type


_TAKE_TUPLES = ("`concatenate`", "`stack`", "`einsum`")


def infer_operator(state: State, node: tree.OpRef) -> Type:
    """A constructor or an operator as a value. [R.9] [R.10]"""
    info = state.resolved.ctors.get(node.name)
    if info is not None:
        scheme = state.ctor_schemes.get(node.name)
        if scheme is None:
            return REJECTED
        state.typed.ctors[node] = info
        fresh: dict[Any, object] = {one: Unknown(state.level, one.kind) for one in scheme.quantified}
        made = substitute(scheme.type, fresh)
        assert isinstance(made, Func)
        return made if info.ctor.fields else made.result
    operator = _operator(state, node)
    if operator is None:
        return REJECTED
    call = tree.Call(node, (), (), (), None, node.pos, node.end)
    attrs = attributes(operator, call, state.report)
    if attrs is None:
        return REJECTED
    params: list[Type] = [state.fresh() for _ in operator.params]
    result = state.fresh()
    _relate(state, call, operator, params, result, attrs)
    return Func(tuple(params), result)


def _operator(state: State, node: tree.OpRef) -> Operator | None:
    operator = lookup(node.name)
    if operator is not None:
        state.typed.operators[node] = operator
    return operator


def infer_call(state: State, node: tree.Call) -> Type:
    """`f(%x, axis=1)`. [R.14]"""
    callee = node.op
    if isinstance(callee, tree.OpRef) and callee.name not in state.resolved.ctors:
        return _operator_call(state, node, callee)
    if isinstance(callee, tree.OpRef):
        return _constructor_call(state, node, callee)
    found = find_type(state.type(callee))
    args = [state.type(one) for one in node.args]
    if isinstance(found, Rejected):
        return REJECTED
    _no_attributes(state, node, "a function")
    if isinstance(found, Func):
        found, fresh = instantiate(found, state.level)
        instances = (
            fresh or state.typed.instances.get(callee, [])
            if isinstance(callee, tree.Var | tree.GlobalVar)
            else fresh
        )
        _type_arguments(state, node, list(instances))
        assert isinstance(found, Func)
        name = f"`@{callee.name}`" if isinstance(callee, tree.GlobalVar) else "the function"
        made = _apply(state, node, found, args, name)
        constrained = state.constrained_callee(callee)
        if constrained is not None and not isinstance(made, Rejected):
            CONSTRAIN[0](state, constrained, found, node)
        return made
    if isinstance(found, Unknown):
        made = Func(tuple(args), state.fresh())
        return made.result if state.unify(found, made, callee, "the function") else REJECTED
    from relax_lang.relay.diagnostics.types import not_a_function  # only where something is wrong

    state.report(not_a_function(callee, show(found)))
    return REJECTED


def _no_attributes(state: State, node: tree.Call, what: str) -> None:
    if node.attrs:
        from relax_lang.relay.diagnostics.names import unknown_attribute

        state.report(unknown_attribute(node.attrs[0], what, node.attrs[0].key, ()))


def _type_arguments(state: State, node: tree.Call, fresh: list[Unknown]) -> None:
    if not node.type_args:
        return
    if len(node.type_args) != len(fresh):
        from relax_lang.relay.diagnostics.types import kind

        counted = f"{len(fresh)} type argument{'s' if len(fresh) != 1 else ''}"
        state.report(kind(node.type_args[0], f"this takes {counted}, found {len(node.type_args)}"))
        return
    for written, one in zip(node.type_args, fresh, strict=True):
        state.unify(one, state.annotation(written), written, "the type argument")


def _apply(state: State, node: tree.Call, callee: Func, args: list[Type], name: str) -> Type:
    """Unify arguments with parameters, one by one, so that a mismatch is at its argument."""
    if len(args) != len(callee.params):
        _arity(state, node, name, len(callee.params))
        return REJECTED
    sound = True
    for index, (param, arg) in enumerate(zip(callee.params, args, strict=True)):
        own = find_type(arg)
        if isinstance(own, Func) and own.quantified:  # a polymorphic function is given for one that is not
            arg = instantiate(own, state.level)[0]
        message = f"argument {index + 1} of {name}"
        sound = state.unify(param, arg, node.args[index], message) and sound
    return callee.result if sound else REJECTED


def _arity(
    state: State, node: tree.Call, name: str, expected: int, attributes: Sequence[tuple[str, int]] = ()
) -> None:
    from relax_lang.relay.diagnostics.types import arity  # only where something is wrong

    found = arity(node, name, expected, len(node.args), attributes)
    if expected == 1 and name in _TAKE_TUPLES and not attributes:
        found.helped(f"{name} takes a tuple: `{name[1:-1]}((%a, %b), …)`")
    state.report(found)


def _constructor_call(state: State, node: tree.Call, callee: tree.OpRef) -> Type:
    scheme = state.ctor_schemes.get(callee.name)
    args = [state.type(one) for one in node.args]
    if scheme is None:
        return REJECTED
    info = state.resolved.ctors[callee.name]
    state.typed.ctors[callee] = info
    fresh = [Unknown(state.level, one.kind) for one in scheme.quantified]
    _type_arguments(state, node, fresh)
    _no_attributes(state, node, f"constructor {callee.name}")
    made = substitute(scheme.type, dict(zip(scheme.quantified, fresh, strict=True)))
    assert isinstance(made, Func)
    state.typed.types[callee] = made
    return _apply(state, node, made, args, f"`{callee.name}`")


def _operator_call(state: State, node: tree.Call, callee: tree.OpRef) -> Type:
    operator = _operator(state, callee)
    args = [state.type(one) for one in node.args]
    if operator is None or _by_position(state, node, operator):
        return REJECTED
    attrs = attributes(operator, node, state.report)
    if attrs is None:
        return REJECTED
    if len(args) != len(operator.params):
        _arity(state, node, f"`{operator.name}`", len(operator.params))
        return REJECTED
    result = state.fresh()
    _relate(state, node, operator, args, result, attrs)
    return result


def _by_position(state: State, node: tree.Call, operator: Operator) -> bool:
    """Report attributes without their names, as TVM's Python functions take them; return whether there are any."""
    extra = node.args[len(operator.params) :]
    given = {one.key for one in node.attrs}
    free = [field.name for field in operator.fields if field.name not in given]
    if not extra or len(extra) > len(free) or not all(_is_literal(one) for one in extra):
        return False
    named = list(zip(free, [one.pos for one in extra], strict=False))
    _arity(state, node, f"`{operator.name}`", len(operator.params), named)
    return True


def _is_literal(node: tree.Expr) -> bool:
    if isinstance(node, tree.Tuple):
        return all(isinstance(one, tree.Const) for one in node.fields)
    return isinstance(node, tree.Const)


def _relate(
    state: State,
    node: tree.Call,
    operator: Operator,
    args: list[Type],
    result: Unknown,
    attrs: dict[str, Any],
) -> None:
    """Put the relation of an operator into the queue."""
    assert isinstance(node.op, tree.OpRef)
    state.typed.attrs[node.op] = attrs
    numbers = [_number(one) for one in node.args] or [None] * len(args)
    site = CallSite(operator, args, result, attrs, state.solver, numbers, (node.pos, node.end))
    waiting = OperatorRelation(state, node, site)
    state.solver.add(waiting.solve, waiting)


def _number(node: tree.Expr) -> float | None:
    return node.value if isinstance(node, tree.Const) else None


class OperatorRelation:
    """The relation of one call."""

    __slots__ = ("node", "site", "state")

    def __init__(self, state: State, node: tree.Call, site: CallSite) -> None:
        self.state = state
        self.node = node
        self.site = site

    def solve(self) -> None:
        """Ask the relation. Raises Wait."""
        try:
            self.site.operator.relation(self.site)
        except Silent:
            self._reject()
        except Refused as refused:
            self.state.report(self._diagnostic(refused))
            self._reject()

    def _reject(self) -> None:
        if isinstance(find_type(self.site.result), Unknown):
            self.state.solver.unify(self.site.result, REJECTED)

    def _diagnostic(self, refused: Refused) -> Diagnostic:
        from relax_lang.relay.diagnostics import names, types  # only where something is wrong

        node = self.node
        place: Any = node
        if refused.argument is not None and refused.argument < len(node.args):
            place = node.args[refused.argument]
        elif refused.attribute is not None:
            place = next((one for one in node.attrs if one.key == refused.attribute), node)
        rule = {"not_translated": "not_supported", "attribute_value": ""}.get(refused.rule, refused.rule)
        make: Any = getattr(types, rule) if rule else names.attribute_value
        found: Diagnostic = make(place, refused.message)
        if place is not node and not isinstance(place, tree.Attr):
            for index, other in enumerate(node.args):
                if index != refused.argument:
                    found.label(other, show(self.site.args[index]))
        if refused.note:
            found.note(refused.note)
        if rule == "dtype":
            self._offer_suffix(found)
        return found

    def _offer_suffix(self, found: Diagnostic) -> None:
        """Offer to write a number with the dtype of the tensor beside it."""
        suffixes = {"float32": "f", "float16": "f16", "float64": "f64", "int64": "i64", "int16": "i16"}
        for index, arg in enumerate(self.node.args):
            other = self.site.args[1 - index] if index < 2 else REJECTED
            suffix = suffixes.get(getattr(find_type(other), "dtype", ""))
            if isinstance(arg, tree.Const) and arg.dtype == "int32" and suffix is not None:
                text = f"{arg.value}{suffix}"
                found.replace(arg, text, f"write `{text}`")

    def linked(self) -> list[Type]:
        """Return what the relation is about."""
        return [*self.site.args, self.site.result]

    def explain(self) -> Diagnostic | None:
        """Return why it was never solved: the first argument that is not known."""
        from relax_lang.relay.diagnostics.types import under_constrained
        from relax_lang.relay.unification.model import unknowns

        for index, arg in enumerate(self.site.args):
            if isinstance(find_type(arg), Rejected):
                return None
            if unknowns(arg):
                name = f"`{self.site.operator.params[index]}`"
                place = self.node.args[index] if index < len(self.node.args) else self.node
                return under_constrained(place, self.site.operator.name, name)
        return None
