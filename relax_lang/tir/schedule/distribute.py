"""Which statements run as one NumPy operation over whole loops, and which loops stay loops: Allen and Kennedy's way.

Statements are nodes of a graph, dependences its edges. Statements on a cycle keep their order only if the loop that
carries the cycle runs step by step; all others run one after the other, each over its whole domain. So each
strongly connected component, in topological order, is either one kernel (`recognize` knows more about single
statements: reductions, scans, scatters) or a sequential loop around the distribution of what is in it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import assert_never

from relax_lang.tir.analysis.dependence import Dependences
from relax_lang.tir.analysis.lowered.statement_accesses import KnownAccesses
from relax_lang.tir.analysis.lowered.statements import (
    ArgReduction,
    Check,
    Extern,
    Listing,
    New,
    Repeat,
    RunningByKey,
    Stage,
)
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.schedule.dependence_graph import (
    MOST_PAIRS,
    Commuting,
    TooManyPairs,
    components,
    conflicts,
)
from relax_lang.tir.schedule.loops.loop_fusion import LoopFusion
from relax_lang.tir.schedule.loops.statement_passes import SCHEDULING, SPLITTING
from relax_lang.tir.schedule.plan import (
    ArgKernel,
    Kernel,
    Sequential,
    Single,
    While,
    stepwise,
)
from relax_lang.tir.schedule.reordering.affine_schedule import MOST_MEMBERS, AffineSchedules
from relax_lang.tir.schedule.reordering.index_set_splitting import split_stages
from relax_lang.tir.schedule.reordering.unchanged_reads import read_unchanged
from relax_lang.tir.schedule.strategies.classify import Recognizer
from relax_lang.tir.schedule.strategies.lockstep import together
from relax_lang.tir.schedule.strategies.recurrences.carried_values import with_carried_values
from relax_lang.tir.schedule.strategies.recurrences.keyed_values import with_keyed_values
from relax_lang.tir.schedule.strategies.recurrences.remainder_sums import with_remainders
from relax_lang.tir.schedule.strategies.recurrences.stream_compaction import with_counts, with_listed_counts
from relax_lang.tir.schedule.strategies.reductions.arg_reductions import check, grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.base.node import Node as TreeNode
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.dependence import Relation
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.lower.guards import Mark
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.dependence_graph import Conflicts, Edges, Pairs
    from relax_lang.tir.schedule.loops.statement_passes import StatementPasses
    from relax_lang.tir.schedule.plan import Node


def distributed(lowering: Lowering, passes: StatementPasses) -> list[Node]:
    """Return the plan for all statements of a PrimFunc; raises `NotVectorizable`.

    A hoisted `init` that would change places with another statement is moved back into its loops first.
    """
    while True:
        mark = lowering.entry.mark()
        passes.clear()
        distribution = Distribution(lowering, passes)
        try:
            nodes = distribution.plan(lowering.statements, frozenset())
        except NotVectorizable:
            if not distribution.crossed:
                raise
            nodes = []
        if not distribution.crossed:
            return nodes
        lowering.entry.restore(mark)
        lowering.inits.keep_in_place(distribution.crossed)


class Distribution:
    """The distribution of the statements of one PrimFunc."""

    def __init__(self, lowering: Lowering, passes: StatementPasses) -> None:
        self._lowering = lowering
        self._space = lowering.space
        self._dependences = Dependences(lowering.space, lambda: lowering.entry.analyzer)
        self._recognizer = Recognizer(lowering, self._dependences, passes)
        self._accesses = KnownAccesses(lowering.space)
        self._fusion = LoopFusion(lowering, self._dependences, self._conflicts, self.plan)
        self._groups = True
        self._passes = passes
        self._is_trial = False
        self.crossed: set[TreeNode] = set()
        """The nodes of hoisted `init` statements that must stay in place: they would change places with others. If
        there are any, the plan is void.
        """

    def plan(self, statements: Sequence[Statement], fixed: frozenset[str]) -> list[Node]:
        """Return the plan for statements, in text order, inside of loops that run step by step."""
        if self.crossed:
            return []
        if self._groups:
            statements = grouped(self._space, statements)
        edges, carried = self._graph(statements, fixed)
        ordered = components(edges)
        component_of = {at: number for number, members in enumerate(ordered) for at in members}
        through: list[set[str]] = [set() for _ in ordered]
        for (first, second), loops in carried.items():
            if component_of[first] == component_of[second]:
                through[component_of[first]] |= loops
        nodes: list[Node] = []
        for number, component in enumerate(ordered):
            members = [statements[at] for at in component]
            for node in self._component(members, fixed, through[number]):
                self._fusion.append(nodes, node, fixed)
        return nodes

    def _graph(
        self, statements: Sequence[Statement], fixed: frozenset[str]
    ) -> tuple[Edges, dict[tuple[int, int], set[str]]]:
        """Return who must run before whom, and for each pair the loops that carry a dependence between them."""
        self._dependences.fixed = fixed
        edges: Edges = {at: set() for at in range(len(statements))}
        carried: dict[tuple[int, int], set[str]] = {}
        found = self._conflicts(statements)
        pairs, commuting = found.pairs, Commuting(self._space, statements, found)
        for at, statement in enumerate(statements):
            if statement.reducing or isinstance(statement, Extern):  # which have to do with all others
                for other in range(len(statements)):
                    if other != at:
                        pairs.setdefault((min(at, other), max(at, other)), [])
        for (before, at), meeting in pairs.items():
            earlier, later = statements[before], statements[at]
            relation = self._relation(earlier, later, meeting)
            self._check_init(earlier, later, relation, fixed)
            if relation.equal or relation.before:
                edges[before].add(at)
            if relation.after and not commuting.holds(before, at):
                edges[at].add(before)
            carried[before, at] = relation.before | relation.after
        return edges, carried

    def _conflicts(self, statements: Sequence[Statement]) -> Conflicts:
        """Return the pairs of statements that may depend on each other; raises `NotVectorizable`."""
        try:
            return conflicts([self._accesses.of(statement) for statement in statements])
        except TooManyPairs:
            reason = f"more than {MOST_PAIRS:,} pairs of statements may depend on each other"
            raise NotVectorizable(reason, statements[0].node) from None

    def _relation(self, a: Statement, b: Statement, meeting: Pairs) -> Relation:
        """Return how two statements depend on each other, by the pairs of accesses that may meet."""
        relation = self._dependences.relate(a, b, meeting)
        if isinstance(a, Extern) or isinstance(b, Extern):  # which may fail, or look at anything
            relation.equal = True
            common = [
                loop.name for loop in a.loops if loop in b.loops and loop.name not in self._dependences.fixed
            ]
            relation.before.update(common)
            relation.after.update(common)
        return relation

    def _check_init(
        self, earlier: Statement, later: Statement, relation: Relation, fixed: frozenset[str]
    ) -> None:
        """Note a hoisted `init` that would change places with a statement that touches the same elements."""
        for init, other in ((earlier, later), (later, earlier)):
            shared = [loop for loop in other.loops if loop in init.reducing]
            if not shared or other.reducing == init.reducing:
                continue
            inside = {loop.name for loop in other.loops[other.loops.index(shared[0]) :]}
            crossed = (relation.before | relation.after) & inside
            comes_first = init is later and (relation.equal or relation.before or relation.after)
            if crossed or comes_first or any(loop.name in fixed for loop in shared):
                self.crossed.add(init.node)

    def _component(self, members: list[Statement], fixed: frozenset[str], through: set[str]) -> list[Node]:
        """Return the plan for one strongly connected component."""
        self._dependences.fixed = fixed
        free = [loop for loop in members[0].loops if loop.name not in fixed]
        reason = ""
        if len(members) == 1:
            try:
                return self._alone(members[0], fixed, free)
            except NotVectorizable as refusal:
                reason = refusal.reason
            others = self._at_once(members[0], fixed, reason) or self._taken_beforehand(members, fixed)
            if others:
                return others
        else:
            members = [
                one
                for member in members
                for one in (member.members if isinstance(member, ArgReduction) else [member])
            ]
            taken = self._taken_beforehand(members, fixed)
            if taken:
                return taken
            names = sorted({f"`{member.label}`" for member in members})
            those = f"the statements of {names[0]}" if len(names) == 1 else " and ".join(names)
            reason = f"{those} depend on each other's earlier iterations"
        common = [loop for loop in free if all(loop in member.loops for member in members)]
        if not common:  # as in a `while` around statements that depend on each other
            raise NotVectorizable(reason, members[0].node)
        for member in members:
            if isinstance(member, Repeat):
                through |= self._carried_by(member, fixed)
            through |= self._recognizer.carrying(member, fixed)
        loop = self._sequential(common, through)
        before = self._lowering.entry.mark()
        nodes: list[Node] = [Sequential(loop, self.plan(members, fixed | {loop.name}), reason)]
        return self._reordered(members, fixed, nodes, before) or nodes

    def _at_once(self, statement: Statement, fixed: frozenset[str], reason: str) -> list[Node]:
        """Return the plan for a store whose steps leave what they read as it is; none if they may change it."""
        if not isinstance(statement, Stage) or statement.reducing or SPLITTING in self._passes.without:
            return []
        found = read_unchanged(self._lowering, statement, fixed)
        if found is None:
            return []
        nodes = self.plan(found.before, fixed) if found.before else []
        inner = fixed | {found.loop.name}
        body = [] if found.test is None else self.plan([found.test], inner)
        for node in body:
            assert isinstance(node, Kernel), "one element is stored"
            node.decides = True
        body.append(self._recognizer.whole(found.whole, inner))
        body += [] if found.otherwise is None else self.plan([found.otherwise], inner)
        self._dependences.fixed = fixed
        self._passes.changed[SPLITTING].append(found.whole)
        return [*nodes, Sequential(found.loop, body, reason)]

    def _reordered(
        self, members: list[Statement], fixed: frozenset[str], nodes: list[Node], before: Mark
    ) -> list[Node]:
        """Return a plan for a component in which no loop is in a sequential one, where its plan has such loops or
        scalars; none if there is none, or if nothing is to be gained.
        """
        stages = [one for one in members if isinstance(one, Stage) and not one.reducing]
        if self._is_trial or self.crossed or len(stages) != len(members):
            return []
        entry = self._lowering.entry
        after = entry.mark()
        self._is_trial = True
        found: list[Node] = []
        for loop, parts, why in self._reorderings(stages, fixed, stepwise(nodes)):
            entry.restore(before)
            inner = fixed if loop is None else fixed | {loop.name}
            with suppress(NotVectorizable):
                found = [node for part in parts for node in self.plan([part], inner)]
            if found and not self.crossed and not stepwise(found, steps=True):
                self._passes.changed[SPLITTING if loop is None else SCHEDULING] += parts
                found = found if loop is None else [Sequential(loop, found, why)]
                break
            found = []
        self._is_trial = False
        self._dependences.fixed = fixed
        if not found:
            entry.restore(after)
        return found

    def _reorderings(
        self, stages: list[Stage], fixed: frozenset[str], is_stepwise: bool
    ) -> Iterator[tuple[Loop | None, list[Stage], str]]:
        """Yield what stores of a component may be run as, in order: in parts, or inside of a loop over time."""
        without = self._passes.without
        if len(stages) == 1 and SPLITTING not in without:
            for parts in split_stages(self._space, self._dependences, stages[0], fixed):
                yield None, parts, ""
        if is_stepwise and len(stages) <= MOST_MEMBERS and SCHEDULING not in without:
            regions = self._recognizer.regions
            yield from AffineSchedules(self._lowering, self._dependences, regions, stages, fixed).found()

    def _sequential(self, common: list[Loop], through: set[str]) -> Loop:
        """Return the loop to run step by step: the outermost that carries, unless its bounds need another first."""
        chosen = next((loop for loop in common if loop.name in through), common[0])
        for loop in common:
            if loop is not chosen and loop.name in self._space.dims(chosen.extent):
                return self._sequential([loop], set())
        return chosen

    def _alone(self, statement: Statement, fixed: frozenset[str], free: list[Loop]) -> list[Node]:
        """Return the plan for a statement that no other one depends on in a circle; raises `NotVectorizable`."""
        match statement:
            case Stage():
                return self._recognizer.stage(statement, fixed)
            case ArgReduction():
                return self._arg_reduction(statement, fixed, free)
            case Repeat():
                if free:
                    return [self._together(statement, fixed, free)]
                return [While(statement, self._repeated(statement.body, fixed))]
            case Extern() | New():
                if free:
                    raise NotVectorizable(_OPAQUE[type(statement)], statement.node)
                return [Single(statement)]
            case Check() | Listing() | RunningByKey():
                self._recognizer.check_domain(statement, fixed)
                return [Single(statement)]
            case _:
                assert_never(statement)

    def _arg_reduction(self, statement: ArgReduction, fixed: frozenset[str], free: list[Loop]) -> list[Node]:
        try:
            self._recognizer.check_domain(statement, fixed)
            kept = check(self._space, self._dependences, statement, fixed)
        except NotVectorizable:
            return self._ungrouped(statement, fixed)
        loops = [loop for loop in free if loop.name not in kept]
        return [ArgKernel(statement, [loop for loop in free if loop.name in kept], loops)]

    def _taken_beforehand(self, members: list[Statement], fixed: frozenset[str]) -> list[Node]:
        """Return the plan for a circle that the changes of one store make, with its values taken beforehand (see
        `strategies.recurrences`); none if it stays one.
        """
        for take in (
            with_listed_counts,
            with_counts,
            with_remainders,
            with_carried_values,
            with_keyed_values,
        ):
            mark, allocated = self._lowering.entry.mark(), [*self._lowering.allocated]
            found = take(self._lowering, members, fixed)
            if found is None:
                continue
            statements, loops = found
            nodes: list[Node] = []
            with suppress(NotVectorizable):
                nodes = self.plan(statements, fixed)
            self._dependences.fixed = fixed
            if (nodes or self.crossed) and not any(
                isinstance(node, Sequential) and node.loop in loops for node in nodes
            ):
                return nodes
            self._lowering.entry.restore(mark)
            self._lowering.allocated[:] = allocated
        return []

    def _together(self, repeat: Repeat, fixed: frozenset[str], free: list[Loop]) -> Node:
        """Return the plan for a `while` in independent iterations; raises `NotVectorizable`."""
        self._recognizer.check_domain(repeat, fixed)
        if self._carried_by(repeat, fixed):
            raise NotVectorizable(_OPAQUE[Repeat], repeat.node)
        return together(self._space, self._recognizer, repeat, free, len(repeat.loops))

    def _carried_by(self, repeat: Repeat, fixed: frozenset[str]) -> set[str]:
        """Return the loops through which iterations with a `while` depend on each other."""
        self._dependences.fixed = fixed
        own = self._accesses.of(repeat)
        relation = self._relation(repeat, repeat, [(one, other) for one in own for other in own])
        return relation.before | relation.after

    def _ungrouped(self, statement: ArgReduction, fixed: frozenset[str]) -> list[Node]:
        """Return the plan for the members of what is not an argument reduction after all."""
        before, self._groups = self._groups, False
        nodes = self.plan(statement.members, fixed)
        self._groups = before
        return nodes

    def _repeated(self, body: Sequence[Statement], fixed: frozenset[str]) -> list[Node]:
        protection = self._recognizer.protection
        before, protection.conditional = protection.conditional, True
        nodes = self.plan(body, fixed)
        protection.conditional = before
        return nodes


_OPAQUE = {
    Repeat: "how often `while` repeats depends on data",
    Extern: "call_extern may read and write anything",
    New: "the size of this buffer changes with a loop",
}
