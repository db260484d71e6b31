"""`while` in lanes as NumPy: lists of the iterations that still repeat, and steps on all of them."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Atom, Check, Load, Loop, Named, Stage, all_loads
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import checked_index
from relax_lang.tir.codegen.writer import comment
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts
from relax_lang.tir.schedule.strategies.lockstep import stored_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.analysis.vector_ir import Space, Statement, Storage, Vector
    from relax_lang.tir.codegen.writer import Writer


class _ActiveLanes:
    """The iterations at hand: the arrays of their loop variables, by the names of the loops."""

    __slots__ = ("arrays", "lane", "masks", "parts", "values")

    def __init__(self, writer: Writer, loops: Sequence[Loop]) -> None:
        self.parts: dict[tuple[int, ...], tuple[_ActiveLanes, list[Vector]]] = {}
        """Those in which some conditions hold, as long as nothing changes that, by the keys of the conditions."""
        self.masks: dict[int, tuple[str, Vector]] = {}
        """Where conditions hold in these lanes, as long as nothing changes that: name and condition, by its key."""
        self.arrays = {loop.name: writer.fresh(f"{loop.name}_at") for loop in loops}
        first = next(iter(self.arrays.values()))
        self.lane = Loop(writer.fresh("lane"), Polynomial.name(f"{first}.size"), loops[0].node)
        writer.space.loops[self.lane.name] = self.lane
        self.values: dict[str, Polynomial] = {}
        for loop in loops:
            name = self.arrays[loop.name]
            value = Named(name, (self.lane.name,), dtypes.INT64, loop.extent)
            writer.space.atoms[name] = Atom(name, value)
            self.values[loop.name] = Polynomial.name(name)

    @property
    def size(self) -> str:
        """The text of how many there are."""
        return str(self.lane.extent)

    def text(self, writer: Writer, vector: Vector) -> str:
        """Write what is needed to compute an expression in all lanes; return the text of its value."""
        return Arrays(writer, (self.lane.name,)).text(writer.space.replaced(vector, self.values))

    def mask(self, writer: Writer, condition: Vector) -> str:
        """Return where a condition holds; an opposite of what is known is not computed again."""
        if condition.key not in self.masks:
            inner = condition.args[0] if isinstance(condition, Apply) and condition.op == "!" else condition
            if inner.key not in self.masks:
                text = self.text(writer, inner)
                self.masks[inner.key] = text if text.isidentifier() else writer.name(text, "holds"), inner
            if inner is not condition:
                return f"~{self.masks[inner.key][0]}"
        return self.masks[condition.key][0]

    def keep(self, writer: Writer, mask: str) -> None:
        """Write that only those lanes go on where a mask says so."""
        for name in self.arrays.values():
            writer.line(f"{name} = {name}[{mask}]")
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
    writer.forget()
    for target in stored_in(node):
        writer.stores_to(target)
    names = ", ".join([loop.name for loop in node.loops])
    writer.line(f"# {comment(node.statement.label)}: while, over {names} together, as long as they repeat")
    depth = writer.depth
    lanes = _ActiveLanes(writer, node.loops)
    shape = tuple_text([writer.extent(loop) for loop in node.loops])
    if len(node.loops) == 1:
        writer.line(f"{next(iter(lanes.arrays.values()))} = np.arange({writer.extent(node.loops[0])})")
    else:
        every = f"np.indices({shape}).reshape({len(node.loops)}, -1)"
        writer.line(f"{', '.join(lanes.arrays.values())} = {every}")
    for guard in [part for whole in node.statement.guards for part in conjuncts(whole)]:
        _require(writer, guard, lanes)
    _steps(writer, node, lanes)
    writer.depth = depth


def _varies(condition: Vector, lanes: _ActiveLanes) -> bool:
    return not condition.dims.isdisjoint(lanes.arrays)


def _require(writer: Writer, condition: Vector, lanes: _ActiveLanes) -> None:
    """Write that what follows is only done where a condition holds."""
    if _varies(condition, lanes):
        lanes.keep(writer, lanes.mask(writer, condition))
    else:
        writer.line(f"if {Arrays(writer, ()).text(condition)}:")
        writer.depth += 1


def _steps(writer: Writer, node: plan.LockStep, lanes: _ActiveLanes) -> None:
    with writer.indented("while True:"):
        writer.forget()
        for part in conjuncts(
            node.statement.condition
        ):  # what comes later is only evaluated if the rest holds
            if _varies(part, lanes):
                lanes.keep(writer, lanes.mask(writer, part))
            else:
                writer.line(f"if not {Arrays(writer, ()).text(part)}:")
                writer.line("    break")
        writer.line(f"if not {lanes.size}:")
        writer.line("    break")
        for step in node.body:
            depth = writer.depth
            writer.forget()
            _WRITE[type(step)](writer, step, lanes)
            writer.depth = depth
    writer.forget()


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
    made, depth = False, writer.depth
    for guard in guards:
        if made or not _varies(guard, lanes):
            _require(writer, guard, inner)
            continue
        before = dict(lanes.masks)
        mask = lanes.mask(writer, guard)
        if writer.depth != depth:
            lanes.masks = before  # its name only has a value inside of this `if`
        for name, array in inner.arrays.items():
            writer.line(f"{array} = {lanes.arrays[name]}[{mask}]")
        made = True
    if not made:
        for name, array in inner.arrays.items():
            writer.line(f"{array} = {lanes.arrays[name]}")
    if not copied and writer.depth == depth:
        lanes.parts[keys] = inner, guards
    return inner


def _store(writer: Writer, stage: Stage, lanes: _ActiveLanes) -> None:
    inner = _those(writer, lanes, stage.guards)
    order = (inner.lane.name,)
    index = tuple([writer.space.substituted(part, inner.values) for part in stage.index])
    writer.cover(Load(stage.target, index, frozenset(order), stage.node), order)
    pairs = zip(index, stage.target.sizes, strict=True)
    places = [checked_index(writer, part, size, order) for part, size in pairs]
    text = inner.text(writer, stage.value)
    writer.line(f"{stage.target.name}[{', '.join(places)}] = {text}")
    lanes.changed(writer.space, stage.target)


def _check(writer: Writer, check: Check, lanes: _ActiveLanes) -> None:
    inner = _those(writer, lanes, check.guards)
    for value in check.values:
        text = inner.text(writer, value)
        if not text.isidentifier():
            writer.line(text)
    if check.condition is not None:
        writer.line(f"{writer.check('require')}(np.all({inner.text(writer, check.condition)}))")


def _repeat(writer: Writer, node: plan.LockStep, lanes: _ActiveLanes) -> None:
    _steps(writer, node, _those(writer, lanes, node.statement.guards, copied=True))
    for target in stored_in(node):
        lanes.changed(writer.space, target)


_WRITE: dict[type[Statement | plan.LockStep], Callable[[Writer, Any, _ActiveLanes], None]] = {
    Stage: _store,
    Check: _check,
    plan.LockStep: _repeat,
}
