"""The state of inference of the top-level function that is being derived; `module_state` has that of the module.

Only data, and the opening and closing of scopes. Names are unique in a top-level function of the normal form, so one
table of infos serves all its scopes; what a scope bound is taken out again when it ends.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.check.infer.context.module_state import INVALIDATED, PROVEN
from relax_lang.check.infer.context.repeated_calls import RepeatedCalls
from relax_lang.check.infer.context.scoped_infos import Both, Without
from relax_lang.struct_info.bound_variables import bare_names, names_in, rename_binders
from relax_lang.struct_info.context import NO_FACTS, REJECTED, Context
from relax_lang.struct_info.scope_erasure import Mentions
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from relax_lang.arith.facts import Facts
    from relax_lang.check.infer.context.module_state import Info, ModuleState, Signature


class Marks:
    """Where a scope began."""

    __slots__ = ("facts", "shape_vars", "variables")

    def __init__(self, variables: int, shape_vars: int, facts: Facts) -> None:
        self.variables = variables
        self.shape_vars = shape_vars
        self.facts = facts


class State:
    """The top-level function that is being derived.

    Infos are read against `context`; its tables are those of this object and change with the scopes.
    """

    __slots__ = (
        "_entered",
        "_fresh",
        "_names",
        "_shape_trail",
        "_trail",
        "asks_for_names",
        "believes",
        "binders",
        "buffer_types",
        "context",
        "epoch",
        "epochs",
        "first_finding",
        "function",
        "in_dataflow",
        "infos",
        "known",
        "literals",
        "mentions",
        "misannotated",
        "module",
        "n_facts",
        "repeated_calls",
        "rests_on_invalidated",
        "shape_vars",
        "untrusted",
        "values",
    )

    def __init__(self, module: ModuleState, function: tree.Function) -> None:
        self.module = module
        self.function = function
        self.infos: dict[str, Info] = {}
        """Variables in scope. [D.2]"""
        self.known: dict[str, tree.Expr] = {}
        self.shape_vars: set[str] = set()
        self.context = Context(self.shape_vars, self.infos, self.known, NO_FACTS)
        self.binders: dict[str, tree.Binder] = {}
        """Definitions, for messages."""
        self.values: dict[str, tree.Expr] = {}
        """Calls that variables are bound to, because conditions are read through them."""
        self.literals: dict[str, Signature] = {}
        """Variables that are bound to a function literal."""
        self.mentions = Mentions()
        """What infos mention that leave scopes."""
        self.misannotated: dict[str, Info] = {}
        """Variables whose annotation was reported as wrong, with the info of their values."""
        self.untrusted: dict[str, int] = {}
        """Variables whose info was not PROVEN when they were bound, with its provenance."""
        self.in_dataflow = False
        """Whether bindings of a dataflow block are derived, whose order means nothing."""
        self.believes = True
        """Whether facts are taken from INVALIDATED values: for messages, not for proofs; see `rules/functions`."""
        self.rests_on_invalidated = False
        """Whether a fact was taken from an INVALIDATED value: this derivation proves nothing from there on."""
        self.epoch = 0
        """How often host code may have run so far: it can give an array another shape in place."""
        self.epochs: dict[str, int] = {}
        """The epoch in which each variable got its value."""
        self.n_facts = 0
        """How many facts were given to the prover."""
        self.first_finding = len(module.inferred.diagnostics)
        """How many things were found before this function."""
        self.repeated_calls = RepeatedCalls()
        self.buffer_types: dict[tree.PrimFunc, tuple[int, tree.FuncStructInfo]] = {}
        """PrimFuncs without scalars as function types whose binders are apart from so many names."""
        self._trail: list[str] = []
        self._shape_trail: list[str] = []
        self.asks_for_names = False
        """Whether the names of all shape variables were asked for; `remembered` notes for which bindings."""
        self._names: set[str] | None = None
        self._fresh: FreshNames | None = None
        self._entered: dict[str, Info] = {}

    # Scopes.

    def open(self) -> Marks:
        """Begin a scope of variables and shape variables."""
        return Marks(len(self._trail), len(self._shape_trail), self.context.facts)

    def close(self, marks: Marks) -> tuple[Context, Context]:
        """End a scope; return the context inside it and the one outside. [D.7.4]"""
        left: dict[str, Info] = {}
        while len(self._trail) > marks.variables:
            name = self._trail.pop()
            left[name] = self.infos.pop(name)
        facts = self.context.facts
        shape_vars = self.shape_vars
        gone = self._shape_trail[marks.shape_vars :]
        if gone:
            shape_vars = self.shape_vars.copy()
            del self._shape_trail[marks.shape_vars :]
            self.shape_vars.difference_update(gone)
        self.set_facts(marks.facts)
        variables: Any = Both(left, self.infos) if left else self.infos
        return Context(shape_vars, variables, self.known, facts), self.context

    def peek(self, marks: Marks) -> tuple[Context, Context]:
        """Return the contexts that `close` would return, and leave the scope open."""
        gone = self._shape_trail[marks.shape_vars :]
        variables: Any = Without(self.infos, frozenset(self._trail[marks.variables :]))
        return self.context, Context(self.shape_vars.difference(gone), variables, self.known, marks.facts)

    def set_facts(self, facts: Facts) -> None:
        """Continue with other facts."""
        if facts is not self.context.facts:
            self.context = Context(self.shape_vars, self.infos, self.known, facts)

    def bind(self, var: tree.Binder, info: Info, trust: int = PROVEN) -> None:
        """Bring a variable into scope with its info. [D.8.2.4] [S.21]"""
        self.module.inferred.infos[var] = info
        name = var.name_hint
        if name == "_":
            return
        if name not in self.infos:
            self._trail.append(name)
        self.infos[name] = info
        self.binders[name] = var
        self.epochs[name] = self.epoch
        if trust != PROVEN:
            self.untrusted[name] = trust

    def take_over(self, tables: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Bring variables into scope whose entries in tables are known."""
        for name, entries in tables:
            getattr(self, name).update(entries)
            if name == "infos":
                self._trail += entries

    def trust_in(self, name: str) -> int:
        """Return the present provenance of a variable's info. [D.14]"""
        return self.untrusted.get(name) or (INVALIDATED if self.epochs.get(name, 0) < self.epoch else PROVEN)

    def proves(self, trust: int) -> bool:
        """Return whether a check on an info of this provenance also succeeds in every run. [D.14]"""
        return trust == PROVEN and not self.rests_on_invalidated

    def host_code_may_run(self) -> None:
        """Note that host code may run here: what is known of arrays so far can change."""
        if self.module.has_host:
            self.epoch += 1

    def bind_shapes(self, infos: Iterable[Info]) -> list[str]:
        """Bring new bare names of annotations into scope; return them. [D.8.1] [D.8.3.2]"""
        new = [name for name in bare_names(infos) if name not in self.shape_vars]
        if new:
            self.shape_vars.update(new)
            self._shape_trail += new
        return new

    # Infos from elsewhere.

    @property
    def all_names(self) -> set[str]:
        """All shape variables that the function ever mentions."""
        self.asks_for_names = True
        if self._names is None:
            memory = self.module.memory
            if memory is not None and memory.function is self.function:
                self._names = memory.all_names()
            else:
                self._names = {node.name for node in walk(self.function) if type(node) is tree.PrimVar}
        return self._names

    @property
    def known_names(self) -> set[str] | None:
        """All shape variables that the function ever mentions; None if nothing has asked for them."""
        return self._names

    def mention(self, names: Iterable[str]) -> None:
        """Note shape variables of a function that grows while it is derived."""
        self.all_names.update(names)
        if self._fresh is not None:
            for name in names:
                self._fresh.take(name)

    @property
    def fresh(self) -> FreshNames:
        """Gives names that the function mentions nowhere."""
        if self._fresh is None:
            self._fresh = FreshNames(self.all_names)
        return self._fresh

    def enter(self, info: Info) -> Info:
        """Return an info from elsewhere with its binders renamed apart from the names of this function. [S.16]"""
        if type(info) in _WITHOUT_BINDERS or info is REJECTED:
            return info
        names = names_in([info]).difference(self.shape_vars)
        return (
            info
            if names.isdisjoint(self.all_names)
            else rename_binders(info, self.shape_vars, self.all_names)
        )

    def signature_of(self, name: str) -> tuple[Signature, Info] | None:
        """Return the signature of a global function, and its info with binders renamed apart from this function."""
        signature = self.module.signatures.get(name)
        if signature is None:
            return None
        info = self._entered.get(name)
        if info is None:
            if signature.names is None:
                signature.names = names_in([signature.info])
            info = signature.info
            if not signature.names.isdisjoint(self.all_names):
                info = rename_binders(info, frozenset(), self.all_names)
            if signature.node is not self.function:
                self._entered[name] = info
        return signature, info


_WITHOUT_BINDERS = frozenset(
    (tree.TensorStructInfo, tree.ShapeStructInfo, tree.PrimStructInfo, tree.ObjectStructInfo)
)
