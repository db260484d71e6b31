"""The `init` of a block as statements over the loops that do not reduce, before the first step of the reduction.

Where such a statement would change places with another one that touches the same elements, which `distribute` finds
out, it stays in the loops of the block instead, under the condition that this is the first step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered import vector_ir
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, NotVectorizable, all_loads
from relax_lang.tir.array_ir.nodes import ZERO, ScalarOp
from relax_lang.tir.check.reduction_init import find_reductions, other_axes
from relax_lang.tir.lower.position import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.syntax import tree
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Scalar
    from relax_lang.tir.check.reduction_init import Reduction
    from relax_lang.tir.lower.state import LoweringState


@dataclass(eq=False, slots=True)
class HoistedInit:
    """The statements of an `init` that runs before the loops of its reduction.

    `home` is the list that they are in; `outside` is where they run, `here` where the text has them. `searches` find
    out before whether a step meets the `where` of the block.
    """

    block: tree.Block
    reduction: Reduction
    reducing: tuple[Loop, ...]
    here: Position
    outside: Position
    home: list[Statement]
    members: list[Statement] = field(default_factory=list["Statement"])
    searches: list[Statement] = field(default_factory=list["Statement"])
    required: list[Scalar] = field(default_factory=list["Scalar"])
    """What must hold when the function is called for it to be hoisted."""


class Inits:
    """The reductions of one PrimFunc, and where the `init` of each runs."""

    def __init__(self, lowering: LoweringState) -> None:
        self._lowering = lowering
        self._space = lowering.space
        self._values = lowering.values
        self._entry = lowering.entry
        self._reductions = {reduction.block: reduction for reduction in find_reductions(lowering.analysis)}
        self._hoisted: dict[Node, HoistedInit] = {}
        """By the nodes of their statements."""

    def keep_in_place(self, nodes: Iterable[Node]) -> None:
        """Move hoisted statements, given by their nodes, back into the loops of their blocks.

        Raises `NotVectorizable` where no condition holds at the first step of the reduction alone.
        """
        for hoisted in {id(one): one for one in [self._hoisted[node] for node in nodes]}.values():
            here, outside = hoisted.here, hoisted.outside
            self._drop_requirements(hoisted)
            first = self._at_first(hoisted.reducing, hoisted.reduction, hoisted.block)
            hoisted.home[:] = [one for one in hoisted.home if one not in hoisted.searches]
            for member in hoisted.members:
                assert isinstance(member, Stage), "only stores are hoisted"
                loops = (*here.loops, *member.loops[len(outside.loops) :])
                guards = (*here.guards, first, *member.guards[len(outside.guards) :])
                stage = replaced(member, loops=loops, guards=guards, reducing=())
                hoisted.home[hoisted.home.index(member)] = stage

    def _drop_requirements(self, hoisted: HoistedInit) -> None:
        """Take back what a hoisted `init` requires."""
        required, hoisted.required = hoisted.required, []
        for condition in required:
            self._entry.drop_requirement(condition)

    def lower(self, block: tree.Block, place: Position, where: Vector | None) -> None:
        """Lower the `init` of a block at a place, under its `where`."""
        lowering, init = self._lowering, block.init or ()
        reduction = self._reductions.get(block)
        here = place if where is None else place.guarded(where)
        if reduction is None:
            lowering.lower(init, here)
            return
        loops_of = lowering.loops_of
        inside = [loop for key in reduction.loops for loop in loops_of[key]]
        pairs = zip(reduction.loops, reduction.reducing, strict=True)
        reducing = tuple([loop for key, reduces in pairs if reduces for loop in loops_of[key]])
        if len(place.loops) - len(inside) < place.repeats:
            raise NotVectorizable("there is a `while` between the loops of this reduction", block)
        self._check_instances(block, inside, reducing)
        hoisted = HoistedInit(block, reduction, reducing, here, here, lowering.statements)
        kept = tuple([loop for loop in place.loops if loop not in reducing])
        outside = Position(kept, place.guards, block.name, place.repeats)
        first, n_requests = len(lowering.statements), len(self._entry.requests)
        if where is not None and where.dims & {loop.name for loop in reducing}:
            outside = self._where_any(block, reduction, place, reducing, outside, where)
            hoisted.searches = self._noted(first, hoisted)
            first = len(lowering.statements)
        elif not reduction.perfect:
            if any(self._space.varies(loop.extent) for loop in reducing):
                lowering.lower(init, here.guarded(self._at_first(reducing, reduction, block)))
                return
            for loop in reducing:
                self._require_steps(loop)
        hoisted.required = self._entry.requests[n_requests:]
        if where is not None and not where.dims & {loop.name for loop in reducing}:
            outside = outside.guarded(where)
        hoisted.outside = outside
        lowering.lower(init, outside)
        hoisted.members = self._noted(first, hoisted)
        for statement in hoisted.members:
            self._check_free(statement, reducing)

    def _noted(self, first: int, hoisted: HoistedInit) -> list[Statement]:
        """Return the statements from a position on, marked as those of a hoisted `init`."""
        found = hoisted.home[first:]
        for statement in found:
            statement.reducing = hoisted.reducing
            self._hoisted[statement.node] = hoisted
        return found

    def _require_steps(self, loop: Loop) -> None:
        """Leave calls in which a loop is empty to the interpreter."""
        if (loop.extent.value or 0) <= 0:
            self._entry.require(ScalarOp(">", (loop.extent, ZERO)))

    def _where_any(
        self,
        block: tree.Block,
        reduction: Reduction,
        place: Position,
        reducing: Sequence[Loop],
        outside: Position,
        where: Vector,
    ) -> Position:
        """Return where `init` runs if `where` depends on reduce axes: it runs if one of the steps does. [TIR.10]

        That is known if the first step does; else whether there is one is found out before.
        """
        lowering = self._lowering
        outermost, _ = reduction.loops[0]
        if lowering.reads(where, lowering.stored_in((outermost,))):
            raise NotVectorizable("`where` depends on a reduce axis, and on what the reduction stores", block)
        if any(self._space.dims(loop.extent) & {other.name for other in reducing} for loop in reducing):
            raise NotVectorizable(
                "`where` depends on a reduce axis, and the bounds of the loops on each other", block
            )
        if self._is_sure_at_first(reducing, where):
            return outside
        false: Vector = vector_ir.Const(False, dtypes.BOOL)
        found = lowering.stored(false, outside, "some", block)
        assert isinstance(found, vector_ir.Load)
        value = Apply("||", (found, where), dtypes.BOOL)
        stage = Stage(place.loops, place.guards, block.name, block, found.storage, found.index, "=", value)
        lowering.statements.append(stage)
        return outside.guarded(found)

    def _is_sure_at_first(self, reducing: Sequence[Loop], where: Vector) -> bool:
        """Return whether the first step of every reduction meets `where` in all calls that the code is for: what that
        asks of sizes is required.
        """
        if any(self._space.varies(loop.extent) for loop in reducing):
            return False
        zero = Polynomial.constant(0)
        at_first = self._space.replaced(where, {loop.name: zero for loop in reducing})
        if at_first.dims or all_loads(self._space, at_first) or _is_false(at_first):
            return False
        number = self._entry.scalar(at_first)
        if number is None:
            return False
        for loop in reducing:
            self._require_steps(loop)
        self._entry.require(number)
        return True

    def _at_first(self, reducing: Sequence[Loop], reduction: Reduction, block: tree.Block) -> Vector:
        """Return the condition that this is the first step of a reduction."""
        names = {loop.name for loop in reducing}
        if block.predicate is not None and self._values.vector(block.predicate).dims & names:
            raise NotVectorizable("`where` depends on a reduce axis", block)
        condition: Vector = vector_ir.Const(True, dtypes.BOOL)
        zero = self._values.index(Polynomial.constant(0))
        for at, loop in enumerate(reducing):
            if self._space.dims(loop.extent) & names:
                raise NotVectorizable("the bounds of this loop change during the reduction", loop.node)
            first = Apply("==", (self._values.index(Polynomial.name(loop.name)), zero), dtypes.BOOL)
            condition = first if at == 0 else Apply("&&", (condition, first), dtypes.BOOL)
            if reduction.perfect:
                if self._space.varies(loop.extent):
                    raise NotVectorizable("the reduction may be empty", block)
                self._require_steps(loop)
        return condition

    def _check_free(self, statement: Statement, reducing: Sequence[Loop]) -> None:
        """Refuse an `init` that depends on the loops before which it runs."""
        names = {loop.name for loop in reducing}
        parts = list(statement.guards)
        if not isinstance(statement, Stage):
            raise NotVectorizable("`init` does more than to store", statement.node)
        parts += [statement.value, *[self._values.index(index) for index in statement.index]]
        if any(part.dims & names for part in parts):
            raise NotVectorizable("`init`, or the condition on it, depends on a reduce axis", statement.node)

    def _check_instances(self, block: tree.Block, inside: Sequence[Loop], reducing: Sequence[Loop]) -> None:
        """Refuse a block whose spatial axes do not name the iterations of the loops that do not reduce."""
        told_apart: set[str] = set()
        for axis in other_axes(block):
            value = self._values.as_polynomial(self._values.vector(axis.value))
            told_apart |= self._told_apart(value, inside)
        names = {loop.name for loop in reducing}
        for loop in inside:
            if loop in reducing:
                continue
            if loop.name not in told_apart:
                raise NotVectorizable("the axes do not distinguish the iterations of this loop", loop.node)
            if self._space.dims(loop.extent) & names:
                raise NotVectorizable("the bounds of this loop change during the reduction", loop.node)

    def _told_apart(self, value: Polynomial, inside: Sequence[Loop]) -> set[str]:
        """Return the loops that an axis gives the value of: one, or the parts of a loop that was split."""
        names = self._space.dims(value) & {loop.name for loop in inside}
        rest = set(names)
        for name in sorted(names):
            factor = value.coefficient(name)
            if factor is None or not factor.value or name not in value.names():
                return set()
        if len(rest) > 1:
            variables = self._lowering.variables
            least = next(
                (name for name in sorted(rest) if value.coefficient(name) == Polynomial.constant(1)), None
            )
            if least is None or len({variables[name] for name in rest}) > 1:
                return set()
            rest.remove(least)  # the inner part: the factor of the outer one is its extent
        return set(names) if len(rest) <= 1 else set()


def _is_false(condition: Vector) -> bool:
    """Return whether a comparison of numbers does not hold."""
    if not isinstance(condition, Apply) or condition.op not in _NUMBERS_COMPARED:
        return False
    a, b = condition.args
    if not isinstance(a, vector_ir.Index) or not isinstance(b, vector_ir.Index):
        return False
    difference = (a.polynomial - b.polynomial).value
    return difference is not None and not _NUMBERS_COMPARED[condition.op](difference)


_NUMBERS_COMPARED: dict[str, Callable[[int], bool]] = {
    "<": lambda difference: difference < 0,
    "<=": lambda difference: difference <= 0,
    ">": lambda difference: difference > 0,
    ">=": lambda difference: difference >= 0,
    "==": lambda difference: difference == 0,
    "!=": lambda difference: difference != 0,
}
