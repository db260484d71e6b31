"""The state of inference: of the module, and of the top-level function that is being derived.

Only data, and the opening and closing of scopes. Names are unique in a top-level function of the normal form, so one
table of infos serves all its scopes; what a scope bound is taken out again when it ends.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.check.infer.scoped_infos import Both, Without
from relax_lang.struct_info.bound_variables import bare_names, names_in, rename_binders
from relax_lang.struct_info.context import NO_FACTS, REJECTED, Context
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any, Protocol

    from relax_lang.arith.facts import Facts
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.inferred import Inferred
    from relax_lang.check.infer.purity import Effects, Purity
    from relax_lang.check.infer.source_index import Index
    from relax_lang.normalize.origins import Origins
    from relax_lang.syntax.parser import Parsed

    Info = tree.StructInfo
    Derived = tuple[Info, int]
    """The info of a value, and its provenance: PROVEN, INVALIDATED or ASSUMED."""
    Header = tuple[str, tuple[int, ...]]
    Headers = Mapping[tree.FileLit, Header]

    class Memory(Protocol):
        """What is known from before of parts of a long function; see `remembered`."""

        function: tree.Function

        def all_names(self) -> set[str]:
            """Return the names of all shape variables that the function mentions."""
            ...

        def quiet(self) -> set[tree.Binding]:
            """Return the bindings that have no effects for certain, and bind nothing that can be called."""
            ...

        def begin(self, state: State) -> None:
            """Note what the parameters have."""
            ...

        def derive(
            self,
            state: State,
            bindings: Sequence[tree.Binding],
            each: Callable[[State, tree.Binding], None],
        ) -> None:
            """Derive the bindings of a block of the function itself; `each` derives one."""
            ...

        def end(self, state: State) -> None:
            """Keep what variables have at the end of the function."""
            ...


# The provenance of an info: where it comes from, and so how far it can be relied on. A value that is made of others
# has the greatest of theirs.
PROVEN: int = 0
"""It follows from checks and rules: the value is what its info says."""
INVALIDATED: int = 1
"""It was proven before host code ran, which can give an array another shape in place."""
ASSUMED: int = 2
"""The program claims it of the result of a packed function, and nothing checks that. [ERR.13]"""


class Signature:
    """The signature of a function for its callers, and how far it can be relied on.

    `complete`: the parameters in `info` are all that is checked at a call. `trust`: the provenance of the result.
    `runs_host_code`: whether a call may run host code. `node` is the function itself.
    """

    __slots__ = ("complete", "info", "names", "node", "runs_host_code", "trust")

    def __init__(self, info: Info, node: tree.Function, complete: bool = True) -> None:
        self.info = info
        self.node = node
        self.complete = complete
        self.trust = PROVEN
        self.runs_host_code = True
        self.names: set[str] | None = None
        """The shape variables in `info`; filled when they are first needed."""


class ModuleState:
    """The state of the whole module."""

    __slots__ = (
        "_callees",
        "_purity",
        "_rejected",
        "_settled",
        "branches",
        "constants",
        "doubted",
        "features",
        "has_host",
        "headers",
        "index",
        "inferred",
        "items",
        "memory",
        "origins",
        "recursive",
        "signatures",
        "sure",
        "text",
        "written",
    )

    def __init__(
        self,
        items: Mapping[str, tree.Item],
        inferred: Inferred,
        rejected: AbstractSet[Node],
        headers: Headers,
        written: tree.IRModule,
        parsed: Parsed,
        origins: Origins,
        settled: Mapping[tree.Function, Effects] | None = None,
    ) -> None:
        self.items = items
        """The functions and prim_funcs of the module by name, in normal form."""
        self.inferred = inferred
        self._rejected = rejected
        self.headers = headers
        """What is known of constants in files. [CF.1]"""
        self.written = written
        self.features = parsed.features
        self.has_host = self.features.packed or self.features.tir_externs
        """Whether packed functions can be called at all."""
        self.text = parsed.text
        """The module as written, and its text: for messages."""
        self.origins = origins
        """Maps the normal form back to the module as written."""
        self._callees: dict[tree.Call, tree.FuncStructInfo] = {}
        """Calls of values other than functions known by name, with their types. [P.8]"""
        self._purity: Purity | None = None
        self._settled = settled
        self.recursive: set[tree.Function] = set()
        """Functions as written, global and local, that call themselves, directly or through others."""
        self.sure: set[tree.Function] = set()
        """Functions with a call whose arguments certainly fit."""
        self.doubted: set[tree.Function] = set()
        """Functions with a call whose arguments may not fit, or with a use as a value, whose callers are unknown."""
        self.signatures: dict[str, Signature] = {}
        """The signatures of functions so far. [D.12.1]"""
        self.constants: dict[Header, Info] = {}
        self.branches: dict[tree.If, tuple[Info, Info]] = {}
        """What the branches of an `if` have, where they differ: for messages."""
        self.index: Index | None = None
        """Statements and binders by their place in the text: made for the first message."""
        self.memory: Memory | None = None
        """What is known from before of parts of a long function."""

    def purity(self) -> Purity:
        """Return the effects of the functions, as far as their bodies were derived; only asked where they matter."""
        if self._purity is None:
            from relax_lang.check.infer.purity import (
                Purity,
            )  # for programs that use functions as values, or claim

            self._purity = Purity(
                self.inferred.normal, self.items, self._callees, self.origins, self._settled
            )
            if self.memory is not None:
                self._purity.quiet = self.memory.quiet()
        return self._purity

    def forget_purity(self) -> None:
        """Forget the effects of functions, because one of them grows."""
        self._purity = None

    def forget_text(self) -> None:
        """Give the text up, which only messages need: all of them have been made."""
        self.text = ""
        self.index = None
        if self._purity is not None:
            self._purity.forget_text()

    def note_callee(self, call: tree.Call, callee: tree.FuncStructInfo) -> None:
        """Note the type of a callee that is not a function known by name. [P.8]"""
        self._callees[call] = callee
        if self._purity is not None:
            self._purity.type_is_known(call)

    def take_over(self, other: ModuleState, functions: Iterable[tree.Function]) -> None:
        """Take over what is known of functions that this module has in common with another."""
        before, now = other.inferred, self.inferred
        for function in functions:
            assert function.name is not None
            name = function.name.name_hint
            self.signatures[name] = other.signatures[name]
            now.signatures[name] = before.signatures[name]
            for node in walk(function):
                info = before.infos.get(node)
                if info is not None:
                    now.infos[node] = info
                if node in before.proved and node is not function:
                    now.proved.add(node)
                if type(node) is tree.Call and node in other._callees:
                    self._callees[node] = other._callees[node]

    def is_rejected(self, call: tree.Call) -> bool:
        """Return whether the number of arguments or an attribute is wrong, which was reported. [OP.2] [OP.4]"""
        return bool(self._rejected) and self.origins.call(call) in self._rejected

    def is_recursive(self, function: tree.Function) -> bool:
        """Return whether a function calls itself, directly or through others. [W.7]"""
        return self.origins.function(function) in self.recursive

    def n_noted(self) -> tuple[int, ...]:
        """Return how much was noted of the module beside infos: it tells whether a binding has noted something."""
        return len(self.inferred.diagnostics), len(self._callees), len(self.branches)

    def report(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic."""
        self.inferred.diagnostics.append(diagnostic)


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
        "binders",
        "context",
        "epoch",
        "epochs",
        "function",
        "in_dataflow",
        "infos",
        "known",
        "literals",
        "module",
        "n_facts",
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
        self.untrusted: dict[str, int] = {}
        """Variables whose info was not PROVEN when they were bound, with its provenance."""
        self.in_dataflow = False
        """Whether bindings of a dataflow block are derived, whose order means nothing."""
        self.rests_on_invalidated = False
        """Whether a fact was taken from an INVALIDATED value: nothing is proved from there on."""
        self.epoch = 0
        """How often host code may have run so far: it can give an array another shape in place."""
        self.epochs: dict[str, int] = {}
        """The epoch in which each variable got its value."""
        self.n_facts = 0
        """How many facts were given to the prover."""
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
