"""The phases of `relax check` over the pieces of a document, each item at most once for what it rests on.

What is found is what `check_source` finds in the text as a whole: the same passes in the same order. A function is
looked at again if its text changed, if something that it mentions changed as callers see it, or if it has mistakes in
names, whose messages may be about any other item. Tables hold addresses; `findings` maps what is shown.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import Diagnostic, has_errors, in_order
from relax_lang.base.gc_pause import no_collection
from relax_lang.check.calls import check_calls
from relax_lang.check.infer.inferred import Inferred
from relax_lang.check.infer.module import derive_component
from relax_lang.check.infer.module_state import ModuleState
from relax_lang.check.prim_func_results import check_prim_func
from relax_lang.check.recursion import check_recursion, components, graph_of
from relax_lang.normalize.normalize import normalize
from relax_lang.normalize.origins import Origins
from relax_lang.scope import well_formed
from relax_lang.scope.context import Resolved
from relax_lang.scope.resolve import resolve_item
from relax_lang.syntax import tree
from relax_lang.syntax.parser import Parsed
from relax_lang.workspace.function_state import (
    FunctionState,
    Inference,
    Scope,
    memory_of,
    same_findings,
    same_signature,
)
from relax_lang.workspace.joined import Counts, features_of, losses_of
from relax_lang.workspace.long_functions import LongFunction
from relax_lang.workspace.mentions import Mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from relax_lang.base.node import Node
    from relax_lang.check.driver import CheckConstant
    from relax_lang.check.infer.effects import Effects
    from relax_lang.check.infer.module_state import Signature
    from relax_lang.check.prim_func_results import Reports
    from relax_lang.syntax.stretches import Stretch
    from relax_lang.syntax.tree import FileLit, Item
    from relax_lang.workspace.pieces import Layout


class Analysis:
    """What is known of one text. The next analysis takes over what still holds; nothing of this one changes."""

    def __init__(self, layout: Layout, before: Analysis | None, check_constant: CheckConstant | None) -> None:
        self.layout = layout
        self.counts = Counts()
        self.counts.parsed = len(set(layout.pieces).difference(before.layout.pieces if before else ()))
        self.losses = losses_of(layout)
        self.features = features_of(layout)
        self.tree = tree.IRModule(
            tuple([attr for piece in layout.pieces for attr in piece.attrs]),
            tuple([item for piece in layout.pieces for item in piece.items]),
            0,
            len(layout.padded),
        )
        self.functions: dict[tree.Function, FunctionState] = {}
        """The functions of which at least the head could be read."""
        self.mentions: dict[Item, Mentions] = {}
        self.reports: Reports = {}
        self.module = Resolved()
        """The items of the document by name, and what functions mention of them."""
        self.syntax = [(piece, one) for piece in layout.pieces for one in piece.diagnostics]
        """What the parser has found in each piece."""
        self.found: list[Diagnostic] = []
        """What else was found, before lints and in the order of the phases."""
        self.inferences: list[Inference] = []
        """What inference came to, callees before callers."""
        self.signatures: dict[str, Signature] = {}
        self.normal_items: dict[str, Item] = {}
        self._before = before
        self.tokens: dict[str, object] = {}
        self._long: dict[tree.Item, LongFunction] = {}
        self._stretches = {
            item: stretches
            for piece in layout.pieces
            if piece.slots is not None
            for stretches in [piece.stretches()]
            for item in piece.items
            if isinstance(item, tree.Function) and isinstance(item.body, tree.SeqExpr)
        }
        """Long functions with the parts that the parser can go over."""
        self.by_stretch: dict[Stretch, FunctionState] = {}
        """The functions that these parts are of."""
        self.settled: dict[tree.Function, Effects] = {}
        self._headers: dict[FileLit, tuple[str, tuple[int, ...]]] = {}
        with no_collection():
            self._run(check_constant)
        self._before = None

    def _run(self, check_constant: CheckConstant | None) -> None:
        self.module.rejected.update(self.losses.wrong)
        well_formed.check_module(self.tree, self.module, self.losses)
        for item in self.tree.items:
            self._mention(item)
        names = [one for state in self._resolve() for one in state.scope.resolved.diagnostics]
        self.found += in_order([*self.module.diagnostics, *names])
        readable = self._prim_funcs()
        self._calls()
        for func in readable:
            checkpoint()
            found = check_prim_func(func, self.reports)
            if has_errors(found):
                self.module.rejected.add(func)
            self.found += found
        if self.module.recursive or any(self.module.references.values()):
            self.found += [one for one in check_recursion(self.module) if not self._is_incomplete(one.pos)]
        if check_constant is not None and self.features.files:
            self._constants(check_constant)
        self._infer({func for func in readable if func not in self.module.rejected})

    def _is_incomplete(self, address: int) -> bool:
        return any(item.pos <= address < item.end for item in self.losses.understood)

    # Names and calls.

    def _mention(self, item: Item) -> None:
        known = self._before.mentions.get(item) if self._before is not None else None
        if known is None and isinstance(item, tree.Function) and item in self._stretches:
            known = self._long_function(item).mention(self._predecessor(item))
        self.mentions[item] = known or Mentions((item,))

    def _resolve(self) -> Iterable[FunctionState]:
        old = self._before.functions if self._before is not None else {}
        for item in self.tree.items:
            if not isinstance(item, tree.Function):
                continue
            if item in self.losses.incomplete and item not in self.losses.understood:
                continue
            checkpoint()
            before = old.get(item)
            scope = self._scope(item, None if before is None else before.scope)
            state = self.functions[item] = FunctionState(item, self.mentions[item], scope)
            if scope.long is not None:
                self.by_stretch.update(dict.fromkeys(scope.long.parts, state))
            if before is not None and before.scope is scope:
                state.inference = before.inference
            own = scope.resolved
            self.module.references[item] = [
                (use, self.module.globals.get(use.name_hint, called), block)
                for use, called, block in own.references[item]
            ]
            self.module.recursive |= own.recursive
        return self.functions.values()

    def _long_function(self, item: tree.Function) -> LongFunction:
        """Return the parts of a long function."""
        if item not in self._long:
            self._long[item] = LongFunction(item, self._stretches[item])
        return self._long[item]

    def _predecessor(self, item: tree.Function) -> LongFunction | None:
        """Return what a long function was before."""
        before = self._before.by_stretch if self._before is not None else {}
        found = next((before[one] for one in self._long_function(item).parts if one in before), None)
        return None if found is None else found.scope.long

    def _scope(self, item: tree.Function, before: Scope | None) -> Scope:
        globals_ = self.module.globals
        key = tuple(self._kinds(item).items())
        if before is not None and before.key == key and not before.resolved.diagnostics:
            return before
        self.counts.resolved += 1
        long = self._long_function(item) if item in self._stretches else None
        if long is not None:
            long.continue_from(self._predecessor(item), self._kinds(item))
        memory = None if long is None else long.resolving
        parens = self.layout.piece_of(item.pos).parsed.parens
        resolved = resolve_item(self.tree, item, globals_, self.losses, parens, memory)
        if before is not None and before.key == key and same_findings(before.resolved, resolved):
            return before
        return Scope(key, resolved, long)

    def _kinds(self, item: Item) -> dict[str, Hashable]:
        """Return what the names that an item mentions stand for: of functions only that they are functions."""
        kinds: dict[str, Hashable] = {}
        for name in self.mentions[item].globals:
            found = self.module.globals.get(name)
            kind = tree.Function if isinstance(found, tree.Function) else found
            kinds[name] = kind, name in self.losses.names
        return kinds

    def _prim_funcs(self) -> list[tree.PrimFunc]:
        """Return the PrimFuncs without mistakes so far; what is known of them is taken over."""
        readable: list[tree.PrimFunc] = []
        known = self._before.reports if self._before is not None else {}
        for item in self.tree.items:
            if isinstance(item, tree.PrimFunc) and item not in self.losses.incomplete:
                if item in self.losses.wrong:
                    continue
                readable.append(item)
            if isinstance(item, tree.PrimFunc) and item in known:
                self.reports[item] = known[item]
                known[item].told.clear()
        return readable

    def _calls(self) -> None:
        for item, state in self.functions.items():
            scope = state.scope
            key = scope.key
            if scope.calls_key != key or scope.told:
                checkpoint()
                incomplete = item in self.losses.understood
                told = _n_told(self.reports)
                reports = {} if incomplete else self.reports
                right: set[Node] = set() if scope.long is None else scope.long.right()
                scope.calls = check_calls(item, scope.resolved, reports, right)
                if scope.long is not None:
                    scope.long.note_calls(scope.calls, reports)
                if incomplete:
                    scope.calls = []
                scope.told = any(report.told for report in reports.values()) or _n_told(self.reports) != told
                scope.calls_key = key
            self.found += scope.calls

    def _constants(self, check_constant: CheckConstant) -> None:
        for mentions in self.mentions.values():
            for literal in mentions.files:
                known = check_constant(literal)
                if isinstance(known, Diagnostic):
                    self.found.append(known)
                elif known is not None:
                    self._headers[literal] = known.dtype, tuple(known.shape)

    # Inference.

    def _infer(self, prim_funcs: set[tree.PrimFunc]) -> None:
        recursive: set[tree.Item] = set()
        order: list[list[tree.Item]] = [[item] for item in self.functions]
        if any(self.module.references.values()):
            graph = graph_of(self.module)
            order = components(graph)
            for together in order:
                if len(together) > 1 or together[0] in graph.get(together[0], ()):
                    recursive.update(together)
        for name, item in self.module.globals.items():
            if isinstance(item, tree.PrimFunc) and item in prim_funcs:
                self.normal_items[name] = item
        for together in order:
            here = [one for one in together if isinstance(one, tree.Function) and one in self.functions]
            if here:
                states = [self.functions[one] for one in here]
                self._component(states, is_recursive=bool(recursive.intersection(together)))

    def _component(self, states: list[FunctionState], *, is_recursive: bool) -> None:
        """Derive functions that reach each other, or take over what is known of them."""
        checkpoint()
        own = {state.item for state in states}
        for state in states:
            if state.scope.normal is None:
                origins = Origins()
                module = tree.IRModule((), (state.item,), state.item.pos, state.item.end)
                long = state.scope.long
                memory = None if long is None else long.continued_normalizing()
                normal = normalize(module, state.scope.resolved, origins, memory).items[0]
                assert isinstance(normal, tree.Function)
                state.scope.normal, state.scope.origins = normal, origins
        key = self._inference_key(states, own, is_recursive=is_recursive)
        first = states[0].inference
        if first is None or first.key != key or any(state.inference is not first for state in states):
            first = self._derive(states, key, self._rests_on(states, own), is_recursive=is_recursive)
        for state in states:
            state.inference = first
        self.inferences.append(first)
        self.found += first.inferred.diagnostics
        self.signatures |= first.signatures
        self.settled |= first.effects
        self.tokens |= first.tokens
        for state in states:
            name = state.item.name
            if name is not None and self.module.globals.get(name.name_hint) is state.item:
                assert state.scope.normal is not None
                self.normal_items[name.name_hint] = state.scope.normal

    def _inference_key(
        self, states: list[FunctionState], own: set[tree.Function], *, is_recursive: bool
    ) -> Hashable:
        scopes = tuple([state.scope for state in states])
        return is_recursive, scopes, tuple(self._rests_on(states, own).items())

    def _rests_on(self, states: list[FunctionState], own: set[tree.Function]) -> dict[Hashable, Hashable]:
        """Return what inference uses beside the functions themselves: features, headers of arrays, other items."""
        found: dict[Hashable, Hashable] = {
            "effects": self.features.dataflow or self.features.purity,
            "host code": self.features.packed or self.features.tir_externs,
            "externs": self.features.tir_externs,
        }
        for state in states:
            found.update({one: self._headers.get(one) for one in state.mentions.files})
            for name in state.mentions.globals:
                item = self.module.globals.get(name)
                if item not in own:
                    is_known = isinstance(item, tree.PrimFunc) and name in self.normal_items
                    found["@" + name] = self.tokens.get(name), item if is_known else None
        return found

    def _derive(
        self,
        states: list[FunctionState],
        key: Hashable,
        rests_on: dict[Hashable, Hashable],
        *,
        is_recursive: bool,
    ) -> Inference:
        self.counts.inferred += len(states)
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
            assert scope.normal is not None
            assert scope.origins is not None
            normals.append(scope.normal)
            origins.update(scope.origins)
            rejected |= scope.resolved.rejected
            name = state.item.name
            if name is not None and self.module.globals.get(name.name_hint) is state.item:
                items[name.name_hint] = scope.normal
        inferred = Inferred(tree.IRModule((), tuple(normals)))
        parsed = Parsed(self.layout.padded, self.features)
        written = tree.IRModule((), tuple([state.item for state in states]))
        module = ModuleState(items, inferred, rejected, self._headers, written, parsed, origins, settled)
        module.signatures = signatures
        module.recursive = {one for state in states for one in state.scope.resolved.recursive}
        if is_recursive:
            module.recursive.update([state.item for state in states])
        incomplete = {
            normal
            for state, normal in zip(states, normals, strict=True)
            if state.item in self.losses.understood
        }
        known = {} if self._before is None else self._before.by_stretch
        memory = memory_of(states[0], rests_on, known) if len(states) == 1 else None
        module.memory = memory
        derive_component(module, normals, incomplete)
        inferred.purity = module.purity
        if self.features.dataflow or self.features.purity:
            inferred.diagnostics += module.purity().diagnostics(incomplete)
        made = Inference(key, inferred)
        made.rests_on, made.memory = rests_on, memory
        self._publish(made, module, normals, mentioned)
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


def _n_told(reports: Reports) -> int:
    return sum([len(report.told) for report in reports.values()])
