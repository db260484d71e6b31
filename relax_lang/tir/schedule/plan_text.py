"""Plans as text, for those who look at what passes make of them."""

from __future__ import annotations

from typing import assert_never

from relax_lang.tir.analysis.lowered.statements import Listing, RunningByKey, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Load, Named, Size
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Vector

_INDENT = "  "
_MOST_PARTS = 200
"""How many parts of an expression are shown."""


def lines_of(nodes: Sequence[plan.Node], depth: int = 0) -> list[str]:
    """Return a plan as lines."""
    found: list[str] = []
    for node in nodes:
        head, body = _head(node)
        found += [_INDENT * (depth + (at > 0)) + line for at, line in enumerate(head)]
        found += lines_of(body, depth + 1)
    return found


def _head(node: plan.Node) -> tuple[list[str], Sequence[plan.Node]]:
    """Return the lines of a node itself, and what is in it."""
    match node:
        case plan.Kernel():
            return _kernel(node), ()
        case plan.ArgKernel():
            over = f"{_loops(node.kept)}; {_loops(node.reduced)}" if node.kept else _loops(node.reduced)
            return [f"{node.statement.label}: {plan.ARG_REDUCTION} over {over}"], ()
        case plan.Sequential():
            apart = "".join([f", then from {low}" for low, _ in node.parts[1:]])
            return [f"loop {_loops([node.loop])}{apart}: {node.reason}"], node.body
        case plan.While():
            return [f"{node.repeat.label}: while {_Text().of(node.repeat.condition)}"], node.body
        case plan.LockStep():
            stores = [_stage(one) for one in node.body if isinstance(one, Stage)]
            return [f"{node.statement.label}: while, in lock-step over {_loops(node.loops)}", *stores], ()
        case plan.Single(statement=Stage() as stage):
            loops = f" over {_loops(stage.loops)}" if stage.loops else ""
            return [f"{stage.label}{loops}", _stage(stage)], ()
        case plan.Single(statement=RunningByKey() as running):
            what = "sums of" if running.adds else "last of"
            return [
                f"{running.label}: {running.before.name} = {what} earlier {running.values.name} by {running.keys.name}"
            ], ()
        case plan.Single(statement=Listing() as listing):
            lists = ", ".join([storage.name for storage in listing.lists])
            return [f"{listing.label}: {lists} = where {listing.chosen.name}"], ()
        case plan.Single():
            return [f"{node.statement.label}: {type(node.statement).__name__.lower()}"], ()
        case plan.Tile():
            return [f"tile {_loops([node.start])} by {node.step}, {node.size} at a time"], node.body
        case plan.TransposedScan():
            names = dict.fromkeys([storage.name for storage in node.storages])
            some = "" if node.size is None else f", {node.size} rows at a time"
            return [f"transposed copies of {', '.join(names)}{some}"], node.body
        case _:
            assert_never(node)


def _kernel(kernel: plan.Kernel) -> list[str]:
    facts = [
        *(["folded"] if kernel.folded else []),
        *([f"from {kernel.initial.value}"] if kernel.initial is not None else []),
        *(["in lanes"] if kernel.lanes else []),
        *(["if not empty"] if kernel.nonempty else []),
    ]
    loops = f" over {_loops(kernel.kept)}" if kernel.kept else ""
    reduced = f", combining {_loops(kernel.reduced)}" if kernel.reduced else ""
    noted = f" ({', '.join(facts)})" if facts else ""
    return [f"{kernel.stage.label}: {kernel.strategy}{loops}{reduced}{noted}", _stage(kernel.stage)]


def _stage(stage: Stage) -> str:
    guards = "".join([f" if {_Text().of(guard)}" for guard in stage.guards])
    return f"{_access(stage.target, stage.index)} {stage.op} {_Text().of(stage.value)}{guards}"


def _loops(loops: Sequence[Loop]) -> str:
    return ", ".join([f"{loop.name} < {loop.extent}" for loop in loops])


def _access(storage: Storage, index: Indices) -> str:
    return f"{storage.name}[{', '.join([str(part) for part in index])}]"


class _Text:
    """The text of one expression, up to a number of parts: values that are used often are long."""

    def __init__(self) -> None:
        self._left = _MOST_PARTS

    def of(self, vector: Vector, *, is_part: bool = False) -> str:
        """Return an expression; one with an operator has brackets if it `is_part` of another one."""
        self._left -= 1
        if self._left < 0:
            return "…"
        match vector:
            case Const():
                return str(vector.value)
            case Index():
                return f"({vector.polynomial})" if is_part else str(vector.polynomial)
            case Load():
                return _access(vector.storage, vector.index)
            case Apply():
                return self._operation(vector, is_part=is_part)
            case Size() | Named():
                return vector.text
            case _:
                assert_never(vector)

    def _operation(self, vector: Apply, *, is_part: bool) -> str:
        if vector.op == "cast":
            return f"cast({self.of(vector.args[0])}, {vector.dtype})"
        if vector.op[0].isalpha():
            return f"{vector.op}({', '.join([self.of(arg) for arg in vector.args])})"
        texts = [self.of(arg, is_part=True) for arg in vector.args]
        text = f"{vector.op}{texts[0]}" if len(texts) == 1 else f" {vector.op} ".join(texts)
        return f"({text})" if is_part else text
