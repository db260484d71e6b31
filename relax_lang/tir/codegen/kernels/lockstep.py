"""`while` in lanes as NumPy: lists of the iterations that still repeat, and steps on all of them."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statements import Check, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Atom, Load, Named, all_loads
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import checked_index
from relax_lang.tir.codegen.writer import array_of, name_of, remark
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts
from relax_lang.tir.schedule.strategies.lockstep import stored_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.analysis.accesses import Storage
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer


class _ActiveLanes:
    """The iterations at hand: the arrays of their loop variables, by the names of the loops."""

    __slots__ = ("arrays", "lane", "masks", "parts", "values")

    def __init__(self, writer: Writer, loops: Sequence[Loop]) -> None:
        self.parts: dict[tuple[int, ...], tuple[_ActiveLanes, list[Vector]]] = {}
        """Those in which some conditions hold, as long as nothing changes that, by the keys of the conditions."""
        self.masks: dict[int, tuple[Ref, Vector]] = {}
        """Where conditions hold in these lanes, as long as nothing changes that: name and condition, by its key."""
        self.arrays = {loop.name: writer.fresh(f"{loop.name}_at") for loop in loops}
        self.lane = Loop(writer.fresh("lane"), Polynomial.name(writer.fresh("lanes")), loops[0].node)
        writer.space.loops[self.lane.name] = self.lane
        self.values: dict[str, Polynomial] = {}
        for loop in loops:
            name = self.arrays[loop.name]
            value = Named(name, (self.lane.name,), dtypes.INT64, loop.extent)
            writer.space.atoms[name] = Atom(name, value)
            self.values[loop.name] = Polynomial.name(name)

    def count(self, writer: Writer, *, again: bool = False) -> None:
        """Write how many there are."""
        first = next(iter(self.arrays.values()))
        writer.add(ir.Define(name_of(self.lane.extent), ir.Property(Ref(first), "size"), rebinds=again))

    def value(self, writer: Writer, vector: Vector) -> Expr:
        """Write what is needed to compute an expression in all lanes; return its value."""
        return Arrays(writer, (self.lane.name,)).value(writer.space.replaced(vector, self.values))

    def mask(self, writer: Writer, condition: Vector) -> Expr:
        """Return where a condition holds; an opposite of what is known is not computed again."""
        if condition.key not in self.masks:
            inner = condition.args[0] if isinstance(condition, Apply) and condition.op == "!" else condition
            if inner.key not in self.masks:
                value = self.value(writer, inner)
                name = value if isinstance(value, Ref) else writer.name(value, "holds")
                self.masks[inner.key] = name, inner
            if inner is not condition:
                return ir.Elementwise("~", (self.masks[inner.key][0],), dtypes.BOOL)
        return self.masks[condition.key][0]

    def keep(self, writer: Writer, mask: Expr) -> None:
        """Write that only those lanes go on for which a mask holds."""
        for name in self.arrays.values():
            writer.add(ir.Define(name, ir.Gather(Ref(name), (mask,)), rebinds=True))
        self.count(writer, again=True)
        self.changed()
        writer.shared.clear()  # which were as long as the lanes before

    def changed(self, space: Space | None = None, target: Storage | None = None) -> None:
        """Forget conditions that a store to an array may change; without one, all of them."""
        for key, (_, condition) in list(self.masks.items()):
            if space is None or _reads(space, condition, target):
                del self.masks[key]
        for keys, (_, conditions) in list(self.parts.items()):
            if space is None or any(_reads(space, condition, target) for condition in conditions):
                del self.parts[keys]


def _reads(space: Space, condition: Vector, target: Storage | None) -> bool:
    return any(load.storage is target for load in all_loads(space, condition))


def write_lock_step(writer: Writer, node: plan.LockStep) -> None:
    """Write a `while` over all iterations of the loops around it."""
    names = ", ".join([loop.name for loop in node.loops])
    label = node.statement.label
    writer.add(remark(f"{label}: while, over {names} together, as long as they repeat"))
    outer = writer.body
    lanes = _ActiveLanes(writer, node.loops)
    shape, arrays = writer.extents([loop.name for loop in node.loops]), tuple(lanes.arrays.values())
    if len(node.loops) == 1:
        writer.add(ir.Define(arrays[0], ir.Iota(shape[0])))
    else:
        every = ir.Call("indices", (ir.Tuple(shape),))
        writer.add(ir.Unpack(arrays, ir.Reshaped(every, (Literal(len(arrays)), Literal(-1)))))
    lanes.count(writer)
    for guard in [part for whole in node.statement.guards for part in conjuncts(whole)]:
        _require(writer, guard, lanes)
    _steps(writer, node, lanes)
    writer.body = outer


def _varies(condition: Vector, lanes: _ActiveLanes) -> bool:
    return not condition.dims.isdisjoint(lanes.arrays)


def _require(writer: Writer, condition: Vector, lanes: _ActiveLanes) -> None:
    """Write that what follows is only done where a condition holds."""
    if _varies(condition, lanes):
        lanes.keep(writer, lanes.mask(writer, condition))
    else:
        writer.enter(Arrays(writer, ()).value(condition))


def _steps(writer: Writer, node: plan.LockStep, lanes: _ActiveLanes) -> None:
    loop = ir.Forever([])
    writer.add(loop)
    with writer.inside(loop.body):
        writer.forget()
        for part in conjuncts(node.statement.condition):
            # What comes later is only evaluated if the rest holds.
            if _varies(part, lanes):
                lanes.keep(writer, lanes.mask(writer, part))
            else:
                _break_unless(writer, Arrays(writer, ()).value(part))
        _break_unless(writer, lanes.lane.extent)
        for step in node.body:
            outer = writer.body
            writer.forget()
            _WRITE[type(step)](writer, step, lanes)
            writer.body = outer
    writer.forget()


def _break_unless(writer: Writer, condition: Expr) -> None:
    writer.add(ir.If(ScalarOp("not", (condition,)), [ir.Break()]))


def _those(
    writer: Writer, lanes: _ActiveLanes, conditions: Sequence[Vector], *, copied: bool = False
) -> _ActiveLanes:
    """Write which of some lanes meet conditions; the lanes themselves stay as they are."""
    guards = [part for whole in conditions for part in conjuncts(whole)]
    if not copied and not any(_varies(guard, lanes) for guard in guards):
        for guard in guards:
            _require(writer, guard, lanes)
        return lanes
    keys = tuple([guard.key for guard in guards])
    if not copied and keys in lanes.parts:
        return lanes.parts[keys][0]
    space = writer.space
    inner = _ActiveLanes(writer, [space.loops[name] for name in lanes.arrays])
    made, outer = False, writer.body
    for guard in guards:
        if made or not _varies(guard, lanes):
            _require(writer, guard, inner)
            continue
        before = dict(lanes.masks)
        mask = lanes.mask(writer, guard)
        if writer.body is not outer:
            lanes.masks = before  # its name only has a value inside of this `if`
        for name, array in inner.arrays.items():
            writer.add(ir.Define(array, ir.Gather(Ref(lanes.arrays[name]), (mask,))))
        inner.count(writer)
        made = True
    if not made:
        for name, array in inner.arrays.items():
            writer.add(ir.Define(array, Ref(lanes.arrays[name])))
        inner.count(writer)
    if not copied and writer.body is outer:
        lanes.parts[keys] = inner, guards
    return inner


def _store(writer: Writer, stage: Stage, lanes: _ActiveLanes) -> None:
    inner = _those(writer, lanes, stage.guards)
    order = (inner.lane.name,)
    index = tuple([writer.space.substituted(part, inner.values) for part in stage.index])
    writer.cover(Load(stage.target, index, frozenset(order), stage.node), order)
    pairs = zip(index, stage.target.sizes, strict=True)
    places = [checked_index(writer, part, size, order) for part, size in pairs]
    value = inner.value(writer, stage.value)
    writer.add(ir.Store(ir.Gather(array_of(stage.target), tuple(places)), value))
    lanes.changed(writer.space, stage.target)


def _check(writer: Writer, check: Check, lanes: _ActiveLanes) -> None:
    inner = _those(writer, lanes, check.guards)
    for value in check.values:
        found = inner.value(writer, value)
        if not isinstance(found, Ref):
            writer.add(ir.Evaluate(found))
    if check.condition is not None:
        writer.add(ir.Require((ir.Call("all", (inner.value(writer, check.condition),)),)))


def _repeat(writer: Writer, node: plan.LockStep, lanes: _ActiveLanes) -> None:
    _steps(writer, node, _those(writer, lanes, node.statement.guards, copied=True))
    for target in stored_in(node):
        lanes.changed(writer.space, target)


_WRITE: dict[type[Statement | plan.LockStep], Callable[[Writer, Any, _ActiveLanes], None]] = {
    Stage: _store,
    Check: _check,
    plan.LockStep: _repeat,
}
