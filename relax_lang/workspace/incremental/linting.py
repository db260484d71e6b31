"""Lints over the pieces of a document: each item at most once for what it rests on, with offsets of the document."""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import Fix
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.workspace.text.places import relocated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.workspace.incremental.analysis import Analysis
    from relax_lang.workspace.incremental.function_state import FunctionState


class DocumentLints:
    """The lints of a document that is analysed; see `Lints`."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self.losses = analysis.losses
        self.features = analysis.features
        self.items = analysis.tree.items

    def unreached(self) -> list[Diagnostic]:
        """Return the items that nothing leads to."""
        return _unreached(self._analysis)

    def lint(self, items: list[tree.Item], words: tuple[str, ...]) -> list[Diagnostic]:
        """Return what the lints that are meant by `words` find in some items."""
        analysis = self._analysis
        host = any(one.has_effects for one in analysis.inferences)
        host = host or any(one.needs_care for one in analysis.mentions.values())
        to = analysis.layout.to_document
        found: list[Diagnostic] = []
        for item in items:
            state = analysis.functions.get(item) if isinstance(item, tree.Function) else None
            own = None if state is None else _known(state, words, host=host)
            if own is None:
                checkpoint()
                own = _lint_item(analysis, item, state, words, host=host)
            if own:
                found += [relocated(one, to) for one in own]
        return found


def _known(state: FunctionState, words: tuple[str, ...], *, host: bool) -> list[Diagnostic] | None:
    """Return what lints have found in a function that is as it was."""
    if state.inference is None:
        return None
    known = state.inference.lints.get(state.item)
    return None if known is None or known[0] != (words, host, state.scope) else known[1]


def _lint_item(
    analysis: Analysis, item: tree.Item, state: FunctionState | None, words: tuple[str, ...], *, host: bool
) -> list[Diagnostic]:
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.check.lints.core.driver import run_lints
    from relax_lang.scope.context import Resolved

    module = tree.IRModule((), (item,), item.pos, item.end)
    layout = analysis.layout
    text = layout.padded
    if state is None or state.inference is None:
        nothing = Resolved()
        nothing.leave_unresolved((item,))
        return run_lints(module, [item], nothing, Inferred(module), text, (), words, host)
    made = run_lints(
        module,
        [item],
        state.scope.resolved,
        state.inference.inferred,
        text,
        layout.piece_of(item.pos).comments,
        words,
        host,
        walk if state.scope.long is None else state.scope.long.nodes_for_lints,
    )
    state.inference.lints[state.item] = (words, host, state.scope), made
    return made


def _unreached(analysis: Analysis) -> list[Diagnostic]:
    """Return the items that nothing leads to. The edit that removes one reaches into the piece that follows."""
    from relax_lang.check.lints.dead_functions import (
        removal,
        unreached,
    )  # only where something may be unreached

    layout = analysis.layout
    found: list[Diagnostic] = []
    by_place = {item.name.pos: item for item in analysis.tree.items if item.name is not None}
    for one in unreached(analysis.tree, analysis.module, layout.padded):
        report = relocated(one, layout.to_document)
        item = by_place[one.pos]
        edit = removal(*layout.span(item.pos, item.end), layout.text)
        report.fixes = [Fix(fix.title, [edit], fix.applicability) for fix in report.fixes]
        found.append(report)
    return found
