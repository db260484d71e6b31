"""Inference: the type of every expression of a module, after Hindley and Milner, with relations. [R.31] [R.32]

Functions are taken in strongly connected components, callees first; the free unknowns of a component become parameters.
Expressions of one kind each are in `expressions`, calls in `calls`, patterns in `matches`.
"""

from __future__ import annotations

from relax_lang.relay.syntax import tree
from relax_lang.relay.types.kinds import Annotations
from relax_lang.relay.types.typed import Scheme, Typed
from relax_lang.relay.unification.model import (
    TYPE,
    Func,
    Param,
    Rejected,
    Unknown,
    find_type,
    substitute,
    unknowns,
)
from relax_lang.relay.unification.printing import show
from relax_lang.relay.unification.solver import Mismatch, Solver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.base.node import Table
    from relax_lang.relay.scope.resolved import Resolved
    from relax_lang.relay.syntax.metadata import Objects
    from relax_lang.relay.unification.model import Type

    Rules = Table[tree.Expr, Callable[["State", Any], Type]]

_installed: list[Rules] = []

CONSTRAIN: list[Callable[[State, tree.Function, Func, tree.Call | None], None]] = []
"""What asks the relations behind `where`; the module `constraints` puts it here."""


def install(rules: Rules) -> None:
    """Set how the types of expressions of each class are inferred; the rules themselves call `State.type`."""
    _installed[:] = [rules]


class State:
    """What is known while a module is inferred."""

    def __init__(self, resolved: Resolved, metadata: Objects | None, solver: Solver | None = None) -> None:
        self.resolved = resolved
        self.metadata = metadata
        self.solver = solver or Solver()
        self.typed = Typed()
        self.annotations = Annotations(resolved, self.report)
        self.level = 0
        self.params: dict[str, Param | Type] = {}
        """The type parameters in scope."""
        self.variables: dict[tree.Var, Scheme] = {}
        """The variables that are bound."""
        self.graph: dict[tree.GraphBind, Type] = {}
        self.ctor_schemes: dict[str, Scheme] = {}
        self.constrained: dict[tree.Var, tree.Function] = {}
        """Functions that `let` binds and that name relations."""

    # -- for all that infer --------------------------------------------------------------------------------

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic."""
        self.typed.diagnostics.append(diagnostic)

    def fresh(self, kind: str = TYPE) -> Unknown:
        """Return an unknown of this level."""
        return Unknown(self.level, kind)

    def type(self, node: tree.Expr) -> Type:
        """Return the type of an expression, and remember it."""
        found = _installed[0][type(node)](self, node)
        self.typed.types[node] = found
        return found

    def annotation(self, node: tree.Type) -> Type:
        """Return the type that an annotation means."""
        return self.annotations.type(node, self.params, self.fresh)

    def unify(
        self,
        expected: Type,
        found: Type,
        place: Location,
        message: str,
        because: tuple[Location, str] | None = None,
    ) -> bool:
        """Make two types equal; report it if they are not. `message` gets `expected … found …` after it."""
        try:
            self.solver.unify(expected, found)
        except Mismatch as wrong:
            self.mismatch(expected, found, place, message, wrong, because)
            return False
        return True

    def mismatch(
        self,
        expected: Type,
        found: Type,
        place: Location,
        message: str,
        wrong: Mismatch,
        because: tuple[Location, str] | None = None,
    ) -> None:
        """Report that two types are not equal."""
        from relax_lang.relay.diagnostics import types as diag  # only where something is wrong

        if wrong.infinite:
            self.report(diag.infinite_type(place, show(wrong.found)))  # type: ignore[arg-type]
            return
        made = diag.mismatch(place, f"{message}: expected {show(expected)}, found {show(found)}")
        if wrong.reason:
            made.note(wrong.reason)
        if because is not None:
            made.label(*because)
        self.report(made)

    def use(self, node: tree.Var | tree.GlobalVar, scheme: Scheme) -> Type:
        """Return the type of a use: with fresh unknowns, if it is polymorphic."""
        if not scheme.quantified:
            return scheme.type
        fresh = [Unknown(self.level, one.kind) for one in scheme.quantified]
        self.typed.instances[node] = fresh
        return substitute(scheme.type, dict(zip(scheme.quantified, fresh, strict=True)))

    def constrained_callee(self, callee: tree.Expr) -> tree.Function | None:
        """Return the function that is called, if it names relations of its own."""
        if isinstance(callee, tree.GlobalVar):
            item = self.resolved.functions.get(callee.name)
            return item.function if item is not None and item.function.relations else None
        if isinstance(callee, tree.Var) and self.constrained:
            return self.constrained.get(self.resolved.bindings[callee])
        return None

    # -- functions -----------------------------------------------------------------------------------------

    def function(self, node: tree.Function, known: Func | None = None) -> Type:
        """Return the type of a function; `known` is what its parameters and result are, if that is known already."""
        outer = self.params
        own: dict[str, Param] = {} if known is not None else self.annotations.params(node.type_params)
        self.params = {**outer, **own}
        params: list[Type] = []
        for index, param in enumerate(node.params):
            made = self.fresh() if param.annotation is None else self.annotation(param.annotation)
            if known is not None:
                self.unify(made, known.params[index], param, f"the parameter `%{param.var.name}`")
            params.append(made)
            self.variables[param.var] = Scheme(made)
            self.typed.types[param.var] = made
        result = None if node.result is None else self.annotation(node.result)
        if result is not None and known is not None:
            self.unify(result, known.result, node, "the result")
        body = self.type(node.body)
        if result is None:
            result = body
            if known is not None:
                self.unify(known.result, body, node.body.value, "the result")
        else:
            value = node.body.value
            self.unify(result, body, value, "the result of the function", self._written(node.result))
        self.params = outer
        made_type = Func(tuple(params), result, tuple(own.values()))
        if node.relations and known is None:
            CONSTRAIN[0](self, node, made_type, None)
        self.typed.types[node] = made_type
        return made_type

    @staticmethod
    def _written(node: tree.Type | None) -> tuple[Location, str] | None:
        return None if node is None else (node, "expected because of this")

    def instance(self, node: tree.Function, whole: Func, params: dict[str, Type]) -> None:
        """Infer a polymorphic function anew, of which the type is known; `params` are its type parameters by name."""
        outer, self.params = self.params, {**self.params, **params}
        self.function(node, whole)
        self.solver.run()
        self.params = outer

    # -- modules -------------------------------------------------------------------------------------------

    def module(self) -> Typed:
        """Infer all functions."""
        self.types_of_module()
        for component in components(self.resolved.references):
            self._component(component)
        self.solver.run()
        self._unsolved()
        self.typed.relations = self.solver.calls
        return self.typed

    def types_of_module(self) -> None:
        """Check the definitions of types."""
        for name, item in self.resolved.types.items():
            own = self.annotations.params(item.params)
            if isinstance(item, tree.ExternType):
                continue
            from relax_lang.relay.unification.model import Adt

            result = Adt(name, tuple(own.values()))
            for ctor in item.ctors:
                fields = tuple([self.annotations.type(one, own, self.fresh) for one in ctor.fields])
                self.ctor_schemes[ctor.name] = Scheme(Func(fields, result), tuple(own.values()))

    def _component(self, names: list[str]) -> None:
        functions = self.typed.functions
        defs = [self.resolved.functions[name] for name in names]
        self.level += 1
        types: dict[str, Type] = {}
        for item in defs:
            declared = self._declared(item.function)
            types[item.name.name] = declared.type
            functions[item.name.name] = declared
        for item in defs:
            name = item.name.name
            found = self.function(item.function)
            if not functions[name].quantified:
                self.unify(types[name], _plain(found), item.name, f"`@{name}` is used differently")
            self.typed.types[item.name] = found
        self.level -= 1
        for item in defs:
            functions[item.name.name] = self.generalized(self.typed.types[item.name])

    def _declared(self, node: tree.Function) -> Scheme:
        """Return what is known of a function while its component is inferred: all of it if everything is annotated."""
        complete = node.result is not None and all(param.annotation is not None for param in node.params)
        own = self.annotations.params(node.type_params)
        if not complete or not own:
            return Scheme(self.fresh() if not node.params and not complete else self._outline(node))
        # Mistakes in annotations are reported where the function itself is inferred.
        self.annotations.quiet = True
        outer, self.params = self.params, {**self.params, **own}
        params = tuple([self.annotation(one.annotation) for one in node.params if one.annotation is not None])
        assert node.result is not None
        result = self.annotation(node.result)
        self.params, self.annotations.quiet = outer, False
        return Scheme(Func(params, result), tuple(own.values()))

    def _outline(self, node: tree.Function) -> Type:
        return Func(tuple([self.fresh() for _ in node.params]), self.fresh())

    def generalized(self, value: Type) -> Scheme:
        """Return the scheme of a type: what is not known, and no relation waits for, becomes a parameter."""
        value = find_type(value)
        quantified: tuple[Param, ...] = value.quantified if isinstance(value, Func) else ()
        value = _plain(value)
        open_ones = self._open()
        free = [one for one in unknowns(value) if one.level > self.level and one not in open_ones]
        taken = {one.name for one in quantified}
        letters = (name for name in _letters() if name not in taken)
        made = list(quantified)
        for one in free:
            param = Param(next(letters), one.kind)
            one.target = param
            made.append(param)
        for one in unknowns(value):
            one.level = min(one.level, self.level)
        return Scheme(value, tuple(made))

    def _open(self) -> set[Unknown]:
        found: set[Unknown] = set()
        for pending in self.solver.unsolved():
            for value in pending.where.linked():
                found.update(unknowns(value))
        return found

    def _unsolved(self) -> None:
        for pending in self.solver.unsolved():
            found = pending.where.explain()
            if found is not None:
                self.report(found)


def _plain(value: Type) -> Type:
    """Return a function type without its parameters; they are those of the scheme."""
    value = find_type(value)
    return Func(value.params, value.result) if isinstance(value, Func) and value.quantified else value


def _letters() -> Iterable[str]:
    count = 0
    while True:
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            yield letter if not count else f"{letter}{count}"
        count += 1


def is_rejected(value: Type) -> bool:
    """Return whether a type is that of something that was reported."""
    return isinstance(find_type(value), Rejected)


def components(references: dict[str, list[str]]) -> list[list[str]]:  # noqa: C901 - one algorithm
    """Return the strongly connected components of functions, callees first, without recursion (after Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in references:
        if root in index:
            continue
        work: list[tuple[str, int]] = [(root, 0)]
        while work:
            name, at = work.pop()
            if at == 0:
                index[name] = low[name] = len(index)
                stack.append(name)
                on_stack.add(name)
            callees = references.get(name, [])
            descended = False
            while at < len(callees):
                callee = callees[at]
                at += 1
                if callee not in index:
                    work += [(name, at), (callee, 0)]
                    descended = True
                    break
                if callee in on_stack:
                    low[name] = min(low[name], index[callee])
            if descended:
                continue
            if low[name] == index[name]:
                component: list[str] = []
                while True:
                    one = stack.pop()
                    on_stack.discard(one)
                    component.append(one)
                    if one == name:
                        break
                found.append(
                    sorted(component, key=list(references).index) if len(component) > 1 else component
                )
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[name])
    return found
