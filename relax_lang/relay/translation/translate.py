"""Relay to Relax: functions by instance, expressions in A-normal form. [R.38] [R.39]

A function without type parameters is translated once, any other once for each instance that is used. Matches are in
`matches`, the bindings in `emitter`.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.relay.operators.core import NotLowered
from relax_lang.relay.operators.symbolic import Atom
from relax_lang.relay.syntax import tree as relay
from relax_lang.relay.translation.emitter import OPERATORS, Emitter, PrimFuncs, any_info
from relax_lang.relay.types.infer import State
from relax_lang.relay.types.typed import Scheme
from relax_lang.relay.unification.model import (
    TYPE,
    UNIT,
    Func,
    Param,
    Unknown,
    find_type,
    resolved,
    substitute,
    unknowns,
)
from relax_lang.relay.unification.printing import show
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Table
    from relax_lang.relay.checking import Analysed
    from relax_lang.relay.syntax.metadata import Array
    from relax_lang.relay.unification.model import Type

    Known = dict[Param, Type]
    Rules = Table[relay.Expr, Callable[["FunctionTranslator", Any], Atom]]

MAX_INSTANCES = 64
"""Of one function: more than that are made by polymorphic recursion alone."""
MAX_TYPES = 10_000
"""Characters of the types of one instance."""
INLINE_ELEMENTS = 16
"""Constants up to this size are written out."""

_installed: list[Rules] = []


def install(rules: Rules) -> None:
    """Set how expressions of each class are translated; the rules themselves call `FunctionTranslator.expr`."""
    _installed[:] = [rules]


class Translation:
    """What a program becomes: a module of Relax, its constants, and what could not be translated."""

    def __init__(self, analysed: Analysed, archive: str) -> None:
        self.analysed = analysed
        self.archive = archive
        """The file that constants are said to be in."""
        self.arrays: dict[tuple[str, str | None], Array] = {}
        self.diagnostics: list[Diagnostic] = []
        self.used: dict[str, list[str]] = {}
        """For each call of an operator, by its name, the calls that it became; none if it has no translation."""
        self.pure = not any(_has_effects(item) for item in analysed.resolved.functions.values())
        self._names = FreshNames(analysed.resolved.functions)
        self._instances: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._waiting: list[tuple[relay.Def, str, Known]] = []
        self.prim_funcs = PrimFuncs(self._names)
        self.items: list[tree.Item] = []

    def module(self) -> tree.IRModule:
        """Translate everything that can be called with known types, and the instances that it uses."""
        for item in _defs(self.analysed):
            known = _any_types(self.analysed.typed.functions[item.name.name])
            if known is not None:
                self.instance(item.name.name, known, own_name=True)
        while self._waiting:
            item, name, known = self._waiting.pop(0)
            self._function(item, name, known)
        return tree.IRModule((), (*self.prim_funcs.items, *self.items))

    def instance(self, name: str, known: Known, *, own_name: bool = False) -> str:
        """Return the name of the translation of a function for some types, which is made if it is not there."""
        key = name, ", ".join([show(one) for one in known.values()])
        if len(key[1]) > MAX_TYPES:
            raise NotLowered(f"`@{name}` is used with types that grow with each call")
        found = self._instances.get(key)
        if found is not None:
            return found
        self._counts[name] = self._counts.get(name, 0) + 1
        if self._counts[name] > MAX_INSTANCES:
            raise NotLowered(f"`@{name}` is used with more than {MAX_INSTANCES} types")
        made = name if own_name or not known else self._names.fresh(f"{name}_{_word(key[1])}")
        self._instances[key] = made
        self._waiting.append((self.analysed.resolved.functions[name], made, known))
        return made

    def _function(self, item: relay.Def, name: str, known: Known) -> None:
        state = self.retyped(item, known) if known else self.analysed.state
        assert state is not None
        maker = FunctionTranslator(self, state)
        made = maker.function(item.function, tree.GlobalVar(name), known)
        self.items.append(made)

    def retyped(self, item: relay.Def, known: Known) -> State:
        """Infer a polymorphic function anew with types in place of its parameters."""
        analysed = self.analysed
        state = State(analysed.resolved, analysed.metadata)
        state.types_of_module()
        state.typed.functions = analysed.typed.functions
        scheme = analysed.typed.functions[item.name.name]
        whole = substitute(scheme.type, dict(known))
        assert isinstance(whole, Func)
        state.params = {param.name: one for param, one in known.items()}
        state.instance(item.function, whole, {})
        return state

    def constant(self, array: Array) -> tuple[tree.Literal, tree.DType | None]:
        """Return the literal of a constant: written out if it is small, else in the archive."""
        key = next((name for (_, name), one in self.arrays.items() if one is array), None)
        if key is None:
            key = f"constant_{len(self.arrays)}"
            self.arrays[self.archive, key] = array
        return tree.FileLit(self.archive, key), None


class FunctionTranslator:
    """One top-level function while it is translated."""

    def __init__(self, translation: Translation, state: State) -> None:
        self.translation = translation
        self.state = state
        self.typed = state.typed
        self.pure = translation.pure
        self.to = Emitter(FreshNames(OPERATORS), translation.prim_funcs, pure=self.pure)
        self.variables: dict[relay.Var, Atom] = {}
        self.aliases: dict[relay.Var, relay.Expr] = {}
        """Polymorphic values that `let` binds: translated anew where they are used."""
        self.graph: dict[relay.GraphBind, Atom] = {}
        self.pending: dict[object, list[relay.GraphBind]] = {}
        """Graph nodes that only one branch, clause or function uses: they are bound at its beginning."""
        self.known: Known = {}
        self.here: object = None
        """The branch, clause or function that is translated."""

    # -- types ---------------------------------------------------------------------------------------------

    def type(self, node: Any) -> Type:
        """Return the type of a node in this instance."""
        return resolved(substitute(self.typed.types[node], dict(self.known)))

    def info(self, node: Any) -> tree.StructInfo:
        """Return the struct info of a node in this instance."""
        return any_info(self.type(node), pure=self.pure)

    # -- functions -----------------------------------------------------------------------------------------

    def function(
        self, node: relay.Function, name: tree.GlobalVar | None, known: Known | None = None
    ) -> tree.Function:
        """Translate a function."""
        outer = self.known
        self.known = {**outer, **(known or {})}
        to = self.to
        params: list[tree.Var] = []
        for param in node.params:
            shown = to.fresh(local_name(param.var.name))
            info = any_info(self.type(param.var), to.names, pure=self.pure)
            params.append(tree.Var(shown, info, param.pos, param.end))
            self.variables[param.var] = Atom(tree.Var(shown, None), info)
        whole = find_type(self.type(node))
        assert isinstance(whole, Func)
        to.open()
        value = self.region(node, node.body)
        body = to.close(value)
        self.known = outer
        result = any_info(substitute(whole.result, dict(known or {})), pure=self.pure)
        purity = None if self.pure else "impure"
        return tree.Function(name, False, purity, tuple(params), result, (), body, node.pos, node.end)

    # -- expressions ---------------------------------------------------------------------------------------

    def expr(self, node: relay.Expr) -> Atom:
        """Translate an expression to an atom; its calls are bound."""
        place = self.to.place
        self.to.place = (node.pos, node.end)
        made = _installed[0][type(node)](self, node)
        self.to.place = place
        return made

    def region(self, region: object, body: relay.Expr) -> Atom:
        """Translate a branch, the body of a clause or of a function, with the graph nodes that only it uses."""
        outer, self.here = self.here, region
        for binding in self.pending.get(region, ()):
            self.graph[binding] = self.expr(binding.value)
        made = self.expr(body)
        self.here = outer
        return made

    def refuse(self, node: relay.Expr, reason: str) -> Atom:
        """Report what has no translation."""
        from relax_lang.relay.diagnostics.running import not_translated  # only where something is wrong

        self.translation.diagnostics.append(not_translated(node, reason))
        return Atom(tree.Var("refused", None), self.info(node))  # there will be no module

    def instance_of(self, node: relay.Var | relay.GlobalVar, scheme: Scheme) -> Known:
        """Return the types in place of the parameters of a polymorphic function at a use."""
        fresh = self.typed.instances.get(node, [])
        known: Known = {}
        for param, one in zip(scheme.quantified, fresh, strict=False):
            made = resolved(substitute(one, dict(self.known)))
            for free in unknowns(made):  # nothing depends on it: any type will do
                free.target = UNIT
            known[param] = resolved(made)
        return known


def _defs(analysed: Analysed) -> list[relay.Def]:
    return [item for item in analysed.parsed.tree.items if isinstance(item, relay.Def)]


def _any_types(scheme: Scheme) -> Known | None:
    """Return types for the parameters of a function whose arguments do not depend on them; None if they do.

    Any types will do: `def @main() { Nil }` gives a list of whatever there is.
    """
    known: Known = dict.fromkeys(scheme.quantified, UNIT)
    if not known:
        return known
    value = find_type(scheme.type)
    fresh: dict[Param, object] = {one: Unknown(0, one.kind) for one in known}
    assert isinstance(value, Func)
    if any(one.kind != TYPE for one in known) or any(
        unknowns(substitute(one, fresh)) for one in value.params
    ):
        return None
    return known


def _has_effects(item: relay.Def) -> bool:
    from relax_lang.base.node import walk

    return any(isinstance(node, relay.RefNew | relay.RefRead | relay.RefWrite) for node in walk(item)) or any(
        isinstance(node, relay.Match) and not node.total for node in walk(item)
    )


def local_name(name: str) -> str:
    """Return what a local variable is called in Relax."""
    return name.replace("/", "_") or "x"


def _word(shown: str) -> str:
    words = "".join([char if char.isalnum() else "_" for char in shown])
    return "_".join([part for part in words.split("_") if part])[:40]
