"""What is kept of the parts of a long function, so that an edit in it costs a few statements and not all.

The passes go over the stretches that the parser went over, as long as every word in them means what it meant; here is
decided where that is so. The names that may mean something else are those bound in statements that were read again or
are gone, and those of items that are something else now.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.node import walk
from relax_lang.check.infer.drivers import remembered as inference
from relax_lang.check.lints.core.node_index import KINDS
from relax_lang.normalize import remembered as normal_form
from relax_lang.scope import remembered as names
from relax_lang.syntax import tree
from relax_lang.syntax.stretches import Stretches
from relax_lang.workspace.incremental.mentions import Mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.prim_func_results import Reports
    from relax_lang.syntax.stretches import Stretch

    Kinds = Mapping[str, Hashable]


class LongFunction:
    """The parts of one function: its stretches, and what the passes have found out about each."""

    __slots__ = (
        "_blocks",
        "_loose",
        "_nodes",
        "_normal_before",
        "_outputs",
        "_right",
        "item",
        "kinds",
        "mentions",
        "normalizing",
        "parts",
        "resolving",
        "stretches",
    )

    def __init__(self, item: tree.Function, known: Stretches) -> None:
        self.item = item
        self.parts: dict[Stretch, int] = {}
        """The stretches of the body itself, each with the number of its block."""
        self.kinds: Kinds = {}
        """What the items are that the function mentions, by name."""
        self.mentions: dict[Stretch, Mentions] = {}
        self._loose: list[tree.Binding] = []
        """The bindings outside of stretches."""
        self._nodes: dict[Stretch, tuple[Node, ...]] = {}
        """The nodes of stretches that lints look at."""
        self._right: set[Stretch] = set()
        """Stretches with nothing wrong in their calls."""
        body = item.body
        assert isinstance(body, tree.SeqExpr)
        self._blocks = tuple([type(block) for block in body.blocks])
        self._outputs = [_names_of(block) for block in body.blocks]
        for number, block in enumerate(body.blocks):
            for stretch, part in known.parts(block.bindings):
                if stretch is None:
                    self._loose += part
                else:
                    self.parts[stretch] = number
        self.stretches = Stretches({stretch: stretch.statements for stretch in self.parts})
        self.resolving = names.Memory(self.stretches, {})
        self.normalizing = normal_form.Memory(self.stretches, {})
        self._normal_before: normal_form.Memory | None = None

    def mention(self, before: LongFunction | None) -> Mentions:
        """Return what the function mentions."""
        item, body = self.item, self.item.body
        assert isinstance(body, tree.SeqExpr)
        outputs = [output for block in body.blocks for output in getattr(block, "outputs", ())]
        roots = [
            item.name,
            *item.params,
            item.ret_struct_info,
            *item.attrs,
            *self._loose,
            *outputs,
            body.body,
        ]
        all_of_it = Mentions([one for one in roots if one is not None])
        if before is not None:
            self.mentions.update({one: before.mentions[one] for one in self.parts if one in before.mentions})
        for stretch in self.parts:
            checkpoint()
            all_of_it.add(self._mentions_of(stretch))
        return all_of_it

    def _mentions_of(self, stretch: Stretch) -> Mentions:
        found = self.mentions.get(stretch)
        if found is None:
            found = self.mentions[stretch] = Mentions(stretch.statements)
        return found

    def continue_from(self, before: LongFunction | None, kinds: Kinds) -> None:
        """Take over what holds still; `kinds` has what the items are that the function mentions."""
        self.kinds = kinds
        if before is None or not self._has_frame_of(before):
            return
        both = {one for one, number in self.parts.items() if before.parts.get(one) == number}
        changed = _bound(self._loose) | _bound(before._loose)
        for stretch in (*self.parts, *before.parts):
            if stretch not in both:
                changed |= _bound(stretch.statements)
        for now, then in zip(self._outputs, before._outputs, strict=True):
            changed |= now ^ then
        changed.update([name for name in kinds if name in before.kinds and kinds[name] != before.kinds[name]])
        known = {
            stretch: outcome
            for stretch, outcome in before.resolving.made.items()
            if stretch in both and changed.isdisjoint(stretch.words)
        }
        self.resolving = names.Memory(self.stretches, known)
        self._right = before._right
        self._nodes = {one: before._nodes[one] for one in self.parts if one in before._nodes}
        self._normal_before = before.normalizing

    def continued_normalizing(self) -> normal_form.Memory:
        """Return the memory for the normal form, after names were resolved."""
        kept, before = self.resolving.kept, self._normal_before
        known = {} if before is None else {one: made for one, made in before.made.items() if one in kept}
        self.normalizing = normal_form.Memory(self.stretches, known)
        self._normal_before = None
        return self.normalizing

    def inferring(self, normal: tree.Function, before: inference.Memory | None) -> inference.Memory:
        """Return the memory for an inference that continues another one."""
        stretches = Stretches({one: outcome.bindings for one, outcome in self.normalizing.made.items()})
        if before is not None and before.function.params != normal.params:  # nodes are equal by identity only
            before = None
        return inference.Memory(normal, stretches, before)

    def nodes_for_lints(self, item: tree.Item) -> Iterator[Node]:
        """Yield the nodes of the function that lints look at; those of a stretch are looked for once."""
        assert isinstance(item, tree.Function)
        body = item.body
        assert isinstance(body, tree.SeqExpr)
        yield item
        for param in item.params:
            yield from walk(param)
        for block in body.blocks:
            yield block
            for stretch, part in self.stretches.parts(block.bindings):
                checkpoint()
                if stretch is None:
                    yield from walk(part[0])
                    continue
                found = self._nodes.get(stretch)
                if found is None:
                    found = tuple([node for one in part for node in walk(one) if type(node) in KINDS])
                    self._nodes[stretch] = found
                yield from found
        yield from walk(body.body)

    def right(self) -> set[Node]:
        """Return the statements whose calls are known to be right."""
        kept = self.resolving.kept & self._right
        return {statement for stretch in kept for statement in stretch.statements}

    def note_calls(self, found: Iterable[Diagnostic], reports: Reports) -> None:
        """Note where calls are right, after what was found in all of them."""
        places = sorted([one.pos for one in found])
        told = {func.name.name_hint for func, report in reports.items() if report.already_reported}
        self._right = {
            stretch
            for stretch in self.resolving.made
            if not any(stretch.statements[0].pos <= place < stretch.last_end for place in places)
            and (not told or told.isdisjoint(self._mentions_of(stretch).globals))
        }

    def _has_frame_of(self, before: LongFunction) -> bool:
        """Return whether the head is the one that was read before, and the blocks of the body are as many."""
        return (
            self.item.params == before.item.params  # nodes are equal by identity only
            and self.item.ret_struct_info is before.item.ret_struct_info
            and self._blocks == before._blocks
        )


def _names_of(block: tree.BlockOfBindings) -> set[str]:
    if isinstance(block, tree.DataflowBlock):
        return {output.name_hint for output in block.outputs}
    return set()


def _bound(bindings: Iterable[tree.Binding]) -> set[str]:
    """Return the names that bindings may bring into scope."""
    names: set[str] = set()
    for binding in bindings:
        if binding.var is not None:
            names.add(binding.var.name_hint)
        info: Node | None = None
        if isinstance(binding, tree.MatchCast):
            info = binding.struct_info
        else:
            for node in walk(binding.value):  # `cast(x) -> S` binds as a match_cast does [B.23]
                if isinstance(node, tree.Call) and node.struct_info is not None:
                    names |= _dims(node.struct_info)
        if info is not None:
            names |= _dims(info)
    return names


def _dims(info: Node) -> set[str]:
    return {node.name for node in walk(info) if isinstance(node, tree.PrimVar)}
