"""What is known of one function of a document, and what that rests on.

Everything here is written once, when the function is analysed, and dropped as a whole when something it rests on is
no longer what it was.
"""

from __future__ import annotations

from relax_lang.base.node import same, structure, walk
from relax_lang.check.infer.context.info_index import InfoIndex
from relax_lang.check.phases import EXPLICIT_MEMORY
from relax_lang.format.printer import show
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.check.infer.context.module_state import Signature
    from relax_lang.check.infer.drivers.remembered import Memory
    from relax_lang.check.infer.effects import Effects
    from relax_lang.normalize.origins import Origins
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.stretches import Stretch
    from relax_lang.workspace.incremental.long_functions import LongFunction
    from relax_lang.workspace.incremental.mentions import Mentions


class Scope:
    """What the names of a function mean, what is wrong with its calls, and its normal form."""

    __slots__ = ("_called", "calls", "calls_key", "key", "long", "normal", "origins", "resolved", "told")

    def __init__(self, key: Hashable, resolved: Resolved, long: LongFunction | None = None) -> None:
        self.key = key
        self.long = long
        """What is known of the parts, if the function is long."""
        self.resolved = resolved
        self.calls: list[Diagnostic] = []
        self.calls_key: Hashable = None
        self.told = False
        """Whether something was reported of the results of a PrimFunc, which is reported at its first caller alone."""
        self.normal: tree.Function | None = None
        self.origins: Origins | None = None
        self._called: dict[tuple[str, ...], bool] = {}

    def names_operators(self, prefixes: tuple[str, ...]) -> bool:
        """Return whether the function calls an operator whose name begins so."""
        found = self._called.get(prefixes)
        if found is None:
            found = self._called[prefixes] = self.resolved.calls_operators(prefixes)
        return found


class Inference:
    """What inference found out about functions that reach each other, or about one function."""

    __slots__ = (
        "_defined",
        "_memory_findings",
        "_texts",
        "effects",
        "has_effects",
        "index",
        "inferred",
        "is_recursive",
        "key",
        "lints",
        "memory",
        "rests_on",
        "signatures",
        "tokens",
    )

    def __init__(self, inferred: Inferred) -> None:
        self.key: Hashable = None
        """The functions, and what else it rests on."""
        self.is_recursive = False
        self.rests_on: dict[Hashable, Hashable] = {}
        """What inference has used beside the functions themselves."""
        self.memory: Memory | None = None
        """What is known of the parts of a long function."""
        self.inferred = inferred
        self.signatures: dict[str, Signature] = {}
        self.effects: dict[tree.Function, Effects] = {}
        """The effects of each function in normal form."""
        self.tokens: dict[str, object] = {}
        """Name to an object that stays the same for as long as callers need not look again."""
        self.has_effects = False
        self.lints: dict[tree.Function, tuple[Hashable, list[Diagnostic]]] = {}
        """What lints have found in each function as written, and what that rests on beside this."""
        self.index: InfoIndex | None = None
        self._texts: dict[tree.StructInfo, str] = {}
        """Infos as they are shown, made when they are first asked for."""
        self._memory_findings: dict[tree.Function, list[Diagnostic]] = {}
        # Made here, in the thread of the analysis, so that no request has to wait.
        infos = inferred.infos
        self._defined = {(node.pos, node.end): info for node, info in reversed(infos.items())}

    def defined(self, span: Span) -> tree.StructInfo | None:
        """Return the info of the definition at a span; asks for less than `places`."""
        return self._defined.get(span)

    def info_of(self, span: Span) -> tree.StructInfo | None:
        """Return the info of the definition, use or value at a span."""
        return self._defined.get(span) or self.places().of(span)

    def shown(self, info: tree.StructInfo) -> str:
        """Return an info as text; written once."""
        text = self._texts.get(info)
        if text is None:
            text = self._texts[info] = show(info)
        return text

    def memory_findings(self, state: FunctionState, items: Mapping[str, tree.Item]) -> list[Diagnostic]:
        """Return what is wrong with the explicit memory of a function without errors; `items` are those it may call.

        Of these it depends on the PrimFuncs that the function mentions, on which this inference rests.
        """
        if not state.scope.names_operators(EXPLICIT_MEMORY):
            return []
        found = self._memory_findings.get(state.item)
        if found is None:
            from relax_lang.check.explicit_memory import (
                check_memory,
            )  # only for programs that are lowered so far

            assert state.scope.normal is not None
            called = [items[name] for name in state.mentions.globals if name in items]
            module = tree.IRModule(
                (), (state.scope.normal, *[one for one in called if type(one) is tree.PrimFunc])
            )
            found = self._memory_findings[state.item] = check_memory(module)
        return found

    def places(self) -> InfoIndex:
        """Return the infos by their places; made when they are first asked for."""
        if self.index is None:
            found = self.inferred
            self.index = InfoIndex(found.normal, found.infos, found.functions)
        return self.index


class FunctionState:
    """One function of a document at one version."""

    __slots__ = ("inference", "item", "mentions", "scope")

    def __init__(self, item: tree.Function, mentions: Mentions, scope: Scope) -> None:
        self.item = item
        self.mentions = mentions
        self.scope = scope
        self.inference: Inference | None = None


def memory_of(
    state: FunctionState,
    rests_on: Mapping[Hashable, Hashable],
    before: Mapping[Stretch, FunctionState],
) -> Memory | None:
    """Return what is known of the parts of a long function, from an inference before that rests on the same."""
    scope = state.scope
    if scope.long is None or scope.normal is None:
        return None
    found = next((before[one] for one in scope.long.parts if one in before), None)
    known = None if found is None else found.inference
    if known is not None:
        then = known.rests_on
        if any(then[one] != now for one, now in rests_on.items() if one in then):
            known = None
    return scope.long.inferring(scope.normal, None if known is None else known.memory)


def same_signature(left: Signature, right: Signature, effects: tuple[Effects, Effects]) -> bool:
    """Return whether callers see no difference: also the places that their messages point to are the same."""
    before, now = effects
    return (
        left.complete == right.complete
        and left.trust == right.trust
        and left.runs_host_code == right.runs_host_code
        and before.place == now.place
        and before.n_open == now.n_open
        and left.node.purity == right.node.purity
        and same(left.info, right.info)
        and _head(left.node) == _head(right.node)
    )


def _head(function: tree.Function) -> tuple[Hashable, ...]:
    """Return the structure of everything but the body, with its places."""
    parts = [function.name, *function.params, function.ret_struct_info]
    places = [(node.pos, node.end) for part in parts if part is not None for node in walk(part)]
    return (function.pos, *places, *[structure(part) for part in parts if part is not None])


def same_findings(left: Resolved, right: Resolved) -> bool:
    """Return whether name resolution said the same twice; of one tree it then has also understood the same."""
    return [_words(one) for one in left.diagnostics] == [_words(one) for one in right.diagnostics]


def _words(one: Diagnostic) -> Hashable:
    fixes = [(fix.title, *[(edit.pos, edit.end, edit.text) for edit in fix.edits]) for fix in one.fixes]
    labels = [(label.pos, label.end, label.message) for label in one.labels]
    return (
        one.code,
        one.pos,
        one.end,
        one.message,
        one.primary,
        one.help,
        one.severity,
        *one.notes,
        *labels,
        *fixes,
        repr(one.data),
    )
