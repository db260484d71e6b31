"""Which strategy a single statement is run with, and the proof that it may: the rules, one method each.

The loops whose iterations the index of a store distinguishes are *kept*: each of these has an element of its own. Over
the other ones a statement must combine what it stores (a reduction), or store in program order (a scatter).
"""

from __future__ import annotations

from contextlib import suppress

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statement_accesses import self_reads, touched_by
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Const,
    Index,
    Load,
    NotVectorizable,
    Vector,
    all_loads,
)
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import Domains
from relax_lang.tir.schedule.expression_splitting import ExpressionSplitting
from relax_lang.tir.schedule.footprint import Footprints
from relax_lang.tir.schedule.loops.statement_passes import TRIANGLES
from relax_lang.tir.schedule.reordering.triangles import rectangles, summed_first
from relax_lang.tir.schedule.strategies.pieces import Pieces
from relax_lang.tir.schedule.strategies.pinned import pinned_stores
from relax_lang.tir.schedule.strategies.protection import Protection, used_loads
from relax_lang.tir.schedule.strategies.ragged import ragged
from relax_lang.tir.schedule.strategies.recurrences.running_steps import running_steps
from relax_lang.tir.schedule.strategies.recurrences.scans import in_order, recurrence, running
from relax_lang.tir.schedule.strategies.recurrences.summed_areas import summed_area
from relax_lang.tir.schedule.strategies.reductions.box_reductions import Reductions
from relax_lang.tir.schedule.strategies.reductions.contractions import combination
from relax_lang.tir.schedule.strategies.reductions.convolutions import convolution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.dependence import Dependences
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.loops.statement_passes import StatementPasses
    from relax_lang.tir.schedule.plan import Node

_ONE = Polynomial.constant(1)


class Recognizer:
    """Finds strategies for the statements of one PrimFunc."""

    def __init__(self, lowering: Lowering, dependences: Dependences, passes: StatementPasses) -> None:
        self._lowering = lowering
        self._space = lowering.space
        self._entry = lowering.entry
        self._dependences = dependences
        self.regions = self._regions = Footprints(lowering.space, lowering.entry)
        self._domains = Domains(lowering.space, lowering.entry, self._regions)
        self._splitting = ExpressionSplitting(lowering.space, lowering.entry, self._regions, self._domains)
        self.pieces = Pieces(lowering.space, self._regions)
        self._passes = passes
        self._at_once = False
        """Whether the store at hand is only wanted as one operation, which reads everything before it stores."""
        self.protection = Protection(lowering.space, lowering.entry, self._regions)
        self._reductions = Reductions(lowering, self._regions, self.protection)

    def check_domain(self, statement: Statement, fixed: frozenset[str]) -> None:
        """Refuse a domain that is not rectangular."""
        names = {loop.name for loop in statement.loops} - fixed
        for loop in statement.loops:
            if loop.name in names and self._space.dims(loop.extent) & names:
                raise NotVectorizable("the bounds of this loop change with an outer loop", loop.node)

    def carrying(self, statement: Statement, fixed: frozenset[str]) -> set[str]:
        """Return the loops of a statement that must run step by step, as an iteration needs what another one stored."""
        if not isinstance(statement, Stage):
            return set()
        self._dependences.fixed = fixed
        store, *reads = touched_by(statement, self._loads(statement))
        touched = [store, *reads]
        relation = self._dependences.relate(statement, statement, [(store, access) for access in touched])
        names = {loop.name for loop in statement.loops} - fixed
        for loop in statement.loops:
            if loop.name in names and self._space.dims(loop.extent) & names:
                relation.before |= self._space.dims(loop.extent) & names
        return relation.before | relation.after

    def _loads(self, stage: Stage) -> list[Load]:
        guards = [load for guard in stage.guards for load in all_loads(self._space, guard)]
        return [*guards, *used_loads(self._space, stage)]

    def stage(self, stage: Stage, fixed: frozenset[str]) -> list[Node]:
        """Find the strategy for a store; raises `NotVectorizable`."""
        free = [loop for loop in stage.loops if loop.name not in fixed]
        try:
            self.check_domain(stage, fixed)
        except NotVectorizable:
            nodes = ragged(self._space, stage, free, combination(self._regions, stage)) or self._triangle(
                stage, fixed
            )
            if nodes:
                return nodes
            raise
        self._dependences.fixed = fixed
        recovered = self._dependences.recovered(stage.index, free)
        kept = [loop for loop in free if loop.name in recovered]
        reduced = [loop for loop in free if loop.name not in recovered]
        if self._may_reorder(stage, reduced):
            simpler = self._passes.coalesced(stage, free)
            if simpler is not stage:
                return self.stage(simpler, fixed)
            unrolled = self._unrolled(stage, free, kept, fixed)
            if unrolled:
                return unrolled
        if not reduced:
            return self._elementwise(stage, kept, fixed)
        indexed = set[str]().union(*[self._space.dims(part) for part in stage.index])
        plain = not indexed - fixed - recovered
        if plain and self._is_affine(stage, fixed) and combination(self._regions, stage) is not None:
            return self._reduction(stage, kept, reduced, fixed)
        return self._scatter(stage, free)

    def _triangle(self, stage: Stage, fixed: frozenset[str]) -> list[Node]:
        """Return the plan for a store over a triangle as one over a rectangle; none if there is none."""
        if TRIANGLES in self._passes.without:
            return []
        mark = self._entry.mark()
        for whole, named in rectangles(self._lowering, self._regions, stage, fixed):
            self._dependences.fixed = fixed
            free = [loop for loop in whole.loops if loop.name not in fixed]
            recovered = self._dependences.recovered(whole.index, free)
            kept = [loop for loop in free if loop.name in recovered]
            reduced = [loop for loop in free if loop.name not in recovered]
            stages = [whole]
            found = combination(self._regions, whole) if reduced else None
            is_masked = bool(reduced) and not named <= recovered
            if is_masked and (found is None or found[0] != "+"):
                continue
            if reduced and not is_masked:
                if found is None or not self._may_reorder(whole, reduced):
                    continue
                stages = summed_first(self._lowering, whole, (kept, reduced), found)
            nodes: list[Node] = []
            self._at_once = is_masked
            with suppress(NotVectorizable):
                nodes = [node for one in stages for node in self.stage(one, fixed)]
            self._at_once = False
            if nodes and (not is_masked or _is_product(nodes)):
                self._passes.changed[TRIANGLES].append(whole)
                return nodes
        self._entry.restore(mark)
        return []

    def _may_reorder(self, stage: Stage, reduced: list[Loop]) -> bool:
        """Return whether the iterations of a store are independent, or combine what they store."""
        if self_reads(self._space, stage):
            return False
        combined = combination(self._regions, stage) if reduced else None
        if not reduced or combined is None or stage.target.dtype in dtypes.HALVES:
            return not reduced
        return all(load.storage is not stage.target for load in all_loads(self._space, combined[2]))

    def _unrolled(
        self, stage: Stage, free: list[Loop], kept: list[Loop], fixed: frozenset[str]
    ) -> list[Node]:
        """Return the plan for a store with some short loops as Python loops, if that makes it simpler."""
        conditions = [choice.args[0] for choice in self.pieces.unsafe_choices(stage)]
        kept_names = [loop.name for loop in kept]
        is_safe = not stage.guards or self._regions.is_safe(stage.value, stage.loops, stage.facts)
        inner, loops = self._passes.unrolled(stage, free, kept_names, conditions, is_safe=is_safe)
        if not loops:
            return []
        nodes: list[Node] = []
        with suppress(NotVectorizable):
            nodes = self.stage(inner, fixed.union([loop.name for loop, _ in loops]))
        self._dependences.fixed = fixed
        for loop, reason in reversed(loops) if nodes else ():
            nodes = [plan.Sequential(loop, nodes, reason)]
        return nodes

    def _is_affine(self, stage: Stage, fixed: frozenset[str]) -> bool:
        """Return whether the target of a store is a view."""
        atoms = [atom for part in stage.index for atom in self._space.atoms_in(part)]
        return all(atom.vector.dims <= fixed for atom in atoms)

    def _elementwise(self, stage: Stage, kept: list[Loop], fixed: frozenset[str]) -> list[Node]:
        """Prove that the iterations are independent: none reads what an earlier one wrote."""
        store, *reads = touched_by(stage, self_reads(self._space, stage))
        relation = self._dependences.relate(stage, stage, [(store, read) for read in reads])
        if relation.before:
            found = running(self._space, stage, kept) if len(kept) == len(stage.loops) else None
            nodes = (
                self._running(stage, kept, found)
                if found is not None
                else self._recurring(stage, kept, fixed)
                or self._stepping(stage, kept)
                or self._summing(stage, kept)
            )
            if not nodes and relation.before == {kept[-1].name} and not relation.after:
                pieces = in_order(self._domains.pieces(stage, kept), stage, kept)
                nodes = [node for piece, loops in pieces for node in self._elementwise(piece, loops, fixed)]
            if nodes:
                return nodes
            if found is not None:
                raise NotVectorizable("one side of a choice is only evaluated where it is needed", stage.node)
            raise NotVectorizable(
                f"an iteration may read what an earlier one stored in `{stage.target.name}`", stage.node
            )
        if not reads:
            pinned = pinned_stores(self._space, self._domains, self._regions, self._entry, stage, kept)
            if pinned:
                return [self._piece(piece, fixed) for piece in pinned]
        tightened = self._domains.tightened
        boxes = [tightened(stage, kept)] if relation.after else self._splitting.stores(stage, kept)
        pieces = [safe for box in boxes for safe in self.pieces.plain(box)]
        if len(pieces) > 1 and relation.after:  # one would store what another one reads as it was before
            raise NotVectorizable(
                f"an iteration reads what a later one stores in `{stage.target.name}`", stage.node
            )
        return [
            self._piece(piece, fixed)
            for piece in pieces
            if all(loop.extent.value != 0 for loop in piece.loops)
        ]

    def _running(self, stage: Stage, kept: list[Loop], found: tuple[str, Vector]) -> list[Node]:
        """Return the plan for a running operation; none if a choice in its terms is only evaluated in part."""
        op, new = found
        if self.pieces.unsafe_choice(replaced(stage, value=new)) is not None:
            return []
        kernel = plan.Kernel(replaced(stage, value=new), plan.SCAN, new, kept, [], op)
        self.protection.protect(kernel, kept)
        return [kernel]

    def _recurring(self, stage: Stage, kept: list[Loop], fixed: frozenset[str]) -> list[Node]:
        """Return the plan for a store that combines each element with one stored before; none if it does more. Where
        data choose how far it lies, it may also be one that is stored later, or the element itself.
        """
        found = recurrence(self._space, stage, kept)
        if found is None or self.pieces.unsafe_choice(replaced(stage, value=found.new)) is not None:
            return []
        others = [read for read in self_reads(self._space, stage) if read.key != found.before.key]
        store, *reads = touched_by(stage, others)
        if self._dependences.relate(stage, stage, [(store, read) for read in reads]).before:
            return []
        nodes: list[Node] = []
        if not self._entry.is_nonnegative(found.step - 1):
            distance = Index(found.step, self._space.dims(found.step))
            zero = Index(Polynomial.constant(0), frozenset())
            early, late = [
                replaced(stage, guards=(*stage.guards, Apply(op, (distance, zero), dtypes.BOOL)))
                for op in (">", "<=")
            ]
            nodes, stage = [self._piece(late, fixed)], early
        kernel = plan.Kernel(stage, plan.SCAN, found.new, kept, [], found.combine, step=found.step)
        self.protection.protect(kernel, kept)
        kernel.nonempty = True
        return [*nodes, kernel]

    def _stepping(self, stage: Stage, kept: list[Loop]) -> list[Node]:
        """Return the plan for a running operation that starts again or has a bound; none if it is something else."""
        found = running_steps(self._space, stage, kept)
        if found is None:
            return []
        whole = replaced(stage, value=found.value)
        if self.pieces.unsafe_choice(whole) is not None:
            return []
        step = _ONE if found.is_stored else None
        kernel = plan.Kernel(whole, plan.SCAN, found.value, kept, [], step=step, steps=found.steps)
        self.protection.protect(kernel, kept)
        kernel.nonempty = True
        return [kernel]

    def _summing(self, stage: Stage, kept: list[Loop]) -> list[Node]:
        """Return the plan for a store that sums up areas; none if it is something else."""
        kernel = summed_area(self._space, stage, kept)
        if kernel is None or self.pieces.unsafe_choice(replaced(stage, value=kernel.operand)) is not None:
            return []
        self.protection.protect(kernel, kept)
        return [kernel]

    def whole(self, stage: Stage, fixed: frozenset[str]) -> Node:
        """Return one operation for a store of which the caller has proved that no element is read that it changes."""
        return self._piece(stage, fixed)

    def _piece(self, stage: Stage, fixed: frozenset[str]) -> Node:
        """Return the kernel for a store over a box."""
        kept = [loop for loop in stage.loops if loop.name not in fixed]
        value = stage.value
        if isinstance(value, Index) and value.polynomial.value is not None:
            value = Const(value.polynomial.value, value.dtype)
        value = replaced(stage, value=value).stored(self._space)
        kernel = plan.Kernel(stage, plan.ELEMENTWISE, value, kept, [])
        self.protection.protect(kernel, kept)
        return kernel

    def _reduction(
        self, stage: Stage, kept: list[Loop], reduced: list[Loop], fixed: frozenset[str]
    ) -> list[Node]:
        found = combination(self._regions, stage)
        assert found is not None
        combine, negated, operand = found
        if combine == "*" and stage.target.dtype in dtypes.HALVES:
            raise NotVectorizable(f"every step rounds to {stage.target.dtype}", stage.node)
        for part in (operand, *stage.guards):
            for load in all_loads(self._space, part):
                if load.storage is stage.target and not self._is_elsewhere(load, stage, fixed):
                    raise NotVectorizable(f"a step reads other elements of `{stage.target.name}`", stage.node)
        free = [loop for loop in stage.loops if loop in kept or loop in reduced]
        whole = replaced(stage, value=operand)
        if self.pieces.unsafe_choice(whole) is None:
            boxes = [self._domains.tightened(whole, free)]
        else:
            boxes = self._domains.pieces(whole, free)
        nodes: list[Node] = []
        for box in boxes:
            if self.pieces.unsafe_choice(box) is not None:
                raise NotVectorizable("one side of a choice is only evaluated where it is needed", stage.node)
            if any(loop.extent.value == 0 for loop in box.loops):
                continue
            pairs = zip(box.loops, stage.loops, strict=True)  # a box has a loop for each of the domain
            remaining = [now for now, before in pairs if before in kept]
            nodes += self._reductions.over_box(box, remaining, (combine, negated), fixed)
        return nodes

    def _is_elsewhere(self, load: Load, stage: Stage, fixed: frozenset[str]) -> bool:
        """Return whether no step reads, by a load, an element that any step stores in: `L[i, :i] @ X[:i]` for X[i]."""
        self._dependences.fixed = fixed
        store, read = touched_by(stage, [load])
        relation = self._dependences.relate(stage, stage, [(store, read)])
        return not (relation.before or (relation.after and not self._at_once) or relation.equal)

    def _scatter(self, stage: Stage, free: list[Loop]) -> list[Node]:
        """Store in program order: of two iterations that store to one element the later one wins."""
        found = combination(self._regions, stage)
        combine, negated, operand = found or ("", False, stage.value)
        if found is None and stage.op != "=":
            raise AssertionError("an update combines")
        for part in (operand, *stage.guards, *self._space.atom_values(stage.index)):
            for load in all_loads(self._space, part):
                if load.storage is stage.target:
                    why = "each step reads what an earlier one may have stored in"
                    raise NotVectorizable(f"{why} `{stage.target.name}`", stage.node)
        if combine and stage.target.dtype in dtypes.HALVES:
            raise NotVectorizable(f"every step rounds to {stage.target.dtype}", stage.node)
        kernel = self._convolution(stage, free, operand) if combine == "+" else None
        if kernel is None:
            kernel = plan.Kernel(stage, plan.SCATTER, operand, free, [], combine)
        kernel.negated = negated
        around = [loop for loop in stage.loops if loop not in free]
        self.protection.protect(kernel, [loop for loop in kernel.stage.loops if loop not in around])
        return [kernel]

    def _convolution(self, stage: Stage, free: list[Loop], operand: Vector) -> plan.Kernel | None:
        """Return the kernel of a sum of products that is a convolution over the box that its conditions leave."""
        box = self._domains.tightened(replaced(stage, value=operand), free)
        loops = [now for now, before in zip(box.loops, stage.loops, strict=True) if before in free]
        return convolution(self._space, self._dependences, self._entry.fresh, box, loops)


def _is_product(nodes: list[Node]) -> bool:
    """Return whether a plan is one product of matrices, which stores when all is computed."""
    (node,) = nodes if len(nodes) == 1 else (None,)
    return isinstance(node, plan.Kernel) and node.strategy == plan.CONTRACTION and bool(node.stage.guards)
