"""Inference over the functions of a document: callees first, each only if what it rests on is something else. [T.K1]"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.check.infer.context.inferred import Inferred
from relax_lang.check.infer.context.module_state import ModuleState
from relax_lang.check.infer.drivers.module import derive_component
from relax_lang.check.recursion import components, graph_of
from relax_lang.normalize.normalize import normalize
from relax_lang.normalize.origins import Origins
from relax_lang.syntax import tree
from relax_lang.syntax.parser import Parsed
from relax_lang.workspace.incremental.function_state import Inference, memory_of, same_signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.module_state import Signature
    from relax_lang.check.infer.effects import Effects
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.parsed import Features, Losses
    from relax_lang.syntax.stretches import Stretch
    from relax_lang.syntax.tree import FileLit
    from relax_lang.workspace.incremental.function_state import FunctionState


class Named:
    """The functions of a document, of which the names are known: what inference starts with."""

    __slots__ = ("by_stretch", "features", "functions", "headers", "losses", "module", "padded")

    def __init__(
        self,
        functions: dict[tree.Function, FunctionState],
        module: Resolved,
        losses: Losses,
        features: Features,
    ) -> None:
        self.functions = functions
        self.module = module
        self.losses = losses
        self.features = features
        self.padded = ""
        """The text, with every character at its address."""
        self.by_stretch: dict[Stretch, FunctionState] = {}
        """The functions that parts of long ones are of."""
        self.headers: dict[FileLit, tuple[str, tuple[int, ...]]] = {}
        """What is known of arrays in files."""


class Derivation:
    """The inference of one analysis, which takes over what still holds of the one before."""

    def __init__(self, named: Named, prim_funcs: set[tree.PrimFunc], before: Derivation | None) -> None:
        self.inferences: list[Inference] = []
        """What inference came to, callees before callers."""
        self.signatures: dict[str, Signature] = {}
        self.normal_items: dict[str, tree.Item] = {}
        """The PrimFuncs without mistakes and the functions in normal form, by name."""
        self.tokens: dict[str, object] = {}
        """Name of a function to an object that is the same for as long as callers see no difference."""
        self.settled: dict[tree.Function, Effects] = {}
        self.n_derived = 0
        """How many functions were derived again."""
        self.named = named
        self._before = before
        self._prim_funcs: dict[str, tree.PrimFunc] = {}
        """The PrimFuncs without mistakes."""
        features = named.features
        computed = any(state.scope.resolved.computed for state in named.functions.values())
        self._has_rules = features.dataflow or features.purity or computed
        """Whether effects are not allowed somewhere."""
        self._rests_on_all: dict[Hashable, Hashable] = {
            "effects": self._has_rules,
            "host code": features.packed or features.tir_externs,
            "externs": features.tir_externs,
        }
        for name, item in named.module.globals.items():
            if isinstance(item, tree.PrimFunc) and item in prim_funcs:
                self.normal_items[name] = self._prim_funcs[name] = item

    def run(self) -> list[Diagnostic]:
        """Derive all functions; return what does not fit."""
        functions, module = self.named.functions, self.named.module
        found: list[Diagnostic] = []
        recursive: set[tree.Item] = set()
        order: list[list[tree.Item]] = [[item] for item in functions]
        if any(module.references.values()):
            graph = graph_of(module)
            order = components(graph)
            for together in order:
                if len(together) > 1 or together[0] in graph.get(together[0], ()):
                    recursive.update(together)
        for together in order:
            here = [one for one in together if isinstance(one, tree.Function) and one in functions]
            if here:
                states = [functions[one] for one in here]
                found += self._component(states, is_recursive=bool(recursive.intersection(together)))
        self._before = None
        return found

    def _component(self, states: list[FunctionState], *, is_recursive: bool) -> list[Diagnostic]:
        """Derive functions that reach each other, or take over what is known of them."""
        checkpoint()
        named = self.named
        for state in states:
            if state.scope.normal is None:
                _normalize(state)
        first = states[0].inference
        if first is None or not self._holds(first, states, is_recursive=is_recursive):
            rests_on = self._rests_on(states)
            key = is_recursive, tuple([state.scope for state in states]), tuple(rests_on.items())
            if first is None or first.key != key or any(state.inference is not first for state in states):
                first = self._derive(states, rests_on, is_recursive=is_recursive)
                first.key, first.is_recursive = key, is_recursive
            for state in states:
                state.inference = first
        self.inferences.append(first)
        self.signatures |= first.signatures
        self.settled |= first.effects
        self.tokens |= first.tokens
        for state in states:
            name = state.item.name
            if name is not None and named.module.globals.get(name.name_hint) is state.item:
                self.normal_items[name.name_hint] = _normal(state)
        return first.inferred.diagnostics

    def _holds(self, known: Inference, states: list[FunctionState], *, is_recursive: bool) -> bool:
        """Return whether an inference rests on nothing that has changed. Asks for less than `_rests_on`."""
        before = self._before
        if before is None or self._rests_on_all != before._rests_on_all:
            return False
        if known.is_recursive != is_recursive or len(known.signatures) != len(states):
            return False
        globals_, tokens, then = self.named.module.globals, self.tokens, before.tokens
        for state in states:
            if state.inference is not known or state.mentions.files or state.item.name is None:
                return False
            if globals_.get(state.item.name.name_hint) is not state.item:
                return False
            for name in state.mentions.globals:
                if name not in known.signatures and (
                    tokens.get(name) is not then.get(name)
                    or self._prim_funcs.get(name) is not before._prim_funcs.get(name)
                ):
                    return False
        return True

    def _rests_on(self, states: list[FunctionState]) -> dict[Hashable, Hashable]:
        """Return what inference uses beside the functions themselves: features, headers of arrays, other items."""
        named = self.named
        own = {state.item for state in states}
        found = dict(self._rests_on_all)
        for state in states:
            found.update({one: named.headers.get(one) for one in state.mentions.files})
            for name in state.mentions.globals:
                item = named.module.globals.get(name)
                if item not in own:
                    is_known = isinstance(item, tree.PrimFunc) and name in self.normal_items
                    found["@" + name] = self.tokens.get(name), item if is_known else None
        return found

    def _derive(
        self, states: list[FunctionState], rests_on: dict[Hashable, Hashable], *, is_recursive: bool
    ) -> Inference:
        named = self.named
        self.n_derived += len(states)
        normals: list[tree.Function] = []
        origins = Origins()
        rejected: set[Node] = set()
        # What is kept refers to what the functions mention and to nothing else, or it would keep whole old versions.
        mentioned = {name for state in states for name in state.mentions.globals}
        items = {name: self.normal_items[name] for name in mentioned if name in self.normal_items}
        signatures = {name: self.signatures[name] for name in mentioned if name in self.signatures}
        callees = [*items.values(), *[signature.node for signature in signatures.values()]]
        settled = {
            one: self.settled[one]
            for one in callees
            if isinstance(one, tree.Function) and one in self.settled
        }
        for state in states:
            scope = state.scope
            assert scope.origins is not None
            normals.append(_normal(state))
            origins.update(scope.origins)
            rejected |= scope.resolved.rejected
            name = state.item.name
            if name is not None and named.module.globals.get(name.name_hint) is state.item:
                items[name.name_hint] = normals[-1]
        inferred = Inferred(tree.IRModule((), tuple(normals)))
        parsed = Parsed(named.padded, named.features)
        written = tree.IRModule((), tuple([state.item for state in states]))
        module = ModuleState(items, inferred, rejected, named.headers, written, parsed, origins, settled)
        module.signatures = signatures
        module.recursive = {one for state in states for one in state.scope.resolved.recursive}
        if is_recursive:
            module.recursive.update([state.item for state in states])
        incomplete = {
            normal
            for state, normal in zip(states, normals, strict=True)
            if state.item in named.losses.understood
        }
        known = {} if self._before is None else self._before.named.by_stretch
        memory = memory_of(states[0], rests_on, known) if len(states) == 1 else None
        module.memory = memory
        derive_component(module, normals, incomplete)
        checkpoint()
        if self._has_rules:
            inferred.diagnostics += module.purity().diagnostics(incomplete)
        checkpoint()
        made = Inference(inferred)
        checkpoint()
        made.rests_on, made.memory = rests_on, memory
        self._publish(made, module, normals, mentioned)
        purity = module.purity()
        inferred.purity = lambda: (
            purity
        )  # not the module, which knows what was inferred: a circle stays until it is looked for
        module.forget_text()
        return made

    def _publish(
        self, made: Inference, module: ModuleState, normals: list[tree.Function], mentioned: set[str]
    ) -> None:
        """Note what callers see of functions that were derived."""
        purity = module.purity()
        made.has_effects = bool(purity.effects())
        for name in mentioned:
            found = module.signatures.get(name)
            if found is not None:
                made.inferred.signatures.setdefault(name, (found.node, found.info))
        for normal in normals:
            assert normal.name is not None
            name = normal.name.name_hint
            made.effects[normal] = purity.effects_of(normal)
            if name in module.signatures:
                made.signatures[name] = module.signatures[name]
                made.tokens[name] = self._token(name, made)

    def _token(self, name: str, made: Inference) -> object:
        """Return the token of before if callers see no difference, otherwise a new one."""
        before = self._before
        signature = made.signatures[name]
        if before is not None and name in before.signatures:
            old = before.signatures[name]
            old_effects, effects = before.settled.get(old.node), made.effects.get(signature.node)
            if (
                old_effects is not None
                and effects is not None
                and same_signature(old, signature, (old_effects, effects))
            ):
                return before.tokens[name]
        return object()


def _normalize(state: FunctionState) -> None:
    origins = Origins()
    module = tree.IRModule((), (state.item,), state.item.pos, state.item.end)
    long = state.scope.long
    memory = None if long is None else long.continued_normalizing()
    normal = normalize(module, state.scope.resolved, origins, memory).items[0]
    assert isinstance(normal, tree.Function)
    state.scope.normal, state.scope.origins = normal, origins


def _normal(state: FunctionState) -> tree.Function:
    """Return the normal form of a function that has one by now."""
    assert state.scope.normal is not None
    return state.scope.normal
