"""The phases of `relax check` over the pieces of a document, each item at most once for what it rests on.

What is found is what `check_source` finds in the text as a whole: `check/phases.py` asks both. A function is looked
at again if its text changed, if something that it mentions changed as callers see it, or if it has mistakes in names,
whose messages may be about any other item. Tables hold addresses; `findings` maps what is shown.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import Diagnostic, in_order
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.check.calls import check_calls
from relax_lang.check.phases import run_phases
from relax_lang.check.prim_func_results import check_prim_func
from relax_lang.scope import well_formed
from relax_lang.scope.context import Resolved
from relax_lang.scope.resolve import resolve_item
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.derivation import Derivation, Named
from relax_lang.workspace.incremental.function_state import FunctionState, Inference, Scope, same_findings
from relax_lang.workspace.incremental.joined import Counts, features_of, losses_of
from relax_lang.workspace.incremental.long_functions import LongFunction
from relax_lang.workspace.incremental.mentions import Mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from relax_lang.base.node import Node
    from relax_lang.check.driver import CheckConstant
    from relax_lang.check.infer.context.module_state import Signature
    from relax_lang.check.prim_func_results import Reports
    from relax_lang.syntax.tree import Item
    from relax_lang.workspace.text.pieces import Layout


NOTHING = None, False
"""What a name means that no item has."""


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
        self.named = Named(self.functions, self.module, self.losses, self.features)
        self.named.padded = layout.padded
        self._before = before
        self._check_constant = check_constant
        self._meanings: dict[str, Hashable] = {}
        """What the names of items stand for: of functions only that they are functions."""
        self._renamed: set[str] = set()
        """Names that stand for something else than before."""
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
        with no_collection():
            self._prim_funcs = self._readable_prim_funcs()
            self.found = run_phases(self, self._prim_funcs, [one for _, one in self.syntax])
            """What else was found, before lints and in the order of the phases."""
        self._before = None

    @property
    def inferences(self) -> list[Inference]:
        """What inference came to, callees before callers."""
        return self._derivation.inferences

    @property
    def signatures(self) -> dict[str, Signature]:
        """What callers know of each function."""
        return self._derivation.signatures

    # The phases, in the order in which `run_phases` asks for them.

    def names(self) -> list[Diagnostic]:
        """Return what is wrong with names."""
        self.module.rejected.update(self.losses.unreadable())
        well_formed.check_module(self.tree, self.module, self.losses)
        for item in self.tree.items:
            checkpoint()
            self._mention(item)
        own = [one for state in self._resolve() for one in state.scope.resolved.diagnostics]
        return in_order([*self.module.diagnostics, *own])

    def calls(self) -> list[Diagnostic]:
        """Return what is wrong with calls, of functions that are understood as a whole."""
        found: list[Diagnostic] = []
        for item, state in self.functions.items():
            found += self._calls_of(item, state.scope)
        return found

    def prim_func(self, func: tree.PrimFunc) -> list[Diagnostic]:
        """Return what is wrong with a PrimFunc."""
        checkpoint()
        return check_prim_func(func, self.reports)

    def constants(self) -> list[Diagnostic]:
        """Return what is wrong with constants in files; note what is known of the others."""
        check = self._check_constant
        found: list[Diagnostic] = []
        if check is None:
            return found
        for mentions in self.mentions.values():
            for literal in mentions.files:
                known = check(literal)
                if isinstance(known, Diagnostic):
                    found.append(known)
                elif known is not None:
                    self.named.headers[literal] = known.dtype, tuple(known.shape)
        return found

    def inference(self) -> list[Diagnostic]:
        """Return what is wrong with the values of functions."""
        known = {func for func in self._prim_funcs if func not in self.module.rejected}
        before = None if self._before is None else self._before._derivation
        self._derivation = Derivation(self.named, known, before)
        found = self._derivation.run()
        self.counts.inferred = self._derivation.n_derived
        return found

    def names_operators(self, prefixes: tuple[str, ...]) -> bool:
        """Return whether an operator is called whose name begins so."""
        return any(state.scope.names_operators(prefixes) for state in self.functions.values())

    def explicit_memory(self) -> list[Diagnostic]:
        """Return what is wrong with the explicit memory of functions, each of which is looked at alone."""
        found: list[Diagnostic] = []
        for state in self.functions.values():
            assert state.inference is not None
            found += state.inference.memory_findings(state, self._derivation.normal_items)
        return found

    # How a phase gets at its findings.

    def _mention(self, item: Item) -> None:
        known = self._before.mentions.get(item) if self._before is not None else None
        if known is None and isinstance(item, tree.Function) and item in self._stretches:
            known = self._long_function(item).mention(self._predecessor(item))
        self.mentions[item] = known or Mentions((item,))

    def _give_meanings(self) -> None:
        """Note what names stand for, and which of them stood for something else before."""
        lost = self.losses.names
        meanings = self._meanings
        for name in lost:
            meanings[name] = None, True
        for name, item in self.module.globals.items():
            kind = tree.Function if isinstance(item, tree.Function) else item
            meanings[name] = kind, name in lost
        before = {} if self._before is None else self._before._meanings
        self._renamed = {name for name, _ in meanings.items() ^ before.items()}

    def _resolve(self) -> Iterable[FunctionState]:
        self._give_meanings()
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
                self.named.by_stretch.update(dict.fromkeys(scope.long.parts, state))
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
        before = self._before.named.by_stretch if self._before is not None else {}
        found = next((before[one] for one in self._long_function(item).parts if one in before), None)
        return None if found is None else found.scope.long

    def _scope(self, item: tree.Function, before: Scope | None) -> Scope:
        globals_ = self.module.globals
        right = None if before is None or before.resolved.diagnostics else before
        if right is not None and self._renamed.isdisjoint(self.mentions[item].globals):
            return right
        key = tuple(self._kinds(item).items())
        if right is not None and right.key == key:
            return right
        self.counts.resolved += 1
        long = self._long_function(item) if item in self._stretches else None
        if long is not None:
            long.continue_from(self._predecessor(item), self._kinds(item))
        memory = None if long is None else long.resolving
        parens = self.layout.piece_of(item.pos).parsed.parens
        resolved = resolve_item(self.tree, item, globals_, self.losses, parens, memory)
        if before is not None and before.key == key and same_findings(before.resolved, resolved):
            return before
        # All names would keep all items of this version for as long as this function stays as it is.
        mentioned = self.mentions[item].globals
        resolved.globals = {name: globals_[name] for name in mentioned if name in globals_}
        return Scope(key, resolved, long)

    def _kinds(self, item: Item) -> dict[str, Hashable]:
        """Return what the names that an item mentions stand for."""
        meanings = self._meanings
        return {name: meanings.get(name, NOTHING) for name in self.mentions[item].globals}

    def _readable_prim_funcs(self) -> list[tree.PrimFunc]:
        """Return the PrimFuncs without mistakes so far; what is known of them is reused."""
        readable: list[tree.PrimFunc] = []
        known = self._before.reports if self._before is not None else {}
        for item in self.tree.items:
            if isinstance(item, tree.PrimFunc) and item not in self.losses.incomplete:
                if item in self.losses.wrong:
                    continue
                readable.append(item)
            if isinstance(item, tree.PrimFunc) and item in known:
                self.reports[item] = known[item]
                known[item].already_reported.clear()
        return readable

    def _calls_of(self, item: tree.Function, scope: Scope) -> list[Diagnostic]:
        key = scope.key
        if scope.calls_key == key and not scope.told:
            return scope.calls
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
        scope.told = (
            any(report.already_reported for report in reports.values()) or _n_told(self.reports) != told
        )
        scope.calls_key = key
        return scope.calls


def _n_told(reports: Reports) -> int:
    return sum([len(report.already_reported) for report in reports.values()])
