"""The state of inference that is of the whole module, and the provenance of what is inferred."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any, Protocol, TypeVar

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.check.infer.context.source_index import Index
    from relax_lang.check.infer.effects import Effects
    from relax_lang.check.infer.purity import Purity
    from relax_lang.normalize.origins import Origins
    from relax_lang.syntax.parser import Parsed

    Info = tree.StructInfo
    Derived = tuple[Info, int]
    """The info of a value, and its provenance: PROVEN, INVALIDATED or ASSUMED."""
    Header = tuple[str, tuple[int, ...]]
    Headers = Mapping[tree.FileLit, Header]

    S_contra = TypeVar("S_contra", contravariant=True)
    """The state of one function, which knows this module and not the reverse: `state.State`."""

    class Memory(Protocol[S_contra]):
        """What is known from before of parts of a long function; see `remembered`."""

        function: tree.Function

        def all_names(self) -> set[str]:
            """Return the names of all shape variables that the function mentions."""
            ...

        def quiet(self) -> set[tree.Binding]:
            """Return the bindings that have no effects for certain, and bind nothing that can be called."""
            ...

        def begin(self, state: S_contra) -> None:
            """Note what the parameters have."""
            ...

        def derive(
            self,
            state: S_contra,
            bindings: Sequence[tree.Binding],
            each: Callable[[Any, tree.Binding], None],
        ) -> None:
            """Derive the bindings of a block of the function itself; `each` derives one."""
            ...

        def end(self, state: S_contra) -> None:
            """Keep what variables have at the end of the function."""
            ...


# The provenance of an info: where it comes from, and so how far it can be relied on. A value that is made of others
# has the greatest of theirs.
PROVEN: int = 0
"""It follows from checks and rules: the value fits its info."""
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
        self.memory: Memory[Any] | None = None
        """What is known from before of parts of a long function."""

    def purity(self) -> Purity:
        """Return the effects of the functions, as far as their bodies were derived; only asked where they matter."""
        if self._purity is None:
            # For programs that use functions as values, or claim to be pure.
            from relax_lang.check.infer.purity import Purity

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
        self._callees.setdefault(call, callee)
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
        """Return how much was noted of the module beside infos; a difference means that a binding noted something."""
        return len(self.inferred.diagnostics), len(self._callees), len(self.branches)

    def report(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic."""
        self.inferred.diagnostics.append(diagnostic)
