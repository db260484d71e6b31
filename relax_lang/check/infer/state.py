"""What inference knows while it walks: of the module, and of the top-level function in work.

Only data, and the opening and closing of scopes. Names are unique in a top-level function of the normal form, so one
table of infos serves all its scopes; what a scope bound is taken out again when it ends.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.struct_info.bound_variables import bare_names, names_in, rename_binders
from relax_lang.struct_info.context import NO_FACTS, REJECTED, Context
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from relax_lang.arith.facts import Facts
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.check.infer.inferred import Inferred
    from relax_lang.check.infer.messages.source_index import Index
    from relax_lang.check.infer.rejected import Errors
    from relax_lang.check.purity import Effects

    Info = tree.StructInfo
    Header = tuple[str, tuple[int, ...]]
    Headers = Mapping[tree.FileLit, Header]


PROVEN: int = 0
"""The value is what its info says."""
INVALIDATED: int = 1
"""It was so before code of the host ran, which can give an array another shape in place."""
ASSUMED: int = 2
"""A packed function is said to return it. [ERR.13]"""


class Signature:
    """What callers know of a function: its info, and how far that can be relied on.

    `complete`: the parameters say all that is checked when it is called. `trust`: that of the result. `hosts`: whether
    it may run code of the host. `node` is the function itself.
    """

    __slots__ = ("complete", "hosts", "info", "names", "node", "trust")

    def __init__(self, info: Info, node: tree.Function, complete: bool = True) -> None:
        self.info = info
        self.node = node
        self.complete = complete
        self.trust = PROVEN
        self.hosts = True
        self.names: set[str] | None = None
        """Shape variables in it."""


class ModuleState:
    """What inference knows of the whole module."""

    __slots__ = (
        "_effects",
        "callees",
        "constants",
        "doubted",
        "errors",
        "has_host",
        "headers",
        "index",
        "inferred",
        "items",
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
        errors: Errors,
        headers: Headers,
        written: tree.IRModule,
        text: str,
        effects: Callable[[], Effects],
    ) -> None:
        self.items = items
        """The functions and prim_funcs of the module by name, in normal form."""
        self.inferred = inferred
        self.errors = errors
        """What earlier phases reported, so that nothing follows from it. [Z.5]"""
        self.headers = headers
        """What is known of constants in files. [CF.1]"""
        self.written = written
        self.has_host = "extern" in text or "PackedFunc" in text
        """Whether packed functions can be called at all."""
        self.text = text
        """The module as written, and its text: for messages."""
        self._effects = effects
        self.callees = inferred.callees
        """Calls by their places, and whether the callee is pure, where only its type tells. [P.8]"""
        self.recursive: set[Span] = set()
        """The places of functions, global and local, that call themselves, directly or through others."""
        self.sure: set[tree.Function] = set()
        """Functions with a call whose arguments certainly fit."""
        self.doubted: set[tree.Function] = set()
        """Functions with a call whose arguments may not fit, or with a use that hides who calls them."""
        self.signatures: dict[str, Signature] = {}
        """What is known of functions so far. [D.12.1]"""
        self.constants: dict[Header, Info] = {}
        self.index: Index | None = None
        """Where things stand in the text: made for the first message."""

    def is_pure(self, function: tree.Function) -> bool:
        """Tell whether a function is pure; only asked where one is used as a value. [P.5-P.7]"""
        effects = self._effects()
        effects.settle(self.callees)
        self.callees.clear()
        return effects.is_pure((function.pos, function.end))

    def is_recursive(self, function: tree.Function) -> bool:
        """Tell whether a function calls itself, directly or through others. [W.7]"""
        return (function.pos, function.end) in self.recursive

    def report(self, diagnostic: Diagnostic) -> None:
        """Note what does not fit."""
        self.inferred.diagnostics.append(diagnostic)


class Marks:
    """Where a scope began."""

    __slots__ = ("facts", "shape_vars", "variables")

    def __init__(self, variables: int, shape_vars: int, facts: Facts) -> None:
        self.variables = variables
        self.shape_vars = shape_vars
        self.facts = facts


class State:
    """The top-level function in work.

    `context` is what infos are read against; its tables are those of this object and change with the scopes.
    `trust` says how far the info of the expression just derived can be relied on: PROVEN, INVALIDATED or ASSUMED.
    """

    __slots__ = (
        "_entered",
        "_fresh",
        "_names",
        "_shape_trail",
        "_trail",
        "assume",
        "binders",
        "context",
        "doubts",
        "epoch",
        "epochs",
        "function",
        "guesses",
        "infos",
        "known",
        "literals",
        "module",
        "shape_vars",
        "trust",
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
        """What variables are bound to, where conditions may speak of it."""
        self.literals: dict[str, Signature] = {}
        """Variables that are bound to a function literal."""
        self.doubts: dict[str, int] = {}
        """Variables whose info cannot be relied on, and why."""
        self.trust = PROVEN
        self.guesses = False
        """Whether facts were assume of a value that is INVALIDATED: nothing is proved from there on."""
        self.epoch = 0
        """How often code of the host may have run so far: it can give an array another shape in place."""
        self.epochs: dict[str, int] = {}
        """The epoch in which each variable got its value."""
        self.assume = 0
        self._trail: list[str] = []
        self._shape_trail: list[str] = []
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
        variables: Any = _Both(left, self.infos) if left else self.infos
        return Context(shape_vars, variables, self.known, facts), self.context

    def peek(self, marks: Marks) -> tuple[Context, Context]:
        """Return the contexts that `close` would, and leave the scope open."""
        gone = self._shape_trail[marks.shape_vars :]
        variables: Any = _Without(self.infos, frozenset(self._trail[marks.variables :]))
        return self.context, Context(self.shape_vars.difference(gone), variables, self.known, marks.facts)

    def set_facts(self, facts: Facts) -> None:
        """Go on with other facts."""
        if facts is not self.context.facts:
            self.context = Context(self.shape_vars, self.infos, self.known, facts)

    def bind(self, var: tree.Binder, info: Info, trust: int = PROVEN) -> None:
        """Make a variable known. [D.8.2.4] [S.21]"""
        self.module.inferred.infos[var] = info
        name = var.name_hint
        if name == "_":
            return
        if name not in self.infos:
            self._trail.append(name)
        self.infos[name] = info
        self.binders[name] = var
        self.epochs[name] = self.epoch
        if trust:
            self.doubts[name] = trust

    def trust_in(self, name: str) -> int:
        """Tell how far the info of a variable can be relied on by now. [D.14]"""
        return self.doubts.get(name) or (INVALIDATED if self.epochs.get(name, 0) < self.epoch else PROVEN)

    @property
    def is_sure(self) -> bool:
        """Whether what was just derived proves anything about a run. [D.14]"""
        return self.trust == PROVEN and not self.guesses

    def left_to_others(self) -> None:
        """Note that code runs from here that may be the host's."""
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
        if self._names is None:
            self._names = {node.name for node in walk(self.function) if type(node) is tree.PrimVar}
        return self._names

    @property
    def fresh(self) -> FreshNames:
        """Gives names that the function mentions nowhere."""
        if self._fresh is None:
            self._fresh = FreshNames(self.all_names)
        return self._fresh

    def enter(self, info: Info) -> Info:
        """Return an info from elsewhere, so that no binder in it is taken for a name of this function. [S.16]"""
        if type(info) in _WITHOUT_BINDERS or info is REJECTED:
            return info
        names = names_in([info]).difference(self.shape_vars)
        return (
            info
            if names.isdisjoint(self.all_names)
            else rename_binders(info, self.shape_vars, self.all_names)
        )

    def signature_of(self, name: str) -> tuple[Signature, Info] | None:
        """Return what is known of a global function, and its info in terms of this function."""
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


class _Both:
    """Two tables of infos seen as one; names are unique."""

    __slots__ = ("first", "second")

    def __init__(self, first: dict[str, Info], second: dict[str, Info]) -> None:
        self.first = first
        self.second = second

    def get(self, name: str, default: Info | None = None) -> Info | None:
        found = self.first.get(name)
        return self.second.get(name, default) if found is None else found

    def __contains__(self, name: object) -> bool:
        return name in self.first or name in self.second


class _Without:
    """A table of infos but for some names."""

    __slots__ = ("infos", "names")

    def __init__(self, infos: dict[str, Info], names: frozenset[str]) -> None:
        self.infos = infos
        self.names = names

    def get(self, name: str, default: Info | None = None) -> Info | None:
        return default if name in self.names else self.infos.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self.infos and name not in self.names


_WITHOUT_BINDERS = frozenset((tree.TensorStructInfo, tree.ShapeStructInfo, tree.ObjectStructInfo))
